"""From a fit to a recommendation, and from a profile to another target."""

import datetime as dt
import itertools
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakes import (
    LADDER,
    LINEAR,
    PAGE,
    PASSES,
    STEPS,
    FakeClock,
    FakeHasher,
    FakeLadder,
    curve_of,
    every_kind,
    known,
    measure,
    slowed,
    step_curve,
)
from hashcost.core.measurement import Fit, Knob, Params, Sample, work
from hashcost.core.profile import (
    MEMORY_BOUND,
    TOO_NOISY,
    Failure,
    Neighbour,
    Recommendation,
    is_too_noisy,
)
from hashcost.recommend.recommendation import (
    for_all_libraries,
    recommendation,
    recommended_row,
    solve_again,
)


def _fitted(knob: Knob, interval: tuple[float, float] = (0.98, 1.02)) -> Fit:
    return Fit(curves=(curve_of(knob, 1e-6, memory_bytes=4168, relative_interval=interval),))


def _ladder(**seconds: float) -> Fit:
    """A fit of these steps, ``_8`` for 8 MiB, whose passes take so long; 8 has an interval."""
    curves = [
        step_curve(int(name.lstrip("_")), time, relative_interval=(0.98, 1.02))
        for name, time in seconds.items()
    ]
    return Fit(curves=tuple(curves))


def _recommended(
    fitted: Fit, target: float = 0.04001, samples: Sequence[Sample] = (), threads: int = 1
) -> Recommendation:
    knob = fitted.curves[0].knob
    assert knob is not None
    knobs = (LADDER, knob) if knob is PASSES else (knob,)
    measured = known(fitted, *knobs, threads=threads, samples=tuple(samples), page_bytes=PAGE)
    row = recommendation(measured, target)
    assert isinstance(row, Recommendation)
    return row


def _sample(params: Params, wall: float, cpu: float = 0.01) -> Sample:
    return Sample(params=params, cpu_seconds=cpu, wall_seconds=wall)


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

    def test_a_step_shows_its_neighbours(self) -> None:
        """A step knob shows the step below and above, and which of them was measured."""
        row = _recommended(_fitted(STEPS))
        assert row.params == {"cost": 15}
        usual: Any = {"memory_bytes": 4168, "measured": False}
        assert row.neighbours == tuple(
            Neighbour(params={"cost": cost}, time_seconds=1e-6 * 2**cost, **usual)
            for cost in (14, 16)
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
        assert codes == [notice.code for notice in row.warnings]
        assert bool(codes) == is_too_noisy(row)


def test_cpu_time_of_several_threads_is_that_of_hashes_at_the_answer() -> None:
    """Where wall time is solved on, the CPU time beside it is what hashes there burnt."""
    at = {"memory": 8, "passes": 2}
    samples = [_sample(at, 0.03, cpu=cpu) for cpu in (0.05, 0.09, 0.06)]
    row = _recommended(_ladder(_8=15e-3), samples=samples, threads=2)
    assert (0.06, 2) == (row.cpu_seconds, row.threads)
    assert 0.03 == pytest.approx(row.time_seconds)


def test_a_setting_for_all_libraries_is_the_slowest_ones() -> None:
    """Of several libraries of one hasher, the answer fits the target in the slowest of them, and
    its time is that library's; without a setting that fits in all there is none.
    """
    quick = known(_fitted(LINEAR), LINEAR, implementation="quick")
    slow = slowed(msgspec.structs.replace(quick, implementation="slow"), 2.5)
    for order in ((quick, slow), (slow, quick)):
        row = for_all_libraries(order, 0.04)
        assert row is not None
        assert "slow" == row.implementation
        assert row.params == recommended_row(recommendation(slow, 0.04)).params
        assert row.time_seconds <= 0.04

    assert for_all_libraries((quick, slow), 1e-9) is None


def test_cpu_time_of_one_thread_is_the_time() -> None:
    """Where CPU time is solved on, it is the CPU time that is shown."""
    at = {"memory": 8, "passes": 2}
    row = _recommended(_ladder(_8=15e-3), samples=[_sample(at, 0.09, cpu=0.07)])
    assert row.time_seconds == row.cpu_seconds


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
            FakeLadder(clock, name="memory-only", passes=None, seconds_per_unit=1e4 * unit),
        ]
        profile = measure(clock, *rows, target=target)
        again = solve_again(profile, target)
        assert [row.params for row in profile.recommendations] == [
            row.params for row in again.recommendations
        ]
        assert profile.failures == again.failures

    def test_the_profile_says_what_was_asked(self, clock: FakeClock) -> None:
        """The answer carries the new target, and the old facts."""
        profile = every_kind(clock)
        again = solve_again(profile, 0.1)
        assert again.target_seconds == 0.1
        assert profile == msgspec.structs.replace(
            again, target_seconds=profile.target_seconds, results=profile.results
        )
        assert isinstance(again.created, dt.datetime)

    def test_a_target_below_the_lowest_cost_fails_its_row_alone(self, clock: FakeClock) -> None:
        """Where a row cannot reach the new target, it says so and the others answer."""
        again = solve_again(every_kind(clock), 18e-6)
        assert [
            ("counts@memory", "unreachable"),
            ("ladder@memory", "unreachable"),
            ("memory-only@memory", "unreachable"),
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
        assert {"memory": 32, "passes": 3, "parallelism": 2} == row.params
        assert row.time_seconds == pytest.approx(0.048, rel=0.02)


class TestMemoryBound:
    """Where memory limits the answer, a notice says so, with the command that measures further."""

    def test_the_memory_allowed(self, clock: FakeClock) -> None:
        """Twice the largest memory would fit the target and be stronger."""
        ladder = FakeLadder(clock, filling=1e-3)
        (row,) = measure(clock, ladder, target=0.2, memory_bytes=8 << 20).recommendations
        (bound,) = (notice for notice in row.warnings if notice.code == MEMORY_BOUND)

        assert 8 == row.params["memory"]
        assert "no hash of more than 8.00 MiB fits the memory limit" == bound.message
        assert "`calibrate fake --target 200ms --memory 16MiB` measures more" == bound.advice

    def test_the_memory_timed(self, clock: FakeClock) -> None:
        """A profile answers a much longer target within twice the memory that it timed."""
        profile = measure(clock, FakeLadder(clock, filling=1e-3), target=0.02)
        (surface,) = (measured.fitted.surface for measured in profile.measurements)
        assert surface is not None
        (row,) = solve_again(profile, 2.0).recommendations
        (bound,) = (notice for notice in row.warnings if notice.code == MEMORY_BOUND)

        assert row.memory_bytes <= 2 * surface.sampled_bytes[1]
        assert "memory is limited to twice the" in bound.message
        assert "`calibrate fake --target 2.00s` measures more" == bound.advice

    def test_nothing_is_said_where_memory_is_no_limit(self, clock: FakeClock) -> None:
        """A run for the target itself times what it answers."""
        (row,) = measure(clock, FakeLadder(clock, filling=1e-3), target=0.2).recommendations
        assert not any(notice.code == MEMORY_BOUND for notice in row.warnings)
