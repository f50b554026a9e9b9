"""The time of one hash at given params, from a measurement. Pure."""

import math
from functools import partial
from typing import Final

from hashcost.core.algorithms import guess_memory, work_ratio
from hashcost.core.measurement import Curve, Measurement, Params
from hashcost.fit.solver import REACH, Solution, setting_of

_MISFIT: Final = 2.0
"""Most by which a model misses a sample, as a factor: as much as a neighbour can slow a hash."""


def setting_at(measurement: Measurement, params: Params) -> Solution | None:
    """The setting with these params and its time; `None` if the measurement does not cover it.

    The measurement of a memory-hard hasher covers any number of passes, and any memory from half
    the least that was timed; that of a linear hasher covers every legal cost.
    """
    setting = setting_of(measurement.fitted, params)
    surface = measurement.fitted.surface
    if setting is not None or surface is None or not _is_on_surface(measurement, params):
        return setting
    # Most hashers have no surface.
    from hashcost.fit.curves import curve_at
    from hashcost.fit.model import Shape

    ladder, *others = measurement.knobs

    def distance(curve: Curve) -> float:
        return abs(math.log(curve.params[ladder.name] / params[ladder.name]))

    near = min(measurement.fitted.curves, key=distance)
    shape = Shape(
        knobs=measurement.knobs,
        lowest=measurement.lowest,
        memory_bytes=partial(_memory, measurement.hasher, near, ladder.name),
    )
    # A curve begins at the lowest value of what it leaves to turn.
    first = dict(params)
    for knob in others:
        first[knob.name] = knob.minimum
    low, high = near.relative_interval
    curve = curve_at(surface, shape, first, (-math.log(low), math.log(high)))
    return Solution(curve=curve, value=params[curve.model.parameter])


def _is_on_surface(measurement: Measurement, params: Params) -> bool:
    """Whether the params differ from those that were timed in legal values of knobs only."""
    if params.keys() != measurement.lowest.keys():
        return False
    fixed = dict(measurement.lowest)
    for knob in measurement.knobs:
        if not knob.allows(params[knob.name]):
            return False
        fixed.pop(knob.name, None)
    if any(params[name] != value for name, value in fixed.items()):
        return False
    return REACH * params[measurement.knobs[0].name] >= _least_timed(measurement)


def _least_timed(measurement: Measurement) -> int:
    """The least value of the ladder that has a sample or a curve."""
    name = measurement.knobs[0].name
    timed = [curve.params[name] for curve in measurement.fitted.curves]
    timed += [sample.params[name] for sample in measurement.samples]
    return min(timed)


def params_timed_otherwise(measurement: Measurement, params: Params) -> Params:
    """The params that cannot be turned and were timed only with another value, with that value."""
    turned = {knob.name for knob in measurement.knobs}
    return {
        name: value
        for name, value in measurement.lowest.items()
        if name not in turned and name in params and params[name] != value
    }


def is_fitted_to_samples(measurement: Measurement) -> bool:
    """Tell whether the model gives about the times of most samples; true without any.

    They are most by number, or by the time that they took. The start of lanes, which no model
    has, makes many short hashes several times longer; an interruption makes one long hash longer.
    """
    surface = measurement.fitted.surface
    if surface is not None:
        for curve in measurement.fitted.curves:
            on_surface = surface.seconds(curve.memory_bytes, 1)
            if not _is_near(on_surface, curve.seconds(curve.lowest)):
                return False
    agreeing = 0
    agreeing_seconds = 0.0
    all_seconds = 0.0
    for sample in measurement.samples:
        shared = measurement.seconds(sample)
        all_seconds += shared
        setting = setting_at(measurement, sample.params)
        if setting is None:
            continue
        quiet = shared / sample.slowdown
        # Under a quota the model has the times of the shared core, else those of a quiet one.
        if _is_near(setting.seconds, quiet) or _is_near(setting.seconds, shared):
            agreeing += 1
            agreeing_seconds += shared
    if measurement.samples and not agreeing:
        return False
    are_most = 2 * agreeing >= len(measurement.samples)
    return are_most or 2 * agreeing_seconds >= all_seconds


def _is_near(seconds: float, other: float) -> bool:
    return other / _MISFIT <= seconds <= other * _MISFIT


def _memory(hasher: str, near: Curve, ladder: str, params: Params) -> int:
    """The memory of a setting in bytes, scaled from a curve near it."""
    here = guess_memory(hasher, params)
    there = guess_memory(hasher, near.params)
    if not here or not there:
        # How a plug-in's memory follows its cost is unknown: it grows in proportion.
        here = params[ladder]
        there = near.params[ladder]
    share = here / there
    return round(near.memory_bytes * share)


def least_seconds_at(measurement: Measurement, params: Params) -> float | None:
    """Return the least time that one hash can take; `None` if the measurement does not cover it.

    More lanes save at most their share of the time.
    """
    share = 1.0
    if "parallelism" in params:
        share = min(1.0, measurement.lanes / params["parallelism"])
        params = {**params, "parallelism": measurement.lanes}
    setting = setting_at(measurement, params)
    if setting is None:
        return None
    return setting.seconds * share


def foreseen_seconds(measurement: Measurement, params: Params) -> float:
    """Estimate the time of one hash at any params, by its work if it is beyond the measurement."""
    setting = setting_at(measurement, params)
    if setting is not None:
        return setting.seconds
    first = measurement.fitted.curves[0]
    ratio = work_ratio(measurement.hasher, params, first.params)
    return first.seconds(first.lowest) * ratio
