"""Where an axis has its ticks, and how it writes them. Pure."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from hashcost.core.units import format_duration
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
