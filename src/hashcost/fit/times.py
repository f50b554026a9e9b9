"""The time of one hash at given params, from a measurement. Pure."""

import math
from functools import partial
from typing import Final

from hashcost.core.algorithms import guess_memory, work_ratio
from hashcost.core.measurement import Curve, Measurement, Params, Surface
from hashcost.fit.solver import Solution, setting_of

_MISFIT: Final = 2.0
"""Most by which a model misses a sample, as a factor: as much as a neighbour can slow a hash."""


def setting_at(measurement: Measurement, params: Params) -> Solution | None:
    """The setting with these params and its time; `None` if the measurement does not cover it.

    The measurement of a memory-hard hasher covers any memory and any number of passes; that of
    a linear hasher covers every legal cost.
    """
    setting = setting_of(measurement.fitted, params)
    surface, (ladder, *others) = measurement.fitted.surface, measurement.knobs
    turned = {ladder.name, *(knob.name for knob in others)}
    rest = {name: value for name, value in measurement.lowest.items() if name not in turned}
    if setting is not None or surface is None or params.keys() != measurement.lowest.keys():
        return setting
    legal = all(k.minimum <= params[k.name] <= k.maximum for k in measurement.knobs)
    if not legal or any(params[name] != value for name, value in rest.items()):
        return None
    # Most hashers have no surface.
    from hashcost.fit.curves import curve_at
    from hashcost.fit.model import Shape

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


def is_fitted_to_samples(measurement: Measurement) -> bool:
    """Whether the model gives about the times of most samples; true without any."""
    fitted = measurement.fitted
    if fitted.surface is not None and not all(_is_on(fitted.surface, c) for c in fitted.curves):
        return False
    agreeing = 0
    for sample in measurement.samples:
        setting = setting_at(measurement, sample.params)
        if setting is None:
            continue
        shared = measurement.seconds(sample)
        quiet = shared / sample.slowdown
        # Under a quota the model has the times of the shared core, else those of a quiet one.
        if _is_near(setting.seconds, quiet) or _is_near(setting.seconds, shared):
            agreeing += 1
    return 2 * agreeing >= len(measurement.samples)


def _is_on(surface: Surface, curve: Curve) -> bool:
    """Whether a curve of one setting of memory lies about on the surface."""
    return _is_near(surface.seconds(curve.memory_bytes, 1), curve.seconds(curve.lowest))


def _is_near(seconds: float, other: float) -> bool:
    return other / _MISFIT <= seconds <= other * _MISFIT


def _memory(hasher: str, near: Curve, ladder: str, params: Params) -> int:
    """The memory of a setting in bytes, scaled from a curve near it."""
    here, there = guess_memory(hasher, params), guess_memory(hasher, near.params)
    share = here / there if here and there else params[ladder] / near.params[ladder]
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
    return None if setting is None else setting.seconds * share


def foreseen_seconds(measurement: Measurement, params: Params) -> float:
    """Estimate the time of one hash at any params, by its work if it is beyond the measurement."""
    setting = setting_at(measurement, params)
    if setting is not None:
        return setting.seconds
    first = measurement.fitted.curves[0]
    ratio = work_ratio(measurement.hasher, params, first.params)
    return first.seconds(first.lowest) * ratio
