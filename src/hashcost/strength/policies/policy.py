"""A policy, and its verdict on a cost. Pure."""

import datetime as dt
import itertools
import math
from collections.abc import Iterable, Sequence
from typing import Annotated, Final, TypeAlias

import msgspec

from hashcost.core.algorithms import guess_memory, guess_work
from hashcost.core.measurement import Params
from hashcost.core.profile import FloorCheck, Verdict, short_of

_NO_STRENGTH: Final = frozenset({"parallelism"})
"""Lanes shorten the wait on several cores, and do not change the work of a guess."""

_Bits: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=2**16)]


class Floor(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A minimum of a policy for a hasher; any one of several for a hasher is enough.

    ``source`` is the place that sets this figure and ``date`` the day it did.
    """

    hasher: str
    params: dict[str, int]
    source: str = ""
    date: dt.date | None = None
    legacy: bool = False
    """Whether the policy allows the hasher only in existing systems."""

    @property
    def least(self) -> Params:
        """The params that a cost is compared by."""
        return {name: value for name, value in self.params.items() if name not in _NO_STRENGTH}

    def met_by(self, params: Params) -> bool:
        """Whether no param is below the floor's."""
        return reaches(params, self.least)


class Policy(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A published policy with the place and the day it was read at."""

    id: Annotated[str, msgspec.Meta(pattern=r"^(?!none\Z)[!-~]{1,40}\Z")]
    title: str
    source: str
    date: dt.date
    url: str = ""
    note: str = ""
    caution: str = ""
    """A caution for every verdict, if meeting the policy says less than it seems."""
    informative: bool = False
    """Whether it only describes usual costs and requires nothing."""
    figure: Annotated[str, msgspec.Meta(pattern=r"^[a-z][a-z -]{0,40}\Z")] = "minimum"
    """The name of its figures, where its source sets no minimums."""
    salt_bits: _Bits | None = None
    """The shortest salt it allows."""
    output_bits: _Bits | None = None
    """The shortest hash or key it allows."""
    approved: tuple[str, ...] | None = None
    """The only hashers it allows at all; none leaves all of them."""
    floors: tuple[Floor, ...] = ()
    alike: dict[str, str] = {}
    """Hashers that nothing here computes, each with one that the policy treats alike."""

    def floors_of(self, hasher: str) -> tuple[Floor, ...]:
        """The alternatives for one hasher; empty if the policy does not name it."""
        named = self.alike.get(hasher, hasher)
        return tuple(floor for floor in self.floors if floor.hasher == named)

    def approves(self, hasher: str) -> bool:
        """Whether it allows the hasher at all."""
        return self.approved is None or self.alike.get(hasher, hasher) in self.approved


def assess(policy: Policy, hasher: str, params: Params) -> FloorCheck:
    """Compare a cost with one policy.

    A cost meets a listed setting if no param is below it. Otherwise the work of a guess
    is compared with that of the setting nearest in memory and of those with less: more
    memory must not fall short where less does not. With less memory than every listed
    setting, no amount of work is enough.
    """
    floors = policy.floors_of(hasher)
    verdict, floor = _verdict(policy, floors, hasher, params)
    is_met: bool | None = verdict in (Verdict.MET, Verdict.EQUAL_WORK)
    if verdict is Verdict.NOT_NAMED:
        is_met = None
    return FloorCheck(
        policy=policy.id,
        verdict=verdict,
        met=is_met,
        params=None if floor is None else floor.params,
        legacy=any(listed.legacy for listed in floors),
        informative=policy.informative,
        figure=policy.figure,
    )


def assess_all(policies: Iterable[Policy], hasher: str, params: Params) -> tuple[FloorCheck, ...]:
    """Compare a cost with each policy."""
    return tuple(assess(policy, hasher, params) for policy in policies)


def asking_of(policies: Iterable[Policy]) -> list[Policy]:
    """The policies that ask for something."""
    return [policy for policy in policies if not policy.informative]


def meets_all(policies: Iterable[Policy], hasher: str, params: Params) -> bool:
    """Whether a cost meets every policy that asks for something."""
    return not short_of(assess_all(asking_of(policies), hasher, params))


def alternatives(policies: Sequence[Policy], hasher: str) -> tuple[Params, ...]:
    """The lowest settings that meet all of these policies, the least work first.

    Empty if one of them does not approve of the hasher, or none names it.
    """
    asking = asking_of(policies)
    # No cost of it meets them all.
    if not all(policy.approves(hasher) for policy in asking):
        return ()
    lowest: list[Params] = [{}]
    for policy in asking:
        floors = policy.floors_of(hasher)
        if floors:
            # Any floor of each policy will do: all of their combinations.
            pairs = itertools.product(lowest, (floor.least for floor in floors))
            lowest = _undominated(_higher(one, other) for one, other in pairs)

    def least_first(params: Params) -> tuple[float, float]:
        # By the work of a guess; where that is equal, the one with the most memory first.
        if hasher == "argon2id":
            params = {**params, "parallelism": 1}
        return (guess_work(hasher, params) or 0.0, -_memory(hasher, params))

    named = [params for params in lowest if params]
    return tuple(sorted(named, key=least_first))


def _higher(one: Params, other: Params) -> Params:
    """The lowest setting that is not below either."""
    return {name: max(one.get(name, 0), other.get(name, 0)) for name in one | other}


def _verdict(
    policy: Policy, floors: Sequence[Floor], hasher: str, params: Params
) -> tuple[Verdict, Floor | None]:
    """The verdict on a cost, and the minimum that it was compared with."""
    if not policy.approves(hasher):
        return Verdict.NOT_APPROVED, None
    if not floors:
        # One that is approved, and has no minimum, is met at any cost.
        verdict = Verdict.NOT_NAMED if policy.approved is None else Verdict.MET
        return verdict, None
    met = [floor for floor in floors if floor.met_by(params)]
    # Of several the one to show is the one that is most like the cost.
    if met:
        return Verdict.MET, _nearest(met, hasher, params)
    nearest = _nearest(floors, hasher, params)
    memory = _memory(hasher, params)
    # Work does not make up for memory, which is what the hasher is for.
    if memory < min(_memory(hasher, floor.params) for floor in floors):
        return Verdict.SHORT, nearest
    work = guess_work(hasher, params) or 0.0
    equalled = []
    for floor in floors:
        is_compared = floor is nearest or _memory(hasher, floor.params) <= memory
        if is_compared and work >= (guess_work(hasher, floor.params) or math.inf):
            equalled.append(floor)
    if equalled:
        return Verdict.EQUAL_WORK, _nearest(equalled, hasher, params)
    return Verdict.SHORT, nearest


def _memory(hasher: str, params: Params) -> float:
    return guess_memory(hasher, params) or 0.0


def _nearest(floors: Sequence[Floor], hasher: str, params: Params) -> Floor:
    """The floor whose memory is the nearest, by ratio; or the first."""
    here = _memory(hasher, params)
    # A cost that no library takes may be of no memory.
    if not here:
        return floors[0]

    def distance(floor: Floor) -> float:
        there = _memory(hasher, floor.params)
        if not there:
            return math.inf
        return abs(math.log(there / here))

    return min(floors, key=distance)


def _undominated(settings: Iterable[Params]) -> list[Params]:
    """Drop alternatives that another one is below, to keep the combinations few."""
    kept: list[Params] = []
    for params in settings:
        if not any(reaches(params, other) for other in kept):
            kept = [other for other in kept if not reaches(other, params)]
            kept.append(params)
    return kept


def reaches(params: Params, least: Params) -> bool:
    """Whether every param of ``least`` is there and at least as high."""
    return all(params.get(name, 0) >= value for name, value in least.items())
