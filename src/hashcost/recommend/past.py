"""What the runs that are remembered know of each machine and hasher. Pure."""

import datetime as dt
import math
import statistics
from collections.abc import Sequence
from typing import Final

import msgspec

from hashcost.core.algorithms import COST_NAMES, guess_work
from hashcost.core.measurement import Params
from hashcost.core.targets import DEFAULT_TARGET_SECONDS
from hashcost.fit.quiet_speed import agreeing
from hashcost.hashers.built_in import DEFAULTS
from hashcost.machine.history import Past, PastRun, hasher_of, past_of

HISTORY_SCHEMA_VERSION: Final = 1
"""Version of the JSON that `calibrate history` prints."""


_ROUND_COST: Final = 12
"""Of bcrypt, whose cost is an exponent."""


class HasherPast(msgspec.Struct, frozen=True, kw_only=True):
    """What the runs on one machine know of one hasher, or of one step of its memory."""

    hasher: str
    implementation: str
    implementation_version: str
    runs: int
    ignored: int
    """So many of them do not agree with the others, and do not count."""
    seconds_per_unit: float
    """On a quiet core; of a whole hash at a step of memory."""
    params: Params | None
    """The cost that the times are of: the one that was timed, the library's default or a
    round one; None where a unit of work is timed, for a hasher of another package."""
    time_seconds: float
    interval_seconds: tuple[float, float] | None
    """The quickest and the slowest of the runs that count; None of a single one."""
    last: dt.datetime


class MachinePast(msgspec.Struct, frozen=True, kw_only=True):
    """What the runs on one machine know."""

    machine: str
    here: bool
    """Whether it is the one that asks."""
    runs: int
    last: dt.datetime
    probe: str | None
    """What took the readings of the core."""
    quiet_ratio: float | None
    """What these are on a quiet core."""
    hashers: tuple[HasherPast, ...]


class PastSummary(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="history"):
    """What the file of past runs knows."""

    schema: int = HISTORY_SCHEMA_VERSION
    path: str | None
    machines: tuple[MachinePast, ...]


def summary(
    runs: Sequence[PastRun], *, path: str | None, here: str | None, now: float
) -> PastSummary:
    """Sum up the runs of the last thirty days, this machine's first."""
    of: dict[str, list[PastRun]] = {}
    for run in runs:
        of.setdefault(run.machine, []).append(run)
    machines = sorted(of, key=lambda key: (key != here, key))
    known = ((machine, past_of(of[machine], machine, now)) for machine in machines)
    return PastSummary(
        path=path,
        machines=tuple(
            _machine(machine, past, here=machine == here) for machine, past in known if past.runs
        ),
    )


def _machine(machine: str, past: Past, *, here: bool) -> MachinePast:
    last = past.runs[-1]
    timed: dict[str, list[PastRun]] = {}
    for run in past.runs:
        for key in run.seconds_per_unit:
            timed.setdefault(key, []).append(run)
    probe = next((run.probe for run in reversed(past.runs) if run.probe), None)
    ratios = agreeing(past.ratios(probe)) if probe else []
    return MachinePast(
        machine=machine,
        here=here,
        runs=len(past.runs),
        last=_moment(last.ended),
        probe=probe,
        quiet_ratio=statistics.median(ratios) if ratios else None,
        hashers=tuple(_hasher(key, Past(tuple(timed[key]))) for key in sorted(timed, key=_order)),
    )


def _order(key: str) -> tuple[str, tuple[int, ...]]:
    """By name, and the steps of a ladder by their memory."""
    label, version, fixed = hasher_of(key)
    return f"{label} {version}", tuple(fixed.values())


def _hasher(key: str, past: Past) -> HasherPast:
    """What is known of a hasher by the runs that timed it."""
    label, version, fixed = hasher_of(key)
    hasher, _, implementation = label.partition("@")
    rates = past.rates(key)
    counting = agreeing(rates, lasting=past.is_lasting(key))
    rate = statistics.median(counting)
    params = _shown(label, fixed, rate)
    units = 1.0 if fixed or params is None else guess_work(hasher, params) or 1.0
    return HasherPast(
        hasher=hasher,
        implementation=implementation,
        implementation_version=version,
        runs=len(rates),
        ignored=len(rates) - len(counting),
        seconds_per_unit=rate,
        params=params,
        time_seconds=rate * units,
        interval_seconds=(min(counting) * units, max(counting) * units)
        if len(counting) > 1
        else None,
        last=_moment(max(run.ended for run in past.runs)),
    )


def _shown(label: str, fixed: Params, rate: float) -> Params | None:
    """The setting that was timed.

    Where a unit of work tells every cost's time, the library's default, or the highest round
    cost whose hash fits the usual target.
    """
    if fixed:
        return fixed
    hasher = label.partition("@")[0]
    default, names = DEFAULTS.get(label), COST_NAMES.get(hasher)
    if default is not None:
        return default.params
    if names is None or len(names) > 1:
        return None
    (name,) = names
    fitting = max(math.floor(math.log10(DEFAULT_TARGET_SECONDS / rate)), 0)
    return {name: _ROUND_COST if hasher == "bcrypt" else 10**fitting}


def _moment(seconds: float) -> dt.datetime:
    return dt.datetime.fromtimestamp(int(seconds), dt.UTC)
