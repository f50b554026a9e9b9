"""Estimates pooled, and told apart."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashcost.fit.pooling import Estimate, clusters, estimate, pool


def _drawn(seed: int, count: int, *, error: float = 0.02, value: float = 0.0) -> list[Estimate]:
    chance = random.Random(seed)
    return [Estimate(value=chance.gauss(value, error), error=error) for _ in range(count)]


def test_a_time_with_its_interval() -> None:
    """Half of an interval's width is about two standard errors; without one little is known."""
    known = estimate(0.1, (math.exp(-0.04), math.exp(0.04)))

    assert math.log(0.1) == known.value
    assert math.isclose(0.02, known.error, rel_tol=0.03)
    assert estimate(0.1, None).error > 5 * known.error
    assert 0.01 == estimate(0.1, (1.0, 1.0)).error


def test_those_known_better_weigh_more() -> None:
    """Weights are inverse variances."""
    found = pool([Estimate(value=0.0, error=0.02), Estimate(value=0.01, error=0.04)])

    assert math.isclose(0.002, found.value, abs_tol=1e-12)
    assert 0.0 == found.between
    assert math.isclose(1 / math.sqrt(1 / 0.02**2 + 1 / 0.04**2), found.error)


def test_what_scatters_beyond_its_errors_has_a_spread() -> None:
    """A spread between hosts widens the interval, and does not go away with their number."""
    chance = random.Random(1)
    many = [Estimate(value=chance.gauss(0.0, 0.05), error=0.01) for _ in range(200)]
    found = pool(many)
    low, high = found.relative_interval

    assert math.isclose(0.05, found.between, rel_tol=0.15)
    assert low < 0.92
    assert high > 1.08


@pytest.mark.parametrize("count", [1, 2, 5, 20, 100, 200])
def test_noise_makes_no_second_cluster(count: int) -> None:
    """However many are drawn from one truth, hardly ever does one look like another machine."""
    several = sum(len(clusters(_drawn(seed, count))) > 1 for seed in range(100))

    assert several <= 5


@pytest.mark.parametrize("count", [1, 2, 10, 100])
def test_what_is_far_off_is_a_cluster(count: int) -> None:
    """One or several that are a quarter slower are told from many that are not."""
    slow = _drawn(1, count, value=math.log(1.25))
    found = clusters(_drawn(2, 30) + slow)

    assert [list(range(30)), list(range(30, 30 + count))] == [sorted(each) for each in found]


@given(
    values=st.lists(
        st.tuples(
            st.floats(min_value=-10, max_value=10), st.floats(min_value=0.01, max_value=0.2)
        ),
        max_size=50,
    )
)
def test_each_is_in_one_cluster(values: list[tuple[float, float]]) -> None:
    """Clusters are ordered, without overlap, and hold every estimate once."""
    estimates = [Estimate(value=value, error=error) for value, error in values]
    found = clusters(estimates)
    ordered = [estimates[index].value for cluster in found for index in cluster]

    assert sorted(range(len(values))) == sorted(index for each in found for index in each)
    assert sorted(ordered) == ordered


@given(
    st.lists(
        st.tuples(st.floats(1e-9, 1e9), st.floats(5e-324, 1), st.floats(1, 1e6)),
        min_size=1,
        max_size=5,
    )
)
def test_any_interval_is_pooled(told: list[tuple[float, float, float]]) -> None:
    """However wide an interval is, or however much one outweighs the others."""
    estimates = [estimate(seconds, (low, high)) for seconds, low, high in told]
    low, high = pool(estimates).relative_interval
    assert low < 1 < high
    found = [index for cluster in clusters(estimates) for index in cluster]
    assert sorted(found) == list(range(len(told)))
