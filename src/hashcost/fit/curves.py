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
from hashcost.fit.model import OVERHEAD, WORK, Model, Shape
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
    per_unit, overhead = model.coefficients[WORK], model.coefficients[OVERHEAD]
    if per_unit <= 0:
        raise InconclusiveError(
            "the budget ran out before a hash was long enough to be timed; name fewer hashers"
        )
    # The error of a long hash, beside whose work the overhead is nothing.
    long_hash = [0.0, 0.0]
    long_hash[WORK] = 1.0
    curve = Curve(
        params=shape.lowest,
        knob=knob,
        model=_cost_model(knob, overhead, per_unit),
        memory_bytes=shape.memory_bytes(shape.lowest),
        relative_interval=_widened(spread, model.error(long_hash)),
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
    model = _model_of(surface)
    # The error hardly depends on the passes: it is the larger of those of few and of several.
    errors = [model.error(surface.terms(memory, passes)) for passes in (1, 3)]
    low, high = surface.sampled_bytes
    doublings = max(math.log2(low / memory), math.log2(memory / high), 0.0)
    error = math.hypot(max(errors), _MISFIT_BEYOND * doublings)
    # Near the hashes that were timed, they tell the time better than the whole surface.
    error = min(error, surface.corrected_error(memory))
    first = surface.seconds(memory, 1)
    if shape.has_passes:
        knob = shape.knobs[1]
        further = surface.seconds(memory, 2) - first
        model_of_passes = _cost_model(knob, first - further, further)
        return _curve(params, knob, model_of_passes, memory, _widened(spread, error))
    ladder = shape.knobs[0]
    unit = first / work(ladder.scale, params[ladder.name])
    return _curve(params, None, _cost_model(ladder, 0.0, unit), memory, _widened(spread, error))


def _curve(
    params: Params, knob: Knob | None, model: CostModel, memory: int, interval: RelativeInterval
) -> Curve:
    return Curve(
        params=params, knob=knob, model=model, memory_bytes=memory, relative_interval=interval
    )


def _model_of(surface: Surface) -> Model:
    """The model that a stored surface was made of."""
    size = math.isqrt(len(surface.error))
    rows = [surface.error[row * size : (row + 1) * size] for row in range(size)]
    return Model(surface.coefficients, tuple(rows), 0.0, 0.0)


def _is_like_answers(shape: Shape, point: Point, fresh_from: int | None) -> bool:
    """Whether a setting was timed as it is answered, in fresh or reused memory as in a server."""
    is_fresh = fresh_from is not None and shape.memory_of(point) >= fresh_from
    return is_fresh == bool(point.fresh_bytes) and shape.makes_answers(shape.params_of(point))


def _miss(shape: Shape, model: Model, point: Point) -> Miss:
    """How far a timed setting lies off the surface, and the weight of that."""
    offset = math.log(point.seconds / model.seconds(shape.terms(point)))
    return shape.memory_of(point), offset, 1 / model.median_error(point.samples) ** 2


def _fresh_from(shape: Shape, points: Sequence[Point]) -> int | None:
    """The least memory that every hash is given afresh, in bytes; `None` if none is."""
    fresh: set[int] = set()
    reused: set[int] = set()
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
    further = REACH * error
    return math.exp(-math.hypot(low, further)), math.exp(math.hypot(high, further))
