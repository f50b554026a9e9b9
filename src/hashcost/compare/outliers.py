"""Why a group of machines is apart from others that no fact tells it from. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from hashcost.compare.difference import Moved, cause_of
from hashcost.compare.measured_machine import Group
from hashcost.compare.model import Apart, Cause, Outlier, RelativeSpeed, Standing
from hashcost.compare.speed import on_both, relative_speed
from hashcost.core.machine import is_same_host
from hashcost.fit.quiet_speed import MOST_SLOWED
from hashcost.fit.solver import highest_within

_LATENCY_BOUND: Final = "bcrypt"
"""A neighbour on its core hardly slows it; a lower clock does."""
_MANY: Final = 3
"""So many alike outvote one that nothing explains."""


@dataclass(frozen=True, kw_only=True)
class _Beside:
    """A group beside the larger one of its kind."""

    group: Group
    main: Group
    speed: RelativeSpeed

    @property
    def label(self) -> str:
        return self.group.measurement.label

    @property
    def factor(self) -> float:
        return 1 / self.speed.ratio

    @property
    def by_a_neighbour(self) -> bool:
        """Whether something else on the core may slow it so."""
        return 1 / (self.speed.high or self.speed.ratio) <= MOST_SLOWED


def explained(tables: Sequence[Sequence[Group]], target_seconds: float) -> list[tuple[Group, ...]]:
    """The groups of each hasher, with why those are apart that no fact tells from a larger one."""
    beside = {
        id(each.group): each for groups in tables for each in _beside(groups, target_seconds)
    }
    told: dict[str, list[_Beside]] = {}
    for each in beside.values():
        for name in each.group.machines:
            told.setdefault(name, []).append(each)
    return [
        tuple(
            replace(group, outlier=_outlier(beside[id(group)], told))
            if id(group) in beside and beside[id(group)].main is not group
            else group
            for group in groups
        )
        for groups in tables
    ]


def _beside(groups: Sequence[Group], target_seconds: float) -> Iterator[_Beside]:
    """Each group beside the largest that no fact tells it from; of equal ones, the fastest."""
    kinds: dict[object, list[Group]] = {}
    for group in groups:
        kinds.setdefault(group.alike, []).append(group)
    for kin in kinds.values():
        if len(kin) == 1 and len(kin[0].members) == 1:
            continue
        most = max(len(group.members) for group in kin)
        largest = [group for group in kin if len(group.members) == most]
        main = max(largest, key=lambda group: _ratio(largest[0], group, target_seconds))
        for group in kin:
            speed = _speed(main, group, target_seconds)
            if speed is not None:
                yield _Beside(group=group, main=main, speed=speed)


def _ratio(one: Group, other: Group, target_seconds: float) -> float:
    speed = _speed(one, other, target_seconds)
    return 0.0 if speed is None else speed.ratio


def _speed(main: Group, group: Group, target_seconds: float) -> RelativeSpeed | None:
    """At the cost that the larger group would be given."""
    curve = main.measurement.fitted.curves[0]
    value = highest_within(curve, max(target_seconds, curve.seconds(curve.lowest)))
    both = on_both(main.measurement, group.measurement, curve.at(value))
    return None if both is None else relative_speed(*both)


def _outlier(own: _Beside, told: dict[str, list[_Beside]]) -> Outlier:
    """Why it is apart, by the other hashers of its machines."""
    every = {each.label: each for name in own.group.machines for each in told[name]}
    apart = [each for each in every.values() if each.main is not each.group]
    still = [label for label, each in every.items() if each.main is each.group]
    cause = _cause(own, apart, still)
    return Outlier(
        like=own.main.machines,
        factor=own.factor,
        cause=cause,
        also=tuple(each.label for each in apart if each is not own),
        still=tuple(still),
        left_out=_is_doubtful(own, cause) and not _is_confirmed(own.group),
    )


def _cause(own: _Beside, apart: Sequence[_Beside], still: Sequence[str]) -> Apart:
    moved = [Moved(label=e.label, speed=e.speed, library_changed=False) for e in apart]
    bound = any(each.label.startswith(_LATENCY_BOUND) for each in apart)
    if not still and bound and len(apart) > 1 and cause_of(moved) is Cause.MACHINE:
        return Apart.CLOCK
    slower = all(each.standing is not Standing.FASTER for each in moved)
    if slower and (still or (bound and len(apart) > 1)) and own.by_a_neighbour:
        return Apart.NEIGHBOUR
    return Apart.UNKNOWN


def _is_doubtful(own: _Beside, cause: Apart) -> bool:
    """Whether it may only have been measured beside a neighbour.

    Costs are solved for quiet cores: one disturbed run is to weaken nobody's cost.
    """
    if own.factor <= 1:
        return False
    outvoted = len(own.main.members) >= max(_MANY, 2 * len(own.group.members))
    unexplained = cause is Apart.UNKNOWN and own.by_a_neighbour and outvoted
    return cause is Apart.NEIGHBOUR or unexplained


def _is_confirmed(group: Group) -> bool:
    """Whether one of its hosts was as slow in a second run."""
    hosts = [each.measured.host for each in group.members]
    return any(
        is_same_host(one, other) for at, one in enumerate(hosts) for other in hosts[at + 1 :]
    )
