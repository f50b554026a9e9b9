"""What a sweep answers a target with: the cost by its fit. Pure."""

import msgspec

from hashcost.core.errors import UnreachableError
from hashcost.core.measurement import CostModel, Curve, Fit, Knob, Params
from hashcost.core.profile import Rounding
from hashcost.fit.solver import solve
from hashcost.sweep.model import Sweep


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
