"""One cost for several measurements: of machines, or of libraries on one machine. Pure.

A cost fits if it fits on each, so it is solved on the curves of the slowest.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from hashcost.core.measurement import Curve, Fit, Measurement, Params, Surface
from hashcost.fit.solver import Solution, highest_within
from hashcost.fit.times import setting_at


def for_all(measurements: Sequence[Measurement], target_seconds: float) -> Fit | None:
    """A curve for each step of memory that all measurements know: the slowest one's.

    No step is beyond the memory limit of any measurement. Times are multiplied, so that what fits
    a measurement's CPU quota takes the target.
    """
    limit_bytes = least_limit(measurements)
    lowest = {}
    for measurement in measurements:
        for curve in measurement.fitted.curves:
            if curve.memory_bytes <= limit_bytes:
                lowest[tuple(curve.params.items())] = curve.params
    shared = []
    for params in lowest.values():
        slowest = _slowest(measurements, params, target_seconds)
        if slowest is not None:
            shared.append(slowest)
    if not shared:
        return None
    shared.sort(key=lambda curve: curve.memory_bytes)
    return Fit(curves=tuple(shared), surface=_least_sampled(measurements))


def least_limit(measurements: Sequence[Measurement]) -> int:
    """The least memory limit, in bytes: each measurement has curves up to its own."""
    return min(measurement.fitted.curves[-1].memory_bytes for measurement in measurements)


def times_at(measurements: Sequence[Measurement], params: Params) -> list[Solution] | None:
    """Time one cost by each measurement; `None` if one of them does not know it."""
    times = []
    for measurement in measurements:
        time = setting_at(measurement, params)
        if time is None:
            return None
        times.append(time)
    return times


def _least_sampled(measurements: Sequence[Measurement]) -> Surface | None:
    """The surface whose largest timed memory is the least: an answer may not go far beyond it."""
    surfaces = [measurement.fitted.surface for measurement in measurements]
    sampled = [surface for surface in surfaces if surface is not None]
    return min(sampled, key=lambda surface: surface.sampled_bytes[1], default=None)


def _slowest(
    measurements: Sequence[Measurement], lowest: Params, target_seconds: float
) -> Curve | None:
    """From these params on, the curve that leaves the least room within the target."""
    times = times_at(measurements, lowest)
    if times is None:
        return None
    curves = []
    maximums = []
    for measurement, time in zip(measurements, times, strict=True):
        # Under a CPU quota a hash may take less than the target. Its times are multiplied, so that
        # one target holds for all.
        factor = target_seconds / measurement.fitting(target_seconds)
        curves.append(time.curve.slowed(factor))
        if time.curve.knob is not None:
            maximums.append(time.curve.knob.maximum)

    def room(curve: Curve) -> tuple[int, float]:
        highest = highest_within(curve, target_seconds)
        return highest, -curve.seconds(highest)

    tightest = min(curves, key=room)
    knob = tightest.knob
    if knob is not None:
        # A cost for all must be legal for each.
        knob = replace(knob, maximum=min(maximums))
    return replace(tightest, params=lowest, knob=knob)
