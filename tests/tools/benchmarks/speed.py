"""Speed: wall time of the whole command, start-up included, on a quiet machine."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Sequence
from typing import Final

from .fresh import command, succeed
from .peers import choose_rounds
from .report import Report, Table, seconds, verdict
from .settings import FIVE, TARGET_SECONDS, Settings, counter
from .spread import quartiles

_FIVE_LIMIT: Final = 1.2
_ALL_LIMIT: Final = 2.5
_LONG_SECONDS: Final = 0.25
_LONG_LIMIT: Final = 8.0
_ONE_LIMITS: Final = {**dict.fromkeys(FIVE, 0.5), "argon2id": 0.8}
_HELP_LIMIT: Final = 1.6


def run(settings: Settings) -> Report:
    """Run everything in turn, round by round; the first round is not counted."""
    rounds = settings.size(11, 3)
    show = counter("speed", rounds)
    times: dict[str, list[float]] = {}

    def note(what: str, taken: float) -> None:
        times.setdefault(what, []).append(taken)

    with command() as calibrate:
        names = list(calibrate.calibrate().rows)
        five = [name for name in names if name in FIVE]
        for index in range(rounds + 1):
            if index == 1:
                times.clear()
            note("five", calibrate.calibrate(*five).process.wall_seconds)
            note("all", calibrate.calibrate().process.wall_seconds)
            note("long", calibrate.calibrate(target_seconds=_LONG_SECONDS).process.wall_seconds)
            for name in names:
                note(name, calibrate.calibrate(name).process.wall_seconds)
            note("hashers", calibrate.call("hashers").wall_seconds)
            note("click", succeed([sys.executable, "-c", "import click"]).wall_seconds)
            note("help", calibrate.call("--help").wall_seconds)
            show(index)
    peer = [choose_rounds(five).wall_seconds for _ in range(1 if settings.quick else 3)]

    helps = [ours / theirs for ours, theirs in zip(times["help"], times["click"], strict=True)]
    rows = [
        *_rows(five, times["five"], _FIVE_LIMIT),
        *_rows(names, times["all"], _ALL_LIMIT),
        _row(f"{len(names)} hashers at 250 ms", times["long"], _LONG_LIMIT),
        *(_row(f"{name} at 40 ms", times[name], _ONE_LIMITS.get(name)) for name in names),
        _row("calibrate --help", times["help"]),
        _row('python -c "import click"', times["click"]),
        _ratio_row("  ratio of the two", helps, _HELP_LIMIT),
        _row("calibrate hashers", times["hashers"]),
        _row(f"choose_rounds' method, {len(five)} hashers", peer),
        _ratio_row(
            f"  ratio to `calibrate`, runs: {len(peer)}",
            [taken / statistics.median(times["five"]) for taken in peer],
        ),
    ]
    return Report(
        tables=(
            Table(
                title=f"speed: wall time of the whole command, runs: {rounds}",
                columns=("what", "median", "quartiles", "smallest", "largest", "limit", "verdict"),
                rows=rows,
                notes=("choose_rounds' method: its measuring alone, without start-up",),
            ),
        ),
        runs=[{"wall_seconds": times, "choose_rounds_seconds": peer}],
    )


def _rows(names: Sequence[str], times: Sequence[float], limit: float) -> list[tuple[str, ...]]:
    """Several hashers in one run, and beside it the least that it could take."""
    floor = len(names) * TARGET_SECONDS
    return [
        _row(f"{len(names)} hashers at 40 ms", times, limit),
        _ratio_row("  ratio to the floor, one hash each", [taken / floor for taken in times]),
    ]


def _row(what: str, times: Sequence[float], limit: float | None = None) -> tuple[str, ...]:
    middle = statistics.median(times)
    low, high = quartiles(times)
    return (
        what,
        seconds(middle),
        f"{seconds(low)} … {seconds(high)}",
        seconds(min(times)),
        seconds(max(times)),
        "" if limit is None else f"≤ {limit:g} s",
        "" if limit is None else verdict(met=middle <= limit),
    )


def _ratio_row(what: str, ratios: Sequence[float], limit: float | None = None) -> tuple[str, ...]:
    middle = statistics.median(ratios)
    low, high = quartiles(ratios)
    return (
        what,
        f"{middle:.2f}",
        f"{low:.2f} … {high:.2f}",
        f"{min(ratios):.2f}",
        f"{max(ratios):.2f}",
        "" if limit is None else f"≤ {limit:g}",
        "" if limit is None else verdict(met=middle <= limit),
    )
