"""Order statistics against exact arithmetic."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from fractions import Fraction
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashcost.fit.order_statistics import (
    BLOCK,
    CONFIDENCE,
    FEWEST_FOR_SURE_TAIL,
    FEWEST_FOR_TAIL,
    FEWEST_SAMPLES,
    binomial_cdf,
    median_ranks,
    prediction_interval,
    quantile,
    quiet_estimate,
    quiet_interval,
    second_smallest,
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


@given(st.integers(0, 40), st.integers(1, 40), st.floats(min_value=0.0, max_value=1.0))
def test_the_binomial_is_exact(successes: int, trials: int, probability: float) -> None:
    """The probability of so few successes equals that of exact fractions."""
    exact = _exact_cdf(min(successes, trials), trials, Fraction(probability))
    assert float(exact) == pytest.approx(
        binomial_cdf(min(successes, trials), trials, probability), abs=1e-12
    )


@pytest.mark.parametrize(
    ("values", "second"),
    [([3.0], 3.0), ([3.0, 1.0], 1.0), ([3.0, 1.0, 2.0], 2.0), ([5.0, 1.0, 9.0, 2.0], 2.0)],
)
def test_the_point_is_the_second_smallest(values: list[float], second: float) -> None:
    """The point estimate is the second of the ordered values; of one or two, the smallest."""
    assert second == second_smallest(values)


@pytest.mark.parametrize(
    ("size", "ranks"),
    [(6, (1, 6)), (9, (2, 8)), (12, (3, 10)), (15, (4, 12)), (20, (6, 15))],
)
def test_the_median_lies_between_these_ranks(size: int, ranks: tuple[int, int]) -> None:
    """The interval for a median takes the ranks of the published table."""
    assert ranks == median_ranks(size)


@pytest.mark.parametrize("size", range(FEWEST_SAMPLES))
def test_five_samples_have_no_interval(size: int) -> None:
    """Fewer than six samples are not given an interval."""
    assert median_ranks(size) is None


@pytest.mark.parametrize("size", range(FEWEST_SAMPLES, 61))
def test_the_ranks_are_the_narrowest_that_hold(size: int) -> None:
    """The ranks enclose the median with 95 %, and the next narrower pair would not."""
    ranks = median_ranks(size)
    assert ranks is not None
    low, high = ranks
    half = Fraction(1, 2)
    assert size + 1 == low + high
    assert 1 - 2 * _exact_cdf(low - 1, size, half) >= Fraction(95, 100)
    assert 1 - 2 * _exact_cdf(low, size, half) < Fraction(95, 100) or low + 1 > size / 2


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
    """The interval holds the second smallest value, whatever the order of the values."""
    shuffled = list(values)
    order.shuffle(shuffled)
    interval = quiet_interval(shuffled)
    assert quiet_interval(values) == interval
    assert interval is not None
    assert interval[0] <= second_smallest(values) <= interval[1]


def test_the_quiet_interval_ends_above_the_quantile() -> None:
    """In simulated runs the upper end lies above the low quantile 19 times of 20."""
    chance = random.Random(1)
    size, runs = 12, 4000
    above = 0
    for _ in range(runs):
        interval = quiet_interval([chance.random() for _ in range(size)])
        assert interval is not None
        above += interval[1] > 2 / (size + 1)
    assert above / runs >= CONFIDENCE


def test_one_slow_burst_moves_neither_point_nor_lower_end() -> None:
    """Samples that were held up do not move the estimate."""
    quiet = [1.00, 1.01, 1.02, 1.03, 1.04, 1.05, 1.06, 1.07]
    bursty = [*quiet, 9.0, 9.0, 9.0, 9.0]
    assert quiet_estimate(quiet)[0] == quiet_estimate(bursty)[0]
    assert quiet_estimate(bursty) == (1.01, (1.00, 1.04))


def test_a_long_run_answers_with_the_median_of_its_blocks() -> None:
    """Six blocks of twelve give the median of their second smallest, and their range."""
    blocks = [[level] * BLOCK for level in (1.3, 1.0, 1.1, 1.5, 1.2, 1.4)]
    values = list(itertools.chain.from_iterable(blocks))
    assert quiet_estimate(values) == (1.25, (1.0, 1.5))


def test_five_blocks_are_taken_as_one_run() -> None:
    """Too few blocks for a median are estimated together."""
    values = [1.0 + index / 1000 for index in range(5 * BLOCK)]
    assert quiet_estimate(values) == (second_smallest(values), quiet_interval(values))


def test_drift_between_the_parts_of_a_long_run_is_inside_its_interval() -> None:
    """A speed that wanders between the parts of a long run widens the interval by as much."""
    values = [1.0 if index // 100 % 2 else 1.04 for index in range(1200)]
    point, interval = quiet_estimate(values)
    assert interval is not None
    assert interval == (1.0, 1.04)
    assert interval[0] <= point <= interval[1]


def test_a_few_long_samples_and_many_agree() -> None:
    """A long run of noise that only ever slows down answers what a short one does."""
    chance = random.Random(2)
    values = [1.0 + chance.expovariate(200) for _ in range(1000)]
    short, _ = quiet_estimate(values[:BLOCK])
    long, _ = quiet_estimate(values)
    assert short == pytest.approx(long, rel=0.005)


def _holds_next(values: Sequence[float], following: float) -> bool:
    low, high = prediction_interval(values)
    return low <= following <= high


@pytest.mark.parametrize(
    ("runs", "coverage"),
    [
        (1, Fraction(0)),
        (2, Fraction(1, 3)),
        (9, Fraction(8, 10)),
        (39, Fraction(38, 40)),
        (40, Fraction(39, 41)),
        (79, Fraction(76, 80)),
    ],
)
def test_the_next_run_falls_inside_as_often_as_promised(runs: int, coverage: Fraction) -> None:
    """The next value falls between the trimmed extremes with the exact probability."""
    # Of runs + 1 exchangeable values each is equally likely to be the next one.
    ranks = range(runs + 1)
    held = [_holds_next([float(rank) for rank in ranks if rank != last], last) for last in ranks]
    assert coverage == Fraction(sum(held), runs + 1)


@given(st.lists(_TIMES, min_size=40, max_size=100))
def test_many_runs_predict_with_95_percent(values: list[float]) -> None:
    """Of 40 runs and more, at most one in twenty lies outside what the others predict."""
    outside = sum(
        not _holds_next(values[:index] + values[index + 1 :], value)
        for index, value in enumerate(values)
    )
    assert outside / len(values) <= 1 - CONFIDENCE + 1e-9


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
