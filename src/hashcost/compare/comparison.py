"""From what was measured on each machine to the comparison. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hashcost.compare.change import Moved, cause_of, is_same_machine
from hashcost.compare.common import Named, common_cost, common_setting
from hashcost.compare.difference import changed_facts, differences, library_of
from hashcost.compare.measurement import Entry, Measurement
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
from hashcost.core.model import Failure, Params, Recommendation
from hashcost.core.targets import DEFAULT_TARGET_SECONDS
from hashcost.core.tool import TOOL
from hashcost.fit.solver import Floors
from hashcost.worth.appraisal import floors_of
from hashcost.worth.policies.policy import Policy

_FEWEST = 2


@dataclass(frozen=True, kw_only=True)
class _Side:
    """A machine with one of its hashers."""

    measurement: Measurement
    entry: Entry

    @property
    def named(self) -> Named:
        return Named(name=self.measurement.name, entry=self.entry)


def compare(
    measurements: Sequence[Measurement],
    *,
    baseline: Measurement,
    target_seconds: float,
    policies: Sequence[Policy] = (),
    hashers: Sequence[str] = (),
) -> Comparison:
    """Machines side by side, hasher by hasher.

    Args:
        measurements: At least two, of different names.
        baseline: The one of them that the others' speeds are multiples of.
        target_seconds: What the costs are solved for.
        policies: Whose floors the cost for all is compared with.
        hashers: Names or labels to keep; none keeps all.

    Raises:
        InconclusiveError: no hasher was measured on two of the machines.
    """
    first = [baseline, *(each for each in measurements if each is not baseline)]
    every = list(_groups(first, hashers))
    groups = [group for group in every if len(group) >= _FEWEST]
    if not groups:
        raise InconclusiveError(
            "no hasher was measured on two of the machines; measure the same ones"
        )
    return Comparison(
        schema=COMPARISON_SCHEMA_VERSION,
        tool=TOOL,
        target_seconds=target_seconds,
        baseline=baseline.name,
        machines=tuple(map(_machine, measurements)),
        hashers=tuple(
            _compared(group, measurements, target_seconds, policies) for group in groups
        ),
        alone=tuple(_alone(every)),
        change=_change(first[0], first[1], target_seconds, hashers)
        if len(first) == _FEWEST and is_same_machine(first[0].machine, first[1].machine)
        else None,
    )


def target_of(measurements: Sequence[Measurement]) -> float:
    """The target, in seconds, that all were made for, or the default where they differ."""
    own = {each.target_seconds for each in measurements}
    return DEFAULT_TARGET_SECONDS if len(own) > 1 else min(own)


def _groups(measurements: Sequence[Measurement], hashers: Sequence[str]) -> Iterator[list[_Side]]:
    """The rows that are compared with each other, the baseline's machine first.

    Each hasher once, every machine by the implementation that the most of them share;
    and each other implementation that two or more machines have.
    """
    by_hasher: dict[str, dict[str, list[_Side]]] = {}
    for measurement in measurements:
        for entry in measurement.entries:
            if not hashers or entry.hasher in hashers or entry.label in hashers:
                labels = by_hasher.setdefault(entry.hasher, {})
                labels.setdefault(entry.label, []).append(
                    _Side(measurement=measurement, entry=entry)
                )
    for labels in by_hasher.values():
        chosen: dict[str, _Side] = {}
        ordered = sorted(labels.values(), key=len, reverse=True)
        for sides in ordered:
            for side in sides:
                chosen.setdefault(side.measurement.name, side)
        yield [chosen[each.name] for each in measurements if each.name in chosen]
        yield from ordered[1:]


def _alone(groups: Sequence[Sequence[_Side]]) -> Iterator[Alone]:
    """The hashers that one machine alone has; another implementation alone is none of them."""
    compared = {group[0].entry.hasher for group in groups if len(group) >= _FEWEST}
    alone = {
        side.entry.hasher: side.measurement.name
        for side, *_ in groups
        if side.entry.hasher not in compared
    }
    for hasher, machine in alone.items():
        yield Alone(hasher=hasher, machine=machine)


def _compared(
    group: Sequence[_Side],
    measurements: Sequence[Measurement],
    target_seconds: float,
    policies: Sequence[Policy],
) -> HasherComparison:
    reference = group[0]
    hasher = reference.entry.hasher
    named = [side.named for side in group]
    found = common_setting(named, target_seconds, policies)
    params = None if isinstance(found, str) else found
    floors = floors_of(policies, enforced=False)(hasher)
    rows = [_row(reference, side, params, target_seconds, floors) for side in group]
    own = [row.params for row in rows if row.params is not None]
    implementations = {side.entry.implementation for side in group}
    present = {side.measurement.name for side in group}
    return HasherComparison(
        hasher=hasher,
        implementation=implementations.pop() if len(implementations) == 1 else None,
        baseline=reference.measurement.name,
        rows=tuple(sorted(rows, key=lambda row: -(row.speed.ratio if row.speed else 0.0))),
        common=None
        if params is None
        else common_cost(named, params, target_seconds, policies, own),
        no_common=found if isinstance(found, str) else None,
        missing=tuple(
            Missing(machine=each.name, reason=_reason(each, hasher))
            for each in measurements
            if each.name not in present
        ),
    )


def _reason(measurement: Measurement, hasher: str) -> str:
    """Why a machine has no row of a hasher."""
    failed = [why for label, why in measurement.failures.items() if label.startswith(f"{hasher}@")]
    return failed[0] if failed else NOT_MEASURED


def _row(
    reference: _Side,
    side: _Side,
    common: Params | None,
    target_seconds: float,
    floors: Floors | None,
) -> MachineRow:
    entry = side.entry
    solved = entry.solved(target_seconds, floors)
    row = solved if isinstance(solved, Recommendation) else None
    own = side is reference
    pair = on_both(reference.entry, entry, common or _lowest(reference.entry, entry))
    speed = None if pair is None else relative_speed(*pair)
    if own and speed is not None:
        speed = RelativeSpeed(params=speed.params, ratio=1.0, low=1.0, high=1.0)
    stands = (
        Standing.BASELINE if own else Standing.NOT_COMPARABLE if speed is None else standing(speed)
    )
    for_all = entry.at(common) if common is not None else None
    return MachineRow(
        machine=side.measurement.name,
        implementation=entry.implementation,
        implementation_version=entry.version,
        params=None if row is None else row.params,
        time_seconds=None if row is None else row.time_seconds,
        interval_seconds=None if row is None else row.interval_seconds,
        for_all_seconds=None if for_all is None else for_all.seconds,
        standing=stands,
        speed=speed,
        differs_in=differences(reference.measurement, reference.entry, side.measurement, entry)
        if stands in (Standing.FASTER, Standing.SLOWER)
        else (),
        error=solved.error if isinstance(solved, Failure) else None,
        warnings=() if row is None else row.warnings,
    )


def _lowest(one: Entry, other: Entry) -> Params:
    """The cheapest setting that is legal on both."""
    return max(one.lowest, other.lowest, key=lambda params: params.get(one.parameter, 0))


def _machine(measurement: Measurement) -> ComparedMachine:
    return ComparedMachine(
        name=measurement.name,
        source=measurement.source,
        kind=measurement.kind,
        created=measurement.created,
        machine=measurement.machine,
        probe=measurement.probe,
        tool=measurement.tool,
        warnings=measurement.warnings,
    )


def _change(
    baseline: Measurement,
    measurement: Measurement,
    target_seconds: float,
    hashers: Sequence[str],
) -> Change:
    """What moved between two times on one machine, implementation by implementation."""
    before = {entry.label: entry for entry in baseline.entries}
    moves: list[Moved] = []
    libraries: list[Difference] = []
    for entry in measurement.entries:
        earlier = before.get(entry.label)
        if earlier is None or (hashers and not {entry.hasher, entry.label} & {*hashers}):
            continue
        then, now = (
            library_of(earlier, baseline.machine),
            library_of(entry, measurement.machine),
        )
        if then != now:
            libraries.append(Difference(what=entry.label, baseline=then, here=now))
        pair = [
            Named(name=baseline.name, entry=earlier),
            Named(name=measurement.name, entry=entry),
        ]
        found = common_setting(pair, target_seconds, ())
        both = on_both(
            earlier, entry, _lowest(earlier, entry) if isinstance(found, str) else found
        )
        if both is not None:
            speed = relative_speed(*both)
            moves.append(
                Moved(
                    label=entry.label,
                    standing=standing(speed),
                    low=speed.low,
                    high=speed.high,
                    library_changed=then != now,
                )
            )
    moved = (Standing.FASTER, Standing.SLOWER)
    return Change(
        cause=cause_of(moves),
        moved=tuple(each.label for each in moves if each.standing in moved),
        still=tuple(each.label for each in moves if each.standing is Standing.NO_DIFFERENCE),
        libraries=tuple(libraries),
        facts=changed_facts(baseline.machine, measurement.machine),
    )
