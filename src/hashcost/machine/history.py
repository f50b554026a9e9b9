"""What earlier runs on this machine saw, so that a run that sees little need not guess.

A run of a second may see nothing but a slow neighbour, and a CPU's speed wanders over
minutes. So each run leaves what a unit of work took on a quiet core in a small file in the
user's state folder: no names, no hashes.
"""

from __future__ import annotations

import contextlib
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final, Literal, TypeAlias

import msgspec

from hashcost.core.errors import UnreadableInputError, UnwritableOutputError
from hashcost.core.machine import Machine
from hashcost.core.measurement import Params
from hashcost.core.units import format_cost
from hashcost.documents.files import locked, read_limited, write_whole

KEPT_RUNS: Final = 200
"""Of each machine; what a hasher took is told by the last forty that timed it."""
_TELLING_RUNS: Final = 40
_KEPT_SECONDS: Final = 30 * 86400.0
_LARGEST_FILE: Final = 1 << 20
_LOCK_SECONDS: Final = 2.0

_UnitSeconds: TypeAlias = Annotated[float, msgspec.Meta(ge=1e-12, le=1e9)]
"""No machine does anything in a picosecond."""


class PastRun(msgspec.Struct, frozen=True, kw_only=True):
    """What one run saw of a quiet core."""

    ended: Annotated[float, msgspec.Meta(ge=0, le=1e11)]
    """Seconds since 1970."""
    machine: str
    """CPU model and count, architecture, kernel: what must be the same to be compared."""
    probe: str | None = None
    """What took the readings of the core; None without readings."""
    quiet_ratio: Annotated[float, msgspec.Meta(gt=0, le=1e6)] | None = None
    seconds_per_unit: dict[str, _UnitSeconds] = {}
    """By hasher, library, version and the params that a unit was measured at."""


class _File(msgspec.Struct, frozen=True, kw_only=True):
    schema: Literal[2] = 2
    runs: tuple[PastRun, ...] = ()


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
    """What a hasher's time belongs to: ``fixed`` are the params it was measured at."""
    return f"{label} {version}" + (f" {format_cost(fixed)}" if fixed else "")


@dataclass(frozen=True)
class Past:
    """The runs on one machine that still count, the oldest first."""

    runs: tuple[PastRun, ...] = ()

    def rates(self, key: str) -> tuple[float, ...]:
        """Seconds per unit of a hasher on a quiet core."""
        found = [run.seconds_per_unit[key] for run in self.runs if key in run.seconds_per_unit]
        return tuple(found[-_TELLING_RUNS:])

    def ratios(self, probe: str) -> tuple[float, ...]:
        """The quiet ratios of a probe."""
        found = [run.quiet_ratio for run in self.runs if run.quiet_ratio and run.probe == probe]
        return tuple(found[-_TELLING_RUNS:])


@dataclass(frozen=True)
class History:
    """The file of past runs; none is kept if ``path`` is ``None``."""

    path: Path | None

    def all_runs(self) -> tuple[PastRun, ...]:
        """Every run in the file; an absent or damaged file, or anything else, has none."""
        if self.path is None or not _is_file(self.path):
            return ()
        try:
            return msgspec.json.decode(read_limited(self.path, _LARGEST_FILE), type=_File).runs
        except (UnreadableInputError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return ()

    def past(self, machine: Machine, now: float) -> Past:
        """The runs on this machine within the last thirty days."""
        key = machine_key(machine)
        return Past(
            tuple(
                run
                for run in self.all_runs()
                if run.machine == key and 0 <= now - run.ended <= _KEPT_SECONDS
            )
        )

    def add(self, run: PastRun) -> None:
        """Keep a run; others may do so at the same time.

        A folder that cannot be written is left alone: nothing depends on it.
        """
        if self.path is None or not run.seconds_per_unit:
            return
        with contextlib.suppress(OSError, UnwritableOutputError):
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with locked(self.path.with_suffix(".lock"), seconds=_LOCK_SECONDS):
                runs = [
                    each
                    for each in self.all_runs()
                    if abs(run.ended - each.ended) <= _KEPT_SECONDS
                ]
                own = [each for each in runs if each.machine == run.machine]
                old = own[: max(len(own) + 1 - KEPT_RUNS, 0)]
                kept = [*(each for each in runs if each not in old), run]
                while len(content := _encoded(kept)) > _LARGEST_FILE:
                    del kept[: len(kept) // 2 + 1]
                if not _is_file(self.path):
                    self.path.unlink(missing_ok=True)
                write_whole(self.path, content)

    def clear(self) -> int:
        """Forget every run; the number of runs forgotten.

        Raises:
            UnwritableOutputError: the file cannot be removed.
        """
        if self.path is None:
            return 0
        count = len(self.all_runs())
        try:
            self.path.unlink(missing_ok=True)
        except OSError as error:
            raise UnwritableOutputError(f"{self.path}: {error.strerror}") from error
        return count


def _is_file(path: Path) -> bool:
    """Whether it is a file itself: a pipe may block whoever opens it, a link lead anywhere."""
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return False


def _encoded(runs: Sequence[PastRun]) -> bytes:
    return msgspec.json.encode(_File(runs=tuple(runs)))


def default_path(environment: Mapping[str, str], home: Path | None) -> Path | None:
    """``$XDG_STATE_HOME/hashcost/history.json``; ``None`` if there is no home directory."""
    state = Path(environment.get("XDG_STATE_HOME", ""))
    if not state.is_absolute():
        if home is None:
            return None
        state = home / ".local" / "state"
    return state / "hashcost" / "history.json"
