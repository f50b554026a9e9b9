"""The model of one hasher's time, and how it is fitted to timed settings. Pure.

A linear hasher's time is a line: work and overhead. A memory-hard one's is a surface of memory
and passes (`hashcost.core.measurement.Surface`).
"""

import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from hashcost.core.measurement import Knob, Params, Point, Sample, Timed, work
from hashcost.fit.regression import Row, least_squares, product

SCATTER: Final = 0.035
"""Scatter of single corrected samples, in logarithms, until a run has enough of its own
(`probes-*`)."""
_SCATTER_SAMPLES: Final = 4
"""Weight of `SCATTER`, in samples: an anchor has one or two, a run a dozen."""
MEDIAN_ERROR: Final = 1.25
"""Standard error of a median as a multiple of a mean's, for normal errors: the root of pi / 2."""
_TO_DEVIATION: Final = 1.4826
"""Standard deviation over median absolute deviation, for normal errors."""
_FRESH: Final = 0.1
"""Share of its memory that a hash is given afresh, from which on it counts as fresh: what a heap
grows by now and then is less, and a hash given a third takes half as long again as one given none
(argon2id in 31 MiB with one pass: 20 ms beside 14)."""
_GROWTH: Final = (0.07, 0.10)
_FILLING: Final = (0.06, 0.20)
"""Prior of a coefficient as a share of the surface's first one, and its standard error
(`surface`, `everything-1`)."""
_LEAST_FILLING: Final = -0.5
"""Least that the first pass may take beyond the others, as a share of them: it reads one block
where each further pass reads two (RFC 9106, section 3.4)."""
_NEAR_DOUBLINGS: Final = 0.25
"""Doublings of memory within which hashes tell each other's time: half the reach of a correction
(`_NEAR` in ``core/measurement.py``)."""
_FAR: Final = 3.0
"""Misses beyond so many times the usual one lose their weight (Cauchy's weights)."""

Seconds: TypeAlias = Callable[[Sample], float]
"""The time of a sample that counts: CPU time, or wall time for a hash of several threads."""


# The columns of the model of a linear hasher.
WORK, OVERHEAD = range(2)
# The columns of the model of a memory-hard hasher: MiB times passes, that times the logarithm of
# the MiB, MiB of the first pass, and MiB that the system gives afresh.
BLOCK, GROWTH, FILLING, FRESH = range(4)


@dataclass(frozen=True, kw_only=True)
class Shape:
    """The knobs and the memory that a hasher's time depends on."""

    knobs: tuple[Knob, ...]
    lowest: Params
    memory_bytes: Callable[[Params], int]
    page_bytes: int = 0
    """The size of a page of memory; 0 if it is unknown, and then no memory counts as fresh."""

    @property
    def is_memory_hard(self) -> bool:
        """Whether the time is a surface of memory and passes."""
        return self.knobs[0].is_ladder

    @property
    def has_passes(self) -> bool:
        """Whether the number of passes over the memory is a knob."""
        return len(self.knobs) > 1

    def passes(self, params: Params) -> int:
        """The number of passes over the memory."""
        if not self.has_passes:
            return 1
        return params[self.knobs[1].name]

    def makes_answers(self, params: Params) -> bool:
        """Whether a setting takes its time as answers do: they make several passes if they can."""
        return not self.has_passes or self.passes(params) > 1

    def params_of(self, point: Point) -> Params:
        """The params of a point, by name."""
        return dict(zip(self.lowest, point.params, strict=True))

    def memory_of(self, point: Point) -> int:
        """The memory of one hash at a point, in bytes."""
        return self.memory_bytes(self.params_of(point))

    def is_fresh(self, sample: Sample) -> bool:
        """Whether a hash was given a good part of its memory afresh."""
        if not self.is_memory_hard:
            return False
        fresh = sample.page_faults * self.page_bytes
        return fresh >= _FRESH * self.memory_bytes(sample.params)

    def terms(self, point: Point) -> Row:
        """The terms of the model at a point."""
        params = self.params_of(point)
        if not self.is_memory_hard:
            knob = self.knobs[0]
            return work(knob.scale, params[knob.name]), 1.0
        memory = self.memory_bytes(params) / 2**20
        worked = memory * self.passes(params)
        # If a block took the same time in any memory, `surface` would be missed by up to 13 %.
        growth = worked * math.log2(memory)
        # With one pass, filling the memory is all there is: the first term holds it.
        filling = 0.0
        if self.has_passes:
            filling = memory
        fresh = point.fresh_bytes / 2**20
        return worked, growth, filling, fresh


@dataclass(frozen=True)
class Model:
    """Coefficients, with their covariance as a share of the time squared."""

    coefficients: tuple[float, ...]
    covariance: tuple[tuple[float, ...], ...]
    scatter: float
    """The scatter of single samples of one setting, in logarithms."""
    misfit: float
    """The scatter of single samples around the model, in logarithms."""

    def seconds(self, terms: Row) -> float:
        """The time of one hash with these terms."""
        return product(self.coefficients, terms)

    def median_error(self, samples: int) -> float:
        """The standard error of the median of so many samples of one setting."""
        return MEDIAN_ERROR * self.scatter / math.sqrt(samples)


def relative_error(coefficients: Row, covariance: Sequence[Row], terms: Row) -> float:
    """The relative standard error of the time of one hash with these terms.

    ``covariance`` is that of the coefficients, as a share of the time squared.
    """
    seconds = product(coefficients, terms)
    scaled = [term / seconds for term in terms]
    # The variance of a linear form: x' C x.
    variance = product(scaled, [product(row, scaled) for row in covariance])
    # Rounding may leave less than nothing of a tiny one.
    return math.sqrt(max(variance, 0.0))


def is_near(memory_bytes: int, other_bytes: int) -> bool:
    """Whether a hash in this much memory tells how long one in that much takes."""
    return abs(math.log2(memory_bytes / other_bytes)) <= _NEAR_DOUBLINGS


def fit(shape: Shape, runs: Sequence[Timed], repeats: Sequence[float]) -> Model:
    """Fit the model to the points of one or several runs.

    ``repeats`` are the misses of samples from the median of their setting. They tell the scatter
    of single samples; where most settings were timed once, so does what the model leaves.
    """
    scatter = _pooled_scatter(repeats)
    model = _fitted(shape, runs, scatter)
    if not shape.is_memory_hard:
        return model
    misses = _misses_of(shape, runs, model)
    # Each run has a level of its own, and no prior tells the two terms of block and fresh memory.
    free = max(len(misses) - len(runs) - 1, 0)
    if not free:
        return model
    # Both kinds of misses tell the variance around the model, each weighed by its number.
    samples = _SCATTER_SAMPLES + len(repeats)
    squares = [miss**2 for miss in misses]
    variance = (samples * scatter**2 + math.fsum(squares)) / (samples + free)
    misfit = math.sqrt(variance)
    return replace(_fitted(shape, runs, misfit), scatter=scatter)


def _pooled_scatter(repeats: Sequence[float]) -> float:
    """The scatter of single samples, by their own misses and by the recorded one."""
    if not repeats:
        return SCATTER
    # The median absolute deviation hardly sees a hash that was interrupted.
    own = _TO_DEVIATION * statistics.median(map(abs, repeats))
    squares = _SCATTER_SAMPLES * SCATTER**2 + len(repeats) * own**2
    samples = _SCATTER_SAMPLES + len(repeats)
    return math.sqrt(squares / samples)


def _misses_of(shape: Shape, runs: Sequence[Timed], model: Model) -> list[float]:
    """How far the points lie off the model, as if each was a single sample."""
    misses = []
    for run in runs:
        for point in run.points:
            expected = model.seconds(shape.terms(point))
            if expected > 0:
                miss = math.log(point.seconds / expected)
                # A point is a median, which scatters less than its samples.
                misses.append(miss * math.sqrt(point.samples) / MEDIAN_ERROR)
    return misses


def _fitted(shape: Shape, runs: Sequence[Timed], scatter: float) -> Model:
    """Fit the coefficients; a term that would take less than no time is dropped.

    Errors are relative: every row is divided by its time, and its target is 1. The covariance
    leaves out the errors of whole runs.
    """
    rows, weights, point_weights = _rows(shape, runs, scatter)
    dropped = _without_a_row(shape, runs)
    while True:
        priors = []
        if shape.is_memory_hard:
            priors = _priors(rows, dropped)
        # A prior row is divided by its error, so its weight is 1.
        prior_weights = [1.0] * len(priors)
        equations = [_without(row, dropped) for row in rows] + priors
        targets = [1.0] * len(rows) + [0.0] * len(priors)
        robust = _robust(equations, targets, weights + prior_weights)
        coefficients, _ = least_squares(equations, targets, robust)
        spare = _spare(coefficients, dropped)
        if not spare:
            within_runs = point_weights + prior_weights
            _, covariance = least_squares(equations, targets, within_runs)
            return Model(coefficients, tuple(map(tuple, covariance)), scatter, scatter)
        dropped.add(min(spare, key=coefficients.__getitem__))


def _rows(
    shape: Shape, runs: Sequence[Timed], scatter: float
) -> tuple[list[list[float]], list[float], list[float]]:
    """A row for each point, its weight among all runs, and its weight within its run."""
    rows = []
    weights = []
    point_weights = []
    for run in runs:
        samples = sum(point.samples for point in run.points)
        for point in run.points:
            rows.append([term / point.seconds for term in shape.terms(point)])
            variance = (MEDIAN_ERROR * scatter) ** 2 / point.samples
            point_weights.append(1 / variance)
            # A run's shared error counts once, so each point carries its share of the samples. One
            # run moves as a whole, whatever its error.
            if len(runs) > 1:
                variance += run.error**2 * samples / point.samples
            weights.append(1 / variance)
    return rows, weights, point_weights


def _without_a_row(shape: Shape, runs: Sequence[Timed]) -> set[int]:
    """The columns that these points cannot tell from another one."""
    points = [point for run in runs for point in run.points]
    if not shape.is_memory_hard or not all(point.fresh_bytes for point in points):
        return set()
    # If all memory is fresh, filling it and mapping it are one term.
    if shape.has_passes:
        return {FILLING}
    return {FRESH}


def _priors(rows: Sequence[Sequence[float]], dropped: set[int]) -> list[list[float]]:
    """Further rows: the recorded share of the terms that a few anchors hardly tell."""
    # A row is divided by its time, so this is the time of a MiB of one pass.
    block = statistics.median(1 / row[BLOCK] for row in rows)
    priors = []
    for column, (share, error) in ((GROWTH, _GROWTH), (FILLING, _FILLING)):
        has_term = any(row[column] for row in rows)
        if column in dropped or not has_term:
            continue
        # The coefficient less its share of the first one is 0, within the error.
        weight = 1 / (error * block)
        prior = [-share / (error * block), 0.0, 0.0, 0.0]
        prior[column] = weight
        priors.append(prior)
    return priors


def _without(row: Sequence[float], dropped: set[int]) -> list[float]:
    """The row without the terms of these columns."""
    kept = [*row]
    for column in dropped:
        kept[column] = 0.0
    return kept


def _spare(coefficients: Sequence[float], dropped: set[int]) -> list[int]:
    """The columns of which one must be dropped, so that no hash takes less than no time.

    The first term carries the time and is never dropped.
    """
    kept = [column for column in range(1, len(coefficients)) if column not in dropped]
    negative = []
    for column in kept:
        least = 0.0
        # The first pass, which reads no earlier block, may take less than the others.
        if column == FILLING:
            least = _LEAST_FILLING * coefficients[BLOCK]
        if coefficients[column] < least:
            negative.append(column)
    if not negative and coefficients[BLOCK] <= 0:
        return kept
    return negative


def _robust(
    rows: Sequence[Row], targets: Sequence[float], weights: Sequence[float]
) -> list[float]:
    """The weights, lowered for rows that lie far off a first fit."""
    coefficients, _ = least_squares(rows, targets, weights)
    misses = []
    for row, target, weight in zip(rows, targets, weights, strict=True):
        miss = abs(target - product(coefficients, row))
        # In standard errors of the row.
        misses.append(miss * math.sqrt(weight))
    usual = max(1.0, statistics.median(misses))
    lowered = []
    for weight, miss in zip(weights, misses, strict=True):
        far = miss / (_FAR * usual)
        lowered.append(weight / (1 + far**2))
    return lowered
