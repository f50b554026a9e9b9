"""What a sweep measured of a hasher, in the form that everything else is computed from. Pure."""

from collections.abc import Sequence

from hashcost.core.measurement import CostModel, Curve, Fit, Knob, Measurement, Params, work
from hashcost.sweep.model import Status, SweepRow, SweptHasher


def measurement_of(swept: SweptHasher, rows: Sequence[SweepRow]) -> Measurement | None:
    """What a sweep knows of a hasher's time: its fit, or on a ladder each step that was timed.

    Returns:
        None if nothing was timed, or too little for a fit.
    """
    timed = [row for row in rows if _is_timed(row, swept.knob)]
    fitted = _fitted(swept, timed)
    if fitted is None:
        return None
    return Measurement(
        hasher=swept.hasher,
        implementation=swept.implementation,
        implementation_version=swept.implementation_version,
        clock=swept.clock,
        threads=swept.threads,
        knobs=(swept.knob,),
        fitted=fitted,
    )


def _is_timed(row: SweepRow, knob: Knob) -> bool:
    if row.status is not Status.MEASURED or not row.time_seconds:
        return False
    return not knob.is_ladder or bool(row.memory_bytes)


def _fitted(swept: SweptHasher, timed: Sequence[SweepRow]) -> Fit | None:
    if not timed:
        return None
    if swept.knob.is_ladder:
        return Fit(
            curves=tuple(
                sorted((_step(swept, row) for row in timed), key=lambda each: each.memory_bytes)
            ),
        )
    return None if swept.model is None else Fit(curves=(_line(swept, swept.model, timed),))


def _params(swept: SweptHasher, cost: int) -> Params:
    return {swept.knob.name: cost, **swept.fixed}


def _step(swept: SweptHasher, row: SweepRow) -> Curve:
    """One step of memory, of which nothing follows for another."""
    seconds = row.time_seconds or 0.0
    params = _params(swept, row.cost)
    return Curve(
        params=params,
        knob=None,
        model=CostModel(
            fixed=params,
            parameter=swept.knob.name,
            scale=swept.knob.scale,
            overhead_seconds=0.0,
            seconds_per_unit=seconds / work(swept.knob.scale, row.cost),
        ),
        memory_bytes=row.memory_bytes or 0,
        relative_interval=(row.low_seconds / seconds, row.high_seconds / seconds)
        if row.low_seconds and row.high_seconds
        else (1.0, 1.0),
    )


def _line(swept: SweptHasher, model: CostModel, timed: Sequence[SweepRow]) -> Curve:
    """The fit; its interval is that of the dearest cost that has one, seen from the fit.

    What lies beyond that cost is told from it, and what lies below is known better.
    """
    known = [row for row in timed if row.low_seconds and row.high_seconds]
    interval = (1.0, 1.0)
    if known:
        row = max(known, key=lambda each: each.cost)
        fitted = model.seconds(work(swept.knob.scale, row.cost))
        low, high = (row.low_seconds or 0.0) / fitted, (row.high_seconds or 0.0) / fitted
        interval = (min(low, 1.0), max(high, 1.0))
    return Curve(
        params=_params(swept, swept.knob.minimum),
        knob=swept.knob,
        model=model,
        relative_interval=interval,
    )
