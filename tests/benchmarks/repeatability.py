"""Repeatability: how far do fresh processes on a quiet machine disagree?"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from .fresh import command, work
from .peers import choose_rounds
from .reference import reference
from .report import Report, Table, percent, verdict
from .settings import FIVE, STEP_HASHERS, Settings, counter
from .spread import range_share

_LIMITS: Final = {
    "sha512-crypt": 0.015,
    "pbkdf2-sha1": 0.04,
    "pbkdf2-sha256": 0.04,
    "pbkdf2-sha512": 0.04,
}


@dataclass(frozen=True, kw_only=True)
class _Answer:
    """What one process said, and how slow the machine was around it.

    ``units`` are the work that the target buys before the cost is rounded.
    """

    costs: Mapping[str, int]
    units: Mapping[str, float]
    reference_seconds: float


def run(settings: Settings) -> Report:
    """Run the command many times, with the machine's own speed before and after each."""
    runs = settings.size(20, 5)
    peer_runs = min(runs, 0 if settings.quick else 8)
    show = counter("repeatability", runs)
    ours: list[_Answer] = []
    theirs: list[_Answer] = []
    with command() as calibrate:

        def measure() -> tuple[dict[str, int], dict[str, float]]:
            rows = calibrate.calibrate(*FIVE).rows
            costs = {name: row.cost for name, row in rows.items()}
            return costs, {name: row.units() for name, row in rows.items()}

        for index in range(runs):
            ours.append(_between_references(measure))
            if index * peer_runs // runs != (index - 1) * peer_runs // runs:
                theirs.append(_between_references(_measure_peer))
            show(index + 1)
    tables = [_table(f"repeatability: of fresh processes, runs: {runs}", ours)]
    if theirs:
        tables.append(_table(f"beside it: choose_rounds' method, runs: {len(theirs)}", theirs))
    return Report(
        tables=tables,
        runs=[
            {
                "method": method,
                "reference_seconds": answer.reference_seconds,
                "costs": dict(answer.costs),
                "units": dict(answer.units),
            }
            for method, answers in (("calibrate", ours), ("choose_rounds", theirs))
            for answer in answers
        ],
    )


def _measure_peer() -> tuple[dict[str, int], dict[str, float]]:
    chosen = choose_rounds().costs
    return (
        {name: int(cost) for name, cost in chosen.items()},
        {name: work(cost, step=name in STEP_HASHERS) for name, cost in chosen.items()},
    )


def _between_references(
    measure: Callable[[], tuple[dict[str, int], dict[str, float]]],
) -> _Answer:
    before = reference()
    costs, units = measure()
    return _Answer(costs=costs, units=units, reference_seconds=(before + reference()) / 2)


def _table(title: str, answers: Sequence[_Answer]) -> Table:
    times = [answer.reference_seconds for answer in answers]
    return Table(
        title=f"{title}; (largest - smallest) / median",
        columns=("hasher", "cost", "of cost", "of s/unit", "per machine", "limit", "verdict"),
        rows=[
            *(_row(name, [a for a in answers if name in a.costs]) for name in answers[0].costs),
            ("the machine", "", "", percent(range_share(times)), "", "", ""),
        ],
        notes=(
            "the machine: fixed work outside the tool, timed before and after each run",
            "per machine: of s/unit divided by that; the limit is for the cost",
        ),
    )


def _row(name: str, answers: Sequence[_Answer]) -> tuple[str, ...]:
    costs = [answer.costs[name] for answer in answers]
    unit_seconds = [1 / answer.units[name] for answer in answers]
    per_machine = [
        unit / answer.reference_seconds for unit, answer in zip(unit_seconds, answers, strict=True)
    ]
    spread = range_share(costs)
    limit = 0.0 if name in STEP_HASHERS else _LIMITS.get(name)
    return (
        name,
        f"{statistics.median_low(costs):,}",
        percent(spread),
        percent(range_share(unit_seconds)),
        percent(range_share(per_machine)),
        "" if limit is None else f"≤ {percent(limit)}" if limit else "same step",
        "" if limit is None else verdict(met=spread <= limit),
    )
