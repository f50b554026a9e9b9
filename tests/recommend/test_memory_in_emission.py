"""What is said where memory that was never timed would give an application a stronger cost."""

import pytest

from checks import measurement_of
from hashcost.apps.registry import load_tunable
from hashcost.recommend.emission import emission_for
from hashcost.storage.profile import load_profile
from made_up import MEMORY_HARD_FILE


@pytest.mark.parametrize(("target", "is_told"), [(0.04, False), (5.0, True)])
def test_a_cost_that_memory_limits_says_so(target: float, *, is_told: bool) -> None:
    """At a target far beyond what was timed, a reason names the command that measures further."""
    app = load_tunable("argon2-cffi")
    (scheme,) = (each for each in app.schemes if each.hasher == "argon2id")
    measurement = measurement_of("argon2id", load_profile(MEMORY_HARD_FILE))
    found = emission_for(app, scheme, measurement, target, None)
    told = [reason for reason in found.reasons if "measures more" in reason]

    assert is_told is bool(told)
    assert all("`calibrate argon2id" in reason and "measures more" in reason for reason in told)
