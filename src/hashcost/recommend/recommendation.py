"""Turn a measurement and a target into a recommendation. Pure."""

import statistics
from collections.abc import Iterator, Sequence

import msgspec

from hashcost.core.cpu_limit import format_wait
from hashcost.core.errors import ROW_ERRORS, HashcostError, InconclusiveError, UnreachableError
from hashcost.core.machine import Notice
from hashcost.core.measurement import Doubt, Measurement
from hashcost.core.profile import (
    TOO_NOISY,
    Failure,
    Neighbour,
    Profile,
    Recommendation,
    Result,
    is_too_noisy,
)
from hashcost.core.text import joined
from hashcost.core.units import format_percent, format_setting
from hashcost.fit.common import for_all, times_at
from hashcost.fit.order_statistics import CONFIDENCE
from hashcost.fit.solver import Floors, Solution, answer, candidates, within_reach
from hashcost.recommend.library_times import page_fault_seconds
from hashcost.recommend.memory_bounds import memory_bound
from hashcost.strength.appraisal import floors_of
from hashcost.strength.policies.policy import Policy

_NEAR = 0.1
"""Largest difference in time, as a fraction, of samples that the answer's wall time rests on."""
_BESIDE = 2
"""Steps of memory that are shown to either side of the answer."""


def recommendation(
    measurement: Measurement, target_seconds: float, floors: Floors | None = None
) -> Result:
    """Solve for the target, with an interval for the time."""
    limit = measurement.fitting(target_seconds)
    solved = answer(measurement.hasher, measurement.fitted, limit, floors)
    if solved.fitting is not None:
        row = _row(measurement, solved.fitting)
        # The table must not call the strongest what memory alone held back.
        bound = memory_bound(measurement, solved, target_seconds)
        if bound is None:
            return row
        return msgspec.structs.replace(row, warnings=(*row.warnings, bound))
    lowest = _row(measurement, solved.lowest)
    takes = format_wait(lowest.time_seconds, measurement.cpu_limit)
    code = UnreachableError.code
    why = f"even the lowest cost tried, {format_setting(lowest.params)}, takes {takes}"
    cure = "raise --target"
    least, _ = lowest.interval_seconds
    if is_too_noisy(lowest) and least <= limit:
        code = InconclusiveError.code
        why = f"{why}, which is too uncertain to tell whether it fits"
        cure = measurement.doubt.cure or "measure for longer with `--effort precise`"
    return Failure(
        hasher=measurement.hasher,
        implementation=measurement.implementation,
        code=code,
        error=f"{why}; {cure}",
    )


def for_all_libraries(
    measurements: Sequence[Measurement], target_seconds: float, floors: Floors | None = None
) -> Recommendation | None:
    """The setting that fits the target in several libraries of a hasher, by the slowest of them.

    `None` if no setting does, or none is known in all of them.
    """
    hasher = measurements[0].hasher
    # A cost fits in all of them if it fits in the slowest.
    fitted = for_all(measurements, target_seconds)
    if fitted is None:
        return None
    fitting = answer(hasher, fitted, target_seconds, floors).fitting
    if fitting is None:
        return None
    times = times_at(measurements, fitting.params)
    if times is None:
        return None

    def waits(pair: tuple[Measurement, Solution]) -> float:
        measurement, time = pair
        return measurement.waits(time.seconds)

    slowest, time = max(zip(measurements, times, strict=True), key=waits)
    return _row(slowest, time)


def choices(
    measurement: Measurement, target_seconds: float, floors: Floors | None = None
) -> tuple[Recommendation, ...]:
    """A row for each setting that the answer was chosen from, the least memory first."""
    # The answer was chosen from these only.
    near = within_reach(measurement.fitted)
    settings = candidates(near, measurement.fitting(target_seconds), floors)
    return tuple(_row(measurement, setting) for setting in settings)


def solve_again(
    profile: Profile, target_seconds: float, policies: Sequence[Policy] = ()
) -> Profile:
    """Answer another target from a profile's measurements, without timing anything.

    Settings that meet the ``policies`` are preferred among those within the target.
    """
    rows = []
    solved: list[Measurement] = []
    for row in profile.results:
        measurement = profile.measurement_of(row)
        if measurement is None:
            rows.append(row)
        # A sweep has several rows of one measurement, which has one answer.
        elif not any(measurement is one for one in solved):
            solved.append(measurement)
            floors = floors_of(policies, measurement.hasher)
            rows.append(recommendation(measurement, target_seconds, floors))
    return msgspec.structs.replace(profile, target_seconds=target_seconds, results=tuple(rows))


def lowest_setting(measurement: Measurement) -> Solution:
    """The cheapest setting that the measurement covers."""
    first = measurement.fitted.curves[0]
    return Solution(curve=first, value=first.lowest)


def lowest_row(measurement: Measurement) -> Recommendation:
    """The cheapest setting that the measurement covers, with its time on this machine."""
    return _row(measurement, lowest_setting(measurement))


def _row(measurement: Measurement, solution: Solution) -> Recommendation:
    """A setting with its time on this machine, and the doubts about that."""
    near = list(_near(measurement, solution))
    seconds = cpu_seconds = solution.seconds
    if near and measurement.threads > 1:
        # The time of several lanes is wall time, and tells nothing of what they burn.
        cpu_seconds = statistics.median(cpu for _, cpu in near)
    shared_seconds = wait_seconds = None
    if measurement.shared_factor is not None:
        shared_seconds = seconds * measurement.shared_factor
    if measurement.cpu_limit is not None:
        wait_seconds = measurement.cpu_limit.waits(seconds)
    page_faults = page_fault_seconds(measurement, solution.params)
    if page_faults is not None:
        page_faults = min(page_faults, seconds)
    row = Recommendation(
        hasher=measurement.hasher,
        implementation=measurement.implementation,
        implementation_version=measurement.implementation_version,
        params=solution.params,
        clock=measurement.clock,
        time_seconds=seconds,
        shared_seconds=shared_seconds,
        interval_seconds=solution.interval,
        confidence=CONFIDENCE,
        wall_seconds=_wall_seconds(measurement, solution, [wall for wall, _ in near]),
        cpu_seconds=cpu_seconds,
        wait_seconds=wait_seconds,
        cpu_limit=measurement.cpu_limit,
        threads=measurement.threads,
        memory_bytes=solution.curve.memory_bytes,
        page_fault_seconds=page_faults,
        knobs=measurement.knobs,
        model=solution.curve.model,
        neighbours=_neighbours(measurement, solution),
    )
    return msgspec.structs.replace(row, warnings=tuple(_doubts(measurement, row)))


def _wall_seconds(
    measurement: Measurement, solution: Solution, near: Sequence[float]
) -> float | None:
    """The wall time by samples near the answer, or for one thread by any sample, in proportion."""
    # Samples beside the answer know its memory and its waits best.
    if near:
        return statistics.median(near)
    timed = [sample for sample in measurement.samples if sample.cpu_seconds]
    if not timed or measurement.threads > 1:
        return None
    # One thread waits in proportion; several wait for each other.
    waits = [sample.wall_seconds / sample.cpu_seconds for sample in timed]
    return solution.seconds * statistics.median(waits)


def _near(measurement: Measurement, solution: Solution) -> Iterator[tuple[float, float]]:
    """Wall and CPU seconds of samples at the setting or close to it, in proportion."""
    curve, name = solution.curve, solution.curve.model.parameter
    for sample in measurement.samples:
        value = sample.params[name]
        if curve.at(value) != sample.params or value < curve.lowest:
            continue
        # Scaled by the curve, which both times lie on.
        factor = solution.seconds / curve.seconds(value)
        if abs(factor - 1) <= _NEAR:
            yield sample.wall_seconds * factor, sample.cpu_seconds * factor


def _neighbours(measurement: Measurement, solution: Solution) -> tuple[Neighbour, ...]:
    """The settings beside the recommended one: steps that double the time, and other memory."""
    curve = solution.curve
    settings = []
    if curve.knob is not None and curve.knob.doubles:
        legal = range(curve.knob.minimum, curve.knob.maximum + 1)
        steps = [step for step in (solution.value - 1, solution.value + 1) if step in legal]
        settings = [Solution(curve=curve, value=step) for step in steps]
    curves = measurement.fitted.curves
    # A cost of all machines has a curve of its own.
    at = curves.index(curve) if curve in curves else 0
    for index, other in enumerate(curves):
        if 0 < abs(index - at) <= _BESIDE:
            settings.append(Solution(curve=other, value=other.lowest))
    timed = [sample.params for sample in measurement.samples]
    return tuple(
        Neighbour(
            params=setting.params,
            time_seconds=setting.seconds,
            memory_bytes=setting.curve.memory_bytes,
            measured=setting.params in timed,
        )
        for setting in settings
    )


def _doubts(measurement: Measurement, row: Recommendation) -> Iterator[Notice]:
    """Warn of everything that makes the time uncertain."""
    doubt = measurement.doubt
    # Something is wrong with one of the runs, and this run cannot tell with which.
    if doubt is Doubt.CHANGED:
        yield Notice(
            code=doubt.value,
            message=f"{doubt.reason}: the interval covers both",
            advice=doubt.cure,
        )
    if doubt is Doubt.MIXED_PAGES:
        yield Notice(
            code=doubt.value, message=doubt.reason, advice="free memory, and measure again"
        )
    if is_too_noisy(row):
        message = f"the time is uncertain by more than ±{format_percent(TOO_NOISY)}"
        # A doubt with a notice of its own is not said again.
        if doubt in {Doubt.UNSEEN, Doubt.UNWATCHED, Doubt.WAITED}:
            message = joined(message, doubt.reason)
        longer = "measure for longer: --effort precise, or --budget in a sweep"
        yield Notice(code="too-noisy", message=message, advice=doubt.cure or longer)


def recommended_row(result: Result) -> Recommendation:
    """Return a result that is a recommendation.

    Raises:
        HashcostError: the result is a failure.
    """
    if isinstance(result, Failure):
        raise _error(result)
    return result


def only_measurement(profile: Profile) -> Measurement:
    """The measurement of a profile of one hasher, even if its target cannot be reached.

    Raises:
        HashcostError: nothing was measured; the error says why.
    """
    if profile.measurements:
        return profile.measurements[0]
    raise _error(profile.failures[0])


def _error(failure: Failure) -> HashcostError:
    return ROW_ERRORS[failure.code](str(failure))
