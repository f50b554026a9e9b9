"""Watching the core while hashes are timed on it."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NoReturn

import msgspec
import pytest

from fakes import LINEAR, STEPS, FakeClock, FakeCore, FakeHasher, candidate
from hashcost.core.measurement import Sample
from hashcost.fit.quiet_speed import FEWEST_READINGS
from hashcost.hashers.registry import Candidate
from hashcost.machine.host import this_host
from hashcost.measure import core_watch
from hashcost.measure.core_watch import CoreWatch, StartProbe, hash_probe, no_probe

SPREAD, BLIND, PATIENCE = 0.2, 0.6, 5.0
HASH_SECONDS = 20e-3
"""So long that a reading is taken before and after each hash."""
ALWAYS = [(0.0, 1e9)]


@pytest.fixture
def core(clock: FakeClock) -> FakeCore:
    """A quiet core."""
    return FakeCore(clock=clock)


def _watch(
    core: FakeCore, *past: float, start: StartProbe | None = None, spread: float = SPREAD
) -> CoreWatch:
    """A watch of this core, where earlier runs saw these quiet ratios."""
    return CoreWatch(
        clock=core.clock.as_clock(),
        start_probe=start or core.start,
        past_ratios=lambda name: past if name == "made up" else (),
        spread_seconds=spread,
        blind_seconds=BLIND,
        patience_seconds=PATIENCE,
    )


def _hash(core: FakeCore, seconds: float = HASH_SECONDS) -> Callable[[], Sample]:
    """A hash on this core."""

    def take() -> Sample:
        taken = seconds * core.slowing()
        core.clock.advance(taken, taken)
        return Sample(params={"rounds": 1}, cpu_seconds=taken, wall_seconds=taken)

    return take


def _until_settled(watch: CoreWatch, core: FakeCore) -> list[Sample]:
    """Hashes that are timed until the watch wants no more."""
    samples: list[Sample] = []
    while not samples or (not watch.is_settled and watch.has_patience):
        samples.append(watch.sample(_hash(core)))
    return samples


class TestSettled:
    """How long the core is watched."""

    def test_quiet_moments_have_to_lie_apart(self, core: FakeCore) -> None:
        """Where earlier runs know the quiet ratio, the core is watched for the spread."""
        watch = _watch(core, 1.0)
        _until_settled(watch, core)
        assert SPREAD <= watch.elapsed < BLIND

    def test_without_a_past_it_is_watched_for_longer(self, core: FakeCore) -> None:
        """Where nothing tells quiet from shared, the core is watched for longer."""
        watch = _watch(core)
        _until_settled(watch, core)
        assert BLIND <= watch.elapsed < PATIENCE

    def test_two_speeds_tell_as_a_past_does(self, core: FakeCore) -> None:
        """Where the run saw both speeds often, it knows without a past which is quiet."""
        core.shared = [(0.0, 0.25)]
        watch = _watch(core)
        _until_settled(watch, core)
        assert 0.25 + SPREAD <= watch.elapsed < 0.25 + BLIND

    def test_few_readings_do_not_settle(self, core: FakeCore) -> None:
        """However far apart two quiet moments lie, several readings have to show them."""
        watch = _watch(core, 1.0)
        for _ in range(2):
            watch.sample(_hash(core, BLIND))
        assert not watch.is_settled
        _until_settled(watch, core)
        assert len(watch.readings) == FEWEST_READINGS

    def test_a_shared_core_is_watched_until_it_is_quiet(self, core: FakeCore) -> None:
        """Samples go on while a neighbour is there, and tell of it."""
        core.shared = [(0.0, 2.0)]
        watch = _watch(core, 1.0)
        samples = watch.marked(_until_settled(watch, core))
        assert 2.0 + SPREAD <= watch.elapsed < 2.0 + BLIND
        assert [True, False] == [each for each, _ in itertools.groupby(s.shared for s in samples)]
        assert all(bool(sample.shared) == (sample.at_seconds < 2.0) for sample in samples)

    def test_a_machine_that_becomes_quicker_is_watched_on(self, core: FakeCore) -> None:
        """Quiet moments that are not as quick settle nothing, though the ratio is the same."""
        watch = _watch(core, 1.0)
        while watch.elapsed < SPREAD / 2:
            watch.sample(_hash(core))
        core.latency_seconds = core.throughput_seconds = 0.7e-3
        while watch.elapsed < SPREAD * 1.1:
            watch.sample(_hash(core))
        assert watch.is_settled is False

    def test_patience_ends(self, core: FakeCore) -> None:
        """A core that is never quiet is not watched beyond patience."""
        core.shared = ALWAYS
        watch = _watch(core, 1.0)
        samples = _until_settled(watch, core)
        assert not watch.is_settled
        assert PATIENCE <= watch.elapsed < PATIENCE + 0.1
        assert all(sample.shared for sample in samples)

    def test_what_was_seen_once_stays_seen(self, core: FakeCore) -> None:
        """A neighbour that comes once the core was seen quiet unsettles nothing."""
        watch = _watch(core, 1.0)
        _until_settled(watch, core)
        core.shared = ALWAYS
        for _ in range(50):
            watch.sample(_hash(core))
        assert watch.is_settled


class TestSample:
    """Samples and the readings around them."""

    def test_a_sample_says_when_it_began(self, core: FakeCore) -> None:
        """The time of a sample is that since the run began, without the reading before it."""
        core.clock.advance(1.0, 1.0)
        watch = _watch(core, 1.0)
        first, second = (watch.sample(_hash(core)) for _ in range(2))
        reading = core.latency_seconds + core.throughput_seconds
        assert pytest.approx(reading) == first.at_seconds
        assert first.at_seconds + HASH_SECONDS < second.at_seconds

    def test_short_hashes_share_a_reading(self, core: FakeCore) -> None:
        """Beside hashes of next to no time, readings are not taken all the time."""
        watch = _watch(core, 1.0)
        for _ in range(1000):
            watch.sample(_hash(core, 1e-4))
        assert len(watch.readings) < 100

    def test_what_the_core_was_may_be_known_only_at_the_end(self, core: FakeCore) -> None:
        """Without a past, a quiet core tells that the samples before were of a shared one."""
        core.shared = [(0.0, 0.3)]
        watch = _watch(core)
        first, *_ = samples = _until_settled(watch, core)
        assert first.shared is None
        assert watch.marked(samples)[0].shared is True

    def test_the_past_of_another_probe_does_not_count(self, core: FakeCore) -> None:
        """Ratios of a probe of another name are not compared."""
        watch = _watch(core, 1.0)
        core.name = "other"
        watch.sample(_hash(core))
        assert watch.quiet_ratio is None

    def test_one_slow_run_in_the_past_is_left_out(self, core: FakeCore) -> None:
        """The quiet ratio is that on which most earlier runs agree."""
        watch = _watch(core, 1.0, 1.01, 1.6, 0.99)
        watch.sample(_hash(core))
        assert watch.quiet_ratio == 1.0


class TestProbe:
    """What takes the readings."""

    def test_it_is_started_with_the_first_sample(self, core: FakeCore) -> None:
        """No library is warm before the first sample is due, and the probe starts once."""
        watch = _watch(core)
        assert (0, None) == (core.starts, watch.quiet_ratio)
        for _ in range(3):
            watch.sample(_hash(core))
        assert (1, core.name) == (core.starts, watch.name)

    def test_without_a_probe_samples_are_spread(self, core: FakeCore) -> None:
        """Where there is no probe, samples say only when they began, and are spread over time."""
        watch = _watch(core, 1.0, start=no_probe)
        first, second, *_ = samples = _until_settled(watch, core)
        assert (0.0, HASH_SECONDS) == (first.at_seconds, second.at_seconds)
        assert (None, None, None) == (first.shared, watch.quiet_ratio, watch.name)
        assert BLIND <= watch.elapsed < PATIENCE
        assert tuple(samples) == watch.marked(samples)

    def test_a_clock_that_stands_still_takes_no_readings(self, core: FakeCore) -> None:
        """Readings of no time say nothing, and the run goes on until patience ends."""
        core.latency_seconds = core.throughput_seconds = 0.0
        watch = _watch(core, 1.0)
        assert watch.sample(_hash(core)).shared is None
        assert (None, []) == (watch.name, watch.readings)

    def test_two_hashes_make_a_probe(
        self, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Both parts are timed on the CPU clock, and the name holds their versions."""
        monkeypatch.setattr(core_watch, "candidates", lambda: _parts(clock))
        probe = hash_probe(clock.as_clock())
        assert probe is not None
        assert probe.name == "bcrypt@bcrypt 4.0 / pbkdf2-sha256@hashlib 3.0"
        assert pytest.approx((1.6e-3, 4e-3)) == probe.read()

    @pytest.mark.parametrize("problem", ["raises", "does not load", "is not there"])
    def test_a_broken_library_is_no_probe(
        self, clock: FakeClock, monkeypatch: pytest.MonkeyPatch, problem: str
    ) -> None:
        """Where a part of the probe cannot be run, there is none, and no error."""

        def fail(*_: object) -> NoReturn:
            raise RuntimeError(problem)

        latency, throughput = _parts(clock)
        if problem == "does not load":
            throughput = candidate(throughput.label, fail)
        elif problem == "raises":
            throughput = _throughput(clock, answer=fail).registered()
        pool = [latency] if problem == "is not there" else [latency, throughput]
        monkeypatch.setattr(core_watch, "candidates", lambda: pool)
        assert hash_probe(clock.as_clock()) is None

    def test_it_is_taken_where_the_hashes_run(
        self, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A pool of another machine is probed there; one of this machine's runtimes is not."""
        monkeypatch.setattr(core_watch, "candidates", lambda: ())
        here = _parts(clock)
        there = [replace(each, is_remote=True) for each in here]
        assert hash_probe(clock.as_clock(), here) is None
        assert hash_probe(clock.as_clock(), there) is not None

    def test_a_clock_of_wall_time_has_no_probe(self, clock: FakeClock) -> None:
        """Where no clock tells CPU time, readings would tell of other processes."""
        assert hash_probe(replace(clock.as_clock(), measures_cpu=False)) is None

    def test_the_libraries_here_make_a_probe(self) -> None:
        """The libraries that are always installed take readings."""
        probe = hash_probe(this_host().clock)
        assert probe is not None
        assert all(seconds > 0 for seconds in probe.read())


def _throughput(clock: FakeClock, **options: Any) -> FakeHasher:
    knob = msgspec.structs.replace(LINEAR, name="iterations")
    return FakeHasher(clock, "pbkdf2-sha256", "hashlib", "3.0", knob, **options)


def _parts(clock: FakeClock) -> list[Candidate]:
    """The libraries of the probe."""
    latency = FakeHasher(clock, "bcrypt", "bcrypt", "4.0", STEPS, seconds_per_unit=1e-4)
    return [latency.registered(), _throughput(clock).registered()]
