"""Truth: does the hash of a login take the printed time?

It is the median of 15 hashes among other work (`login`). They follow each answer at once, because
the machine's own speed moves within seconds. Each hasher is calibrated several times; a profile
saved at 100 ms then answers other targets.
"""

import json
import statistics
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from hashcost.core.units import format_duration, format_setting

from .fresh import Command, Row, command, module
from .report import Report, Table, change, percent, verdict
from .settings import FIVE, MEMORY_HARD, Settings, counter

_LIMITS: Final = (-0.05, 0.02)
_MEMORY_HARD_LIMITS: Final = (-0.08, 0.03)
_SAVED_SECONDS: Final = 0.1
_LOWEST, _HIGHEST = 0.02, 0.5
_OFF: Final = 0.10


def run(settings: Settings) -> Report:
    """Calibrate and hash in turn; then ask a saved profile for targets."""
    with command() as calibrate:
        return Report([_calibrated(calibrate, settings), _targets(calibrate, settings)])


def _calibrated(calibrate: Command, settings: Settings) -> Table:
    repeats = settings.size(9, 1)
    show = counter("truth", repeats)
    off: dict[str, list[float]] = {}
    for index in range(repeats):
        for hasher in (*FIVE, *MEMORY_HARD):
            for row in calibrate.calibrate(hasher).rows.values():
                off.setdefault(hasher, []).append(_off(row))
        show(index + 1)
    return Table(
        title=f"truth: CPU time of a login's hash against the printed time; repeats: {repeats}",
        columns=("hasher", "median", "lowest", "highest", "limit", "verdict"),
        rows=[_row(hasher, each) for hasher, each in off.items()],
    )


def _row(hasher: str, off: Sequence[float]) -> tuple[str, ...]:
    lowest, highest = _MEMORY_HARD_LIMITS if hasher in MEMORY_HARD else _LIMITS
    median = statistics.median(off)
    return (
        hasher,
        *map(change, (median, min(off), max(off))),
        f"{lowest * 100:+.0f}/{highest * 100:+.0f} %",
        verdict(met=lowest <= median <= highest),
    )


def _targets(calibrate: Command, settings: Settings) -> Table:
    size = max(2, settings.size(8, 2))
    targets = [_LOWEST * (_HIGHEST / _LOWEST) ** (i / (size - 1)) for i in range(size)]
    rows = []
    with TemporaryDirectory() as folder:
        saved = str(Path(folder) / "profile.json")
        calibrate.calibrate(*MEMORY_HARD, "--save", saved, target_seconds=_SAVED_SECONDS)
        for target in targets:
            for name, row in calibrate.calibrate(
                "--from", saved, target_seconds=target
            ).rows.items():
                off = _off(row)
                times = (
                    format_setting(row.params),
                    format_duration(row.time_seconds),
                    change(off),
                )
                rows.append((name, format_duration(target), *times, verdict(met=abs(off) <= _OFF)))
    return Table(
        title=f"targets: asked of a profile saved at {format_duration(_SAVED_SECONDS)}",
        columns=("hasher", "target", "answer", "one hash", "login", "verdict"),
        rows=rows,
        notes=(f"at most {percent(_OFF)} off",),
    )


def _off(row: Row) -> float:
    """How much longer than the printed time the hash of a login takes, as a share of that."""
    login = module("login", row.hasher, json.dumps(dict(row.params)))
    taken: list[float] = json.loads(login.output)
    return statistics.median(taken) / row.time_seconds - 1
