"""Memory-hard hashers in a calibration, on a fake clock."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakes import (
    LADDER,
    MIB,
    PAGE,
    PASSES,
    TWO_CPUS,
    FakeClock,
    FakeHasher,
    FakeLadder,
    candidate,
    fake_host,
    measure,
    samples_of,
)
from hashcost.core.algorithms import area_time
from hashcost.core.errors import UnavailableError, UsageError
from hashcost.core.measurement import Knob, Params
from hashcost.core.profile import Failure, Profile, Recommendation, Rounding
from hashcost.hashers.registry import Candidate
from hashcost.machine.history import History, PastAnswer, PastRun, hasher_key, machine_key
from hashcost.machine.host import Host
from hashcost.measure.effort import FAST, NORMAL
from hashcost.recommend.recommendation import solve_again

TARGET = 0.03995
"""Not where the fakes' costs step from one value to the next."""

COARSE = msgspec.structs.replace(LADDER, steps=(1, 8, 64))


def _only(profile: Profile) -> Recommendation:
    (row,) = profile.results
    assert isinstance(row, Recommendation), row.error
    return row


def _error(profile: Profile) -> tuple[str, str]:
    (failure,) = profile.failures
    return failure.code, failure.error


def _argon2id(clock: FakeClock) -> FakeLadder:
    """A ladder that goes by Argon2's name, and whose steps are taken for its blocks."""
    return FakeLadder(
        clock,
        name="argon2id",
        lanes=True,
        seconds_per_unit=1e-4,
        knob=msgspec.structs.replace(LADDER, name="memory_kib"),
        passes=msgspec.structs.replace(PASSES, name="time_cost"),
    )


class TestAnswer:
    """The right memory, and the right passes over it."""

    @pytest.mark.parametrize(
        ("rounding", "params"),
        [
            (Rounding.DOWN, {"memory": 8, "passes": 4}),
            (Rounding.UP, {"memory": 8, "passes": 5}),
            (Rounding.NEAREST, {"memory": 8, "passes": 5}),
        ],
    )
    def test_the_largest_memory_then_the_passes(
        self, clock: FakeClock, rounding: Rounding, params: Params
    ) -> None:
        """Of memory the most that fits the target is taken, then passes fill it."""
        ladder = FakeLadder(clock, knob=COARSE)
        row = _only(measure(clock, ladder, target=TARGET, rounding=rounding))
        assert params == row.params
        assert params["memory"] * MIB == row.memory_bytes
        assert ladder.cpu_seconds(params) == pytest.approx(row.time_seconds)
        assert row.time_seconds == row.cpu_seconds
        assert row.confirmed
        assert ("fake", 1) == (row.clock, row.threads)

    @pytest.mark.parametrize(
        ("rounding", "memory"), [(Rounding.DOWN, 32), (Rounding.UP, 64), (Rounding.NEAREST, 32)]
    )
    def test_memory_alone(self, clock: FakeClock, rounding: Rounding, memory: int) -> None:
        """A hasher without passes is given the step below the target, above it, or nearer."""
        ladder = FakeLadder(clock, passes=None)
        row = _only(measure(clock, ladder, target=TARGET, rounding=rounding))
        assert {"memory": memory} == row.params
        assert memory * 1e-3 == pytest.approx(row.time_seconds)
        assert row.interval_seconds is not None

    def test_the_step_across_the_target_is_shown(self, clock: FakeClock) -> None:
        """What the next step of memory takes at least stands beside the answer."""
        row = _only(measure(clock, FakeLadder(clock), target=TARGET))
        beyond = [step for step in row.neighbours if step.time_seconds > TARGET]
        assert [({"memory": 64, "passes": 1}, 64 * MIB, False)] == [
            (step.params, step.memory_bytes, step.measured) for step in beyond
        ]

    @given(
        unit=st.floats(min_value=1e-5, max_value=1e-2),
        filling=st.floats(min_value=0.0, max_value=1e-3),
        cliff=st.none() | st.sampled_from(LADDER.steps),
        target=st.floats(min_value=0.012, max_value=2.0),
        passes=st.booleans(),
    )
    def test_on_any_machine_the_answer_is_within_the_target(
        self, unit: float, filling: float, cliff: int | None, target: float, passes: bool
    ) -> None:
        """However fast, and wherever its cliff, one hash takes at most the target, at a step
        that was timed; no other step that was timed has a setting that is clearly stronger.
        """
        clock = FakeClock()
        ladder = FakeLadder(
            clock,
            seconds_per_unit=unit,
            filling=filling,
            cliff=cliff,
            passes=PASSES if passes else None,
        )
        profile = measure(clock, ladder, target=target, budget=1e9)
        row = _only(profile)
        assert ladder.cpu_seconds(row.params) <= target * 1.001
        timed = {sample.params["memory"] for sample in samples_of(profile, row)}
        assert row.params["memory"] in timed
        strength = area_time("fake")
        own = strength(row.params, row.memory_bytes)
        for memory in timed:
            params = {**ladder.lowest, "memory": memory}
            left = target * 0.999 - ladder.cpu_seconds(params)
            if left < 0:
                continue
            if passes:
                params["passes"] = min(1 + int(left / (memory * unit)), PASSES.maximum)
            assert strength(params, memory * MIB) * 0.94 <= own

    def test_an_unreachable_target_says_the_smallest_that_is(self, clock: FakeClock) -> None:
        """Where the lowest step takes longer than the target, its row fails with its time,
        and keeps what was measured.
        """
        slow = FakeLadder(clock, seconds_per_unit=0.05)
        profile = measure(clock, slow, target=TARGET)
        assert (
            "unreachable",
            "even the lowest cost, memory=1,passes=1, takes 50.0 ms; raise --target",
        ) == _error(profile)
        (measurement,) = profile.measurements
        assert {"memory": 1, "passes": 1} == measurement.lowest

    def test_a_hasher_that_breaks_at_some_memory_loses_its_row_alone(
        self, clock: FakeClock
    ) -> None:
        """A library that cannot get so much memory fails its own row."""

        def answer(memory: int, output: bytes) -> bytes:
            if memory >= 16:
                raise MemoryError("Memory allocation error")
            return output

        profile = measure(clock, FakeLadder(clock, answer=answer), FakeHasher(clock, name="other"))
        assert ("unavailable", "failed: Memory allocation error") == _error(profile)
        assert ["other"] == [row.hasher for row in profile.recommendations]

    def test_a_step_that_is_borderline_is_answered_all_the_same(self, clock: FakeClock) -> None:
        """Where a step fits at first, and not once it is sampled, the one below is the answer,
        with its interval.
        """
        times = itertools.chain([1.005, 1.05], itertools.repeat(1.06))
        # 32 MiB take 38.4 ms, 40.2 ms, and from then on 40.5 ms.
        ladder = FakeLadder(
            clock,
            passes=None,
            seconds_per_unit=1.195e-3,
            surcharge=lambda memory: 38.24e-3 * (next(times) - 1) if memory == 32 else 0.0,
        )
        row = _only(measure(clock, ladder, target=TARGET))
        assert {"memory": 16} == row.params
        assert row.interval_seconds is not None
        assert [] == [notice.code for notice in row.warnings]


class TestMemoryLimit:
    """What one hash may take."""

    @pytest.mark.parametrize(
        ("memory", "params"),
        [
            (16 * MIB, {"memory": 16, "passes": 2}),
            (31 * MIB, {"memory": 16, "passes": 2}),
            (1 * MIB, {"memory": 1, "passes": 39}),
            (1 << 30, {"memory": 32, "passes": 1}),
        ],
    )
    def test_no_step_beyond_it_is_timed(
        self, clock: FakeClock, memory: int, params: Params
    ) -> None:
        """With less memory the time goes into passes, and no hash takes more."""
        profile = measure(clock, FakeLadder(clock), target=TARGET, memory=memory)
        row = _only(profile)
        assert params == row.params
        assert max(sample.params["memory"] for sample in samples_of(profile, row)) * MIB <= memory
        assert max(row.knobs[0].steps) * MIB <= memory

    @pytest.mark.parametrize(("free", "memory"), [(64 * MIB, 16), (4 << 30, 512)])
    def test_by_default_a_quarter_of_what_is_free(
        self, clock: FakeClock, free: int, memory: int
    ) -> None:
        """Unless told, a hash takes a quarter of the free memory."""
        host = fake_host(clock, free=free)
        row = _only(measure(clock, FakeLadder(clock), target=0.6, host=host))
        assert memory == row.params["memory"]

    def test_otherwise_a_quarter_of_what_there_is(self, clock: FakeClock) -> None:
        """If the system only tells how much memory it has, a hash takes a quarter of that."""
        machine = msgspec.structs.replace(TWO_CPUS, memory_bytes=512 * MIB)
        host = fake_host(clock, free=None, machine=machine)
        row = _only(measure(clock, FakeLadder(clock), target=0.6, host=host))
        assert 128 == row.params["memory"]

    def test_unknown_memory_has_to_be_given(self, clock: FakeClock) -> None:
        """If the system tells nothing, the user has to, for what is memory-hard; others go on."""
        ladder = FakeLadder(clock, name="ladder")
        host = fake_host(clock, free=None)
        failed, other = measure(clock, ladder, FakeHasher(clock), host=host).results
        assert isinstance(failed, Failure)
        assert isinstance(other, Recommendation)
        assert [] == [call for call in ladder.calls if call.password != b"known"]
        assert ("unreachable", True) == (
            failed.code,
            "`calibrate ladder --memory 256MiB`" in failed.error,
        )

    def test_more_than_the_machine_has_is_refused(self, clock: FakeClock) -> None:
        """A limit beyond what is free is refused before anything is timed."""
        ladder = FakeLadder(clock)
        with pytest.raises(UsageError) as refused:
            measure(clock, ladder, memory=65 * MIB, host=fake_host(clock, free=64 * MIB))
        assert [] == ladder.calls
        assert str(refused.value) == (
            "--memory: 65.0 MiB is more than the 64.0 MiB that this machine has free; lower it"
        )

    def test_an_unknown_machine_is_trusted_with_what_is_asked(self, clock: FakeClock) -> None:
        """Where the system does not tell what is free, the limit asked for is taken."""
        host = fake_host(clock, free=None)
        row = _only(measure(clock, FakeLadder(clock), target=0.6, memory=1 << 29, host=host))
        assert {"memory": 512, "passes": 1} == row.params

    def test_hashes_at_once_share_the_memory(self, clock: FakeClock) -> None:
        """Hashes at once have room together, and the profile says in how much memory."""
        ladder = FakeLadder(clock)
        wanted: dict[str, Any] = {"at_once": 10, "memory_total": 256 * MIB}
        profile = measure(clock, ladder, target=0.6, **wanted)
        assert 16 * MIB == _only(profile).memory_bytes
        assert profile.concurrency is not None
        assert 10 * 16 * MIB <= profile.concurrency.room_bytes
        lower = measure(clock, ladder, target=0.6, memory=4 * MIB, **wanted)
        assert 4 * MIB == _only(lower).memory_bytes

    def test_too_many_at_once_are_out_of_reach(self, clock: FakeClock) -> None:
        """Where a share is below the least memory, the message has the options to change."""
        profile = measure(clock, FakeLadder(clock), at_once=1000, memory_total=116 * MIB)
        code, error = _error(profile)
        assert code == "unreachable"
        assert error.endswith("102 KiB are allowed; raise --memory-total, or lower --at-once")

    def test_less_than_the_lowest_step_is_out_of_reach(self, clock: FakeClock) -> None:
        """A limit below the least memory fails that row alone, and says the least."""
        ladder = FakeLadder(clock, knob=COARSE)
        profile = measure(clock, ladder, FakeHasher(clock, name="other"), memory=4096)
        assert (
            "unreachable",
            "its lowest memory is 1.00 MiB but only 4.00 KiB are allowed; raise --memory",
        ) == _error(profile)
        assert ["other"] == [row.hasher for row in profile.recommendations]

    def test_hashers_without_steps_are_left_alone(self, clock: FakeClock) -> None:
        """A limit on memory changes nothing for a hasher that has no memory to turn."""
        limited = measure(clock, FakeHasher(clock, memory=64 * MIB), target=TARGET, memory=4096)
        assert {"rounds": 39_900} == _only(limited).params


class TestLanes:
    """A hash that runs in several threads."""

    def test_it_is_solved_on_wall_time(self, clock: FakeClock) -> None:
        """Two lanes on two cores take half the wall time; both times are told, and the clock."""
        ladder = FakeLadder(clock, lanes=True)
        row = _only(measure(clock, ladder, target=TARGET, parallelism=2))
        assert {"memory": 64, "passes": 1, "parallelism": 2} == row.params
        assert ("perf_counter", 2) == (row.clock, row.threads)
        assert row.time_seconds == pytest.approx(0.032)
        assert row.wall_seconds == pytest.approx(0.032)
        assert row.cpu_seconds == pytest.approx(0.064)

    def test_one_lane_is_solved_on_cpu_time(self, clock: FakeClock) -> None:
        """Without lanes asked for there is one, and the CPU clock decides."""
        ladder = FakeLadder(clock, lanes=True, slow=lambda: 1.5)
        row = _only(measure(clock, ladder, target=TARGET))
        assert {"memory": 32, "passes": 1, "parallelism": 1} == row.params
        assert ("fake", 1) == (row.clock, row.threads)

    def test_the_answer_is_of_these_lanes_alone(self, clock: FakeClock) -> None:
        """Every hash that is timed has as many lanes as were asked for."""
        profile = measure(clock, FakeLadder(clock, lanes=True), target=TARGET, parallelism=4)
        row = _only(profile)
        settings = [row.params, *(step.params for step in row.neighbours)]
        settings += [sample.params for sample in samples_of(profile, row)]
        assert {4} == {params["parallelism"] for params in settings}
        assert {"parallelism": 4, "memory": 64} == row.model.fixed

    def test_lanes_need_memory_each(self, clock: FakeClock) -> None:
        """A step with less than Argon2's eight blocks for each lane is not timed."""
        profile = measure(clock, _argon2id(clock), target=TARGET, parallelism=5)
        row = _only(profile)
        assert 64 == min(row.knobs[0].steps)
        assert all(sample.params["memory_kib"] >= 64 for sample in samples_of(profile, row))

    def test_more_lanes_than_memory_are_out_of_reach(self, clock: FakeClock) -> None:
        """Lanes that no step has the memory for fail the row, and name what to change."""
        code, error = _error(measure(clock, _argon2id(clock), parallelism=2000))
        assert code == "unreachable"
        assert "--parallelism" in error

    def test_lanes_of_hashers_that_have_none_are_refused(self, clock: FakeClock) -> None:
        """Lanes asked for where no hasher has any are a mistake."""
        with pytest.raises(UsageError) as refused:
            measure(clock, FakeHasher(clock), target=TARGET, parallelism=4)
        assert str(refused.value) == (
            "--parallelism applies only to argon2id; add argon2id or leave it out"
        )

    def test_hashers_without_lanes_are_left_alone(self, clock: FakeClock) -> None:
        """Beside one that has lanes, a hasher without them runs in one thread."""
        profile = measure(
            clock,
            FakeHasher(clock),
            FakeLadder(clock, name="lanes", lanes=True),
            target=TARGET,
            parallelism=2,
        )
        assert {"fake": 1, "lanes": 2} == {
            row.hasher: row.threads for row in profile.recommendations
        }


class TestBusyMachine:
    """Neighbours that share the memory."""

    def test_contention_widens_the_interval(self, clock: FakeClock) -> None:
        """A hash in memory that had to wait for its CPU was slowed down too: by how much it
        waited, the interval is wider.
        """
        quiet = _only(measure(clock, FakeLadder(clock), target=TARGET))
        busy = _only(measure(clock, FakeLadder(clock, slow=lambda: 3.0), target=TARGET))
        assert quiet.params == busy.params
        assert 0.01 == pytest.approx(quiet.error_fraction)
        assert 0.25 * (2 / 3) == pytest.approx(busy.error_fraction)

    def test_it_does_not_for_a_hash_in_the_cache(self, clock: FakeClock) -> None:
        """A hash that needs no memory to speak of is as fast among neighbours."""
        busy = _only(measure(clock, FakeHasher(clock, slow=lambda: 3.0), target=TARGET))
        assert 0.01 == pytest.approx(busy.error_fraction)

    @given(
        st.randoms(),
        st.booleans(),
        st.floats(min_value=1.0, max_value=4.0),
        st.sampled_from([FAST, NORMAL]),
    )
    def test_it_does_not_weaken_the_answer(
        self, chance: Any, passes: bool, slow: float, effort: Any
    ) -> None:
        """Wall time that is several times the CPU time changes no memory and no pass."""
        clock = FakeClock()
        quiet, busy = (
            FakeLadder(clock, passes=PASSES if passes else None, slow=how)
            for how in (lambda: 1.0, lambda: chance.uniform(1.0, slow))
        )
        rows = [_only(measure(clock, row, target=TARGET, effort=effort)) for row in (quiet, busy)]
        assert rows[0].params == rows[1].params


class TestFreshPages:
    """The cliff where each hash gets fresh memory."""

    def test_a_cliff_that_the_answer_does_not_meet_is_not_named(self, clock: FakeClock) -> None:
        """Where a step beyond the cliff is timed and does not fit, the answer is not marked."""
        ladder = FakeLadder(clock, cliff=32, page_seconds=1.25e-6)
        row = _only(measure(clock, ladder, target=TARGET))
        assert {"memory": 16, "passes": 2} == row.params
        assert "page-faults" not in [notice.code for notice in row.warnings]

    def test_an_answer_beyond_the_cliff_names_it(self, clock: FakeClock) -> None:
        """Where the step beyond the cliff fits, it is taken, and the row tells what fresh pages
        take of its time, and what it takes without them.
        """
        ladder = FakeLadder(clock, cliff=32, page_seconds=0.5e-6)
        row = _only(measure(clock, ladder, target=TARGET))
        assert {"memory": 32, "passes": 1} == row.params
        (notice,) = row.warnings
        assert notice.code == "page-faults"
        assert notice.message.endswith("; without them it takes 32.0 ms instead of 36.1 ms")
        assert row.page_fault_seconds == pytest.approx(32 * MIB / PAGE * 0.5e-6)

    @pytest.mark.parametrize("cliff", [None, 1, 128])
    def test_no_cliff_is_not_named(self, clock: FakeClock, cliff: int | None) -> None:
        """Where fresh pages take next to nothing, or there are none, nothing is said."""
        ladder = FakeLadder(clock, cliff=cliff, page_seconds=1e-7)
        assert () == _only(measure(clock, ladder, target=TARGET)).warnings


class TestTradeoff:
    """Memory against passes."""

    def test_a_row_for_each_step_that_leaves_room(self, clock: FakeClock) -> None:
        """Every step up to the largest that fits is solved for passes, the least memory first."""
        profile = measure(clock, FakeLadder(clock), target=TARGET, tradeoff=True)
        assert [(1, 39), (2, 19), (4, 9), (8, 4), (16, 2), (32, 1)] == [
            (row.params["memory"], row.params["passes"]) for row in profile.recommendations
        ]
        assert () == profile.failures
        for row in profile.recommendations:
            assert row.time_seconds <= TARGET
            assert row.confirmed
            assert row.interval_seconds is not None
            assert row.params["memory"] * MIB == row.memory_bytes

    def test_a_memory_limit_ends_it(self, clock: FakeClock) -> None:
        """With less memory allowed, the rows end there."""
        profile = measure(clock, FakeLadder(clock), target=TARGET, tradeoff=True, memory=4 * MIB)
        assert [1, 2, 4] == [row.params["memory"] for row in profile.recommendations]

    def test_a_step_that_leaves_no_room_is_no_row(self, clock: FakeClock) -> None:
        """A smaller step that takes longer than the target is left out, not a failure."""
        ladder = FakeLadder(clock, surcharge=lambda memory: 1.0 if memory == 4 else 0.0)
        profile = measure(clock, ladder, target=TARGET, tradeoff=True)
        assert [1, 2, 8, 16, 32] == [row.params["memory"] for row in profile.recommendations]
        assert () == profile.failures

    def test_an_unreachable_target_fails_as_without(self, clock: FakeClock) -> None:
        """Where not even the lowest step fits, the one row says so."""
        ladder = FakeLadder(clock, seconds_per_unit=0.05)
        profile = measure(clock, ladder, target=TARGET, tradeoff=True)
        assert ["unreachable"] == [row.code for row in profile.failures]
        assert () == profile.recommendations

    @pytest.mark.parametrize("count", [2, 3])
    def test_several_hashers_are_refused(self, clock: FakeClock, count: int) -> None:
        """It is of one hasher; several are refused with those that can be named."""
        ladders = [FakeLadder(clock, name=f"ladder{index}") for index in range(count)]
        with pytest.raises(UsageError) as refused:
            measure(clock, *ladders, tradeoff=True)
        assert str(refused.value) == "--tradeoff: name one hasher, scrypt or argon2id"
        assert [[]] * count == [ladder.calls for ladder in ladders]

    @pytest.mark.parametrize("memory_alone", [False, True], ids=["no memory", "no passes"])
    def test_a_hasher_with_nothing_to_trade_is_refused(
        self, clock: FakeClock, memory_alone: bool
    ) -> None:
        """A hasher without memory to turn, or without passes, is refused by name."""
        row = FakeLadder(clock, passes=None) if memory_alone else FakeHasher(clock)
        with pytest.raises(UsageError) as refused:
            measure(clock, row, tradeoff=True)
        assert (
            str(refused.value)
            == "--tradeoff: fake has no memory setting to trade for passes; name scrypt or"
            " argon2id"
        )

    def test_a_hasher_that_does_not_load_fails_as_without(self, clock: FakeClock) -> None:
        """A hasher that is not here is a failed row, with or without the question."""
        assert ("unavailable", "made unavailable") == _error(
            measure(clock, _unavailable("gone@absent"), tradeoff=True)
        )

    def test_every_row_is_remembered_by_its_memory(self, clock: FakeClock, tmp_path: Path) -> None:
        """A pass over other memory is another thing to be compared with."""
        history = History(tmp_path / "history.json")
        host = fake_host(clock, history=history)
        profile = measure(clock, FakeLadder(clock), target=TARGET, tradeoff=True, host=host)
        (run,) = history.all_runs()
        answered = {
            hasher_key("fake@memory", "1.0", row.params)
            for row in profile.results
            if isinstance(row, Recommendation)
        }
        assert 6 == len(answered)
        assert answered <= run.seconds_per_unit.keys()


QUARTERS: Final = msgspec.structs.replace(
    LADDER, steps=tuple(sorted({round(1.25**power) for power in range(28)}))
)


class TestHistory:
    """What earlier runs say of the next."""

    @pytest.mark.parametrize(
        "passes",
        [
            pytest.param(PASSES, id="passes"),
            pytest.param(
                None,
                id="steps alone",
            ),
        ],
    )
    def test_runs_of_other_memory_say_nothing(
        self, clock: FakeClock, tmp_path: Path, passes: Any
    ) -> None:
        """A run for another target, that ended at another step, is not pooled with this one,
        though time do not grow as memory does.
        """
        host = fake_host(clock, history=History(tmp_path / "history.json"))

        def run(target: float) -> Recommendation:
            steep = FakeLadder(clock, passes=passes, surcharge=lambda memory: 2e-5 * memory**2)
            return _only(measure(clock, steep, target=target, budget=1e9, host=host))

        short, long = run(0.012), run(1.0)
        assert short.params["memory"] < long.params["memory"]
        assert 0.01 == pytest.approx(long.error_fraction)

    def test_runs_of_the_same_memory_do(self, clock: FakeClock, tmp_path: Path) -> None:
        """A run at the same step that was a little slower is pooled with the next."""
        host = fake_host(clock, history=History(tmp_path / "history.json"))
        slower, row = (
            _only(
                measure(clock, FakeLadder(clock, seconds_per_unit=unit), target=TARGET, host=host)
            )
            for unit in (1.02e-3, 1e-3)
        )
        assert slower.params == row.params
        assert 1e-3 * 32 < row.time_seconds < 1.02e-3 * 32


class TestKeptSetting:
    """The setting that an earlier run recommended."""

    @pytest.fixture
    def host(self, clock: FakeClock, tmp_path: Path) -> Host:
        """A machine with a history."""
        return fake_host(clock, history=History(tmp_path / "history.json"))

    @staticmethod
    def _answer(
        clock: FakeClock, host: Host, unit: float, knob: Knob = QUARTERS, **options: Any
    ) -> Params:
        ladder = FakeLadder(clock, seconds_per_unit=unit, knob=knob)
        return _only(measure(clock, ladder, host=host, **{"target": 0.1, **options})).params

    def test_it_stands_while_a_little_more_memory_fits(self, clock: FakeClock, host: Host) -> None:
        """On a machine that is 2 % quicker the setting stays, though a fresh run has another."""
        near = msgspec.structs.replace(LADDER, steps=(1, 80, 84))
        slow, quick = 0.101 / 84, 0.099 / 84
        first = self._answer(clock, host, slow, near)
        assert first != self._answer(clock, fake_host(clock), quick, near)
        assert first == self._answer(clock, host, quick, near)

    def test_it_is_of_its_target(self, clock: FakeClock, host: Host) -> None:
        """Another target has the answer of a fresh run."""
        self._answer(clock, host, 1e-3)
        for target in (0.09, 0.11, 0.3):
            fresh = self._answer(clock, fake_host(clock), 1e-3, target=target)
            assert fresh == self._answer(clock, host, 1e-3, target=target)

    @pytest.mark.parametrize("factor", [0.3, 0.8])
    def test_a_quicker_machine_has_another(
        self, clock: FakeClock, host: Host, factor: float
    ) -> None:
        """What leaves the target unused is given up."""
        self._answer(clock, host, 1e-3)
        fresh = self._answer(clock, fake_host(clock), 1e-3 * factor)
        assert fresh == self._answer(clock, host, 1e-3 * factor)

    def test_it_takes_no_more_memory_than_is_allowed(self, clock: FakeClock, host: Host) -> None:
        """A limit below it has the answer of a fresh run in that limit."""
        self._answer(clock, host, 1e-3)
        limited = self._answer(clock, host, 1e-3, memory=16 * MIB)
        assert limited["memory"] <= 16

    @pytest.mark.parametrize(
        "params",
        [
            pytest.param({"memory": 108, "passes": 1}, id="too slow now"),
            pytest.param({"memory": 87, "passes": 10**12}, id="never"),
            pytest.param({"memory": 10**9, "passes": 1}, id="not allowed"),
            pytest.param({"memory": 87}, id="incomplete"),
            pytest.param({}, id="empty"),
        ],
    )
    def test_one_that_cannot_stand_changes_nothing(
        self, clock: FakeClock, host: Host, params: Params
    ) -> None:
        """What does not fit, or no run can have answered, is as if it were not there."""
        key = machine_key(TWO_CPUS)
        assert key is not None
        absurd = PastAnswer(hasher="fake@memory 1.0", target_seconds=0.1, params=params)
        host.history.add(PastRun(ended=host.now(), machine=key, answers=(absurd,)))
        fresh = self._answer(clock, fake_host(clock), 1e-3)
        assert fresh == self._answer(clock, host, 1e-3)


def _unavailable(label: str, reason: str = "made unavailable") -> Candidate:
    def fails() -> FakeHasher:
        raise UnavailableError(reason)

    return candidate(label, fails)


class TestLowerTargets:
    """A profile that is made to answer other targets as well."""

    @given(
        unit=st.floats(min_value=1e-4, max_value=5e-3),
        steepness=st.floats(min_value=0.0, max_value=1e-4),
        target=st.floats(min_value=0.05, max_value=0.1),
        share=st.floats(min_value=0.25, max_value=2.5),
    )
    def test_they_are_answered_as_by_a_fresh_run(
        self, unit: float, steepness: float, target: float, share: float
    ) -> None:
        """From a quarter of the target to two and a half times it, the profile has the answer
        of a fresh run, or none.
        """
        clock = FakeClock()

        def fresh(seconds: float, **options: Any) -> Profile:
            ladder = FakeLadder(
                clock,
                seconds_per_unit=unit,
                knob=QUARTERS,
                surcharge=lambda memory: steepness * unit * memory**2,
            )
            return measure(clock, ladder, target=seconds, budget=1e9, **options)

        profile = fresh(target, lower_targets=True, higher_targets=True)
        (again,) = solve_again(profile, target * share, Rounding.DOWN).results
        if isinstance(again, Failure):
            assert again.code == "inconclusive"
            return
        row = _only(fresh(target * share))
        assert row.params["memory"] == again.params["memory"]
        assert abs(row.params["passes"] - again.params["passes"]) <= 1
        assert again.interval_seconds is not None

    @pytest.mark.parametrize("unit", [4e-4, 3e-3])
    @pytest.mark.parametrize("share", [0.25, 1.5, 2.5])
    def test_a_profile_of_forty_milliseconds_answers_ten_to_a_hundred(
        self, clock: FakeClock, unit: float, share: float
    ) -> None:
        """The sequence of the README is answered, whatever memory a target leads to."""
        ladder = FakeLadder(clock, seconds_per_unit=unit, knob=QUARTERS)
        profile = measure(clock, ladder, target=0.04, lower_targets=True, higher_targets=True)
        (row,) = solve_again(profile, 0.04 * share, Rounding.DOWN).results

        assert isinstance(row, Recommendation)
        assert not row.warnings

    def test_no_higher_target_is_worth_a_long_run(self, clock: FakeClock) -> None:
        """Beyond 250 ms, targets above the one that was asked for are left to another run."""
        ladder = FakeLadder(clock, seconds_per_unit=1e-3, knob=QUARTERS)
        both = [
            measure(clock, ladder, target=0.25, lower_targets=True, higher_targets=higher)
            for higher in (False, True)
        ]
        assert [len(samples_of(each, each.results[0])) for each in both[:1]] == [
            len(samples_of(each, each.results[0])) for each in both[1:]
        ]

    def test_what_is_measured_beside_has_no_row(self, clock: FakeClock) -> None:
        """Hashers that other commands need are measured, and those that are not here left out."""
        profile = measure(
            clock,
            FakeHasher(clock, name="asked"),
            FakeHasher(clock, name="beside"),
            _unavailable("gone@memory"),
            names=["asked"],
            also=("beside@memory", "asked@memory", "gone@memory", "unheard@of"),
        )
        assert ["asked@memory"] == [row.label for row in profile.results]
        assert ["asked@memory", "beside@memory"] == [row.label for row in profile.measurements]


class TestStandIns:
    """Another implementation, where the preferred one is not here."""

    def test_a_hasher_is_run_by_the_next_that_is_here(self, clock: FakeClock) -> None:
        """A hasher named without an implementation is run by the first that is here."""
        profile = measure(
            clock,
            _unavailable("fake@first"),
            FakeHasher(clock, implementation="second"),
            FakeHasher(clock, implementation="third"),
            names=["fake"],
        )
        assert "fake@second" == _only(profile).label

    def test_an_implementation_that_was_named_is_not_replaced(self, clock: FakeClock) -> None:
        """Who names an implementation is told that it is not here."""
        second = FakeHasher(clock, implementation="second")
        profile = measure(clock, _unavailable("fake@first"), second, names=["fake@first"])
        assert ("unavailable", "made unavailable") == _error(profile)
        assert [] == second.calls

    def test_where_none_is_here_the_preferred_one_says_why(self, clock: FakeClock) -> None:
        """Where no implementation is here, the row is that of the preferred one."""
        profile = measure(
            clock,
            _unavailable("fake@first", "no first"),
            _unavailable("fake@second", "no second"),
            names=["fake"],
        )
        assert ("unavailable", "no first") == _error(profile)
        assert ["fake@first"] == [row.label for row in profile.failures]

    def test_a_wrong_answer_is_not_glossed_over(self, clock: FakeClock) -> None:
        """An implementation that computes a wrong hash is a failure, not one to do without."""
        wrong = FakeHasher(clock, implementation="first", answer=lambda value, output: b"*0")
        second = FakeHasher(clock, implementation="second")
        profile = measure(clock, wrong, second, names=["fake"])
        assert "wrong-answer" == _error(profile)[0]
        assert [] == second.calls

    def test_all_implementations_stand_for_themselves(self, clock: FakeClock) -> None:
        """With every implementation asked for, one that is not here is a row of its own."""
        second = FakeHasher(clock, implementation="second")
        profile = measure(
            clock, _unavailable("fake@first"), second, names=["fake"], every_implementation=True
        )
        assert ["fake@first", "fake@second"] == [row.label for row in profile.results]

    @pytest.mark.parametrize("names", [("fake", "fake@second"), ("fake@second", "fake")])
    def test_a_stand_in_that_was_named_too_runs_once(
        self, clock: FakeClock, names: tuple[str, ...]
    ) -> None:
        """A hasher and its stand-in are one row, however both were asked for."""
        second = FakeHasher(clock, implementation="second")
        profile = measure(clock, _unavailable("fake@first"), second, names=names)
        assert ["fake@second"] == [row.label for row in profile.results]

    def test_rows_below_a_stand_in_are_its_own(self, clock: FakeClock, tmp_path: Path) -> None:
        """In a trade-off by a stand-in every row, and what is remembered of it, is its own."""
        host = fake_host(clock, history=History(tmp_path / "history.json"))
        first, profile = (
            measure(
                clock,
                _unavailable("fake@first"),
                FakeLadder(clock, implementation="second", seconds_per_unit=unit, knob=COARSE),
                names=["fake"],
                target=TARGET,
                tradeoff=True,
                host=host,
            )
            for unit in (1.02e-3, 1e-3)
        )
        assert {"fake@second"} == {row.label for row in profile.results}
        for slower, row in zip(first.recommendations, profile.recommendations, strict=True):
            assert slower.time_seconds / 1.02 < row.time_seconds < slower.time_seconds
