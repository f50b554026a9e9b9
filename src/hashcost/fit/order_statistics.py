"""Order statistics: no distribution is assumed and no sample is thrown away. Pure.

Formulas: the number of n independent samples that fall below the q-quantile is
binomial(n, q), which gives exact intervals between two ordered samples
(David and Nagaraja, Order Statistics, 3rd edition, section 7.1).
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

CONFIDENCE = 0.95
"""The confidence of every interval that is printed."""

FEWEST_SAMPLES = 6
"""Below this no two samples enclose a median with 95 % confidence."""

FEWEST_FOR_TAIL = 20
"""Below this not one sample in twenty lies beyond the 95th percentile."""
FEWEST_FOR_SURE_TAIL = 59
"""From here on the largest sample lies beyond the 95th percentile with 95 % confidence:
1 - 0.95**59 > 0.95."""

BLOCK = 12
"""Samples that give one estimate (facts: measuring, rule 2)."""


def binomial_cdf(successes: int, trials: int, probability: float) -> float:
    """Probability of at most this many successes."""
    return math.fsum(
        math.comb(trials, k) * probability**k * (1 - probability) ** (trials - k)
        for k in range(successes + 1)
    )


def second_smallest(values: Sequence[float]) -> float:
    """The second of the ordered values; of one or two, the smallest.

    Noise only ever slows a hash down, so a low order statistic estimates the
    quiet time; the smallest of many may be a fluke of the clock.
    """
    ordered = sorted(values)
    return ordered[1] if len(ordered) > 2 else ordered[0]


def quantile(values: Sequence[float], share: float) -> float:
    """The lowest of the values that at least this share of them does not exceed."""
    ordered = sorted(values)
    return ordered[max(math.ceil(share * len(ordered) - 1e-9), 1) - 1]


def median_ranks(size: int, confidence: float = CONFIDENCE) -> tuple[int, int] | None:
    """One-based ranks of the two ordered samples that enclose the median.

    None when so few samples cannot enclose it with this confidence.
    """
    low = 0
    while low < size / 2 and 2 * binomial_cdf(low, size, 0.5) <= 1 - confidence:
        low += 1
    return (low, size + 1 - low) if low else None


def upper_rank(size: int, quantile: float, confidence: float = CONFIDENCE) -> int | None:
    """One-based rank of the lowest ordered sample that lies above the quantile.

    It does so with this confidence, one-sided; none when no sample does.
    """
    for rank in range(1, size + 1):
        if binomial_cdf(rank - 1, size, quantile) >= confidence:
            return rank
    return None


def quiet_interval(
    values: Sequence[float], confidence: float = CONFIDENCE
) -> tuple[float, float] | None:
    """Where the quiet time lies that the second smallest of a few values estimates.

    From the smallest value to the lowest that exceeds the 2/(n+1) quantile with
    this confidence. None below six values.
    """
    size = len(values)
    if size < FEWEST_SAMPLES:
        return None
    ordered = sorted(values)
    rank = upper_rank(size, 2 / (size + 1), confidence)
    return ordered[0], ordered[(rank or size) - 1]


def quiet_estimate(
    values: Sequence[float], confidence: float = CONFIDENCE
) -> tuple[float, tuple[float, float] | None]:
    """The quiet time behind these values, in the order of time, and its interval.

    Of fewer than six blocks it is the second smallest value; of more, the median
    of the second smallest of each block, so that a long run answers what a short
    one does, with the drift between its parts inside the interval.
    """
    size = max(BLOCK, len(values) // 50)
    blocks = [
        second_smallest(values[start : start + size])
        for start in range(0, len(values) - size + 1, size)
    ]
    ranks = median_ranks(len(blocks), confidence)
    if ranks is None:
        return second_smallest(values), quiet_interval(values, confidence)
    ordered = sorted(blocks)
    return statistics.median(ordered), (ordered[ranks[0] - 1], ordered[ranks[1] - 1])


def prediction_interval(
    values: Sequence[float], confidence: float = CONFIDENCE
) -> tuple[float, float]:
    """Where the next value falls, judged by these.

    Between the r-th smallest and the r-th largest of m values the next one falls
    with probability (m + 1 - 2r) / (m + 1). With few values it is their range,
    whose coverage is lower than asked for.
    """
    ordered = sorted(values)
    trim = max(1, math.floor((len(ordered) + 1) * (1 - confidence) / 2 + 1e-9))
    return ordered[trim - 1], ordered[-trim]
