"""Truth: hashed by a plain script, does the recommended cost take what was said?

A linear cost is judged by the target; a step, of work or of memory, lies below it
and is judged by the time that was printed. The script follows each calibration at
once, one hasher at a time, because the machine's own speed moves within seconds.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from .fresh import command, module
from .peers import choose_rounds
from .reference import reference
from .report import Report, Table, change, changes, setting, verdict
from .settings import FIVE, MEMORY_HARD, STEP_HASHERS, TARGET_SECONDS, Settings, counter
from .spread import quartiles

_LIMITS: Final = (-0.05, 0.02)
_MEMORY_HARD_LIMITS: Final = (-0.08, 0.03)
_HASHES, _MEMORY_HARD_HASHES = 50, 30

_Promise: TypeAlias = tuple[Mapping[str, int], float]
"""A setting, and what one hash at it is said to take, in seconds."""


@dataclass(frozen=True, kw_only=True)
class _Trial:
    """One calibration and the script after it."""

    step: bool
    params: Mapping[str, int]
    promised_seconds: float
    plain_seconds: Sequence[float]
    machine: float
    """How much slower fixed work ran around the script than around the calibration."""

    @property
    def median(self) -> float:
        """What the script took."""
        return statistics.median(self.plain_seconds)

    @property
    def due(self) -> float:
        """What it should have taken: the target, or for a step what was promised."""
        return self.promised_seconds if self.step else TARGET_SECONDS


_Trials: TypeAlias = Mapping[str, Sequence[_Trial]]


def run(settings: Settings) -> Report:
    """Calibrate and hash in turn, each hasher several times."""
    repeats = settings.size(9, 2)
    peer_repeats = min(repeats, 0 if settings.quick else 3)
    show = counter("truth", repeats)
    with command() as calibrate:

        def recommended(name: str) -> _Promise | None:
            row = calibrate.calibrate(name).rows.get(name)
            return None if row is None else (row.params, row.time_seconds)

        names = list(calibrate.calibrate(*FIVE, *MEMORY_HARD).rows)
        ours: dict[str, list[_Trial]] = {name: [] for name in names}
        theirs: dict[str, list[_Trial]] = {name: [] for name in names if name in FIVE}
        for index in range(repeats):
            for name in names:
                ours[name] += _try(name, recommended)
                if name in theirs and index < peer_repeats:
                    theirs[name] += _try(name, _chosen)
            show(index + 1)
    tables = [
        _table(
            f"truth: CPU time of {_HASHES} hashes by a plain script, of {_MEMORY_HARD_HASHES}"
            f" where memory-hard; repeats: {repeats}",
            ours,
        )
    ]
    if peer_repeats:
        tables.append(_table(f"beside it: choose_rounds' method; repeats: {peer_repeats}", theirs))
    return Report(
        tables=tables,
        runs=[
            {
                "method": method,
                "hasher": name,
                "params": dict(trial.params),
                "promised_seconds": trial.promised_seconds,
                "machine": trial.machine,
                "plain_seconds": list(trial.plain_seconds),
            }
            for method, trials in (("calibrate", ours), ("choose_rounds", theirs))
            for name, found in trials.items()
            for trial in found
        ],
    )


def _chosen(name: str) -> _Promise:
    cost = choose_rounds([name]).costs[name]
    if name in STEP_HASHERS:
        return {"cost": int(cost)}, TARGET_SECONDS * 2.0 ** (int(cost) - cost)
    return {"cost": round(cost)}, TARGET_SECONDS


def _try(name: str, ask: Callable[[str], _Promise | None]) -> list[_Trial]:
    """One trial, or none if the answer was refused as too noisy."""
    before = reference()
    promise = ask(name)
    if promise is None:
        return []
    between = reference()
    params, promised_seconds = promise
    hashes = _MEMORY_HARD_HASHES if name in MEMORY_HARD else _HASHES
    script = module("plain", name, json.dumps(params), str(hashes))
    taken: list[float] = json.loads(script.output)
    after = reference()
    return [
        _Trial(
            step=name in STEP_HASHERS or name in MEMORY_HARD,
            params=params,
            promised_seconds=promised_seconds,
            plain_seconds=taken,
            machine=(between + after) / (before + between),
        )
    ]


def _table(title: str, trials: _Trials) -> Table:
    return Table(
        title=title,
        columns=(
            "hasher",
            "setting",
            "of target",
            "quartiles",
            "all medians",
            "of promise",
            "per machine",
            "limit",
            "verdict",
        ),
        rows=[_row(name, found) for name, found in trials.items() if found],
        notes=(
            "of target: median of the scripts' medians; quartiles: of all their hashes",
            "of promise: against the printed time, which is what a step (of bcrypt, or of memory",
            "and passes) is judged by",
            "per machine: what is judged, less what fixed work outside the tool moved",
        ),
    )


def _row(name: str, trials: Sequence[_Trial]) -> tuple[str, ...]:
    lowest, highest = _MEMORY_HARD_LIMITS if name in MEMORY_HARD else _LIMITS
    off = [trial.median / trial.due - 1 for trial in trials]
    of_target = [trial.median / TARGET_SECONDS - 1 for trial in trials]
    of_promise = [trial.median / trial.promised_seconds - 1 for trial in trials]
    per_machine = [trial.median / trial.due / trial.machine - 1 for trial in trials]
    hashes = [taken / TARGET_SECONDS - 1 for trial in trials for taken in trial.plain_seconds]
    return (
        name,
        setting(_middle([trial.params for trial in trials])),
        change(statistics.median(of_target)),
        changes(quartiles(hashes)),
        changes((min(of_target), max(of_target))),
        change(statistics.median(of_promise)),
        change(statistics.median(per_machine)),
        f"{lowest * 100:+.0f}/{highest * 100:+.0f} %",
        verdict(met=lowest <= statistics.median(off) <= highest),
    )


def _middle(settings: Sequence[Mapping[str, int]]) -> Mapping[str, int]:
    """The one in the middle, in the order of the coarsest parameter first."""
    ordered = sorted(settings, key=lambda params: tuple(params.values()))
    return ordered[(len(ordered) - 1) // 2]
