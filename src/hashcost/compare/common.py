"""One cost for all machines, and where it stands to the policies' minimums. Pure."""

from collections.abc import Iterator, Sequence

from hashcost.compare.machines import Side
from hashcost.compare.model import CommonCost, CommonFloor
from hashcost.core.algorithms import area_time
from hashcost.core.measurement import Params
from hashcost.core.profile import Verdict
from hashcost.core.units import format_duration, format_setting
from hashcost.fit.solver import Floors, Solution, highest_within, meeting, strongest
from hashcost.fit.times import setting_at
from hashcost.worth.appraisal import floors_of, quickest_meeting
from hashcost.worth.policies.policy import Policy, assess


def common_setting(
    sides: Sequence[Side], target_seconds: float, policies: Sequence[Policy]
) -> Params | str:
    """The strongest cost within the target on every machine, or why there is none.

    Of those within the target, one that meets the policies goes first. Memory is only what was
    timed on every machine.
    """
    hasher = sides[0].measurement.hasher
    floors = floors_of(policies, hasher)
    curves = [curve for side in sides for curve in side.measurement.fitted.curves]
    highest = [curve.at(highest_within(curve, target_seconds)) for curve in curves]
    candidates = [*_on_all(sides, highest), *_meeting(sides, floors)]
    if not candidates:
        if sides[0].measurement.climbs:
            return "no setting was timed on all machines, and memory is not interpolated"
        return "no cost is allowed on all machines"
    within = [
        times for times in candidates if max(time.seconds for time in times) <= target_seconds
    ]
    if not within:
        times = min(candidates, key=lambda times: max(time.seconds for time in times))
        at = max(range(len(sides)), key=lambda index: times[index].seconds)
        lowest, takes = format_setting(times[at].params), format_duration(times[at].seconds)
        return f"on {sides[at].name} even {lowest} takes {takes}"
    good = [times for times in within if floors is None or floors.is_met(times[0].params)]
    first = sorted(
        (times[0] for times in good or within),
        key=lambda time: (time.curve.memory_bytes, time.value),
    )
    best = strongest(first, area_time(hasher))
    return (best or first[-1]).params


def common_cost(
    sides: Sequence[Side], params: Params, target_seconds: float, policies: Sequence[Policy]
) -> CommonCost:
    """One cost with its time on the slowest machine, beside each policy."""
    times = [(side, setting_at(side.measurement, params)) for side in sides]
    slowest, there = max(
        ((side, time) for side, time in times if time is not None),
        key=lambda pair: pair[1].seconds,
    )
    return CommonCost(
        params=params,
        slowest=slowest.name,
        time_seconds=there.seconds,
        interval_seconds=there.interval,
        slowest_machines=slowest.machines,
        floors=tuple(_floor(sides, params, target_seconds, policy) for policy in policies),
    )


def _floor(
    sides: Sequence[Side], params: Params, target_seconds: float, policy: Policy
) -> CommonFloor:
    hasher = sides[0].measurement.hasher
    check = assess(policy, hasher, params)
    target: float | None = None
    unable: list[str] = []
    if check.verdict is Verdict.SHORT:
        floors = floors_of((policy,), hasher)
        slowest = (max(time.interval[1] for time in times) for times in _meeting(sides, floors))
        target = min(slowest, default=None)
        for side in sides:
            quickest = quickest_meeting(side.measurement.fitted, policy, hasher)
            if quickest is not None and quickest.seconds > target_seconds:
                unable += side.machines
    return CommonFloor(
        policy=policy.id,
        verdict=check.verdict,
        params=check.params,
        informative=check.informative,
        target_seconds=target,
        unable=tuple(unable),
    )


def _meeting(sides: Sequence[Side], floors: Floors | None) -> Iterator[tuple[Solution, ...]]:
    """Settings that just meet the floors, with their time on each machine."""
    if floors is not None:
        for side in sides:
            settings = meeting(side.measurement.fitted, floors)
            yield from _on_all(sides, [setting.params for setting in settings])


def _on_all(sides: Sequence[Side], settings: Sequence[Params]) -> Iterator[tuple[Solution, ...]]:
    """The times on each machine, but of a setting that one of them does not know."""
    for params in settings:
        times = [setting_at(side.measurement, params) for side in sides]
        solutions = tuple(time for time in times if time is not None)
        if len(solutions) == len(sides):
            yield solutions
