"""Live: time, exit codes and steadiness of whole runs, quiet and beside CPU-bound processes.

Runs of one case share a history that three runs before them began; a first run has none.
"""

import shutil
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from hashcost.core.algorithms import strength_of
from hashcost.core.units import format_duration

from .fresh import Calibration, Row, command
from .hogs import hogs
from .report import Report, Table, cpu_count, percent, verdict
from .settings import MEMORY_HARD, STEP_HASHERS, Settings, counter

_HOGS: Final = (0, 3, 8)
_COSTS: Final = (0.03, 0.04, 0.06)
"""The range of the middle 80 % of a linear cost, by the number of processes beside."""
_STRENGTHS: Final = (0.06, 0.10, 0.15)
"""The same of the area-time cost of argon2id and scrypt."""
_EARLIER: Final = 3


@dataclass(frozen=True, kw_only=True)
class _Case:
    arguments: Sequence[str] = ()
    target_seconds: float = 0.04
    first: bool = False
    limits: tuple[float, float, float]
    """Median wall time in seconds, by the number of processes beside."""


_CASES: Final = {
    "five": _Case(
        arguments=("argon2id", "bcrypt", "pbkdf2-sha256", "scrypt", "sha512-crypt"),
        limits=(1.2, 2.5, 5.0),
    ),
    "argon2id": _Case(arguments=("argon2id",), limits=(0.5, 1.0, 2.0)),
    "pbkdf2-sha256": _Case(arguments=("pbkdf2-sha256",), limits=(0.5, 1.0, 2.0)),
    "default": _Case(limits=(2.5, 5.0, 10.0)),
    "default, first run": _Case(first=True, limits=(4.0, 8.0, 12.0)),
    "default, 250 ms": _Case(target_seconds=0.25, limits=(6.0, 12.0, 20.0)),
    "default, 1 s, first run": _Case(target_seconds=1.0, first=True, limits=(10.0, 20.0, 30.0)),
}


def run(settings: Settings) -> Report:
    """Run each case beside no process, beside three and beside eight."""
    size = settings.size(20, 3)
    show = counter("live", len(_CASES) * len(_HOGS))
    tables = []
    for index, count in enumerate(_HOGS):
        rows = []
        with hogs(count):
            for what, case in _CASES.items():
                rows.append(_row(what, case, index, _run(case, size)))
                show(index * len(_CASES) + len(rows))
        tables.append(
            Table(
                title=f"live: {size} runs each beside {count} CPU-bound processes on"
                f" {cpu_count()} cores, at 40 ms if not said",
                columns=(
                    *("what", "median", "worst", "limit", "ended with 0"),
                    *("costs, 10-90 %", "strength, 10-90 %", "±", "verdict"),
                ),
                rows=rows,
                notes=("of several hashers, the largest range; ±: the median",),
            )
        )
    return Report(tables)


def _run(case: _Case, size: int) -> list[Calibration]:
    with command() as calibrate:
        target = case.target_seconds
        for _ in range(0 if case.first else _EARLIER):
            calibrate.calibrate(*case.arguments, target_seconds=target)
        calibrations = []
        for _ in range(size):
            calibrations.append(calibrate.calibrate(*case.arguments, target_seconds=target))
            if case.first:
                shutil.rmtree(calibrate.environment["XDG_STATE_HOME"], ignore_errors=True)
    return calibrations


def _row(
    what: str, case: _Case, index: int, calibrations: Sequence[Calibration]
) -> tuple[str, ...]:
    walls = [one.process.wall_seconds for one in calibrations]
    ended = sum(one.process.exit_code == 0 for one in calibrations)
    rows = [row for one in calibrations for row in one.rows.values()]
    costs, strengths = [], []
    for name in {row.hasher for row in rows}:
        alike = [row for row in rows if row.hasher == name]
        if name not in (*STEP_HASHERS, *MEMORY_HARD):
            costs.append(_range([row.cost for row in alike]))
        elif name in ("argon2id", "scrypt"):
            strengths.append(_range([_strength(row) for row in alike]))
    is_steady = case.first or (
        max(costs, default=0.0) <= _COSTS[index]
        and max(strengths, default=0.0) <= _STRENGTHS[index]
    )
    median, limit = statistics.median(walls), case.limits[index]
    return (
        what,
        format_duration(median),
        format_duration(max(walls)),
        f"≤ {format_duration(limit)}",
        f"{ended} of {len(walls)}",
        percent(max(costs)) if costs else "",
        percent(max(strengths)) if strengths else "",
        percent(statistics.median(row.half_width for row in rows)),
        verdict(met=is_steady and median <= limit and ended == len(walls)),
    )


def _range(values: Sequence[float]) -> float:
    """The distance from the tenth to the ninetieth percentile, as a share of the median."""
    low, *_, high = statistics.quantiles(values, n=10, method="inclusive")
    return (high - low) / statistics.median(values)


def _strength(row: Row) -> float:
    params = dict(row.params)
    return strength_of(row.hasher, params).product
