"""The estimator against recordings of real machines.

`python -m tests.tools.benchmarks simulation` judges each recording by curves learnt from the
others. Here the shipped curves are held to what they reach, on some of the recordings.
"""

import dataclasses
import math
import random
import statistics
from collections.abc import Sequence
from functools import cache
from typing import Any

import msgspec
import pytest

from corpora import cases
from hashcost.core.measurement import Sample, Timed
from hashcost.fit.curves import curve_at
from hashcost.fit.estimate import Estimate, estimate
from hashcost.fit.level import WANDER, Level, level_of
from hashcost.fit.model import Shape
from hashcost.fit.order_statistics import REACH
from hashcost.fit.slowdown import Sensitivity, sensitivity_of
from hashcost.hashers.built_in import ALGORITHMS
from tools.benchmarks.learn import document
from tools.benchmarks.recording import Recording
from tools.benchmarks.simulation import Answer, answers, levels_in

PROBES_CPU, EVERYTHING, SURFACE = map(Recording, ("probes-cpu", "everything-1", "surface"))
LOADED, WAITING, QUIET = map(Recording, ("everything-2", "everything-3", "everything-4"))
EVERY = {"probes-cpu": 3, "busy-1": 3, "neighbours-3": 2}
EVERY |= {"everything-1": 7, "everything-2": 4, "everything-3": 6, "everything-4": 7}
"""One in so many runs is judged, so that the whole takes seconds."""


@cache
def curves(recording: Recording) -> dict[str, Sensitivity]:
    """The shipped ones."""
    return {label: sensitivity_of(*label.split("@")) for label, _ in recording.series()}


def first_runs(recording: Recording, **known: Any) -> list[Answer]:
    """Runs without a history, if it is not given."""
    ratios, every = recording.ratios, EVERY[recording.name]
    return list(answers(recording, curves(recording), ratios=ratios, every=every, **known))


def known_runs(recording: Recording, probes: int = 3) -> list[Answer]:
    """Runs after ten others."""
    return first_runs(recording, earlier=levels_in(recording), probes=probes)


def covered(found: Sequence[Answer]) -> float:
    """The share of the intervals that hold the quiet time."""
    return statistics.fmean(answer.covered for answer in found)


def spread(found: Sequence[Answer]) -> float:
    """19 in 20 errors are no larger."""
    return sorted(abs(answer.error) for answer in found)[int(0.95 * len(found))]


def half_width(found: Sequence[Answer]) -> float:
    """That of the middle interval."""
    return statistics.median(answer.half_width for answer in found)


@pytest.mark.parametrize(
    ("recording", "most", "width"),
    [
        (PROBES_CPU, 0.07, 0.125),
        (EVERYTHING, 0.07, 0.094),
        (LOADED, 0.08, 0.106),
        (WAITING, 0.115, 0.115),
        (QUIET, 0.075, 0.075),
    ],
    ids=lambda each: getattr(each, "name", ""),
)
def test_first_runs(recording: Recording, most: float, width: float) -> None:
    """The intervals of first runs hold the quiet time 93 times in 100, and are as wide as the
    readings scatter.
    """
    found = first_runs(recording)
    assert covered(found) >= 0.93
    assert spread(found) <= most
    assert half_width(found) == pytest.approx(width, abs=0.01)


@pytest.mark.parametrize(
    ("recording", "probes", "share", "most"),
    [
        (PROBES_CPU, 3, 0.98, 0.065),
        (PROBES_CPU, 2, 0.97, 0.09),
        (LOADED, 3, 0.94, 0.085),
        (EVERYTHING, 3, 0.94, 0.07),
        (WAITING, 3, 0.93, 0.09),
        (QUIET, 3, 0.93, 0.07),
    ],
    ids=["busy", "two probes", "another CPU", "every hasher", "waiting", "quiet"],
)
def test_runs_with_history(recording: Recording, probes: int, share: float, most: float) -> None:
    """They know the level, and reach 10 %."""
    found = known_runs(recording, probes)
    assert covered(found) >= share
    assert spread(found) <= most
    assert 0.065 <= half_width(found) <= 0.10


@pytest.mark.parametrize(("name", "share"), [("busy-1", 0.92), ("neighbours-3", 0.92)])
def test_two_probes_do_without_the_one_bound_by_memory(name: str, share: float) -> None:
    """Where no library has it, runs with and without a history still lean to neither side."""
    recording = Recording(name)
    for found in (first_runs(recording), known_runs(recording, 2)):
        assert covered(found) >= share
        assert abs(statistics.median(answer.error for answer in found)) <= 0.02


def test_the_shipped_curves_are_those_of_the_recordings() -> None:
    """`python -m tests.tools.benchmarks.learn --write` makes the very file."""
    told = document()
    for row in told["sensitivity"]:  # type: ignore[attr-defined]
        shipped = sensitivity_of(*row["hasher"].split("@")) if "@" in row["hasher"] else None
        if shipped is not None:
            assert shipped.slopes == pytest.approx(row["slopes"], abs=1e-3)
            assert shipped.without_memory == pytest.approx(row["without_memory"], abs=1e-3)
            assert shipped.waiting == pytest.approx(row.get("waiting", 0.0), abs=1e-3)
            assert shipped.unknown == row["unknown"]


def figures() -> list[float]:
    """What runs on two recordings reach, with and without a history or known ratios."""
    recording = Recording(PROBES_CPU.name)
    unknown = answers(recording, curves(PROBES_CPU), ratios=None, every=EVERY[recording.name])
    third = first_runs(recording, earlier=levels_in(recording, 2))
    kinds = known_runs(recording), third, first_runs(recording), list(unknown)
    leaning = [statistics.median(answer.error for answer in found) for found in kinds]
    linear = [*map(half_width, kinds), *leaning, *map(spread, kinds), *map(covered, kinds)]
    return [*linear, *surface_figures()]


def surface_figures() -> list[float]:
    """The intervals of surfaces with and without probes, early and late in a history."""
    samples, chance = surface_samples(), random.Random(1)
    level = level_of([each.before for each in SURFACE.hashes[:200]], [SURFACE_QUIET] * 10)
    assert level is not None
    two = dataclasses.replace(level, quiet=level.quiet[:2])

    def run(slower: float, known: Level | None, earlier: Sequence[Timed] = ()) -> Estimate:
        taken = [chance.choice(samples[anchor]) for anchor in ANCHORS[0]]
        return surface_of(
            [
                msgspec.structs.replace(
                    each,
                    slowdown=1.3 * each.slowdown,
                    cpu_seconds=1.3 * each.cpu_seconds * slower ** each.params["time_cost"],
                    page_faults=round(0.6 * each.page_faults),
                )
                for each in taken
            ],
            known,
            earlier,
        )

    runs: list[Timed] = []
    for _ in range(14):
        runs.append(run(1.0, level, runs).timed)
    kinds = run(1, None), run(1, two), run(1, level), run(1, level, runs), run(1.5, level, runs)
    surfaces = [each.fitted for each in kinds]
    ends = [end for each in surfaces for c in each.curves[4:40:9] for end in c.relative_interval]
    fresh = [each.surface.fresh * 1e3 for each in surfaces if each.surface is not None]
    return [*ends, *fresh, *(each.earlier_runs for each in kinds)]


def test_replayed_recordings_give_the_same_figures() -> None:
    """Errors, intervals and the runs that are pooled stay within 0.002."""
    expected = cases(__file__, "recordings.toml", "figures")
    assert figures() == pytest.approx(expected, abs=0.002)


@cache
def surface_samples() -> dict[tuple[int, int], list[Sample]]:
    """argon2id at 14 memories and three numbers of passes, each corrected."""
    quiet = tuple(map(math.log, SURFACE.quiet))
    level = level_of([each.before for each in SURFACE.hashes], [quiet] * 10)
    assert level is not None
    curve = sensitivity_of("argon2id", "argon2-cffi")
    found: dict[tuple[int, int], list[Sample]] = {}
    for each in SURFACE.hashes:
        if each.label == "argon2id@argon2-cffi":
            memory = each.params["memory_kib"]
            around = level.slowdown([each.before, each.after])
            sample = Sample(
                params=each.params,
                cpu_seconds=each.seconds,
                wall_seconds=each.seconds,
                page_faults=memory // 4 if memory >= 32 * 1024 else 0,
                slowdown=math.exp(curve.log_slowdown(around)),
            )
            found.setdefault((memory // 1024, each.params["time_cost"]), []).append(sample)
    return found


ANCHORS = (
    ((46, 1), (36, 1), (31, 1), (16, 1), (16, 2), (4, 1), (31, 2), (31, 2)),
    ((64, 1), (36, 1), (31, 1), (24, 1), (16, 2), (8, 1), (4, 1), (46, 2), (46, 2)),
)
SURFACE_QUIET = tuple(map(math.log, SURFACE.quiet))
ARGON2ID = ALGORITHMS["argon2id"]
SHAPE = Shape(
    knobs=ARGON2ID.knobs,
    lowest=ARGON2ID.lowest,
    memory_bytes=lambda params: params["memory_kib"] * 1024,
    page_bytes=4096,
)


def surface_of(
    taken: Sequence[Sample], level: Level | None, earlier: Sequence[Timed] = ()
) -> Estimate:
    """What these hashes of argon2id say."""
    return estimate(
        SHAPE,
        taken,
        seconds=lambda sample: sample.cpu_seconds,
        level=level,
        sensitivity=sensitivity_of("argon2id", "argon2-cffi"),
        earlier=earlier,
    )


SHARED = REACH * WANDER
"""The least that the interval of any run reaches by the error of its level."""


@pytest.mark.parametrize("anchors", ANCHORS, ids=["40 ms", "100 ms"])
def test_eight_hashes_tell_every_setting(anchors: Sequence[tuple[int, int]]) -> None:
    """All 42 settings, from 4 to 128 MiB: 19 in 20 times within 9 %, and in the interval."""
    samples = surface_samples()
    level = level_of([each.before for each in SURFACE.hashes[:200]], [SURFACE_QUIET] * 10)
    chance = random.Random(1)
    errors: list[float] = []
    held: list[bool] = []
    for _ in range(25):
        taken = [chance.choice(samples[anchor]) for anchor in anchors]
        fitted = surface_of(taken, level).fitted
        assert fitted.surface is not None
        for (memory, passes), alike in samples.items():
            true = statistics.median(each.cpu_seconds / each.slowdown for each in alike)
            params = {**ARGON2ID.lowest, "memory_kib": memory * 1024}
            curve = curve_at(fitted.surface, SHAPE, params, (SHARED, SHARED))
            low, high = curve.relative_interval
            errors.append(abs(curve.seconds(passes) / true - 1))
            held.append(low <= true / curve.seconds(passes) <= high)
    assert sorted(errors)[int(0.95 * len(errors))] <= 0.09
    assert statistics.median(errors) <= 0.03
    assert statistics.fmean(held) >= 0.93
