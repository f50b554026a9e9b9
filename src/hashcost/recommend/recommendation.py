"""From a fit and a target to a recommendation, measured now or read from a profile. Pure."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Sequence

import msgspec

from hashcost.core.algorithms import guess_memory
from hashcost.core.errors import UnreachableError
from hashcost.core.model import (
    CostModel,
    Failure,
    Knob,
    Neighbour,
    Notice,
    Profile,
    Recommendation,
    Result,
    Rounding,
    Sample,
    Scale,
)
from hashcost.core.units import format_bytes, format_duration, format_percent
from hashcost.fit.order_statistics import CONFIDENCE, FEWEST_SAMPLES
from hashcost.fit.solver import (
    Beyond,
    Curve,
    Fit,
    Floors,
    Solution,
    cpu_seconds,
    no_floors,
    sampled_seconds,
    solve,
    step_seconds,
    wall_seconds,
    work,
)

UNTIMED_STEPS = "untimed-steps"
"""The notice of a step that was not timed and may be the answer."""

TOO_NOISY = 0.25
"""An interval of more than this to either side is no answer."""

_MANY = 0.5
_FEW = 0.1
"""Shares of a hash's pages that are fresh each time: many where its memory is given
back to the system after each hash, few where the allocator keeps it."""


def recommend(
    *,
    hasher: str,
    implementation: str,
    version: str,
    clock: str,
    threads: int,
    knobs: tuple[Knob, ...],
    fitted: Fit,
    target_seconds: float,
    rounding: Rounding,
    samples: Sequence[Sample],
    floors: Floors | None = None,
    page_bytes: int | None = None,
) -> Result:
    """Solve for the target and say how well the answer is known.

    A target out of reach gives a failure that keeps what was measured.
    """

    def row(solution: Solution) -> Recommendation:
        there = [sample for sample in samples if sample.params == solution.params]
        interval = solution.curve.relative_interval
        seconds = solution.seconds
        burnt = [sample.cpu_seconds for sample in there]
        found = Recommendation(
            hasher=hasher,
            implementation=implementation,
            implementation_version=version,
            params=solution.params,
            clock=clock,
            time_seconds=seconds,
            interval_seconds=interval and (seconds * interval[0], seconds * interval[1]),
            confidence=CONFIDENCE,
            wall_seconds=statistics.median(s.wall_seconds for s in there) if there else None,
            cpu_seconds=statistics.median(burnt) if burnt and threads > 1 else seconds,
            threads=threads,
            memory_bytes=solution.curve.memory_bytes,
            knobs=knobs,
            model=solution.curve.model,
            neighbours=_neighbours(fitted, solution),
            raised_from=solution.raised_from,
            samples=tuple(samples),
        )
        return msgspec.structs.replace(
            found,
            warnings=(
                *_doubts(found),
                *_untimed_steps(found, target_seconds),
                *_fresh_pages(found, page_bytes),
            ),
        )

    try:
        return row(solve(fitted, target_seconds, rounding, floors))
    except UnreachableError as error:
        first = fitted.curves[0]
        return Failure(
            hasher=hasher,
            implementation=implementation,
            code=error.code,
            error=str(error),
            measured=row(Solution(curve=first, value=first.lowest)),
        )


def solve_again(
    profile: Profile,
    target_seconds: float,
    rounding: Rounding,
    floors_of: Callable[[str], Floors | None] = no_floors,
) -> Profile:
    """Answer another target from what a profile measured, without timing anything.

    ``floors_of`` tells what the cost of a hasher must not fall short of.
    """
    return msgspec.structs.replace(
        profile,
        target_seconds=target_seconds,
        rounding=rounding,
        results=tuple(
            row
            if (known := _measured(row)) is None
            else _solve_row(
                known,
                target_seconds,
                rounding,
                floors_of(row.hasher),
                profile.machine.page_bytes,
            )
            for row in profile.results
        ),
    )


def slowed(row: Recommendation, factor: float) -> Recommendation:
    """The row of a hasher that takes so many times as long for every cost."""
    if factor == 1:
        return row
    interval = row.interval_seconds
    return msgspec.structs.replace(
        row,
        time_seconds=row.time_seconds * factor,
        interval_seconds=interval and (interval[0] * factor, interval[1] * factor),
        wall_seconds=None if row.wall_seconds is None else row.wall_seconds * factor,
        cpu_seconds=row.cpu_seconds * factor,
        model=msgspec.structs.replace(
            row.model,
            overhead_seconds=row.model.overhead_seconds * factor,
            seconds_per_unit=row.model.seconds_per_unit * factor,
        ),
        neighbours=tuple(
            msgspec.structs.replace(step, time_seconds=step.time_seconds * factor)
            for step in row.neighbours
        ),
        samples=tuple(
            msgspec.structs.replace(
                sample,
                cpu_seconds=sample.cpu_seconds * factor,
                wall_seconds=sample.wall_seconds * factor,
                system_seconds=sample.system_seconds * factor,
            )
            for sample in row.samples
        ),
    )


def slowed_profile(profile: Profile, factor: float) -> Profile:
    """The profile of hashers that take so many times as long for every cost."""

    def there(row: Result) -> Result:
        if isinstance(row, Recommendation):
            return slowed(row, factor)
        measured = None if row.measured is None else slowed(row.measured, factor)
        return msgspec.structs.replace(row, measured=measured)

    return msgspec.structs.replace(profile, results=tuple(map(there, profile.results)))


def is_too_noisy(row: Recommendation) -> bool:
    """Whether the interval is too wide, or missing, for the cost to be relied upon."""
    return row.error_fraction is None or row.error_fraction > TOO_NOISY


def by_earlier_runs(row: Result) -> Result:
    """The row of a run that knew its own answer well: any doubt comes from earlier runs."""
    if not isinstance(row, Recommendation) or not is_too_noisy(row):
        return row
    told = Notice(
        code="too-noisy",
        message=f"earlier runs here differ from this one by more than {format_percent(TOO_NOISY)}",
        advice="the machine's own speed changes between runs, and with it the cost that fits;"
        " measure on one that is steady",
    )
    return msgspec.structs.replace(
        row, warnings=tuple(told if each.code == told.code else each for each in row.warnings)
    )


def has_untimed_steps(row: Recommendation) -> bool:
    """Whether a step that was not timed may be the answer."""
    return any(notice.code == UNTIMED_STEPS for notice in row.warnings)


def _measured(row: Result) -> Recommendation | None:
    return row if isinstance(row, Recommendation) else row.measured


def fit_of(row: Recommendation) -> Fit:
    """What a row knows of its hasher's time."""
    return Fit(
        curves=tuple(sorted(_curves(row), key=lambda curve: curve.memory_bytes)),
        beyond=_beyond(row),
    )


def _solve_row(
    row: Recommendation,
    target_seconds: float,
    rounding: Rounding,
    floors: Floors | None,
    page_bytes: int | None,
) -> Result:
    return recommend(
        hasher=row.hasher,
        implementation=row.implementation,
        version=row.implementation_version,
        clock=row.clock,
        threads=row.threads,
        knobs=row.knobs,
        fitted=fit_of(row),
        target_seconds=target_seconds,
        rounding=rounding,
        samples=row.samples,
        floors=floors,
        page_bytes=page_bytes,
    )


def _beyond(row: Recommendation) -> tuple[Beyond, ...]:
    """The steps of memory that a row shows without having timed them."""
    if row.knobs[0].scale is not Scale.LADDER:
        return ()
    return tuple(
        Beyond(params=step.params, memory_bytes=step.memory_bytes, least_seconds=step.time_seconds)
        for step in row.neighbours
        if not step.measured
    )


def _curves(row: Recommendation) -> list[Curve]:
    """What a row measured: its own curve, and on a ladder that of each other step."""
    ladder = row.knobs[0] if row.knobs[0].scale is Scale.LADDER else None
    knob = row.knobs[-1] if row.knobs[-1].scale is not Scale.LADDER else None
    interval = row.interval_seconds and (
        row.interval_seconds[0] / row.time_seconds,
        row.interval_seconds[1] / row.time_seconds,
    )
    if ladder is None:
        name = row.model.parameter
        known = [
            (step.params[name], step.time_seconds) for step in row.neighbours if step.measured
        ]
        if row.confirmed:
            known.append((row.params[name], row.time_seconds))
        return [
            Curve(
                params={**row.params, name: row.knobs[0].minimum},
                knob=knob,
                model=row.model,
                memory_bytes=row.memory_bytes,
                relative_interval=interval,
                step_seconds={**_timed_steps(row), **dict(known)}
                if row.model.scale is Scale.LOG2
                else {},
            )
        ]
    own = row.params if knob is None else {**row.params, knob.name: knob.minimum}
    return [
        Curve(
            params=own,
            knob=knob,
            model=row.model,
            memory_bytes=row.memory_bytes,
            relative_interval=interval,
            step_seconds={} if knob is None else sampled_seconds(_times_by(knob.name, row)),
        ),
        *(
            Curve(
                params=step.params,
                knob=knob,
                model=_through_origin(step, knob or ladder),
                memory_bytes=step.memory_bytes,
            )
            for step in row.neighbours
            if step.measured
        ),
    ]


def _times_by(name: str, row: Recommendation) -> dict[int, list[float]]:
    """What hashes of the row's own memory took, by another param."""
    seconds = cpu_seconds if row.threads == 1 else wall_seconds
    by_value: dict[int, list[float]] = {}
    for sample in row.samples:
        if {**sample.params, name: 0} == {**row.params, name: 0}:
            by_value.setdefault(sample.params[name], []).append(seconds(sample))
    return by_value


def _timed_steps(row: Recommendation) -> dict[int, float]:
    """Steps above the recommended one that were timed when another was recommended."""
    by_value: dict[int, list[float]] = {}
    for sample in row.samples:
        by_value.setdefault(sample.params[row.model.parameter], []).append(sample.cpu_seconds)
    return {
        value: step_seconds(min(times), row.model.seconds(work(row.model.scale, value)))
        for value, times in by_value.items()
        if value >= row.params[row.model.parameter]
    }


def _through_origin(step: Neighbour, knob: Knob) -> CostModel:
    """A step of a ladder that was measured at one setting alone."""
    value = step.params[knob.name]
    return CostModel(
        fixed={name: kept for name, kept in step.params.items() if name != knob.name},
        parameter=knob.name,
        scale=knob.scale,
        overhead_seconds=0.0,
        seconds_per_unit=step.time_seconds / work(knob.scale, value),
    )


def _neighbours(fitted: Fit, solution: Solution) -> tuple[Neighbour, ...]:
    """Settings beside the recommended one: steps that are far apart, and other memory."""
    curve = solution.curve
    steps: list[Neighbour] = []
    if curve.knob is not None and curve.knob.scale is Scale.LOG2:
        steps = [
            Neighbour(
                params=curve.at(value),
                time_seconds=curve.seconds(value),
                memory_bytes=curve.memory_bytes,
                measured=value in curve.step_seconds,
            )
            for value in (solution.value - 1, solution.value + 1)
            if curve.knob.minimum <= value <= curve.knob.maximum
        ]
    return (
        *steps,
        *(
            Neighbour(
                params=other.params,
                time_seconds=other.seconds(other.lowest),
                memory_bytes=other.memory_bytes,
                measured=True,
            )
            for other in fitted.curves
            if other is not curve
        ),
        *_unmeasured(fitted, solution),
    )


def _unmeasured(fitted: Fit, solution: Solution) -> tuple[Neighbour, ...]:
    """The step above the recommended one, where nothing was timed there.

    Where a floor raised the cost, every such step: another target is solved below it.
    """
    above = fitted.above(solution.curve)
    own = () if above is None else (above,)
    return tuple(
        Neighbour(
            params=step.params,
            time_seconds=step.least_seconds,
            memory_bytes=step.memory_bytes,
            measured=False,
        )
        for step in (own if solution.raised_from is None else fitted.beyond)
    )


def _doubts(row: Recommendation) -> tuple[Notice, ...]:
    if row.error_fraction is None:
        return (
            Notice(
                code="few-samples",
                message=f"fewer than {FEWEST_SAMPLES} hashes were timed at this setting, so the"
                " error is unknown",
                advice="measure for this target, without a budget that ends it early",
            ),
        )
    if is_too_noisy(row):
        return (
            Notice(
                code="too-noisy",
                message=f"the time is not even known to ±{format_percent(TOO_NOISY)}",
                advice="measure when the machine is quieter, or with --precise",
            ),
        )
    return ()


def _untimed_steps(row: Recommendation, target_seconds: float) -> tuple[Notice, ...]:
    """A profile made for another target has not timed every step that this one asks for."""
    ladder = row.knobs[0]
    if ladder.scale is not Scale.LADDER or row.raised_from is not None:
        return ()
    steps = tuple(_may_fit(row, target_seconds))
    if not steps:
        return ()
    named = str(steps[0]) if len(steps) == 1 else f"{steps[0]} to {steps[-1]}"
    return (
        Notice(
            code=UNTIMED_STEPS,
            message=f"nothing was timed at {ladder.name} {named}, which may fit the target",
            advice="measure for this target, without a budget that ends it early",
        ),
    )


def _may_fit(row: Recommendation, target_seconds: float) -> Iterator[int]:
    """The steps above the row's, up to the next that was timed or takes longer than the target."""
    ladder = row.knobs[0]
    known = {step.params[ladder.name]: step for step in row.neighbours}
    for step in ladder.steps:
        if step <= row.params[ladder.name]:
            continue
        beside = known.get(step)
        if beside is not None and beside.measured:
            return
        least = _least_seconds(row, step) if beside is None else beside.time_seconds
        if least > target_seconds:
            return
        yield step


def _least_seconds(row: Recommendation, step: int) -> float:
    """The time that a higher step takes at least: it grows no slower than memory does."""
    lowest = row.time_seconds
    if row.knobs[-1].scale is not Scale.LADDER:
        lowest = row.model.seconds(work(row.model.scale, row.knobs[-1].minimum))
    here = guess_memory(row.hasher, row.params)
    there = guess_memory(row.hasher, {**row.params, row.knobs[0].name: step})
    return lowest * there / here if here and there else lowest


def _fresh_pages(row: Recommendation, page_bytes: int | None) -> tuple[Notice, ...]:
    """The cliff from where an allocator gives a hash's memory back after each hash.

    It is named where the recommended setting lies beyond it and a smaller one did not,
    if the size of a page is known.
    """
    ladder = row.knobs[0]
    there = [sample for sample in row.samples if sample.params == row.params]
    if ladder.scale is not Scale.LADDER or not there or page_bytes is None:
        return ()
    memory = {row.params[ladder.name]: row.memory_bytes}
    memory |= {step.params[ladder.name]: step.memory_bytes for step in row.neighbours}
    shares = [
        _fresh_share(sample, memory[sample.params[ladder.name]], page_bytes)
        for sample in row.samples
    ]
    sample = min(there, key=lambda sample: sample.cpu_seconds)
    if min(shares) >= _FEW or _fresh_share(sample, row.memory_bytes, page_bytes) < _MANY:
        return ()
    return (
        Notice(
            code="page-faults",
            message=f"each hash is given {format_bytes(sample.page_faults * page_bytes)} of fresh"
            f" pages, which takes {format_duration(sample.system_seconds)} of its"
            f" {format_duration(sample.cpu_seconds)}",
            advice="that is in the time; glibc gives back what a hash held from 32 MiB on, and"
            " an application with another allocator may be quicker",
        ),
    )


def _fresh_share(sample: Sample, memory_bytes: int, page_bytes: int) -> float:
    return sample.page_faults * page_bytes / max(memory_bytes, page_bytes)
