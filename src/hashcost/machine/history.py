"""What earlier runs in the same context saw, so that a run that sees little need not guess.

Each run leaves what its probes took on a quiet core, and the quiet times of each hasher, in a
small file in the user's state folder: no names, no hashes.
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
"""Of each context."""
_KEPT_SECONDS: Final = 30 * 86400.0
_LARGEST_FILE: Final = 1 << 20
_LOCK_SECONDS: Final = 2.0
_MOST_RUNS: Final = 10_000
"""In a file: a folder may be shared by many machines."""

_Key: TypeAlias = Annotated[str, msgspec.Meta(max_length=300)]
"""Of a hasher: `hasher_key`."""
_Level: TypeAlias = Annotated[
    tuple[Annotated[float, msgspec.Meta(ge=-40, le=40)], ...],
    msgspec.Meta(min_length=2, max_length=3),
]


class PastRun(msgspec.Struct, frozen=True, kw_only=True):
    """What one run saw."""

    ended: Annotated[float, msgspec.Meta(ge=0, le=1e11)]
    """Seconds since 1970."""
    context: Annotated[str, msgspec.Meta(max_length=3000)]
    """`Machine.context`: what must be the same for two runs to be compared."""
    probe: str | None = None
    """What took the readings of the core; None without readings."""
    level: _Level | None = None
    """What the probes took on a quiet core, by this run alone."""
    timed: dict[_Key, Timed] = {}


class _File(msgspec.Struct, frozen=True, kw_only=True):
    schema: Literal[4] = 4
    runs: Annotated[tuple[PastRun, ...], msgspec.Meta(max_length=_MOST_RUNS)] = ()


def runs_in(content: bytes, *, name: str) -> tuple[PastRun, ...]:
    """Read a history; ``name`` stands for its origin in messages.

    Raises:
        UnreadableInputError: it is not a history, or holds a figure that cannot be.
    """
    try:
        return msgspec.json.decode(content, type=_File).runs
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UnreadableInputError(f"{name} is damaged; remove it") from error


def hasher_key(label: str, version: str, lanes: int) -> str:
    """What a hasher's times belong to, beside the context."""
    return f"{label} {version} p={lanes}"


@dataclass(frozen=True)
class Past:
    """The runs in one context that still count, the oldest first."""

    runs: tuple[PastRun, ...] = ()

    def timed(self, key: str) -> tuple[Timed, ...]:
        """What they know of a hasher."""
        return tuple(run.timed[key] for run in self.runs if key in run.timed)

    def levels(self, probe: str) -> tuple[Probes, ...]:
        """What a probe took on a quiet core."""
        return tuple(run.level for run in self.runs if run.level and run.probe == probe)


@dataclass(frozen=True)
class History:
    """The file of past runs; none is kept if ``path`` is ``None``."""

    path: Path | None

    def all_runs(self) -> tuple[PastRun, ...]:
        """Every run in the file; an absent or damaged file has none."""
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
        """Keep a run; others may do so at the same time.

        A folder that cannot be written is left alone: nothing depends on it.
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
    """The runs and one more, without those that count no longer."""
    recent = [each for each in runs if abs(run.ended - each.ended) <= _KEPT_SECONDS]
    own = [each for each in recent if each.context == run.context]
    old = {id(each) for each in own[: max(len(own) + 1 - KEPT_RUNS, 0)]}
    return (*(each for each in recent if id(each) not in old), run)


def _is_file(path: Path) -> bool:
    """Whether it is a file itself: a pipe may block whoever opens it, a link lead anywhere."""
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return False
