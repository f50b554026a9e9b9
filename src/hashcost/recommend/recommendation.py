"""From a fit and a target to a recommendation, measured now or read from a profile. Pure."""

import statistics
from collections.abc import Callable, Iterator

import msgspec

from hashcost.core.algorithms import Strength, StrengthOf, area_time, guess_memory
from hashcost.core.errors import InconclusiveError, UnreachableError
from hashcost.core.machine import PAGE_FAULTS, Notice
from hashcost.core.measurement import Curve, Fit, Measurement, SeenBy
from hashcost.core.profile import Failure, Neighbour, Profile, Recommendation, Result, Rounding
from hashcost.core.units import format_bytes, format_duration, format_percent, format_setting
from hashcost.fit.order_statistics import CONFIDENCE, FEWEST_SAMPLES
from hashcost.fit.solver import ABOUT_AS_STRONG, Floors, Solution, highest_within, no_floors, solve
from hashcost.fit.times import foreseen_curve
from hashcost.recommend.library_times import page_fault_seconds

UNTIMED_STEPS = "untimed-steps"
"""The notice of a step that was not timed and may be the answer."""

CUT_SHORT = "budget"
"""The notice of a budget that ended before a hash at the recommended cost."""

TOO_NOISY = 0.25
"""An interval of more than this to either side is no answer."""

_NEAR = 0.1
"""Hashes whose time differs by less tell each other's wall time."""
_MANY = 0.5
"""So large a share of its memory is fresh each time if it is given back after each hash."""
_NOTED = 0.1
"""From this share of its time on, what fresh pages take is noted."""


def recommendation(
    measurement: Measurement,
    target_seconds: float,
    rounding: Rounding,
    floors: Floors | None = None,
    strength_of: StrengthOf = area_time,
) -> Result:
    """Solve for the target and say how well the answer is known."""
    strength, kept = strength_of(measurement.hasher), measurement.kept
    try:
        solution = solve(measurement.fitted, target_seconds, rounding, floors, strength, kept)
    except UnreachableError as error:
        failed = _lower_untimed(measurement, target_seconds) or error
        return Failure(
            hasher=measurement.hasher,
            implementation=measurement.implementation,
            code=failed.code,
            error=str(failed),
        )
    return _row(measurement, solution, target_seconds, strength)


def every_step(
    measurement: Measurement, target_seconds: float, rounding: Rounding
) -> tuple[Result, ...]:
    """A recommendation for each step of memory that leaves room for one, the smallest first."""
    rows = tuple(
        recommendation(_one_step(measurement, curve), target_seconds, rounding)
        for curve in measurement.fitted.curves
    )
    fitting = tuple(row for row in rows if isinstance(row, Recommendation))
    return fitting or rows[:1]


def solve_again(
    profile: Profile,
    target_seconds: float,
    rounding: Rounding,
    floors_of: Callable[[str], Floors | None] = no_floors,
    strength_of: StrengthOf = area_time,
) -> Profile:
    """Answer another target from what a profile measured, without timing anything.

    A hasher fails if memory that was not timed may give a clearly stronger setting.
    ``floors_of`` tells what the cost of a hasher must not fall short of.
    """
    answers: list[Result] = []
    for measurement, row in _measured_rows(profile):
        if measurement is None:
            answers.append(row)
            continue
        floors = floors_of(measurement.hasher)
        answers.append(answer_again(measurement, target_seconds, rounding, floors, strength_of))
    return msgspec.structs.replace(
        profile, target_seconds=target_seconds, rounding=rounding, results=tuple(answers)
    )


def answer_again(
    measurement: Measurement,
    target_seconds: float,
    rounding: Rounding,
    floors: Floors | None = None,
    strength_of: StrengthOf = area_time,
) -> Result:
    """Answer another target; fail if memory that was not timed may give a stronger setting."""
    row = recommendation(measurement, target_seconds, rounding, floors, strength_of)
    if not isinstance(row, Recommendation):
        return row
    missing = next((notice for notice in row.warnings if notice.code == UNTIMED_STEPS), None)
    if missing is None:
        return row
    return Failure(
        hasher=row.hasher,
        implementation=row.implementation,
        code=InconclusiveError.code,
        error=f"{missing.message}; {_timing_it(measurement, target_seconds)}",
    )


def is_too_noisy(row: Recommendation) -> bool:
    """Whether the interval is too wide, or missing, for the cost to be relied upon."""
    return row.error_fraction is None or row.error_fraction > TOO_NOISY


def has_untimed_steps(row: Recommendation) -> bool:
    """Whether a step that was not timed may be the answer."""
    return any(notice.code == UNTIMED_STEPS for notice in row.warnings)


def was_cut_short(row: Recommendation) -> bool:
    """Whether the budget ended before a hash at its cost."""
    return any(notice.code == CUT_SHORT for notice in row.warnings)


def lowest_setting(measurement: Measurement) -> Solution:
    """The cheapest setting that is known."""
    first = measurement.fitted.curves[0]
    return Solution(curve=first, value=first.lowest)


def _lower_untimed(measurement: Measurement, target_seconds: float) -> InconclusiveError | None:
    """That less memory might fit but was not timed: the run began with an earlier answer."""
    known, ladder = lowest_setting(measurement), measurement.knobs[0]
    if not measurement.climbs or known.params[ladder.name] == ladder.steps[0]:
        return None
    return InconclusiveError(
        f"{format_setting(known.params)} takes {format_duration(known.seconds)}, and no setting"
        f" with less memory was timed; {_timing_it(measurement, target_seconds)}"
    )


def _timing_it(measurement: Measurement, target_seconds: float) -> str:
    """The command that times what is missing."""
    target = format_duration(target_seconds).replace(" ", "")
    return f"`calibrate {measurement.label} --target {target}` times it"


def _measured_rows(profile: Profile) -> Iterator[tuple[Measurement | None, Result]]:
    """Each row with its measurement; what gave several rows comes once."""
    seen: list[Measurement] = []
    for row in profile.results:
        measurement = profile.measurement_of(row)
        if measurement is None or not any(measurement is each for each in seen):
            yield measurement, row
        if measurement is not None:
            seen.append(measurement)


def _one_step(measurement: Measurement, curve: Curve) -> Measurement:
    """The measurement as if only this step of memory had been timed."""
    ladder, *others = measurement.knobs
    step = msgspec.structs.replace(ladder, steps=(curve.params[ladder.name],))
    return msgspec.structs.replace(measurement, knobs=(step, *others), fitted=Fit(curves=(curve,)))


def _row(
    measurement: Measurement, solution: Solution, target_seconds: float, strength: Strength
) -> Recommendation:
    near = list(_near(measurement, solution))
    shared = measurement.shared
    fresh = page_fault_seconds(measurement, solution.params)
    row = Recommendation(
        hasher=measurement.hasher,
        implementation=measurement.implementation,
        implementation_version=measurement.implementation_version,
        params=solution.params,
        clock=measurement.clock,
        time_seconds=solution.seconds,
        shared_seconds=None if shared is None else solution.seconds * shared.factor,
        shared_share=None if shared is None else shared.share,
        seen_by=solution.curve.seen_by,
        interval_seconds=solution.interval,
        confidence=CONFIDENCE,
        wall_seconds=statistics.median(wall for wall, _ in near) if near else None,
        cpu_seconds=statistics.median(cpu for _, cpu in near)
        if near and measurement.threads > 1
        else solution.seconds,
        threads=measurement.threads,
        memory_bytes=solution.curve.memory_bytes,
        page_fault_seconds=None if fresh is None else min(fresh, solution.seconds),
        knobs=measurement.knobs,
        model=solution.curve.model,
        neighbours=_neighbours(measurement.fitted, solution),
        raised_from=solution.raised_from,
    )
    return msgspec.structs.replace(
        row,
        warnings=(
            *_doubts(row),
            *_untimed_steps(measurement, solution, target_seconds, strength),
            *_fresh_pages(measurement, row),
        ),
    )


def _near(measurement: Measurement, solution: Solution) -> Iterator[tuple[float, float]]:
    """Wall and CPU seconds of hashes timed at the setting or close to it, in proportion."""
    curve, name = solution.curve, solution.curve.model.parameter
    for sample in measurement.samples:
        value = sample.params[name]
        if curve.at(value) != sample.params or value < curve.lowest:
            continue
        factor = solution.seconds / curve.seconds(value)
        if abs(factor - 1) <= _NEAR:
            yield sample.wall_seconds * factor, sample.cpu_seconds * factor


def _neighbours(fitted: Fit, solution: Solution) -> tuple[Neighbour, ...]:
    """Settings beside the recommended one: steps that are far apart, and other memory."""
    curve = solution.curve
    steps: list[Neighbour] = []
    if curve.knob is not None and curve.knob.doubles:
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


def _doubts(row: Recommendation) -> Iterator[Notice]:
    if row.seen_by is SeenBy.NOBODY:
        yield Notice(
            code="shared-core",
            message="something else slowed this core during the whole run, and no earlier run"
            " shows how fast it is when quiet",
            advice="run it again",
        )
    elif row.seen_by is SeenBy.EARLIER_RUNS:
        yield Notice(
            code="earlier-runs",
            message="this run saw too little of a quiet core, so the time comes from earlier runs",
            advice="run it again to measure it anew",
        )
    if row.error_fraction is None:
        yield Notice(
            code="few-samples",
            message=f"fewer than {FEWEST_SAMPLES} hashes were timed at this setting, so the"
            " error is unknown",
            advice="measure for this target again",
        )
    elif is_too_noisy(row) and row.seen_by is not SeenBy.NOBODY:
        yield Notice(
            code="too-noisy",
            message=f"the time is uncertain by more than ±{format_percent(TOO_NOISY)}",
            advice="measure when the machine is quieter, or with --effort precise",
        )


def _untimed_steps(
    measurement: Measurement, solution: Solution, target_seconds: float, strength: Strength
) -> tuple[Notice, ...]:
    """A profile made for another target has not timed every step that this one asks for."""
    if not measurement.climbs or solution.raised_from is not None:
        return ()
    steps = tuple(_may_be_better(measurement, solution, target_seconds, strength))
    if not steps:
        return ()
    named = format_setting({measurement.knobs[0].name: steps[0]})
    if len(steps) > 1:
        named += f" to {steps[-1]}"
    return (
        Notice(
            code=UNTIMED_STEPS,
            message=f"nothing was timed at {named}, which may give a stronger setting",
            advice="measure for this target again",
        ),
    )


def _may_be_better(
    measurement: Measurement, solution: Solution, target_seconds: float, strength: Strength
) -> Iterator[int]:
    """The steps of which nothing was timed, and which may give a stronger setting."""
    ladder, here = measurement.knobs[0].name, solution.curve
    timed = {curve.params[ladder] for curve in measurement.fitted.curves}

    own = guess_memory(measurement.hasher, here.params) or here.params[ladder]
    for step in measurement.knobs[0].steps:
        params = {**here.params, ladder: step}
        memory = here.memory_bytes * (guess_memory(measurement.hasher, params) or step) / own
        curve = foreseen_curve(measurement.fitted, params, round(memory))
        if step in timed or curve.seconds(curve.lowest) > target_seconds:
            continue
        found = strength(curve.at(highest_within(curve, target_seconds)), curve.memory_bytes)
        if found * ABOUT_AS_STRONG > strength(solution.params, here.memory_bytes):
            yield step


def _fresh_pages(measurement: Measurement, row: Recommendation) -> Iterator[Notice]:
    """That an allocator gives a hash's memory back after each hash, where it does."""
    there = [sample for sample in measurement.samples if sample.params == row.params]
    faults, page_bytes = row.page_fault_seconds, measurement.page_bytes
    if faults is None or page_bytes is None or not there:
        return
    fresh = min(sample.page_faults for sample in there) * page_bytes
    if fresh >= _MANY * row.memory_bytes and faults >= _NOTED * row.time_seconds:
        yield Notice(
            code=PAGE_FAULTS,
            message=f"each hash gets {format_bytes(fresh)} of fresh memory pages; without them it"
            f" takes {format_duration(row.time_seconds - faults)} instead of"
            f" {format_duration(row.time_seconds)}",
            advice="expect the shorter time in an application whose allocator keeps memory;"
            " glibc returns what a hash held from 32 MiB on",
        )
