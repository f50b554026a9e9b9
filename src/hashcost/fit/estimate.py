"""Fit a model to the samples of one hasher, with an interval for the quiet time. Pure.

Every sample counts, corrected for the slowdown that the probes around it show. A linear hasher
is fitted by a line, a memory-hard one by a surface. Earlier runs in the same context sharpen the
estimate while this run agrees with them, and never overrule it.
"""

import itertools
import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Final, TypeAlias

from hashcost.core.errors import InconclusiveError
from hashcost.core.measurement import (
    GLIBC_FRESH,
    CostModel,
    Curve,
    Doubt,
    Fit,
    Knob,
    Miss,
    Params,
    Point,
    RelativeInterval,
    Sample,
    Surface,
    Timed,
    work,
)
from hashcost.fit.level import FIRST, WANDER, Level
from hashcost.fit.order_statistics import CONFIDENCE
from hashcost.fit.regression import least_squares, product
from hashcost.fit.slowdown import FULL, Sensitivity

Seconds: TypeAlias = Callable[[Sample], float]
"""The time of a sample that counts: CPU time, or wall time for a hash of several threads."""

REACH: Final = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
"""Half the width of an interval, in standard errors."""

SCATTER: Final = 0.035
"""Scatter of single corrected samples, in logarithms, until a run has enough of its own
(`probes-*`)."""
_SCATTER_SAMPLES: Final = 4
"""Weight of `SCATTER`, in samples."""
MEDIAN_ERROR: Final = 1.25
"""Standard error of a median as a multiple of a mean's, for normal errors."""
_MISFIT_BEYOND: Final = 0.025
"""Misfit for each doubling of memory beyond the anchors, in logarithms (`surface`)."""
_FRESH: Final = 0.5
"""Share of its memory that a hash is given afresh, from which on it does not reuse memory."""
COLD: Final = 3
"""Most hashes of one size that an allocator gives fresh memory before it reuses any."""
_GROWTH: Final = (0.07, 0.10)
_FILLING: Final = (0.06, 0.20)
"""Prior of a coefficient as a share of the surface's first one, and its standard error
(`surface`, `everything-1`)."""
_LEAST_FILLING: Final = -0.5
"""Least that the first pass may take beyond the others, as a share of them."""
_LEAST_ERROR: Final = 0.015
"""Least error of a time, in logarithms, however many runs are pooled."""
_WINDOW: Final = 10
"""Earlier runs that a run is compared with."""
_AGREEING: Final = 2
"""Number of the three latest earlier runs that must agree with a run for it to be pooled."""
_COMPARABLE: Final = 0.3
"""Share of the longest hash of a run below which hashes do not compare it with other runs."""
_WITHOUT_MEMORY_PROBE: Final = 3.0
"""Factor on a curve's error for a memory-hard hasher without the memory probe (`probes-cpu`)."""
_MEMORY_WANDER: Final = 0.025
"""Error of all hashes of a memory-hard hasher however many runs are pooled, in logarithms: memory
gets slower for minutes, and no probe shows it (`everything-1` 0.034, others 0.013 to 0.019)."""
_UNPROBED: Final = 0.10
"""Error of the level without any probe, in logarithms."""


@dataclass(frozen=True, kw_only=True)
class Shape:
    """The knobs and the memory that a hasher's time depends on."""

    knobs: tuple[Knob, ...]
    lowest: Params
    memory_bytes: Callable[[Params], int]

    @property
    def climbs(self) -> bool:
        """Whether the time is a surface of memory and passes."""
        return self.knobs[0].is_ladder

    def passes(self, params: Params) -> int:
        """The number of passes over the memory."""
        return params[self.knobs[1].name] if len(self.knobs) > 1 else 1

    def params_of(self, point: Point) -> Params:
        """The params of a point, by name."""
        return dict(zip(self.lowest, point.params, strict=True))

    def memory_of(self, point: Point) -> int:
        """The memory of one hash at a point, in bytes."""
        return self.memory_bytes(self.params_of(point))

    def row(self, point: Point) -> tuple[float, ...]:
        """The terms of the model at a point."""
        params = self.params_of(point)
        if not self.climbs:
            return work(self.knobs[0].scale, params[self.knobs[0].name]), 1.0
        memory = self.memory_bytes(params) / 2**20
        worked = memory * self.passes(params)
        filling = memory if len(self.knobs) > 1 else 0.0
        return worked, worked * math.log2(memory), filling, point.fresh_bytes / 2**20


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """The model of one hasher, fitted to its samples and to earlier runs that agree."""

    fitted: Fit
    timed: Timed
    """The times of this run, for later ones."""
    earlier_runs: int
    """The number of earlier runs that were pooled with this one."""
    shared_factor: float | None
    """The median slowdown of a sample on the shared core; `None` without probes."""
    doubt: Doubt


@dataclass(frozen=True)
class _Model:
    """Coefficients, with their covariance as a share of the time squared."""

    coefficients: tuple[float, ...]
    covariance: tuple[tuple[float, ...], ...]

    def seconds(self, row: Sequence[float]) -> float:
        return product(self.coefficients, row)

    def error(self, row: Sequence[float]) -> float:
        """The relative error of the time."""
        seconds = self.seconds(row)
        scaled = [x / seconds for x in row]
        return math.sqrt(max(product(scaled, [product(c, scaled) for c in self.covariance]), 0.0))


def estimate(
    shape: Shape,
    samples: Sequence[Sample],
    *,
    seconds: Seconds,
    level: Level | None,
    sensitivity: Sensitivity,
    drift: float = 0.0,
    earlier: Sequence[Timed] = (),
    page_bytes: int | None = None,
    stays_shared: bool = False,
    by_malloc: bool = True,
) -> Estimate:
    """Fit the model of one hasher to its samples and to the times of earlier runs.

    ``drift`` is how far fresh processes disagree, as a fraction; ``earlier`` are the runs in the
    same context, the oldest first. With ``stays_shared``, the times are not those of a quiet core
    but include the median slowdown of the samples. ``by_malloc`` is whether a hash's memory comes
    from malloc, not from a heap that reuses it at times.

    Raises:
        InconclusiveError: there are no samples, or the clock saw no time pass.
    """
    if not samples:
        raise InconclusiveError("the budget ran out before a hash was timed; name fewer hashers")
    points, scatter = _points(shape, samples, seconds, page_bytes or 0)
    corrections = [math.log(sample.slowdown) for sample in samples]
    slowdown = statistics.median(corrections)
    lacks_probe = shape.climbs and level is not None and len(level.quiet) < len(sensitivity.slopes)
    curve_error = sensitivity.unknown * abs(slowdown)
    curve_error *= _WITHOUT_MEMORY_PROBE**lacks_probe
    wander = _MEMORY_WANDER * shape.climbs
    level_error = math.hypot(_UNPROBED if level is None else level.error, wander, drift / REACH)
    sampling = MEDIAN_ERROR * scatter / math.sqrt(sum(point.samples for point in points))
    error = math.hypot(level_error, curve_error, sampling)
    # The core may have been shared all the time: the quiet time may be shorter by this much.
    unseen = (1.0 if level is None else level.unseen) * sensitivity.log_slowdown(FULL)
    model = _fitted(shape, [(points, error)], scatter)
    agreeing, apart = _judged(shape, model, earlier, (-REACH * error - unseen, REACH * error))
    factor = math.exp(slowdown) if stays_shared else 1.0
    if stays_shared:  # What a neighbour took unseen is part of the time.
        unseen = 0.0
        curve_error = MEDIAN_ERROR * statistics.pstdev(corrections) / math.sqrt(len(corrections))
    doubt = Doubt.UNSEEN if unseen > REACH * level_error else Doubt.NONE
    if level is None:
        doubt = Doubt.UNWATCHED
    high = REACH * math.hypot(level_error, curve_error)
    low = high + unseen
    if agreeing:
        runs = [(run.points, run.error) for run in agreeing]
        runs.append((points, error + unseen / (2 * REACH)))
        model, doubt = _fitted(shape, runs, scatter), Doubt.NONE
        pooled_error = math.hypot(FIRST, drift / REACH) / math.sqrt(len(runs))
        level_error = math.hypot(max(pooled_error, _LEAST_ERROR), wander)
        low = high = REACH * math.hypot(level_error, curve_error)
    if by_malloc and shape.climbs and _is_mixed(shape, points):
        doubt = Doubt.MIXED_PAGES
    if apart is not None:
        doubt = Doubt.CHANGED
        low, high = max(low, REACH * WANDER - apart), max(high, REACH * WANDER + apart)
    pooled = [point for run in agreeing for point in run.points] + list(points)
    return Estimate(
        fitted=_curves(shape, model, points, pooled, (low, high), scatter).slowed(factor),
        timed=Timed(points=points, error=error),
        earlier_runs=len(agreeing),
        shared_factor=None if level is None else math.exp(slowdown) / factor,
        doubt=doubt,
    )


def _is_mixed(shape: Shape, points: Sequence[Point]) -> bool:
    """Whether a setting that glibc maps afresh each time got page faults only in some hashes."""
    large = [point for point in points if shape.memory_of(point) >= GLIBC_FRESH]
    faulted = {point.params for point in large if point.fresh_bytes}
    return any(point.params in faulted for point in large if not point.fresh_bytes)


def is_fresh(shape: Shape, sample: Sample, page_bytes: int) -> bool:
    """Whether a hash was given most of its memory afresh."""
    memory = shape.memory_bytes(sample.params)
    return shape.climbs and sample.page_faults * page_bytes >= _FRESH * memory


def _points(
    shape: Shape, samples: Sequence[Sample], seconds: Seconds, page_bytes: int
) -> tuple[tuple[Point, ...], float]:
    """The quiet time of each setting, and the scatter of single samples in logarithms.

    A setting that was timed with fresh memory and with reused memory makes two points.
    """
    grouped: dict[tuple[tuple[int, ...], bool], list[Sample]] = {}
    for sample in samples:
        grouped.setdefault((sample.key, is_fresh(shape, sample, page_bytes)), []).append(sample)
    points: list[Point] = []
    misses: list[float] = []
    for (key, fresh), alike in grouped.items():
        quiet = [seconds(sample) / sample.slowdown for sample in alike]
        middle = statistics.median(quiet)
        if middle < 1e-9:  # No clock tells less.
            raise InconclusiveError(
                "the clock of this system is too coarse for this hasher; name another"
            )
        faults = statistics.median_low(sample.page_faults for sample in alike)
        points.append(Point(key, middle, faults * page_bytes * fresh, len(alike)))
        if len(alike) > 1:
            misses += [abs(math.log(max(time, 1e-12) / middle)) for time in quiet]
    own = 1.4826 * statistics.median(misses) if misses else 0.0
    total = _SCATTER_SAMPLES * SCATTER**2 + len(misses) * own**2
    return tuple(points), math.sqrt(total / (_SCATTER_SAMPLES + len(misses)))


def _fitted(shape: Shape, runs: Sequence[tuple[Sequence[Point], float]], scatter: float) -> _Model:
    """Fit the model to the points of several runs, each run with its standard error.

    Errors are relative: every row is divided by its time, and its target is 1. The covariance
    leaves out the errors of whole runs.
    """
    rows: list[list[float]] = []
    point_weights: list[float] = []
    weights: list[float] = []
    for points, error in runs:
        total = sum(point.samples for point in points)
        for point in points:
            rows.append([x / point.seconds for x in shape.row(point)])
            variance = (MEDIAN_ERROR * scatter) ** 2 / point.samples
            point_weights.append(1 / variance)
            weights.append(1 / (variance + error**2 * total / point.samples * (len(runs) > 1)))
    targets = [1.0] * len(rows)
    dropped: set[int] = set()
    if shape.climbs:
        block = statistics.median(1 / row[0] for row in rows)
        # If all memory is fresh, filling it and mapping it are one term.
        if all(point.fresh_bytes for points, _ in runs for point in points):
            dropped.add(2 if len(shape.knobs) > 1 else 3)
        for index, (share, error) in ((1, _GROWTH), (2, _FILLING)):
            prior = [-share / (error * block), 0.0, 0.0, 0.0]
            prior[index] = 1 / (error * block)
            rows.append(prior if any(row[index] for row in rows) else [0.0] * 4)
            targets.append(0.0)
            point_weights.append(1.0)
            weights.append(1.0)
    while True:
        kept = [[0.0 if i in dropped else x for i, x in enumerate(row)] for row in rows]
        for index in dropped & {1, 2} if shape.climbs else ():
            kept[-3 + index] = [0.0] * 4  # A dropped term needs no prior.
        coefficients, _ = least_squares(kept, targets, _robust(kept, targets, weights))
        least = (0.0, 0.0, _LEAST_FILLING * coefficients[0], 0.0)
        left = [at for at in range(len(coefficients)) if at not in dropped]
        negative = [at for at in left if coefficients[at] < least[at]]
        if not negative and coefficients[0] > 0:
            _, covariance = least_squares(kept, targets, point_weights)
            return _Model(coefficients, tuple(map(tuple, covariance)))
        # No term takes less than no time, but the first pass, which reads no earlier block, may
        # take less than the others. The first term carries the time and is never dropped.
        others = [at for at in negative if at] or [at for at in left if at]
        if not others:
            return _Model(coefficients, tuple((0.0,) * len(coefficients) for _ in coefficients))
        dropped.add(min(others, key=coefficients.__getitem__))


def _robust(
    rows: Sequence[Sequence[float]], targets: Sequence[float], weights: Sequence[float]
) -> list[float]:
    """The weights, lowered for rows that lie far off a first fit."""
    coefficients, _ = least_squares(rows, targets, weights)
    misses = [
        abs(target - product(coefficients, row)) * math.sqrt(weight)
        for row, target, weight in zip(rows, targets, weights, strict=True)
    ]
    usual = max(1.0, statistics.median(misses))
    return [w / (1 + (miss / (3 * usual)) ** 2) for w, miss in zip(weights, misses, strict=True)]


def _judged(
    shape: Shape, own: _Model, earlier: Sequence[Timed], interval: tuple[float, float]
) -> tuple[list[Timed], float | None]:
    """Return the earlier runs to pool with this one, or how far off the disagreeing ones lie.

    A run is pooled with the runs that it agrees with if these are two of the last three, or half
    of the last ten. Otherwise its interval is widened to reach the runs that disagree.
    """
    recent = list(earlier[-_WINDOW:])
    if not recent:
        return [], None
    offsets = [_offset(shape, own, run) for run in recent]
    agree = [
        interval[0] - REACH * run.error <= offset <= interval[1] + REACH * run.error
        for run, offset in zip(recent, offsets, strict=True)
    ]
    if sum(agree[-3:]) >= _AGREEING or 2 * sum(agree) >= len(agree):
        return [run for run, is_alike in zip(recent, agree, strict=True) if is_alike], None
    others = [offset for offset, is_alike in zip(offsets, agree, strict=True) if not is_alike]
    return [], statistics.median(others)


def _offset(shape: Shape, own: _Model, run: Timed) -> float:
    """How much longer hashes took in an earlier run, in logarithms: the median of all hashes."""
    prices_fresh = shape.climbs and own.coefficients[3] > 0
    points = [point for point in run.points if prices_fresh or not point.fresh_bytes]
    longest = max((point.seconds for point in points), default=0.0)
    # A hash of microseconds, at the lowest cost, shows only the overhead.
    points = [point for point in points if point.seconds >= _COMPARABLE * longest]
    # The system gives fresh memory at a price that may change by half within a minute.
    reused = [point for point in points if not point.fresh_bytes]
    offsets = [
        math.log(point.seconds / expected)
        for point in reused or points
        if (expected := own.seconds(shape.row(point))) > 0
        for _ in range(point.samples)
    ]
    return statistics.median(offsets) if offsets else 0.0


def _curves(
    shape: Shape,
    model: _Model,
    points: Sequence[Point],
    pooled: Sequence[Point],
    spread: tuple[float, float],
    scatter: float,
) -> Fit:
    """The model as curves, each with its interval."""
    if not shape.climbs:
        knob = shape.knobs[0]
        per_unit, overhead = model.coefficients
        if per_unit <= 0:
            raise InconclusiveError(
                "the budget ran out before a hash was long enough to be timed; name fewer hashers"
            )
        curve = Curve(
            params=shape.lowest,
            knob=knob,
            model=_cost_model(knob, overhead, per_unit),
            memory_bytes=shape.memory_bytes(shape.lowest),
            relative_interval=_relative(
                spread, model.error((1e3 * overhead / per_unit + 1e9, 1.0))
            ),
        )
        return Fit(curves=(curve,))
    surface = _surface(shape, model, points, pooled, scatter)
    return Fit(
        curves=tuple(
            curve_at(surface, shape, {**shape.lowest, shape.knobs[0].name: step}, spread)
            for step in shape.knobs[0].steps
        ),
        surface=surface,
    )


def _surface(
    shape: Shape, model: _Model, points: Sequence[Point], pooled: Sequence[Point], scatter: float
) -> Surface:
    block, growth, filling, fresh = model.coefficients
    # Earlier runs may have had huge pages, and this one none.
    is_told = any(shape.memory_of(point) >= GLIBC_FRESH for point in points)
    sizes = [shape.memory_of(point) for point in pooled]
    return Surface(
        block=block,
        growth=growth,
        filling=filling,
        fresh=fresh,
        fresh_from_bytes=_fresh_from(shape, points if is_told else pooled),
        sampled_bytes=(min(sizes), max(sizes)),
        misses=tuple(_miss(shape, model, point, scatter) for point in pooled),
        error=tuple(itertools.chain.from_iterable(model.covariance)),
    )


def _miss(shape: Shape, model: _Model, point: Point, scatter: float) -> Miss:
    offset = math.log(point.seconds / model.seconds(shape.row(point)))
    error = math.hypot(MEDIAN_ERROR * scatter / math.sqrt(point.samples), _LEAST_ERROR)
    return shape.memory_of(point), offset, 1 / error**2


def _fresh_from(shape: Shape, points: Sequence[Point]) -> int | None:
    """The least memory that every hash is given afresh, in bytes; `None` if none is."""
    sizes = [(shape.memory_of(point), point) for point in points]
    reused = {memory for memory, point in sizes if not point.fresh_bytes}
    # Any allocator gives the first hashes of a size fresh memory.
    fresh = {
        memory
        for memory, point in sizes
        if point.fresh_bytes and (point.samples >= COLD or memory >= GLIBC_FRESH)
    } - reused
    if not fresh:
        return None
    above = min(fresh)
    below = max((memory for memory in reused if memory < above), default=0)
    return GLIBC_FRESH if below < GLIBC_FRESH <= above else below + 1


def curve_at(surface: Surface, shape: Shape, params: Params, spread: tuple[float, float]) -> Curve:
    """The curve of a step of memory; ``spread`` is its interval down and up, in logarithms."""
    memory = shape.memory_bytes(params)
    first = surface.seconds(memory, 1)
    size = math.isqrt(len(surface.error))
    covariance = tuple(surface.error[i * size : (i + 1) * size] for i in range(size))
    fitted = _Model(surface.coefficients, covariance)
    errors = [fitted.error(surface.terms(memory, passes)) for passes in (1, 3)]
    low, high = surface.sampled_bytes
    doublings = max(math.log2(low / memory), math.log2(memory / high), 0.0)
    interval = _relative(spread, math.hypot(max(errors), _MISFIT_BEYOND * doublings))
    if len(shape.knobs) == 1:
        ladder, knob = shape.knobs[0], None
        unit = first / work(ladder.scale, params[ladder.name])
        model = _cost_model(ladder, 0.0, unit)
    else:
        knob = shape.knobs[1]
        further = surface.seconds(memory, 2) - first
        model = _cost_model(knob, first - further, further)
    return Curve(
        params=params, knob=knob, model=model, memory_bytes=memory, relative_interval=interval
    )


def _cost_model(knob: Knob, overhead: float, per_unit: float) -> CostModel:
    return CostModel(
        parameter=knob.name, scale=knob.scale, overhead_seconds=overhead, seconds_per_unit=per_unit
    )


def _relative(spread: tuple[float, float], error: float) -> RelativeInterval:
    """Widen the interval by the model's error at one setting."""
    low, high = spread
    further = REACH * error
    return math.exp(-math.hypot(low, further)), math.exp(math.hypot(high, further))
