"""The calibration as a whole, with a fake clock and fake hashers."""

import itertools
import random
from collections import Counter
from collections.abc import Callable
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakes import (
    LINEAR,
    STEPS,
    Call,
    FakeClock,
    FakeHasher,
    FakeLadder,
    candidate,
    fake_host,
    known_answer,
    measure,
    samples_of,
)
from hashcost.cli.output import ending
from hashcost.core.errors import UnavailableError, UsageError
from hashcost.core.machine import Probe, Tool
from hashcost.core.measurement import Knob, Params
from hashcost.core.profile import SCHEMA_VERSION, Profile, Recommendation
from hashcost.core.progress import Stage
from hashcost.machine.clock import Clock
from hashcost.measure.effort import FAST, NORMAL, PRECISE, Effort
from hashcost.measure.plan import SHORT_SECONDS
from hashcost.measure.request import Request
from hashcost.measure.runner import PROBE_PASSWORD
from hashcost.recommend.calibration import calibrate

TARGET = 0.03995
"""Not where the fakes' costs step from one rounded value to the next."""


def _answers(profile: Profile) -> dict[str, Params | str]:
    """The params of each row, or the code of its failure."""
    return {
        row.label: row.params if isinstance(row, Recommendation) else row.code
        for row in profile.results
    }


def _only(profile: Profile) -> Recommendation:
    (row,) = profile.results
    assert isinstance(row, Recommendation)
    return row


def _codes(profile: Profile) -> list[str]:
    return [notice.code for notice in profile.warnings]


class TestAnswer:
    """The right cost."""

    def test_the_cost_takes_the_target(self, clock: FakeClock) -> None:
        """Counts and steps that cost a microsecond each are solved for the target."""
        counts = FakeHasher(clock, name="counts", overhead=5e-6)
        steps = FakeHasher(clock, name="steps", knob=STEPS, overhead=5e-6)
        profile = measure(clock, counts, steps, target=TARGET)
        assert {"counts@memory": {"rounds": 39_900}, "steps@memory": {"cost": 15}} == (
            _answers(profile)
        )
        for row, hasher in zip(profile.recommendations, (counts, steps), strict=True):
            (value,) = row.params.values()
            assert hasher.seconds(value) == pytest.approx(row.time_seconds)
            assert hasher.seconds(value) == pytest.approx(row.wall_seconds)

    @given(
        unit=st.floats(min_value=3e-8, max_value=1e-4),
        overhead=st.floats(min_value=0.0, max_value=50e-6),
        target=st.floats(min_value=2e-3, max_value=60.0),
    )
    def test_no_speed_is_too_fast_or_too_slow(
        self, unit: float, overhead: float, target: float
    ) -> None:
        """On any machine the answer's true time is the target, to within its rounding."""
        clock = FakeClock()
        hasher = FakeHasher(clock, overhead=overhead, seconds_per_unit=unit)
        row = _only(measure(clock, hasher, target=target, budget_seconds=1e9))
        (value,) = row.params.values()
        # Three digits are at most a hundredth apart, and a count of fewer is whole.
        step = max(value / 100, 1) * unit
        assert (target - step) * 0.999 <= hasher.seconds(value) <= target * 1.001

    def test_a_machine_that_holds_samples_up_gives_the_same_cost(self, clock: FakeClock) -> None:
        """Samples slowed by up to half at random do not lower the cost."""
        chance = random.Random(5)
        hasher = FakeHasher(clock, noise=lambda: 1.0 + chance.choice([0.0, 0.0, 0.001, 0.1, 0.5]))
        row = _only(measure(clock, hasher, target=TARGET))
        assert row.params["rounds"] in range(39_800, 40_001)
        assert row.interval_seconds is not None
        assert row.interval_seconds[0] <= TARGET <= row.interval_seconds[1]

    def test_an_unreachable_target_says_the_smallest_that_is(self, clock: FakeClock) -> None:
        """Where the lowest cost takes longer than the target, the row fails with its time."""
        slow = FakeHasher(clock, name="slow", knob=STEPS, seconds_per_unit=0.05 / 2**4)
        profile = measure(clock, slow, FakeHasher(clock), target=TARGET)
        assert {"slow@memory": "unreachable", "fake@memory": {"rounds": 39_900}} == (
            _answers(profile)
        )
        (failure,) = profile.failures
        assert failure.error == (
            "even the lowest cost tried, cost=4, takes 50.0 ms; raise --target"
        )

    def test_threads_that_waited_tell_of_no_unreachable_target(self, clock: FakeClock) -> None:
        """A lowest cost that may fit on quiet CPUs is inconclusive, and ends with 3."""
        ladder = FakeLadder(clock, name="argon2id", lanes=True, slow=lambda: 200.0)
        profile = measure(clock, ladder, target=TARGET, parallelism=2)
        (failure,) = profile.failures
        assert failure.code == "inconclusive"
        assert failure.error.endswith("to tell whether it fits; measure when the machine is quiet")
        assert ending(profile)[0] == 3

    def test_a_profile_says_how_it_was_made(self, clock: FakeClock) -> None:
        """The profile names the tool, the clock, the probe, the question and the time taken."""
        clock.advance(100.0, 100.0)
        profile = measure(clock, FakeHasher(clock, version="7.1"), target=TARGET)
        assert profile.schema == SCHEMA_VERSION
        assert profile.tool == Tool(name="hashcost", version=profile.tool.version)
        assert profile.probe == Probe(password_bytes=12, salt_bytes=16)
        assert profile.target_seconds == TARGET
        assert _only(profile).clock == "fake"
        assert _only(profile).implementation_version == "7.1"
        assert _only(profile).memory_bytes == 1024
        assert clock.wall - 100.0 == pytest.approx(profile.duration_seconds)


@pytest.mark.parametrize("knob", [LINEAR, STEPS], ids=["linear", "log2"])
def test_a_busy_machine_does_not_weaken_the_answer(clock: FakeClock, knob: Knob) -> None:
    """Three times the wall time changes no cost, and is said."""
    quiet = measure(clock, FakeHasher(clock, knob=knob), target=TARGET)
    busy = measure(clock, FakeHasher(clock, knob=knob, slow=lambda: 3.0), target=TARGET)
    assert _answers(quiet) == _answers(busy)
    assert pytest.approx(_only(quiet).interval_seconds, rel=1e-3) == _only(busy).interval_seconds
    assert _only(busy).wall_seconds == pytest.approx(3 * _only(busy).time_seconds)
    assert [] == _codes(quiet)
    assert ["busy"] == _codes(busy)
    assert "took 3.0 times its CPU time" in busy.warnings[0].message


def test_wall_time_as_the_only_clock_is_said(clock: FakeClock) -> None:
    """Where no CPU clock is fine enough, the profile says what its costs rest on."""
    walls = Clock(
        name="perf_counter", cpu=lambda: clock.wall, wall=lambda: clock.wall, measures_cpu=False
    )
    profile = measure(clock, FakeHasher(clock), target=TARGET, host=fake_host(walls))
    assert ["coarse-clock"] == _codes(profile)
    assert _only(profile).clock == "perf_counter"


class TestBudget:
    """A limit on wall time."""

    @given(
        budget=st.floats(min_value=1e-3, max_value=5.0),
        target=st.floats(min_value=2e-3, max_value=2.0),
        slow=st.floats(min_value=1.0, max_value=10.0),
        effort=st.sampled_from([FAST, NORMAL, PRECISE]),
    )
    def test_it_is_kept(self, budget: float, target: float, slow: float, effort: Effort) -> None:
        """A calibration ends within its budget, or one short hash later."""
        clock = FakeClock()
        rows = [
            FakeHasher(clock, name="counts", slow=lambda: slow),
            FakeHasher(clock, name="steps", knob=STEPS, slow=lambda: slow),
            FakeLadder(clock, name="ladder", seconds_per_unit=1e-5, slow=lambda: slow),
        ]
        profile = measure(clock, *rows, target=target, budget_seconds=budget, effort=effort)
        assert profile.duration_seconds <= budget + 1e-3

    def test_no_time_for_a_single_hash_is_inconclusive(self, clock: FakeClock) -> None:
        """A row without a sample says that the budget ended, and which option to raise."""
        slow = FakeHasher(clock, name="slow", knob=STEPS, seconds_per_unit=1.0)
        profile = measure(clock, slow, FakeHasher(clock), budget_seconds=10.0)
        assert {"slow@memory": "inconclusive", "fake@memory": "inconclusive"} == (
            _answers(profile)
        )
        assert {"the budget ran out before a hash was timed; name fewer hashers"} == {
            failure.error for failure in profile.failures
        }

    def test_hashes_too_short_to_be_timed_tell_nothing(self, clock: FakeClock) -> None:
        """A row whose longest hash took microseconds is no answer for a second."""
        profile = measure(clock, FakeHasher(clock), target=1.0, budget_seconds=1e-3)
        (failure,) = profile.failures
        assert ("inconclusive", ()) == (failure.code, profile.measurements)
        assert failure.error == (
            "the budget ran out before a hash was long enough to be timed; name fewer hashers"
        )

    def test_a_hash_that_does_not_fit_leaves_room_for_those_that_do(
        self, clock: FakeClock
    ) -> None:
        """A row whose next hash would end too late does not keep the others from theirs."""
        steps = FakeHasher(clock, name="steps", knob=STEPS, surcharge=lambda cost: cost * 0.1)
        profile = measure(clock, FakeHasher(clock, name="counts"), steps, budget_seconds=3.0)
        counts = next(row for row in profile.recommendations if row.hasher == "counts")
        assert counts.wall_seconds is not None
        assert counts.warnings == ()


class TestFailure:
    """A row that fails takes away no other."""

    @pytest.mark.parametrize("from_value", [1, 2], ids=["at once", "growing"])
    @pytest.mark.parametrize(
        ("output", "code", "error"),
        [
            (b"*0", "wrong-answer", "returned the failure token *0 instead of a hash"),
            (None, "wrong-answer", "returned nothing"),
            (b"", "wrong-answer", "returned nothing"),
            (b"$5$0123", "wrong-answer", "hashed with another setting than the one asked for"),
            (RuntimeError("out of\nmemory"), "unavailable", "failed: out of memory"),
            (ZeroDivisionError(), "unavailable", "failed: ZeroDivisionError"),
            (SystemExit(0), "unavailable", "failed: 0"),
            (UnavailableError("needs a key"), "unavailable", "needs a key"),
        ],
    )
    def test_a_hasher_that_breaks_loses_its_row_alone(
        self,
        clock: FakeClock,
        from_value: int,
        output: bytes | BaseException | None,
        code: str,
        error: str,
    ) -> None:
        """Whatever a hasher returns or raises instead of a hash, and whenever, is its failure."""
        wrong = Mock(side_effect=[output] * 99)
        broken = FakeHasher(
            clock,
            name="broken",
            answer=lambda value, right: right if value < from_value else wrong(),
        )
        others = [FakeHasher(clock, name=name) for name in ("first", "last")]
        profile = measure(clock, others[0], broken, others[1], target=TARGET)
        assert {
            "first@memory": {"rounds": 39_900},
            "broken@memory": code,
            "last@memory": {"rounds": 39_900},
        } == _answers(profile)
        (failure,) = profile.failures
        assert failure.error.startswith(error)

    def test_a_wrong_known_answer_is_never_timed(self, clock: FakeClock) -> None:
        """A hasher that computes a whole but wrong hash is not timed at all."""
        wrong = known_answer({"rounds": 1}, output=b"$1$fedcba9876543210")
        liar = FakeHasher(clock, name="liar", known_answers=(known_answer({"rounds": 1}), wrong))
        profile = measure(clock, liar, FakeHasher(clock), target=TARGET)
        assert {"liar@memory": "wrong-answer", "fake@memory": {"rounds": 39_900}} == (
            _answers(profile)
        )
        assert {b"known"} == {call.password for call in liar.calls}
        (failure,) = profile.failures
        assert failure.error == "computed a wrong hash for a known answer (made up)"


@pytest.mark.parametrize("effort", [FAST, NORMAL])
def test_hashers_take_turns(clock: FakeClock, effort: Effort) -> None:
    """No hasher is two hashes ahead of another that still wants more."""
    calls: list[Call] = []
    rows = [
        FakeHasher(clock, name="slow", knob=STEPS, seconds_per_unit=1e-4, calls=calls),
        FakeHasher(clock, name="fast", seconds_per_unit=1e-7, calls=calls),
        FakeHasher(clock, name="middle", calls=calls),
    ]
    profile = measure(clock, *rows, target=TARGET, effort=effort)
    wanted = {row.label: len(samples_of(profile, row)) for row in profile.recommendations}
    timed = [call.hasher for call in calls if call.password == PROBE_PASSWORD][len(rows) :]
    assert sum(wanted.values()) == len(timed)
    done = dict.fromkeys(wanted, 0)
    for label in timed:
        done[label] += 1
        waiting = [done[other] for other in wanted if done[other] < wanted[other]]
        assert not waiting or done[label] <= min(waiting) + 1


def test_known_answers_come_before_any_timing(clock: FakeClock) -> None:
    """Every hasher's known answers are computed before the first clock is read around one."""
    calls: list[Call] = []
    rows = [FakeHasher(clock, name=name, calls=calls) for name in ("one", "two")]
    profile = measure(clock, *rows, target=TARGET)
    # Then each row starts with one hash that is not timed.
    assert [
        ("one@memory", b"known"),
        ("two@memory", b"known"),
        ("one@memory", PROBE_PASSWORD),
        ("two@memory", PROBE_PASSWORD),
    ] == [(call.hasher, call.password) for call in calls[:4]]
    assert {PROBE_PASSWORD} == {call.password for call in calls[4:]}
    assert sum(len(samples_of(profile, row)) for row in profile.recommendations) == len(calls) - 4


class TestWarmUp:
    """Hashes that are not timed, and those that are cold."""

    @staticmethod
    def _first_touch(slow: float, times: int = 1) -> Callable[[int], float]:
        """A surcharge on the first hashes at each value, as for fresh pages."""
        touched = Counter[int]()

        def surcharge(value: int) -> float:
            touched[value] += 1
            return slow if touched[value] <= times else 0.0

        return surcharge

    @pytest.mark.parametrize("memory", [1024, 16 << 20], ids=["little", "much"])
    def test_one_hash_at_the_lowest_cost_is_not_timed(self, clock: FakeClock, memory: int) -> None:
        """A hasher with one knob is run once, untimed, before its first sample."""
        hasher = FakeHasher(clock, memory=memory)
        profile = measure(clock, hasher, target=TARGET)
        runs = Counter(call.value for call in hasher.calls if call.password == PROBE_PASSWORD)
        (timed,) = profile.measurements
        sampled = Counter(sample.params[LINEAR.name] for sample in timed.samples)
        assert sampled + Counter([LINEAR.minimum]) == runs

    def test_on_a_ladder_every_hash_is_timed(self, clock: FakeClock) -> None:
        """A memory-hard hasher is not run untimed: what fresh memory takes shows by itself."""
        ladder = FakeLadder(clock)
        profile = measure(clock, ladder, target=TARGET)
        row = _only(profile)
        assert len(samples_of(profile, row)) == sum(
            call.password == PROBE_PASSWORD for call in ladder.calls
        )

    @pytest.mark.parametrize("knob", [LINEAR, STEPS], ids=["linear", "log2"])
    def test_a_cold_hash_does_not_lower_the_cost(self, clock: FakeClock, knob: Knob) -> None:
        """A first hash at each value that is slow leads to the cost of a hasher that is not."""
        hungry = FakeHasher(clock, knob=knob, surcharge=self._first_touch(5e-3))
        quiet = FakeHasher(clock, knob=knob)
        cold, warm = (measure(clock, row, target=TARGET) for row in (hungry, quiet))
        assert _only(warm).time_seconds == pytest.approx(_only(cold).time_seconds, rel=0.03)


def test_noise_widens_the_interval(clock: FakeClock) -> None:
    """A run that is cut short among noise knows less than one without."""
    chance = random.Random(3)
    noisy = FakeHasher(clock, noise=lambda: chance.uniform(1.0, 1.5))
    quiet, disturbed = (
        _only(measure(clock, hasher, target=TARGET, effort=FAST)).error_fraction
        for hasher in (FakeHasher(clock), noisy)
    )
    assert quiet is not None
    assert disturbed is not None
    assert disturbed > 1.5 * quiet


class TestProgress:
    """What a progress bar is told."""

    @pytest.mark.parametrize("effort", [FAST, NORMAL, PRECISE], ids=["fast", "normal", "precise"])
    def test_it_is_told_now_and_then(self, clock: FakeClock, effort: Effort) -> None:
        """A stage is told after the first sample, ten times a second at most, and at the end."""
        told: list[Stage] = []
        measure(
            clock,
            FakeHasher(clock, name="counts"),
            FakeHasher(clock, name="steps", knob=STEPS),
            candidate("gone@absent", lambda: FakeHasher(clock, name="other")),
            target=0.25,
            effort=effort,
            progress=told.append,
        )
        assert 2 <= len(told) <= 2 + clock.wall / 0.1
        assert 0 <= told[0].fraction < 0.1
        assert told[-1].fraction == 1.0

    @pytest.mark.parametrize("knob", [LINEAR, STEPS], ids=["linear", "log2"])
    def test_it_never_exceeds_the_whole(self, clock: FakeClock, knob: Knob) -> None:
        """Where more has to be timed than was foreseen, the fraction stays below one."""
        told: list[Stage] = []
        hasher = FakeHasher(clock, knob=knob, overhead=1e-3)
        measure(clock, hasher, target=0.003, progress=told.append)
        assert max(each.fraction for each in told) <= 1.0

    def test_it_foresees_more_samples_while_the_interval_is_wide(self, clock: FakeClock) -> None:
        """A run that goes on beyond the usual samples does not stay at one second left."""
        told: list[Stage] = []
        hasher = FakeHasher(clock, noise=itertools.cycle((1.0, 1.6, 2.5)).__next__)
        measure(clock, hasher, progress=told.append)
        assert clock.wall > 4 * NORMAL.samples * SHORT_SECONDS
        assert told[1].fraction < 0.8

    def test_it_is_told_outside_of_the_samples(self, clock: FakeClock) -> None:
        """Time that a progress bar takes is in no sample."""
        profile = measure(clock, FakeHasher(clock), progress=lambda _: clock.advance(1.0, 1.0))
        row = _only(profile)
        assert max(sample.wall_seconds for sample in samples_of(profile, row)) < 0.1


@pytest.mark.parametrize("budget", [0.0, -1.0, float("nan")])
def test_a_budget_must_be_above_zero(budget: float) -> None:
    """A budget without time is refused."""
    with pytest.raises(UsageError, match=r"^--budget must be above zero$"):
        calibrate(Request(budget_seconds=budget))


@pytest.mark.parametrize("lanes", [2**24 - 1, 2**24, 2**70])
def test_argon2_has_no_more_lanes_than_memory(lanes: int) -> None:
    """Any number of lanes that no memory setting has room for is refused alike."""
    profile = calibrate(Request(hashers=("argon2id",), parallelism=lanes))
    assert f"no memory setting has room for {lanes} lanes" in str(profile.failures[0])


def test_argon2_has_a_lane() -> None:
    """None, or fewer, is refused."""
    with pytest.raises(UsageError, match=r"^--parallelism must be above zero$"):
        Request(parallelism=0).check()


def test_an_unknown_hasher_is_refused_before_anything_is_timed(clock: FakeClock) -> None:
    """A name that is not registered is refused with a near one."""
    hasher = FakeHasher(clock, name="bcrypt")
    with pytest.raises(UsageError, match=r"did you mean bcrypt\?$"):
        calibrate(Request(hashers=["bycrpt"]), host=fake_host(clock), pool=(hasher.registered(),))
    assert hasher.calls == []


@pytest.mark.parametrize(
    ("every", "labels"), [(False, ["bcrypt@one"]), (True, ["bcrypt@one", "bcrypt@two"])]
)
def test_every_implementation_is_timed_when_asked_for(
    clock: FakeClock, every: bool, labels: list[str]
) -> None:
    """Without names the default hashers are timed by the first implementation, or by all."""
    registered = (
        FakeHasher(clock, name="bcrypt", implementation="one").registered(),
        FakeHasher(clock, name="bcrypt", implementation="two").registered(),
        FakeHasher(clock, name="rare").registered(),
    )
    profile = calibrate(
        Request(every_implementation=every),
        host=fake_host(clock),
        pool=registered,
        probe=lambda _: None,
    )
    expected = [*labels, *(["rare@memory"] if every else [])]
    assert expected == [row.label for row in profile.results]
    assert profile.target_seconds == 0.25
