"""Medians and how far figures lie around them. Pure."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence


def quartiles(values: Sequence[float]) -> tuple[float, float]:
    """Return where the quarter below and the quarter above the median begin."""
    if len(values) < 2:
        return values[0], values[0]
    low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    return low, high


def range_share(values: Sequence[float]) -> float:
    """The distance from smallest to largest as a share of the median."""
    return (max(values) - min(values)) / statistics.median(values)


def reach(values: Sequence[float], share: float = 0.95) -> float:
    """How far from the median this share of the values lies, as a share of the median."""
    middle = statistics.median(values)
    distances = sorted(abs(value / middle - 1) for value in values)
    return distances[math.ceil(share * len(distances)) - 1]
