"""The history: results of earlier runs in the same context, which sharpen later ones.

Each run leaves the quiet times of its probes and of each hasher in a small file of its own in the
user's state folder. The files have no user names and no hashes.
"""

from __future__ import annotations

import contextlib
import os
import stat
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal, TypeAlias

import msgspec

from hashcost.core.decoding import UNDECODABLE
from hashcost.core.errors import UnreadableInputError, UnwritableOutputError
from hashcost.core.measurement import Timed
from hashcost.storage.files import is_own_folder, make_own_folder, read_limited, write_whole

if TYPE_CHECKING:
    from hashcost.fit.level import Probes

KEPT_RUNS: Final = 50
"""Most runs that are kept of each context."""
_KEPT_SECONDS: Final = 30 * 86400.0
_LARGEST_FILE: Final = 1 << 20
_DIGITS: Final = "[0-9a-f]" * 8
_MOST_RUNS: Final = 10_000
"""Most runs of all contexts; many machines may share the folder."""

_Key: TypeAlias = Annotated[str, msgspec.Meta(max_length=300)]
"""The `hasher_key` of a hasher."""
_Level: TypeAlias = Annotated[
    tuple[Annotated[float, msgspec.Meta(ge=-40, le=40)], ...],
    msgspec.Meta(min_length=2, max_length=3),
]


class PastRun(msgspec.Struct, frozen=True, kw_only=True):
    """The quiet times of one run."""

    schema: Literal[5] = 5
    ended: Annotated[float, msgspec.Meta(ge=0, le=1e11)]
    """Seconds since 1970."""
    context: Annotated[str, msgspec.Meta(max_length=3000)]
    """`Machine.context`: the facts that must be the same for two runs to be compared."""
    probe: str | None = None
    """The name of the probe; `None` without readings."""
    level: _Level | None = None
    """The probes' times on a quiet core by this run only, as logarithms of seconds."""
    timed: dict[_Key, Timed] = {}


def run_in(content: bytes, *, name: str) -> PastRun:
    """Read a run; ``name`` stands for its origin in messages.

    Raises:
        UnreadableInputError: the content is not a run, or has a value out of range.
    """
    try:
        return msgspec.json.decode(content, type=PastRun)
    except UNDECODABLE as error:
        raise UnreadableInputError(f"{name} is damaged; remove it") from error


def hasher_key(label: str, version: str, lanes: int) -> str:
    """The key of a hasher's times within a context."""
    return f"{label} {version} p={lanes}"


class Past(msgspec.Struct, frozen=True):
    """The recent runs in one context, the oldest first."""

    runs: tuple[PastRun, ...] = ()

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

    def past(self, context: str | None, now: float) -> Past:
        """The runs in this context within the last thirty days; a damaged file counts as none."""
        runs: list[PastRun] = []
        if not context or not self._is_own():
            return Past()
        for path in self._files(_digest(context)):
            with contextlib.suppress(OSError, UnreadableInputError):
                if not stat.S_ISREG(path.lstat().st_mode):
                    continue  # Opening a pipe may block, and a link may lead anywhere.
                run = run_in(read_limited(path, _LARGEST_FILE), name=str(path))
                if run.context == context and 0 <= now - run.ended <= _KEPT_SECONDS:
                    runs.append(run)
        return Past(tuple(runs))

    def add(self, run: PastRun) -> str:
        """Keep a run, and drop runs that are too old or too many.

        Each has a file of its own, so runs that end at the same time lose nothing. No result
        depends on the history, so a run that cannot be kept raises nothing.

        Returns:
            Why the run cannot be kept; empty if nothing is wrong.
        """
        if self.path is None or not run.timed:
            return ""
        name = f"{_stamp(run.ended)}-{_digest(run.context)}-{os.urandom(4).hex()}.json"
        try:
            make_own_folder(self.path.parent)
            make_own_folder(self.path)
            write_whole(self.path / name, msgspec.json.encode(run), typed=False)
        except UnwritableOutputError as error:
            return error.reason
        with contextlib.suppress(OSError):
            first, last = (_stamp(run.ended + by) for by in (-_KEPT_SECONDS, _KEPT_SECONDS))
            files = self._files()
            old = {path for path in files if not first <= path.name <= last}
            old.update(files[:-_MOST_RUNS], self._files(_digest(run.context))[:-KEPT_RUNS])
            for path in old:
                path.unlink(missing_ok=True)
        return ""

    def _is_own(self) -> bool:
        """Whether the folder exists and belongs to the user."""
        path = self.path
        return path is not None and is_own_folder(path.parent) and is_own_folder(path)

    def _files(self, digest: str = _DIGITS) -> list[Path]:
        """The files of all contexts or of one, the oldest first; none that has another name."""
        names = f"{'[0-9]' * 15}-{digest}-{_DIGITS}.json"
        return [] if self.path is None else sorted(self.path.glob(names))


def _stamp(seconds: float) -> str:
    """A time as text that sorts by time."""
    return f"{max(round(seconds * 1000), 0):015}"


def _digest(context: str) -> str:
    return f"{zlib.crc32(context.encode(errors='replace')):08x}"
