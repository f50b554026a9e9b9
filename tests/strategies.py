"""Hypothesis strategies for the values that more than one test draws."""

from __future__ import annotations

from hypothesis import strategies as st

from hashcost.model import CostModel, Knob, Rounding, Scale
from hashcost.solver import Fit

targets = st.floats(min_value=1e-4, max_value=60.0)
"""Seconds that a user may ask for."""

roundings = st.sampled_from(Rounding)


@st.composite
def knobs(draw: st.DrawFn) -> Knob:
    """Legal ranges like those of real hashers, and narrower."""
    scale = draw(st.sampled_from(Scale))
    lowest, highest = (1, 2**31 - 1) if scale is Scale.LINEAR else (0, 31)
    minimum = draw(st.integers(lowest, 5000 if scale is Scale.LINEAR else 12))
    maximum = draw(st.integers(minimum, highest))
    return Knob(name="turns", scale=scale, minimum=minimum, maximum=maximum)


@st.composite
def fits(draw: st.DrawFn) -> Fit:
    """What may be known of a hasher; a measured step lies up to 20 % off the model."""
    knob = draw(knobs())
    model = CostModel(
        parameter=knob.name,
        scale=knob.scale,
        overhead_seconds=draw(st.floats(min_value=0.0, max_value=1e-3)),
        seconds_per_unit=draw(st.floats(min_value=1e-9, max_value=1e-3)),
    )
    steps = {}
    if knob.scale is Scale.LOG2:
        values = st.integers(knob.minimum, knob.maximum)
        steps = {
            value: model.seconds(knob.work(value)) * draw(st.floats(min_value=0.8, max_value=1.2))
            for value in draw(st.sets(values, max_size=3))
        }
    low = draw(st.floats(min_value=0.5, max_value=1.0))
    high = draw(st.floats(min_value=1.0, max_value=2.0))
    return Fit(
        knob=knob,
        model=model,
        relative_interval=draw(st.sampled_from([None, (low, high)])),
        step_seconds=steps,
    )
