"""From a fit and a target to a recommendation, measured now or read from a profile. Pure."""

import statistics
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from hashcost.core.errors import (
    HashcostError,
    InconclusiveError,
    UnavailableError,
    UnreachableError,
    WrongAnswerError,
)
from hashcost.core.machine import Notice
from hashcost.core.measurement import Curve, Measurement
from hashcost.core.profile import Failure, Neighbour, Profile, Recommendation, Result
from hashcost.core.units import format_duration, format_percent, format_setting
from hashcost.fit.estimate import CHANGED, MIXED
from hashcost.fit.order_statistics import CONFIDENCE
from hashcost.fit.solver import Floors, Solution, answer, highest_within
from hashcost.recommend.library_times import page_fault_seconds
from hashcost.worth.appraisal import floors_of
from hashcost.worth.policies.policy import Policy

_ERRORS: Final = {
    error.code: error
    for error in (InconclusiveError, UnavailableError, WrongAnswerError, UnreachableError)
}

TOO_NOISY = 0.25
"""An interval of more than this to either side is no answer."""

_NEAR = 0.1
"""Hashes whose time differs by less tell each other's wall time."""
_BESIDE = 2
"""Steps of memory that are shown to either side of the answer."""


def recommendation(
    measurement: Measurement, target_seconds: float, floors: Floors | None = None
) -> Result:
    """Solve for the target, and say how well the time is known."""
    solved = answer(measurement.hasher, measurement.fitted, target_seconds, floors)
    if solved.fitting is not None:
        return _row(measurement, solved.fitting)
    lowest = format_setting(solved.lowest.params)
    takes = format_duration(solved.lowest.seconds)
    return Failure(
        hasher=measurement.hasher,
        implementation=measurement.implementation,
        code=UnreachableError.code,
        error=f"even the lowest cost, {lowest}, takes {takes}; raise --target",
    )


def every_step(measurement: Measurement, target_seconds: float) -> tuple[Recommendation, ...]:
    """A recommendation for each step of memory that leaves room for one, the smallest first."""
    return tuple(
        _row(measurement, Solution(curve=curve, value=highest_within(curve, target_seconds)))
        for curve in measurement.fitted.curves
        if curve.seconds(curve.lowest) <= target_seconds
    )


def solve_again(
    profile: Profile, target_seconds: float, policies: Sequence[Policy] = ()
) -> Profile:
    """Answer another target from what a profile measured, without timing anything.

    Among the settings within the target, those that meet the ``policies`` go first.
    """
    rows: list[Result] = []
    solved: list[Measurement] = []
    for row in profile.results:
        measurement = profile.measurement_of(row)
        if measurement is None:
            rows.append(row)
        elif not any(measurement is one for one in solved):
            solved.append(measurement)
            floors = floors_of(policies, measurement.hasher)
            rows.append(recommendation(measurement, target_seconds, floors))
    return msgspec.structs.replace(profile, target_seconds=target_seconds, results=tuple(rows))


def is_too_noisy(row: Recommendation) -> bool:
    """Whether the interval is too wide for the cost to be relied upon."""
    return row.error_fraction > TOO_NOISY


def lowest_setting(measurement: Measurement) -> Solution:
    """The cheapest setting that is known."""
    first = measurement.fitted.curves[0]
    return Solution(curve=first, value=first.lowest)


def _row(measurement: Measurement, solution: Solution) -> Recommendation:
    near = list(_near(measurement, solution))
    shared = measurement.shared_factor
    fresh = page_fault_seconds(measurement, solution.params)
    row = Recommendation(
        hasher=measurement.hasher,
        implementation=measurement.implementation,
        implementation_version=measurement.implementation_version,
        params=solution.params,
        clock=measurement.clock,
        time_seconds=solution.seconds,
        shared_seconds=None if shared is None else solution.seconds * shared,
        interval_seconds=solution.interval,
        confidence=CONFIDENCE,
        wall_seconds=_wall_seconds(measurement, solution, [wall for wall, _ in near]),
        cpu_seconds=statistics.median(cpu for _, cpu in near)
        if near and measurement.threads > 1
        else solution.seconds,
        threads=measurement.threads,
        memory_bytes=solution.curve.memory_bytes,
        page_fault_seconds=None if fresh is None else min(fresh, solution.seconds),
        knobs=measurement.knobs,
        model=solution.curve.model,
        neighbours=_neighbours(measurement, solution),
    )
    return msgspec.structs.replace(row, warnings=tuple(_doubts(measurement, row)))


def _wall_seconds(
    measurement: Measurement, solution: Solution, near: Sequence[float]
) -> float | None:
    """The wall time of hashes near the answer; of one thread that of any, in proportion."""
    if near:
        return statistics.median(near)
    waits = [s.wall_seconds / s.cpu_seconds for s in measurement.samples if s.cpu_seconds]
    is_told = waits and measurement.threads == 1
    return solution.seconds * statistics.median(waits) if is_told else None


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


def _neighbours(measurement: Measurement, solution: Solution) -> tuple[Neighbour, ...]:
    """Settings beside the recommended one: steps that are far apart, and other memory."""
    curve = solution.curve
    timed = [sample.params for sample in measurement.samples]
    found: list[tuple[Curve, int]] = []
    if curve.knob is not None and curve.knob.doubles:
        low, high = curve.knob.minimum, curve.knob.maximum
        steps = (solution.value - 1, solution.value + 1)
        found = [(curve, value) for value in steps if low <= value <= high]
    curves = measurement.fitted.curves
    at = curves.index(curve) if curve in curves else 0
    beside = (*curves[max(at - _BESIDE, 0) : at], *curves[at + 1 : at + 1 + _BESIDE])
    found += [(each, each.lowest) for each in beside]
    return tuple(
        Neighbour(
            params=each.at(value),
            time_seconds=each.seconds(value),
            memory_bytes=each.memory_bytes,
            measured=each.at(value) in timed,
        )
        for each, value in found
    )


def _doubts(measurement: Measurement, row: Recommendation) -> Iterator[Notice]:
    if measurement.doubt == CHANGED:
        yield Notice(
            code="changed",
            message=f"{CHANGED}: the interval covers both",
            advice="run it again: three runs that agree are believed",
        )
    if measurement.doubt == MIXED:
        yield Notice(code="mixed-pages", message=MIXED, advice="free memory, and run it again")
    if is_too_noisy(row):
        why = f"; {measurement.doubt}" if measurement.doubt not in {"", CHANGED, MIXED} else ""
        yield Notice(
            code="too-noisy",
            message=f"the time is uncertain by more than ±{format_percent(TOO_NOISY)}{why}",
            advice=f"measure for longer: `calibrate {row.label} --effort precise`",
        )


def recommended_row(result: Result) -> Recommendation:
    """The recommendation that a result is.

    Raises:
        HashcostError: it is a failure.
    """
    if isinstance(result, Failure):
        raise _error(result)
    return result


def only_measurement(profile: Profile) -> Measurement:
    """The measurement of a profile of one hasher, also where the target was too slow.

    Raises:
        HashcostError: there is none; the error says why.
    """
    if profile.measurements:
        return profile.measurements[0]
    raise _error(profile.failures[0])


def _error(failure: Failure) -> HashcostError:
    return _ERRORS[failure.code](f"{failure.label}: {failure.error}")
