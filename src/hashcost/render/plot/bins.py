"""Which bins a histogram has. Pure."""

from __future__ import annotations

import bisect
import math
from collections.abc import Iterable, Sequence

from hashcost.fit.order_statistics import quantile
from hashcost.render.plot.ticks import nice_step

_MOST_FOR_VALUES = 16
_MOST = 24
_LEAST_SHARE = 1e-3
"""Share of a value; narrower bins would separate figures that no clock tells apart."""
_WIDE = 8.0
"""Values that lie so many times apart are binned by their logarithm."""
_ROOM = 0.25
"""Share of a bin; anything nearer to the end of an axis is hidden by it."""


def is_wide(values: Sequence[float]) -> bool:
    """Whether values lie so far apart that a logarithmic axis shows them better."""
    return max(values) > min(values) * _WIDE


def even_edges(values: Sequence[float], near: Iterable[float] = ()) -> tuple[float, ...]:
    """Edges at round figures that lie equally far apart.

    Their distance is Freedman and Diaconis' (1981), which an outlier does not change: twice
    the interquartile range by the cube root of the number of values. The bins are extended
    to the values in ``near`` that a few more reach, with room beyond.
    """
    low, high = min(values), max(values)
    quartiles = quantile(values, 0.75) - quantile(values, 0.25)
    middle = 2 * quartiles / len(values) ** (1 / 3)
    step = nice_step(max(middle, (high - low) / _MOST_FOR_VALUES, high * _LEAST_SHARE))
    first, last = _around(low, high, step)
    for value in sorted(near, key=lambda each: abs(each - (low + high) / 2)):
        below, above = _around(
            max(min(value - step * _ROOM, first * step), 0.0),
            max(value + step * _ROOM, last * step),
            step,
        )
        if above - below <= _MOST:
            first, last = below, above
    return tuple(step * index for index in range(first, last + 1))


def _around(low: float, high: float, step: float) -> tuple[int, int]:
    first = math.floor(low / step + 1e-9)
    return first, max(first + 1, math.ceil(high / step - 1e-9))


def doubling_edges(values: Sequence[float], through: float) -> tuple[float, ...]:
    """Edges that are ``through`` times a power of two, or of its root where that is few.

    So what lies below ``through`` shares no bin with what does not. It is never the first.
    """
    ends = (*values, through)
    doublings = math.log2(max(ends) / min(ends))
    step = 0.5
    while doublings > step * (_MOST - 2):
        step *= 2
    first, last = (
        math.floor(math.log2(end / through) / step + 1e-9) for end in (min(ends), max(ends))
    )
    return tuple(through * 2.0 ** (step * index) for index in range(min(first, -1), last + 2))


def counts(values: Iterable[tuple[float, int]], edges: Sequence[float]) -> tuple[int, ...]:
    """How many lie in each bin, of values with how often each occurs.

    A bin holds its lower edge; the last one its upper edge too.
    """
    found = [0] * (len(edges) - 1)
    for value, many in values:
        place = bisect.bisect_right(edges, value * (1 + 1e-12)) - 1
        found[min(max(place, 0), len(found) - 1)] += many
    return tuple(found)
