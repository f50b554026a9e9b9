"""How an axis writes its values."""

from __future__ import annotations

import math
from collections.abc import Callable

from hashcost.core.units import format_duration

_UNITS = (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9))


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
