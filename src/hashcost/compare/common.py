"""One cost for all machines: the highest that keeps the target on the slowest. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from hashcost.compare.measured_machine import Named
from hashcost.compare.model import CommonCost, CommonFloor
from hashcost.compare.steps import common_of_memory, meeting_on_all
from hashcost.core.errors import UnreachableError
from hashcost.core.measurement import Params
from hashcost.core.profile import Rounding, Verdict
from hashcost.fit.solver import Solution, solve
from hashcost.fit.times import setting_at
from hashcost.worth.appraisal import floors_of, quickest_meeting
from hashcost.worth.policies.policy import Policy, assess


def common_setting(
    machines: Sequence[Named], target_seconds: float, policies: Sequence[Policy]
) -> Params | str:
    """The highest cost within the target on every machine, or why there is none.

    By the estimates of the times, as each machine's own cost is solved: of memory only
    steps that were timed on every machine.
    """
    if machines[0].measurement.climbs:
        floors = floors_of(policies, enforced=False)(machines[0].measurement.hasher)
        return common_of_memory([each.measurement for each in machines], target_seconds, floors)
    highest: list[Params] = []
    for each in machines:
        try:
            solved = solve(each.measurement.fitted, target_seconds, Rounding.DOWN)
        except UnreachableError as error:
            return f"on {each.name} {str(error).removesuffix('; raise --target')}"
        highest.append(solved.params)
    name = machines[0].measurement.knobs[0].name
    if any(name not in params for params in highest):
        return "the machines differ in its params"
    params = min(highest, key=lambda each: each[name])
    if any(setting_at(each.measurement, params) is None for each in machines):
        return f"{name} {params[name]} is not legal on all of them"
    return params


def common_cost(
    machines: Sequence[Named],
    params: Params,
    target_seconds: float,
    policies: Sequence[Policy],
    own: Sequence[Params] = (),
) -> CommonCost:
    """What one cost takes on the slowest machine, and how it stands to the floors.

    ``own`` are the costs that the machines would have each by itself.
    """
    times = {
        each.name: known.seconds
        for each in machines
        if (known := setting_at(each.measurement, params))
    }
    slowest = max(times, key=lambda name: times[name])
    return CommonCost(
        params=params,
        slowest=slowest,
        time_seconds=times[slowest],
        floors=tuple(_floor(machines, params, target_seconds, policy) for policy in policies),
        less_memory_than_any=machines[0].measurement.climbs
        and _is_below_all(machines, params, own),
    )


def _is_below_all(machines: Sequence[Named], params: Params, own: Sequence[Params]) -> bool:
    ladder = machines[0].measurement.knobs[0].name
    return bool(own) and all(each[ladder] > params[ladder] for each in own)


def _floor(
    machines: Sequence[Named], params: Params, target_seconds: float, policy: Policy
) -> CommonFloor:
    hasher = machines[0].measurement.hasher
    check = assess(policy, hasher, params)
    found = CommonFloor(
        policy=policy.id,
        verdict=check.verdict,
        params=check.params,
        informative=check.informative,
    )
    if check.verdict is not Verdict.SHORT:
        return found
    known = {
        each.name: quickest_meeting(each.measurement.fitted, policy, hasher) for each in machines
    }
    return replace(
        found,
        target_seconds=_least_target(machines, policy, known),
        able=tuple(n for n, one in known.items() if one and one.seconds <= target_seconds),
        unable=tuple(n for n, one in known.items() if one and one.seconds > target_seconds),
        untimed=tuple(n for n, one in known.items() if one is None),
    )


def _least_target(
    machines: Sequence[Named], policy: Policy, known: dict[str, Solution | None]
) -> float | None:
    """The smallest target by which one cost is sure to meet the floor everywhere."""
    if not machines[0].measurement.climbs:
        times = [None if one is None else _slow_end(one) for one in known.values()]
        return None if None in times else max(time for time in times if time is not None)
    floors = floors_of((policy,), enforced=False)(machines[0].measurement.hasher)
    if floors is None:
        return None
    meeting = meeting_on_all([each.measurement for each in machines], floors)
    return min((max(map(_slow_end, times)) for times in meeting), default=None)


def _slow_end(solution: Solution) -> float:
    interval = solution.interval
    return solution.seconds if interval is None else interval[1]
