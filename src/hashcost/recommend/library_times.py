"""How long an application's library takes, by what was timed in its place. Pure."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import msgspec

from hashcost.core.measurement import Curve, Fit, Measurement, Params, Sample, work
from hashcost.fit.curves import counting
from hashcost.fit.order_statistics import quiet_estimate
from hashcost.fit.quiet_speed import scaled

if TYPE_CHECKING:
    from hashcost.apps.interface import Scheme

_LEAST_SHARE: Final = 0.5
"""What is left of a hash's time without its fresh pages, at least."""


def multiple_of(scheme: Scheme, blocks: int | None = None) -> float:
    """How many times as long the application takes as one block by its reference here.

    At most, where libraries differ. ``blocks`` are those of one cost, where they are
    not the scheme's.
    """
    return (blocks or scheme.blocks) * (
        1.0 if scheme.reference is None else scheme.reference.factor
    )


def least_multiple_of(scheme: Scheme, blocks: int | None = None) -> float:
    """The same at least, where builds of the library differ, or CPUs, or amounts of memory."""
    reference = scheme.reference
    share = 1.0 if reference is None else reference.least_factor / reference.factor
    return multiple_of(scheme, blocks) * share


def longest_here(scheme: Scheme, target_seconds: float) -> float:
    """How long a hash by the reference may take here if it fits the target in the application."""
    keeps = scheme.reference is not None and scheme.reference.keeps_memory
    return target_seconds / least_multiple_of(scheme) / (_LEAST_SHARE if keeps else 1.0)


def in_place(measurement: Measurement, scheme: Scheme | None) -> Measurement:
    """What the multiples of a scheme hold for: without fresh pages if its library keeps memory."""
    reference = None if scheme is None else scheme.reference
    if reference is None or not reference.keeps_memory or not measurement.climbs:
        return measurement
    return _without_fresh_pages(measurement)


def slowed(measurement: Measurement, factor: float) -> Measurement:
    """The measurement of a hasher that takes so many times as long at every cost."""
    if factor == 1:
        return measurement
    return _changed(
        measurement,
        curve=lambda curve: scaled(curve, factor),
        least=lambda seconds: seconds * factor,
        sample=lambda sample: msgspec.structs.replace(
            sample,
            cpu_seconds=sample.cpu_seconds * factor,
            wall_seconds=sample.wall_seconds * factor,
            system_seconds=sample.system_seconds * factor,
        ),
    )


def page_fault_seconds(measurement: Measurement, params: Params) -> float | None:
    """What the fresh pages of a hash take of its time; ``None`` where nothing tells.

    Every hash with as much memory is given as many.
    """
    ladder = measurement.knobs[0]
    if not ladder.is_ladder or not measurement.page_bytes:
        return None
    step = params[ladder.name]
    there = [each for each in measurement.samples if each.params[ladder.name] == step]
    times = [each.system_seconds for each in counting(there)]
    return quiet_estimate(times) if times else None


def _without_fresh_pages(measurement: Measurement) -> Measurement:
    """The same hasher in a process whose allocator keeps the memory from hash to hash."""
    curves = measurement.fitted.curves
    known = [
        (curve.memory_bytes, seconds)
        for curve in curves
        if (seconds := page_fault_seconds(measurement, curve.params)) is not None
    ]
    if not known:
        return measurement

    def fresh(memory_bytes: int) -> float:
        memory, seconds = min(known, key=lambda each: abs(each[0] - memory_bytes))
        return seconds * memory_bytes / memory

    return _changed(
        measurement,
        curve=lambda curve: _sooner(curve, fresh(curve.memory_bytes)),
        least=lambda seconds: seconds * _LEAST_SHARE,
        sample=lambda sample: msgspec.structs.replace(
            sample,
            cpu_seconds=max(sample.cpu_seconds - sample.system_seconds, 0.0),
            wall_seconds=max(sample.wall_seconds - sample.system_seconds, 0.0),
            system_seconds=0.0,
        ),
    )


def _sooner(curve: Curve, seconds: float) -> Curve:
    """The curve of a hash that takes less by so much at every cost, but not less than half."""
    least = curve.seconds(curve.lowest)
    seconds = min(seconds, least * (1 - _LEAST_SHARE))
    model = curve.model
    overhead = model.overhead_seconds - seconds
    if overhead >= 0:
        model = msgspec.structs.replace(model, overhead_seconds=overhead)
    else:
        unit = (least - seconds) / work(model.scale, curve.lowest)
        model = msgspec.structs.replace(model, overhead_seconds=0.0, seconds_per_unit=unit)
    steps = {value: each - seconds for value, each in curve.step_seconds.items()}
    return msgspec.structs.replace(curve, model=model, step_seconds=steps)


def _changed(
    measurement: Measurement,
    *,
    curve: Callable[[Curve], Curve],
    least: Callable[[float], float],
    sample: Callable[[Sample], Sample],
) -> Measurement:
    fitted = measurement.fitted
    return msgspec.structs.replace(
        measurement,
        fitted=Fit(
            curves=tuple(map(curve, fitted.curves)),
            beyond=tuple(
                msgspec.structs.replace(each, least_seconds=least(each.least_seconds))
                for each in fitted.beyond
            ),
        ),
        samples=tuple(map(sample, measurement.samples)),
    )
