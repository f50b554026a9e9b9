"""From what was measured on each machine to the comparison. Pure."""

from collections.abc import Iterator, Sequence

import msgspec
from msgspec.structs import asdict

from hashcost.compare.common import common_cost, common_setting
from hashcost.compare.difference import (
    Moved,
    cause_of,
    changed_facts,
    differences,
    facts_that_tell,
    library_of,
)
from hashcost.compare.groups import group_of, groups_of
from hashcost.compare.holding import held
from hashcost.compare.measured_machine import Group, MeasuredMachine, Side
from hashcost.compare.model import (
    COMPARISON_SCHEMA_VERSION,
    NOT_MEASURED,
    Alone,
    Change,
    ComparedMachine,
    Comparison,
    Difference,
    GroupRow,
    HasherComparison,
    MachineRow,
    Missing,
    RelativeSpeed,
    Standing,
)
from hashcost.compare.outliers import explained
from hashcost.compare.overlap import overlaps
from hashcost.compare.speed import on_both, relative_speed, standing
from hashcost.core.decision import Decision
from hashcost.core.errors import InconclusiveError
from hashcost.core.machine import TOOL, is_same_host
from hashcost.core.measurement import Measurement, Params
from hashcost.core.profile import Failure, Recommendation, Rounding
from hashcost.core.units import DEFAULT_TARGET_SECONDS
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
    committed: Decision | None = None,
) -> Comparison:
    """Two machines or more, of different names, side by side, hasher by hasher.

    Speeds are multiples of the ``baseline``'s, one of the machines. ``hashers`` are names
    or labels to keep; none keeps all. ``committed`` is what was decided before.

    Raises:
        InconclusiveError: no hasher was measured on two of the machines.
    """
    first = [baseline, *(each for each in machines if each is not baseline)]
    every = list(_sides(first, hashers))
    compared_sides = [sides for sides in every if len(sides) >= _FEWEST]
    if not compared_sides:
        raise InconclusiveError(
            "the machines have no hasher in common; measure the same hashers on each with"
            " `calibrate --save FILE`"
        )
    # A lone implementation of a hasher that others share is not alone.
    compared = {sides[0].measurement.hasher for sides in compared_sides}
    # Of one host at two times the question is what changed: the times are not pooled.
    two_times = len(first) == _FEWEST and is_same_host(first[0].host, first[1].host)
    pools = (
        [tuple(_alone(side, target_seconds) for side in sides) for sides in compared_sides]
        if two_times
        else explained(
            [groups_of(each, target_seconds) for each in compared_sides], target_seconds
        )
    )
    sides = {side.measurement.hasher: side.name for side, *_ in every}
    return Comparison(
        schema=COMPARISON_SCHEMA_VERSION,
        tool=TOOL,
        target_seconds=target_seconds,
        baseline=baseline.name,
        machines=tuple(
            msgspec.convert(each, ComparedMachine, from_attributes=True) for each in machines
        ),
        hashers=tuple(
            _compared(each, groups, machines, target_seconds, policies, committed)
            for each, groups in zip(compared_sides, pools, strict=True)
        ),
        alone=tuple(
            Alone(hasher=hasher, machine=machine)
            for hasher, machine in sides.items()
            if hasher not in compared
        ),
        change=_change(first[0], first[1], target_seconds, hashers) if two_times else None,
        overlaps=overlaps(machines),
    )


def target_of(machines: Sequence[MeasuredMachine]) -> float:
    """The target, in seconds, that all were made for, or the default where they differ."""
    own = {each.target_seconds for each in machines}
    return DEFAULT_TARGET_SECONDS if len(own) > 1 else min(own)


def _alone(side: Side, target_seconds: float) -> Group:
    return group_of([side], facts_that_tell(side), target_seconds)


def _sides(machines: Sequence[MeasuredMachine], hashers: Sequence[str]) -> Iterator[list[Side]]:
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
    sides: Sequence[Side],
    groups: Sequence[Group],
    machines: Sequence[MeasuredMachine],
    target_seconds: float,
    policies: Sequence[Policy],
    committed: Decision | None,
) -> HasherComparison:
    reference, first = sides[0], groups[0]
    hasher = reference.measurement.hasher
    counting = [each for each in groups if each.outlier is None or not each.outlier.left_out]
    found = common_setting(counting, target_seconds, policies)
    params = None if isinstance(found, str) else found
    floors = floors_of(policies, enforced=False)(hasher)
    rows = [_row(reference, side, params, target_seconds, floors) for side in sides]
    pooled = [
        GroupRow(
            **asdict(_row(first, each, params, target_seconds, floors)),
            machines=each.machines,
            outlier=each.outlier,
        )
        for each in groups
    ]
    own = [row.params for row in pooled if row.params is not None]
    implementations = {side.measurement.implementation for side in sides}
    implementation = implementations.pop() if len(implementations) == 1 else None
    decided = committed and committed.cost_of(hasher, implementation)
    present = {side.name for side in sides}
    return HasherComparison(
        hasher=hasher,
        implementation=implementation,
        baseline=reference.name,
        rows=tuple(sorted(rows, key=_slowness)),
        common=None
        if params is None
        else common_cost(counting, params, target_seconds, policies, own),
        no_common=found if isinstance(found, str) else None,
        missing=tuple(
            Missing(machine=each.name, reason=_reason(each, hasher))
            for each in machines
            if each.name not in present
        ),
        groups=tuple(sorted(pooled, key=_slowness)),
        committed=held(counting, decided, target_seconds, policies) if decided else None,
    )


def _slowness(row: MachineRow) -> float:
    return -(row.speed.ratio if row.speed else 0.0)


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
