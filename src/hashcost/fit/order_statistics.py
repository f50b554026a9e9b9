"""Order statistics: no distribution is assumed and no sample is thrown away. Pure.

Formulas: the number of n independent samples that fall below the q-quantile is
binomial(n, q), which gives exact intervals between two ordered samples
(David and Nagaraja, Order Statistics, 3rd edition, section 7.1).
"""

import math
from collections.abc import Iterator, Sequence
from itertools import accumulate, islice

CONFIDENCE = 0.95
"""The confidence of every interval that is printed."""

FEWEST_SAMPLES = 6
"""Below this no two samples enclose a median with 95 % confidence."""

FEWEST_FOR_TAIL = 20
"""Below this not one sample in twenty lies beyond the 95th percentile."""
FEWEST_FOR_SURE_TAIL = 59
"""From here on the largest sample lies beyond the 95th percentile with 95 % confidence:
1 - 0.95**59 > 0.95."""

QUIET_SHARE = 0.5
"""The quantile of a setting's samples that stands for its quiet time."""


def binomial_cdf(successes: int, trials: int, probability: float) -> float:
    """Probability of at most this many successes."""
    return math.fsum(islice(_binomial_terms(trials, probability), successes + 1))


def _binomial_terms(trials: int, probability: float) -> Iterator[float]:
    """Probability of no success, of one, and so on; logarithms keep many from overflowing."""
    success, failure = math.log(probability), math.log1p(-probability)
    whole = math.lgamma(trials + 1)
    for k in range(trials + 1):
        ways = whole - math.lgamma(k + 1) - math.lgamma(trials - k + 1)
        yield math.exp(ways + k * success + (trials - k) * failure)


def quantile(values: Sequence[float], share: float) -> float:
    """The lowest of the values that at least this share of them does not exceed."""
    ordered = sorted(values)
    return ordered[max(math.ceil(share * len(ordered) - 1e-9), 1) - 1]


def upper_rank(size: int, quantile: float, confidence: float = CONFIDENCE) -> int | None:
    """One-based rank of the lowest ordered sample that lies above the quantile.

    It does so with this confidence, one-sided; none when no sample does.
    """
    below = accumulate(islice(_binomial_terms(size, quantile), size))
    return next((rank for rank, share in enumerate(below, 1) if share >= confidence), None)


def quiet_estimate(values: Sequence[float]) -> float:
    """The time of an undisturbed hash behind these: the middle of them.

    Those that something disturbed are left out before; see `hashcost.fit.curves.counting`.
    Of fewer than six the second smallest, of one or two the smallest: some may have been cold.
    """
    if len(values) < FEWEST_SAMPLES:
        return sorted(values)[1 if len(values) > 2 else 0]
    return quantile(values, QUIET_SHARE)


def quiet_interval(
    values: Sequence[float], confidence: float = CONFIDENCE
) -> tuple[float, float] | None:
    """Where that quantile lies with this confidence; None below six values.

    Two ordered values enclose it. Of few values the lower one is the smallest.
    """
    size = len(values)
    if size < FEWEST_SAMPLES:
        return None
    ordered, tail = sorted(values), (1 - confidence) / 2
    above = upper_rank(size, QUIET_SHARE, tail) or 1
    high = upper_rank(size, QUIET_SHARE, 1 - tail) or size
    return ordered[max(above - 1, 1) - 1], ordered[high - 1]
