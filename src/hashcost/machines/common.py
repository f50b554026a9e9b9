"""One cost for all machines: what fits the target on each, or what the policies ask for. Pure."""

from collections.abc import Sequence

from hashcost.core.measurement import Fit, Params
from hashcost.core.units import format_duration, format_setting
from hashcost.fit.common import for_all, times_at
from hashcost.fit.solver import Answer, Floors, Solution, answer
from hashcost.machines.model import CommonCost
from hashcost.machines.profile_files import Side
from hashcost.strength.policies.policy import Policy, assess_all


def common_answer(
    sides: Sequence[Side], target_seconds: float, floors: Floors | None
) -> Answer | str:
    """Solve for all machines at once, or say why they have no common cost.

    A cost fits the target if a login waits no longer on any machine, under that machine's CPU
    quota. Memory is only what has a known time on every machine.
    """
    measurement = sides[0].measurement
    fitted = fit_for_all(sides, target_seconds)
    if fitted is None:
        # Another reason than for a linear hasher, with another cure.
        if measurement.is_memory_hard:
            return "no memory was timed on all machines; measure them with the same --memory"
        return "no cost is allowed on all machines"
    solved = answer(measurement.hasher, fitted, target_seconds, floors)
    if solved.fitting is not None or solved.required is not None:
        return solved
    lowest = solved.lowest.params
    cost = common_cost(sides, lowest)
    assert cost is not None  # noqa: S101 (its curve is for all)
    takes = format_duration(cost.wait_seconds)
    return f"on {cost.slowest} even {format_setting(lowest)} takes {takes}"


def fit_for_all(sides: Sequence[Side], target_seconds: float) -> Fit | None:
    """A curve for each step of memory that all machines know: the slowest machine's."""
    return for_all([side.measurement for side in sides], target_seconds)


def times_on(sides: Sequence[Side], params: Params) -> list[Solution] | None:
    """Time one cost on each machine; `None` if one of them does not know it."""
    return times_at([side.measurement for side in sides], params)


def common_cost(
    sides: Sequence[Side], params: Params, policies: Sequence[Policy] = ()
) -> CommonCost | None:
    """One cost with its time on the machine where a login waits longest, beside each policy.

    `None` if a machine does not know the cost.
    """
    times = times_on(sides, params)
    if times is None:
        return None
    # A quota makes a login wait longer than the hash takes.
    waits = [side.measurement.waits(time.seconds) for side, time in zip(sides, times, strict=True)]
    slowest = waits.index(max(waits))
    side, time = sides[slowest], times[slowest]
    measurement = side.measurement
    gives_huge_pages = side.machine.machine.gives_huge_pages(measurement.implementation)
    return CommonCost(
        params=params,
        slowest=side.machine.name,
        slowest_machines=side.machines,
        time_seconds=time.seconds,
        interval_seconds=time.interval,
        wait_seconds=waits[slowest],
        cpu_limit=measurement.cpu_limit,
        huge_pages=measurement.is_memory_hard and gives_huge_pages,
        floors=assess_all(policies, measurement.hasher, params),
    )
