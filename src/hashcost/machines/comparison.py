"""From the measurements of each machine to the comparison. Pure."""

import math
from collections.abc import Iterator, Sequence
from functools import partial

import msgspec
from msgspec.structs import replace

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
    # One machine cannot be put beside itself.
    shared = [sides for sides in every if len(sides) > 1]
    if not shared:
        raise InconclusiveError(
            "the machines have no hasher in common; measure the same hashers on each with"
            " `calibrate --save FILE`"
        )
    compared = [
        _compared(sides, machines, target_seconds, policies, committed, lower=lower)
        for sides in shared
    ]
    compared.sort(key=partial(_rank, target_seconds=target_seconds, device=device))
    # A lone implementation of a hasher that others share is not alone.
    names = {row.hasher for row in compared}
    alone = {}
    for side, *_ in every:
        if side.measurement.hasher not in names:
            alone[side.measurement.hasher] = side.machine.name
    return Comparison(
        schema=COMPARISON_SCHEMA_VERSION,
        tool=TOOL,
        target_seconds=target_seconds,
        machines=tuple(
            msgspec.convert(machine, ComparedMachine, from_attributes=True) for machine in machines
        ),
        hashers=tuple(compared),
        alone=alone,
    )


def _rank(
    row: HasherComparison, *, target_seconds: float, device: Device | None
) -> tuple[float, ...]:
    """Rank by the policies; then within the target by price, and beyond it by time."""
    cost = row.common
    if cost is None:
        return (math.inf,)
    guesses = math.inf
    if device is not None:
        priced = price(device, row.hasher, cost.params)
        if priced is not None:
            guesses = priced.guesses_per_second
    excess = 0.0
    if cost.wait_seconds > target_seconds:
        excess = cost.wait_seconds
    return (
        bool(row.missing),
        bool(cost.missed),
        cost.is_legacy,
        len(cost.unlisted),
        excess,
        guesses,
    )


def target_of(machines: Sequence[MeasuredMachine]) -> float:
    """The target, in seconds, that all were made for, or the default where they differ."""
    target, *others = {machine.target_seconds for machine in machines}
    return DEFAULT_TARGET_SECONDS if others else target


def _sides(machines: Sequence[MeasuredMachine], hashers: Sequence[str]) -> Iterator[list[Side]]:
    """The rows that are compared with each other, in the order of the machines.

    Each hasher once, every machine by the implementation that the most of them share;
    and each other implementation that two or more machines have.
    """
    by_hasher: dict[str, dict[str, list[Side]]] = {}
    for machine in machines:
        for row in machine.measurements:
            if hashers and row.hasher not in hashers and row.label not in hashers:
                continue
            side = Side(measurement=row, machine=machine, machines=(machine.name,))
            labels = by_hasher.setdefault(row.hasher, {})
            labels.setdefault(row.label, []).append(side)
    for labels in by_hasher.values():
        # Most machines are compared by the same library.
        commonest, *others = sorted(labels.values(), key=len, reverse=True)
        chosen: dict[str, Side] = {}
        for sides in (commonest, *others):
            for side in sides:
                chosen.setdefault(side.machine.name, side)
        yield [chosen[machine.name] for machine in machines if machine.name in chosen]
        yield from others


def _compared(
    sides: Sequence[Side],
    machines: Sequence[MeasuredMachine],
    target_seconds: float,
    policies: Sequence[Policy],
    committed: Decision | None,
    *,
    lower: bool,
) -> HasherComparison:
    """Compare one hasher on the machines that have it."""
    groups = groups_of(sides, target_seconds)
    hasher = sides[0].measurement.hasher
    implementations = {side.measurement.implementation for side in sides}
    implementation = None
    if len(implementations) == 1:
        implementation = implementations.pop()
    floors = floors_of(policies, hasher)
    solved = common_answer(groups, target_seconds, floors)
    common = None
    undecided = None
    if isinstance(solved, str):
        undecided = solved
    else:
        common = common_cost(groups, solved.chosen.params, policies)
        if common is None or not common.is_certain:
            undecided = "too little is known of its time; measure again"
    step = None
    if committed is not None:
        # A decision names its library, since a cost holds for one.
        if implementation is None:
            undecided = undecided or "the machines hash with different libraries"
        else:
            before = committed.cost_of(hasher, implementation)
            fresh = None if undecided else common
            # A cost that is uncertain does not displace a committed one.
            step = step_of(groups, before, fresh, target_seconds, floors, lower=lower)
            if before is not None and step in (Step.KEPT, Step.TOO_HIGH):
                common = common_cost(groups, before.params, policies)
                undecided = None
                if common is None:
                    undecided = "the cost of before was not timed on all machines"
    params = None
    # A cost that cannot be relied upon is not shown as one for all.
    if undecided:
        common = None
    elif common is not None:
        params = common.params
    is_raised = False
    if not isinstance(solved, str) and solved.required is not None:
        is_raised = solved.required.params == params
    return HasherComparison(
        hasher=hasher,
        implementation=implementation,
        rows=tuple(_row(side, params) for side in sides),
        groups=tuple(_row(group, params) for group in groups),
        common=common,
        undecided=undecided,
        is_raised=is_raised,
        missing=_missing(sides, machines),
        step=step,
    )


def _missing(sides: Sequence[Side], machines: Sequence[MeasuredMachine]) -> dict[str, str]:
    """Why a machine has no row of a hasher, by its name."""
    hasher = sides[0].measurement.hasher
    present = {side.machine.name for side in sides}
    missing = {}
    for machine in machines:
        if machine.name not in present:
            # Of several implementations, the preferred one comes first and counts.
            errors = [failure.error for failure in machine.failures if failure.hasher == hasher]
            missing[machine.name] = next(iter(errors), "not measured")
    return missing


def _row(side: Side, params: Params | None) -> MachineRow:
    """The time of the common cost on one machine."""
    measurement = side.measurement
    row = MachineRow(
        machine=side.machine.name,
        machines=side.machines,
        implementation=measurement.implementation,
        implementation_version=measurement.implementation_version,
        time_seconds=None,
        interval_seconds=None,
    )
    time = None
    if params is not None:
        time = setting_at(measurement, params)
    if time is None:
        return row
    return replace(
        row,
        time_seconds=time.seconds,
        interval_seconds=time.interval,
        wait_seconds=measurement.waits(time.seconds),
    )
