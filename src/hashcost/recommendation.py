"""From a fit and a target to a recommendation, measured now or read from a profile. Pure."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

import msgspec

from hashcost.errors import UnreachableError
from hashcost.model import (
    Failure,
    Neighbour,
    Notice,
    Profile,
    Recommendation,
    Result,
    Rounding,
    Sample,
    Scale,
)
from hashcost.solver import Fit, solve
from hashcost.stats import CONFIDENCE, FEWEST_SAMPLES
from hashcost.units import format_percent

TOO_NOISY = 0.25
"""An interval of more than this to either side is no answer."""


def recommend(
    *,
    hasher: str,
    implementation: str,
    version: str,
    memory_bytes: int,
    fitted: Fit,
    target_seconds: float,
    rounding: Rounding,
    samples: Sequence[Sample],
) -> Result:
    """Solve for the target and say how well the answer is known.

    A target out of reach gives a failure that keeps what was measured.
    """

    def at(value: int) -> Recommendation:
        params = {fitted.knob.name: value}
        seconds = fitted.seconds(value)
        walls = [sample.wall_seconds for sample in samples if sample.params == params]
        interval = fitted.relative_interval
        row = Recommendation(
            hasher=hasher,
            implementation=implementation,
            implementation_version=version,
            params=params,
            time_seconds=seconds,
            interval_seconds=interval and (seconds * interval[0], seconds * interval[1]),
            confidence=CONFIDENCE,
            wall_seconds=statistics.median(walls) if walls else None,
            memory_bytes=memory_bytes,
            knob=fitted.knob,
            model=fitted.model,
            neighbours=_neighbours(fitted, value),
            samples=tuple(samples),
        )
        return msgspec.structs.replace(row, warnings=_doubts(row))

    try:
        return at(solve(fitted, target_seconds, rounding))
    except UnreachableError as error:
        return Failure(
            hasher=hasher,
            implementation=implementation,
            code=error.code,
            error=str(error),
            measured=at(fitted.knob.minimum),
        )


def solve_again(profile: Profile, target_seconds: float, rounding: Rounding) -> Profile:
    """Answer another target from what a profile measured, without timing anything."""
    return msgspec.structs.replace(
        profile,
        target_seconds=target_seconds,
        rounding=rounding,
        results=tuple(
            row
            if (known := _measured(row)) is None
            else _solve_row(known, target_seconds, rounding)
            for row in profile.results
        ),
    )


def _measured(row: Result) -> Recommendation | None:
    return row if isinstance(row, Recommendation) else row.measured


def is_too_noisy(row: Recommendation) -> bool:
    """Whether the interval is too wide, or missing, for the cost to be relied upon."""
    return row.error_fraction is None or row.error_fraction > TOO_NOISY


def _solve_row(row: Recommendation, target_seconds: float, rounding: Rounding) -> Result:
    value = row.params[row.knob.name]
    known = [(value, row.time_seconds)] if row.confirmed else []
    known += [
        (step.params[row.knob.name], step.time_seconds) for step in row.neighbours if step.measured
    ]
    fitted = Fit(
        knob=row.knob,
        model=row.model,
        relative_interval=row.interval_seconds
        and (
            row.interval_seconds[0] / row.time_seconds,
            row.interval_seconds[1] / row.time_seconds,
        ),
        step_seconds=dict(known) if row.knob.scale is Scale.LOG2 else {},
    )
    return recommend(
        hasher=row.hasher,
        implementation=row.implementation,
        version=row.implementation_version,
        memory_bytes=row.memory_bytes,
        fitted=fitted,
        target_seconds=target_seconds,
        rounding=rounding,
        samples=row.samples,
    )


def _neighbours(fitted: Fit, value: int) -> tuple[Neighbour, ...]:
    """The steps below and above, for a knob whose steps are far apart."""
    knob = fitted.knob
    if knob.scale is not Scale.LOG2:
        return ()
    return tuple(
        Neighbour(
            params={knob.name: step},
            time_seconds=fitted.seconds(step),
            measured=step in fitted.step_seconds,
        )
        for step in (value - 1, value + 1)
        if knob.minimum <= step <= knob.maximum
    )


def _doubts(row: Recommendation) -> tuple[Notice, ...]:
    if row.error_fraction is None:
        return (
            Notice(
                code="few-samples",
                message=f"fewer than {FEWEST_SAMPLES} samples fitted in the budget,"
                " so the error is unknown",
                advice="raise --budget",
            ),
        )
    if is_too_noisy(row):
        return (
            Notice(
                code="too-noisy",
                message=f"the time is only known to ±{format_percent(row.error_fraction)}",
                advice="measure when the machine is quieter, or with --precise",
            ),
        )
    return ()
