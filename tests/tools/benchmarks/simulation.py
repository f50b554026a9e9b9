"""The estimator against recordings: thousands of runs in a minute, the same each time.

A run is some consecutive hashes of one setting, with the readings between them. Its curves were
learnt from the other recordings. A first run knows the quiet ratios of the CPU's model; a run
with history the levels of ten runs before it.
"""

import math
import random
import statistics
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Final

from hashcost.core.algorithms import guess_memory
from hashcost.core.measurement import Sample
from hashcost.fit.estimate import estimate
from hashcost.fit.level import Level, Probes, level_of
from hashcost.fit.model import Shape
from hashcost.fit.order_statistics import REACH
from hashcost.fit.slowdown import FULL, LIKE, Sensitivity
from hashcost.hashers.built_in import ALGORITHMS

from .learn import learnt
from .recording import JUDGED, LEARNT, Hash, Recording, windows
from .report import Report, Table, cpu_count, percent, verdict
from .settings import Settings

_SAMPLES: Final = {"memory": 8, "latency": 16, "throughput": 24}
"""About as many as a run takes."""
_EARLIER: Final = 10
_READINGS: Final = 100
_COVERED: Final = 0.93
_PAGE: Final = 4096
_UNKNOWN_OF_OTHERS: Final = 0.10
"""What is not known of a curve that only recordings of other machines tell."""


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What one run said of one hasher."""

    hasher: str
    error: float
    covered: bool
    half_width: float


def run(settings: Settings) -> Report:
    """Simulate every run on each recording, with curves learnt from the others."""
    del settings
    with ProcessPoolExecutor(cpu_count()) as pool:
        return Report(tables=list(pool.map(_judged, JUDGED)))


def answers(
    recording: Recording,
    curves: Mapping[str, Sensitivity],
    *,
    ratios: Probes | None,
    earlier: Sequence[Probes] = (),
    probes: int = 3,
    every: int = 1,
) -> Iterator[Answer]:
    """What each run on a recording says, or one in so many."""
    truth, hashes = recording.truth(), recording.hashes
    places: dict[tuple[str, tuple[int, ...]], list[int]] = {}
    for place, each in enumerate(hashes):
        places.setdefault(each.key, []).append(place)
    for (label, costs), found in places.items():
        if (label, costs) not in truth or label not in curves:
            continue
        count = _SAMPLES[LIKE.get(label.partition("@")[0], "throughput")]
        for window in [*windows(found, count)][::every]:
            during = [each.before for each in hashes[window[0] : window[-1] + 1]]
            level = level_of([each.only(probes) for each in during], earlier, ratios)
            assert level is not None
            own = [hashes[place] for place in window]
            yield _answer(own, curves[own[0].label], level, truth[own[0].key], probes)


def shape_of(hasher: str) -> Shape:
    """The shape of a built-in hasher."""
    algorithm = ALGORITHMS[hasher]
    return Shape(
        knobs=algorithm.knobs,
        lowest=algorithm.lowest,
        memory_bytes=lambda params: round(guess_memory(hasher, params) or 1024),
        page_bytes=_PAGE,
    )


def _answer(
    hashes: Sequence[Hash], curve: Sensitivity, level: Level, truth: float, probes: int
) -> Answer:
    hasher = hashes[0].label.partition("@")[0]
    shape = shape_of(hasher)
    samples = [
        Sample(
            params=each.params,
            cpu_seconds=each.seconds,
            wall_seconds=each.wall_seconds,
            page_faults=each.faults,
            slowdown=math.exp(
                curve.log_slowdown(
                    level.slowdown([each.before.only(probes), each.after.only(probes)]),
                    each.waited,
                )
            ),
        )
        for each in hashes
    ]
    found = estimate(
        shape, samples, seconds=lambda sample: sample.cpu_seconds, level=level, sensitivity=curve
    )
    # Of one setting a surface knows nothing but its time.
    seconds = statistics.median(sample.cpu_seconds / sample.slowdown for sample in samples)
    reach = REACH * found.timed.error
    unseen = 0.0
    if level.may_be_shared:
        unseen = curve.log_slowdown(FULL)
    low, high = math.exp(-reach - unseen), math.exp(reach)
    return Answer(
        hasher=hasher,
        error=seconds / truth - 1,
        covered=seconds * low <= truth <= seconds * high,
        half_width=max(1 - low, high - 1),
    )


def levels_in(recording: Recording, count: int = _EARLIER) -> list[Probes]:
    """The levels of earlier runs at random moments of a recording."""
    chance, found = random.Random(recording.name), list[Probes]()
    readings = [each.before for each in recording.hashes]
    for _ in range(count):
        at = chance.randrange(len(readings) - _READINGS)
        level = level_of(readings[at : at + _READINGS], found, recording.ratios)
        assert level is not None
        found.append(level.own)
    return found


def curves_from(names: Sequence[str]) -> dict[str, Sensitivity]:
    """The curves of these recordings."""
    return {
        label: Sensitivity(
            hasher=label,
            slopes=three[:-1],  # type: ignore[arg-type]
            without_memory=two[:-1],  # type: ignore[arg-type]
            waiting=three[-1],
            recordings=tuple(names),
            unknown=_UNKNOWN_OF_OTHERS,
        )
        for label, (three, two) in learnt(names).items()
    }


def _judged(name: str) -> Table:
    recording, others = Recording(name), [each for each in LEARNT if each != name]
    curves, ratios, levels = curves_from(others), recording.ratios, levels_in(recording)
    runs = {
        "first run, ratios known": list(answers(recording, curves, ratios=ratios)),
        "first run, nothing known": list(answers(recording, curves, ratios=None)),
        "with history": list(answers(recording, curves, ratios=ratios, earlier=levels)),
        "with history, two probes": list(
            answers(recording, curves, ratios=ratios, earlier=levels, probes=2)
        ),
    }
    return Table(
        title=f"{name}: curves learnt from the others",
        columns=("runs", "count", "error, 2.5 to 97.5 %", "covered", "±", "± at 95 %", "verdict"),
        rows=[_row(label, found) for label, found in runs.items()],
    )


def _row(label: str, found: Sequence[Answer]) -> tuple[str, ...]:
    errors, halves = sorted(a.error for a in found), sorted(a.half_width for a in found)
    covered = statistics.fmean(answer.covered for answer in found)
    low, high = errors[int(0.025 * len(errors))], errors[int(0.975 * len(errors))]
    return (
        label,
        str(len(found)),
        f"{100 * low:+.0f} to {100 * high:+.0f} %",
        percent(covered),
        percent(halves[len(halves) // 2]),
        percent(halves[int(0.95 * len(halves))]),
        verdict(met=covered >= _COVERED),
    )
