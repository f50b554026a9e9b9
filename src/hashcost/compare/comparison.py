"""From what was measured on each machine to the comparison. Pure."""

from collections.abc import Iterator, Sequence

import msgspec

from hashcost.compare.common import common_cost, common_setting
from hashcost.compare.difference import (
    Moved,
    cause_of,
    changed_facts,
    differences,
    is_same_machine,
    library_of,
)
from hashcost.compare.measured_machine import MeasuredMachine, Side
from hashcost.compare.model import (
    COMPARISON_SCHEMA_VERSION,
    NOT_MEASURED,
    Alone,
    Change,
    ComparedMachine,
    Comparison,
    Difference,
    HasherComparison,
    MachineRow,
    Missing,
    RelativeSpeed,
    Standing,
)
from hashcost.compare.speed import on_both, relative_speed, standing
from hashcost.core.errors import InconclusiveError
from hashcost.core.measurement import Measurement, Params
from hashcost.core.profile import Failure, Recommendation, Rounding
from hashcost.core.targets import DEFAULT_TARGET_SECONDS
from hashcost.core.tool import TOOL
from hashcost.fit.solver import Floors
from hashcost.fit.times import setting_at
from hashcost.recommend.recommendation import answer_again
from hashcost.worth.appraisal import floors_of
from hashcost.worth.policies.policy import Policy

_FEWEST = 2


def compare(
    machines: Sequence[MeasuredMachine],
    *,
    baseline: MeasuredMachine,
    target_seconds: float,
    policies: Sequence[Policy] = (),
    hashers: Sequence[str] = (),
) -> Comparison:
    """Two machines or more, of different names, side by side, hasher by hasher.

    Speeds are multiples of the ``baseline``'s, one of the machines. ``hashers`` are names
    or labels to keep; none keeps all.

    Raises:
        InconclusiveError: no hasher was measured on two of the machines.
    """
    first = [baseline, *(each for each in machines if each is not baseline)]
    every = list(_groups(first, hashers))
    groups = [group for group in every if len(group) >= _FEWEST]
    if not groups:
        raise InconclusiveError(
            "the machines have no hasher in common; measure the same hashers on each with"
            " `calibrate --save FILE`"
        )
    # A lone implementation of a hasher that others share is not alone.
    compared = {group[0].measurement.hasher for group in groups}
    sides = {side.measurement.hasher: side.name for side, *_ in every}
    return Comparison(
        schema=COMPARISON_SCHEMA_VERSION,
        tool=TOOL,
        target_seconds=target_seconds,
        baseline=baseline.name,
        machines=tuple(
            msgspec.convert(each, ComparedMachine, from_attributes=True) for each in machines
        ),
        hashers=tuple(_compared(group, machines, target_seconds, policies) for group in groups),
        alone=tuple(
            Alone(hasher=hasher, machine=machine)
            for hasher, machine in sides.items()
            if hasher not in compared
        ),
        change=_change(first[0], first[1], target_seconds, hashers)
        if len(first) == _FEWEST and is_same_machine(first[0].machine, first[1].machine)
        else None,
    )


def target_of(machines: Sequence[MeasuredMachine]) -> float:
    """The target, in seconds, that all were made for, or the default where they differ."""
    own = {each.target_seconds for each in machines}
    return DEFAULT_TARGET_SECONDS if len(own) > 1 else min(own)


def _groups(machines: Sequence[MeasuredMachine], hashers: Sequence[str]) -> Iterator[list[Side]]:
    """The rows that are compared with each other, the baseline's machine first.

    Each hasher once, every machine by the implementation that the most of them share;
    and each other implementation that two or more machines have.
    """
    by_hasher: dict[str, dict[str, list[Side]]] = {}
    for measured in machines:
        for side in measured.sides(hashers):
            labels = by_hasher.setdefault(side.measurement.hasher, {})
            labels.setdefault(side.measurement.label, []).append(side)
    for labels in by_hasher.values():
        chosen: dict[str, Side] = {}
        ordered = sorted(labels.values(), key=len, reverse=True)
        for sides in ordered:
            for side in sides:
                chosen.setdefault(side.name, side)
        yield [chosen[each.name] for each in machines if each.name in chosen]
        yield from ordered[1:]


def _compared(
    group: Sequence[Side],
    machines: Sequence[MeasuredMachine],
    target_seconds: float,
    policies: Sequence[Policy],
) -> HasherComparison:
    reference = group[0]
    hasher = reference.measurement.hasher
    found = common_setting(group, target_seconds, policies)
    params = None if isinstance(found, str) else found
    floors = floors_of(policies, enforced=False)(hasher)
    rows = [_row(reference, side, params, target_seconds, floors) for side in group]
    own = [row.params for row in rows if row.params is not None]
    implementations = {side.measurement.implementation for side in group}
    present = {side.name for side in group}
    return HasherComparison(
        hasher=hasher,
        implementation=implementations.pop() if len(implementations) == 1 else None,
        baseline=reference.name,
        rows=tuple(sorted(rows, key=lambda row: -(row.speed.ratio if row.speed else 0.0))),
        common=None
        if params is None
        else common_cost(group, params, target_seconds, policies, own),
        no_common=found if isinstance(found, str) else None,
        missing=tuple(
            Missing(machine=each.name, reason=_reason(each, hasher))
            for each in machines
            if each.name not in present
        ),
    )


def _reason(measured: MeasuredMachine, hasher: str) -> str:
    """Why a machine has no row of a hasher."""
    failed = [why for label, why in measured.failures.items() if label.startswith(f"{hasher}@")]
    return failed[0] if failed else NOT_MEASURED


def _row(
    reference: Side,
    side: Side,
    common: Params | None,
    target_seconds: float,
    floors: Floors | None,
) -> MachineRow:
    measurement = side.measurement
    solved = answer_again(measurement, target_seconds, Rounding.DOWN, floors)
    row = solved if isinstance(solved, Recommendation) else None
    own = side is reference
    pair = on_both(
        reference.measurement, measurement, common or _lowest(reference.measurement, measurement)
    )
    speed = None if pair is None else relative_speed(*pair)
    if own and speed is not None:
        speed = RelativeSpeed(params=speed.params, ratio=1.0, low=1.0, high=1.0)
    stands = (
        Standing.BASELINE if own else Standing.NOT_COMPARABLE if speed is None else standing(speed)
    )
    for_all = setting_at(measurement, common) if common is not None else None
    return MachineRow(
        machine=side.name,
        implementation=measurement.implementation,
        implementation_version=measurement.implementation_version,
        params=None if row is None else row.params,
        time_seconds=None if row is None else row.time_seconds,
        interval_seconds=None if row is None else row.interval_seconds,
        for_all_seconds=None if for_all is None else for_all.seconds,
        standing=stands,
        speed=speed,
        differs_in=differences(reference, side)
        if stands in (Standing.FASTER, Standing.SLOWER)
        else (),
        error=solved.error if isinstance(solved, Failure) else None,
        warnings=() if row is None else row.warnings,
    )


def _lowest(one: Measurement, other: Measurement) -> Params:
    """The cheapest setting that is legal on both."""
    return max(one.lowest, other.lowest, key=lambda params: params.get(one.knobs[-1].name, 0))


def _change(
    baseline: MeasuredMachine,
    measured: MeasuredMachine,
    target_seconds: float,
    hashers: Sequence[str],
) -> Change:
    """What moved between two times on one machine, implementation by implementation."""
    before = {side.measurement.label: side for side in baseline.sides(hashers)}
    moves: list[Moved] = []
    libraries: list[Difference] = []
    for side in measured.sides(hashers):
        label = side.measurement.label
        if label not in before:
            continue
        earlier = before[label]
        then, now = library_of(earlier), library_of(side)
        if then != now:
            libraries.append(Difference(what=label, baseline=then, here=now))
        found = common_setting([earlier, side], target_seconds, ())
        pair = earlier.measurement, side.measurement
        both = on_both(*pair, _lowest(*pair) if isinstance(found, str) else found)
        if both is not None:
            speed = relative_speed(*both)
            moves.append(Moved(label=label, speed=speed, library_changed=then != now))
    moved = (Standing.FASTER, Standing.SLOWER)
    return Change(
        cause=cause_of(moves),
        moved=tuple(each.label for each in moves if each.standing in moved),
        still=tuple(each.label for each in moves if each.standing is Standing.NO_DIFFERENCE),
        libraries=tuple(libraries),
        facts=changed_facts(baseline.machine, measured.machine),
    )
