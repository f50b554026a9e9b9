"""Floors in a calibration, on a fake clock."""

from typing import Any

import pytest

from fakes import FakeClock, FakeHasher, FakeLadder, made_up_policy, measure
from hashcost.core.measurement import Params
from hashcost.core.profile import Profile, Recommendation, Verdict
from hashcost.recommend.recommendation import solve_again
from hashcost.strength.appraisal import appraise
from hashcost.strength.policies.policy import Floor, Policy

TARGET = 0.03995
"""Not where the fakes' costs step from one value to the next."""


def asking(*alternatives: Params) -> tuple[Policy]:
    """A policy of these alternatives for the fake hasher."""
    floors = (Floor(hasher="fake", params=params) for params in alternatives)
    return (made_up_policy(*floors),)


def only(profile: Profile) -> Recommendation:
    """The one row."""
    (row,) = profile.results
    assert isinstance(row, Recommendation), row.error
    return row


def calibrated(hasher: FakeHasher, policies: tuple[Policy, ...], **options: Any) -> Recommendation:
    """The row of this hasher, appraised."""
    options = {"target": TARGET, **options}
    profile = measure(hasher.clock, hasher, policies=policies, **options)
    return only(appraise(profile, policies))


def test_a_minimum_beyond_the_target_leaves_the_answer(clock: FakeClock) -> None:
    """The row keeps the target, and says what the minimum takes."""
    row = calibrated(FakeHasher(clock), asking({"rounds": 65_537}))
    assert {"rounds": 39_900} == row.params
    (check,) = row.floors
    assert (Verdict.SHORT, {"rounds": 65_537}) == (check.verdict, check.params)
    assert pytest.approx(65.537e-3) == check.time_seconds


def test_memory_is_timed_where_it_is_enforced(clock: FakeClock) -> None:
    """For what writes or checks a configuration, hashes are timed at the minimum itself."""
    floor = {"memory": 128, "passes": 2}
    for enforce in (False, True):
        ladder = FakeLadder(clock)
        profile = measure(clock, ladder, target=TARGET, policies=asking(floor), enforce=enforce)
        (measurement,) = profile.measurements
        assert enforce is any(sample.params == floor for sample in measurement.samples)


def test_passes_may_go_before_memory(clock: FakeClock) -> None:
    """Where the most memory leaves no pass that a floor asks for, less memory meets it."""
    ladder = FakeLadder(clock)
    assert {"memory": 32, "passes": 1} == calibrated(ladder, ()).params
    row = calibrated(ladder, asking({"memory": 8, "passes": 4}))
    assert {"memory": 8, "passes": 4} == row.params
    assert row.time_seconds <= TARGET


def test_a_count_is_met_beyond_three_digits(clock: FakeClock) -> None:
    """A floor that a round count just misses is met, where the target allows."""
    row = calibrated(FakeHasher(clock), asking({"rounds": 39_947}))
    assert {"rounds": 39_947} == row.params


def test_memory_that_is_not_allowed_is_not_taken(clock: FakeClock) -> None:
    """No floor makes a hash take more memory than --memory allows."""
    policies = asking({"memory": 256, "passes": 1})
    for enforce in (False, True):
        ladder = FakeLadder(clock)
        row = calibrated(ladder, policies, memory_bytes=64 << 20, enforce=enforce)
        assert max(call.value for call in ladder.calls) <= 64
        assert {"memory": 32, "passes": 1} == row.params


def test_another_minimum_is_solved_without_measuring(clock: FakeClock) -> None:
    """A saved profile meets the minimum of a policy that it was not made for."""
    profile = measure(clock, FakeHasher(clock), target=TARGET)
    row = only(solve_again(profile, TARGET, asking({"rounds": 39_947})))
    assert {"rounds": 39_947} == row.params
