"""The history: results of earlier runs in the same context, which sharpen later ones.

Each run leaves the quiet times of its probes and of each hasher in a small file of its own in the
user's state folder. The files have no user names and no hashes.

Their names count the runs, so that no clock decides which run is the latest, and end in a checksum
of the content: a file in which anything has changed is not believed.
"""

from __future__ import annotations

import contextlib
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal, TypeAlias

import msgspec

from hashcost.core.decoding import UNDECODABLE
from hashcost.core.errors import UnreadableInputError, UnwritableOutputError
from hashcost.core.measurement import Timed
from hashcost.storage.files import is_own_folder, make_own_folder, read_limited, write_whole
from hashcost.storage.profile import Header

if TYPE_CHECKING:
    from hashcost.fit.level import Probes

KEPT_RUNS: Final = 50
"""Most runs that are kept of each context."""
# Most runs of all contexts, which take 4 MB; many machines may share the folder.
_MOST_RUNS: Final = 1000
_SCHEMA: Final = 6
_DIGITS: Final = "[0-9a-f]" * 8
# Digits, so that names are in the order of the runs.
_NUMBER_LENGTH: Final = 15
# Replaces the suffix of a damaged file.
_SET_ASIDE: Final = ".damaged"

# The `hasher_key` of a hasher.
_Key: TypeAlias = Annotated[str, msgspec.Meta(max_length=300)]
_Level: TypeAlias = Annotated[
    tuple[Annotated[float, msgspec.Meta(ge=-40, le=40)], ...],
    msgspec.Meta(min_length=2, max_length=3),
]


class PastRun(msgspec.Struct, frozen=True, kw_only=True):
    """The quiet times of one run."""

    schema: Literal[6] = _SCHEMA
    context: Annotated[str, msgspec.Meta(max_length=3000)]
    """`Machine.context`: the facts that must be the same for two runs to be compared."""
    probe: str | None = None
    """The name of the probe; `None` without readings."""
    level: _Level | None = None
    """The probes' times on a quiet core by this run only, as logarithms of seconds."""
    timed: dict[_Key, Timed] = {}


def run_in(content: bytes, *, name: str) -> PastRun | None:
    """Read a run.

    Args:
        content: JSON.
        name: the origin of the content in messages.

    Returns:
        `None` if another version wrote it.

    Raises:
        UnreadableInputError: the content is not a run, or has a value out of range.
    """
    try:
        if msgspec.json.decode(content, type=Header).schema != _SCHEMA:
            return None
        return msgspec.json.decode(content, type=PastRun)
    except UNDECODABLE as error:
        raise UnreadableInputError(f"{name} is damaged; remove it") from error


def hasher_key(label: str, version: str, lanes: int) -> str:
    """Return the key of a hasher's times within a context."""
    return f"{label} {version} p={lanes}"


class Past(msgspec.Struct, frozen=True):
    """The recent runs in one context, the oldest first."""

    runs: tuple[PastRun, ...] = ()
    damaged: int = 0
    """The number of files that were set aside."""

    def timed(self, key: str) -> tuple[Timed, ...]:
        """The times of one hasher, by run."""
        return tuple(run.timed[key] for run in self.runs if key in run.timed)

    def levels(self, probe: str) -> tuple[Probes, ...]:
        """The levels of one probe, by run."""
        return tuple(run.level for run in self.runs if run.level and run.probe == probe)


class History(msgspec.Struct, frozen=True):
    """The folder of past runs; if ``path`` is ``None``, no run is kept.

    It and the folder above it must be the user's own: runs that another one has laid there
    would change what is recommended.
    """

    path: Path | None
    latest: int | None = None
    """The number of the last run that is read; `None` for all."""

    def until_now(self) -> History:
        """Return the history of this folder without the runs that will be added from now on."""
        return msgspec.structs.replace(self, latest=self._last_number())

    def past(
        self, context: str | None, could_have_run: Callable[[PastRun], bool] = lambda _: True
    ) -> Past:
        """Read the runs in this context, and set damaged files aside: nothing in them counts.

        Args:
            context: `Machine.context`; nothing is read without one.
            could_have_run: whether the hashers allow the costs of a run; the file of one that they
                do not allow is damaged as well.
        """
        # A machine that is not known well may be another one.
        if not context or not self._is_own():
            return Past()
        runs = []
        damaged = 0
        for path in self._files(_digest(context)):
            if self.latest is not None and _number(path) > self.latest:
                continue
            try:
                run = _run_at(path)
            except UnreadableInputError:
                damaged += _set_aside(path)
                continue
            # A digest stands for more than one context.
            if run is None or run.context != context:
                continue
            if could_have_run(run):
                runs.append(run)
            else:
                damaged += _set_aside(path)
        return Past(runs=tuple(runs), damaged=damaged)

    def add(self, run: PastRun) -> str:
        """Keep a run, and drop the oldest runs if there are too many.

        Each has a file of its own, so runs that end at the same time lose nothing. No result
        depends on the history, so a run that cannot be kept raises nothing.

        Returns:
            Why the run cannot be kept; empty if nothing is wrong.
        """
        if self.path is None or not run.timed:
            return ""
        content = msgspec.json.encode(run)
        try:
            make_own_folder(self.path.parent)
            make_own_folder(self.path)
            number = f"{self._last_number() + 1:0{_NUMBER_LENGTH}}"
            name = f"{number}-{_digest(run.context)}-{_checksum(content)}.json"
            write_whole(self.path / name, content, typed=False)
        except UnwritableOutputError as error:
            return error.reason
        # Where nothing can be removed, the folder grows, and every run is still right.
        with contextlib.suppress(OSError):
            self._drop_oldest(_digest(run.context))
        return ""

    def _drop_oldest(self, digest: str) -> None:
        """Remove what is too much of all contexts, of this one, and of damaged files."""
        old = self._files()[:-_MOST_RUNS]
        old += self._files(digest)[:-KEPT_RUNS]
        old += self._files(suffix=_SET_ASIDE)[:-KEPT_RUNS]
        for path in old:
            path.unlink(missing_ok=True)

    def _is_own(self) -> bool:
        """Whether the folder exists and belongs to the user."""
        if self.path is None:
            return False
        return is_own_folder(self.path.parent) and is_own_folder(self.path)

    def _files(self, digest: str = _DIGITS, suffix: str = ".json") -> list[Path]:
        """The files of all contexts or of one, the oldest first; none that has another name."""
        if self.path is None:
            return []
        number = "[0-9]" * _NUMBER_LENGTH
        return sorted(self.path.glob(f"{number}-{digest}-{_DIGITS}{suffix}"))

    def _last_number(self) -> int:
        """The number of the latest run; 0 without any."""
        return max(map(_number, self._files()), default=0)


def _run_at(path: Path) -> PastRun | None:
    """Read the run in a file; `None` if another version wrote it.

    Raises:
        UnreadableInputError: the file is damaged, or cannot be read.
    """
    # Opening a pipe may block, and a link may lead anywhere.
    if path.is_symlink() or not path.is_file():
        raise UnreadableInputError(f"{path} is not a file; remove it")
    content = read_limited(path)
    run = run_in(content, name=str(path))
    if run is not None and not path.stem.endswith(_checksum(content)):
        raise UnreadableInputError(f"{path} is damaged; remove it")
    return run


def _set_aside(path: Path) -> int:
    """Rename a damaged file, so that it is told of once; return the number of files, 1 or 0."""
    try:
        path.rename(path.with_suffix(_SET_ASIDE))
    except FileNotFoundError:  # Another run has just dropped it, or set it aside.
        return 0
    except OSError:  # The folder cannot be written: the next run tells of it again.
        return 1
    return 1


def _number(path: Path) -> int:
    """The number of a run, which its file has in its name."""
    return int(path.name[:_NUMBER_LENGTH])


def _checksum(content: bytes) -> str:
    return f"{zlib.crc32(content):08x}"


def _digest(context: str) -> str:
    return _checksum(context.encode(errors="replace"))
