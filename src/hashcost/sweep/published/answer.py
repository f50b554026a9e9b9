"""Fits a published table and solves it for a target. Pure."""

import math
import statistics
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

import msgspec

from hashcost.core.cost_expressions import HIGHEST_LOG2
from hashcost.core.errors import InconclusiveError, UnreachableError
from hashcost.core.machine import Tool
from hashcost.core.measurement import CostModel, Curve, Fit, Knob, Scale, work
from hashcost.core.profile import Rounding
from hashcost.core.units import format_duration, format_percent
from hashcost.fit.order_statistics import CONFIDENCE
from hashcost.fit.regression import Line, Point, fit_line, prediction_error, student_quantile
from hashcost.fit.solver import solve
from hashcost.sweep.published.table import Measured

ANSWER_SCHEMA_VERSION: Final = 1
FEWEST_POINTS: Final = 3
_TYPICAL, _WORST = 0.10, 0.25
"""Residuals beyond these, for half of the points or for one, are no answer: noise of a
few per cent, such as a turbo clock's, widens the range instead."""
_DOUBTFUL, _BETTER = 0.05, 3.0
"""Half of the points so far off are of another shape where that has residuals so many
times smaller."""


class Fitted(msgspec.Struct, frozen=True, kw_only=True):
    """A cost of the table beside the fit; times in seconds."""

    cost: int
    seconds: float
    fitted_seconds: float | None = None
    residual: float | None = None


class Unanswered(msgspec.Struct, frozen=True, kw_only=True):
    """Why a table answers nothing of one hasher."""

    hasher: str | None
    code: str
    error: str


class TableAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The cost that a table answers a target with; times in seconds."""

    schema: int
    tool: Tool
    hasher: str | None
    parameter: str
    scale: Scale
    target_seconds: float
    rounding: Rounding
    cost: int
    time_seconds: float
    cost_interval: tuple[int, int] | None = None
    """Costs that the target may stand for, with this ``confidence``; none on a ladder."""
    confidence: float
    error_fraction: float | None = None
    """How far a time at the target may lie off the fit."""
    next_cost: int | None = None
    """The step above, where costs are steps."""
    next_seconds: float | None = None
    model: CostModel | None = None
    beyond: float
    """The target, as a multiple of the longest time in the table."""
    points: tuple[Fitted, ...]


def answer(
    rows: Sequence[Measured],
    *,
    tool: Tool,
    target_seconds: float,
    rounding: Rounding = Rounding.DOWN,
    hasher: str | None = None,
    knob: Knob | None = None,
    scale: Scale | None = None,
    parameter: str = "cost",
) -> TableAnswer:
    """Solve one hasher's table for a target.

    ``knob`` is the hasher's, where it is known; ``scale`` what is claimed of the
    costs, else it is the knob's, or told from the figures.

    Raises:
        InconclusiveError: the table is too thin, too noisy, or not of the shape claimed.
        UnreachableError: the lowest cost takes longer than the target.
    """
    times: dict[int, list[float]] = {}
    for row in rows:
        times.setdefault(row.cost, []).append(row.seconds)
    known = {cost: statistics.median(times[cost]) for cost in sorted(times)}
    if len(known) < FEWEST_POINTS:
        raise InconclusiveError(
            f"the table has only {len(known)} costs; add more, a curve needs {FEWEST_POINTS}"
        )
    scale = scale or (knob.scale if knob is not None else told_scale(known))
    parameter = knob.name if knob is not None else parameter
    answered = partial(
        TableAnswer,
        schema=ANSWER_SCHEMA_VERSION,
        tool=tool,
        hasher=hasher,
        parameter=parameter,
        scale=scale,
        target_seconds=target_seconds,
        rounding=rounding,
        confidence=CONFIDENCE,
        beyond=target_seconds / max(known.values()),
    )
    if scale is Scale.LADDER:
        chosen, following = _among(known, target_seconds, rounding)
        return answered(
            cost=chosen,
            time_seconds=known[chosen],
            next_cost=following,
            next_seconds=None if following is None else known[following],
            points=tuple(Fitted(cost=cost, seconds=known[cost]) for cost in known),
        )
    if scale is Scale.LOG2 and max(known) > HIGHEST_LOG2:
        raise InconclusiveError(
            f"the times do not have that shape: none doubles with each cost up to {max(known)};"
            " try --scale linear"
        )
    points = [(work(scale, cost), seconds) for cost, seconds in known.items()]
    line = _checked(points, known, scale)
    limits = knob or _any_knob(scale)
    knob = msgspec.structs.replace(limits, name=parameter, scale=scale)
    model = CostModel(
        parameter=knob.name,
        scale=scale,
        overhead_seconds=line.overhead,
        seconds_per_unit=line.per_unit,
    )
    curve = Curve(
        params={knob.name: knob.minimum},
        knob=knob,
        model=model,
        step_seconds=known if scale is Scale.LOG2 else {},
    )
    solution = solve(Fit(curves=(curve,)), target_seconds, rounding)
    quantile = student_quantile(len(points) - 2, CONFIDENCE)
    exact = max((target_seconds - line.overhead) / line.per_unit, 1.0)
    error = prediction_error(line, points, exact, quantile)
    above = solution.value + 1 if scale is Scale.LOG2 else None
    above = None if above is None or above > knob.maximum else above
    return answered(
        cost=solution.value,
        time_seconds=solution.seconds,
        cost_interval=_interval(curve, target_seconds, error),
        error_fraction=error,
        next_cost=above,
        next_seconds=None if above is None else curve.seconds(above),
        model=model,
        points=tuple(
            Fitted(
                cost=cost,
                seconds=seconds,
                fitted_seconds=line.at(point[0]),
                residual=line.residual(point),
            )
            for (cost, seconds), point in zip(known.items(), points, strict=True)
        ),
    )


def told_scale(known: Mapping[int, float]) -> Scale:
    """Whether times grow with the costs themselves, or double with each."""
    if max(known) > HIGHEST_LOG2:
        return Scale.LINEAR
    misfit = {
        scale: _typical([(work(scale, cost), seconds) for cost, seconds in known.items()])
        for scale in (Scale.LINEAR, Scale.LOG2)
    }
    return min(misfit, key=lambda scale: misfit[scale])


def _any_knob(scale: Scale) -> Knob:
    highest = 2**31 - 1 if scale is Scale.LINEAR else 31
    lowest = 1 if scale is Scale.LINEAR else 0
    return Knob(name="cost", scale=scale, minimum=lowest, maximum=highest)


def _typical(points: Sequence[Point]) -> float:
    """The median size of the residuals; endless where no line goes through."""
    line = fit_line(points, plain=True)
    if line is None:
        return math.inf
    return statistics.median(abs(line.residual(point)) for point in points)


def _checked(points: Sequence[Point], known: Mapping[int, float], scale: Scale) -> Line:
    """The fit, where the points are of its shape.

    Raises:
        InconclusiveError: they are not; the message has the worst of them.
    """
    shape = "doubles with each cost" if scale is Scale.LOG2 else "grows as the cost does"
    line = fit_line(points, plain=True)
    if line is None:
        raise InconclusiveError(
            "the times do not have that shape: they do not grow with the cost; add costs that"
            " take longer"
        )
    sizes = {cost: line.residual(point) for cost, point in zip(known, points, strict=True)}
    typical = statistics.median(map(abs, sizes.values()))
    worst = max(sizes, key=lambda cost: abs(sizes[cost]))
    other = Scale.LINEAR if scale is Scale.LOG2 else Scale.LOG2
    fits_other = (
        max(known) <= HIGHEST_LOG2
        and _typical([(work(other, cost), seconds) for cost, seconds in known.items()]) * _BETTER
        < typical
    )
    allowed = _DOUBTFUL if fits_other else _TYPICAL
    if typical <= allowed and abs(sizes[worst]) <= _WORST:
        return line
    why = "not of that shape" if fits_other else "not of that shape, or too noisy"
    hint = f"; --scale {other.value} fits it better" if fits_other else "; add more costs"
    raise InconclusiveError(
        f"the table is {why}: of the nearest time that {shape}, cost {worst} lies"
        f" {format_percent(abs(sizes[worst]))} {'above' if sizes[worst] > 0 else 'below'}, and"
        f" half of the costs {format_percent(typical)} off or more{hint}"
    )


def _interval(curve: Curve, target_seconds: float, error: float) -> tuple[int, int] | None:
    """The costs that the target stands for at both ends of its error."""
    if error >= 1:
        return None
    ends = []
    for target in (target_seconds / (1 + error), target_seconds / (1 - error)):
        try:
            ends.append(solve(Fit(curves=(curve,)), target, Rounding.DOWN).value)
        except UnreachableError:
            ends.append(curve.lowest)
    return ends[0], ends[1]


def _among(
    known: Mapping[int, float], target_seconds: float, rounding: Rounding
) -> tuple[int, int | None]:
    """The answer among the steps that are listed, and the next: memory is not interpolated."""
    costs = list(known)
    fitting = [cost for cost in costs if known[cost] <= target_seconds]
    if not fitting and rounding is Rounding.DOWN:
        raise UnreachableError(
            f"the lowest cost listed, {costs[0]}, takes {format_duration(known[costs[0]])};"
            " raise --target"
        )
    chosen = max(fitting, default=costs[0])
    above = next((cost for cost in costs if cost > chosen), None)
    if above is not None and rounding is not Rounding.DOWN and known[chosen] < target_seconds:
        nearer = known[above] - target_seconds < target_seconds - known[chosen]
        chosen = above if rounding is Rounding.UP or nearer else chosen
    return chosen, next((cost for cost in costs if cost > chosen), None)
