"""Settings of memory: are they the same every run, filled to the target, and worth their price?

Quiet and busy runs take turns and keep one history, as on a user's machine. Then a profile
saved at the longest target is asked for shorter ones, and a plain script times the answers.
"""

from __future__ import annotations

import json
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from .fresh import Command, Row, command, module
from .hogs import hog_count, state
from .programs.process import KEEPS_MEMORY
from .report import Report, Table, change, cpu_count, percent, seconds, setting, verdict
from .settings import MEMORY_HARD, Settings, counter

_TARGETS: Final = (0.04, 0.1, 0.25)
_LOWER: Final = (0.06, 0.1, 0.15, 0.2)
_PLAIN_HASHES: Final = 40
_OFF: Final = 0.15
_TRADED: Final = ("scrypt", "argon2id")
"""What has more than one setting of equal time."""


@dataclass(frozen=True, kw_only=True)
class _Run:
    target_seconds: float
    busy: bool
    rows: Mapping[str, Row]
    wall_seconds: float


def run(settings: Settings) -> Report:
    """Alternate quiet and busy runs at each target; then ask a saved profile."""
    pairs = settings.size(10, 2)
    show = counter("memory_hard", pairs)
    runs: list[_Run] = []
    with command() as calibrate:
        for pair in range(pairs):
            for busy in (pair % 2 == 1, pair % 2 == 0):
                for target in _TARGETS:
                    with state(busy=busy):
                        found = calibrate.calibrate(*MEMORY_HARD, "bcrypt", target_seconds=target)
                    runs.append(
                        _Run(
                            target_seconds=target,
                            busy=busy,
                            rows=found.rows,
                            wall_seconds=found.process.wall_seconds,
                        )
                    )
            show(pair + 1)
        tables = (_settings_table(runs), _asked(calibrate), _pages_table(calibrate))
    return Report(
        tables=tables,
        runs=[
            {
                "target_seconds": run.target_seconds,
                "busy": run.busy,
                "wall_seconds": run.wall_seconds,
                "rows": {name: row.as_json() for name, row in run.rows.items()},
            }
            for run in runs
        ],
    )


def _settings_table(runs: Sequence[_Run]) -> Table:
    return Table(
        title=f"memory_hard: settings of {len(runs) // len(_TARGETS)} runs, half of them beside"
        f" {hog_count()} CPU-bound processes on {cpu_count()} cores",
        columns=(
            "hasher",
            "target",
            "setting",
            "same memory",
            "since run",
            "passes",
            "of the target",
            "floor met",
            "$ per 2^32",
            "verdict",
        ),
        rows=[
            *(
                _row(name, target, [run.rows[name] for run in found if name in run.rows])
                for name in MEMORY_HARD
                for target in _TARGETS
                if (found := [run for run in runs if run.target_seconds == target])
            ),
            *(("bcrypt", seconds(target), *_bcrypt(runs, target)) for target in _TARGETS),
        ],
        notes=(
            "floor met: runs whose setting meets OWASP's; $: on the default device, the median",
            "the same memory in every run and passes within one are asked for",
        ),
    )


def _row(name: str, target: float, rows: Sequence[Row]) -> tuple[str, ...]:
    usual, _ = Counter(tuple(row.params.items()) for row in rows).most_common(1)[0]
    (ladder, *_) = rows[0].knobs
    same = [row for row in rows if row.params[ladder] == dict(usual)[ladder]]
    last_other = max((at for at, row in enumerate(rows, 1) if row not in same), default=0)
    passes = sorted({row.cost for row in same})
    steady = len(same) == len(rows) and passes[-1] - passes[0] <= 1
    return (
        name,
        seconds(target),
        setting(dict(usual)),
        f"{len(same)} of {len(rows)}",
        str(last_other + 1),
        ""
        if name not in _TRADED
        else " to ".join(map(str, (passes[0], passes[-1])[: len(passes)])),
        percent(statistics.median(row.time_seconds for row in rows) / target),
        f"{sum(row.floor_met for row in rows)} of {len(rows)}",
        _dollars(rows),
        verdict(met=steady),
    )


def _bcrypt(runs: Sequence[_Run], target: float) -> tuple[str, ...]:
    rows = [run.rows["bcrypt"] for run in runs if run.target_seconds == target]
    took = statistics.median(row.time_seconds for row in rows) / target
    usual = Counter(row.cost for row in rows).most_common(1)[0][0]
    return str(usual), "", "", "", percent(took), "", _dollars(rows), ""


def _dollars(rows: Sequence[Row]) -> str:
    known = [row.dollars for row in rows if row.dollars is not None]
    return f"{statistics.median(known):,.0f}" if known else ""


def _asked(calibrate: Command) -> Table:
    """What a saved profile answers to shorter targets, beside fresh runs and a plain script."""
    rows = []
    with TemporaryDirectory() as folder:
        saved = str(Path(folder) / "profile.json")
        calibrate.calibrate(*_TRADED, "--save", saved, target_seconds=_TARGETS[-1])
        for target in _LOWER:
            answers = calibrate.calibrate("--from", saved, target_seconds=target).rows
            fresh = calibrate.calibrate(*_TRADED, target_seconds=target).rows
            rows += [_answer(name, target, answers.get(name), fresh.get(name)) for name in _TRADED]
    return Table(
        title=f"memory_hard: a profile saved at {seconds(_TARGETS[-1])}, asked for less",
        columns=("hasher", "target", "answer", "fresh run", "plain script", "verdict"),
        rows=rows,
        notes=(
            f"plain script: the quickest of {_PLAIN_HASHES} hashes with the library alone against",
            f"the time in the answer; at most {percent(_OFF)} off, and the memory of a fresh run",
        ),
    )


def _pages_table(calibrate: Command) -> Table:
    """What a hash takes where glibc keeps its memory, as printed and by a plain script."""
    answers = calibrate.calibrate(*_TRADED, target_seconds=_TARGETS[-1]).rows
    rows = []
    for name, row in answers.items():
        told = row.time_seconds - (row.page_fault_seconds or 0.0)
        taken = _plain_seconds(name, row, KEEPS_MEMORY)
        off = taken / told - 1
        figures = map(seconds, (row.time_seconds, row.page_fault_seconds or 0.0, told))
        rows.append(
            (name, setting(row.params), *figures, change(off), verdict(met=abs(off) <= _OFF))
        )
    return Table(
        title="memory_hard: without fresh pages",
        columns=("hasher", "setting", "one hash", "pages", "without", "plain script", "verdict"),
        rows=rows,
        notes=("plain script: with glibc told to keep its memory, against the time without",),
    )


def _plain_seconds(name: str, row: Row, environment: Mapping[str, str] | None = None) -> float:
    """The quickest of the hashes by a plain script, which cannot tell a quiet core otherwise."""
    arguments = (json.dumps(dict(row.params)), str(_PLAIN_HASHES))
    printed = module("plain", name, *arguments, environment=environment)
    times: list[float] = json.loads(printed.output)
    return min(times)


def _answer(name: str, target: float, answer: Row | None, fresh: Row | None) -> tuple[str, ...]:
    if answer is None or fresh is None:
        return name, seconds(target), "refused" if answer is None else "", "", "", ""
    taken = _plain_seconds(name, answer) / answer.time_seconds - 1
    (ladder, *_) = answer.knobs
    same = answer.params[ladder] == fresh.params[ladder] and abs(answer.cost - fresh.cost) <= 1
    return (
        name,
        seconds(target),
        setting(answer.params),
        setting(fresh.params),
        change(taken),
        verdict(met=same and abs(taken) <= _OFF),
    )
