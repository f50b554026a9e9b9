"""Decide whether an earlier decision still holds, and which costs a fleet gets. Pure."""

import datetime as dt
import math
from collections.abc import Sequence
from typing import Final

import msgspec
from msgspec.structs import replace

from hashcost.core.algorithms import Strength, guess_memory, strength_of
from hashcost.core.measurement import Interval, Params
from hashcost.core.profile import TOO_NOISY
from hashcost.fit.common import least_limit
from hashcost.fit.solver import Floors, has_drifted
from hashcost.machines.common import common_answer, common_cost, fit_for_all, times_on
from hashcost.machines.model import CommonCost, Comparison, HasherComparison, Step
from hashcost.machines.profile_files import Side
from hashcost.storage.decision import DecidedCost, Decision

_DOUBT: Final = -math.log(1 - TOO_NOISY)
# Beyond any ratio; a damaged file may hold times that are still further apart.
_LARGEST: Final = 1e100


class DecidedOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """One cost of a decision, and what it was before."""

    step: Step
    cost: DecidedCost
    before: Params | None = None


def step_of(
    sides: Sequence[Side],
    before: DecidedCost | None,
    fresh: CommonCost | None,
    target_seconds: float,
    floors: Floors | None,
    *,
    lower: bool,
) -> Step | None:
    """The fate of a cost, given the one before and the one that was measured now, if any."""
    if before is None:
        return None if fresh is None else Step.NEW
    if fresh is None or fresh.params == before.params:
        return Step.KEPT
    is_excluded = _is_asked_again(before, fresh, target_seconds) or _is_excluded(
        sides, before, target_seconds, floors
    )
    if not is_excluded:
        return Step.KEPT
    now = _strength(sides, before.hasher, fresh.params)
    then = _strength(sides, before.hasher, before.params)
    # A stronger cost is always welcome; a weaker one only if it was asked for.
    if now.product >= then.product:
        return Step.RAISED
    return Step.LOWERED if lower else Step.TOO_HIGH


def decided(
    comparison: Comparison, committed: Decision, *, now: dt.datetime
) -> tuple[DecidedOutcome, ...]:
    """A cost for each hasher: the committed one while nothing excludes it.

    Costs of hashers that were not measured again stay.
    """
    outcomes = []
    for compared in comparison.hashers:
        # No machine knows a cost of this hasher.
        if compared.step is None:
            continue
        before = committed.cost_of(compared.hasher, compared.implementation)
        if before is not None and compared.step in (Step.KEPT, Step.TOO_HIGH):
            kept = _kept(comparison, compared, before, now)
            outcomes.append(DecidedOutcome(step=compared.step, cost=kept))
        elif compared.common is not None:
            outcomes.append(
                DecidedOutcome(
                    step=compared.step,
                    cost=_fresh(comparison, compared, compared.common, now),
                    before=None if before is None else before.params,
                )
            )
    # A hasher that this run left out keeps its cost.
    labels = {outcome.cost.label for outcome in outcomes}
    others = [cost for cost in committed.cost if cost.label not in labels]
    outcomes += [DecidedOutcome(step=Step.KEPT, cost=cost) for cost in others]
    return tuple(outcomes)


def _kept(
    comparison: Comparison, compared: HasherComparison, before: DecidedCost, now: dt.datetime
) -> DecidedCost:
    """The committed cost; as it was measured now, if it was asked for anew and still holds."""
    common = compared.common
    hosts = _hosts(comparison, [row.machine for row in compared.rows])
    kept = replace(before, hosts=hosts)
    if compared.step is not Step.KEPT or common is None or not common.is_certain:
        return kept
    if not _is_asked_again(before, common, comparison.target_seconds):
        return kept
    return _fresh(comparison, compared, common, now)


def decision_of(outcomes: Sequence[DecidedOutcome]) -> Decision:
    """The costs by name, whatever order the hashers were compared in."""
    costs = (outcome.cost for outcome in outcomes)
    return Decision(cost=tuple(sorted(costs, key=lambda cost: cost.label)))


def _is_asked_again(before: DecidedCost, now: CommonCost, target_seconds: float) -> bool:
    """Whether the target, the quota or the pages are others than when a cost was decided on."""
    then = before.target_seconds, before.cpu_limit, before.huge_pages
    return then != (target_seconds, now.cpu_limit, now.huge_pages)


def _is_excluded(
    sides: Sequence[Side], cost: DecidedCost, target_seconds: float, floors: Floors | None
) -> bool:
    """Tell whether measuring again excludes a committed cost on the slowest of these groups.

    A cost beyond the memory limit of a group is excluded, whatever its time. Any other is excluded
    only if it misses a minimum that another cost meets, or if it takes longer than the target or
    has drifted over the whole interval between its time then and its time now. The errors of both
    add up as squares; that of the time then counts up to a quarter, so that the cost rises once
    hosts are measured without the strangers who shared them.
    """
    if cost.memory_bytes > least_limit([side.measurement for side in sides]):
        return True
    measured = common_cost(sides, cost.params)
    if measured is None or cost.interval_seconds is None:
        return False
    below_now, above_now = _distances(measured.time_seconds, measured.interval_seconds)
    below_then, above_then = _distances(cost.time_seconds, cost.interval_seconds)
    # It became slower if now is at its low end and then was at its high end, and the reverse.
    quickening = math.hypot(below_now, min(above_then, _DOUBT))
    slowing = math.hypot(above_now, min(below_then, _DOUBT))
    own = _strength(sides, cost.hasher, cost.params)
    slowest = next(side for side in sides if side.machine.name == measured.slowest)
    least_seconds = measured.time_seconds * math.exp(-quickening)
    if least_seconds > slowest.measurement.fitting(target_seconds):
        solved = common_answer(sides, target_seconds, floors)
        # No minimum justifies that it takes longer than the target.
        if isinstance(solved, str) or solved.required is None:
            return True
        # Beyond the target by the policies' minimum: only what is above that is too high.
        return own.product > _strength(sides, cost.hasher, solved.required.params).product
    seconds = target_seconds / math.exp(slowing)
    if floors is not None and not floors.is_met(cost.params):
        solved = common_answer(sides, seconds, floors)
        return not isinstance(solved, str) and floors.is_met(solved.chosen.params)
    # The committed cost meets the minimums, so only drift can exclude it.
    fitted = fit_for_all(sides, seconds)
    return fitted is not None and has_drifted(cost.hasher, own, fitted, seconds, floors)


def _distances(seconds: float, interval: Interval) -> tuple[float, float]:
    """From a time to both ends of its interval, as logarithms."""
    low, high = (math.log(max(end / seconds, 1 / _LARGEST)) for end in interval)
    return -low, high


def _strength(sides: Sequence[Side], hasher: str, params: Params) -> Strength:
    """The price of a guess at a cost, in the memory that it takes on these machines."""
    times = times_on(sides, params)
    memory = times[0].curve.memory_bytes if times else 0
    return strength_of(hasher, params, memory)


def _fresh(
    comparison: Comparison, compared: HasherComparison, common: CommonCost, now: dt.datetime
) -> DecidedCost:
    """The cost for all as it was measured now."""
    slowest = next(row for row in compared.groups if row.machine == common.slowest)
    machine = next(entry for entry in comparison.machines if entry.name == common.slowest).machine
    low, high = common.interval_seconds
    why = "all machines are alike"
    if len(compared.groups) > 1:
        why = f"the slowest of {len(compared.groups)} kinds of machine"
    return DecidedCost(
        hasher=compared.hasher,
        implementation=slowest.implementation,
        implementation_version=slowest.implementation_version,
        params=common.params,
        target_seconds=comparison.target_seconds,
        # As many digits as mean something in a file that people read.
        time_seconds=float(f"{common.time_seconds:.4g}"),
        interval_seconds=(float(f"{low:.4g}"), float(f"{high:.4g}")),
        memory_bytes=round(guess_memory(compared.hasher, common.params) or 0),
        decided=now,
        why=why,
        cpu_model=machine.cpu_model,
        cpu_count=machine.cpu_count,
        cpu_limit=common.cpu_limit,
        huge_pages=common.huge_pages,
        slowest=_hosts(comparison, common.slowest_machines),
        hosts=_hosts(comparison, [row.machine for row in compared.rows]),
    )


def _hosts(comparison: Comparison, machines: Sequence[str]) -> tuple[str, ...]:
    """The names of the hosts or, without one, of their files."""
    hosts = set()
    for entry in comparison.machines:
        if entry.name in machines:
            named = None if entry.host is None else entry.host.name
            hosts.add(named or entry.name)
    return tuple(sorted(hosts))
