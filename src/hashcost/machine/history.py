"""What earlier runs on this machine saw, so that a run that sees little need not guess.

A run of a second may see nothing but a slow neighbour, and a CPU's speed wanders over
minutes. So each run leaves what a unit of work took on a quiet core in a small file in the
user's state folder: no names, no hashes.
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
from hashcost.core.machine import Machine
from hashcost.core.measurement import MOST, Count, Params
from hashcost.documents.files import read_limited, write_whole

KEPT_RUNS: Final = 200
"""Of each machine; what a hasher took is told by the last forty that timed it."""
_TELLING_RUNS: Final = 40
_KEPT_SECONDS: Final = 30 * 86400.0
_LARGEST_FILE: Final = 1 << 20
_LAST_RUNS: Final = 3
_LASTING_SECONDS: Final = 3600.0
_LOCK_SECONDS: Final = 2.0
_MOST_RUNS: Final = 10_000
"""In a file: a folder may be shared by many machines."""

_Key: TypeAlias = Annotated[str, msgspec.Meta(max_length=300)]
"""A `hasher_key`."""
_UnitSeconds: TypeAlias = Annotated[float, msgspec.Meta(ge=1e-12, le=1e9)]
"""No machine does anything in a picosecond."""


class PastAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The setting of memory that a run recommended."""

    hasher: _Key
    """`hasher_key` of the hasher, whatever its setting."""
    target_seconds: Annotated[float, msgspec.Meta(gt=0, le=1e3)]
    params: Annotated[dict[str, Count], msgspec.Meta(max_length=16)]


class PastRun(msgspec.Struct, frozen=True, kw_only=True):
    """What one run saw of a quiet core."""

    ended: Annotated[float, msgspec.Meta(ge=0, le=1e11)]
    """Seconds since 1970."""
    machine: str
    """CPU model and count, architecture, kernel: what must be the same to be compared."""
    probe: str | None = None
    """What took the readings of the core; None without readings."""
    quiet_ratio: Annotated[float, msgspec.Meta(gt=0, le=1e6)] | None = None
    seconds_per_unit: dict[_Key, _UnitSeconds] = {}
    """By hasher, library, version and setting: a whole hash, or a unit of work without one."""
    answers: Annotated[tuple[PastAnswer, ...], msgspec.Meta(max_length=MOST)] = ()
    """What it recommended of memory-hard hashers."""


class _File(msgspec.Struct, frozen=True, kw_only=True):
    schema: Literal[3] = 3
    runs: Annotated[tuple[PastRun, ...], msgspec.Meta(max_length=_MOST_RUNS)] = ()


def runs_in(content: bytes, *, name: str) -> tuple[PastRun, ...]:
    """Read a history; ``name`` stands for its origin in messages.

    Raises:
        UnreadableInputError: it is not a history, or holds a figure that cannot be.
    """
    try:
        return msgspec.json.decode(content, type=_File).runs
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UnreadableInputError(
            f"{name} is damaged, or from another version of hashcost; remove it"
        ) from error


def past_of(runs: Sequence[PastRun], machine: str | None, now: float) -> Past:
    """Those of the runs that were on this machine within the last thirty days."""
    return Past(
        tuple(
            run for run in runs if run.machine == machine and 0 <= now - run.ended <= _KEPT_SECONDS
        )
    )


def _with(runs: Sequence[PastRun], run: PastRun) -> tuple[PastRun, ...]:
    """The runs and one more, without those that count no longer."""
    recent = [each for each in runs if abs(run.ended - each.ended) <= _KEPT_SECONDS]
    own = [each for each in recent if each.machine == run.machine]
    old = {id(each) for each in own[: max(len(own) + 1 - KEPT_RUNS, 0)]}
    return (*(each for each in recent if id(each) not in old), run)


def machine_key(machine: Machine) -> str | None:
    """What must be the same for two runs to be compared.

    On a machine whose CPU is unknown no run is comparable, since the file may be shared by
    several machines.
    """
    if machine.cpu_model is None:
        return None
    cpu = f"{machine.cpu_model} x{machine.cpu_count}"
    return f"{cpu} | {machine.architecture} | {machine.kernel}"


def hasher_key(label: str, version: str, fixed: Params) -> str:
    """What a hasher's time belongs to: ``fixed`` is the setting it was measured at, if any."""
    setting = ", ".join(f"{name} {value}" for name, value in fixed.items())
    return f"{label} {version}" + (f" {setting}" if setting else "")


@dataclass(frozen=True)
class Past:
    """The runs on one machine that still count, the oldest first."""

    runs: tuple[PastRun, ...] = ()

    def rates(self, key: str) -> tuple[float, ...]:
        """Seconds per unit of a hasher on a quiet core."""
        found = [run.seconds_per_unit[key] for run in self.runs if key in run.seconds_per_unit]
        return tuple(found[-_TELLING_RUNS:])

    def is_lasting(self, key: str) -> bool:
        """Whether the last three runs that timed it span an hour: no neighbour stays as long."""
        ended = [run.ended for run in self.runs if key in run.seconds_per_unit][-_LAST_RUNS:]
        return len(ended) == _LAST_RUNS and ended[-1] - ended[0] >= _LASTING_SECONDS

    def answer(self, key: str, target_seconds: float) -> Params | None:
        """The setting of memory that was last recommended for this target."""
        answers = (each for run in reversed(self.runs) for each in run.answers)
        asked = (key, target_seconds)
        return next((a.params for a in answers if (a.hasher, a.target_seconds) == asked), None)

    def ratios(self, probe: str) -> tuple[float, ...]:
        """The quiet ratios of a probe."""
        found = [run.quiet_ratio for run in self.runs if run.quiet_ratio and run.probe == probe]
        return tuple(found[-_TELLING_RUNS:])


@dataclass(frozen=True)
class History:
    """The file of past runs; none is kept if ``path`` is ``None``."""

    path: Path | None

    def read(self) -> tuple[PastRun, ...]:
        """Every run in the file; none if it is absent.

        Raises:
            UnreadableInputError: it cannot be read, or is not a history.
        """
        if self.path is None or not os.path.lexists(self.path):
            return ()
        if not _is_file(self.path):
            raise UnreadableInputError(f"{self.path} is not a file; remove it")
        return runs_in(read_limited(self.path, _LARGEST_FILE), name=str(self.path))

    def all_runs(self) -> tuple[PastRun, ...]:
        """Every run in the file; an absent or damaged file has none."""
        try:
            return self.read()
        except UnreadableInputError:
            return ()

    def past(self, machine: Machine, now: float) -> Past:
        """The runs on this machine within the last thirty days."""
        return past_of(self.all_runs(), machine_key(machine), now)

    def add(self, run: PastRun) -> None:
        """Keep a run; others may do so at the same time.

        A folder that cannot be written is left alone: nothing depends on it.
        """
        if run.seconds_per_unit or run.answers:
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
            if not _is_file(self.path):
                self.path.unlink(missing_ok=True)
            write_whole(self.path, content)


def _is_file(path: Path) -> bool:
    """Whether it is a file itself: a pipe may block whoever opens it, a link lead anywhere."""
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return False
