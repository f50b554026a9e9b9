"""From samples to a model of time against cost, and from a target to a cost. Pure.

A hasher's time is a family of curves: one for most, one for each step of memory
for those that climb a ladder. On a curve one parameter is left to turn, or none.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from hashcost.core.errors import InconclusiveError, UnreachableError
from hashcost.core.model import CostModel, Knob, Params, Rounding, Sample, Scale
from hashcost.core.units import format_cost, format_duration
from hashcost.fit.order_statistics import (
    FEWEST_SAMPLES,
    prediction_interval,
    quiet_estimate,
    second_smallest,
)

DISAGREEMENT = 0.03
"""A hash at the solved cost that misses the model by more than this is measured
again, and the model is refitted there (facts: measuring, rule 9)."""

TELLING_WIDTH = 0.15
"""A run whose own samples leave more open than this says little about the machine."""

_SIGNIFICANT_DIGITS = 3

Seconds: TypeAlias = Callable[[Sample], float]
"""Which time of a sample counts: CPU time, or wall time for a hash of several threads."""


def cpu_seconds(sample: Sample) -> float:
    """The time that counts for a hash of one thread."""
    return sample.cpu_seconds


def wall_seconds(sample: Sample) -> float:
    """The time that counts for a hash of several threads."""
    return sample.wall_seconds


def no_memory(params: Params) -> int:
    """For a hasher whose memory does not matter."""
    return 0


@dataclass(frozen=True, kw_only=True)
class Curve:
    """The time of one hash as a function of the one parameter that is left to turn.

    ``params`` are the lowest on this curve; without a ``knob`` they are the only
    ones. ``relative_interval`` is what its samples leave open, as factors of the time;
    none with too few. ``step_seconds`` are the times of steps measured themselves.
    """

    params: Params
    knob: Knob | None
    model: CostModel
    memory_bytes: int = 0
    relative_interval: tuple[float, float] | None = None
    step_seconds: Mapping[int, float] = field(default_factory=dict)

    @property
    def is_telling(self) -> bool:
        """Whether its samples leave little open."""
        interval = self.relative_interval
        return interval is not None and interval[1] - interval[0] <= TELLING_WIDTH

    @property
    def lowest(self) -> int:
        """The lowest value of the parameter on this curve."""
        return self.params[self.model.parameter]

    def at(self, value: int) -> Params:
        """The params with this value."""
        return {**self.params, self.model.parameter: value}

    def seconds(self, value: int) -> float:
        """Time of one hash at this value."""
        measured = self.step_seconds.get(value)
        if measured is not None:
            return measured
        return self.model.seconds(work(self.model.scale, value))


@dataclass(frozen=True, kw_only=True)
class Beyond:
    """A step of memory that was not timed, and the time that it takes at least.

    Time grows no slower than memory does; by how much faster is not known.
    """

    params: Params
    memory_bytes: int
    least_seconds: float


@dataclass(frozen=True, kw_only=True)
class Fit:
    """Every curve that was measured, the smallest memory first.

    ``beyond`` are the steps of memory next to a curve of which nothing was timed.
    """

    curves: tuple[Curve, ...]
    beyond: tuple[Beyond, ...] = ()

    def above(self, curve: Curve) -> Beyond | None:
        """The step next to this curve, if nothing was timed there."""
        memory = curve.memory_bytes
        timed = [each.memory_bytes for each in self.curves if each.memory_bytes > memory]
        untimed = [each for each in self.beyond if each.memory_bytes > memory]
        nearest = min(untimed, key=lambda each: each.memory_bytes, default=None)
        if nearest is None or nearest.memory_bytes >= min(timed, default=math.inf):
            return None
        return nearest


@dataclass(frozen=True, kw_only=True)
class Floors:
    """What a cost must not fall short of.

    Any of ``alternatives`` will do, the least work first; ``is_met`` tells of any
    cost whether it does. Where they are ``enforced``, the target gives way to them.
    """

    alternatives: tuple[Params, ...]
    is_met: Callable[[Params], bool]
    enforced: bool


@dataclass(frozen=True, kw_only=True)
class Solution:
    """A legal setting: a value on a curve.

    ``raised_from`` is what fits the target, where a floor is enforced that does not.
    """

    curve: Curve
    value: int
    raised_from: Params | None = None

    @property
    def params(self) -> Params:
        """The setting in the algorithm's own terms."""
        return self.curve.at(self.value)

    @property
    def seconds(self) -> float:
        """Time of one hash with this setting."""
        return self.curve.seconds(self.value)


def work(scale: Scale, value: int) -> float:
    """Units of work at this value: the count itself, or two to its power."""
    return 2.0**value if scale is Scale.LOG2 else float(value)


def fit(
    knobs: Sequence[Knob],
    lowest: Params,
    samples: Iterable[Sample],
    *,
    seconds: Seconds = cpu_seconds,
    memory_bytes: Callable[[Params], int] = no_memory,
) -> Fit:
    """Fit overhead and time per unit of work to one hasher's samples.

    ``seconds`` says which time of a sample counts, ``memory_bytes`` what params take.

    Raises:
        InconclusiveError: there are no samples, or the clock saw no time pass.
    """
    by_step = _by_step(knobs, samples)
    if not by_step:
        raise InconclusiveError("the budget ended before a hash was timed; raise --budget")
    curves = (_fit_curve(knobs, lowest, step, by_step[step], seconds) for step in sorted(by_step))
    found = tuple(replace(curve, memory_bytes=memory_bytes(curve.params)) for curve in curves)
    return Fit(curves=found, beyond=tuple(_beyond(knobs[0], found, memory_bytes)))


def widen(fitted: Fit, drift: float, past: Callable[[CostModel], Sequence[float]]) -> Fit:
    """Let the intervals hold for a fresh run, not only inside the one that was fitted.

    ``drift`` is how far runs are known to lie from their median, as a fraction: two
    runs differ by the square root of two more. It adds to what one run leaves open
    as independent errors do. ``past`` gives the seconds per unit of earlier runs on
    the same machine, which show how far they did disagree.
    """
    return replace(fitted, curves=tuple(_widened(c, drift, past(c.model)) for c in fitted.curves))


def _widened(curve: Curve, drift: float, past_seconds_per_unit: Sequence[float]) -> Curve:
    if curve.relative_interval is None:
        return curve
    low, high = curve.relative_interval
    apart = drift * math.sqrt(2)
    low, high = 1 - math.hypot(1 - low, apart), 1 + math.hypot(high - 1, apart)
    if past_seconds_per_unit:
        now = curve.model.seconds_per_unit
        lowest, highest = prediction_interval([*past_seconds_per_unit, now])
        low, high = min(low, lowest / now), max(high, highest / now)
    return replace(curve, relative_interval=(max(low, 0.0), high))


def solve(
    fitted: Fit, target_seconds: float, rounding: Rounding, floors: Floors | None = None
) -> Solution:
    """The legal setting that stands for this target.

    Of memory as much as fits, then of the other parameter. Linear values are
    rounded to three significant digits in the direction asked for. Rounded down,
    one hash never takes longer than the target. A setting that meets the floors
    goes before one that does not: where one fits the target, or where they are enforced.

    Raises:
        UnreachableError: rounding down, and the lowest legal cost takes longer.
    """
    try:
        solution = _for_target(fitted, target_seconds, rounding)
    except UnreachableError:
        first = fitted.curves[0]
        solution = Solution(curve=first, value=first.lowest)
        if floors is None or not floors.enforced or not meeting(fitted, floors):
            raise
        if floors.is_met(solution.params):
            raise  # No floor asks for more: the target is out of reach by itself.
    if floors is None or floors.is_met(solution.params):
        return solution
    known = meeting(fitted, floors)
    within = [each for each in known if each.seconds <= target_seconds]
    # Rounded up, the answer lies above the target, and so above all of these.
    if within and rounding is not Rounding.UP:
        return max(within, key=lambda each: (each.curve.memory_bytes, each.value))
    if floors.enforced and known:
        raised = min(known, key=lambda each: each.seconds)
        return replace(raised, raised_from=solution.params)
    return solution


def no_floors(_hasher: str) -> Floors | None:
    """Asks for nothing of any hasher."""
    return None


def meeting(fitted: Fit, floors: Floors) -> list[Solution]:
    """The settings on measured curves that just meet one of the alternatives."""
    found = (_lifted(fitted, params) for params in floors.alternatives)
    return [each for each in found if each is not None and floors.is_met(each.params)]


def _lifted(fitted: Fit, least: Params) -> Solution | None:
    """The setting with the least memory that is below none of these params."""
    for curve in fitted.curves:
        knob = curve.knob
        name = curve.model.parameter if knob is not None else None
        fixed = (each for each in least if each != name)
        if any(curve.params.get(each, 0) < least[each] for each in fixed):
            continue
        value = max(least.get(curve.model.parameter, 0), curve.lowest)
        if knob is None or value <= knob.maximum:
            return Solution(curve=curve, value=value)
    return None


def _for_target(fitted: Fit, target_seconds: float, rounding: Rounding) -> Solution:
    fitting = [c for c in fitted.curves if c.seconds(c.lowest) <= target_seconds]
    if not fitting:
        first = fitted.curves[0]
        if rounding is Rounding.DOWN:
            raise UnreachableError(
                f"the lowest legal cost, {format_cost(first.params)}, takes"
                f" {format_duration(first.seconds(first.lowest))}; raise --target"
            )
        return Solution(curve=first, value=first.lowest)
    curve = fitting[-1]
    below = Solution(curve=curve, value=highest_within(curve, target_seconds))
    if rounding is Rounding.DOWN:
        return below
    above = _lowest_beyond(fitted, below, target_seconds)
    if rounding is Rounding.UP:
        return above
    nearer = above.seconds - target_seconds < target_seconds - below.seconds
    return above if nearer else below


def round_to_digits(value: int, rounding: Rounding) -> int:
    """Round a positive count to three significant digits, down or up."""
    unit: int = 10 ** max(0, len(str(value)) - _SIGNIFICANT_DIGITS)
    down = value // unit * unit
    return down if rounding is Rounding.DOWN or down == value else down + unit


def highest_within(curve: Curve, target_seconds: float) -> int:
    """The highest legal, rounded value whose time is at most the target."""
    knob, model = curve.knob, curve.model
    if knob is None:
        return curve.lowest
    if knob.scale is Scale.LOG2:
        value = curve.lowest
        while value < knob.maximum and curve.seconds(value + 1) <= target_seconds:
            value += 1
        return value
    exact = (target_seconds - model.overhead_seconds) / model.seconds_per_unit
    value = int(min(max(exact, curve.lowest), knob.maximum))
    value = max(round_to_digits(value, Rounding.DOWN), curve.lowest)
    # Division may round the other way by one unit in the last place.
    while value > curve.lowest and curve.seconds(value) > target_seconds:
        value = max(round_to_digits(value - 1, Rounding.DOWN), curve.lowest)
    return value


def _lowest_beyond(fitted: Fit, below: Solution, target_seconds: float) -> Solution:
    """The lowest measured or modelled setting whose time is at least the target."""
    curve, knob = below.curve, below.curve.knob
    if below.seconds >= target_seconds:
        return below
    if knob is not None and below.value < knob.maximum:
        step = below.value + 1
        value = step if knob.scale is Scale.LOG2 else round_to_digits(step, Rounding.UP)
        return Solution(curve=curve, value=min(value, knob.maximum))
    following = fitted.curves[fitted.curves.index(curve) + 1 :]
    return Solution(curve=following[0], value=following[0].lowest) if following else below


def _by_step(knobs: Sequence[Knob], samples: Iterable[Sample]) -> dict[int, list[Sample]]:
    """Samples by the step of the ladder; all together where there is none."""
    ladder = knobs[0] if knobs[0].scale is Scale.LADDER else None
    grouped: dict[int, list[Sample]] = {}
    for sample in samples:
        grouped.setdefault(sample.params[ladder.name] if ladder else 0, []).append(sample)
    return grouped


def _beyond(
    ladder: Knob, curves: Sequence[Curve], memory_bytes: Callable[[Params], int]
) -> Iterator[Beyond]:
    """The step above each curve, where nothing was timed there."""
    for curve in curves:
        above = next((step for step in ladder.steps if step > curve.params[ladder.name]), None)
        timed = any(each.params[ladder.name] == above for each in curves)
        if above is None or timed or not curve.memory_bytes:
            continue
        params = {**curve.params, ladder.name: above}
        memory = memory_bytes(params)
        least = curve.seconds(curve.lowest) * memory / curve.memory_bytes
        yield Beyond(params=params, memory_bytes=memory, least_seconds=least)


def _fit_curve(
    knobs: Sequence[Knob], lowest: Params, step: int, samples: Sequence[Sample], seconds: Seconds
) -> Curve:
    ladder, knob = (knobs[0], *knobs[1:], None)[:2] if step else (None, knobs[0])
    params = {**lowest, ladder.name: step} if ladder is not None else lowest
    if knob is None:
        return _fit_point(params, knobs[0], [seconds(sample) for sample in samples])
    by_value: dict[int, list[float]] = {}
    for sample in samples:
        by_value.setdefault(sample.params[knob.name], []).append(seconds(sample))
    curve = _fit_line(params, knob, by_value)
    return curve if ladder is None else replace(curve, step_seconds=sampled_seconds(by_value))


def sampled_seconds(by_value: Mapping[int, Sequence[float]]) -> dict[int, float]:
    """The quiet time of passes that were sampled themselves, whatever others took meanwhile."""
    return {
        value: quiet_estimate(times)[0]
        for value, times in by_value.items()
        if value > min(by_value) and len(times) >= FEWEST_SAMPLES
    }


def _fit_point(params: Params, ladder: Knob, times: Sequence[float]) -> Curve:
    """A step of a ladder with nothing else to turn."""
    unit = work(ladder.scale, params[ladder.name])
    quiet, interval = quiet_estimate(times)
    model = CostModel(
        fixed=params,
        parameter=ladder.name,
        scale=ladder.scale,
        overhead_seconds=0.0,
        seconds_per_unit=_above_zero(quiet) / unit,
    )
    relative = interval and (min(interval[0] / quiet, 1.0), max(interval[1] / quiet, 1.0))
    return Curve(params=params, knob=None, model=model, relative_interval=relative)


def _fit_line(params: Params, knob: Knob, by_value: Mapping[int, Sequence[float]]) -> Curve:
    """Time against work.

    The lowest cost gives the overhead, the cost that was sampled most the time
    per unit. Where three hashes at higher costs agree that this is off by more
    than `DISAGREEMENT`, those decide instead.
    """
    lowest = min(by_value)
    sampled = _sampled_most(by_value)
    far = sampled if sampled > lowest else max(by_value)
    overhead = 0.0
    if far > lowest:
        slope = (second_smallest(by_value[far]) - min(by_value[lowest])) / (
            work(knob.scale, far) - work(knob.scale, lowest)
        )
        overhead = max(0.0, min(by_value[lowest]) - slope * work(knob.scale, lowest))

    def per_unit(value: int) -> list[float]:
        return [(time - overhead) / work(knob.scale, value) for time in by_value[value]]

    unit_seconds, interval = quiet_estimate(per_unit(sampled))
    above = [unit for value in by_value if value > sampled for unit in per_unit(value)]
    if knob.scale is Scale.LINEAR and len(above) >= 3:
        closest = min(above)
        if abs(closest / _above_zero(unit_seconds) - 1) > DISAGREEMENT:
            unit_seconds = closest
    model = CostModel(
        fixed={name: value for name, value in params.items() if name != knob.name},
        parameter=knob.name,
        scale=knob.scale,
        overhead_seconds=overhead,
        seconds_per_unit=_above_zero(unit_seconds),
    )
    steps = {
        value: step_seconds(min(times), model.seconds(work(knob.scale, value)))
        for value, times in by_value.items()
        if value >= sampled and knob.scale is Scale.LOG2
    }
    relative = interval and (
        min(interval[0] / unit_seconds, 1.0),
        max(interval[1] / unit_seconds, 1.0),
    )
    return Curve(
        params=params, knob=knob, model=model, relative_interval=relative, step_seconds=steps
    )


def _sampled_most(by_value: Mapping[int, Sequence[float]]) -> int:
    """The cost that carries the fit: the one sampled most, not the few at the lowest."""
    most = max(by_value, key=lambda value: (len(by_value[value]), value))
    return most if len(by_value[most]) >= FEWEST_SAMPLES else max(by_value)


def step_seconds(direct: float, modelled: float) -> float:
    """The time of a step that was timed itself; a step is never interpolated.

    Within the disagreement allowed, a few hashes only confirm the model, which
    rests on more of them.
    """
    return modelled if abs(direct / modelled - 1) <= DISAGREEMENT else direct


def _above_zero(seconds: float) -> float:
    if seconds <= 0:
        raise InconclusiveError("the clock is too coarse for this hasher here")
    return seconds
