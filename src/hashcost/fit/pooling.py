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
_WIDEST: Final = 10.0
"""An interval over more powers of ten than any clock has says nothing at all."""
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
    width = (math.log(interval[1]) - math.log(interval[0])) / (2 * _WITHIN)
    return Estimate(value=math.log(seconds), error=min(max(width, WANDER), _WIDEST))


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
    *_, whole = _running(estimates)
    between = whole.between
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
    if not estimates:
        return []
    order = sorted(range(len(estimates)), key=lambda index: estimates[index].value)
    limit = NormalDist().inv_cdf(1 - (1 - CONFIDENCE) / 2 / len(order))
    return list(_split(estimates, order, limit))


def _split(estimates: Sequence[Estimate], order: list[int], limit: float) -> Iterator[list[int]]:
    """Where the two sides explain most of the scatter, or else where one is farthest off."""
    ordered = [estimates[index] for index in order]
    below, above = list(_running(ordered))[:-1], list(_running(ordered[::-1]))[-2::-1]
    sides = list(zip(below, above, strict=True))
    apart = [abs(two.mean - one.mean) / math.hypot(one.error, two.error) for one, two in sides]
    explained = [
        (two.mean - one.mean) ** 2 / (1 / one.weight + 1 / two.weight) for one, two in sides
    ]
    for measure in (explained, apart):
        at = measure.index(max(measure)) if measure else 0
        if measure and apart[at] > limit:
            yield from _split(estimates, order[: at + 1], limit)
            yield from _split(estimates, order[at + 1 :], limit)
            return
    yield order


@dataclass(frozen=True)
class _Sum:
    """Some estimates: what they weigh, their mean, the error of one, the variance between."""

    weight: float
    mean: float
    error: float
    between: float


def _running(estimates: Sequence[Estimate]) -> Iterator[_Sum]:
    """Of the first estimate, the first two, and so on."""
    origin = estimates[0].value
    weight = squares = first = second = variance = 0.0
    for count, each in enumerate(estimates, 1):
        own, value = 1 / each.error**2, each.value - origin
        weight, squares = weight + own, squares + own**2
        first, second = first + own * value, second + own * value**2
        variance += each.error**2
        excess = second - first**2 / weight - (count - 1)
        rest = weight - squares / weight  # Nothing of the first, or beside one far heavier.
        between = max(excess / rest, 0.0) if count > 1 and rest > 0 else 0.0
        yield _Sum(weight, origin + first / weight, math.sqrt(variance / count), between)
