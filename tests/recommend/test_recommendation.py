"""From a fit to a recommendation, and from a profile to another target."""

from __future__ import annotations

import datetime as dt
import itertools
from collections.abc import Callable, Sequence

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakes import (
    LADDER,
    LINEAR,
    MIB,
    PAGE,
    PASSES,
    STEPS,
    FakeClock,
    FakeHasher,
    FakeLadder,
    candidate,
    measure,
)
from hashcost.core.measurement import (
    CostModel,
    Curve,
    Fit,
    Knob,
    Measurement,
    Params,
    Sample,
    Scale,
    work,
)
from hashcost.core.profile import Failure, Neighbour, Profile, Recommendation, Result, Rounding
from hashcost.recommend.recommendation import (
    TOO_NOISY,
    has_untimed_steps,
    is_too_noisy,
    recommendation,
    solve_again,
)
from strategies import roundings


def _fitted(knob: Knob, interval: tuple[float, float] | None = (0.98, 1.02)) -> Fit:
    curve = Curve(
        params={knob.name: knob.minimum},
        knob=knob,
        model=CostModel(
            parameter=knob.name, scale=knob.scale, overhead_seconds=0.0, seconds_per_unit=1e-6
        ),
        memory_bytes=4168,
        relative_interval=interval,
        step_seconds={15: 33e-3, 16: 70e-3} if knob is STEPS else {},
    )
    return Fit(curves=(curve,))


def _ladder(**seconds: float) -> Fit:
    """A fit of these steps, ``_8`` for 8 MiB, whose passes take so long; 8 has an interval."""
    curves = [
        Curve(
            params={"memory": step, "passes": 1},
            knob=PASSES,
            model=CostModel(
                fixed={"memory": step},
                parameter="passes",
                scale=Scale.LINEAR,
                overhead_seconds=0.0,
                seconds_per_unit=time,
            ),
            memory_bytes=step * MIB,
            relative_interval=(0.98, 1.02) if step == 8 else None,
        )
        for step, time in ((int(name.lstrip("_")), time) for name, time in seconds.items())
    ]
    return Fit(curves=tuple(curves))


def _recommended(
    fitted: Fit,
    target: float = 0.04001,
    rounding: Rounding = Rounding.DOWN,
    samples: Sequence[Sample] = (),
    threads: int = 1,
    page_bytes: int | None = PAGE,
) -> Recommendation:
    row = _result(fitted, target, rounding, samples, threads, page_bytes)
    assert isinstance(row, Recommendation)
    return row


def _result(
    fitted: Fit,
    target: float,
    rounding: Rounding,
    samples: Sequence[Sample] = (),
    threads: int = 1,
    page_bytes: int | None = PAGE,
) -> Result:
    knob = fitted.curves[0].knob
    assert knob is not None
    measurement = Measurement(
        hasher="fake",
        implementation="memory",
        implementation_version="1.0",
        clock="fake",
        threads=threads,
        knobs=(LADDER, knob) if knob is PASSES else (knob,),
        fitted=fitted,
        samples=tuple(samples),
        page_bytes=page_bytes,
    )
    return recommendation(measurement, target, rounding)


def _sample(
    params: Params, wall: float, cpu: float = 0.01, system: float = 0.0, faults: int = 0
) -> Sample:
    return Sample(
        params=params,
        cpu_seconds=cpu,
        wall_seconds=wall,
        system_seconds=system,
        page_faults=faults,
    )


def _codes(row: Recommendation) -> list[str]:
    return [notice.code for notice in row.warnings]


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
            Neighbour(
                params={"cost": 14},
                time_seconds=1e-6 * 2**14,
                memory_bytes=4168,
                measured=False,
            ),
            Neighbour(params={"cost": 16}, time_seconds=70e-3, memory_bytes=4168, measured=True),
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
        assert [("few-samples", "measure for this target with a longer --budget, or none")] == [
            (notice.code, notice.advice) for notice in row.warnings
        ]

    @pytest.mark.parametrize(
        ("half_width", "codes"), [(TOO_NOISY * 0.99, []), (TOO_NOISY * 1.01, ["too-noisy"])]
    )
    def test_noise_is_no_answer(self, half_width: float, codes: list[str]) -> None:
        """A row whose interval is too wide to rely upon says so."""
        row = _recommended(_fitted(LINEAR, (1 - half_width, 1 + half_width)))
        assert codes == _codes(row)
        assert bool(codes) == is_too_noisy(row)

    def test_a_target_out_of_reach_is_a_failure(self) -> None:
        """No cost is recommended that takes longer than the target."""
        row = _result(_fitted(STEPS), 1e-5, Rounding.DOWN)
        assert isinstance(row, Failure)
        assert row.code == "unreachable"
        assert row.error.startswith("even the lowest cost, cost=4, takes 16.0 µs")


class TestLadder:
    """A hasher that climbs a ladder of memory."""

    def test_other_memory_stands_beside_the_answer(self) -> None:
        """Every other step that was measured is a neighbour, with its own memory."""
        row = _recommended(_ladder(_2=3e-3, _8=15e-3, _64=0.1))
        assert {"memory": 8, "passes": 2} == row.params
        assert 8 * MIB == row.memory_bytes
        assert {"memory": 8} == row.model.fixed
        assert row.neighbours == (
            Neighbour(
                params={"memory": 2, "passes": 1},
                time_seconds=3e-3,
                memory_bytes=2 * MIB,
                measured=True,
            ),
            Neighbour(
                params={"memory": 64, "passes": 1},
                time_seconds=0.1,
                memory_bytes=64 * MIB,
                measured=True,
            ),
        )

    def test_an_answer_beside_the_samples_has_no_interval(self) -> None:
        """Of a step that was timed once or twice the error is unknown, and is said to be."""
        row = _recommended(_ladder(_2=3e-3, _8=15e-3, _64=0.1), target=0.2)
        assert {"memory": 64, "passes": 2} == row.params
        assert row.interval_seconds is None
        assert "few-samples" in _codes(row)

    def test_cpu_time_of_several_threads_is_that_of_hashes_at_the_answer(self) -> None:
        """Where wall time is solved on, the CPU time beside it is what hashes there burnt."""
        at = {"memory": 8, "passes": 2}
        samples = [_sample(at, 0.03, cpu=cpu) for cpu in (0.05, 0.09, 0.06)]
        row = _recommended(_ladder(_8=15e-3), samples=samples, threads=2)
        assert (0.06, 2) == (row.cpu_seconds, row.threads)
        assert 0.03 == pytest.approx(row.time_seconds)

    def test_cpu_time_of_one_thread_is_the_time(self) -> None:
        """Where CPU time is solved on, it is the CPU time that is shown."""
        at = {"memory": 8, "passes": 2}
        row = _recommended(_ladder(_8=15e-3), samples=[_sample(at, 0.09, cpu=0.07)])
        assert row.time_seconds == row.cpu_seconds

    @pytest.mark.parametrize("rounding", Rounding)
    @pytest.mark.parametrize(
        ("target", "steps", "untimed"),
        [
            pytest.param(0.04, {"_8": 15e-3, "_16": 0.1}, None, id="the next does not fit"),
            pytest.param(0.04, {"_8": 15e-3, "_16": 0.01, "_64": 0.1}, "32", id="a gap"),
            pytest.param(0.04, {"_8": 15e-3, "_64": 0.1}, "16", id="a wide gap"),
            pytest.param(0.12, {"_8": 15e-3, "_64": 0.025}, "128 to 256", id="all fit"),
            pytest.param(0.12, {"_8": 15e-3, "_512": 0.05}, "1024", id="all but one"),
        ],
    )
    def test_steps_that_nobody_timed_are_spoken_of(
        self, target: float, steps: dict[str, float], untimed: str | None, rounding: Rounding
    ) -> None:
        """Where steps that may give a stronger answer were not timed, the reader is told which,
        also where the answer was rounded beyond the target.
        """
        row = _recommended(_ladder(**steps), target=target, rounding=rounding)
        messages = [notice.message for notice in row.warnings if notice.code == "untimed-steps"]
        expected = [f"nothing was timed at memory={untimed}, which may give a stronger setting"]
        assert (expected if untimed else []) == messages
        assert has_untimed_steps(row) is (untimed is not None)

    def test_what_was_not_tried_below_is_not_called_out_of_reach(self) -> None:
        """A target is out of reach only if the least memory was timed and takes longer."""
        least = _result(_ladder(_1=15e-3), 0.01, Rounding.DOWN)
        cut_off = _result(_ladder(_8=15e-3), 0.01, Rounding.DOWN)
        assert isinstance(least, Failure)
        assert isinstance(cut_off, Failure)
        assert ("unreachable", "inconclusive") == (least.code, cut_off.code)
        assert cut_off.error == (
            "memory=8,passes=1 takes 15.0 ms, and no setting with less memory was timed;"
            " `calibrate fake@memory --target 10.0ms` times it"
        )

    def test_above_the_last_step_there_is_nothing(self) -> None:
        """Where the last step of the ladder fits, nothing is missing."""
        row = _recommended(_ladder(_8=15e-3, _1024=30e-3))
        assert "untimed-steps" not in _codes(row)


class TestFreshPages:
    """The cliff where each hash gets fresh memory."""

    @staticmethod
    def _samples(*, from_step: int, system: float) -> list[Sample]:
        """Two hashes at 1, 8 and 64 MiB, all of whose pages are fresh from a step on."""
        times = {1: 2e-3, 8: 15e-3, 64: 45e-3}
        return [
            _sample(
                {"memory": step, "passes": 1},
                wall=0.0,
                cpu=seconds,
                system=system if step >= from_step else 0.0,
                faults=step * 256 if step >= from_step else 3,
            )
            for step, seconds in times.items()
            for _ in range(2)
        ]

    def test_it_is_named_where_the_answer_lies_beyond_it(self) -> None:
        """Where the answer itself is given fresh pages, that is said."""
        fitted = _ladder(_1=2e-3, _8=15e-3)
        samples = self._samples(from_step=8, system=5e-3)[:4]
        row = _recommended(fitted, target=0.016, samples=samples)
        (notice,) = [notice for notice in row.warnings if notice.code == "page-faults"]
        assert "glibc" in notice.advice
        assert notice.message == (
            "each hash gets 8.00 MiB of fresh memory pages; without them it takes 10.0 ms"
            " instead of 15.0 ms"
        )

    def test_it_is_not_named_if_the_size_of_a_page_is_unknown(self) -> None:
        """A profile that does not say how large a page is gives no figure."""
        samples = self._samples(from_step=8, system=5e-3)[:4]
        fitted = _ladder(_1=2e-3, _8=15e-3)
        row = _recommended(fitted, target=0.016, samples=samples, page_bytes=None)
        assert "page-faults" not in _codes(row)

    @pytest.mark.parametrize(
        ("from_step", "system"),
        [(65, 10e-3), (64, 10e-3), (1, 10e-3)],
        ids=["no cliff", "above the answer", "fresh from the first step on"],
    )
    def test_it_is_not_named_where_it_explains_nothing(
        self, from_step: int, system: float
    ) -> None:
        """Without a cliff at or below the answer, no word."""
        fitted = _ladder(_1=2e-3, _8=15e-3, _64=45e-3)
        row = _recommended(fitted, samples=self._samples(from_step=from_step, system=system))
        assert "page-faults" not in _codes(row)


def _measured(clock: FakeClock) -> Profile:
    """Rows with counts, with steps, with two kinds of ladder, and one that failed."""

    def absent() -> FakeHasher:
        raise ModuleNotFoundError(name="absent")

    return measure(
        clock,
        FakeHasher(clock, name="counts", overhead=20e-6),
        FakeHasher(clock, name="steps", knob=STEPS),
        FakeLadder(clock, name="ladder"),
        FakeLadder(clock, name="rungs", passes=None),
        candidate("gone@absent", absent),
    )


def _slower_above(
    seconds: float, surcharge: float, unit: float, knob: Knob
) -> Callable[[int], float]:
    """A surcharge for each unit of work, for hashes that take longer than this."""
    return lambda value: (
        surcharge * work(knob.scale, value) * (unit * work(knob.scale, value) > seconds)
    )


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
        rows: list[FakeHasher] = []
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
        rows += [
            FakeLadder(clock, name="ladder", seconds_per_unit=1e4 * unit, filling=slower * unit),
            FakeLadder(clock, name="rungs", passes=None, seconds_per_unit=1e4 * unit),
        ]
        profile = measure(clock, *rows, target=target, rounding=rounding)
        again = solve_again(profile, target, rounding)
        assert [row.params for row in profile.recommendations] == [
            row.params for row in again.recommendations
        ]
        assert profile.failures == again.failures

    def test_another_target_is_answered_as_a_calibration_would(self, clock: FakeClock) -> None:
        """On a machine that keeps its speed, a profile answers like a fresh calibration."""
        for target in (0.0101, 0.101, 1.01):
            again = solve_again(
                measure(
                    clock,
                    FakeHasher(clock, name="counts", overhead=20e-6),
                    FakeHasher(clock, name="steps", knob=STEPS),
                ),
                target,
                Rounding.UP,
            )
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
        assert profile.failures == solve_again(profile, 0.04, Rounding.DOWN).failures

    def test_a_target_below_the_lowest_cost_fails_its_row_alone(self, clock: FakeClock) -> None:
        """Where a row cannot reach the new target, it says so and the others answer."""
        again = solve_again(_measured(clock), 18e-6, Rounding.DOWN)
        assert [
            ("counts@memory", "unreachable"),
            ("ladder@memory", "unreachable"),
            ("rungs@memory", "unreachable"),
            ("gone@absent", "unavailable"),
        ] == [(row.label, row.code) for row in again.results if isinstance(row, Failure)]
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
        """A cost at which the profile has no hash has no wall time; a step climbed past has."""
        profile = _measured(clock)
        assert [True] * 4 == [row.confirmed for row in profile.recommendations]
        again = solve_again(profile, 1.0, Rounding.DOWN)
        assert [False, False] == [row.confirmed for row in again.recommendations]
        again = solve_again(profile, 0.017, Rounding.DOWN)
        assert [False, False, True, True] == [row.confirmed for row in again.recommendations]

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

    @given(
        unit=st.floats(min_value=1e-4, max_value=1e-2),
        filling=st.floats(min_value=0.0, max_value=1e-3),
        targets=st.tuples(*[st.floats(min_value=0.02, max_value=2.0)] * 2),
        rounding=roundings,
        passes=st.booleans(),
    )
    def test_no_memory_is_recommended_that_was_not_measured(
        self,
        unit: float,
        filling: float,
        targets: tuple[float, float],
        rounding: Rounding,
        passes: bool,
    ) -> None:
        """At any other target the answer is a step that the profile has samples of."""
        clock = FakeClock()
        ladder = FakeLadder(
            clock, seconds_per_unit=unit, filling=filling, passes=PASSES if passes else None
        )
        measured, asked = targets
        profile = measure(clock, ladder, target=measured)
        for row in solve_again(profile, asked, rounding).recommendations:
            (measurement,) = profile.measurements
            known = {sample.params["memory"] for sample in measurement.samples}
            assert row.params["memory"] in known

    def test_a_longer_target_is_not_spent_on_passes(self, clock: FakeClock) -> None:
        """A profile that did not climb high enough is no answer, and the row says what is."""
        profile = measure(clock, FakeLadder(clock), target=0.03995)
        (row,) = solve_again(profile, 1.0, Rounding.DOWN).failures
        assert row.error == (
            "nothing was timed at memory=64 to 512, which may give a stronger setting;"
            " `calibrate fake@memory --target 1.00s` times it"
        )

    def test_a_shorter_target_climbs_down(self, clock: FakeClock) -> None:
        """A shorter target is answered by the steps below that were timed on the way."""
        profile = measure(clock, FakeLadder(clock), target=0.03995)
        (row,) = solve_again(profile, 0.0185, Rounding.DOWN).recommendations
        assert {"memory": 16, "passes": 1} == row.params

    def test_what_was_measured_with_lanes_is_solved_on_wall_time(self, clock: FakeClock) -> None:
        """A row of several threads keeps its clock and its threads at another target."""
        profile = measure(clock, FakeLadder(clock, lanes=True), target=0.03995, parallelism=2)
        (row,) = solve_again(profile, 0.06, Rounding.DOWN).recommendations
        assert ("perf_counter", 2) == (row.clock, row.threads)
        assert {"memory": 64, "passes": 1, "parallelism": 2} == row.params
        assert row.time_seconds == pytest.approx(0.032)
