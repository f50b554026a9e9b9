"""Floors in a calibration, on a fake clock."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from fakes import STEPS, FakeClock, FakeHasher, FakeLadder, measure
from hashcost.core.measurement import Params
from hashcost.core.profile import Profile, Recommendation, Rounding, Verdict
from hashcost.recommend.recommendation import solve_again
from hashcost.worth.appraisal import appraise, floors_of
from hashcost.worth.policies.policy import Floor, Policy

TARGET = 0.03995
"""Not where the fakes' costs step from one value to the next."""


def asking(*alternatives: Params) -> tuple[Policy]:
    """A policy of these alternatives for the fake hasher."""
    floors = tuple(Floor(hasher="fake", params=params) for params in alternatives)
    date = dt.date(2026, 1, 1)
    return (Policy(id="made-up", title="Made up", source="nowhere", date=date, floors=floors),)


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


class TestEnforced:
    """A cost below a floor is raised to it."""

    def test_a_count_is_raised_to_the_unit(self, clock: FakeClock) -> None:
        """A count is raised to exactly the floor, timed there, and says from where."""
        row = calibrated(FakeHasher(clock), asking({"rounds": 65_537}), enforce=True)
        assert ({"rounds": 65_537}, {"rounds": 39_900}) == (row.params, row.raised_from)
        assert pytest.approx(65.537e-3) == row.time_seconds
        assert row.confirmed
        (check,) = row.floors
        assert check.verdict is Verdict.MET
        assert row.time_seconds == check.time_seconds

    def test_a_step_is_raised(self, clock: FakeClock) -> None:
        """A step is raised as far as the floor, and its neighbours stand beside it."""
        row = calibrated(FakeHasher(clock, knob=STEPS), asking({"cost": 18}), enforce=True)
        assert ({"cost": 18}, {"cost": 15}) == (row.params, row.raised_from)
        assert [{"cost": 17}, {"cost": 19}] == [step.params for step in row.neighbours]

    def test_memory_is_raised(self, clock: FakeClock) -> None:
        """Memory is raised with its passes, and sampled like any other answer."""
        floor = {"memory": 128, "passes": 2}
        row = calibrated(FakeLadder(clock), asking(floor), enforce=True)
        assert (floor, {"memory": 32, "passes": 1}) == (row.params, row.raised_from)
        assert row.interval_seconds is not None
        assert [] == [notice.code for notice in row.warnings]

    def test_an_unreachable_target_is_answered_by_the_floor(self, clock: FakeClock) -> None:
        """Where nothing legal fits the target, the floor answers instead of a failure."""
        for slow, floor in (
            (FakeHasher(clock, knob=STEPS, seconds_per_unit=1e-3), {"cost": 6}),
            (FakeLadder(clock, seconds_per_unit=0.05), {"memory": 8, "passes": 1}),
        ):
            row = calibrated(slow, asking(floor), enforce=True, target=1e-3)
            assert (floor, slow.lowest) == (row.params, row.raised_from)
            assert row.confirmed

    def test_a_floor_that_the_lowest_cost_meets_leaves_a_target_out_of_reach(
        self, clock: FakeClock
    ) -> None:
        """Where no floor asks for more than the lowest cost, a target below it stays a failure:
        the target gives way to floors alone.
        """
        slow = FakeHasher(clock, knob=STEPS, seconds_per_unit=1e-3)
        profile = measure(clock, slow, target=1e-3, policies=asking({"cost": 4}), enforce=True)
        assert ["unreachable"] == [failure.code for failure in profile.failures]

    def test_what_is_not_enforced_leaves_the_cost(self, clock: FakeClock) -> None:
        """Without --enforce the cost is that of the target, and the check says what it misses."""
        row = calibrated(FakeHasher(clock), asking({"rounds": 65_537}))
        assert ({"rounds": 39_900}, None) == (row.params, row.raised_from)
        (check,) = row.floors
        assert (Verdict.SHORT, {"rounds": 65_537}) == (check.verdict, check.params)
        assert pytest.approx(65.537e-3) == check.time_seconds


class TestWithinTheTarget:
    """A floor that the target reaches is met."""

    def test_passes_may_go_before_memory(self, clock: FakeClock) -> None:
        """Where the most memory leaves no pass that a floor asks for, less memory meets it."""
        ladder = FakeLadder(clock)
        assert {"memory": 32, "passes": 1} == calibrated(ladder, ()).params
        row = calibrated(ladder, asking({"memory": 8, "passes": 4}))
        assert ({"memory": 8, "passes": 4}, None) == (row.params, row.raised_from)
        assert row.time_seconds <= TARGET

    def test_a_count_is_met_beyond_three_digits(self, clock: FakeClock) -> None:
        """A floor that a round count just misses is met, where the target allows."""
        row = calibrated(FakeHasher(clock), asking({"rounds": 39_947}))
        assert ({"rounds": 39_947}, None) == (row.params, row.raised_from)


class TestLadder:
    """Memory that is timed for a floor's sake alone."""

    def test_memory_that_is_not_allowed_is_not_taken(self, clock: FakeClock) -> None:
        """No floor makes a hash take more memory than --memory allows."""
        policies = asking({"memory": 256, "passes": 1})
        for enforce in (False, True):
            ladder = FakeLadder(clock)
            row = calibrated(ladder, policies, memory=64 << 20, enforce=enforce)
            assert max(call.value for call in ladder.calls) <= 64
            assert ({"memory": 32, "passes": 1}, None) == (row.params, row.raised_from)


class TestSolveAgain:
    """Floors of a profile that was saved without them, or with others."""

    def test_another_floor_is_solved_without_measuring(self, clock: FakeClock) -> None:
        """A saved profile meets the floor of a policy that it was not made for."""
        profile = measure(clock, FakeHasher(clock), target=TARGET)
        floors = floors_of(asking({"rounds": 65_537}), enforced=True)
        row = only(solve_again(profile, TARGET, Rounding.DOWN, floors))
        assert ({"rounds": 65_537}, {"rounds": 39_900}) == (row.params, row.raised_from)

    @pytest.mark.parametrize("floor", [{"memory": 64, "passes": 3}, {"memory": 8, "passes": 9}])
    def test_a_raised_cost_comes_down_again(self, clock: FakeClock, floor: Params) -> None:
        """Solved again without the floor, a row that was raised has the cost of the target, and
        with it the same as before.
        """
        policies = asking(floor)
        profile = measure(clock, FakeLadder(clock), target=TARGET, policies=policies, enforce=True)
        assert floor == only(profile).params
        plain = only(solve_again(profile, TARGET, Rounding.DOWN))
        assert ({"memory": 32, "passes": 1}, None) == (plain.params, plain.raised_from)
        floors = floors_of(policies, enforced=True)
        again = only(solve_again(profile, TARGET, Rounding.DOWN, floors))
        assert (floor, {"memory": 32, "passes": 1}) == (again.params, again.raised_from)

    def test_a_target_out_of_reach_is_answered_by_the_floor(self, clock: FakeClock) -> None:
        """A row that failed and kept what it measured is answered by an enforced floor."""
        slow = FakeHasher(clock, knob=STEPS, seconds_per_unit=1e-3)
        profile = measure(clock, slow, target=1e-3)
        floors = floors_of(asking({"cost": 10}), enforced=True)
        row = only(solve_again(profile, 1e-3, Rounding.DOWN, floors))
        assert ({"cost": 10}, {"cost": 4}) == (row.params, row.raised_from)
