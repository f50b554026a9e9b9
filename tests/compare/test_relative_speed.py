"""How fast one machine is beside another."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from fakes import LINEAR
from hashcost.compare.speed import relative_speed
from hashcost.core.measurement import CostModel, Curve
from hashcost.fit.solver import Solution
from strategies import lines

_factors = st.floats(min_value=0.01, max_value=100.0)
_intervals = st.tuples(
    st.floats(min_value=0.5, max_value=1.0), st.floats(min_value=1.0, max_value=2.0)
)


def _slowed(curve: Curve, factor: float) -> Curve:
    model = curve.model
    return replace(
        curve,
        model=CostModel(
            parameter=model.parameter,
            scale=model.scale,
            overhead_seconds=model.overhead_seconds * factor,
            seconds_per_unit=model.seconds_per_unit * factor,
        ),
    )


@given(curve=lines(), factor=_factors, one=_intervals, other=_intervals)
def test_time_times_k_is_speed_over_k(
    curve: Curve, factor: float, one: tuple[float, float], other: tuple[float, float]
) -> None:
    """A machine that takes k times as long has a k-th of the speed, inside its interval."""
    there = Solution(curve=replace(curve, relative_interval=one), value=curve.lowest)
    slowed = _slowed(replace(curve, relative_interval=other), factor)
    speed = relative_speed(there, Solution(curve=slowed, value=curve.lowest))

    assert math.isclose(1 / factor, speed.ratio, rel_tol=1e-9)
    assert speed.low <= speed.ratio <= speed.high


@given(curve=lines(), factor=_factors, one=_intervals, other=_intervals)
def test_turned_round_the_ratio_is_the_inverse(
    curve: Curve, factor: float, one: tuple[float, float], other: tuple[float, float]
) -> None:
    """Which of two machines is the baseline changes neither the ratio nor what it means."""
    here = Solution(curve=replace(curve, relative_interval=one), value=curve.lowest)
    slowed = _slowed(replace(curve, relative_interval=other), factor)
    there = Solution(curve=slowed, value=curve.lowest)
    forth, back = relative_speed(here, there), relative_speed(there, here)

    assert math.isclose(forth.ratio * back.ratio, 1, rel_tol=1e-9)
    assert math.isclose(forth.low * back.high, 1, rel_tol=1e-9)


def test_errors_add_as_squares_do() -> None:
    """Two errors of 3 % and 4 % make one of 5 %, not of 7 %."""
    here, there = _flat(0.03), _flat(0.04)
    speed = relative_speed(here, there)

    assert math.isclose(math.log(speed.high), 0.05, rel_tol=1e-9)


def _flat(error: float) -> Solution:
    """A time that a fresh run finds within this error, on the scale of logarithms."""
    model = CostModel(
        parameter="rounds", scale=LINEAR.scale, overhead_seconds=0.0, seconds_per_unit=1e-3
    )
    interval = (math.exp(-error), math.exp(error))
    curve = Curve(params={"rounds": 1}, knob=LINEAR, model=model, relative_interval=interval)
    return Solution(curve=curve, value=1)


def test_times_that_cannot_be_give_no_figure_without_end() -> None:
    """However far apart the times of two files are, a ratio can be written and read again."""
    short, long = (
        Solution(curve=replace(curve, relative_interval=(1e-300, 1e300)), value=1)
        for curve in (_slowed(_flat(0.1).curve, 1e-290), _slowed(_flat(0.1).curve, 1e290))
    )
    for pair in ((short, long), (long, short)):
        speed = relative_speed(*pair)
        assert 0 < speed.low < speed.ratio < speed.high < math.inf
