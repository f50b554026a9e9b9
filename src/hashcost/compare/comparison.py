"""From the measurements of each machine to the comparison. Pure."""

from collections.abc import Iterator, Sequence

import msgspec
from msgspec.structs import replace

from hashcost.compare.common import common_cost, common_setting
from hashcost.compare.deciding import hold_of
from hashcost.compare.machines import MeasuredMachine, Side
from hashcost.compare.model import (
    COMPARISON_SCHEMA_VERSION,
    NOT_MEASURED,
    ComparedMachine,
    Comparison,
    HasherComparison,
    MachineRow,
    Standing,
)
from hashcost.compare.speed import differences, groups_of, on_both, relative_speed, standing
from hashcost.core.errors import InconclusiveError
from hashcost.core.machine import TOOL
from hashcost.core.measurement import Params
from hashcost.core.profile import Failure, Recommendation
from hashcost.core.units import DEFAULT_TARGET_SECONDS
from hashcost.documents.decision import Decision
from hashcost.fit.solver import Floors
from hashcost.fit.times import setting_at
from hashcost.recommend.recommendation import recommendation
from hashcost.worth.appraisal import floors_of
from hashcost.worth.policies.policy import Policy

_FEWEST = 2


def compare(
    machines: Sequence[MeasuredMachine],
    *,
    target_seconds: float,
    policies: Sequence[Policy] = (),
    hashers: Sequence[str] = (),
    committed: Decision | None = None,
) -> Comparison:
    """Two machines or more, of different names, side by side, hasher by hasher.

    Speeds are multiples of the first machine's. ``hashers`` are names or labels to keep; none
    keeps all. ``committed`` is what was decided before.

    Raises:
        InconclusiveError: no hasher was measured on two of the machines.
    """
    every = list(_sides(machines, hashers))
    compared_sides = [sides for sides in every if len(sides) >= _FEWEST]
    if not compared_sides:
        raise InconclusiveError(
            "the machines have no hasher in common; measure the same hashers on each with"
            " `calibrate --save FILE`"
        )
    # A lone implementation of a hasher that others share is not alone.
    compared = {sides[0].measurement.hasher for sides in compared_sides}
    sides = {side.measurement.hasher: side.name for side, *_ in every}
    return Comparison(
        schema=COMPARISON_SCHEMA_VERSION,
        tool=TOOL,
        target_seconds=target_seconds,
        baseline=machines[0].name,
        machines=tuple(
            msgspec.convert(machine, ComparedMachine, from_attributes=True) for machine in machines
        ),
        hashers=tuple(
            _compared(sides, machines, target_seconds, policies, committed)
            for sides in compared_sides
        ),
        alone={hasher: machine for hasher, machine in sides.items() if hasher not in compared},
    )


def target_of(machines: Sequence[MeasuredMachine]) -> float:
    """The target, in seconds, that all were made for, or the default where they differ."""
    targets = {machine.target_seconds for machine in machines}
    return DEFAULT_TARGET_SECONDS if len(targets) > 1 else min(targets)


def _sides(machines: Sequence[MeasuredMachine], hashers: Sequence[str]) -> Iterator[list[Side]]:
    """The rows that are compared with each other, the baseline's machine first.

    Each hasher once, every machine by the implementation that the most of them share;
    and each other implementation that two or more machines have.
    """
    by_hasher: dict[str, dict[str, list[Side]]] = {}
    for machine in machines:
        for side in machine.sides(hashers):
            labels = by_hasher.setdefault(side.measurement.hasher, {})
            labels.setdefault(side.measurement.label, []).append(side)
    for labels in by_hasher.values():
        chosen: dict[str, Side] = {}
        ordered = sorted(labels.values(), key=len, reverse=True)
        for sides in ordered:
            for side in sides:
                chosen.setdefault(side.name, side)
        yield [chosen[machine.name] for machine in machines if machine.name in chosen]
        yield from ordered[1:]


def _compared(
    sides: Sequence[Side],
    machines: Sequence[MeasuredMachine],
    target_seconds: float,
    policies: Sequence[Policy],
    committed: Decision | None,
) -> HasherComparison:
    reference, groups = sides[0], groups_of(sides, target_seconds)
    hasher = reference.measurement.hasher
    common = common_setting(groups, target_seconds, policies)
    params = None if isinstance(common, str) else common
    floors = floors_of(policies, hasher)
    rows, pooled = (
        sorted(
            (_row(sides[0], side, params, target_seconds, floors) for side in sides),
            key=lambda row: -(row.speed.ratio if row.speed else 0.0),
        )
        for sides in (sides, groups)
    )
    implementations = {side.measurement.implementation for side in sides}
    implementation = implementations.pop() if len(implementations) == 1 else None
    decided = committed and committed.cost_of(hasher, implementation)
    present = {side.name for side in sides}
    return HasherComparison(
        hasher=hasher,
        implementation=implementation,
        baseline=reference.name,
        rows=tuple(rows),
        common=None if params is None else common_cost(groups, params, target_seconds, policies),
        no_common=common if isinstance(common, str) else None,
        missing={
            machine.name: next(
                (why for label, why in machine.failures.items() if label.startswith(f"{hasher}@")),
                NOT_MEASURED,
            )
            for machine in machines
            if machine.name not in present
        },
        groups=tuple(pooled),
        hold=hold_of(groups, decided, target_seconds, policies) if decided else None,
    )


def _row(
    reference: Side,
    side: Side,
    common: Params | None,
    target_seconds: float,
    floors: Floors | None,
) -> MachineRow:
    measurement = side.measurement
    solved = recommendation(measurement, target_seconds, floors)
    row = solved if isinstance(solved, Recommendation) else None
    pair = on_both(reference.measurement, measurement, common)
    speed = None if pair is None else relative_speed(*pair)
    stands = Standing.NOT_COMPARABLE if speed is None else standing(speed)
    if side is reference:
        stands = Standing.BASELINE
        speed = speed and replace(speed, ratio=1.0, low=1.0, high=1.0)
    differs = stands in (Standing.FASTER, Standing.SLOWER)
    for_all = None if common is None else setting_at(measurement, common)
    return MachineRow(
        machine=side.name,
        machines=side.machines,
        implementation=measurement.implementation,
        implementation_version=measurement.implementation_version,
        params=None if row is None else row.params,
        time_seconds=None if row is None else row.time_seconds,
        interval_seconds=None if row is None else row.interval_seconds,
        for_all_seconds=None if for_all is None else for_all.seconds,
        for_all_interval=None if for_all is None else for_all.interval,
        standing=stands,
        speed=speed,
        differs_in=differences(reference, side) if differs else (),
        error=solved.error if isinstance(solved, Failure) else None,
    )
