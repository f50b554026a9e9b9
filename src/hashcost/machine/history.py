"""What earlier runs on this machine measured, so that an interval can hold between runs.

A CPU's speed drifts over minutes by more than one run of a second can see. The
only measure of that drift is earlier runs, so each run leaves its time per unit
of work in a small file in the user's state folder: no names, no hashes.
"""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path
from typing import TypeAlias

import msgspec

from hashcost.core.errors import UnreadableInputError, UnwritableOutputError
from hashcost.core.model import Machine, Params
from hashcost.core.units import format_cost
from hashcost.documents.files import read_limited, write_whole

KEPT_RUNS = 40
"""From 39 on, the range of past runs holds the next with 95 %."""
_KEPT_SECONDS = 30 * 86400.0
_LARGEST_FILE = 1 << 20


class PastRun(msgspec.Struct, frozen=True, kw_only=True):
    """When a run ended (seconds since 1970) and what a unit of work took (seconds)."""

    ended: float
    seconds_per_unit: float


History: TypeAlias = dict[str, list[PastRun]]
"""Past runs, oldest first, by the key of hasher, library and machine."""


def default_path() -> Path | None:
    """``$XDG_STATE_HOME/hashcost/history.json``; none without a home folder."""
    state = Path(os.environ.get("XDG_STATE_HOME", ""))
    if state.is_absolute():
        return state / "hashcost" / "history.json"
    try:
        return Path.home() / ".local" / "state" / "hashcost" / "history.json"
    except RuntimeError:
        return None


def key(label: str, version: str, machine: Machine, fixed: Params) -> str:
    """What must be the same for two runs to be comparable.

    ``fixed`` are the params that a unit of work was measured at.
    """
    if fixed:
        label = f"{label} {format_cost(fixed)}"
    cpu = f"{machine.cpu_model} x{machine.cpu_count}"
    return f"{label} | {version} | {cpu} | {machine.architecture} | {machine.kernel}"


def load(path: Path | None) -> History:
    """Read the history; an absent or damaged file is an empty one."""
    if path is None:
        return {}
    try:
        return msgspec.json.decode(read_limited(path, _LARGEST_FILE), type=History)
    except (UnreadableInputError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return {}


def recent(history: History, key: str, now: float) -> tuple[float, ...]:
    """Seconds per unit of the runs that still count, oldest first."""
    return tuple(
        run.seconds_per_unit
        for run in history.get(key, ())
        if 0 <= now - run.ended <= _KEPT_SECONDS and run.seconds_per_unit > 0
    )[-KEPT_RUNS:]


def record(path: Path | None, measured: dict[str, float], now: float | None = None) -> None:
    """Add this run. A folder that cannot be written is left alone: nothing depends on it."""
    if path is None or not measured:
        return
    ended = time.time() if now is None else now
    history = load(path)
    for name, seconds_per_unit in measured.items():
        kept = [run for run in history.get(name, []) if 0 <= ended - run.ended <= _KEPT_SECONDS]
        run = PastRun(ended=ended, seconds_per_unit=seconds_per_unit)
        history[name] = [*kept[-(KEPT_RUNS - 1) :], run]
    with contextlib.suppress(OSError, UnwritableOutputError):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_whole(path, msgspec.json.encode(history))
