"""From samples to curves: quiet times, a model through them, and how well it is known. Pure.

Every sample counts: what the probes around it say that the core slowed it is taken away. A
linear cost is a line, memory a surface. Earlier runs in the same context sharpen the estimate
while this run agrees with them; where it does not, it is not overruled.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Annotated, Final, TypeAlias

import msgspec

from hashcost.core.errors import InconclusiveError
from hashcost.core.measurement import (
    CostModel,
    Count,
    Curve,
    Fit,
    HashSeconds,
    Knob,
    Miss,
    Params,
    RelativeInterval,
    Sample,
    Surface,
    work,
)
from hashcost.fit.level import FIRST, WANDER, Level
from hashcost.fit.order_statistics import CONFIDENCE
from hashcost.fit.regression import least_squares, product
from hashcost.fit.slowdown import FULL, Sensitivity

Seconds: TypeAlias = Callable[[Sample], float]
"""Which time of a sample counts: CPU time, or wall time for a hash of several threads."""

REACH: Final = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
"""So many standard errors the interval reaches."""

_SCATTER: Final = 0.035
"""What single corrected samples differ by, until enough of a run say so (`probes-*`)."""
_AS_MANY: Final = 4
"""So many samples that counts as."""
_MEDIAN: Final = 1.25
"""A median's error beside a mean's, of normal errors."""
_MISFIT: Final = 0.015
"""How far a surface misses settings between its anchors (`surface`)."""
_BEYOND: Final = 0.025
"""The same for each doubling of memory beyond what was timed."""
_FRESH: Final = 0.5
"""A hash that is given so large a share of its memory afresh does not reuse it."""
COLD: Final = 3
"""An allocator hands out fresh memory for the first hashes of a size, up to so many."""
GLIBC_FRESH: Final = 32 << 20
"""From here on glibc maps a block afresh for each hash (DEFAULT_MMAP_THRESHOLD_MAX)."""
_GROWTH: Final = (0.07, 0.10)
_FILLING: Final = (0.06, 0.20)
"""Of a surface beside its first coefficient, and how sure that is: `surface` and
`everything-1`."""
_BEST: Final = 0.015
"""No number of runs makes a time surer than this."""
_WINDOW: Final = 10
_LASTING: Final = 2
"""So many of the last three runs before it make a run that agrees with them the rule."""
_TELLING: Final = 0.3
"""Of the longest hash of a run: shorter ones do not compare it with others."""
_BLIND: Final = 3.0
"""By so many times less is known of how memory slows without the probe bound by it
(`probes-cpu`)."""
_UNPROBED: Final = 0.10
"""What is not known of a level where no probe tells of it."""


class Point(msgspec.Struct, frozen=True, array_like=True):
    """The quiet time of a setting in one run, and how many samples tell it."""

    params: Annotated[tuple[Count, ...], msgspec.Meta(max_length=16)]
    seconds: HashSeconds
    fresh_bytes: Count
    samples: Count


class Timed(msgspec.Struct, frozen=True, kw_only=True):
    """What one run knows of one hasher: what later runs in the same context are given."""

    points: Annotated[tuple[Point, ...], msgspec.Meta(min_length=1, max_length=256)]
    error: Annotated[float, msgspec.Meta(ge=1e-4, le=100)]
    """The standard error of all its times together, in logarithms."""


@dataclass(frozen=True, kw_only=True)
class Shape:
    """What a hasher's time depends on: its knobs, and the memory of its settings."""

    knobs: tuple[Knob, ...]
    lowest: Params
    memory_bytes: Callable[[Params], int]

    @property
    def climbs(self) -> bool:
        """Whether its time is a surface of memory and passes."""
        return self.knobs[0].is_ladder

    def passes(self, params: Params) -> int:
        """How often its memory is gone over."""
        return params[self.knobs[1].name] if len(self.knobs) > 1 else 1

    def row(self, params: Params, fresh_bytes: int) -> tuple[float, ...]:
        """The terms of the model at these params."""
        if not self.climbs:
            return work(self.knobs[0].scale, params[self.knobs[0].name]), 1.0
        memory = self.memory_bytes(params) / 2**20
        worked = memory * self.passes(params)
        filling = memory if len(self.knobs) > 1 else 0.0
        return worked, worked * math.log2(memory), filling, fresh_bytes / 2**20


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """What the samples of one hasher say, in the light of earlier runs."""

    fitted: Fit
    timed: Timed
    """For later runs."""
    earlier_runs: int
    shared_factor: float | None
    doubt: str


@dataclass(frozen=True)
class _Model:
    """Coefficients with their covariance, as a share of the time squared."""

    coefficients: tuple[float, ...]
    covariance: tuple[tuple[float, ...], ...]

    def seconds(self, row: Sequence[float]) -> float:
        return product(self.coefficients, row)

    def error(self, row: Sequence[float]) -> float:
        """The relative error of the time."""
        seconds = self.seconds(row)
        scaled = [x / seconds for x in row]
        return math.sqrt(max(product(scaled, [product(c, scaled) for c in self.covariance]), 0.0))


CHANGED: Final = "the machine, or the library, seems to have changed since earlier runs"
MIXED: Final = "some hashes of one setting got fresh memory in small pages and some in huge ones"
UNSEEN: Final = "nothing tells how fast this core is when no stranger shares it"
UNWATCHED: Final = "no probe tells how busy the core was"


def estimate(
    shape: Shape,
    samples: Sequence[Sample],
    *,
    seconds: Seconds,
    level: Level | None,
    sensitivity: Sensitivity,
    earlier: Sequence[Timed] = (),
    page_bytes: int | None = None,
) -> Estimate:
    """Fit the model of one hasher to its samples and to what earlier runs know.

    ``earlier`` are those in the same context, the oldest first.

    Raises:
        InconclusiveError: there are no samples, or the clock saw no time pass.
    """
    if not samples:
        raise InconclusiveError("the budget ran out before a hash was timed; name fewer hashers")
    points, scatter = _points(shape, samples, seconds, page_bytes or 0)
    corrections = [math.log(sample.slowdown) for sample in samples]
    is_blind = shape.climbs and level is not None and len(level.quiet) < len(sensitivity.slopes)
    of_curve = sensitivity.unknown * abs(statistics.median(corrections)) * (_BLIND**is_blind)
    of_level = _UNPROBED if level is None else level.error
    sampled = _MEDIAN * scatter / math.sqrt(sum(point.samples for point in points))
    error = math.hypot(of_level, of_curve, sampled)
    unseen = 1.0 if level is None else level.unseen
    down = unseen * sensitivity.log_slowdown(FULL)
    own = _fitted(shape, [(points, error)], scatter)
    around = (-REACH * error - down, REACH * error)
    agreeing, apart = _judged(shape, own, earlier, around)
    model, doubt = own, _doubt(level, down)
    low, high = (
        REACH * math.hypot(of_level, of_curve) + down,
        REACH * math.hypot(of_level, of_curve),
    )
    if agreeing:
        alone = (around[1] - around[0]) / (2 * REACH)
        runs = [*((each.points, each.error) for each in agreeing), (points, alone)]
        model, doubt = _fitted(shape, runs, scatter), ""
        known = max(FIRST / math.sqrt(len(runs)), _BEST)
        low = high = REACH * math.hypot(known, of_curve)
    if shape.climbs and _is_mixed(shape, points):
        doubt = MIXED
    if apart is not None:
        doubt = CHANGED
        low, high = max(low, REACH * WANDER - apart), max(high, REACH * WANDER + apart)
    known_points = [point for run in agreeing for point in run.points] + list(points)
    return Estimate(
        fitted=_curves(shape, model, known_points, (low, high), scatter),
        timed=Timed(points=points, error=error),
        earlier_runs=len(agreeing),
        shared_factor=None if level is None else math.exp(statistics.median(corrections)),
        doubt=doubt,
    )


def _is_mixed(shape: Shape, points: Sequence[Point]) -> bool:
    """Whether a setting that the allocator maps afresh each time was given few faults as well."""
    names = list(shape.lowest)
    fresh: dict[tuple[int, ...], set[bool]] = {}
    for point in points:
        fresh.setdefault(point.params, set()).add(point.fresh_bytes > 0)
    return any(
        len(kinds) > 1 and shape.memory_bytes(dict(zip(names, params, strict=True))) >= GLIBC_FRESH
        for params, kinds in fresh.items()
    )


def _doubt(level: Level | None, down: float) -> str:
    if level is None:
        return UNWATCHED
    return UNSEEN if down > REACH * level.error else ""


def is_fresh(shape: Shape, sample: Sample, page_bytes: int) -> bool:
    """Whether a hash was given most of its memory afresh."""
    memory = shape.memory_bytes(sample.params)
    return shape.climbs and sample.page_faults * page_bytes >= _FRESH * memory


def _points(
    shape: Shape, samples: Sequence[Sample], seconds: Seconds, page_bytes: int
) -> tuple[tuple[Point, ...], float]:
    """The quiet time of each setting, and how far single samples lie from it.

    Of one setting, a hash that was given fresh memory and one that was not are two.
    """
    grouped: dict[tuple[tuple[int, ...], bool], list[Sample]] = {}
    for sample in samples:
        grouped.setdefault((sample.key, is_fresh(shape, sample, page_bytes)), []).append(sample)
    points: list[Point] = []
    misses: list[float] = []
    for (key, fresh), alike in grouped.items():
        quiet = [seconds(sample) / sample.slowdown for sample in alike]
        middle = statistics.median(quiet)
        if middle <= 0:
            raise InconclusiveError(
                "the clock of this system is too coarse for this hasher; name another"
            )
        faults = statistics.median_low(sample.page_faults for sample in alike)
        points.append(Point(key, middle, faults * page_bytes * fresh, len(alike)))
        if len(alike) > 1:
            misses += [abs(math.log(max(each, 1e-12) / middle)) for each in quiet]
    own = 1.4826 * statistics.median(misses) if misses else 0.0
    weight = len(misses)
    scatter = math.sqrt((_AS_MANY * _SCATTER**2 + weight * own**2) / (_AS_MANY + weight))
    return tuple(points), scatter


def _fitted(shape: Shape, runs: Sequence[tuple[Sequence[Point], float]], scatter: float) -> _Model:
    """The model through the points of several runs, each with its standard error.

    Errors are relative: every row is divided by its time, and the wanted sum is 1. The
    covariance is of what single samples and the model's misfit leave open.
    """
    rows: list[list[float]] = []
    alone: list[float] = []
    weights: list[float] = []
    names = list(shape.lowest)
    all_fresh = all(point.fresh_bytes for points, _ in runs for point in points)
    for points, error in runs:
        total = sum(point.samples for point in points)
        for point in points:
            row = shape.row(dict(zip(names, point.params, strict=True)), point.fresh_bytes)
            rows.append([x / point.seconds for x in row])
            own = (_MEDIAN * scatter) ** 2 / point.samples + (_MISFIT * shape.climbs) ** 2
            alone.append(1 / own)
            weights.append(1 / (own + error**2 * total / point.samples * (len(runs) > 1)))
    wanted = [1.0] * len(rows)
    dropped: set[int] = set()
    if shape.climbs:
        block = statistics.median(1 / row[0] for row in rows)
        if all_fresh:  # What is fresh each time cannot be told from what is filled.
            dropped.add(2 if len(shape.knobs) > 1 else 3)
        for index, (share, sure) in ((1, _GROWTH), (2, _FILLING)):
            prior = [-share / (sure * block), 0.0, 0.0, 0.0]
            prior[index] = 1 / (sure * block)
            rows.append(prior if any(row[index] for row in rows) else [0.0] * 4)
            wanted.append(0.0)
            alone.append(1.0)
            weights.append(1.0)
    while True:
        kept = [[0.0 if i in dropped else x for i, x in enumerate(row)] for row in rows]
        for index in dropped & {1, 2} if shape.climbs else ():
            kept[-3 + index] = [0.0] * 4  # What is not there needs no prior.
        calm = _calm(kept, wanted, weights)
        found, _ = least_squares(kept, wanted, calm)
        below = [index for index, each in enumerate(found) if each < 0]
        if not below and found[0] > 0:
            _, covariance = least_squares(kept, wanted, alone)
            return _Model(found, tuple(map(tuple, covariance)))
        # Nothing takes less than no time; the first term carries it, and is never left out.
        others = [index for index in below if index] or [
            index for index in range(1, len(found)) if index not in dropped
        ]
        if not others:
            return _Model(found, tuple((0.0,) * len(found) for _ in found))
        dropped.add(min(others, key=lambda index: found[index]))


def _calm(
    rows: Sequence[Sequence[float]], wanted: Sequence[float], weights: Sequence[float]
) -> list[float]:
    """The weights, less of them for what lies far off."""
    found, _ = least_squares(rows, wanted, weights)
    misses = [
        abs(y - product(found, row)) * math.sqrt(weight)
        for row, y, weight in zip(rows, wanted, weights, strict=True)
    ]
    usual = max(1.0, statistics.median(misses))
    return [w / (1 + (miss / (3 * usual)) ** 2) for w, miss in zip(weights, misses, strict=True)]


def _judged(
    shape: Shape, own: _Model, earlier: Sequence[Timed], interval: tuple[float, float]
) -> tuple[list[Timed], float | None]:
    """The earlier runs that this one is pooled with, and how far the others lie apart.

    A run that agrees with two of the three before it, or with half of the last ten, is the
    rule. Any other stands beside them: its interval reaches to where they are.
    """
    recent = list(earlier[-_WINDOW:])
    if not recent:
        return [], None
    offsets = [_offset(shape, own, run) for run in recent]
    agree = [
        interval[0] - REACH * run.error <= offset <= interval[1] + REACH * run.error
        for run, offset in zip(recent, offsets, strict=True)
    ]
    if sum(agree[-3:]) >= _LASTING or 2 * sum(agree) >= len(agree):
        return [run for run, is_alike in zip(recent, agree, strict=True) if is_alike], None
    others = [offset for offset, is_alike in zip(offsets, agree, strict=True) if not is_alike]
    return [], statistics.median(others)


def _offset(shape: Shape, own: _Model, run: Timed) -> float:
    """How much longer a run says that hashes take, in logarithms."""
    names = list(shape.lowest)
    prices_fresh = shape.climbs and own.coefficients[3] > 0
    points = [point for point in run.points if prices_fresh or not point.fresh_bytes]
    longest = max((point.seconds for point in points), default=0.0)
    found = [
        math.log(point.seconds / own.seconds(row))
        for point in points
        # A hash of microseconds, at the lowest cost, tells of nothing but its overhead.
        if point.seconds >= _TELLING * longest
        for row in [shape.row(dict(zip(names, point.params, strict=True)), point.fresh_bytes)]
        if own.seconds(row) > 0
    ]
    return statistics.median(found) if found else 0.0


def _curves(
    shape: Shape,
    model: _Model,
    points: Sequence[Point],
    spread: tuple[float, float],
    scatter: float,
) -> Fit:
    """The model as curves, with what is not known of each."""
    if not shape.climbs:
        knob = shape.knobs[0]
        per_unit, overhead = model.coefficients
        if per_unit <= 0:
            raise InconclusiveError(
                "the budget ran out before a hash was long enough to be timed; name fewer hashers"
            )
        line = CostModel(
            fixed={name: value for name, value in shape.lowest.items() if name != knob.name},
            parameter=knob.name,
            scale=knob.scale,
            overhead_seconds=overhead,
            seconds_per_unit=per_unit,
        )
        error = model.error((1e3 * overhead / per_unit + 1e9, 1.0))
        interval = _relative(spread, error)
        curve = Curve(params=shape.lowest, knob=knob, model=line, relative_interval=interval)
        memory = shape.memory_bytes(shape.lowest)
        return Fit(curves=(msgspec.structs.replace(curve, memory_bytes=memory),))
    surface = _surface(shape, model, points, scatter)
    return Fit(
        curves=tuple(
            curve_at(surface, shape, {**shape.lowest, shape.knobs[0].name: step}, spread)
            for step in shape.knobs[0].steps
        ),
        surface=surface,
    )


def _surface(shape: Shape, model: _Model, points: Sequence[Point], scatter: float) -> Surface:
    names = list(shape.lowest)
    known = [(shape.memory_bytes(dict(zip(names, p.params, strict=True))), p) for p in points]
    reused = {memory for memory, point in known if not point.fresh_bytes}
    # The first hashes of a size are given fresh memory by any allocator.
    fresh = {
        memory
        for memory, point in known
        if point.fresh_bytes and (point.samples >= COLD or memory >= GLIBC_FRESH)
    }
    return Surface(
        block=model.coefficients[0],
        growth=model.coefficients[1],
        filling=model.coefficients[2],
        fresh=model.coefficients[3],
        fresh_from_bytes=_fresh_from(reused, fresh - reused),
        sampled_bytes=(min(memory for memory, _ in known), max(memory for memory, _ in known)),
        misses=tuple(_misses(shape, model, points, scatter)),
        error=tuple(each for row in model.covariance for each in row),
    )


def _misses(
    shape: Shape, model: _Model, points: Sequence[Point], scatter: float
) -> Iterator[Miss]:
    """How far each point lies off the model."""
    names = list(shape.lowest)
    for point in points:
        params = dict(zip(names, point.params, strict=True))
        seconds = model.seconds(shape.row(params, point.fresh_bytes))
        error = math.hypot(_MEDIAN * scatter / math.sqrt(point.samples), _BEST)
        yield shape.memory_bytes(params), math.log(point.seconds / seconds), 1 / error**2


def _fresh_from(reused: Collection[int], fresh: Collection[int]) -> int | None:
    """From which memory on hashes are given it afresh: where nothing was timed, from the least."""
    if not fresh:
        return None
    above = min(fresh)
    below = max((memory for memory in reused if memory < above), default=0)
    return GLIBC_FRESH if below < GLIBC_FRESH <= above else below + 1


def curve_at(surface: Surface, shape: Shape, params: Params, spread: tuple[float, float]) -> Curve:
    """The curve of a step of memory; ``spread`` reaches down and up, in logarithms."""
    memory = shape.memory_bytes(params)
    first = surface.seconds(memory, 1)
    errors = [
        _Model(surface.coefficients, _square(surface.error)).error(surface.terms(memory, n))
        for n in (1, 3)
    ]
    low, high = surface.sampled_bytes
    doublings = max(math.log2(low / memory), math.log2(memory / high), 0.0)
    interval = _relative(spread, math.hypot(max(errors), _BEYOND * doublings))
    if len(shape.knobs) == 1:
        ladder = shape.knobs[0]
        unit = first / work(ladder.scale, params[ladder.name])
        model = CostModel(
            fixed=params,
            parameter=ladder.name,
            scale=ladder.scale,
            overhead_seconds=0.0,
            seconds_per_unit=unit,
        )
        knob = None
    else:
        knob = shape.knobs[1]
        further = surface.seconds(memory, 2) - first
        model = CostModel(
            fixed={name: value for name, value in params.items() if name != knob.name},
            parameter=knob.name,
            scale=knob.scale,
            overhead_seconds=max(first - further, 0.0),
            seconds_per_unit=further,
        )
    return Curve(
        params=params, knob=knob, model=model, memory_bytes=memory, relative_interval=interval
    )


def _square(flat: Sequence[float]) -> tuple[tuple[float, ...], ...]:
    size = math.isqrt(len(flat))
    return tuple(tuple(flat[i * size : (i + 1) * size]) for i in range(size))


def _relative(spread: tuple[float, float], error: float) -> RelativeInterval:
    """The interval, with what is not known of the model at one setting."""
    low, high = spread
    further = REACH * error
    return math.exp(-math.hypot(low, further)), math.exp(math.hypot(high, further))
