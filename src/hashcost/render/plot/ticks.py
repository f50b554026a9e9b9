"""Where an axis has its ticks and a histogram its bins, and how values are written. Pure."""

import bisect
import math
from collections.abc import Callable, Iterable, Sequence

from hashcost.core.units import format_duration
from hashcost.fit.order_statistics import quantile
from hashcost.render.plot.chart import Axis

_NICE = (1, 2, 5, 10)
_UNITS = (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9))


def ticks_of(
    axis: Axis, values: Sequence[float], span: tuple[float, float], count: int
) -> list[float]:
    """About ``count`` ticks in a span, or every whole value if there are no others."""
    if axis.whole:
        return [float(value) for value in range(int(min(values)), int(max(values)) + 1)]
    return nice_ticks(*span, count, logarithmic=axis.logarithmic)


def nice_ticks(low: float, high: float, count: int, *, logarithmic: bool) -> list[float]:
    """Round values from ``low`` to ``high``, about ``count`` of them."""
    if logarithmic:
        decades = math.log10(high / low) if high > low else 0.0
        digits = (1, 2, 5) if decades * 3 <= count else (1, 3) if decades * 2 <= count else (1,)
        found = [
            digit * 10.0**exponent
            for exponent in range(math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 1)
            for digit in digits
        ]
    else:
        step = nice_step((high - low) / max(1, count)) if high > low else 1.0
        first = math.ceil(low / step - 1e-9)
        found = [step * index for index in range(first, math.floor(high / step + 1e-9) + 1)]
    return [value for value in found if low * (1 - 1e-9) <= value <= high * (1 + 1e-9)]


def nice_step(least: float) -> float:
    """The round step that is not below this one."""
    unit = 10.0 ** math.floor(math.log10(least))
    return next(unit * digit for digit in _NICE if unit * digit >= least * (1 - 1e-9))


def padded(values: Sequence[float], share: float, *, logarithmic: bool) -> tuple[float, float]:
    """From below the least to above the greatest, by a share of what lies between."""
    low, high = min(values), max(values)
    if logarithmic:
        factor = (high / low) ** share if high > low else 2.0
        return low / factor, high * factor
    pad = (high - low) * share if high > low else abs(high) * share or 1.0
    return low - pad, high + pad


def cost_tick(value: float) -> str:
    """A cost: 20000 as 20k."""
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if value >= size:
            return f"{value / size:g}{unit}"
    return f"{value:g}"


def count_tick(value: float) -> str:
    """A count, its thousands apart."""
    return f"{value:,.0f}"


def time_tick(seconds: float) -> str:
    """A time: 30 ms, without the zeros that make figures stand below each other."""
    figure, _, unit = format_duration(seconds).partition(" ")
    return f"{float(figure):g} {unit}"


def fine_time_tick(greatest: float, step: float) -> Callable[[float], str]:
    """A writer of times up to ``greatest`` that tells two apart which lie ``step`` apart."""
    unit, size = next((each for each in _UNITS if greatest >= each[1] * (1 - 1e-9)), ("ns", 1e-9))
    digits = max(0, -math.floor(math.log10(step / size) + 1e-9))
    return lambda seconds: f"{seconds / size:.{digits}f} {unit}"


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
