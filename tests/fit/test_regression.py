"""The line through times that were measured elsewhere or here."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashcost.fit.regression import (
    Line,
    Point,
    fit_line,
    prediction_error,
    relative_scatter,
    student_quantile,
)

_LINES = st.builds(
    Line,
    overhead=st.floats(min_value=0.0, max_value=1e-3),
    per_unit=st.floats(min_value=1e-9, max_value=1e-3),
)
_WORK = st.lists(st.integers(1, 2**31), min_size=2, max_size=12, unique=True)


def _on(line: Line, work: list[int]) -> list[Point]:
    return [(float(each), line.at(each)) for each in work]


@given(line=_LINES, work=_WORK)
def test_a_line_is_found_again(line: Line, work: list[int]) -> None:
    """Points on a line give that line, whatever the units of work."""
    found = fit_line(_on(line, work))

    assert found is not None
    for each in work:
        assert math.isclose(line.at(each), found.at(each), rel_tol=1e-4)


@given(
    points=st.lists(
        st.tuples(
            st.floats(min_value=1.0, max_value=2.0**40), st.floats(min_value=1e-9, max_value=1e3)
        ),
        min_size=1,
        max_size=12,
    ),
    plain=st.booleans(),
)
def test_no_overhead_is_below_zero(points: list[Point], *, plain: bool) -> None:
    """Whatever the points, nothing takes less than no time and time grows with work."""
    found = fit_line(points, plain=plain)

    assert found is None or (found.overhead >= 0 and found.per_unit > 0)


@given(line=_LINES, factor=st.floats(min_value=1e-3, max_value=1e3))
def test_the_unit_of_time_does_not_matter(line: Line, factor: float) -> None:
    """The same times in another unit give the same line in that unit."""
    points = [(work, seconds * (1 + 0.01 * math.sin(work))) for work, seconds in _on(line, _TEN)]
    one, other = fit_line(points), fit_line([(work, t * factor) for work, t in points])

    assert one is not None
    assert other is not None
    assert math.isclose(one.at(5000) * factor, other.at(5000), rel_tol=1e-3)


_TEN = [1000 * index for index in range(1, 11)]


def test_a_step_does_not_bend_the_line() -> None:
    """A single point far off hardly moves the line, so that it stands out."""
    line = Line(overhead=1e-5, per_unit=1e-6)
    points = [(w, s * (1.4 if w == 5000 else 1.0)) for w, s in _on(line, _TEN)]
    found = fit_line(points)

    assert found is not None
    assert found.residual(points[4]) == pytest.approx(0.4, abs=0.01)
    assert found.at(10_000) == pytest.approx(line.at(10_000), rel=0.003)


def test_a_plain_fit_leaves_out_an_overhead_that_noise_explains() -> None:
    """Published times to three digits show no overhead; clear ones do."""
    noisy = [(1.0, 1.003), (2.0, 1.998), (3.0, 3.004), (4.0, 3.99), (5.0, 5.001)]
    clear = [(work, 0.5 + seconds) for work, seconds in noisy]
    without, with_overhead = (fit_line(points, plain=True) for points in (noisy, clear))

    assert without is not None
    assert with_overhead is not None
    assert without.overhead == 0
    assert with_overhead.overhead == pytest.approx(0.5, rel=0.02)


def test_no_line_goes_down() -> None:
    """Points of one amount of work give a line through the origin."""
    assert fit_line([(4.0, 2.0), (4.0, 2.0)]) == Line(overhead=0.0, per_unit=0.5)


@pytest.mark.parametrize(
    ("degrees", "expected"),
    [(1, 12.706), (2, 4.303), (3, 3.182), (4, 2.776), (10, 2.228), (29, 2.045), (120, 1.980)],
)
def test_students_quantiles(degrees: int, expected: float) -> None:
    """The two-sided 95 % quantiles are those of the printed tables."""
    assert student_quantile(degrees, 0.95) == pytest.approx(expected, abs=6e-4)


def test_a_prediction_is_less_sure_far_from_the_points() -> None:
    """The error grows with the distance from what was measured, and is never below the scatter."""
    points = [(w, w * (1 + 0.01 * math.cos(math.pi * w))) for w in (1.0, 2.0, 3.0, 4.0, 5.0)]
    line = fit_line(points)
    assert line is not None
    near, far = (prediction_error(line, points, work, 1.0) for work in (3.0, 50.0))

    assert relative_scatter(line, points) < near < far
