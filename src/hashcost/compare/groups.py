"""Machines that cannot be told apart, pooled. Pure.

What makes one cost for all from many noisy times must not take the highest of them: that grows
with their number. So machines are one group if no fact tells them apart and their speeds differ
by noise, and what a group takes is pooled.
"""

import math
import statistics
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence

from msgspec.structs import replace

from hashcost.compare.common import Shape, shape_of
from hashcost.compare.difference import facts_that_tell
from hashcost.compare.measured_machine import Group, Side
from hashcost.core.measurement import Beyond, Curve, Fit, Knob, Measurement, SeenBy, work
from hashcost.fit.pooling import Estimate, clusters, estimate, pool
from hashcost.fit.quiet_speed import scaled
from hashcost.fit.solver import highest_within


def groups_of(sides: Sequence[Side], target_seconds: float) -> tuple[Group, ...]:
    """The groups of these machines, in the order of their first machines."""
    classes: dict[Hashable, list[Side]] = {}
    for side in sides:
        classes.setdefault(facts_that_tell(side), []).append(side)
    found = [
        group_of(members, alike, target_seconds)
        for alike, kin in classes.items()
        for members in _by_speed(kin, target_seconds)
    ]
    order = [id(side) for side in sides]
    return tuple(sorted(found, key=lambda group: order.index(id(group.members[0]))))


def group_of(members: Sequence[Side], alike: Hashable, target_seconds: float) -> Group:
    """These machines as one, called by the name of the first."""
    first = members[0]
    return Group(
        name=first.name,
        measurement=pooled([each.measurement for each in members], target_seconds),
        measured=first.measured,
        members=tuple(members),
        alike=alike,
    )


def pooled(measurements: Sequence[Measurement], target_seconds: float) -> Measurement:
    """What machines that are alike measured of one hasher, as one measurement.

    Of memory it knows every step that one of them timed.
    """
    first = measurements[0]
    if len(measurements) == 1:
        return first
    shapes = _by_shape(measurements)
    curves = [
        _pooled_curve([curve for _, curve in found], target_seconds) for found in shapes.values()
    ]
    curves.sort(key=lambda curve: (curve.memory_bytes, curve.lowest))
    kept = {each.kept and tuple(each.kept.items()) for each in measurements}
    return replace(
        first,
        knobs=_knobs(measurements),
        fitted=Fit(curves=tuple(curves), beyond=tuple(_beyond(measurements, curves))),
        samples=(),
        shared=None,
        kept=first.kept if len(kept) == 1 else None,
    )


def _by_shape(measurements: Sequence[Measurement]) -> dict[Shape, list[tuple[int, Curve]]]:
    """The curves that tell of the same settings, each with whose it is."""
    found: dict[Shape, list[tuple[int, Curve]]] = {}
    for index, measurement in enumerate(measurements):
        for curve in measurement.fitted.curves:
            found.setdefault(shape_of(curve), []).append((index, curve))
    return found


def _by_speed(sides: Sequence[Side], target_seconds: float) -> Iterator[list[Side]]:
    """Machines whose speeds differ by noise; one that nothing compares is alone."""
    speeds: dict[int, list[Estimate]] = {}
    for found in _by_shape([each.measurement for each in sides]).values():
        if len(found) == 1 and len(sides) > 1:
            continue
        value = _value([curve for _, curve in found], target_seconds)
        times = [estimate(curve.seconds(value), curve.relative_interval) for _, curve in found]
        middle = statistics.median(each.value for each in times)
        for (index, _), each in zip(found, times, strict=True):
            beside = Estimate(value=each.value - middle, error=each.error)
            speeds.setdefault(index, []).append(beside)
    known = list(speeds)
    each_speed = [_mean(speeds[index]) for index in known]
    for cluster in clusters(each_speed) if known else ():
        yield [sides[index] for index in sorted(known[at] for at in cluster)]
    yield from ([side] for index, side in enumerate(sides) if index not in speeds)


def _mean(estimates: Sequence[Estimate]) -> Estimate:
    """The mean of what was timed in one run: its errors are not independent."""
    return Estimate(
        value=statistics.fmean(each.value for each in estimates),
        error=statistics.fmean(each.error for each in estimates),
    )


def _value(curves: Sequence[Curve], target_seconds: float) -> int:
    """The value at which curves are held against each other: about what the target asks for."""
    lowest = max(curve.lowest for curve in curves)
    within = highest_within(curves[0], max(target_seconds, curves[0].seconds(lowest)))
    return max(within, lowest)


def _pooled_curve(curves: Sequence[Curve], target_seconds: float) -> Curve:
    if len(curves) == 1:
        return curves[0]
    first = min(curves, key=lambda curve: curve.lowest)
    value = _value(curves, target_seconds)
    units = work(first.model.scale, value)
    found = pool([estimate(each.model.seconds(units), each.relative_interval) for each in curves])
    steps = {step for curve in curves for step in curve.step_seconds}
    known = any(curve.relative_interval is not None for curve in curves)
    return replace(
        scaled(first, math.exp(found.value) / first.model.seconds(units)),
        relative_interval=found.relative_interval if known else None,
        step_seconds={step: _step_seconds(curves, step) for step in sorted(steps)},
        seen_by=min((curve.seen_by for curve in curves), key=list(SeenBy).index),
        earlier_runs=0,
    )


def _step_seconds(curves: Sequence[Curve], step: int) -> float:
    told = [curve for curve in curves if curve.lowest <= step]
    times = [estimate(curve.seconds(step), curve.relative_interval) for curve in told]
    return math.exp(pool(times).value)


def _knobs(measurements: Sequence[Measurement]) -> tuple[Knob, ...]:
    """The knobs of the first; of memory with the steps of all."""
    ladder, *others = measurements[0].knobs
    steps = {step for each in measurements for step in each.knobs[0].steps}
    return (replace(ladder, steps=tuple(sorted(steps))), *others)


def _beyond(measurements: Sequence[Measurement], curves: Sequence[Curve]) -> Iterator[Beyond]:
    """Steps of memory that none of them timed."""
    timed = {curve.memory_bytes for curve in curves}
    told: Counter[int] = Counter()
    for measurement in measurements:
        for step in measurement.fitted.beyond:
            told[step.memory_bytes] += 1
            if step.memory_bytes not in timed and told[step.memory_bytes] == 1:
                yield step
