"""Turn a decided cost into a measurement, so that `emit` can write it like any other. Pure."""

from typing import Final

from hashcost.core.algorithms import guess_memory
from hashcost.core.machine import BY_MALLOC, TOOL
from hashcost.core.measurement import CostModel, Curve, Fit, Knob, Measurement, Scale, work
from hashcost.core.profile import TOO_NOISY
from hashcost.recommend.emission import Origin
from hashcost.storage.decision import DecidedCost

_HIGHEST: Final = {Scale.LINEAR: 2**31 - 1, Scale.LOG2: 31}
_JUST: Final = 1 - 1e-9
"""Factor that makes the decided cost fit its own time, however a division rounds."""


def decided_origin(cost: DecidedCost) -> Origin:
    """The slowest hosts of a decision, and when it was made."""
    return Origin(
        tool=TOOL,
        created=cost.decided,
        cpu=cost.cpu_model or "unknown",
        cpu_count=cost.cpu_count,
        cpu_limit=cost.cpu_limit,
        gives_huge_pages=cost.huge_pages and cost.implementation in BY_MALLOC,
    )


def decided_measurement(cost: DecidedCost) -> Measurement:
    """The measurement of a hasher that was timed only at the decided cost.

    An application that hashes with the same library gets exactly that cost in the cost's own
    time; any other gets the cost that its own library reaches then, with the same memory.
    """
    first, turned = _knobs(cost)
    knobs: tuple[Knob, ...] = (first,)
    knob = first
    lowest = cost.params
    if turned is not None:
        knob = turned
        lowest = {**cost.params, turned.name: turned.minimum}
        if turned is not first:
            knobs = (first, turned)
    units = work(knob.scale, cost.params[knob.name])
    # Greater doubt did not keep it from being decided on.
    low, high = cost.interval_seconds or (cost.time_seconds, cost.time_seconds)
    least = max(low / cost.time_seconds, 1 - TOO_NOISY)
    most = min(high / cost.time_seconds, 1 + TOO_NOISY)
    curve = Curve(
        params=lowest,
        knob=turned,
        model=CostModel(
            parameter=knob.name,
            scale=knob.scale,
            overhead_seconds=0.0,
            seconds_per_unit=cost.time_seconds * _JUST / units,
        ),
        memory_bytes=cost.memory_bytes,
        relative_interval=(least, most),
    )
    return Measurement(
        hasher=cost.hasher,
        implementation=cost.implementation,
        implementation_version=cost.implementation_version,
        clock="decided",
        threads=1,
        knobs=knobs,
        fitted=Fit(curves=(curve,)),
    )


def _knobs(cost: DecidedCost) -> tuple[Knob, Knob | None]:
    """The first knob, and the one left to turn: with memory, the number of passes, if any."""
    name = next(iter(cost.params))
    # A hasher without memory has one knob, which may be turned freely.
    if guess_memory(cost.hasher, cost.params) is None:
        scale = Scale.LOG2 if name == "cost" else Scale.LINEAR
        only = Knob(name=name, scale=scale, minimum=1, maximum=_HIGHEST[scale])
        return only, only
    # Times at other memory are not known.
    step = cost.params[name]
    memory = Knob(name=name, scale=Scale.LADDER, minimum=step, maximum=step, steps=(step,))
    if "time_cost" not in cost.params:
        return memory, None
    most = _HIGHEST[Scale.LINEAR]
    return memory, Knob(name="time_cost", scale=Scale.LINEAR, minimum=1, maximum=most)
