"""Java: do fresh JVMs give one answer, does its ± hold, and would a cold one be told apart?

Every run has a JVM and a history of its own. A plain program hashes what was recommended at once,
and a hash in C beside them shows how steady the machine was.
"""

from __future__ import annotations

import json
import statistics
import sys
from pathlib import Path
from typing import Final

from end_to_end.runtimes.projects import AbsentError, project

from .fresh import Calibration, CommandError, Row, command, succeed
from .report import Report, Table, change, percent, verdict
from .settings import TARGET_SECONDS, Settings, counter

_HASHERS: Final = {
    "bcrypt": ("spring", 0.03),
    "pbkdf2-sha256": ("jca", 0.08),
    "pbkdf2-sha512": ("bouncycastle", 0.08),
    "sha512-crypt": ("", None),
}
"""The library of each, and how far a run may be from the median of all; the last is in C."""
_PLAIN: Final = {"pbkdf2-sha256": "jca-256", "pbkdf2-sha512": "bouncycastle-512"}
_PLAIN_LIMITS: Final = (-0.08, 0.05)
_SOURCE: Final = Path(__file__).parent / "programs" / "Plain.java"


def run(settings: Settings) -> Report:
    """Calibrate in fresh JVMs, with and without their warm-up."""
    repeats = settings.size(6, 2)
    show = counter("java", repeats)
    try:
        application = project("java")
    except AbsentError as error:
        raise CommandError(str(error)) from error
    labels = [f"{name}@java:{library}" if library else name
              for name, (library, _) in _HASHERS.items()]  # fmt: skip
    options = [*labels, "--project", str(application)]
    runs: dict[str, list[Calibration]] = {"warm": [], "cold": []}
    plain: dict[str, list[float]] = {name: [] for name in _PLAIN}
    for index in range(repeats):
        with command() as calibrate:
            runs["warm"].append(calibrate.calibrate(*options))
        for name, program in _PLAIN.items():
            if (row := runs["warm"][-1].rows.get(name)) is not None:
                seconds = _plain_seconds(program, row.cost, application)
                plain[name].append(seconds / TARGET_SECONDS - 1)
        with command() as calibrate:
            calibrate.path = sys.executable
            runs["cold"].append(calibrate.calibrate("-m", f"{__package__}.cold", *options))
        show(index + 1)
    rows = [
        _row(state, name, every, runs["warm"])
        for state, every in runs.items()
        for name in _HASHERS
    ]
    for name, off in plain.items():
        if off:
            low, high = _PLAIN_LIMITS
            middle = statistics.median(off)
            met = verdict(met=low <= middle <= high)
            rows.append(("plain program", name, change(middle), "", "", met))
    return Report(
        [
            Table(
                title=f"java: {repeats} fresh JVMs at {TARGET_SECONDS * 1e3:g} ms",
                columns=("state", "hasher", "farthest", "covered", "±", "verdict"),
                rows=rows,
                notes=(
                    "farthest: from the median of the warm runs, which each interval must cover",
                    "cold is met if the limit does not hold: without a warm-up it shows",
                ),
            )
        ],
        [calibration.as_json() for every in runs.values() for calibration in every],
    )


def _plain_seconds(program: str, cost: int, application: Path) -> float:
    jars = f"{application}/target/dependency/*"
    output = succeed(["java", "-cp", jars, str(_SOURCE), program, str(cost)]).output
    spent: list[int] = json.loads(output)
    return statistics.median(spent) / 1e9


def _row(
    state: str, name: str, runs: list[Calibration], warm: list[Calibration]
) -> tuple[str, ...]:
    rows = [run.rows[name] for run in runs if name in run.rows]
    truth = [run.rows[name] for run in warm if name in run.rows]
    if not rows or not truth:
        return (state, name, "no number", "", "", verdict(met=state == "cold"))
    common = statistics.median_low(row.cost for row in truth)
    pooled = statistics.median(row.seconds_at(common) for row in truth)
    farthest = max((row.seconds_at(common) / pooled - 1 for row in rows), key=abs)
    covered = sum(_holds(row, pooled, common) for row in rows)
    width = statistics.median(row.half_width or 0.0 for row in rows)
    _, limit = _HASHERS[name]
    holds = limit is None or (abs(farthest) <= limit and covered == len(runs))
    met = "" if limit is None else verdict(met=holds == (state == "warm"))
    return state, name, change(farthest), f"{covered} of {len(rows)}", percent(width), met


def _holds(row: Row, pooled: float, common: int) -> bool:
    """Whether the printed interval, at this cost, holds the median of all runs."""
    if row.interval_seconds is None:
        return False
    low, high = (bound / row.time_seconds for bound in row.interval_seconds)
    seconds = row.seconds_at(common)
    return seconds * low <= pooled <= seconds * high
