"""How long one hash takes at given params, by what was measured. Pure."""

import math
from collections.abc import Sequence

import msgspec

from hashcost.core.algorithms import guess_memory
from hashcost.core.measurement import Curve, Fit, Measurement, Params, SeenBy, work
from hashcost.fit.quiet_speed import scaled
from hashcost.fit.solver import Solution, setting_of

_FURTHER_PASS = 2 / 3
"""Until one was timed, a further pass is taken to last so much of the first, which is given
fresh pages as well."""


def setting_at(measurement: Measurement, params: Params) -> Solution | None:
    """The setting of these params, with its time; None if nothing tells that time.

    A hasher that climbs memory is known only at steps that were timed, and there at any
    value of its other parameter. Any other hasher is known at every legal cost.
    """
    return setting_of(measurement.fitted, params)


def least_seconds_at(measurement: Measurement, params: Params) -> float | None:
    """What one hash takes at least; None if nothing tells.

    At a memory that was not timed, the next lower one tells: time grows no slower
    than memory does.
    """
    known = setting_at(measurement, params)
    if known is not None:
        return known.seconds
    if not measurement.climbs:
        return None
    for step in measurement.fitted.beyond:
        if step.params == params:
            return step.least_seconds
    ladder = measurement.knobs[0].name
    for curve in reversed(measurement.fitted.curves):
        value = curve.lowest if curve.knob is None else params.get(curve.model.parameter, 0)
        less = curve.at(value)
        if less[ladder] > params.get(ladder, 0) or {**less, ladder: params[ladder]} != params:
            continue
        lower = guess_memory(measurement.hasher, less)
        higher = guess_memory(measurement.hasher, params)
        return curve.seconds(value) * (higher / lower if higher and lower else 1.0)
    return None


def foreseen_curve(fitted: Fit, rung: Params, memory_bytes: int) -> Curve:
    """What a step of memory takes; where it was not timed, in proportion as the nearest that was.

    What a further pass takes beside the first is told by the nearest where one was timed.
    """

    def nearest(curves: Sequence[Curve]) -> Curve:
        return min(curves, key=lambda each: abs(math.log(_ratio(each.memory_bytes, memory_bytes))))

    quick = [each for each in fitted.curves if each.seen_by is not SeenBy.NOBODY]
    own = next((c for c in fitted.curves if setting_of(Fit(curves=(c,)), rung) is not None), None)
    if own is not None and (own.knob is None or own.sampled is None or own.step_seconds):
        return own
    level = own or nearest(quick or fitted.curves)
    first = level.seconds(level.lowest) * _ratio(memory_bytes, level.memory_bytes)
    timed = [each for each in quick or fitted.curves if each.step_seconds]
    if timed:
        shape = nearest(timed)
        model = scaled(shape, first / shape.seconds(shape.lowest)).model
    else:
        model = msgspec.structs.replace(
            level.model,
            overhead_seconds=first * (1 - _FURTHER_PASS),
            seconds_per_unit=first * _FURTHER_PASS / work(level.model.scale, level.lowest),
        )
    return msgspec.structs.replace(
        level, params=rung, memory_bytes=memory_bytes, model=model, step_seconds={}
    )


def _ratio(one: int, other: int) -> float:
    return max(one, 1) / max(other, 1)


def foreseen_seconds(fitted: Fit, params: Params, memory_bytes: int) -> float:
    """About what one hash will take at params that may never have been timed."""
    curve = foreseen_curve(fitted, params, memory_bytes)
    return curve.seconds(params[curve.model.parameter])
