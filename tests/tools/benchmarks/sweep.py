"""Sweeps: two articles' costs within a budget, and what was predicted measured afterwards.

The machine's own speed moves, so a predicted cost is timed in turn with one that the
sweep measured; both against the sweep gives what prediction adds, without the drift.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from .fresh import Command, command, module
from .report import Report, Table, change, percent, seconds, verdict
from .settings import Settings, counter

_FIRST: Final = ("sha512-crypt", "--costs", "1000,5000,10000,50000,100000,500000,1000000")
_FIRST_LIMIT: Final = 6.0
_PBKDF2: Final = tuple(f"pbkdf2-sha{bits}=100001..1000001:100000" for bits in (1, 256, 512))
_SECOND: Final = (_PBKDF2, ("bcrypt=6..17",))
_SECOND_BUDGETS: Final = ("5s", "15s")
_PREDICTED_LIMIT: Final = 0.03
_LONGEST_CHECK: Final = 2.5
"""Seconds beyond which one hash is not timed afterwards."""
_PAIRS: Final = 3

_Row = Mapping[str, Any]


@dataclass(frozen=True)
class _Sweep:
    """The rows of a sweep, and what the whole command took."""

    asked: Sequence[str]
    rows: Sequence[_Row]
    wall_seconds: float

    def having(self, status: str) -> list[_Row]:
        """Return the rows that were measured, or predicted."""
        return [row for row in self.rows if row["status"] == status]


def run(settings: Settings) -> Report:
    """Run the first article's sweep, and the second's with a check of what it predicted."""
    repeats = settings.size(5, 1)
    show = counter("sweep", repeats)
    first: list[_Sweep] = []
    with command() as calibrate:
        for index in range(repeats):
            first.append(_swept(calibrate, *_FIRST))
            show(index + 1)
        second = [
            _swept(calibrate, *asked, "--budget", budget)
            for budget in _SECOND_BUDGETS[: 1 if settings.quick else None]
            for asked in _SECOND
        ]
    checks = [
        (*_pair(*pair), sweep.asked[-1])
        for sweep in second
        for pair in _to_check(sweep, quick=settings.quick)
    ]
    return Report([_times([*first, *second]), _predictions(checks)])


def _swept(calibrate: Command, *arguments: str) -> _Sweep:
    finished = calibrate.call("sweep", *arguments, "--format", "json", "--quiet")
    return _Sweep(arguments, json.loads(finished.output), finished.wall_seconds)


def _to_check(sweep: _Sweep, *, quick: bool) -> Iterator[tuple[_Row, _Row]]:
    """Yield the longest measured cost of each hasher with predicted ones that are not too long."""
    for hasher in dict.fromkeys(row["hasher"] for row in sweep.rows):
        measured = [row for row in sweep.having("measured") if row["hasher"] == hasher]
        predicted = [
            row
            for row in sweep.having("predicted")
            if row["hasher"] == hasher and row["time_seconds"] <= _LONGEST_CHECK
        ]
        for row in predicted[-1:] if quick else predicted:
            yield measured[-1], row


def _pair(measured: _Row, predicted: _Row) -> tuple[_Row, float, float]:
    """Time both in turn; return the predicted one's seconds, and how far off it is in pairs."""
    ratio = predicted["time_seconds"] / measured["time_seconds"]
    ratios, times = [], []
    for _ in range(_PAIRS):
        before = _plain(measured, max(2, round(ratio)))
        times.append(_plain(predicted, 2))
        after = _plain(measured, max(2, round(ratio)))
        ratios.append(ratio / (times[-1] / statistics.fmean((before, after))) - 1)
    return predicted, statistics.median(times), statistics.median(ratios)


def _plain(row: _Row, times: int) -> float:
    """Median CPU seconds of hashes by a plain script."""
    script = module("plain", row["hasher"], json.dumps({"cost": row["cost"]}), str(times))
    taken: list[float] = json.loads(script.output)
    return statistics.median(taken)


def _times(sweeps: Sequence[_Sweep]) -> Table:
    rows = []
    for sweep in sweeps:
        measured = sweep.having("measured")
        widths = [
            max(
                row["high_seconds"] - row["time_seconds"], row["time_seconds"] - row["low_seconds"]
            )
            / row["time_seconds"]
            for row in measured
        ]
        first = sweep.asked == _FIRST
        rows.append(
            (
                " ".join(sweep.asked),
                f"{len(measured)} of {len(sweep.rows)}",
                seconds(sweep.wall_seconds),
                percent(statistics.median(widths)),
                percent(max(widths)),
                f"< {_FIRST_LIMIT:g} s" if first else "",
                verdict(met=sweep.wall_seconds < _FIRST_LIMIT) if first else "",
            )
        )
    columns = ("sweep", "timed", "wall time", "±", "largest ±", "limit", "verdict")
    return Table("sweep: with start-up", columns, rows)


def _predictions(checks: Sequence[tuple[_Row, float, float, str]]) -> Table:
    return Table(
        title="what was predicted, measured afterwards",
        columns=(
            *("hasher", "budget", "cost", "predicted", "measured", "off", "per machine"),
            *("limit", "verdict"),
        ),
        rows=[
            (
                row["hasher"],
                budget,
                str(row["cost"]),
                seconds(row["time_seconds"]),
                seconds(taken),
                change(row["time_seconds"] / taken - 1),
                change(per_machine),
                f"±{percent(_PREDICTED_LIMIT)}",
                verdict(met=abs(per_machine) <= _PREDICTED_LIMIT),
            )
            for row, taken, per_machine, budget in checks
        ],
        notes=(
            "per machine: beside the longest cost that the sweep measured, timed in turn with it",
        ),
    )
