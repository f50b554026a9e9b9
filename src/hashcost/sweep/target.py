"""What a sweep answers a target with: the cost by its fit. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from hashcost.core.errors import UnreachableError
from hashcost.core.measurement import CostModel, Curve, Fit, Knob, Params, work
from hashcost.core.profile import Rounding
from hashcost.fit.solver import solve
from hashcost.sweep.model import Status, Sweep, SweepRow, SweptHasher


def target_cost(
    knob: Knob, lowest: Params, model: CostModel | None, target_seconds: float
) -> int | None:
    """The highest cost within the target, rounded down as a recommendation is.

    None of a ladder, and where the lowest takes longer.
    """
    if model is None or knob.is_ladder:
        return None
    fitted = Fit(curves=(Curve(params=lowest, knob=knob, model=model),))
    try:
        return solve(fitted, target_seconds, Rounding.DOWN).value
    except UnreachableError:
        return None


def solve_sweep_again(sweep: Sweep, target_seconds: float) -> Sweep:
    """Answer another target from what a sweep measured, without timing anything."""
    return msgspec.structs.replace(
        sweep,
        target_seconds=target_seconds,
        hashers=tuple(
            msgspec.structs.replace(
                swept,
                target_cost=target_cost(
                    swept.knob,
                    {**swept.fixed, swept.knob.name: swept.knob.minimum},
                    swept.model,
                    target_seconds,
                ),
            )
            for swept in sweep.hashers
        ),
    )


@dataclass(frozen=True, kw_only=True)
class SweptAnswer:
    """The cost that a sweep has for its target, and the seconds that one hash takes there."""

    params: Params
    seconds: float
    by_fit: bool
    """Whether the fit says so; of memory it is a step that was timed."""


def answer_of(
    swept: SweptHasher, rows: Sequence[SweepRow], target_seconds: float
) -> SweptAnswer | None:
    """What a hasher of a sweep answers by its rows; none where nothing is within the target."""
    if swept.knob.is_ladder:
        timed = {
            row.cost: row.time_seconds
            for row in rows
            if row.status is Status.MEASURED
            and row.time_seconds is not None
            and row.time_seconds <= target_seconds
        }
        if not timed:
            return None
        cost = max(timed)
        return SweptAnswer(
            params={swept.knob.name: cost, **swept.fixed}, seconds=timed[cost], by_fit=False
        )
    if swept.model is None or swept.target_cost is None:
        return None
    return SweptAnswer(
        params={swept.knob.name: swept.target_cost, **swept.fixed},
        seconds=swept.model.seconds(work(swept.knob.scale, swept.target_cost)),
        by_fit=True,
    )
