"""Java: do fresh JVMs give one answer, does its ± hold, and would a cold one be told apart?

Every run has a JVM and a history of its own. What BouncyCastle's and the JDK's PBKDF2 are
recommended is hashed again by a plain program at once. A hash in C beside them shows how steady
the machine was.
"""

from __future__ import annotations

import json
import statistics
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from end_to_end.runtimes.projects import AbsentError, project

from .fresh import Calibration, CommandError, Row, command, succeed
from .report import Report, Table, change, changes, percent, verdict
from .settings import TARGET_SECONDS, Settings, counter

_HASHERS: Final = {
    "bcrypt": ("spring", 0.03),
    "pbkdf2-sha256": ("jca", 0.08),
    "pbkdf2-sha512": ("bouncycastle", 0.08),
}
"""The library of each, and how far a run may be from the median of all."""
_BESIDE: Final = "sha512-crypt"
"""A hasher in C."""
_PLAIN: Final = {"pbkdf2-sha256": "jca-256", "pbkdf2-sha512": "bouncycastle-512"}
_PLAIN_LIMITS: Final = (-0.08, 0.05)
_SECONDS: Final = 15.0
_SOURCE: Final = Path(__file__).parent / "programs" / "Plain.java"


def run(settings: Settings) -> Report:
    """Calibrate in fresh JVMs, with and without their warm-up."""
    repeats = settings.size(6, 2)
    show = counter("java", 2 * repeats)
    try:
        application = project("java")
    except AbsentError as error:
        raise CommandError(str(error)) from error
    labels = [f"{name}@java:{library}" for name, (library, _) in _HASHERS.items()]
    options = [*labels, _BESIDE, "--project", str(application)]
    warm: list[Calibration] = []
    cold: list[Calibration] = []
    plain: list[tuple[str, float]] = []
    for index in range(repeats):
        with command() as calibrate:
            warm.append(calibrate.calibrate(*options))
        plain += [
            (name, _plain_seconds(what, row.cost, application) / TARGET_SECONDS - 1)
            for name, what in _PLAIN.items()
            if (row := warm[-1].rows.get(name)) is not None
        ]
        show(2 * index + 1)
        with command() as calibrate:
            calibrate.path = sys.executable
            cold.append(calibrate.calibrate("-m", f"{__package__}.cold", *options))
        show(2 * index + 2)
    return Report(
        tables=(_table("warm", warm, warm), _table("cold", cold, warm), _plain_table(plain)),
        runs=[each.as_json() for each in (*warm, *cold)],
    )


def _plain_seconds(what: str, cost: int, application: Path) -> float:
    jars = f"{application}/target/dependency/*"
    told = succeed(["java", "-cp", jars, str(_SOURCE), what, str(cost)]).output
    spent: list[int] = json.loads(told)
    return statistics.median(spent) / 1e9


def _table(what: str, runs: Sequence[Calibration], truth: Sequence[Calibration]) -> Table:
    taken = statistics.median(each.process.wall_seconds for each in runs)
    return Table(
        title=f"java: {len(runs)} fresh JVMs, {what}, at {TARGET_SECONDS * 1e3:g} ms",
        columns=("hasher", "farthest", "beside C", "covered", "±", "limit", "verdict"),
        rows=[_row(name, runs, truth) for name in (*_HASHERS, _BESIDE)],
        notes=(
            *(() if runs is truth else ("met: without a warm-up the limit does not hold",)),
            "farthest from the median of the warm runs, which each interval is to cover",
            f"beside C: the same, as a multiple of what libcrypt's {_BESIDE} took in the same run",
            f"in all {taken:.1f} s, limit {_SECONDS:g} s: {verdict(met=taken <= _SECONDS)}",
        ),
    )


def _row(name: str, runs: Sequence[Calibration], truth: Sequence[Calibration]) -> tuple[str, ...]:
    _, limit = _HASHERS.get(name, ("", None))
    allowed = "" if limit is None else percent(limit)
    rows = [each.rows[name] for each in runs if name in each.rows]
    true = [each.rows[name] for each in truth if name in each.rows]
    if not rows or not true:
        return (name, "no number", "", "", "", allowed, verdict(met=runs is not truth))
    common = statistics.median_low(row.cost for row in true)
    pooled = statistics.median(row.seconds_at(common) for row in true)
    farthest = max((row.seconds_at(common) / pooled - 1 for row in rows), key=abs)
    covered = sum(_holds(row, pooled, common) for row in rows)
    width = statistics.median(row.half_width or 0.0 for row in rows)
    found = (f"{covered} of {len(rows)}", f"±{percent(width)}", allowed)
    if limit is None:
        return (name, change(farthest), "", *found, "")
    in_c = statistics.median_low(each.rows[_BESIDE].cost for each in truth)
    usual = statistics.median(_beside(name, truth, common, in_c))
    apart = max((each / usual - 1 for each in _beside(name, runs, common, in_c)), key=abs)
    holds = abs(farthest) <= limit and covered == len(runs)
    return (name, change(farthest), change(apart), *found, verdict(met=holds == (runs is truth)))


def _beside(name: str, runs: Sequence[Calibration], cost: int, in_c: int) -> list[float]:
    """How many times as long as the hash in C it took, in each run."""
    return [
        each.rows[name].seconds_at(cost) / each.rows[_BESIDE].seconds_at(in_c)
        for each in runs
        if name in each.rows
    ]


def _holds(row: Row, pooled: float, common: int) -> bool:
    """Whether the printed interval, at this cost, holds what all runs say."""
    if row.interval_seconds is None:
        return False
    low, high = (bound / row.time_seconds for bound in row.interval_seconds)
    seconds = row.seconds_at(common)
    return seconds * low <= pooled <= seconds * high


def _plain_table(found: Sequence[tuple[str, float]]) -> Table:
    rows = []
    for name in _PLAIN:
        off = [each for label, each in found if label == name]
        if off:
            low, high = _PLAIN_LIMITS
            middle = statistics.median(off)
            met = low <= middle <= high
            rows.append((name, change(middle), changes((min(off), max(off))), verdict(met=met)))
    return Table(
        title="java: the recommended cost by a plain program, beside the target",
        columns=("hasher", "median", "all", "verdict"),
        rows=rows,
        notes=(f"limits: {changes(_PLAIN_LIMITS)}",),
    )
