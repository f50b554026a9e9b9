"""What is timed next, for one hasher."""

from __future__ import annotations

import math
from collections import Counter

import pytest

from fakes import LINEAR, MIB, PASSES, STEPS, FakeClock, FakeHasher, FakeLadder, measure
from hashcost.core.measurement import Measurement
from hashcost.measure.effort import FAST, NORMAL, PRECISE, Effort


def only(
    clock: FakeClock, hasher: FakeHasher, target: float, effort: Effort = NORMAL
) -> Measurement:
    """What was measured of one hasher."""
    (found,) = measure(clock, hasher, target=target, effort=effort).measurements
    return found


@pytest.mark.parametrize("knob", [LINEAR, STEPS], ids=["linear", "log2"])
@pytest.mark.parametrize("target", [0.04, 1.0, 30.0])
def test_a_linear_cost_is_timed_short_and_often(
    clock: FakeClock, knob: object, target: float
) -> None:
    """However long the target, no hash takes more than a few milliseconds."""
    found = only(clock, FakeHasher(clock, knob=knob), target)  # type: ignore[arg-type]
    by_params = Counter(sample.key for sample in found.samples)
    assert max(sample.cpu_seconds for sample in found.samples) < 5e-3
    assert max(by_params.values()) >= NORMAL.samples
    assert by_params[min(by_params)] >= 6


@pytest.mark.parametrize("effort", [FAST, NORMAL, PRECISE], ids=["fast", "normal", "precise"])
def test_effort_is_a_number_of_samples(clock: FakeClock, effort: Effort) -> None:
    """A steady machine is sampled as often as the effort says, and no more."""
    found = only(clock, FakeHasher(clock), 0.04, effort=effort)
    most = max(Counter(sample.key for sample in found.samples).values())
    assert effort.samples <= most <= effort.samples + 2


@pytest.mark.parametrize("target", [0.04, 0.25, 1.0, 3.0])
def test_memory_takes_a_few_hashes_and_no_more_than_the_answer(
    clock: FakeClock, target: float
) -> None:
    """The time of a run grows like the target, not like the settings that there are."""
    ladder = FakeLadder(clock, seconds_per_unit=0.6e-3, cliff=32, page_seconds=2.9e-6)
    found = only(clock, ladder, target)
    answer = max(
        found.fitted.curves,
        key=lambda curve: curve.memory_bytes * (curve.seconds(1) <= target),
    )
    assert len(found.samples) <= 16
    assert sum(sample.cpu_seconds for sample in found.samples) <= 4 * target
    largest = max(sample.params["memory"] * MIB for sample in found.samples)
    assert largest <= max(answer.memory_bytes, 32 * MIB)
    assert max(sample.cpu_seconds for sample in found.samples) <= max(1.1 * target, 0.05)


@pytest.mark.parametrize("target", [0.04, 0.1, 0.25, 1.0])
@pytest.mark.parametrize("cliff", [None, 8, 32, 256])
def test_the_surface_tells_what_every_setting_takes(
    clock: FakeClock, target: float, cliff: int | None
) -> None:
    """Up to the target, on reused memory and on fresh."""
    ladder = FakeLadder(clock, filling=5e-5, cliff=cliff, page_seconds=2e-6)
    profile = measure(clock, ladder, target=target)
    (found,), (row,) = profile.measurements, profile.recommendations
    true = ladder.cpu_seconds(row.params)
    assert row.time_seconds == pytest.approx(true, rel=0.03)
    low, high = row.interval_seconds
    assert low <= true <= high
    for curve in found.fitted.curves:
        if curve.seconds(1) <= target and cliff in {None, 32}:
            assert curve.seconds(1) == pytest.approx(ladder.cpu_seconds(curve.params), rel=0.12)


def test_the_answer_is_the_strongest_that_fits(clock: FakeClock) -> None:
    """By a search of every setting, with the true times."""
    for cliff, target in ((None, 0.05), (16, 0.05), (32, 0.1), (32, 0.25)):
        ladder = FakeLadder(clock, name="scrypt", filling=1e-4, cliff=cliff, page_seconds=3e-6)
        (row,) = measure(clock, ladder, target=target).recommendations
        fitting = [
            (memory * memory * passes, memory, passes)
            for memory in ladder.knob.steps
            for passes in range(1, 300)
            if ladder.cpu_seconds({"memory": memory, "passes": passes}) <= target
        ]
        best = max(fitting)[0]
        own = row.params["memory"] ** 2 * row.params["passes"]
        assert ladder.cpu_seconds(row.params) <= target * 1.03
        assert own >= 0.85 * best


def test_cold_hashes_are_known_by_their_fresh_memory(clock: FakeClock) -> None:
    """The first hashes of a size get fresh memory of any allocator; later ones do not."""
    seen: Counter[int] = Counter()

    class Cold(FakeLadder):
        def fresh_pages(self, params: dict[str, int]) -> int:
            seen[params["memory"]] += 1
            # Asked for twice a hash.
            return params["memory"] * 256 if seen[params["memory"]] <= 4 else 0

    ladder = Cold(clock, passes=PASSES, page_seconds=3e-6)
    (row,) = measure(clock, ladder, target=0.02).recommendations
    warm = FakeLadder(clock, passes=PASSES).cpu_seconds(row.params)
    assert row.time_seconds == pytest.approx(warm, rel=0.05)
    assert math.isclose(warm, 0.02, rel_tol=0.25)
