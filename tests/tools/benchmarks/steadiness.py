"""Steadiness: do fresh runs, quiet and busy in turn, give one answer, and does its ± hold?

One history is kept for all of them, as on a user's machine; the first run, which has none,
is counted too. Times are compared at one common cost, the median of those recommended, so
that rounding a cost moves nothing.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from .fresh import Calibration, Row, command
from .hogs import hog_count, state
from .reference import reference
from .report import Report, Table, change, cpu_count, percent, verdict
from .settings import FIVE, STEP_HASHERS, Settings, counter
from .spread import range_share, reach

_MIDDLE_SPREAD: Final = 0.04
_RANGE: Final = 0.10
_COVERED: Final = 0.93
_SHIFT: Final = 0.03
_SECONDS: Final = 1.2
_INCONCLUSIVE: Final = 3


@dataclass(frozen=True, kw_only=True)
class _Run:
    busy: bool
    reference_seconds: float
    calibration: Calibration


def run(settings: Settings) -> Report:
    """Alternate quiet and busy runs."""
    pairs = settings.size(30, 4)
    show = counter("steadiness", pairs)
    runs: list[_Run] = []
    with command() as calibrate:
        for pair in range(pairs):
            for busy in (pair % 2 == 1, pair % 2 == 0):
                with state(busy=busy):
                    runs.append(
                        _Run(
                            busy=busy,
                            reference_seconds=reference(),
                            calibration=calibrate.calibrate(*FIVE),
                        )
                    )
            show(pair + 1)
    return Report(
        tables=(_answers(runs), _commands(runs)),
        runs=[
            {
                "busy": run.busy,
                "reference_seconds": run.reference_seconds,
                "exit_code": run.calibration.process.exit_code,
                **run.calibration.as_json(),
            }
            for run in runs
        ],
    )


def _answers(runs: Sequence[_Run]) -> Table:
    machine = [run.reference_seconds for run in runs]
    return Table(
        title=f"steadiness: {len(runs) // 2} quiet runs and {len(runs) // 2} beside"
        f" {hog_count()} CPU-bound processes on {cpu_count()} cores",
        columns=(
            "hasher",
            "cost",
            "10-90 %",
            "max - min",
            "covered",
            "±",
            "busy",
            "verdict",
        ),
        rows=[
            *(_row(name, runs) for name in FIVE),
            ("the machine", "", "", percent(range_share(machine)), "", "", "", ""),
        ],
        notes=(
            "10-90 %, max - min: of the time at one cost; of bcrypt the step is to be the same",
            "covered: runs whose ± holds the median of all; busy: the median, against quiet",
            f"limits: {', '.join(map(percent, (_MIDDLE_SPREAD, _RANGE, _COVERED, _SHIFT)))}",
            f"the machine: 95 % of its own reference within {percent(reach(machine))}",
        ),
    )


def _row(name: str, runs: Sequence[_Run]) -> tuple[str, ...]:
    found = [
        (run.busy, run.calibration.rows[name]) for run in runs if name in run.calibration.rows
    ]
    costs = [row.cost for _, row in found]
    common = statistics.median_low(costs)
    times = [row.seconds_at(common) for _, row in found]
    truth = statistics.median(times)
    low, *_, high = statistics.quantiles(times, n=10, method="inclusive")
    middle, whole = (high - low) / truth, range_share(times)
    covered = statistics.fmean(_holds(row, common, truth) for _, row in found)
    widths = [row.half_width for _, row in found if row.half_width is not None]
    quiet, busy = (
        statistics.median(row.seconds_at(common) for kind, row in found if kind is state)
        for state in (False, True)
    )
    same = len(set(costs)) == 1
    steady = same if name in STEP_HASHERS else middle <= _MIDDLE_SPREAD and whole <= _RANGE
    return (
        name,
        f"{common:,}" + (f", {costs.count(common)} of {len(costs)}" if not steady else ""),
        percent(middle),
        percent(whole),
        percent(covered),
        f"±{percent(statistics.median(widths))}",
        change(busy / quiet - 1),
        verdict(met=steady and covered >= _COVERED and abs(busy / quiet - 1) <= _SHIFT),
    )


def _holds(row: Row, cost: int, truth: float) -> bool:
    """Whether the printed interval, at this cost, holds the truth."""
    if row.interval_seconds is None:
        return False
    low, high = (bound / row.time_seconds for bound in row.interval_seconds)
    seconds = row.seconds_at(cost)
    return seconds * low <= truth <= seconds * high


def _commands(runs: Sequence[_Run]) -> Table:
    rows = []
    for what, busy, most in (("quiet", False, 0), ("busy", True, max(len(runs) // 60, 1))):
        kind = [run.calibration.process for run in runs if run.busy is busy]
        ended = sum(each.exit_code == _INCONCLUSIVE for each in kind)
        taken = statistics.median(each.wall_seconds for each in kind)
        met = ended <= most and (busy or taken <= _SECONDS)
        rows.append((what, f"{ended} of {len(kind)}", f"{taken:.2f} s", verdict(met=met)))
    return Table(
        title="steadiness: exit codes, and wall time with start-up, of the five hashers at 40 ms",
        columns=("state", "exit 3", "median", "verdict"),
        rows=rows,
    )
