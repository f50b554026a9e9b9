"""What earlier runs on this machine measured, so that an interval can hold between runs.

A CPU's speed drifts over minutes by more than one run of a second can see. The
only measure of that drift is earlier runs, so each run leaves its time per unit
of work in a small file in the user's state folder: no names, no hashes.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias

import msgspec

from hashcost.core.errors import UnreadableInputError, UnwritableOutputError
from hashcost.core.machine import Machine
from hashcost.core.measurement import Params
from hashcost.core.units import format_cost
from hashcost.documents.files import read_limited, write_whole
from hashcost.machine.host import Host

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


def default_path(host: Host) -> Path | None:
    """``$XDG_STATE_HOME/hashcost/history.json``; ``None`` if there is no home directory."""
    state = Path(host.environment.get("XDG_STATE_HOME", ""))
    if not state.is_absolute():
        if host.home is None:
            return None
        state = host.home / ".local" / "state"
    return state / "hashcost" / "history.json"


def key(label: str, version: str, machine: Machine, fixed: Params) -> str | None:
    """What must be the same for two runs to be comparable.

    ``fixed`` are the params that a unit of work was measured at. On a machine whose CPU is
    unknown no run is comparable, since the file may be shared by several machines.
    """
    if machine.cpu_model is None:
        return None
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


def recent(history: History, key: str | None, now: float) -> tuple[float, ...]:
    """Seconds per unit of the runs that still count, oldest first; none without a key."""
    runs = () if key is None else history.get(key, ())
    return tuple(
        run.seconds_per_unit
        for run in runs
        if 0 <= now - run.ended <= _KEPT_SECONDS and run.seconds_per_unit > 0
    )[-KEPT_RUNS:]


def record(path: Path | None, measured: Mapping[str | None, float], ended: float) -> None:
    """Add this run, as far as it has a key to be found by.

    A folder that cannot be written is left alone: nothing depends on it.
    """
    comparable = {name: seconds for name, seconds in measured.items() if name is not None}
    if path is None or not comparable:
        return
    history = load(path)
    for name, seconds_per_unit in comparable.items():
        kept = [run for run in history.get(name, []) if 0 <= ended - run.ended <= _KEPT_SECONDS]
        run = PastRun(ended=ended, seconds_per_unit=seconds_per_unit)
        history[name] = [*kept[-(KEPT_RUNS - 1) :], run]
    with contextlib.suppress(OSError, UnwritableOutputError):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_whole(path, msgspec.json.encode(history))
