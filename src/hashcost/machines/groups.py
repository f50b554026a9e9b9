"""Groups of machines in the same context, and the machine that represents each. Pure."""

import math
from collections.abc import Hashable, Sequence
from typing import Final

from msgspec.structs import replace

from hashcost.core.measurement import Measurement
from hashcost.fit.common import least_limit
from hashcost.fit.solver import highest_within
from hashcost.machines.common import times_on
from hashcost.machines.profile_files import Side

# Share of a group that is at least as fast as the machine that represents it. The slowest of many
# would be the unluckiest run, and one cost for all would fall as the fleet grows.
_SHARE: Final = 0.75


def groups_of(sides: Sequence[Side], target_seconds: float) -> tuple[Side, ...]:
    """The machines grouped by context, each group under its representative.

    Of two or three machines that is the slowest. It keeps the least memory limit of the group.
    """
    groups: dict[Hashable, list[Side]] = {}
    for side in sides:
        groups.setdefault(_conditions(side), []).append(side)
    representatives = []
    for members in groups.values():
        names = tuple(side.machine.name for side in members)
        limit_bytes = least_limit([side.measurement for side in members])
        # A machine whose least memory is beyond the limit says nothing about what is within it.
        able = [side for side in members if _least_memory(side.measurement) <= limit_bytes]
        ordered = _fastest_first(able, target_seconds)
        # The last of the fastest three quarters.
        representative = ordered[math.ceil(_SHARE * len(ordered)) - 1]
        measurement = _within(representative.measurement, limit_bytes)
        representatives.append(replace(representative, measurement=measurement, machines=names))
    return tuple(representatives)


def _least_memory(measurement: Measurement) -> int:
    return measurement.fitted.curves[0].memory_bytes


def _within(measurement: Measurement, limit_bytes: int) -> Measurement:
    """The measurement, without the settings that take more memory than allowed."""
    fitted = measurement.fitted
    curves = tuple(curve for curve in fitted.curves if curve.memory_bytes <= limit_bytes)
    return replace(measurement, fitted=replace(fitted, curves=curves))


def _conditions(side: Side) -> Hashable:
    """The conditions of the measurement; a machine whose CPU is unknown is like no other."""
    machine, measurement = side.machine.machine, side.measurement
    conditions = (
        machine.context or side.machine.name,
        machine.virtualization,
        measurement.label,
        measurement.implementation_version,
        measurement.lanes,
        side.machine.probe.password_bytes,
    )
    if measurement.implementation != "passlib":
        return conditions
    # A hasher in Python runs as Python does.
    return (*conditions, machine.python, machine.openssl)


def _fastest_first(members: Sequence[Side], target_seconds: float) -> list[Side]:
    """Order machines by their time at one setting that all of them know, near the target."""
    # The largest memory that all know is nearest to what will be used.
    for curve in reversed(members[0].measurement.fitted.curves):
        times = times_on(members, curve.at(highest_within(curve, target_seconds)))
        if times is not None:
            timed = zip(times, members, strict=True)
            in_order = sorted(timed, key=lambda pair: pair[0].seconds)
            return [member for _, member in in_order]
    return list(members)
