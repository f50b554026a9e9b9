"""Speed: wall time of the whole command, start-up included, on a quiet machine."""

from __future__ import annotations

import statistics
import sys
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Final

from .fresh import command, succeed
from .peers import choose_rounds
from .report import Report, Table, seconds, verdict
from .settings import FIVE, TARGET_SECONDS, Settings, counter
from .spread import quartiles

_LIMITS: Final = {
    "five hashers at 40 ms": 1.2,
    "all hashers at 40 ms": 2.5,
    "all hashers at 250 ms": 8.0,
    **{f"{name} at 40 ms": 0.5 for name in FIVE},
    "argon2id at 40 ms": 0.8,
    "  --help, times as long": 1.6,
}
_LONG_SECONDS: Final = 0.25


def run(settings: Settings) -> Report:
    """Run everything in turn, round by round; the first round is not counted."""
    rounds = settings.size(11, 3)
    show = counter("speed", rounds)
    times: dict[str, list[float]] = defaultdict(list)
    with command() as calibrate:
        names = list(calibrate.calibrate().rows)
        asked = {
            "five hashers at 40 ms": [name for name in names if name in FIVE],
            "all hashers at 40 ms": [],
            **{f"{name} at 40 ms": [name] for name in names},
        }
        for index in range(rounds + 1):
            if index == 1:
                times.clear()
            for what, hashers in asked.items():
                times[what].append(calibrate.calibrate(*hashers).process.wall_seconds)
            long = calibrate.calibrate(target_seconds=_LONG_SECONDS).process
            times["all hashers at 250 ms"].append(long.wall_seconds)
            times["calibrate list hashers"].append(calibrate.call("list", "hashers").wall_seconds)
            importing = succeed([sys.executable, "-c", "import click"]).wall_seconds
            helping = calibrate.call("--help").wall_seconds
            times['python -c "import click"'].append(importing)
            times["calibrate --help"].append(helping)
            times["  --help, times as long"].append(helping / importing)
            show(index)
    five = times["five hashers at 40 ms"]
    floor = len(FIVE) * TARGET_SECONDS
    times["  five, times one hash each"] = [taken / floor for taken in five]
    peers = [choose_rounds().wall_seconds for _ in range(1 if settings.quick else 3)]
    times["choose_rounds' method, five hashers"] = peers
    times["  times as long as `calibrate`"] = [taken / statistics.median(five) for taken in peers]
    return Report(
        [
            Table(
                title=f"speed: wall time of the whole command, runs: {rounds}",
                columns=("what", "median", "quartiles", "smallest", "largest", "limit", "verdict"),
                rows=[_row(what, figures) for what, figures in times.items()],
                notes=("choose_rounds' method: its measuring only, without start-up",),
            )
        ],
        [{"figures": times}],
    )


def _row(what: str, figures: Sequence[float]) -> tuple[str, ...]:
    written: Callable[[float], str] = "{:.2f}".format if what.startswith(" ") else seconds
    middle = statistics.median(figures)
    low, high = quartiles(figures)
    limit = _LIMITS.get(what)
    return (
        what,
        written(middle),
        f"{written(low)} … {written(high)}",
        written(min(figures)),
        written(max(figures)),
        "" if limit is None else f"≤ {written(limit)}",
        "" if limit is None else verdict(met=middle <= limit),
    )
