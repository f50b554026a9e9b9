"""From samples to a model of time against cost, and from a target to a cost. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from hashcost.errors import InconclusiveError, UnreachableError
from hashcost.model import CostModel, Knob, Rounding, Sample, Scale
from hashcost.stats import FEWEST_SAMPLES, prediction_interval, quiet_estimate, second_smallest
from hashcost.units import format_count, format_duration

DISAGREEMENT = 0.03
"""A hash at the solved cost that misses the model by more than this is measured
again, and the model is refitted there (facts: measuring, rule 9)."""

_SIGNIFICANT_DIGITS = 3


@dataclass(frozen=True, kw_only=True)
class Fit:
    """The time of one hash as a function of its cost.

    ``relative_interval`` is what the samples of one run leave open, as factors
    of the time; none with too few samples. ``step_seconds`` are the times of
    steps that were measured themselves.
    """

    knob: Knob
    model: CostModel
    relative_interval: tuple[float, float] | None
    step_seconds: Mapping[int, float] = field(default_factory=dict)

    def seconds(self, value: int) -> float:
        """Time of one hash at this value of the knob."""
        measured = self.step_seconds.get(value)
        return self.model.seconds(self.knob.work(value)) if measured is None else measured


def fit(knob: Knob, samples: Iterable[Sample]) -> Fit:
    """Fit overhead and time per unit of work to one hasher's samples.

    The lowest cost gives the overhead, the cost that was sampled most the time
    per unit. Where three hashes at higher costs agree that this is off by more
    than `DISAGREEMENT`, those decide instead.

    Raises:
        InconclusiveError: there are no samples, or the clock saw no time pass.
    """
    by_value = _by_value(knob, samples)
    if not by_value:
        raise InconclusiveError("the budget ended before a hash was timed; raise --budget")
    lowest = min(by_value)
    sampled = _sampled_most(by_value)
    far = sampled if sampled > lowest else max(by_value)
    overhead = 0.0
    if far > lowest:
        slope = (second_smallest(by_value[far]) - min(by_value[lowest])) / (
            knob.work(far) - knob.work(lowest)
        )
        overhead = max(0.0, min(by_value[lowest]) - slope * knob.work(lowest))

    def per_unit(value: int) -> list[float]:
        return [(seconds - overhead) / knob.work(value) for seconds in by_value[value]]

    unit_seconds, interval = quiet_estimate(per_unit(sampled))
    above = [unit for value in by_value if value > sampled for unit in per_unit(value)]
    if knob.scale is Scale.LINEAR and len(above) >= 3:
        closest = min(above)
        if abs(closest / unit_seconds - 1) > DISAGREEMENT:
            unit_seconds = closest
    if unit_seconds <= 0:
        raise InconclusiveError("the clock is too coarse for this hasher here")
    model = CostModel(
        parameter=knob.name,
        scale=knob.scale,
        overhead_seconds=overhead,
        seconds_per_unit=unit_seconds,
    )
    return Fit(
        knob=knob,
        model=model,
        relative_interval=interval
        and (min(interval[0] / unit_seconds, 1.0), max(interval[1] / unit_seconds, 1.0)),
        step_seconds={
            value: _step_seconds(min(by_value[value]), model.seconds(knob.work(value)))
            for value in by_value
            if value >= sampled and knob.scale is Scale.LOG2
        },
    )


def widen(fitted: Fit, drift: float, past_seconds_per_unit: Sequence[float]) -> Fit:
    """Let the interval hold for a fresh run, not only inside the one that was fitted.

    ``drift`` is how far runs are known to disagree, as a fraction; it adds to what
    one run leaves open as independent errors do. Past runs on the same machine,
    where there are any, show how far they did disagree.
    """
    if fitted.relative_interval is None:
        return fitted
    low, high = fitted.relative_interval
    low, high = 1 - math.hypot(1 - low, drift), 1 + math.hypot(high - 1, drift)
    if past_seconds_per_unit:
        now = fitted.model.seconds_per_unit
        lowest, highest = prediction_interval([*past_seconds_per_unit, now])
        low, high = min(low, lowest / now), max(high, highest / now)
    return replace(fitted, relative_interval=(max(low, 0.0), high))


def solve(fitted: Fit, target_seconds: float, rounding: Rounding) -> int:
    """The legal value of the knob that stands for this target.

    Linear values are rounded to three significant digits in the direction asked
    for. Rounded down, one hash never takes longer than the target.

    Raises:
        UnreachableError: rounding down, and the lowest legal cost takes longer.
    """
    knob = fitted.knob
    below = _highest_within(fitted, target_seconds)
    if below is None:
        if rounding is Rounding.DOWN:
            raise UnreachableError(
                f"the lowest legal cost, {knob.name} {format_count(knob.minimum)}, takes"
                f" {format_duration(fitted.seconds(knob.minimum))}; raise --target"
            )
        return knob.minimum
    above = _lowest_beyond(fitted, target_seconds, below)
    match rounding:
        case Rounding.DOWN:
            return below
        case Rounding.UP:
            return above
        case Rounding.NEAREST:
            undershoot = target_seconds - fitted.seconds(below)
            overshoot = fitted.seconds(above) - target_seconds
            return above if overshoot < undershoot else below


def round_to_digits(value: int, rounding: Rounding) -> int:
    """Round a positive count to three significant digits, down or up."""
    unit: int = 10 ** max(0, len(str(value)) - _SIGNIFICANT_DIGITS)
    down = value // unit * unit
    return down if rounding is Rounding.DOWN or down == value else down + unit


def _highest_within(fitted: Fit, target_seconds: float) -> int | None:
    """The highest legal, rounded value whose time is at most the target."""
    knob, model = fitted.knob, fitted.model
    if fitted.seconds(knob.minimum) > target_seconds:
        return None
    if knob.scale is Scale.LOG2:
        value = knob.minimum
        while value < knob.maximum and fitted.seconds(value + 1) <= target_seconds:
            value += 1
        return value
    exact = (target_seconds - model.overhead_seconds) / model.seconds_per_unit
    value = int(min(max(exact, knob.minimum), knob.maximum))
    value = max(round_to_digits(value, Rounding.DOWN), knob.minimum)
    # Division may round the other way by one unit in the last place.
    while value > knob.minimum and fitted.seconds(value) > target_seconds:
        value = max(round_to_digits(value - 1, Rounding.DOWN), knob.minimum)
    return value


def _lowest_beyond(fitted: Fit, target_seconds: float, below: int) -> int:
    """The lowest legal, rounded value whose time is at least the target."""
    knob = fitted.knob
    if fitted.seconds(below) >= target_seconds or below == knob.maximum:
        return below
    if knob.scale is Scale.LOG2:
        return below + 1
    return min(round_to_digits(below + 1, Rounding.UP), knob.maximum)


def _by_value(knob: Knob, samples: Iterable[Sample]) -> dict[int, list[float]]:
    grouped: dict[int, list[float]] = {}
    for sample in samples:
        grouped.setdefault(sample.params[knob.name], []).append(sample.cpu_seconds)
    return grouped


def _sampled_most(by_value: Mapping[int, Sequence[float]]) -> int:
    """The cost that carries the fit: the one sampled most, not the few at the lowest."""
    most = max(by_value, key=lambda value: (len(by_value[value]), value))
    return most if len(by_value[most]) >= FEWEST_SAMPLES else max(by_value)


def _step_seconds(direct: float, modelled: float) -> float:
    """The time of a step that was timed itself; a step is never interpolated.

    Within the disagreement allowed, a few hashes only confirm the model, which
    rests on more of them.
    """
    return modelled if abs(direct / modelled - 1) <= DISAGREEMENT else direct
