"""Derive the time of an application's library from the library that was timed. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from hashcost.core.measurement import Curve, Fit, Measurement, Params, Surface
from hashcost.fit.times import setting_at

if TYPE_CHECKING:
    from hashcost.apps.schemes import Scheme

_LEAST_SHARE: Final = 0.5
"""Least share of a hash's time that remains without its fresh pages."""


def multiple_of(scheme: Scheme, blocks: int | None = None) -> float:
    """The application's time as a multiple of one block by its reference; the most, if it varies.

    ``blocks`` replace the scheme's for a cost that has its own.
    """
    # Each block of PBKDF2 takes as long as the first.
    times = float(blocks or scheme.blocks)
    if scheme.reference is not None:
        times *= scheme.reference.factor
    return times


def least_multiple_of(scheme: Scheme, blocks: int | None = None) -> float:
    """The least multiple, if builds of the library, CPUs or amounts of memory make it vary."""
    most = multiple_of(scheme, blocks)
    if scheme.reference is None:
        return most
    return most * (scheme.reference.least_factor / scheme.reference.factor)


def longest_here(scheme: Scheme, target_seconds: float) -> float:
    """The most time of a hash by the reference with which it may fit the target in the app."""
    longest = target_seconds / least_multiple_of(scheme)
    if scheme.reference is not None and scheme.reference.keeps_memory:
        # Up to half of what is timed may be fresh pages, which the application does without.
        longest /= _LEAST_SHARE
    return longest


def in_place(measurement: Measurement, scheme: Scheme | None) -> Measurement:
    """The measurement to multiply: without fresh pages if the scheme's library keeps memory.

    Its samples stay as they were taken; no cost is solved from them.
    """
    if scheme is None or scheme.reference is None or not scheme.reference.keeps_memory:
        return measurement
    surface = measurement.fitted.surface
    if surface is None:
        return measurement
    return replace(measurement, fitted=with_reused_memory(measurement.fitted, surface))


def with_reused_memory(fitted: Fit, surface: Surface, share: float = 1.0) -> Fit:
    """Take a share of the time off that fresh memory takes."""
    curves = []
    for curve in fitted.curves:
        saved = surface.fresh_seconds(curve.memory_bytes) * share
        curves.append(_sooner(curve, saved))
    left = replace(surface, fresh=surface.fresh * (1 - share))
    return Fit(curves=tuple(curves), surface=left)


def page_fault_seconds(measurement: Measurement, params: Params) -> float | None:
    """The part of a hash's time that fresh pages take; `None` if it is unknown."""
    surface = measurement.fitted.surface
    setting = setting_at(measurement, params)
    if surface is None or setting is None:
        return None
    return surface.fresh_seconds(setting.curve.memory_bytes)


def _sooner(curve: Curve, seconds: float) -> Curve:
    """Shift the curve down by ``seconds``, to at least half."""
    # A fit on few fresh samples may blame more on fresh pages than the hash takes.
    seconds = min(seconds, curve.seconds(curve.lowest) * (1 - _LEAST_SHARE))
    overhead = curve.model.overhead_seconds - seconds
    return replace(curve, model=replace(curve.model, overhead_seconds=overhead))
