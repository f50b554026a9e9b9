"""The curves of a fitted model: the time at each setting, each with its interval. Pure."""

import itertools
import math
from collections.abc import Sequence
from typing import Final

from hashcost.core.errors import InconclusiveError
from hashcost.core.measurement import (
    GLIBC_FRESH,
    CostModel,
    Curve,
    Fit,
    Knob,
    Miss,
    Params,
    Point,
    RelativeInterval,
    Surface,
    work,
)
from hashcost.fit.model import OVERHEAD, WORK, Model, Shape, relative_error
from hashcost.fit.order_statistics import REACH

_MISFIT_BEYOND: Final = 0.025
"""Misfit for each doubling of memory beyond the anchors, in logarithms (`surface`)."""
COLD: Final = 3
"""Most hashes of one size that an allocator gives fresh memory before it reuses any."""

Spread = tuple[float, float]
"""How far an interval reaches down and up, in logarithms."""


def line(shape: Shape, model: Model, spread: Spread) -> Fit:
    """The one curve of a linear hasher.

    Raises:
        InconclusiveError: the time does not grow with the cost.
    """
    knob = shape.knobs[0]
    per_unit = model.coefficients[WORK]
    overhead = model.coefficients[OVERHEAD]
    if per_unit <= 0:
        raise InconclusiveError(
            "the budget ran out before a hash was long enough to be timed; name fewer hashers"
        )
    # The error of a long hash, beside whose work the overhead is nothing.
    long_hash = [0.0, 0.0]
    long_hash[WORK] = 1.0
    error = relative_error(model.coefficients, model.covariance, long_hash)
    curve = Curve(
        params=shape.lowest,
        knob=knob,
        model=_cost_model(knob, overhead, per_unit),
        memory_bytes=shape.memory_bytes(shape.lowest),
        relative_interval=_widened(spread, error),
    )
    return Fit(curves=(curve,))


def surface(shape: Shape, model: Model, points: Sequence[Point], spread: Spread) -> Fit:
    """A curve for each step of memory, all on the surface of a memory-hard hasher.

    ``points`` are the timed settings, this run's and those of earlier runs that agree.
    """
    block, growth, filling, fresh = model.coefficients
    sizes = [shape.memory_of(point) for point in points]
    fresh_from = _fresh_from(shape, points)
    alike = [point for point in points if _is_like_answers(shape, point, fresh_from)]
    fitted = Surface(
        block=block,
        growth=growth,
        filling=filling,
        fresh=fresh,
        fresh_from_bytes=fresh_from,
        sampled_bytes=(min(sizes), max(sizes)),
        misses=tuple(_miss(shape, model, point) for point in alike),
        error=tuple(itertools.chain.from_iterable(model.covariance)),
    )
    ladder = shape.knobs[0]
    steps = [{**shape.lowest, ladder.name: step} for step in ladder.steps]
    curves = tuple(curve_at(fitted, shape, params, spread) for params in steps)
    return Fit(curves=curves, surface=fitted)


def curve_at(surface: Surface, shape: Shape, params: Params, spread: Spread) -> Curve:
    """The curve of a step of memory."""
    memory = shape.memory_bytes(params)
    first = surface.seconds(memory, 1)
    knob = None
    if shape.has_passes:
        # Each further pass takes the same, and the first one what is left.
        knob = shape.knobs[1]
        further = surface.seconds(memory, 2) - first
        model = _cost_model(knob, first - further, further)
    else:
        ladder = shape.knobs[0]
        unit = first / work(ladder.scale, params[ladder.name])
        model = _cost_model(ladder, 0.0, unit)
    return Curve(
        params=params,
        knob=knob,
        model=model,
        memory_bytes=memory,
        relative_interval=_widened(spread, _error_at(surface, memory)),
    )


def _error_at(surface: Surface, memory: int) -> float:
    """The error of the times at this memory that comes from the fit, in logarithms."""
    # A surface stores the covariance row by row.
    size = len(surface.coefficients)
    beginnings = range(0, len(surface.error), size)
    covariance = [surface.error[begin : begin + size] for begin in beginnings]
    errors = []
    # The error hardly depends on the passes: it is the larger of those of few and of several.
    for passes in (1, 3):
        terms = surface.terms(memory, passes)
        errors.append(relative_error(surface.coefficients, covariance, terms))
    least, most = surface.sampled_bytes
    doublings = max(math.log2(least / memory), math.log2(memory / most), 0.0)
    error = math.hypot(max(errors), _MISFIT_BEYOND * doublings)
    # Near the hashes that were timed, they tell the time better than the whole surface.
    return min(error, surface.corrected_error(memory))


def _is_like_answers(shape: Shape, point: Point, fresh_from: int | None) -> bool:
    """Whether a setting was timed as it is answered, in fresh or reused memory as in a server."""
    is_fresh = bool(point.fresh_bytes)
    is_answered_fresh = fresh_from is not None and shape.memory_of(point) >= fresh_from
    return is_fresh == is_answered_fresh and shape.makes_answers(shape.params_of(point))


def _miss(shape: Shape, model: Model, point: Point) -> Miss:
    """How far a timed setting lies off the surface, and the weight of that."""
    offset = math.log(point.seconds / model.seconds(shape.terms(point)))
    variance = model.median_error(point.samples) ** 2
    return shape.memory_of(point), offset, 1 / variance


def _fresh_from(shape: Shape, points: Sequence[Point]) -> int | None:
    """The least memory that every hash is given afresh, in bytes; `None` if none is."""
    fresh = set()
    reused = set()
    for point in points:
        memory = shape.memory_of(point)
        if not point.fresh_bytes:
            reused.add(memory)
        elif point.samples >= COLD or memory >= GLIBC_FRESH:
            # Any allocator gives the first hashes of a size fresh memory.
            fresh.add(memory)
    fresh -= reused
    if not fresh:
        return None
    above = min(fresh)
    below = max((memory for memory in reused if memory < above), default=0)
    # Nothing was timed between the two, but glibc's threshold may lie there.
    if below < GLIBC_FRESH <= above:
        return GLIBC_FRESH
    return below + 1


def _cost_model(knob: Knob, overhead: float, per_unit: float) -> CostModel:
    return CostModel(
        parameter=knob.name, scale=knob.scale, overhead_seconds=overhead, seconds_per_unit=per_unit
    )


def _widened(spread: Spread, error: float) -> RelativeInterval:
    """The interval with the model's error at one setting, as factors of the time."""
    low, high = spread
    # Independent errors add as their squares do.
    further = REACH * error
    low = math.hypot(low, further)
    high = math.hypot(high, further)
    return math.exp(-low), math.exp(high)
