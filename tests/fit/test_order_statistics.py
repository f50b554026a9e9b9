"""Order statistics against exact arithmetic."""

from __future__ import annotations

import random
from fractions import Fraction
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashcost.fit.order_statistics import (
    CONFIDENCE,
    FEWEST_FOR_SURE_TAIL,
    FEWEST_FOR_TAIL,
    FEWEST_SAMPLES,
    QUIET_SHARE,
    binomial_cdf,
    quantile,
    quiet_estimate,
    quiet_interval,
    upper_rank,
)

_TIMES = st.floats(min_value=1e-6, max_value=10.0)


def _exact_cdf(successes: int, trials: int, probability: Fraction) -> Fraction:
    return sum(
        (
            comb(trials, k) * probability**k * (1 - probability) ** (trials - k)
            for k in range(successes + 1)
        ),
        Fraction(0),
    )


@given(st.integers(0, 40), st.integers(1, 40), st.floats(0, 1, exclude_min=True, exclude_max=True))
def test_the_binomial_is_exact(successes: int, trials: int, probability: float) -> None:
    """The probability of so few successes equals that of exact fractions."""
    exact = _exact_cdf(min(successes, trials), trials, Fraction(probability))
    assert float(exact) == pytest.approx(
        binomial_cdf(min(successes, trials), trials, probability), abs=1e-12
    )


@pytest.mark.parametrize(("size", "quantile"), [(58, 0.95), (5, 0.6), (1, 0.5)])
def test_too_few_samples_exceed_no_high_quantile(size: int, quantile: float) -> None:
    """Where even the largest sample is not surely above the quantile, there is no rank."""
    assert upper_rank(size, quantile) is None


def test_59_samples_exceed_the_95th_percentile() -> None:
    """The largest of 59 samples is above the 95th percentile with 95 %."""
    assert upper_rank(59, 0.95) == 59


@pytest.mark.parametrize("size", range(FEWEST_SAMPLES, 61))
def test_the_upper_rank_is_the_lowest_that_holds(size: int) -> None:
    """The rank exceeds the quantile with 95 %, and the one below it would not."""
    quantile = Fraction(2, size + 1)
    rank = upper_rank(size, float(quantile))
    assert rank is not None
    assert _exact_cdf(rank - 1, size, quantile) >= Fraction(95, 100)
    assert _exact_cdf(rank - 2, size, quantile) < Fraction(95, 100)


@given(st.lists(_TIMES, min_size=1, max_size=5))
def test_few_values_have_no_quiet_interval(values: list[float]) -> None:
    """Fewer than six values are said to tell nothing about their error."""
    assert quiet_interval(values) is None


@given(st.lists(_TIMES, min_size=FEWEST_SAMPLES, max_size=40), st.randoms())
def test_the_quiet_interval_holds_the_point(values: list[float], order: random.Random) -> None:
    """The interval holds the quiet time, whatever the order of the values."""
    shuffled = list(values)
    order.shuffle(shuffled)
    interval = quiet_interval(shuffled)
    assert quiet_interval(values) == interval
    assert interval is not None
    assert interval[0] <= quiet_estimate(values) <= interval[1]


@pytest.mark.parametrize("size", [12, 40])
def test_the_quiet_interval_holds_the_quantile(size: int) -> None:
    """In simulated runs the interval holds the low quantile 19 times of 20."""
    chance = random.Random(1)
    runs, held = 2000, 0
    for _ in range(runs):
        interval = quiet_interval([chance.random() for _ in range(size)])
        assert interval is not None
        held += interval[0] <= QUIET_SHARE <= interval[1]
    assert held / runs >= CONFIDENCE - 0.005


def test_one_slow_burst_does_not_move_the_quiet_time() -> None:
    """Half as many samples that were held up move neither the estimate nor its lower end far."""
    quiet = [1.00, 1.01, 1.02, 1.03, 1.04, 1.05, 1.06, 1.07]
    bursty = [*quiet, 9.0, 9.0, 9.0, 9.0]
    assert quiet_estimate(quiet) == pytest.approx(quiet_estimate(bursty), rel=0.03)
    before, after = quiet_interval(quiet), quiet_interval(bursty)
    assert before is not None
    assert after is not None
    assert before[0] == pytest.approx(after[0], rel=0.03)


@given(st.lists(_TIMES, min_size=2, max_size=40))
def test_the_quiet_time_is_no_fluke(values: list[float]) -> None:
    """The estimate is one of the values in the lower half, whatever the largest becomes."""
    point, ordered = quiet_estimate(values), sorted(values)
    assert point in ordered[: (len(ordered) + 1) // 2]
    assert point == quiet_estimate([*ordered[:-1], 100.0])


def test_one_of_many_that_is_too_short_is_not_the_quiet_time() -> None:
    """A single time that cannot be true does not become the estimate."""
    assert quiet_estimate([1e-3] + [1.0] * 11) == 1.0


def test_a_few_samples_and_many_agree() -> None:
    """A long run of noise that only ever slows down answers what a short one does."""
    chance = random.Random(2)
    values = [1.0 + chance.expovariate(200) for _ in range(1000)]
    assert quiet_estimate(values[:12]) == pytest.approx(quiet_estimate(values), rel=0.005)


@pytest.mark.parametrize(
    ("share", "value"), [(0.5, 50), (0.95, 95), (0.951, 96), (0.001, 1), (1.0, 100)]
)
def test_a_quantile_is_one_of_the_values(share: float, value: int) -> None:
    """Of a hundred values, that many hundredths do not exceed the quantile."""
    assert value == quantile([float(number) for number in range(100, 0, -1)], share)


@given(st.lists(_TIMES, min_size=1, max_size=100), st.floats(0.01, 0.99))
def test_a_quantile_has_its_share_below(values: list[float], share: float) -> None:
    """At least the share of the values does not exceed the quantile, and fewer the next lower."""
    found = quantile(values, share)
    assert sum(value <= found for value in values) >= share * len(values) - 1e-6
    assert sum(value < found for value in values) <= share * len(values) + 1e-6


def test_how_many_a_95th_percentile_takes() -> None:
    """From 59 on the largest lies beyond the true one with 95 % confidence; of fewer than 20 not
    one lies beyond it.
    """
    assert 1 - 0.95**FEWEST_FOR_SURE_TAIL > CONFIDENCE > 1 - 0.95 ** (FEWEST_FOR_SURE_TAIL - 1)
    assert FEWEST_FOR_SURE_TAIL == next(n for n in range(1, 99) if upper_rank(n, 0.95) == n)
    assert 1 == FEWEST_FOR_TAIL * 0.05
