"""Truth: hashed by a plain script, does the recommended cost take what was said?

A linear cost is judged by the target; a step, of work or of memory, lies below it
and is judged by the time that was printed. The script follows each calibration at
once, one hasher at a time, because the machine's own speed moves within seconds.
"""

from __future__ import annotations

import json
import statistics
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from .fresh import command, module
from .reference import reference
from .report import Report, Table, change, changes, setting, verdict
from .settings import FIVE, MEMORY_HARD, STEP_HASHERS, TARGET_SECONDS, Settings, counter

_LIMITS: Final = (-0.05, 0.02)
_MEMORY_HARD_LIMITS: Final = (-0.08, 0.03)
_HASHES, _MEMORY_HARD_HASHES = 50, 30


@dataclass(frozen=True, kw_only=True)
class _Trial:
    """One calibration and the script after it."""

    hasher: str
    params: Mapping[str, int]
    promised_seconds: float
    plain_seconds: Sequence[float]
    machine: float
    """How much slower fixed work ran around the script than around the calibration."""

    @property
    def median(self) -> float:
        """The script's."""
        return statistics.median(self.plain_seconds)

    @property
    def due(self) -> float:
        """The time to judge by: the target, or for a step the promise."""
        step = self.hasher in STEP_HASHERS or self.hasher in MEMORY_HARD
        return self.promised_seconds if step else TARGET_SECONDS


def run(settings: Settings) -> Report:
    """Calibrate and hash in turn, each hasher several times."""
    repeats = settings.size(9, 2)
    show = counter("truth", repeats)
    trials: dict[str, list[_Trial]] = defaultdict(list)
    with command() as calibrate:

        def recommended(hasher: str) -> tuple[Mapping[str, int], float] | None:
            row = calibrate.calibrate(hasher).rows.get(hasher)
            return None if row is None else (row.params, row.time_seconds)

        hashers = list(calibrate.calibrate(*FIVE, *MEMORY_HARD).rows)
        for index in range(repeats):
            for hasher in hashers:
                trials[hasher] += _tried(hasher, recommended)
            show(index + 1)
    title = f"truth: CPU time of {_HASHES} hashes by a plain script, {_MEMORY_HARD_HASHES} where"
    return Report(
        [
            Table(
                title=f"{title} memory-hard; repeats: {repeats}",
                columns=(
                    *("hasher", "setting", "of target", "quartiles", "all medians"),
                    *("of promise", "per machine", "limit", "verdict"),
                ),
                rows=[_row(hasher, tried) for hasher, tried in sorted(trials.items()) if tried],
                notes=(
                    "of target: median of the scripts' medians; quartiles: of all their hashes",
                    "of promise: against the printed time, which is what a step (of bcrypt, or of",
                    "memory and passes) is judged by",
                    "per machine: what is judged, less what fixed work outside the tool moved",
                ),
            )
        ]
    )


def _tried(
    hasher: str, ask: Callable[[str], tuple[Mapping[str, int], float] | None]
) -> list[_Trial]:
    """One trial, or none if the answer was refused as too noisy."""
    before = reference()
    promise = ask(hasher)
    if promise is None:
        return []
    between = reference()
    params, promised_seconds = promise
    hashes = _MEMORY_HARD_HASHES if hasher in MEMORY_HARD else _HASHES
    script = module("plain", hasher, json.dumps(dict(params)), str(hashes))
    return [
        _Trial(
            hasher=hasher,
            params=params,
            promised_seconds=promised_seconds,
            plain_seconds=json.loads(script.output),
            machine=(between + reference()) / (before + between),
        )
    ]


def _row(hasher: str, trials: Sequence[_Trial]) -> tuple[str, ...]:
    lowest, highest = _MEMORY_HARD_LIMITS if hasher in MEMORY_HARD else _LIMITS
    off = [trial.median / trial.due - 1 for trial in trials]
    of_target = [trial.median / TARGET_SECONDS - 1 for trial in trials]
    of_promise = [trial.median / trial.promised_seconds - 1 for trial in trials]
    per_machine = [trial.median / trial.due / trial.machine - 1 for trial in trials]
    hashes = [taken / TARGET_SECONDS - 1 for trial in trials for taken in trial.plain_seconds]
    low, _, high = statistics.quantiles(hashes, n=4, method="inclusive")
    params = sorted((trial.params for trial in trials), key=lambda params: (*params.values(),))
    return (
        hasher,
        setting(params[(len(params) - 1) // 2]),
        change(statistics.median(of_target)),
        changes((low, high)),
        changes((min(of_target), max(of_target))),
        change(statistics.median(of_promise)),
        change(statistics.median(per_machine)),
        f"{lowest * 100:+.0f}/{highest * 100:+.0f} %",
        verdict(met=lowest <= statistics.median(off) <= highest),
    )
