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
    than memory does. Further lanes save no more than their share of the time.
    """
    params, times_as_many = _in_lanes(measurement, params)
    known = setting_at(measurement, params)
    share = min(1.0, 1 / times_as_many)
    if known is not None:
        return known.seconds * share
    if not measurement.climbs:
        return None
    for step in measurement.fitted.beyond:
        if step.params == params:
            return step.least_seconds * share
    found = _in_proportion(measurement, params, _with_memory(measurement, params, least=False))
    return None if found is None else found * share


def most_seconds_at(measurement: Measurement, params: Params) -> float | None:
    """What one hash takes at most; None if nothing tells.

    At a memory that was not timed, the next higher one tells. Fewer lanes take no
    longer than in proportion, and further ones no longer than those that were timed.
    """
    least = least_seconds_at(measurement, params) or 0.0
    params, times_as_many = _in_lanes(measurement, params)
    known = setting_at(measurement, params)
    share = max(1.0, 1 / times_as_many)
    if known is not None:
        return known.seconds * share
    if not measurement.climbs:
        return None
    found = _in_proportion(measurement, params, _with_memory(measurement, params, least=True))
    # Times of neighbours may not grow with memory quite as they should: then the wider counts.
    return None if found is None else max(found * share, least)


def _in_lanes(measurement: Measurement, params: Params) -> tuple[Params, float]:
    """The params with as many lanes as were timed, and how many times as many they have."""
    if "parallelism" not in params:
        return params, 1.0
    lanes = measurement.lanes
    return {**params, "parallelism": lanes}, params["parallelism"] / lanes


def _with_memory(measurement: Measurement, params: Params, *, least: bool) -> Sequence[Curve]:
    """The curves with at least, or at most, the memory of these params; the nearest first."""
    ladder = measurement.knobs[0].name
    wanted = params.get(ladder, 0)
    curves = measurement.fitted.curves
    if least:
        return [each for each in curves if each.params[ladder] >= wanted]
    return [each for each in reversed(curves) if each.params[ladder] <= wanted]


def _in_proportion(
    measurement: Measurement, params: Params, curves: Sequence[Curve]
) -> float | None:
    """The time at the first curve that differs only in memory, in proportion to that."""
    ladder = measurement.knobs[0].name
    for curve in curves:
        value = curve.lowest if curve.knob is None else params.get(curve.model.parameter, 0)
        near = curve.at(value)
        if {**near, ladder: params.get(ladder, 0)} != params:
            continue
        there = guess_memory(measurement.hasher, near)
        here = guess_memory(measurement.hasher, params)
        return curve.seconds(value) * (here / there if there and here else 1.0)
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
