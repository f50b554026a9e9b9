"""Costs, profiles and standards that the tests of ``calibrate check`` share."""

from typing import Any, Final

from msgspec.structs import replace

from hashcost.checks.check import check_one
from hashcost.checks.judgement import Configured, Judgement, Standard
from hashcost.core.cost_expressions import parse_cost
from hashcost.core.measurement import Measurement
from hashcost.core.profile import Failure, Profile
from hashcost.storage.profile import load_profile
from made_up import MEMORY_HARD_FILE, PROFILE_FILE

MADE_UP: Final = load_profile(PROFILE_FILE)
"""bcrypt's cost 9 takes 26.75 ms and 10 is known to take 53.6 ms; PBKDF2 takes 250 ns a turn."""
MEMORY_HARD: Final = load_profile(MEMORY_HARD_FILE)

FORTY: Final = Standard(target_seconds=0.04)


def configured(text: str, **changes: Any) -> Configured:
    """A cost as it would be typed."""
    cost = parse_cost(text)
    assert cost.params is not None
    parts = {"implementation": cost.implementation, "params": cost.params, **changes}
    return Configured(hasher=cost.hasher, **parts)


def judged(text: str, profile: Profile = MADE_UP, standard: Standard = FORTY) -> Judgement:
    """What is found of one cost."""
    return check_one(configured(text), profile, standard)


def with_rows(profile: Profile, *rows: Measurement | Failure) -> Profile:
    """A profile in which only these were measured, or failed to be."""
    return replace(
        profile,
        measurements=tuple(row for row in rows if isinstance(row, Measurement)),
        results=tuple(row for row in rows if isinstance(row, Failure)),
    )


def measurement_of(label: str, profile: Profile = MADE_UP) -> Measurement:
    """What was measured of a hasher, or of one implementation of it."""
    return next(row for row in profile.measurements if label in (row.hasher, row.label))


def widened(measurement: Measurement, low: float, high: float) -> Measurement:
    """The measurement with an interval of these factors around every time."""
    fitted = measurement.fitted
    curves = tuple(replace(curve, relative_interval=(low, high)) for curve in fitted.curves)
    return replace(measurement, fitted=replace(fitted, curves=curves))
