"""From a comparison, and what was decided before, to the costs that a fleet is set to. Pure."""

import datetime as dt
import enum
from collections.abc import Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from hashcost.compare.holding import strength
from hashcost.compare.model import CommonCost, Comparison, HasherComparison, Hold
from hashcost.core.algorithms import guess_memory
from hashcost.core.decision import DecidedCost, Decision
from hashcost.core.measurement import Params
from hashcost.recommend.recommendation import TOO_NOISY


class Step(enum.Enum):
    """What became of a cost."""

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
    known = committed or Decision()
    outcomes = []
    for compared in comparison.hashers:
        if compared.implementation is None:
            continue  # No library to name: the hosts are to be set one by one.
        before = known.cost_of(compared.hasher, compared.implementation)
        outcomes.append(_outcome(comparison, compared, before, now, lower=lower))
    told = {each.cost.label for each in outcomes if each is not None}
    stay = (Outcome(step=Step.KEPT, cost=each) for each in known.cost if each.label not in told)
    return (*(each for each in outcomes if each is not None), *stay)


def decision_of(outcomes: Sequence[Outcome]) -> Decision:
    """The costs by name, whatever order the hashers were compared in."""
    return Decision(cost=tuple(sorted((each.cost for each in outcomes), key=_label)))


def _label(cost: DecidedCost) -> str:
    return cost.label


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
    held = compared.committed
    asked_again = before.target_seconds != comparison.target_seconds
    stands = held is None or held.hold in (Hold.HOLDS, Hold.UNKNOWN)
    if fresh is None or (stands and not asked_again):
        return kept
    if fresh.params == before.params:
        return Outcome(step=Step.KEPT, cost=fresh) if asked_again else kept
    ours, theirs = (strength(compared.hasher, each.params) for each in (fresh, before))
    if ours >= theirs:
        return Outcome(step=Step.RAISED, cost=fresh, before=before.params)
    if lower:
        return Outcome(step=Step.LOWERED, cost=fresh, before=before.params)
    return Outcome(step=Step.TOO_HIGH, cost=kept.cost)


def _fresh(
    comparison: Comparison, compared: HasherComparison, now: dt.datetime
) -> DecidedCost | None:
    """The cost for all as it was measured now; `None` if nothing can be decided by that."""
    common = compared.common
    if common is None or compared.implementation is None or not _is_known(common):
        return None
    interval = common.interval_seconds
    slowest = next(each for each in compared.groups if each.machine == common.slowest)
    machine = next(each for each in comparison.machines if each.name == common.slowest).machine
    return DecidedCost(
        hasher=compared.hasher,
        implementation=compared.implementation,
        implementation_version=slowest.implementation_version,
        params=common.params,
        target_seconds=comparison.target_seconds,
        time_seconds=_written(common.time_seconds),
        interval_seconds=interval and (_written(interval[0]), _written(interval[1])),
        memory_bytes=round(guess_memory(compared.hasher, common.params) or 0),
        decided=now,
        why=_why(compared),
        cpu_model=machine.cpu_model,
        cpu_count=machine.cpu_count,
        slowest=_hosts(comparison, common.slowest_machines),
        hosts=_hosts(comparison, [row.machine for row in compared.rows]),
    )


def _is_known(common: CommonCost) -> bool:
    """Whether its time is known well enough for a cost to be relied upon."""
    if common.interval_seconds is None:
        return False
    low, high = common.interval_seconds
    apart = max(common.time_seconds - low, high - common.time_seconds)
    return apart <= TOO_NOISY * common.time_seconds


def _written(seconds: float) -> float:
    """As many digits as mean something in a file that people read."""
    return float(f"{seconds:.4g}")


def _why(compared: HasherComparison) -> str:
    left = [each for each in compared.groups if each.outlier and each.outlier.left_out]
    count = len(compared.groups) - len(left)
    parts = [
        "all machines are alike" if count == 1 else f"the slowest of {count} kinds of machine"
    ]
    parts += [
        f"{', '.join(each.machines)} left out: {each.outlier.factor:.2f} times as slow once"
        for each in left
        if each.outlier is not None
    ]
    return "; ".join(parts)


def _hosts(comparison: Comparison, machines: Sequence[str]) -> tuple[str, ...]:
    named = {each.name: each.host_name for each in comparison.machines}
    return tuple(sorted({named[name] for name in machines}))
