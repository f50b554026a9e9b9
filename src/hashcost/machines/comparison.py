"""From the measurements of each machine to the comparison. Pure."""

import math
from collections.abc import Iterator, Sequence

import msgspec

from hashcost.core.errors import InconclusiveError
from hashcost.core.machine import TOOL
from hashcost.core.measurement import Params
from hashcost.core.units import DEFAULT_TARGET_SECONDS
from hashcost.fit.times import setting_at
from hashcost.machines.common import common_answer, common_cost
from hashcost.machines.deciding import step_of
from hashcost.machines.groups import groups_of
from hashcost.machines.model import (
    COMPARISON_SCHEMA_VERSION,
    CommonCost,
    ComparedMachine,
    Comparison,
    HasherComparison,
    MachineRow,
    Step,
)
from hashcost.machines.profile_files import MeasuredMachine, Side
from hashcost.storage.decision import Decision
from hashcost.strength.appraisal import floors_of
from hashcost.strength.attackers.device import Device, price
from hashcost.strength.policies.policy import Policy

_FEWEST = 2


def compare(
    machines: Sequence[MeasuredMachine],
    *,
    target_seconds: float,
    policies: Sequence[Policy] = (),
    hashers: Sequence[str] = (),
    device: Device | None = None,
    committed: Decision | None = None,
    lower: bool = False,
) -> Comparison:
    """Two machines or more, of different names, side by side, hasher by hasher.

    ``hashers`` are names or labels to keep; none keeps all. ``device`` is what an attacker
    guesses on. The first hasher is the one to use: one that meets all policies and is for new
    systems, with the fewest guesses on the device, or if none keeps the target, the quickest.
    ``committed`` is what was decided before, if a decision is asked for, and ``lower`` lets it
    take less than before.

    Raises:
        InconclusiveError: no hasher was measured on two of the machines.
    """
    every = list(_sides(machines, hashers))
    shared = [sides for sides in every if len(sides) >= _FEWEST]
    if not shared:
        raise InconclusiveError(
            "the machines have no hasher in common; measure the same hashers on each with"
            " `calibrate --save FILE`"
        )
    compared = [
        _compared(sides, machines, target_seconds, policies, committed, lower=lower)
        for sides in shared
    ]

    def rank(row: HasherComparison) -> tuple[float, ...]:
        """Rank by the policies; then within the target by price, and beyond it by time."""
        cost = row.common
        if cost is None:
            return (math.inf,)
        priced = None if device is None else price(device, row.hasher, cost.params)
        guesses = math.inf if priced is None else priced.guesses_per_second
        excess = cost.wait_seconds if cost.wait_seconds > target_seconds else 0.0
        policies_say = (bool(cost.missed), cost.is_legacy, len(cost.unlisted))
        return (bool(row.missing), *policies_say, excess, guesses)

    # A lone implementation of a hasher that others share is not alone.
    names = {row.hasher for row in compared}
    owners = {side.measurement.hasher: side.name for side, *_ in every}
    return Comparison(
        schema=COMPARISON_SCHEMA_VERSION,
        tool=TOOL,
        target_seconds=target_seconds,
        machines=tuple(
            msgspec.convert(machine, ComparedMachine, from_attributes=True) for machine in machines
        ),
        hashers=tuple(sorted(compared, key=rank)),
        alone={hasher: owner for hasher, owner in owners.items() if hasher not in names},
    )


def target_of(machines: Sequence[MeasuredMachine]) -> float:
    """The target, in seconds, that all were made for, or the default where they differ."""
    targets = {machine.target_seconds for machine in machines}
    return DEFAULT_TARGET_SECONDS if len(targets) > 1 else min(targets)


def _sides(machines: Sequence[MeasuredMachine], hashers: Sequence[str]) -> Iterator[list[Side]]:
    """The rows that are compared with each other, in the order of the machines.

    Each hasher once, every machine by the implementation that the most of them share;
    and each other implementation that two or more machines have.
    """
    by_hasher: dict[str, dict[str, list[Side]]] = {}
    for machine in machines:
        name = machine.name
        for row in machine.measurements:
            if not hashers or {row.hasher, row.label} & {*hashers}:
                side = Side(name=name, measurement=row, machine=machine, machines=(name,))
                labels = by_hasher.setdefault(row.hasher, {})
                labels.setdefault(row.label, []).append(side)
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
    *,
    lower: bool,
) -> HasherComparison:
    groups = groups_of(sides, target_seconds)
    hasher = sides[0].measurement.hasher
    implementations = {side.measurement.implementation for side in sides}
    implementation = implementations.pop() if len(implementations) == 1 else None
    floors = floors_of(policies, hasher)
    solved = common_answer(groups, target_seconds, floors)
    common: CommonCost | None = None
    undecided: str | None = None
    if isinstance(solved, str):
        undecided = solved
    else:
        common = common_cost(groups, solved.chosen.params, policies)
        if common is None or not common.is_certain:
            undecided = "too little is known of its time; measure again"
    step: Step | None = None
    if committed is not None and implementation is None:
        undecided = undecided or "the machines hash with different libraries"
    elif committed is not None:
        before = committed.cost_of(hasher, implementation)
        fresh = None if undecided else common
        step = step_of(groups, before, fresh, target_seconds, floors, lower=lower)
        if before is not None and step in (Step.KEPT, Step.TOO_HIGH):
            common = common_cost(groups, before.params, policies)
            undecided = None if common else "the cost of before was not timed on all machines"
    common = None if undecided else common
    params = None if common is None else common.params
    required = None if isinstance(solved, str) else solved.required
    present = {side.name for side in sides}
    return HasherComparison(
        hasher=hasher,
        implementation=implementation,
        rows=tuple(_row(side, params) for side in sides),
        groups=tuple(_row(group, params) for group in groups),
        common=common,
        undecided=undecided,
        is_raised=required is not None and required.params == params,
        missing={
            machine.name: next(
                (why for label, why in machine.failures.items() if label.startswith(f"{hasher}@")),
                "not measured",
            )
            for machine in machines
            if machine.name not in present
        },
        step=step,
    )


def _row(side: Side, params: Params | None) -> MachineRow:
    time = None if params is None else setting_at(side.measurement, params)
    return MachineRow(
        machine=side.name,
        machines=side.machines,
        implementation=side.measurement.implementation,
        implementation_version=side.measurement.implementation_version,
        time_seconds=None if time is None else time.seconds,
        interval_seconds=None if time is None else time.interval,
        wait_seconds=None if time is None else side.measurement.waits(time.seconds),
    )
