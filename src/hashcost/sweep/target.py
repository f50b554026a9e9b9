"""What a sweep answers a target with: the cost by its fit. Pure."""

from collections.abc import Sequence

import msgspec

from hashcost.core.errors import UnreachableError
from hashcost.core.measurement import CostModel, Curve, Fit, Knob, Params
from hashcost.core.profile import Rounding
from hashcost.fit.solver import Solution, solve
from hashcost.sweep.measurement import measurement_of
from hashcost.sweep.model import Sweep, SweepRow, SweptHasher


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


def answer_of(
    swept: SweptHasher, rows: Sequence[SweepRow], target_seconds: float
) -> Solution | None:
    """What a hasher of a sweep answers; None if nothing that is known is within the target."""
    measurement = measurement_of(swept, rows)
    if measurement is None:
        return None
    try:
        return solve(measurement.fitted, target_seconds, Rounding.DOWN)
    except UnreachableError:
        return None
