"""From samples to curves: the time of one hash against its cost. Pure.

A hasher's time is a family of curves: one for most hashers, one for each step of memory
for those that climb a ladder. On a curve one parameter is left to turn, or none.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

import msgspec

from hashcost.core.errors import InconclusiveError
from hashcost.core.measurement import (
    Beyond,
    CostModel,
    Curve,
    Fit,
    Interval,
    Knob,
    Params,
    Sample,
    SeenBy,
    work,
)
from hashcost.fit.order_statistics import FEWEST_SAMPLES, quantile, quiet_estimate, quiet_interval

DISAGREEMENT = 0.05
"""A hash at the solved cost that misses the model by more than this is measured
again, and the model is refitted there."""
_FAR_LONGER = 1.2
_MOST_DISTURBED = 0.3
"""So many times as long as the quickest three in ten is what only a shared core takes: there a
hash takes 1.3 to 1.7 times as long (tests/tools/benchmarks/recordings), but for bcrypt."""
_LITTLE_LONGER = 1.08
_QUICKEST = 0.1
"""Where most hashes were on a shared core, a neighbour came and went during others too: what takes
so many times as long as the quickest tenth does not count."""
_FEWEST_QUICK = 3
"""So many hashes on a quiet core outweigh any number on a shared one."""

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
        raise InconclusiveError("the budget ran out before a hash was timed; name fewer hashers")
    curves = (_fit_curve(knobs, lowest, step, by_step[step], seconds) for step in sorted(by_step))
    found = tuple(
        msgspec.structs.replace(curve, memory_bytes=memory_bytes(curve.params)) for curve in curves
    )
    return Fit(curves=found, beyond=tuple(_beyond(knobs[0], found, memory_bytes)))


def _by_step(knobs: Sequence[Knob], samples: Iterable[Sample]) -> dict[int, list[Sample]]:
    """Samples by the step of the ladder; all together where there is none."""
    ladder = knobs[0] if knobs[0].is_ladder else None
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
    counted = counting(samples)
    seen_by = SeenBy.THIS_RUN if _saw_quiet(samples) else SeenBy.NOBODY
    if knob is None:
        curve = _fit_point(params, knobs[0], [seconds(sample) for sample in counted])
        return msgspec.structs.replace(curve, seen_by=seen_by)
    by_value: dict[int, list[float]] = {}
    for sample in counted:
        by_value.setdefault(sample.params[knob.name], []).append(seconds(sample))
    curve = _fit_line(params, knob, by_value)
    if ladder is not None:
        curve = msgspec.structs.replace(
            curve,
            step_seconds=sampled_seconds(by_value, curve.model),
            sampled=_sampled_most(by_value),
        )
    return msgspec.structs.replace(curve, seen_by=seen_by)


def sampled_seconds(by_value: Mapping[int, Sequence[float]], model: CostModel) -> dict[int, float]:
    """The quiet time of passes that were timed themselves, whatever others took meanwhile."""
    return {
        value: quiet_estimate(times)
        if len(times) >= FEWEST_SAMPLES
        else step_seconds(min(times), model.seconds(work(model.scale, value)))
        for value, times in by_value.items()
        if value > min(by_value)
    }


def counting(samples: Sequence[Sample]) -> Sequence[Sample]:
    """The samples of a curve that count: those on a quiet core, unless it was hardly seen.

    It was seen if some of those at the setting that was sampled most were on a quiet one. A
    core may be shared between two readings, too: what took far longer than most at the same
    setting does not count either.
    """
    if not any(sample.shared is not None for sample in samples) or not _saw_quiet(samples):
        return samples
    return [sample for there in _by_setting(samples) for sample in _quick(there)]


def _by_setting(samples: Sequence[Sample]) -> list[list[Sample]]:
    settings: dict[tuple[int, ...], list[Sample]] = {}
    for sample in samples:
        settings.setdefault(tuple(sample.params.values()), []).append(sample)
    return list(settings.values())


def _saw_quiet(samples: Sequence[Sample]) -> bool:
    """Whether enough of those at the setting that was sampled most were on a quiet core."""
    most = max(_by_setting(samples), key=len)
    quick = sum(not sample.shared for sample in most)
    return quick >= min(_FEWEST_QUICK, len(most))


def _quick(samples: Sequence[Sample]) -> list[Sample]:
    """Those of one setting that a quiet core took, and any that were quicker all the same."""
    quick = [sample for sample in samples if not sample.shared]
    if len(quick) < _FEWEST_QUICK:
        least = min((sample.cpu_seconds for sample in quick), default=0.0)
        return [each for each in samples if not each.shared or each.cpu_seconds < least]
    times = [sample.cpu_seconds for sample in quick]
    longest = _FAR_LONGER * quantile(times, _MOST_DISTURBED)
    if len(quick) < len(samples) / 2:
        longest = _LITTLE_LONGER * quantile(times, _QUICKEST)
    return [sample for sample in quick if sample.cpu_seconds <= longest]


def relative_interval(times: Sequence[float], estimate: float | None = None) -> Interval | None:
    """Where the quiet time behind these lies, as factors of the estimate; None of too few."""
    quiet, interval = estimate or quiet_estimate(times), quiet_interval(times)
    if interval is None or quiet <= 0:
        return None
    return min(interval[0] / quiet, 1.0), max(interval[1] / quiet, 1.0)


def _fit_point(params: Params, ladder: Knob, times: Sequence[float]) -> Curve:
    """A step of a ladder with nothing else to turn."""
    unit = work(ladder.scale, params[ladder.name])
    quiet = quiet_estimate(times)
    model = CostModel(
        fixed=params,
        parameter=ladder.name,
        scale=ladder.scale,
        overhead_seconds=0.0,
        seconds_per_unit=_above_zero(quiet) / unit,
    )
    return Curve(
        params=params,
        knob=None,
        model=model,
        relative_interval=relative_interval(times, quiet),
        sampled=params[ladder.name],
    )


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
        first = quiet_estimate(by_value[lowest])
        slope = (quiet_estimate(by_value[far]) - first) / (
            work(knob.scale, far) - work(knob.scale, lowest)
        )
        # Noise may make the longer hash the quicker one; then nothing tells an overhead.
        overhead = max(0.0, first - slope * work(knob.scale, lowest)) if slope > 0 else 0.0

    def per_unit(value: int) -> list[float]:
        return [(time - overhead) / work(knob.scale, value) for time in by_value[value]]

    units = per_unit(sampled)
    unit_seconds = quiet_estimate(units)
    above = [v for v in by_value if v > sampled and len(by_value[v]) >= _FEWEST_QUICK]
    if above and not knob.doubles:
        there = quiet_estimate(per_unit(max(above)))
        apart = there / _above_zero(unit_seconds)
        # Far longer than the many at the lower cost, they were slowed.
        if abs(apart - 1) > DISAGREEMENT and apart <= _FAR_LONGER:
            unit_seconds = there
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
        if value >= sampled and knob.doubles
    }
    return Curve(
        params=params,
        knob=knob,
        model=model,
        relative_interval=relative_interval(units, unit_seconds),
        step_seconds=steps,
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
        raise InconclusiveError(
            "the clock of this system is too coarse for this hasher; name another"
        )
    return seconds
