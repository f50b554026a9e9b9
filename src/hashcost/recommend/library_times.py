"""How long an application's library takes, by what was timed in its place. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from hashcost.core.measurement import Curve, Fit, Measurement, Params, work
from hashcost.fit.times import scaled, setting_at

if TYPE_CHECKING:
    from hashcost.apps.interface import Scheme

_COEFFICIENTS: Final = ("block", "growth", "filling", "fresh")
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
    surface = measurement.fitted.surface
    return replace(
        measurement,
        fitted=Fit(
            curves=tuple(scaled(curve, factor) for curve in measurement.fitted.curves),
            surface=surface
            and replace(
                surface,
                **{name: getattr(surface, name) * factor for name in _COEFFICIENTS},
                error=tuple(each * factor**2 for each in surface.error),
            ),
        ),
        samples=tuple(
            replace(
                sample,
                cpu_seconds=sample.cpu_seconds * factor,
                wall_seconds=sample.wall_seconds * factor,
                system_seconds=sample.system_seconds * factor,
            )
            for sample in measurement.samples
        ),
    )


def page_fault_seconds(measurement: Measurement, params: Params) -> float | None:
    """What the fresh pages of a hash take of its time; `None` where nothing tells."""
    surface, known = measurement.fitted.surface, setting_at(measurement, params)
    if surface is None or known is None:
        return None
    return surface.fresh_seconds(known.curve.memory_bytes)


def _without_fresh_pages(measurement: Measurement) -> Measurement:
    """The same hasher in a process whose allocator keeps the memory from hash to hash."""
    surface = measurement.fitted.surface
    if surface is None:
        return measurement
    return replace(
        measurement,
        fitted=Fit(
            curves=tuple(
                _sooner(curve, surface.fresh_seconds(curve.memory_bytes))
                for curve in measurement.fitted.curves
            ),
            surface=replace(surface, fresh=0.0),
        ),
        samples=tuple(
            replace(
                sample,
                cpu_seconds=max(sample.cpu_seconds - sample.system_seconds, 0.0),
                wall_seconds=max(sample.wall_seconds - sample.system_seconds, 0.0),
                system_seconds=0.0,
            )
            for sample in measurement.samples
        ),
    )


def _sooner(curve: Curve, seconds: float) -> Curve:
    """Shift the curve down by ``seconds``, to at least half."""
    least = curve.seconds(curve.lowest)
    seconds = min(seconds, least * (1 - _LEAST_SHARE))
    model = curve.model
    overhead = model.overhead_seconds - seconds
    if overhead >= 0:
        model = replace(model, overhead_seconds=overhead)
    else:
        unit = (least - seconds) / work(model.scale, curve.lowest)
        model = replace(model, overhead_seconds=0.0, seconds_per_unit=unit)
    return replace(curve, model=model)
