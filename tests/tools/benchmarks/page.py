"""Report: wall time and size of the page of a profile with every default hasher."""

from __future__ import annotations

import statistics
import tempfile
from pathlib import Path
from typing import Final

from .fresh import command
from .report import Report, Table, seconds, verdict
from .settings import Settings, counter

_LIMIT: Final = 3.0
_LARGEST: Final = 1_000_000
"""Bytes."""


def run(settings: Settings) -> Report:
    """Measure once, then write the page several times; the second time fonts are known."""
    rounds = settings.size(7, 2)
    show = counter("page", rounds)
    times = []
    with command() as calibrate, tempfile.TemporaryDirectory() as folder:
        profile, page = Path(folder, "here.json"), Path(folder, "report.html")
        calibrate.call("--target", "40ms", "--capacity", "--save", str(profile), "--quiet")
        calibrate.call("report", str(profile), "-o", str(page))
        size = page.stat().st_size
        for index in range(rounds):
            call = calibrate.call("report", str(profile), "-o", str(page))
            times.append(call.wall_seconds)
            show(index + 1)
    taken = statistics.median(times)
    rows = [
        ["time", seconds(taken), seconds(_LIMIT), verdict(met=taken <= _LIMIT)],
        ["size", f"{size:,}", f"{_LARGEST:,}", verdict(met=size < _LARGEST)],
    ]
    columns = ("what", "median of the runs", "limit", "verdict")
    return Report(tables=[Table("Page of a profile with the default hashers", columns, rows)])
