"""The history: results of earlier runs in the same context, which sharpen later ones.

Each run leaves the quiet times of its probes and of each hasher in a small file in the user's
state folder. The file has no user names and no hashes.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final, Literal, TypeAlias

import msgspec

from hashcost.core.errors import UnreadableInputError, UnwritableOutputError
from hashcost.documents.files import read_limited, write_whole
from hashcost.fit.estimate import Timed
from hashcost.fit.level import Probes

KEPT_RUNS: Final = 50
"""Most runs that are kept of each context."""
_KEPT_SECONDS: Final = 30 * 86400.0
_LARGEST_FILE: Final = 1 << 20
_LOCK_SECONDS: Final = 2.0
_MOST_RUNS: Final = 10_000
"""Most runs in a file; many machines may share the folder."""

_Key: TypeAlias = Annotated[str, msgspec.Meta(max_length=300)]
"""The `hasher_key` of a hasher."""
_Level: TypeAlias = Annotated[
    tuple[Annotated[float, msgspec.Meta(ge=-40, le=40)], ...],
    msgspec.Meta(min_length=2, max_length=3),
]


class PastRun(msgspec.Struct, frozen=True, kw_only=True):
    """The quiet times of one run."""

    ended: Annotated[float, msgspec.Meta(ge=0, le=1e11)]
    """Seconds since 1970."""
    context: Annotated[str, msgspec.Meta(max_length=3000)]
    """`Machine.context`: the facts that must be the same for two runs to be compared."""
    probe: str | None = None
    """The name of the probe; `None` without readings."""
    level: _Level | None = None
    """The probes' times on a quiet core by this run only, as logarithms of seconds."""
    timed: dict[_Key, Timed] = {}


class _File(msgspec.Struct, frozen=True, kw_only=True):
    schema: Literal[4] = 4
    runs: Annotated[tuple[PastRun, ...], msgspec.Meta(max_length=_MOST_RUNS)] = ()


def runs_in(content: bytes, *, name: str) -> tuple[PastRun, ...]:
    """Read a history; ``name`` stands for its origin in messages.

    Raises:
        UnreadableInputError: the content is not a history, or has a value out of range.
    """
    try:
        return msgspec.json.decode(content, type=_File).runs
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UnreadableInputError(f"{name} is damaged; remove it") from error


def hasher_key(label: str, version: str, lanes: int) -> str:
    """The key of a hasher's times within a context."""
    return f"{label} {version} p={lanes}"


@dataclass(frozen=True)
class Past:
    """The recent runs in one context, the oldest first."""

    runs: tuple[PastRun, ...] = ()

    def timed(self, key: str) -> tuple[Timed, ...]:
        """The times of one hasher, by run."""
        return tuple(run.timed[key] for run in self.runs if key in run.timed)

    def levels(self, probe: str) -> tuple[Probes, ...]:
        """The levels of one probe, by run."""
        return tuple(run.level for run in self.runs if run.level and run.probe == probe)


@dataclass(frozen=True)
class History:
    """The file of past runs; if ``path`` is ``None``, no run is kept."""

    path: Path | None

    def all_runs(self) -> tuple[PastRun, ...]:
        """Every run in the file; an absent or damaged file counts as empty."""
        if self.path is None or not _is_file(self.path):
            return ()
        with contextlib.suppress(UnreadableInputError):
            return runs_in(read_limited(self.path, _LARGEST_FILE), name=str(self.path))
        return ()

    def past(self, context: str | None, now: float) -> Past:
        """The runs in this context within the last thirty days."""
        return Past(
            tuple(
                run
                for run in self.all_runs()
                if run.context == context and 0 <= now - run.ended <= _KEPT_SECONDS
            )
        )

    def add(self, run: PastRun) -> None:
        """Keep a run; other processes may do so at the same time.

        Errors of writing are ignored, since no result depends on the history.
        """
        if run.timed:
            with contextlib.suppress(OSError, UnwritableOutputError):
                self._change(lambda runs: _with(runs, run))

    def _change(self, changed: Callable[[Sequence[PastRun]], Sequence[PastRun]]) -> None:
        if self.path is None:
            return
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        from filelock import FileLock

        with FileLock(self.path.with_suffix(".lock"), timeout=_LOCK_SECONDS):
            kept = list(changed(self.all_runs()))
            while len(content := msgspec.json.encode(_File(runs=tuple(kept)))) > _LARGEST_FILE:
                del kept[: len(kept) // 2 + 1]
            if os.path.lexists(self.path) and not _is_file(self.path):
                self.path.unlink(missing_ok=True)
            write_whole(self.path, content)


def _with(runs: Sequence[PastRun], run: PastRun) -> tuple[PastRun, ...]:
    """Add a run, and drop runs that are too old or too many."""
    recent = [past for past in runs if abs(run.ended - past.ended) <= _KEPT_SECONDS]
    own = [past for past in recent if past.context == run.context]
    old = {id(past) for past in own[: max(len(own) + 1 - KEPT_RUNS, 0)]}
    return (*(past for past in recent if id(past) not in old), run)


def _is_file(path: Path) -> bool:
    """Whether it is a regular file: opening a pipe may block, and a link may lead anywhere."""
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return False
