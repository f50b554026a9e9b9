"""Targets: what a profile saved at 100 ms answers to others, timed by a plain script."""

from __future__ import annotations

import json
import statistics
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from .fresh import Row, command, module
from .report import Report, Table, change, percent, seconds, setting, verdict
from .settings import MEMORY_HARD, Settings, counter

_SAVED_SECONDS: Final = 0.1
_LOWEST, _HIGHEST = 0.02, 0.5
_OFF: Final = 0.10
_HASHES: Final = 12


def run(settings: Settings) -> Report:
    """Save a profile, ask it for targets, and time each answer."""
    size = settings.size(20, 4)
    targets = [_LOWEST * (_HIGHEST / _LOWEST) ** (i / (size - 1)) for i in range(size)]
    show = counter("targets", size)
    rows = []
    with command() as calibrate, TemporaryDirectory() as folder:
        saved = str(Path(folder) / "profile.json")
        calibrate.calibrate(*MEMORY_HARD, "--save", saved, target_seconds=_SAVED_SECONDS)
        for index, target in enumerate(targets):
            answers = calibrate.calibrate("--from", saved, target_seconds=target).rows
            rows += [_row(name, target, row) for name, row in answers.items()]
            show(index + 1)
    table = Table(
        title=f"targets: asked of a profile saved at {seconds(_SAVED_SECONDS)}",
        columns=("hasher", "target", "answer", "one hash", "plain script", "verdict"),
        rows=rows,
        notes=(
            f"plain script: the lower quartile of {_HASHES} hashes by the library alone, against",
            f"the time in the answer; at most {percent(_OFF)} off",
        ),
    )
    return Report([table])


def _row(name: str, target: float, row: Row) -> tuple[str, ...]:
    script = module("plain", name, json.dumps(dict(row.params)), str(_HASHES))
    off = statistics.quantiles(json.loads(script.output), n=4)[0] / row.time_seconds - 1
    return (
        name,
        seconds(target),
        setting(row.params),
        seconds(row.time_seconds),
        change(off),
        verdict(met=abs(off) <= _OFF),
    )
