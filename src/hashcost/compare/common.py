"""One cost for all machines, and the steps of memory that were timed on all. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from msgspec.structs import replace

from hashcost.compare.measured_machine import Named
from hashcost.compare.model import CommonCost, CommonFloor
from hashcost.core.algorithms import area_time
from hashcost.core.errors import UnreachableError
from hashcost.core.measurement import Curve, Fit, Measurement, Params
from hashcost.core.profile import Rounding, Verdict
from hashcost.core.units import format_setting
from hashcost.fit.solver import Floors, Solution, highest_within, meeting, solve, strongest
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
        return "the machines use different parameters for it"
    params = min(highest, key=lambda each: each[name])
    if any(setting_at(each.measurement, params) is None for each in machines):
        return f"{format_setting({name: params[name]})} is not allowed on all machines"
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
    known = [(each, setting_at(each.measurement, params)) for each in machines]
    times = [(each, found) for each, found in known if found is not None]
    slowest, there = max(times, key=lambda pair: pair[1].seconds)
    ladder = machines[0].measurement.knobs[0].name
    return CommonCost(
        params=params,
        slowest=slowest.name,
        time_seconds=there.seconds,
        interval_seconds=there.interval,
        slowest_machines=slowest.machines,
        floors=tuple(_floor(machines, params, target_seconds, policy) for policy in policies),
        less_memory_than_any=machines[0].measurement.climbs
        and bool(own)
        and all(each[ladder] > params[ladder] for each in own),
    )


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
        name: found
        for each in machines
        for found in [quickest_meeting(each.measurement.fitted, policy, hasher)]
        for name in each.machines
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


_Known = TypeVar("_Known")


Shape: TypeAlias = tuple[bool, frozenset[tuple[str, int]]]


def shape_of(curve: Curve) -> Shape:
    """What curves of two machines have in common that tell of the same settings."""
    is_point = curve.knob is None
    return is_point, frozenset((curve.params if is_point else curve.at(0)).items())


@dataclass(frozen=True, kw_only=True)
class SharedStep:
    """One step of memory, with the curve of each machine there.

    ``shape`` has the lowest setting that is known on all of them and the parameter that
    is left to turn; its times are those of the first machine.
    """

    shape: Curve
    curves: tuple[Curve, ...]

    def within(self, target_seconds: float) -> Params | None:
        """The highest setting whose time is within the target on every machine."""
        is_point, lowest = self.shape.knob is None, self.shape.lowest
        times = [curve.seconds(curve.lowest if is_point else lowest) for curve in self.curves]
        if max(times) > target_seconds:
            return None
        if is_point:
            return self.shape.params
        value = min(highest_within(curve, target_seconds) for curve in self.curves)
        return self.shape.at(max(value, lowest))


def shared_steps(measurements: Sequence[Measurement]) -> tuple[SharedStep, ...]:
    """Steps of memory that were timed for each of these, the smallest first.

    Where one of them was timed at a single setting of a step, as a sweep does, that is
    the one that is shared.
    """
    shapes: dict[Shape, Curve] = {}
    for measurement in measurements:
        for curve in measurement.fitted.curves:
            shapes.setdefault(shape_of(curve), curve)
    found = [step for shape in shapes.values() if (step := _shared(shape, measurements))]
    return tuple(sorted(found, key=lambda step: (step.shape.memory_bytes, step.shape.lowest)))


def _shared(shape: Curve, measurements: Sequence[Measurement]) -> SharedStep | None:
    curves = _on_all(_of_shape(shape, measurement) for measurement in measurements)
    if curves is None:
        return None
    first = curves[0]
    if shape.knob is not None:
        first = replace(first, params=shape.at(max(curve.lowest for curve in curves)))
    return SharedStep(shape=first, curves=curves)


def _on_all(known: Iterable[_Known | None]) -> tuple[_Known, ...] | None:
    """What is known on each machine; `None` if it is unknown on one of them."""
    found = tuple(known)
    kept = tuple(each for each in found if each is not None)
    return kept if len(kept) == len(found) else None


def _of_shape(shape: Curve, measurement: Measurement) -> Curve | None:
    """The measurement's point at this step, or its curve with the same parameter to turn."""
    if shape.knob is None:
        here = setting_at(measurement, shape.params)
        return None if here is None else replace(here.curve, params=here.params, knob=None)
    name = shape.model.parameter
    for curve in measurement.fitted.curves:
        is_line = curve.knob is not None and curve.model.parameter == name
        if is_line and curve.at(0) == shape.at(0):
            return curve
    return None


def common_of_memory(
    measurements: Sequence[Measurement], target_seconds: float, floors: Floors | None
) -> Params | str:
    """The cost for all of a hasher in memory, or why there is none.

    As the solver has it for one machine: the strongest that is within the target on all,
    and of those the ones that meet the floors, if any does.
    """
    steps = shared_steps(measurements)
    if not steps:
        return "no setting was timed on all machines, and memory is not interpolated"
    within = [
        Solution(curve=step.shape, value=params[step.shape.model.parameter])
        for step in steps
        if (params := step.within(target_seconds)) is not None
    ]
    if not within:
        return "no setting that was timed on every machine meets the target on every machine"
    good = [each for each in within if floors is None or floors.is_met(each.params)]
    if not good and floors is not None:
        good = [
            times[0]
            for times in meeting_on_all(measurements, floors)
            if max(each.seconds for each in times) <= target_seconds
        ]
    best = strongest(good or within, area_time(measurements[0].hasher), target_seconds)
    return (best or within[-1]).params


def meeting_on_all(
    measurements: Sequence[Measurement], floors: Floors
) -> Iterator[tuple[Solution, ...]]:
    """Settings of shared steps that just meet the floors, with their time on each machine."""
    fitted = Fit(curves=tuple(step.shape for step in shared_steps(measurements)))
    for each in meeting(fitted, floors):
        times = _on_all(setting_at(measurement, each.params) for measurement in measurements)
        if times is not None:
            yield times
