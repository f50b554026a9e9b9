"""A changed clock, library or page size, on recordings: the run's own times stand."""

import statistics
from dataclasses import replace

import msgspec
import pytest

from hashcost.core.measurement import Reading, Sample
from hashcost.fit.estimate import Estimate, estimate
from hashcost.fit.level import Level
from hashcost.fit.slowdown import sensitivity_of
from tools.benchmarks.recording import Hash, Recording
from tools.benchmarks.simulation import Answer, answers, curves_from, levels_in, shape_of

QUIET, WITHOUT_SHA, HUGE = map(Recording, ("everything-4", "sha-off-1", "huge-pages-1"))


def found_in(recording: Recording, history: Recording, every: int = 5) -> list[Answer]:
    """Runs on a recording whose history is of another one."""
    curves = {label: sensitivity_of(*label.split("@")) for label, _ in recording.series()}
    levels = levels_in(history)
    return list(answers(recording, curves, ratios=None, earlier=levels, every=every))


def shares(found: list[Answer]) -> tuple[float, float]:
    """The share of the intervals that hold the time, and the error in the middle."""
    return (
        statistics.fmean(answer.covered for answer in found),
        statistics.median(answer.error for answer in found),
    )


@pytest.mark.parametrize(
    ("now", "before"), [(WITHOUT_SHA, QUIET), (QUIET, WITHOUT_SHA)], ids=["off", "on again"]
)
def test_another_library_is_not_taken_for_a_neighbour(now: Recording, before: Recording) -> None:
    """Without the CPU's SHA instructions PBKDF2 takes 1.6 times as long, and memory does not."""
    share, error = shares(found_in(now, before, every=1 if now is WITHOUT_SHA else 5))
    assert share >= 0.93
    assert abs(error) <= 0.02


@pytest.mark.parametrize("factor", [1.25, 0.8], ids=["slower", "quicker"])
def test_another_clock_is_not_taken_for_a_neighbour(factor: float) -> None:
    """Made of a recording: all times are multiplied from the middle on."""
    changed = Recording(QUIET.name)
    middle = len(QUIET.hashes) // 2
    later = [slowed(each, factor) for each in QUIET.hashes[middle:]]
    vars(changed)["hashes"] = later
    share, error = shares(found_in(changed, QUIET, every=3))
    assert share >= 0.93
    assert abs(error) <= 0.03


def slowed(timed: Hash, factor: float) -> Hash:
    """The hash and the readings around it on a clock that is slower by this factor."""
    return replace(
        timed,
        seconds=timed.seconds * factor,
        wall_seconds=timed.wall_seconds * factor,
        before=slowed_reading(timed.before, factor),
        after=slowed_reading(timed.after, factor),
    )


def slowed_reading(reading: Reading, factor: float) -> Reading:
    """The reading on that clock."""
    memory = reading.memory_seconds
    assert memory is not None
    return msgspec.structs.replace(
        reading,
        throughput_seconds=reading.throughput_seconds * factor,
        latency_seconds=reading.latency_seconds * factor,
        memory_seconds=memory * factor,
    )


def surface_in(recording: Recording, *earlier: Estimate) -> Estimate:
    """The surface of argon2id by all its hashes on a recording."""
    label = "argon2id@argon2-cffi"
    samples = [
        Sample(
            params=each.params,
            cpu_seconds=each.seconds,
            wall_seconds=each.seconds,
            page_faults=each.faults,
        )
        for each in recording.hashes
        if each.label == label
    ]
    return estimate(
        shape_of("argon2id"),
        samples,
        seconds=lambda sample: sample.cpu_seconds,
        level=Level(quiet=(0.0, 0.0, 0.0), error=0.03, own=(0.0, 0.0, 0.0)),
        sensitivity=sensitivity_of(*label.split("@")),
        earlier=[each.timed for each in earlier],
    )


def test_huge_pages_are_known_by_the_faults() -> None:
    """With them no memory is fresh, and runs without them do not say what it costs."""
    small = surface_in(QUIET)
    huge = surface_in(HUGE, *[small] * 3)
    assert small.fitted.surface is not None
    assert huge.fitted.surface is not None
    assert small.fitted.surface.fresh_from_bytes == 32 << 20
    assert huge.fitted.surface.fresh_from_bytes is None
    assert huge.fitted.surface.fresh == 0
    memory = 64 << 20
    alike = [each.seconds for each in HUGE.hashes if each.key[1] == (65536, 2, 1)]
    assert huge.fitted.surface.seconds(memory, 2) == pytest.approx(
        statistics.median(alike), rel=0.05
    )


def test_the_curves_of_other_machines_hold_on_a_quiet_one() -> None:
    """A CPU of a family that none of the learnt recordings has: first runs there are covered."""
    curves = curves_from(("everything-1", "everything-2"))
    found = list(answers(QUIET, curves, ratios=None, every=6))
    share, error = shares(found)
    assert share >= 0.93
    assert abs(error) <= 0.02
