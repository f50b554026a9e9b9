"""Java: do fresh JVMs give one answer, does its ± hold, and would a cold one be told apart?

Every run has a JVM and a history of its own. A hash in C beside them shows how steady the machine
was.
"""

from __future__ import annotations

import statistics
import sys
from typing import Final

from end_to_end.runtimes.projects import AbsentError, project

from .fresh import Calibration, CommandError, Row, command
from .report import Report, Table, change, percent, verdict
from .settings import TARGET_SECONDS, Settings, counter

_HASHERS: Final = {
    "bcrypt": ("@java:spring", 0.03),
    "pbkdf2-sha256": ("@java:jca", 0.08),
    "pbkdf2-sha512": ("@java:bouncycastle", 0.08),
    "sha512-crypt": ("", None),
}
"""The library of each, and how far a run may be from the median of all; the last is in C."""


def run(settings: Settings) -> Report:
    """Calibrate in fresh JVMs, with and without their warm-up."""
    repeats = settings.size(6, 2)
    show = counter("java", repeats)
    try:
        application = project("java")
    except AbsentError as error:
        raise CommandError(str(error)) from error
    labels = [hasher + library for hasher, (library, _) in _HASHERS.items()]
    options = [*labels, "--project", str(application)]
    warm: list[Calibration] = []
    cold: list[Calibration] = []
    for index in range(repeats):
        with command() as calibrate:
            warm.append(calibrate.calibrate(*options))
        with command() as calibrate:
            calibrate.path = sys.executable
            cold.append(calibrate.calibrate("-m", f"{__package__}.cold", *options))
        show(index + 1)
    return Report(
        [
            Table(
                title=f"java: {repeats} fresh JVMs at {TARGET_SECONDS * 1e3:g} ms",
                columns=("state", "hasher", "farthest", "covered", "±", "verdict"),
                rows=[
                    _row(state, hasher, runs, warm)
                    for state, runs in (("warm", warm), ("cold", cold))
                    for hasher in _HASHERS
                ],
                notes=(
                    "farthest: from the median of the warm runs, which each interval must cover",
                    "cold is met if the limit does not hold: without a warm-up it shows",
                ),
            )
        ],
        [calibration.as_json() for calibration in (*warm, *cold)],
    )


def _row(
    state: str, hasher: str, runs: list[Calibration], warm: list[Calibration]
) -> tuple[str, ...]:
    rows = [run.rows[hasher] for run in runs if hasher in run.rows]
    truth = [run.rows[hasher] for run in warm if hasher in run.rows]
    if not rows or not truth:
        return (state, hasher, "no number", "", "", verdict(met=state == "cold"))
    common = statistics.median_low(row.cost for row in truth)
    pooled = statistics.median(row.seconds_at(common) for row in truth)
    farthest = max((row.seconds_at(common) / pooled - 1 for row in rows), key=abs)
    covered = sum(_holds(row, pooled, common) for row in rows)
    width = statistics.median(row.half_width or 0.0 for row in rows)
    _, limit = _HASHERS[hasher]
    holds = limit is None or (abs(farthest) <= limit and covered == len(runs))
    met = "" if limit is None else verdict(met=holds == (state == "warm"))
    return state, hasher, change(farthest), f"{covered} of {len(rows)}", percent(width), met


def _holds(row: Row, pooled: float, common: int) -> bool:
    """Tell whether the printed interval, at this cost, holds the median of all runs."""
    if row.interval_seconds is None:
        return False
    low, high = (bound / row.time_seconds for bound in row.interval_seconds)
    seconds = row.seconds_at(common)
    return seconds * low <= pooled <= seconds * high
