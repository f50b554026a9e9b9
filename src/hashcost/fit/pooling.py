"""Several estimates of one time: pooled, or told apart where they differ by more than noise. Pure.

Formulas: random effects (DerSimonian and Laird, "Meta-analysis in clinical trials", Controlled
Clinical Trials 7, 1986): estimates weigh by the inverse of their variance, within and between.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Final

from hashcost.core.measurement import RelativeInterval
from hashcost.fit.order_statistics import CONFIDENCE
from hashcost.fit.quiet_speed import WANDER

_UNKNOWN: Final = 0.125
"""The standard error of an estimate without an interval: it hardly weighs beside others."""
_WITHIN: Final = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
"""So many standard errors the interval reaches."""


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """The logarithm of a time, with its standard error."""

    value: float
    error: float


def estimate(seconds: float, interval: RelativeInterval | None) -> Estimate:
    """The time with this interval around it, as factors; nothing is known beyond its wander."""
    if interval is None or interval[0] <= 0:
        return Estimate(value=math.log(seconds), error=_UNKNOWN)
    width = math.log(interval[1] / interval[0]) / (2 * _WITHIN)
    return Estimate(value=math.log(seconds), error=max(width, WANDER))


@dataclass(frozen=True, kw_only=True)
class Pool:
    """Estimates taken together."""

    value: float
    error: float
    """The standard error of the value."""
    between: float
    """The standard deviation of the true values, beyond the errors of the estimates."""

    @property
    def relative_interval(self) -> RelativeInterval:
        """Where the time of one of them lies, as factors of the pooled one.

        It holds the errors within, the spread between, and the drift that they share.
        """
        reach = _WITHIN * math.hypot(self.error, self.between, WANDER)
        return math.exp(-reach), math.exp(reach)


def pool(estimates: Sequence[Estimate]) -> Pool:
    """The estimates as one."""
    *_, (_, _, between) = _running(estimates)
    weights = [1 / (each.error**2 + between) for each in estimates]
    total = math.fsum(weights)
    values = (weight * each.value for weight, each in zip(weights, estimates, strict=True))
    return Pool(
        value=math.fsum(values) / total, error=1 / math.sqrt(total), between=math.sqrt(between)
    )


def clusters(estimates: Sequence[Estimate]) -> list[list[int]]:
    """Which of the estimates differ by no more than noise, the lowest first.

    Two clusters are held against the errors of single estimates in them. Of many, chance makes
    some lie far off: the more there are, the farther apart clusters must lie (Bonferroni).
    """
    order = sorted(range(len(estimates)), key=lambda index: estimates[index].value)
    limit = NormalDist().inv_cdf(1 - (1 - CONFIDENCE) / 2 / max(len(order), 1))
    return list(_split(estimates, order, limit))


def _split(estimates: Sequence[Estimate], order: list[int], limit: float) -> Iterator[list[int]]:
    ordered = [estimates[index] for index in order]
    below, above = list(_running(ordered))[:-1], list(_running(ordered[::-1]))[-2::-1]
    apart = [
        abs(high - low) / math.sqrt(variance + other)
        for (low, variance, _), (high, other, _) in zip(below, above, strict=True)
    ]
    if max(apart, default=0.0) <= limit:
        yield order
        return
    at = apart.index(max(apart)) + 1
    yield from _split(estimates, order[:at], limit)
    yield from _split(estimates, order[at:], limit)


def _running(estimates: Sequence[Estimate]) -> Iterator[tuple[float, float, float]]:
    """Of the first estimate, the first two, and so on: mean, variance within and between."""
    origin = estimates[0].value
    weight = squares = first = second = variance = 0.0
    for count, each in enumerate(estimates, 1):
        own, value = 1 / each.error**2, each.value - origin
        weight, squares = weight + own, squares + own**2
        first, second = first + own * value, second + own * value**2
        variance += each.error**2
        excess = second - first**2 / weight - (count - 1)
        between = max(excess / (weight - squares / weight), 0.0) if count > 1 else 0.0
        yield origin + first / weight, variance / count, between
