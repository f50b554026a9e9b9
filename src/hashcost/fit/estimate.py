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
6. Where nothing tells the level, the core may have been shared throughout, and where a hash runs
   in several threads, they may have waited for a CPU: the interval reaches down by what that would
   have cost.
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
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from msgspec.structs import replace

from hashcost.core.errors import InconclusiveError
from hashcost.core.measurement import GLIBC_FRESH, Doubt, Fit, Point, Sample, Timed
from hashcost.fit import curves
from hashcost.fit.level import WANDER, WINDOW, Level
from hashcost.fit.model import MEDIAN_ERROR, Model, Seconds, Shape, fit, is_near
from hashcost.fit.order_statistics import REACH
from hashcost.fit.slowdown import FULL, Sensitivity

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
    # The error of a run that is fitted without others plays no part.
    model = fit(shape, [Timed(points=points, error=0.0)], repeats)
    slowdowns = [math.log(sample.slowdown) for sample in samples]
    usual_slowdown = math.exp(statistics.median(slowdowns))
    errors = _errors(shape, slowdowns, model, level, sensitivity, drift)
    own = Timed(points=points, error=errors.total)
    agreeing, apart = _compared(shape, own, model, errors.unseen, earlier)
    # A run that saw no quiet core says less beside those that did.
    timed = replace(own, error=errors.total + errors.unseen / (2 * REACH))
    factor = 1.0
    if stays_shared:
        # What a neighbour took is part of the time, seen or not.
        factor = usual_slowdown
        errors = _still_shared(errors, slowdowns)
    if agreeing:
        runs = [*agreeing, timed]
        model = fit(shape, runs, repeats)
        spread = _spread_of_pool(shape, errors, runs)
    else:
        spread = _spread_of_run(errors, apart)
    if shape.is_memory_hard:
        pooled = [point for run in agreeing for point in run.points]
        fitted = curves.surface(shape, model, [*pooled, *points], spread)
    else:
        fitted = curves.line(shape, model, spread)
    shared_factor = None
    if level is not None:
        shared_factor = usual_slowdown / factor
    # The doubt that widens the interval most is named.
    doubt = Doubt.NONE
    if apart is not None:
        doubt = Doubt.CHANGED
    elif by_malloc and _has_mixed(shape, points):
        doubt = Doubt.MIXED_PAGES
    elif not agreeing:
        doubt = _doubt_of_level(level, errors)
    return Estimate(
        fitted=fitted.slowed(factor),
        timed=timed,
        earlier_runs=len(agreeing),
        shared_factor=shared_factor,
        doubt=doubt,
    )


def _quiet_points(
    shape: Shape, samples: Sequence[Sample], seconds: Seconds
) -> tuple[tuple[Point, ...], list[float]]:
    """The quiet time of each setting, and how far its samples lie off it, in logarithms.

    A setting that was timed with fresh memory and with reused memory makes two points.
    """
    grouped: defaultdict[tuple[tuple[int, ...], bool], list[Sample]] = defaultdict(list)
    for sample in samples:
        grouped[sample.key, shape.is_fresh(sample)].append(sample)
    points = []
    misses = []
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
            faults = statistics.median(sample.page_faults for sample in alike)
            fresh_bytes = round(faults * shape.page_bytes)
        points.append(Point(key, middle, fresh_bytes, len(alike)))
        # Memory that a hash reuses later is fresh once: such hashes scatter more than answers do.
        is_cold = is_fresh and shape.memory_bytes(alike[0].params) < GLIBC_FRESH
        # So do short hashes.
        is_short = middle < _COMPARABLE * longest
        if len(alike) > 1 and not is_cold and not is_short:
            # A coarse clock may count no time at all.
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
    probes_error = _UNPROBED
    # Without a level, a neighbour may have been there all the time.
    unseen = sensitivity.log_slowdown(FULL)
    if level is not None:
        probes_error = level.error
        if not level.may_be_shared:
            unseen = level.waited
    wander = 0.0
    # The curve errs by a share of what it corrects.
    curve = sensitivity.unknown * abs(statistics.median(slowdowns))
    if shape.is_memory_hard:
        wander = _MEMORY_WANDER
        if level is not None and len(level.quiet) < len(sensitivity.slopes):
            curve *= _WITHOUT_MEMORY_PROBE
    # 95 % of fresh processes lie within the drift: that is so many standard errors.
    drift_error = drift / REACH
    return _Errors(
        level=math.hypot(probes_error, wander, drift_error),
        curve=curve,
        sampling=model.median_error(len(slowdowns)),
        unseen=unseen,
    )


def _still_shared(errors: _Errors, slowdowns: Sequence[float]) -> _Errors:
    """The errors of times that include the median slowdown, which is seen and not corrected."""
    # The standard error of a median.
    deviation = MEDIAN_ERROR * statistics.pstdev(slowdowns)
    curve = deviation / math.sqrt(len(slowdowns))
    return _Errors(level=errors.level, curve=curve, sampling=errors.sampling, unseen=0.0)


def _spread_of_run(errors: _Errors, apart: float | None) -> curves.Spread:
    """How far the times of a run reach by its own errors, and to earlier runs that disagree.

    The model's error at each setting comes on top.
    """
    high = REACH * math.hypot(errors.level, errors.curve)
    low = high + errors.unseen
    if apart is not None:
        low = max(low, REACH * WANDER - apart)
        high = max(high, REACH * WANDER + apart)
    return low, high


def _spread_of_pool(shape: Shape, errors: _Errors, runs: Sequence[Timed]) -> curves.Spread:
    """How far the times of pooled runs reach; the clock wanders however many there are."""
    # The standard error of a mean with inverse variances as weights.
    weights = [run.error**-2 for run in runs]
    level = 1 / math.sqrt(math.fsum(weights))
    wander = 0.0
    if shape.is_memory_hard:
        wander = _MEMORY_WANDER
    reach = REACH * math.hypot(max(level, WANDER), wander, errors.curve)
    return reach, reach


def _compared(
    shape: Shape, own: Timed, model: Model, unseen: float, earlier: Sequence[Timed]
) -> tuple[list[Timed], float | None]:
    """Find the earlier runs to pool, with the times that this run can judge.

    They are pooled if two of the latest three agree, or half of the last ten. If they are not,
    return how much longer hashes took in those that disagree, in logarithms. Only runs count with
    which this one has something in common.
    """
    verdicts = []
    agreeing = []
    offsets = []
    common = [replace(run, points=_shared_points(shape, own, run)) for run in earlier]
    comparable = [run for run in common if run.points]
    for run in comparable[-WINDOW:]:
        offset, samples = _offset(shape, model, run.points)
        # Two runs agree if their intervals meet, each with the error of the hashes compared.
        compared = MEDIAN_ERROR * model.misfit / math.sqrt(samples)
        own_error = math.hypot(own.error, compared)
        run_error = math.hypot(run.error, compared)
        reach = REACH * (own_error + run_error)
        # What this run could not see only makes it slower than earlier ones.
        agrees = -reach - unseen <= offset <= reach
        verdicts.append(agrees)
        if agrees:
            agreeing.append(run)
        else:
            offsets.append(offset)
    latest = verdicts[-_LATEST:].count(True)
    if not offsets or latest >= _AGREEING or len(agreeing) >= len(offsets):
        return agreeing, None
    return [], statistics.median(offsets)


def _shared_points(shape: Shape, own: Timed, run: Timed) -> tuple[Point, ...]:
    """The times of an earlier run that this run can judge.

    A line holds at any cost. A surface is trusted only near memory that this run timed, and given
    as fresh memory or as reused memory alike.
    """
    if not shape.is_memory_hard:
        return run.points
    return tuple(point for point in run.points if _is_timed_near(shape, point, own.points))


def _is_timed_near(shape: Shape, point: Point, points: Sequence[Point]) -> bool:
    """Whether one of the points has nearly as much memory, fresh or reused alike."""
    memory = shape.memory_of(point)
    for other in points:
        is_alike = bool(other.fresh_bytes) == bool(point.fresh_bytes)
        if is_alike and is_near(memory, shape.memory_of(other)):
            return True
    return False


def _offset(shape: Shape, model: Model, points: Sequence[Point]) -> tuple[float, int]:
    """How much longer hashes took in an earlier run, and the number of hashes compared.

    The system gives fresh memory at a price that may change by half within a minute, and often
    only a single short hash reuses its memory. So a machine has changed only if the hashes that
    reuse memory and all hashes both say so.
    """
    by_all = _median_offset(shape, model, points)
    reused = [point for point in points if not point.fresh_bytes]
    if not reused:
        return by_all
    by_reused = _median_offset(shape, model, reused)
    if by_all[0] * by_reused[0] < 0:
        return 0.0, by_all[1]
    return min(by_all, by_reused, key=lambda offset: abs(offset[0]))


def _median_offset(shape: Shape, model: Model, points: Sequence[Point]) -> tuple[float, int]:
    """How much longer than in this run the median hash took, and of how many hashes."""
    longest = max(point.seconds for point in points)
    offsets = []
    for point in points:
        expected = model.seconds(shape.terms(point))
        if point.seconds >= _COMPARABLE * longest and expected > 0:
            offset = math.log(point.seconds / expected)
            offsets += [offset] * point.samples
    # Without a hash to compare, nothing tells that the machine has changed.
    if not offsets:
        return 0.0, 1
    return statistics.median(offsets), len(offsets)


def _has_mixed(shape: Shape, points: Sequence[Point]) -> bool:
    """Whether a setting that glibc maps afresh each time got page faults only in some hashes."""
    fresh = set()
    reused = set()
    for point in points:
        if shape.memory_of(point) < GLIBC_FRESH:
            continue
        if point.fresh_bytes:
            fresh.add(point.params)
        else:
            reused.add(point.params)
    return not fresh.isdisjoint(reused)


def _doubt_of_level(level: Level | None, errors: _Errors) -> Doubt:
    """The doubt of a run that knows its own level only."""
    if level is None:
        return Doubt.UNWATCHED
    # Smaller than the level's own error, it widens the interval little.
    if errors.unseen <= REACH * errors.level:
        return Doubt.NONE
    if level.waited:
        return Doubt.WAITED
    return Doubt.UNSEEN
