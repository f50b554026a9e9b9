"""Logins that are predicted from a saved profile, with a fake hasher."""

from typing import Any

import pytest
from msgspec.structs import replace

from checks import widened
from fakes import MIB, STEPS, TWO_CPUS, FakeClock, FakeHasher, FakeLadder, limited_to, measure
from hashcost.core.cost_expressions import parse_cost
from hashcost.core.errors import UnreachableError, UsageError
from hashcost.core.profile import Concurrency, Profile
from hashcost.logins.model import CapacityComparison, Demand
from hashcost.logins.prediction import predicted_comparison
from hashcost.render.commands.capacity import comparison_document


@pytest.fixture
def origin(clock: FakeClock) -> Profile:
    """A profile of two CPUs and a cost that doubles the time, from 1.6 ms on."""
    hasher = FakeHasher(clock, knob=STEPS, seconds_per_unit=1e-4)
    return replace(measure(clock, hasher, target=0.06), machine=TWO_CPUS)


def predicted(origin: Profile, *costs: str, **options: Any) -> CapacityComparison:
    """The comparison of costs that are written as people type them."""
    return predicted_comparison([parse_cost(cost) for cost in costs], origin, **options)


def test_before_and_after(origin: Profile) -> None:
    """Two steps more take four times as long, so a quarter of the logins and four times the p95
    remain, and nothing is hashed.
    """
    before, after = predicted(origin, "fake=9", "fake=11").rows
    assert before.logins_per_second == pytest.approx(2 / 0.0512, rel=0.05)
    assert after.logins_per_second == pytest.approx(before.logins_per_second / 4)
    assert after.prediction.p95_seconds == pytest.approx(4 * before.prediction.p95_seconds)
    assert ({"cost": 9}, {"cost": 11}) == (before.prediction.params, after.prediction.params)
    assert before.prediction.workers == 2
    assert before.prediction.load == pytest.approx(0.7)
    assert before.is_predicted
    assert after.is_predicted


@pytest.mark.parametrize(("options", "cost"), [({}, 9), ({"target": 0.03}, 8)])
def test_a_cost_is_solved_where_none_is_given(
    options: dict[str, float], cost: int, origin: Profile
) -> None:
    """The cost is that of the profile's target, or of another one."""
    (row,) = predicted(origin, "fake", **options).rows
    assert {"cost": cost} == row.prediction.params


def test_the_highest_cost_for_a_demand(origin: Profile) -> None:
    """The cost holds the logins within the wanted p95, and the next one would not."""
    demand = Demand(logins_per_second=10.0, p95_seconds=0.2)
    (row,) = predicted(origin, "fake", demand=demand).rows
    assert {"cost": 9} == row.prediction.params
    assert row.prediction.arrivals_per_second == pytest.approx(10.0)
    assert row.prediction.p95_seconds <= 0.2


@pytest.mark.parametrize(("low", "high", "is_doubtful"), [(0.9, 1.2, False), (0.7, 1.1, True)])
def test_a_wide_interval_is_said(
    low: float, high: float, is_doubtful: bool, origin: Profile
) -> None:
    """A predicted row has the ± of its hash; beyond 25 % the answer says that it is uncertain."""
    measurement = widened(origin.measurements[0], low, high)
    found = predicted(replace(origin, measurements=(measurement,)), "fake=9")
    (answer,) = comparison_document(found).answer

    assert found.rows[0].error_fraction == pytest.approx(max(1 - low, high - 1))
    assert is_doubtful == found.rows[0].is_too_uncertain
    assert is_doubtful == (
        "; too uncertain at ±30%: measure again with `calibrate fake --effort precise" in answer
    )


def test_a_quota_takes_throughput_away(origin: Profile) -> None:
    """Under a quota of one and a half CPUs, two workers serve three quarters of the logins."""
    limited = replace(origin, machine=replace(TWO_CPUS, cpu_limit=limited_to(1.5)))
    (whole,), (part,) = predicted(origin, "fake=9").rows, predicted(limited, "fake=9").rows
    assert part.logins_per_second == pytest.approx(0.75 * whole.logins_per_second)


def test_memory_limits_the_workers(clock: FakeClock) -> None:
    """No more hashes run at once than have room; with room for none, no logins are served."""
    origin = replace(measure(clock, FakeLadder(clock), target=0.06), machine=TWO_CPUS)
    cost = "fake=memory=64,passes=1"
    room = Concurrency(at_once=2, memory_bytes=100 * MIB, process_bytes=0)
    (row,) = predicted(origin, cost, shared=room).rows
    assert (1, 64 * MIB) == (row.prediction.workers, row.memory_bytes)
    with pytest.raises(UnreachableError, match="raise --memory-total"):
        predicted(origin, cost, shared=replace(room, memory_bytes=MIB))


def test_a_single_cpu_has_one_worker(origin: Profile) -> None:
    """A second one would only take the CPU from the first."""
    alone = replace(origin, machine=replace(TWO_CPUS, cpu_count=1))
    (one,), (two,) = predicted(alone, "fake=9").rows, predicted(origin, "fake=9").rows
    assert 1 == one.prediction.workers
    assert two.logins_per_second == pytest.approx(2 * one.logins_per_second)


def test_only_what_the_profile_tells(origin: Profile) -> None:
    """A hasher that the profile does not have is refused, and so is a cost out of range."""
    with pytest.raises(UsageError, match="other is not in the profile"):
        predicted(origin, "other=9")
    with pytest.raises(UsageError, match="takes cost from 4 to 31"):
        predicted(origin, "fake=32")
