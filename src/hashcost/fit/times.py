"""How long one hash takes at given params, by what was measured. Pure."""

import math
from functools import partial

import msgspec

from hashcost.core.algorithms import guess_memory, work_ratio
from hashcost.core.measurement import Curve, Measurement, Params
from hashcost.fit.estimate import Shape, curve_at
from hashcost.fit.solver import Solution, setting_of


def setting_at(measurement: Measurement, params: Params) -> Solution | None:
    """The setting of these params, with its time; None if nothing tells that time.

    Of a memory-hard hasher any memory is known, and any value of its other parameter; of any
    other hasher every legal cost.
    """
    known = setting_of(measurement.fitted, params)
    surface, (ladder, *others) = measurement.fitted.surface, measurement.knobs
    turned = {ladder.name, *(knob.name for knob in others)}
    rest = {name: value for name, value in measurement.lowest.items() if name not in turned}
    if known is not None or surface is None or params.keys() != measurement.lowest.keys():
        return known
    legal = all(k.minimum <= params[k.name] <= k.maximum for k in measurement.knobs)
    if not legal or any(params[name] != value for name, value in rest.items()):
        return None
    near = min(
        measurement.fitted.curves,
        key=lambda curve: abs(math.log(curve.params[ladder.name] / params[ladder.name])),
    )
    shape = Shape(
        knobs=measurement.knobs,
        lowest=measurement.lowest,
        memory_bytes=partial(_memory, measurement.hasher, near, ladder.name),
    )
    low, high = near.relative_interval
    first = {**params, **{knob.name: knob.minimum for knob in others}}
    curve = curve_at(surface, shape, first, (-math.log(low), math.log(high)))
    return Solution(curve=curve, value=params[curve.model.parameter])


def _memory(hasher: str, near: Curve, ladder: str, params: Params) -> int:
    """The memory of a setting, by that of a step near it."""
    here, there = guess_memory(hasher, params), guess_memory(hasher, near.params)
    share = here / there if here and there else params[ladder] / near.params[ladder]
    return round(near.memory_bytes * share)


def scaled(curve: Curve, factor: float) -> Curve:
    """The curve of a hash that takes so many times as long at every cost."""
    model = msgspec.structs.replace(
        curve.model,
        overhead_seconds=curve.model.overhead_seconds * factor,
        seconds_per_unit=curve.model.seconds_per_unit * factor,
    )
    return msgspec.structs.replace(curve, model=model)


def least_seconds_at(measurement: Measurement, params: Params) -> float | None:
    """Return the least time that one hash takes; None if nothing tells.

    Further lanes save no more than their share of the time.
    """
    share = 1.0
    if "parallelism" in params:
        share = min(1.0, measurement.lanes / params["parallelism"])
        params = {**params, "parallelism": measurement.lanes}
    known = setting_at(measurement, params)
    return None if known is None else known.seconds * share


def foreseen_seconds(measurement: Measurement, params: Params) -> float:
    """About what one hash takes at any params."""
    known = setting_at(measurement, params)
    if known is not None:
        return known.seconds
    first = measurement.fitted.curves[0]
    there = first.seconds(first.lowest)
    return there * work_ratio(measurement.hasher, params, first.params)
