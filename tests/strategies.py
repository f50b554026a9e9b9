"""Hypothesis strategies for the values that more than one test draws."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from fakes import LADDER, MIB
from hashcost.model import CostModel, Knob, Rounding, Scale
from hashcost.render.document import Finding, Severity
from hashcost.solver import Curve, Fit, work

targets = st.floats(min_value=1e-4, max_value=60.0)
"""Seconds that a user may ask for."""

roundings = st.sampled_from(Rounding)


@st.composite
def knobs(draw: st.DrawFn) -> Knob:
    """A knob that stands alone, with a legal range like those of real hashers or narrower."""
    scale = draw(st.sampled_from([Scale.LINEAR, Scale.LOG2]))
    lowest, highest = (1, 2**31 - 1) if scale is Scale.LINEAR else (0, 31)
    minimum = draw(st.integers(lowest, 5000 if scale is Scale.LINEAR else 12))
    maximum = draw(st.integers(minimum, highest))
    return Knob(name="turns", scale=scale, minimum=minimum, maximum=maximum)


@st.composite
def fits(draw: st.DrawFn) -> Fit:
    """What may be known of a hasher with one knob, or of one that climbs a ladder."""
    curves = draw(st.one_of(lines().map(lambda curve: (curve,)), ladders()))
    low = draw(st.floats(min_value=0.5, max_value=1.0))
    high = draw(st.floats(min_value=1.0, max_value=2.0))
    interval = draw(st.sampled_from([None, (low, high)]))
    return Fit(curves=tuple(replace(curve, relative_interval=interval) for curve in curves))


@st.composite
def lines(draw: st.DrawFn) -> Curve:
    """The curve of one knob; a measured step lies up to 20 % off the model."""
    knob = draw(knobs())
    model = draw(_models(knob))
    steps = {}
    if knob.scale is Scale.LOG2:
        values = st.integers(knob.minimum, knob.maximum)
        steps = {
            value: model.seconds(work(knob.scale, value))
            * draw(st.floats(min_value=0.8, max_value=1.2))
            for value in draw(st.sets(values, max_size=3))
        }
    return Curve(params={knob.name: knob.minimum}, knob=knob, model=model, step_seconds=steps)


@st.composite
def ladders(draw: st.DrawFn) -> tuple[Curve, ...]:
    """The curves of some steps of memory, whatever they take; with a second knob or without."""
    knob = draw(st.none() | st.builds(_passes, st.integers(1, 3), st.integers(3, 2**31 - 1)))
    steps = sorted(draw(st.sets(st.sampled_from(LADDER.steps), min_size=1, max_size=4)))
    return tuple(
        Curve(
            params={LADDER.name: step} | ({knob.name: knob.minimum} if knob else {}),
            knob=knob,
            model=draw(_models(knob or LADDER, {LADDER.name: step} if knob else {})),
            memory_bytes=step * MIB,
        )
        for step in steps
    )


def _passes(minimum: int, maximum: int) -> Knob:
    return Knob(name="passes", scale=Scale.LINEAR, minimum=minimum, maximum=maximum)


def _models(knob: Knob, fixed: dict[str, int] | None = None) -> st.SearchStrategy[CostModel]:
    return st.builds(
        CostModel,
        fixed=st.just(fixed or {}),
        parameter=st.just(knob.name),
        scale=st.just(knob.scale),
        overhead_seconds=st.floats(min_value=0.0, max_value=1e-3),
        seconds_per_unit=st.floats(min_value=1e-9, max_value=1e-3),
    )


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
"""Anything that a file or a path may hold, control characters and line ends included."""

findings = st.builds(
    Finding,
    rule=st.sampled_from(["drifted", "fine", "below-floor"]),
    rule_title=texts,
    rule_help=texts,
    severity=st.sampled_from(Severity),
    subject=texts,
    message=texts,
    path=st.none() | texts.filter(bool),
    line=st.none() | st.integers(1, 10**6),
    seconds=st.none() | st.floats(min_value=0, max_value=1e4),
    skipped=st.booleans(),
)
