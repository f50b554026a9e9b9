"""Turn a decided cost into a profile, so that `emit` can write it like any other. Pure."""

from typing import Final

from hashcost.core.algorithms import guess_memory
from hashcost.core.machine import HUGE_PAGES, ON_REQUEST, TOOL, Machine, Probe
from hashcost.core.measurement import CostModel, Curve, Fit, Knob, Measurement, Scale, work
from hashcost.core.profile import SCHEMA_VERSION, TOO_NOISY, Profile
from hashcost.recommend.recommendation import recommendation
from hashcost.storage.decision import DecidedCost

_HIGHEST: Final = {Scale.LINEAR: 2**31 - 1, Scale.LOG2: 31}
_JUST: Final = 1 - 1e-9
"""Factor that makes the decided cost fit its own time, however a division rounds."""
_UNKNOWN: Final = "unknown"


def decided_profile(cost: DecidedCost) -> Profile:
    """The profile of a hasher measured only at the decided cost, with its time as the target.

    An application that hashes with the same library gets exactly that cost; any other gets the
    cost that its own library reaches in that time, with the same memory.
    """
    measurement = _measurement(cost)
    row = recommendation(measurement, cost.time_seconds)
    return Profile(
        schema=SCHEMA_VERSION,
        tool=TOOL,
        created=cost.decided,
        machine=Machine(
            cpu_model=cost.cpu_model,
            cpu_count=cost.cpu_count,
            cpu_flags=(),
            cpu_limit=cost.cpu_limit,
            memory_bytes=None,
            os=_UNKNOWN,
            kernel=_UNKNOWN,
            architecture=_UNKNOWN,
            virtualization=None,
            python=_UNKNOWN,
            openssl=_UNKNOWN,
            huge_pages=ON_REQUEST if cost.huge_pages else "",
            malloc=HUGE_PAGES if cost.huge_pages else "",
        ),
        probe=Probe(password_bytes=0, salt_bytes=0),
        target_seconds=cost.time_seconds,
        duration_seconds=0.0,
        measurements=(measurement,),
        results=(row,),
    )


def _measurement(cost: DecidedCost) -> Measurement:
    in_memory = guess_memory(cost.hasher, cost.params) is not None
    ladder, turned = _knobs(cost, in_memory=in_memory)
    lowest = cost.params if turned is None else {**cost.params, turned.name: turned.minimum}
    knob = turned or ladder
    units = work(knob.scale, cost.params[knob.name])
    # Greater doubt did not keep it from being decided on.
    low, high = cost.interval_seconds or (cost.time_seconds, cost.time_seconds)
    doubt = (
        max(low / cost.time_seconds, 1 - TOO_NOISY),
        min(high / cost.time_seconds, 1 + TOO_NOISY),
    )
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
        relative_interval=doubt,
    )
    return Measurement(
        hasher=cost.hasher,
        implementation=cost.implementation,
        implementation_version=cost.implementation_version,
        clock="decided",
        threads=1,
        knobs=(ladder,) if turned is None or turned is ladder else (ladder, turned),
        fitted=Fit(curves=(curve,)),
    )


def _knobs(cost: DecidedCost, *, in_memory: bool) -> tuple[Knob, Knob | None]:
    """The first knob, and the one left to turn: with memory, the number of passes, if any."""
    if not in_memory:
        (name,) = list(cost.params)[:1]
        scale = Scale.LOG2 if name == "cost" else Scale.LINEAR
        only = Knob(name=name, scale=scale, minimum=1, maximum=_HIGHEST[scale])
        return only, only
    name = next(iter(cost.params))
    step = cost.params[name]
    ladder = Knob(name=name, scale=Scale.LADDER, minimum=step, maximum=step, steps=(step,))
    if "time_cost" not in cost.params:
        return ladder, None
    linear = Scale.LINEAR
    return ladder, Knob(name="time_cost", scale=linear, minimum=1, maximum=_HIGHEST[linear])
