"""From a fit to a recommendation, and from a profile to another target."""

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
from hashcost.core.profile import (
    TOO_NOISY,
    Failure,
    Neighbour,
    Profile,
    Recommendation,
    Result,
    is_too_noisy,
)
from hashcost.recommend.recommendation import recommendation, solve_again


def _fitted(knob: Knob, interval: tuple[float, float] = (0.98, 1.02)) -> Fit:
    curve = Curve(
        params={knob.name: knob.minimum},
        knob=knob,
        model=CostModel(
            parameter=knob.name, scale=knob.scale, overhead_seconds=0.0, seconds_per_unit=1e-6
        ),
        memory_bytes=4168,
        relative_interval=interval,
    )
    return Fit(curves=(curve,))


def _ladder(**seconds: float) -> Fit:
    """A fit of these steps, ``_8`` for 8 MiB, whose passes take so long; 8 has an interval."""
    curves = [
        Curve(
            params={"memory": step, "passes": 1},
            knob=PASSES,
            model=CostModel(
                parameter="passes",
                scale=Scale.LINEAR,
                overhead_seconds=0.0,
                seconds_per_unit=time,
            ),
            memory_bytes=step * MIB,
            relative_interval=(0.98, 1.02),
        )
        for step, time in ((int(name.lstrip("_")), time) for name, time in seconds.items())
    ]
    return Fit(curves=tuple(curves))


def _recommended(
    fitted: Fit,
    target: float = 0.04001,
    samples: Sequence[Sample] = (),
    threads: int = 1,
    page_bytes: int | None = PAGE,
) -> Recommendation:
    row = _result(fitted, target, samples, threads, page_bytes)
    assert isinstance(row, Recommendation)
    return row


def _result(
    fitted: Fit,
    target: float,
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
    return recommendation(measurement, target)


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
        assert row.wall_seconds is not None

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
            Neighbour(
                params={"cost": 16},
                time_seconds=1e-6 * 2**16,
                memory_bytes=4168,
                measured=False,
            ),
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

    @pytest.mark.parametrize(
        ("half_width", "codes"), [(TOO_NOISY * 0.99, []), (TOO_NOISY * 1.01, ["too-noisy"])]
    )
    def test_noise_is_no_answer(self, half_width: float, codes: list[str]) -> None:
        """A row whose interval is too wide to rely upon says so."""
        row = _recommended(_fitted(LINEAR, (1 - half_width, 1 + half_width)))
        assert codes == _codes(row)
        assert bool(codes) == is_too_noisy(row)


class TestLadder:
    """A hasher that climbs a ladder of memory."""

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
    )
    def test_the_same_question_has_the_same_answer(
        self, unit: float, overhead: float, slower: float, target: float
    ) -> None:
        """With the target of the profile, every row gives the same cost."""
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
        profile = measure(clock, *rows, target=target)
        again = solve_again(profile, target)
        assert [row.params for row in profile.recommendations] == [
            row.params for row in again.recommendations
        ]
        assert profile.failures == again.failures

    def test_the_profile_says_what_was_asked(self, clock: FakeClock) -> None:
        """The answer carries the new target, and the old facts."""
        profile = _measured(clock)
        again = solve_again(profile, 0.1)
        assert again.target_seconds == 0.1
        assert profile == msgspec.structs.replace(
            again,
            target_seconds=profile.target_seconds,
            results=profile.results,
        )
        assert isinstance(again.created, dt.datetime)

    def test_a_target_below_the_lowest_cost_fails_its_row_alone(self, clock: FakeClock) -> None:
        """Where a row cannot reach the new target, it says so and the others answer."""
        again = solve_again(_measured(clock), 18e-6)
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
        for again in (profile, solve_again(profile, 0.03)):
            (row,) = solve_again(again, 0.21).recommendations
            assert row.params == {"cost": 6}
            assert row.time_seconds == pytest.approx(0.2)

    def test_a_shorter_target_climbs_down(self, clock: FakeClock) -> None:
        """A shorter target is answered by the steps below that were timed on the way."""
        profile = measure(clock, FakeLadder(clock), target=0.03995)
        (row,) = solve_again(profile, 0.0185).recommendations
        assert {"memory": 16, "passes": 1} == row.params

    def test_what_was_measured_with_lanes_is_solved_on_wall_time(self, clock: FakeClock) -> None:
        """A row of several threads keeps its clock and its threads at another target."""
        profile = measure(clock, FakeLadder(clock, lanes=True), target=0.03995, parallelism=2)
        (row,) = solve_again(profile, 0.06).recommendations
        assert ("perf_counter", 2) == (row.clock, row.threads)
        assert {"memory": 64, "passes": 1, "parallelism": 2} == row.params
        assert row.time_seconds == pytest.approx(0.032, rel=0.02)
