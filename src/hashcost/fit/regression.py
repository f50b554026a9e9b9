"""A line through times that were measured at several costs. Pure.

Times span orders of magnitude, so errors are relative: the line minimises the
squares of (fitted - measured) / measured, and points that lie far off it count
less (Huber's weights), so that a step in the curve stands out instead of bending
the line (Huber, Robust Statistics, 2nd edition, section 7.8).
"""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

Point: TypeAlias = tuple[float, float]
"""Units of work, and the seconds that they took."""

_ROUNDS = 30
_TUNING = 1.5
"""Residuals of more than this many of their own scale are given less weight."""
_LEAST_SCALE = 0.002
"""Residuals below a few thousandths are noise of the clock, not of the curve."""


@dataclass(frozen=True, kw_only=True)
class Line:
    """Seconds as ``overhead + per_unit * work``."""

    overhead: float
    per_unit: float

    def at(self, work: float) -> float:
        """Seconds of so much work."""
        return self.overhead + self.per_unit * work

    def residual(self, point: Point) -> float:
        """How far a point lies off the line, as a fraction of the line."""
        work, seconds = point
        return seconds / self.at(work) - 1


def fit_line(points: Sequence[Point], *, plain: bool = False) -> Line | None:
    """The line through these points; none where time does not grow with work.

    Its overhead is never below zero. A single amount of work gives a line through
    the origin, and so does a ``plain`` fit unless an overhead is significant at 95 %.
    Work and seconds are above zero.
    """
    weights = [1.0] * len(points)
    line = _weighted(points, weights)
    for _ in range(_ROUNDS):
        if line is None:
            return None
        sizes = [abs(1 - line.at(work) / seconds) for work, seconds in points]
        limit = _TUNING * max(1.4826 * statistics.median(sizes), _LEAST_SCALE)
        weights = [min(1.0, limit / size) if size else 1.0 for size in sizes]
        line = _weighted(points, weights)
    if plain and line is not None and line.overhead and len(points) > 2:
        direct = _through_origin(points, weights)
        with_overhead, without = (_misfit(each, points, weights) for each in (line, direct))
        least = student_quantile(len(points) - 2, 0.95) ** 2 / (len(points) - 2)
        if without - with_overhead <= least * with_overhead:
            return direct
    return line


def relative_scatter(line: Line, points: Sequence[Point]) -> float:
    """Standard deviation of the residuals, with the two degrees of freedom of a line taken off."""
    squares = math.fsum(line.residual(point) ** 2 for point in points)
    return math.sqrt(squares / max(1, len(points) - 2))


def prediction_error(line: Line, points: Sequence[Point], work: float, quantile: float) -> float:
    """How far the time of so much work may lie off the line, as a fraction of it.

    ``quantile`` is Student's t at the confidence asked for with two degrees of
    freedom less than points (Draper and Smith, Applied Regression Analysis, 3rd
    edition, section 3.2, with weights of one over the square of the seconds).
    """
    weights = [1 / seconds**2 for _, seconds in points]
    total = math.fsum(weights)
    mean = math.fsum(w * x for w, (x, _) in zip(weights, points, strict=True)) / total
    spread = math.fsum(w * (x - mean) ** 2 for w, (x, _) in zip(weights, points, strict=True))
    at = line.at(work)
    leverage = (1 / total + (work - mean) ** 2 / spread) / at**2 if spread else 1.0
    return quantile * relative_scatter(line, points) * math.sqrt(1 + leverage)


def student_quantile(degrees: int, confidence: float) -> float:
    """The t that a Student variable stays within, on both sides, with this confidence."""
    low, high = 0.0, 1.0
    while _student_within(high, degrees) < confidence:
        high *= 2
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (
            (middle, high) if _student_within(middle, degrees) < confidence else (low, middle)
        )
    return high


def _student_within(t: float, degrees: int) -> float:
    """Probability of |T| < t (Abramowitz and Stegun, 26.7.3 and 26.7.4)."""
    theta = math.atan(t / math.sqrt(degrees))
    cosine, sine = math.cos(theta), math.sin(theta)
    odd = degrees % 2
    term, total = (cosine, 0.0) if odd else (1.0, 0.0)
    for k in range(odd, degrees - 1, 2):
        total += term
        term *= cosine**2 * (k + 1) / (k + 2)
    return 2 / math.pi * (theta + sine * total) if odd else sine * total


def _misfit(line: Line, points: Sequence[Point], weights: Sequence[float]) -> float:
    """The weighted sum of squares that a fit minimises."""
    return math.fsum(
        w * (1 - line.at(work) / seconds) ** 2
        for w, (work, seconds) in zip(weights, points, strict=True)
    )


def _through_origin(points: Sequence[Point], weights: Sequence[float]) -> Line:
    ratios = [work / seconds for work, seconds in points]
    top = math.fsum(w * r for w, r in zip(weights, ratios, strict=True))
    return Line(
        overhead=0.0,
        per_unit=top / math.fsum(w * r * r for w, r in zip(weights, ratios, strict=True)),
    )


def _weighted(points: Sequence[Point], weights: Sequence[float]) -> Line | None:
    """The minimum of sum of w * (1 - overhead / t - per_unit * x / t) ** 2, overhead >= 0."""
    # Scaled, so that costs of 2**31 and seconds of 1e-9 lose no digits.
    unit = max(work for work, _ in points)
    long = max(seconds for _, seconds in points)
    rows = [
        (w, long / seconds, (work / unit) * (long / seconds))
        for w, (work, seconds) in zip(weights, points, strict=True)
    ]
    aa = math.fsum(w * u * u for w, u, _ in rows)
    bb = math.fsum(w * v * v for w, _, v in rows)
    ab = math.fsum(w * u * v for w, u, v in rows)
    a1 = math.fsum(w * u for w, u, _ in rows)
    b1 = math.fsum(w * v for w, _, v in rows)
    determinant = aa * bb - ab * ab
    overhead, slope = 0.0, b1 / bb
    if len({work for work, _ in points}) > 1 and determinant > 1e-14 * aa * bb:
        free = (a1 * bb - b1 * ab) / determinant
        if free > 0:
            overhead, slope = free, (b1 * aa - a1 * ab) / determinant
    if not slope > 0:
        return None
    return Line(overhead=overhead * long, per_unit=slope * long / unit)
