"""Whether a cost that was decided on still stands, and the costs that a fleet is set to. Pure."""

import datetime as dt
import enum
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from msgspec.structs import replace

from hashcost.compare.common import common_setting
from hashcost.compare.machines import Side
from hashcost.compare.model import Comparison, HasherComparison, Hold
from hashcost.compare.speed import distances
from hashcost.core.algorithms import area_time, guess_memory
from hashcost.core.measurement import Params
from hashcost.documents.decision import DecidedCost, Decision
from hashcost.fit.times import setting_at
from hashcost.recommend.recommendation import TOO_NOISY
from hashcost.worth.policies.policy import Policy

_DOUBT: Final = -math.log(1 - TOO_NOISY)
_AS_STRONG: Final = 0.95
"""Within this share of the strongest, a decided setting is as good."""


class Step(enum.Enum):
    """The fate of a cost in a decision."""

    NEW = "new"
    KEPT = "kept"
    RAISED = "raised"
    LOWERED = "lowered"
    TOO_HIGH = "too-high"
    """Kept, though one hash takes longer than the target: no cost is lowered unasked."""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """One cost of a decision, and what it was before."""

    step: Step
    cost: DecidedCost
    before: Params | None = None


def decided(
    comparison: Comparison,
    committed: Decision | None,
    *,
    now: dt.datetime,
    lower: bool = False,
) -> tuple[Outcome, ...]:
    """A cost for each hasher: the committed one while nothing excludes it.

    Costs of hashers that were not measured again stay. ``lower`` allows less than before.
    """
    committed = committed or Decision()
    outcomes: list[Outcome] = []
    for compared in comparison.hashers:
        if compared.implementation is None:
            continue  # No library to name: the hosts are to be set one by one.
        before = committed.cost_of(compared.hasher, compared.implementation)
        outcome = _outcome(comparison, compared, before, now, lower=lower)
        outcomes += [] if outcome is None else [outcome]
    labels = {outcome.cost.label for outcome in outcomes}
    kept = [cost for cost in committed.cost if cost.label not in labels]
    return (*outcomes, *(Outcome(step=Step.KEPT, cost=cost) for cost in kept))


def hold_of(
    sides: Sequence[Side], cost: DecidedCost, target_seconds: float, policies: Sequence[Policy]
) -> Hold:
    """Whether a committed cost still stands on the slowest of these groups.

    Its time then and its time now are both known but for their errors, which add up as squares
    do. It is excluded only where, over the whole of that, it takes longer than the target, or a
    stronger cost would fit as well. Doubt about the time then counts up to a quarter, so that a
    cost of hosts that strangers shared rises when they are measured without them.
    """
    times = [setting_at(side.measurement, cost.params) for side in sides]
    solutions = [time for time in times if time is not None]
    if len(solutions) < len(sides) or cost.interval_seconds is None:
        return Hold.UNKNOWN
    slowest = max(solutions, key=lambda time: time.seconds)
    now = distances(slowest.seconds, slowest.interval)
    then = [min(far, _DOUBT) for far in distances(cost.time_seconds, cost.interval_seconds)]
    if slowest.seconds * math.exp(-math.hypot(now[0], then[1])) > target_seconds:
        return Hold.TOO_HIGH
    slowing = math.exp(math.hypot(now[1], then[0]))
    stronger = common_setting(sides, target_seconds / slowing, policies)
    if isinstance(stronger, str):
        return Hold.HOLDS
    # Of memory, more than settings about as strong differ by.
    factor = _AS_STRONG if guess_memory(cost.hasher, stronger) else 1.0
    is_stronger = _strength(cost.hasher, stronger) * factor > _strength(cost.hasher, cost.params)
    return Hold.TOO_LOW if is_stronger else Hold.HOLDS


def _strength(hasher: str, params: Params) -> float:
    return area_time(hasher)(params, round(guess_memory(hasher, params) or 0))


def decision_of(outcomes: Sequence[Outcome]) -> Decision:
    """The costs by name, whatever order the hashers were compared in."""
    costs = (outcome.cost for outcome in outcomes)
    return Decision(cost=tuple(sorted(costs, key=lambda cost: cost.label)))


def _outcome(
    comparison: Comparison,
    compared: HasherComparison,
    before: DecidedCost | None,
    now: dt.datetime,
    *,
    lower: bool,
) -> Outcome | None:
    fresh = _fresh(comparison, compared, now)
    if before is None:
        return None if fresh is None else Outcome(step=Step.NEW, cost=fresh)
    hosts = _hosts(comparison, [row.machine for row in compared.rows])
    kept = Outcome(step=Step.KEPT, cost=replace(before, hosts=hosts))
    asked_again = before.target_seconds != comparison.target_seconds
    stands = compared.hold not in (Hold.TOO_HIGH, Hold.TOO_LOW)
    if fresh is None or (stands and not asked_again):
        return kept
    if fresh.params == before.params:
        return Outcome(step=Step.KEPT, cost=fresh) if asked_again else kept
    hasher = compared.hasher
    if _strength(hasher, fresh.params) >= _strength(hasher, before.params):
        return Outcome(step=Step.RAISED, cost=fresh, before=before.params)
    if lower:
        return Outcome(step=Step.LOWERED, cost=fresh, before=before.params)
    return Outcome(step=Step.TOO_HIGH, cost=kept.cost)


def _fresh(
    comparison: Comparison, compared: HasherComparison, now: dt.datetime
) -> DecidedCost | None:
    """The cost for all as it was measured now; `None` if nothing can be decided by that."""
    common = compared.common
    if common is None or compared.implementation is None or not common.keeps_the_target:
        return None
    interval = common.interval_seconds
    slowest = next(row for row in compared.groups if row.machine == common.slowest)
    machine = next(entry for entry in comparison.machines if entry.name == common.slowest).machine
    return DecidedCost(
        hasher=compared.hasher,
        implementation=compared.implementation,
        implementation_version=slowest.implementation_version,
        params=common.params,
        target_seconds=comparison.target_seconds,
        # As many digits as mean something in a file that people read.
        time_seconds=float(f"{common.time_seconds:.4g}"),
        interval_seconds=(float(f"{interval[0]:.4g}"), float(f"{interval[1]:.4g}")),
        memory_bytes=round(guess_memory(compared.hasher, common.params) or 0),
        decided=now,
        why="all machines are alike"
        if len(compared.groups) == 1
        else f"the slowest of {len(compared.groups)} kinds of machine",
        cpu_model=machine.cpu_model,
        cpu_count=machine.cpu_count,
        slowest=_hosts(comparison, common.slowest_machines),
        hosts=_hosts(comparison, [row.machine for row in compared.rows]),
    )


def _hosts(comparison: Comparison, machines: Sequence[str]) -> tuple[str, ...]:
    named = {machine.name: machine.host_name for machine in comparison.machines}
    return tuple(sorted({named[name] for name in machines}))
