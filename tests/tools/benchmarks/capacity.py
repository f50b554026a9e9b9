"""Capacity: does a plain server meet what `calibrate capacity` foresees at 70 % load?

The command measures, a script of its own serves random logins at the rate that was
foreseen, the command measures again: the machine's own speed moves meanwhile. How a
few hundred logins fare is for a good part a matter of how closely they happen to
come, so what is judged is the script against what the measurements on both sides of
it foresee for the very moments at which its logins were due.
"""

from __future__ import annotations

import json
import os
import random
import statistics
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from hashcost.fit.order_statistics import quantile
from hashcost.logins import queue_simulation as queueing

from .fresh import Command, command, module
from .report import Report, Table, change, percent, setting, verdict
from .settings import Settings, counter

_COSTS: Final = {
    "bcrypt=10": ("bcrypt", {"cost": 10}),
    "pbkdf2-sha256=50000": ("pbkdf2-sha256", {"iterations": 50_000}),
}
_SECONDS: Final = 20.0
_LIMIT: Final = 0.10
_REDRAWS: Final = 200
_QUIET: Final = 0.1
_DRAWS_OF_WORK: Final = 20


@dataclass(frozen=True, kw_only=True)
class _Foreseen:
    """What one run of the command says."""

    rate: float
    p50: float
    p95: float
    workers: int
    served: queueing.Service

    def p_of(self, due: Sequence[float], share: float) -> float:
        """A quantile of the responses of logins that are due at these moments."""
        chance = random.Random(2)
        return statistics.mean(
            quantile(
                queueing.respond(
                    self.served, due, queueing.works_like(self.served, len(due), chance)
                ),
                share,
            )
            for _ in range(_DRAWS_OF_WORK)
        )


@dataclass(frozen=True, kw_only=True)
class _Trial:
    """The script, between two runs of the command."""

    before: _Foreseen
    after: _Foreseen
    lasted: float
    due: Sequence[float]
    responses: Sequence[float]
    others: float
    """CPUs that other processes burnt meanwhile, from the run before to the run after."""

    @property
    def rate(self) -> float:
        """What the script got done, against what was foreseen."""
        return len(self.responses) / self.lasted / self.before.rate

    def printed(self, share: float) -> float:
        """A quantile of the script's against the one that was printed before it."""
        foreseen = self.before.p50 if share < 0.9 else self.before.p95
        return quantile(self.responses, share) / foreseen

    def alike(self, share: float) -> float:
        """The same against what the runs on both sides foresee for the same arrivals."""
        foreseen = [run.p_of(self.due, share) for run in (self.before, self.after)]
        return quantile(self.responses, share) / statistics.mean(foreseen)


class _Meter:
    """CPU time of the machine that is not of this process's children."""

    def __init__(self) -> None:
        self._wall, self._others = time.perf_counter(), self._now()

    def read(self) -> float:
        """CPUs that others burnt, on average, since it was read last."""
        wall, others = self._wall, self._others
        self._wall, self._others = time.perf_counter(), self._now()
        return (self._others - others) / (self._wall - wall)

    @staticmethod
    def _now() -> float:
        fields = Path("/proc/stat").read_text("utf-8").split(maxsplit=9)[1:9]
        user, nice, system, _, _, irq, softirq, steal = map(int, fields)
        busy = (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")
        own = os.times()
        return busy - own.children_user - own.children_system


def run(settings: Settings) -> Report:
    """Measure and serve in turn, for each hasher several times."""
    repeats = settings.size(7, 1)
    show = counter("capacity", repeats * len(_COSTS))
    trials: dict[str, list[_Trial]] = {name: [] for name in _COSTS}
    with command() as calibrate:
        for done, (name, (hasher, params)) in enumerate(_COSTS.items()):
            meter = _Meter()
            before = _foresee(calibrate, name)
            for index in range(repeats):
                script = module(
                    "plain_load",
                    hasher,
                    json.dumps(params),
                    str(before.rate),
                    str(_SECONDS),
                    str(before.workers),
                )
                after = _foresee(calibrate, name)
                found = json.loads(script.output)
                trials[name].append(
                    _Trial(before=before, after=after, others=meter.read(), **found)
                )
                before = after
                show(done * repeats + index + 1)
    return Report(
        tables=[_table(trials, repeats)],
        runs=[
            {
                "cost": name,
                "foreseen_rate": trial.before.rate,
                "foreseen_p50": [trial.before.p50, trial.after.p50],
                "foreseen_p95": [trial.before.p95, trial.after.p95],
                "others": trial.others,
                "lasted": trial.lasted,
                "responses": list(trial.responses),
            }
            for name, found in trials.items()
            for trial in found
        ],
    )


def _foresee(calibrate: Command, name: str) -> _Foreseen:
    """Run the command; what it prints is kept, with the levels that it rests on."""
    found: dict[str, Any] = json.loads(
        calibrate.call("capacity", name, "--format", "json", "--quiet").output
    )
    prediction, levels = found["prediction"], found["levels"]
    workers = prediction["workers"]
    [chosen] = [level for level in levels if level["threads"] == workers]
    return _Foreseen(
        rate=prediction["arrivals_per_second"],
        p50=prediction["p50_seconds"],
        p95=prediction["p95_seconds"],
        workers=workers,
        served=queueing.service(
            {level["threads"]: level["p50_seconds"] for level in levels},
            workers,
            [seconds / chosen["p50_seconds"] for seconds in chosen["latency_seconds"]],
        ),
    )


def _table(trials: Mapping[str, Sequence[_Trial]], repeats: int) -> Table:
    return Table(
        title=f"capacity: {_SECONDS:.0f} s of random logins served by a plain script at the rate"
        f" foreseen; repeats: {repeats}",
        columns=(
            "hasher",
            "setting",
            "logins",
            "rate held",
            "p50",
            "p95",
            "p50 alike",
            "p95 alike",
            "all p95 alike",
            "chance",
            "quiet",
            "verdict",
        ),
        rows=[_row(name, found) for name, found in trials.items()],
        notes=(
            "p50, p95: the script's against what was printed before it, medians; alike: against",
            "what the runs on both sides foresee for the same arrivals, which is judged",
            "chance: how far the p95 of one script's run lies from the printed one by its draw",
            "of arrivals alone (standard deviation, simulated); alike has none of it",
            f"quiet: repeats in which others burnt less than {_QUIET:.1f} CPUs; these alone count",
            "where there are any",
            f"limit: {_LIMIT * 100:.0f} % for each",
        ),
    )


def _row(name: str, trials: Sequence[_Trial]) -> tuple[str, ...]:
    hasher, params = _COSTS[name]
    quiet = [trial for trial in trials if trial.others < _QUIET]
    share = f"{len(quiet)} of {len(trials)}"
    trials = quiet or trials
    rate = statistics.median(trial.rate for trial in trials) - 1
    alike = {
        share: statistics.median(trial.alike(share) for trial in trials) - 1
        for share in (0.5, 0.95)
    }
    ratios = [trial.alike(0.95) - 1 for trial in trials]
    return (
        hasher,
        setting(params),
        str(round(statistics.median(len(trial.responses) for trial in trials))),
        change(rate),
        change(statistics.median(trial.printed(0.5) for trial in trials) - 1),
        change(statistics.median(trial.printed(0.95) for trial in trials) - 1),
        change(alike[0.5]),
        change(alike[0.95]),
        f"{min(ratios) * 100:+.0f} … {max(ratios) * 100:+.0f} %",
        percent(_chance(trials[0])),
        share,
        verdict(met=max(abs(rate), *map(abs, alike.values())) <= _LIMIT),
    )


def _chance(trial: _Trial) -> float:
    """How far the p95 of so many logins moves by chance, as a share of it."""
    served, count = trial.before.served, len(trial.responses)
    chance = random.Random(1)
    found = []
    for _ in range(_REDRAWS):
        due = queueing.schedule(count, count / trial.before.rate, chance)
        works = queueing.works_like(served, count, chance)
        found.append(quantile(queueing.respond(served, due, works), 0.95))
    return statistics.stdev(found) / statistics.mean(found)
