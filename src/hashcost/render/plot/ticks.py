"""Where an axis has its ticks. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence

from hashcost.render.plot.chart import Axis

_NICE = (1, 2, 5, 10)


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
