"""Estimate how long one hash takes on a quiet core, with an interval. Pure.

The whole estimate in ten sentences:

1. Every hash was timed between two readings of the core, which tell how much a neighbour slowed
   it; its time divided by that slowdown is its quiet time.
2. The quiet times of one setting make a *quiet point*, their median.
3. A model is *fitted* to the points: a line for a linear hasher, a surface for a memory-hard one.
4. What the points leave of the model tells the scatter of single hashes, and with the number of
   hashes the error of the model at each setting.
5. Further errors are shared by all times of a run: that of the level (what the probes take on a
   quiet core), that of the curve by which the slowdown was told, and, in memory, the wander that
   no probe shows.
6. Where nothing tells the level, the core may have been shared throughout, and the interval
   reaches down by what that would have cost.
7. Earlier runs are compared only by what both runs can tell: a linear hasher's times, or the
   times near memory that both runs timed.
8. If most of the latest earlier runs agree with this one, they are *pooled* with it: the model is
   fitted to the points of all, and the shared error falls.
9. If they do not, the interval is *widened* to reach them, and the third run that agrees with
   itself is believed.
10. The interval holds all these errors with 95 % confidence, and one doubt, if any, is named.
"""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from hashcost.core.errors import InconclusiveError
from hashcost.core.measurement import GLIBC_FRESH, Doubt, Fit, Point, Sample, Timed
from hashcost.fit import curves
from hashcost.fit.level import WANDER, Level
from hashcost.fit.model import FRESH, MEDIAN_ERROR, Model, Seconds, Shape, Timing, fit, is_near
from hashcost.fit.order_statistics import REACH
from hashcost.fit.slowdown import FULL, Sensitivity

_WINDOW: Final = 10
"""Earlier runs that a run is compared with."""
_LATEST: Final = 3
_AGREEING: Final = 2
"""Number of the latest earlier runs that must agree with a run for it to be pooled: the third run
after a change is believed, and one odd run changes nothing."""
_COMPARABLE: Final = 0.3
"""Share of the longest hash of a run below which hashes do not compare it with other runs: one of
microseconds, at the lowest cost, shows only the overhead."""
_WITHOUT_MEMORY_PROBE: Final = 3.0
"""Factor on a curve's error for a memory-hard hasher without the memory probe (`probes-cpu`)."""
_MEMORY_WANDER: Final = 0.025
"""Error of all hashes of a memory-hard hasher however many runs are pooled, in logarithms: memory
gets slower for minutes, and no probe shows it (`everything-1` 0.034, others 0.013 to 0.019)."""
_UNPROBED: Final = 0.10
"""Error of the level without any probe, in logarithms."""


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


@dataclass(frozen=True, kw_only=True)
class _Errors:
    """The standard errors that all times of a run share, in logarithms."""

    level: float
    curve: float
    sampling: float
    unseen: float
    """How much shorter the quiet time may be if the core was shared throughout; not an error that
    falls with the number of runs."""

    @property
    def total(self) -> float:
        """The error of a time of this run, but for what was not seen."""
        return math.hypot(self.level, self.curve, self.sampling)


@dataclass(frozen=True, kw_only=True)
class _Past:
    """The verdict of the earlier runs on this one."""

    agreeing: tuple[Timing, ...] = ()
    """The runs to pool, with the times that this run can judge."""
    apart: float | None = None
    """How much longer hashes took in the runs that disagree, in logarithms."""


def estimate(
    shape: Shape,
    samples: Sequence[Sample],
    *,
    seconds: Seconds,
    level: Level | None,
    sensitivity: Sensitivity,
    drift: float = 0.0,
    earlier: Sequence[Timed] = (),
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
    points, repeats = _quiet_points(shape, samples, seconds)
    model = fit(shape, [Timing(points, 0.0)], repeats)
    slowdowns = [math.log(sample.slowdown) for sample in samples]
    errors = _errors(shape, slowdowns, model, level, sensitivity, drift)
    timed = Timed(points=points, error=errors.total)
    past = _compared(shape, timed, model, errors.unseen, earlier)
    factor = 1.0
    if stays_shared:
        # What a neighbour took is part of the time, seen or not.
        factor = math.exp(statistics.median(slowdowns))
        errors = _still_shared(errors, slowdowns)
    low, high = _spread(errors)
    if past.agreeing:
        # A run that saw no quiet core says less beside those that did.
        own_error = errors.total + errors.unseen / (2 * REACH)
        runs = [*past.agreeing, Timing(points, own_error)]
        model = fit(shape, runs, repeats)
        low, high = _pooled_spread(shape, errors, runs)
    if past.apart is not None:
        low = max(low, REACH * WANDER - past.apart)
        high = max(high, REACH * WANDER + past.apart)
    if shape.is_memory_hard:
        pooled = [point for run in past.agreeing for point in run.points]
        fitted = curves.surface(shape, model, [*pooled, *points], (low, high))
    else:
        fitted = curves.line(shape, model, (low, high))
    shared_factor = None
    if level is not None:
        shared_factor = math.exp(statistics.median(slowdowns)) / factor
    return Estimate(
        fitted=fitted.slowed(factor),
        timed=timed,
        earlier_runs=len(past.agreeing),
        shared_factor=shared_factor,
        doubt=_doubt(level, errors, past, has_mixed=by_malloc and _has_mixed(shape, points)),
    )


def _quiet_points(
    shape: Shape, samples: Sequence[Sample], seconds: Seconds
) -> tuple[tuple[Point, ...], list[float]]:
    """The quiet time of each setting, and how far its samples lie off it, in logarithms.

    A setting that was timed with fresh memory and with reused memory makes two points.
    """
    grouped: dict[tuple[tuple[int, ...], bool], list[Sample]] = {}
    for sample in samples:
        grouped.setdefault((sample.key, shape.is_fresh(sample)), []).append(sample)
    points: list[Point] = []
    misses: list[float] = []
    longest = max(map(seconds, samples))
    for (key, is_fresh), alike in grouped.items():
        quiet = [seconds(sample) / sample.slowdown for sample in alike]
        middle = statistics.median(quiet)
        if middle < 1e-9:  # No clock tells less.
            raise InconclusiveError(
                "the clock of this system is too coarse for this hasher; name another"
            )
        fresh_bytes = 0
        if is_fresh:
            faults = statistics.median_low(sample.page_faults for sample in alike)
            fresh_bytes = faults * shape.page_bytes
        points.append(Point(key, middle, fresh_bytes, len(alike)))
        # Fresh memory and short hashes scatter more than the answers do.
        if len(alike) > 1 and not is_fresh and middle >= _COMPARABLE * longest:
            misses += [math.log(max(time, 1e-12) / middle) for time in quiet]
    return tuple(points), misses


def _errors(
    shape: Shape,
    slowdowns: Sequence[float],
    model: Model,
    level: Level | None,
    sensitivity: Sensitivity,
    drift: float,
) -> _Errors:
    """The errors that the times of this run share, without any earlier run."""
    probes_error, unseen = _UNPROBED, sensitivity.log_slowdown(FULL)
    if level is not None:
        probes_error = level.error
        if not level.may_be_shared:
            unseen = 0.0
    wander = 0.0
    curve = sensitivity.unknown * abs(statistics.median(slowdowns))
    if shape.is_memory_hard:
        wander = _MEMORY_WANDER
        if level is not None and len(level.quiet) < len(sensitivity.slopes):
            curve *= _WITHOUT_MEMORY_PROBE
    return _Errors(
        level=math.hypot(probes_error, wander, drift / REACH),
        curve=curve,
        sampling=model.median_error(len(slowdowns)),
        unseen=unseen,
    )


def _still_shared(errors: _Errors, slowdowns: Sequence[float]) -> _Errors:
    """The errors of times that include the median slowdown, which is seen and not corrected."""
    curve = MEDIAN_ERROR * statistics.pstdev(slowdowns) / math.sqrt(len(slowdowns))
    return _Errors(level=errors.level, curve=curve, sampling=errors.sampling, unseen=0.0)


def _spread(errors: _Errors) -> curves.Spread:
    """How far the interval reaches by the shared errors; the model's own error comes on top."""
    reach = REACH * math.hypot(errors.level, errors.curve)
    return reach + errors.unseen, reach


def _pooled_spread(shape: Shape, errors: _Errors, runs: Sequence[Timing]) -> curves.Spread:
    """The spread of pooled runs, each weighed by its error; the clock wanders however many."""
    level = 1 / math.sqrt(math.fsum(1 / run.error**2 for run in runs))
    wander = 0.0
    if shape.is_memory_hard:
        wander = _MEMORY_WANDER
    reach = REACH * math.hypot(max(level, WANDER), wander, errors.curve)
    return reach, reach


def _compared(
    shape: Shape, own: Timed, model: Model, unseen: float, earlier: Sequence[Timed]
) -> _Past:
    """Find the earlier runs to pool, or how far off those are that disagree.

    They are pooled if two of the latest three agree, or half of the last ten. Only runs count
    with which this one has something in common.
    """
    verdicts: list[bool] = []
    agreeing: list[Timing] = []
    offsets: list[float] = []
    common = [(run, _shared_points(shape, own.points, run)) for run in earlier]
    comparable = [(run, shared) for run, shared in common if shared]
    for run, shared in comparable[-_WINDOW:]:
        offset, samples = _offset(shape, model, shared)
        # Two runs agree if their intervals meet, each with the error of the hashes compared.
        compared = MEDIAN_ERROR * model.misfit / math.sqrt(samples)
        reach = REACH * (math.hypot(own.error, compared) + math.hypot(run.error, compared))
        agrees = -reach - unseen <= offset <= reach
        verdicts.append(agrees)
        if agrees:
            agreeing.append(Timing(shared, run.error))
        else:
            offsets.append(offset)
    if not offsets or verdicts[-_LATEST:].count(True) >= _AGREEING:
        return _Past(agreeing=tuple(agreeing))
    if len(agreeing) >= len(offsets):
        return _Past(agreeing=tuple(agreeing))
    return _Past(apart=statistics.median(offsets))


def _shared_points(shape: Shape, own: Sequence[Point], run: Timed) -> tuple[Point, ...]:
    """The times of an earlier run that this run can judge.

    A line holds at any cost. A surface is trusted only near memory that this run timed, and given
    as fresh memory or as reused memory alike.
    """
    if not shape.is_memory_hard:
        return run.points
    timed = {(shape.memory_of(point), bool(point.fresh_bytes)) for point in own}
    shared: list[Point] = []
    for point in run.points:
        memory, is_fresh = shape.memory_of(point), bool(point.fresh_bytes)
        if any(is_near(memory, own_memory) for own_memory, fresh in timed if fresh == is_fresh):
            shared.append(point)
    return tuple(shared)


def _offset(shape: Shape, model: Model, points: Sequence[Point]) -> tuple[float, int]:
    """How much longer hashes took in an earlier run, and by how many hashes: the median of all."""
    # The system gives fresh memory at a price that may change by half within a minute.
    reused = [point for point in points if not point.fresh_bytes]
    compared = reused or [*points]
    if not reused and not model.coefficients[FRESH] > 0:
        compared = []
    longest = max((point.seconds for point in compared), default=0.0)
    offsets: list[float] = []
    for point in compared:
        expected = model.seconds(shape.terms(point))
        if point.seconds >= _COMPARABLE * longest and expected > 0:
            offsets += [math.log(point.seconds / expected)] * point.samples
    if not offsets:
        return 0.0, 1
    return statistics.median(offsets), len(offsets)


def _has_mixed(shape: Shape, points: Sequence[Point]) -> bool:
    """Whether a setting that glibc maps afresh each time got page faults only in some hashes."""
    large = [point for point in points if shape.memory_of(point) >= GLIBC_FRESH]
    faulted = {point.params for point in large if point.fresh_bytes}
    return any(point.params in faulted for point in large if not point.fresh_bytes)


def _doubt(level: Level | None, errors: _Errors, past: _Past, *, has_mixed: bool) -> Doubt:
    """Decide which doubt is named, if any: the one that widens the interval most comes first."""
    if past.apart is not None:
        return Doubt.CHANGED
    if has_mixed:
        return Doubt.MIXED_PAGES
    if past.agreeing:
        return Doubt.NONE
    if level is None:
        return Doubt.UNWATCHED
    if errors.unseen > REACH * errors.level:
        return Doubt.UNSEEN
    return Doubt.NONE
