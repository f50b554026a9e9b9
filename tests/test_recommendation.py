"""From a fit to a recommendation, and from a profile to another target."""

from __future__ import annotations

import datetime as dt
import itertools
from collections.abc import Callable, Sequence

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakes import LINEAR, STEPS, FakeClock, FakeHasher, candidate, measure
from hashcost.model import (
    CostModel,
    Failure,
    Knob,
    Neighbour,
    Params,
    Profile,
    Recommendation,
    Result,
    Rounding,
    Sample,
)
from hashcost.recommendation import TOO_NOISY, is_too_noisy, recommend, solve_again
from hashcost.solver import Fit
from strategies import roundings


def _fitted(knob: Knob, interval: tuple[float, float] | None = (0.98, 1.02)) -> Fit:
    return Fit(
        knob=knob,
        model=CostModel(
            parameter=knob.name, scale=knob.scale, overhead_seconds=0.0, seconds_per_unit=1e-6
        ),
        relative_interval=interval,
        step_seconds={15: 33e-3, 16: 70e-3} if knob is STEPS else {},
    )


def _recommended(
    fitted: Fit,
    target: float = 0.04001,
    rounding: Rounding = Rounding.DOWN,
    samples: Sequence[Sample] = (),
) -> Recommendation:
    row = _result(fitted, target, rounding, samples)
    assert isinstance(row, Recommendation)
    return row


def _result(
    fitted: Fit, target: float, rounding: Rounding, samples: Sequence[Sample] = ()
) -> Result:
    return recommend(
        hasher="fake",
        implementation="memory",
        version="1.0",
        memory_bytes=4168,
        fitted=fitted,
        target_seconds=target,
        rounding=rounding,
        samples=samples,
    )


def _sample(params: Params, wall: float) -> Sample:
    return Sample(params=params, cpu_seconds=0.01, wall_seconds=wall)


class TestRecommend:
    """The cost for a target and how well it is known."""

    def test_the_interval_is_that_of_the_time(self) -> None:
        """The interval is printed in seconds, around the time of one hash."""
        row = _recommended(_fitted(LINEAR))
        assert row.params == {"rounds": 40_000}
        assert pytest.approx(0.04) == row.time_seconds
        assert pytest.approx((0.0392, 0.0408)) == row.interval_seconds
        assert pytest.approx(0.02) == row.error_fraction

    def test_wall_time_is_that_of_hashes_at_the_answer(self) -> None:
        """The wall time is the median of the hashes at exactly these params."""
        at = {"rounds": 40_000}
        walls = [_sample(at, 0.05), _sample(at, 0.09), _sample(at, 0.06)]
        row = _recommended(_fitted(LINEAR), samples=[_sample({"rounds": 1}, 1.0), *walls])
        assert row.wall_seconds == 0.06
        assert row.confirmed

    def test_an_answer_that_was_not_timed_is_not_confirmed(self) -> None:
        """Where no hash was timed at the answer, no wall time is claimed."""
        row = _recommended(_fitted(LINEAR), samples=[_sample({"rounds": 1}, 1.0)])
        assert row.wall_seconds is None
        assert not row.confirmed

    def test_a_step_shows_its_neighbours(self) -> None:
        """A step knob shows the step below and above, and which of them was measured."""
        row = _recommended(_fitted(STEPS))
        assert row.params == {"cost": 15}
        assert row.neighbours == (
            Neighbour(params={"cost": 14}, time_seconds=1e-6 * 2**14, measured=False),
            Neighbour(params={"cost": 16}, time_seconds=70e-3, measured=True),
        )

    @pytest.mark.parametrize(("cost", "neighbour"), [(4, 5), (31, 30)])
    def test_no_neighbour_is_illegal(self, cost: int, neighbour: int) -> None:
        """At an end of the legal range there is one neighbour."""
        row = _recommended(_fitted(STEPS), target=1e-6 * 2**cost)
        assert row.params == {"cost": cost}
        assert [step.params for step in row.neighbours] == [{"cost": neighbour}]

    def test_counts_have_no_neighbours(self) -> None:
        """A linear knob, whose next value is as good as equal, shows none."""
        assert _recommended(_fitted(LINEAR)).neighbours == ()

    def test_too_few_samples_are_said(self) -> None:
        """A row without an interval says that its error is unknown, and what to do."""
        row = _recommended(_fitted(LINEAR, None))
        assert row.interval_seconds is None
        assert row.error_fraction is None
        assert is_too_noisy(row)
        assert [("few-samples", "raise --budget")] == [
            (notice.code, notice.advice) for notice in row.warnings
        ]

    @pytest.mark.parametrize(
        ("half_width", "codes"), [(TOO_NOISY * 0.99, []), (TOO_NOISY * 1.01, ["too-noisy"])]
    )
    def test_noise_is_no_answer(self, half_width: float, codes: list[str]) -> None:
        """A row whose interval is too wide to rely upon says so."""
        row = _recommended(_fitted(LINEAR, (1 - half_width, 1 + half_width)))
        assert codes == [notice.code for notice in row.warnings]
        assert bool(codes) == is_too_noisy(row)

    def test_a_target_out_of_reach_keeps_what_was_measured(self) -> None:
        """No cost is recommended that takes longer, but the lowest is kept for other targets."""
        row = _result(_fitted(STEPS), 1e-5, Rounding.DOWN)
        assert isinstance(row, Failure)
        assert row.code == "unreachable"
        assert row.error.startswith("the lowest legal cost, cost 4, takes 16.0 µs")
        assert row.measured == _recommended(_fitted(STEPS), 1e-5, Rounding.UP)


def _measured(clock: FakeClock) -> Profile:
    """A row with counts, one with steps, and one that failed."""

    def absent() -> FakeHasher:
        raise ModuleNotFoundError(name="absent")

    return measure(
        clock,
        FakeHasher(clock, name="counts", overhead=20e-6),
        FakeHasher(clock, name="steps", knob=STEPS),
        candidate("gone@absent", absent),
    )


def _slower_above(
    seconds: float, surcharge: float, unit: float, knob: Knob
) -> Callable[[int], float]:
    """A surcharge for each unit of work, for hashes that take longer than this."""
    return lambda value: surcharge * knob.work(value) * (unit * knob.work(value) > seconds)


class TestSolveAgain:
    """Another target from a profile, without measuring."""

    @given(
        unit=st.floats(min_value=1e-8, max_value=1e-4),
        overhead=st.floats(min_value=0.0, max_value=1e-4),
        slower=st.floats(min_value=0.0, max_value=0.3),
        target=st.floats(min_value=1e-3, max_value=2.0),
        rounding=roundings,
    )
    def test_the_same_question_has_the_same_answer(
        self, unit: float, overhead: float, slower: float, target: float, rounding: Rounding
    ) -> None:
        """With the target and the rounding of the profile, every row gives the same cost."""
        clock = FakeClock()
        rows = []
        for knob, above in itertools.product((LINEAR, STEPS), (target, target / 3)):
            row = FakeHasher(
                clock,
                name=f"{knob.scale.value}-{above}",
                knob=knob,
                overhead=overhead,
                seconds_per_unit=unit,
                surcharge=_slower_above(above, slower * unit, unit, knob),
            )
            rows.append(row)
        profile = measure(clock, *rows, target=target, rounding=rounding)
        again = solve_again(profile, target, rounding)
        assert [row.params for row in profile.recommendations] == [
            row.params for row in again.recommendations
        ]
        assert profile.failures == again.failures

    def test_another_target_is_answered_as_a_calibration_would(self, clock: FakeClock) -> None:
        """On a machine that keeps its speed, a profile answers like a fresh calibration."""
        for target in (0.0101, 0.101, 1.01):
            again = solve_again(_measured(clock), target, Rounding.UP)
            fresh = measure(
                clock,
                FakeHasher(clock, name="counts", overhead=20e-6),
                FakeHasher(clock, name="steps", knob=STEPS),
                target=target,
                rounding=Rounding.UP,
            )
            for row, expected in zip(again.recommendations, fresh.recommendations, strict=True):
                assert expected.params == row.params
                assert expected.time_seconds == pytest.approx(row.time_seconds)

    def test_the_profile_says_what_was_asked(self, clock: FakeClock) -> None:
        """The answer carries the new target and rounding, and the old facts."""
        profile = _measured(clock)
        again = solve_again(profile, 0.1, Rounding.UP)
        assert (again.target_seconds, again.rounding) == (0.1, Rounding.UP)
        assert profile == msgspec.structs.replace(
            again,
            target_seconds=profile.target_seconds,
            rounding=profile.rounding,
            results=profile.results,
        )
        assert isinstance(again.created, dt.datetime)

    def test_a_failed_row_stays_failed(self, clock: FakeClock) -> None:
        """A row that was not measured is handed on as it is."""
        profile = _measured(clock)
        assert profile.failures == solve_again(profile, 0.1, Rounding.DOWN).failures

    def test_a_target_below_the_lowest_cost_fails_its_row_alone(self, clock: FakeClock) -> None:
        """Where a row cannot reach the new target, it says so and the others answer."""
        again = solve_again(_measured(clock), 18e-6, Rounding.DOWN)
        assert [("counts@memory", "unreachable"), ("gone@absent", "unavailable")] == [
            (row.label, row.code) for row in again.results if isinstance(row, Failure)
        ]
        assert [{"cost": 4}] == [row.params for row in again.recommendations]

    def test_a_row_out_of_reach_answers_a_longer_target(self, clock: FakeClock) -> None:
        """A row that missed its target was measured nonetheless, and answers another."""
        slow = FakeHasher(clock, knob=STEPS, seconds_per_unit=0.05 / 2**4)
        profile = measure(clock, slow, target=0.04)
        assert profile.recommendations == ()
        for again in (profile, solve_again(profile, 0.03, Rounding.DOWN)):
            (row,) = solve_again(again, 0.21, Rounding.DOWN).recommendations
            assert row.params == {"cost": 6}
            assert row.time_seconds == pytest.approx(0.2)

    def test_an_answer_not_timed_is_not_called_confirmed(self, clock: FakeClock) -> None:
        """A cost at which the profile has no hash has no wall time."""
        profile = _measured(clock)
        assert [True, True] == [row.confirmed for row in profile.recommendations]
        again = solve_again(profile, 1.0, Rounding.DOWN)
        assert [False, False] == [row.confirmed for row in again.recommendations]

    def test_measured_steps_keep_their_own_time(self, clock: FakeClock) -> None:
        """A step that was timed slower than the model says decides at another target too."""
        steps = FakeHasher(clock, knob=STEPS, surcharge=lambda cost: 10e-3 if cost >= 16 else 0.0)
        profile = measure(clock, steps, target=0.05)
        (row,) = profile.recommendations
        assert row.params == {"cost": 15}
        (again,) = solve_again(profile, 0.070, Rounding.DOWN).recommendations
        assert again.params == {"cost": 15}
        (again,) = solve_again(profile, 0.080, Rounding.DOWN).recommendations
        assert again.params == {"cost": 16}
        assert again.time_seconds == pytest.approx(1e-6 * 2**16 + 10e-3)
