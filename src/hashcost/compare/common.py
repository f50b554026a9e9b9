"""One cost for all machines: what fits the target on each, or what the policies ask for. Pure."""

from collections.abc import Sequence

from msgspec.structs import replace

from hashcost.compare.machines import Side
from hashcost.compare.model import CommonCost
from hashcost.core.measurement import Curve, Fit, Params
from hashcost.core.units import format_duration, format_setting
from hashcost.fit.solver import Answer, Floors, Solution, answer, highest_within
from hashcost.fit.times import setting_at
from hashcost.worth.policies.policy import Policy, assess


def common_answer(
    sides: Sequence[Side], target_seconds: float, floors: Floors | None
) -> Answer | str:
    """Solve for all machines at once, or say why they have no common cost.

    A cost fits the target if a login waits no longer on any machine, under that machine's CPU
    quota. Memory is only what has a known time on every machine.
    """
    measurement = sides[0].measurement
    fitted = _fit_for_all(sides, target_seconds)
    if fitted is None:
        if measurement.climbs:
            return "no setting was timed on all machines, and memory is not interpolated"
        return "no cost is allowed on all machines"
    solved = answer(measurement.hasher, fitted, target_seconds, floors)
    if solved.fitting is None and solved.required is None:
        lowest = solved.lowest.params
        cost = common_cost(sides, lowest)
        assert cost is not None  # noqa: S101 (its curve is for all)
        takes = format_duration(cost.wait_seconds)
        return f"on {cost.slowest} even {format_setting(lowest)} takes {takes}"
    return solved


def times_at(sides: Sequence[Side], params: Params) -> list[Solution] | None:
    """Time one cost on each machine; `None` if one of them does not know it."""
    times = [setting_at(side.measurement, params) for side in sides]
    solutions = [time for time in times if time is not None]
    return solutions if len(solutions) == len(sides) else None


def common_cost(
    sides: Sequence[Side], params: Params, policies: Sequence[Policy] = ()
) -> CommonCost | None:
    """One cost with its time on the machine where a login waits longest, beside each policy.

    `None` if a machine does not know the cost.
    """
    times = times_at(sides, params)
    if times is None:
        return None

    def waits(pair: tuple[Side, Solution]) -> float:
        side, time = pair
        return side.measurement.waits(time.seconds)

    side, time = max(zip(sides, times, strict=True), key=waits)
    hasher = side.measurement.hasher
    return CommonCost(
        params=params,
        slowest=side.name,
        slowest_machines=side.machines,
        time_seconds=time.seconds,
        interval_seconds=time.interval,
        wait_seconds=waits((side, time)),
        cpu_limit=side.measurement.cpu_limit,
        huge_pages=side.measurement.climbs
        and side.machine.machine.gives_huge_pages(side.measurement.implementation),
        floors=tuple(assess(policy, hasher, params) for policy in policies),
    )


def _fit_for_all(sides: Sequence[Side], target_seconds: float) -> Fit | None:
    """A curve for each step of memory that all machines know: the slowest machine's."""
    first = {
        tuple(curve.params.items()): curve.params
        for side in sides
        for curve in side.measurement.fitted.curves
    }
    curves = [_curve_for_all(sides, params, target_seconds) for params in first.values()]
    shared = sorted(filter(None, curves), key=lambda curve: curve.memory_bytes)
    surface = sides[0].measurement.fitted.surface
    return Fit(curves=tuple(shared), surface=surface) if shared else None


def _curve_for_all(sides: Sequence[Side], lowest: Params, target_seconds: float) -> Curve | None:
    """From these params on, the curve that leaves the least room within the target.

    Its times are multiplied, so that what fits a machine's quota takes the target.
    """
    times = times_at(sides, lowest)
    if times is None:
        return None
    curves = [
        time.curve.slowed(target_seconds / side.measurement.fitting(target_seconds))
        for side, time in zip(sides, times, strict=True)
    ]

    def room(curve: Curve) -> tuple[int, float]:
        highest = highest_within(curve, target_seconds)
        return highest, -curve.seconds(highest)

    tightest = min(curves, key=room)
    knobs = [curve.knob for curve in curves if curve.knob is not None]
    maximum = min((knob.maximum for knob in knobs), default=0)
    knob = tightest.knob and replace(tightest.knob, maximum=maximum)
    return replace(tightest, params=lowest, knob=knob)
