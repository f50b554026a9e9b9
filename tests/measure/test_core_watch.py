"""Readings between the hashes, and what they take away."""

import pytest
from msgspec.structs import replace

from fakes import FakeClock, FakeCore, FakeHasher, fake_host, measure
from hashcost.core.measurement import Sample
from hashcost.fit.slowdown import sensitivity_of
from hashcost.hashers.registry import candidates
from hashcost.machine.history import History
from hashcost.machine.host import this_host
from hashcost.measure.core_watch import PARTS, CoreWatch, HashProbe, hash_probe
from hashcost.measure.runner import runner_of

ALWAYS = ((0.0, 1e9),)


def hash_of(clock: FakeClock, seconds: float) -> Sample:
    """A hash that takes so long."""
    clock.advance(seconds, seconds)
    return Sample(params={"rounds": 1}, cpu_seconds=seconds, wall_seconds=seconds)


def test_each_hash_stands_between_two_readings(clock: FakeClock) -> None:
    """One that follows another at once shares its reading; beside one in memory both are warm."""
    core = FakeCore(clock=clock)
    watch = CoreWatch(clock=clock.as_clock(), start_probe=core.start)
    for _ in range(3):
        watch.sample(lambda: hash_of(clock, 1e-3))
    assert len(watch.readings) == 4
    assert core.warmed == 0
    clock.advance(0.1, 0.1)
    watch.sample(lambda: hash_of(clock, 1e-3), in_memory=True)
    assert len(watch.readings) == 6
    assert core.warmed == 2
    assert core.starts == 1


@pytest.mark.parametrize(("seconds", "readings"), [(1.5e-3, 3), (2.5e-3, 4)])
def test_a_reading_serves_for_two_milliseconds(
    clock: FakeClock, seconds: float, readings: int
) -> None:
    """Two hashes share the reading between them unless it is older than a reading takes."""
    watch = CoreWatch(clock=clock.as_clock(), start_probe=FakeCore(clock=clock).start)
    watch.sample(lambda: hash_of(clock, 1e-3))
    clock.advance(seconds, seconds)
    watch.sample(lambda: hash_of(clock, 1e-3))
    assert len(watch.readings) == readings


def test_a_short_hash_is_corrected_by_the_readings_on_both_sides(clock: FakeClock) -> None:
    """Also one of less than a millisecond, after which the core became busy."""
    core = FakeCore(clock=clock, shared=((1.0, 2.0),))
    watch = CoreWatch(clock=clock.as_clock(), start_probe=core.start)
    for _ in range(20):
        watch.sample(lambda: hash_of(clock, 1e-3))
    clock.advance(0.0, 0.9999 - clock.wall)
    last = watch.sample(lambda: hash_of(clock, 2e-4))
    (found,) = watch.corrected([last], sensitivity_of("any", "library"), watch.level)
    assert found.slowdown > 1.1


def test_a_sample_is_corrected_by_the_readings_around_it(clock: FakeClock) -> None:
    """A hash on a shared core takes as much longer as its hasher's curve says."""
    core = FakeCore(clock=clock, shared=((0.5, 1.0),))
    watch = CoreWatch(clock=clock.as_clock(), start_probe=core.start)
    samples = []
    while clock.wall < 1.5:
        samples.append(watch.sample(lambda: hash_of(clock, 5e-3 * core.slowing())))
    level = watch.level
    assert level is not None
    curve = sensitivity_of("any", "library")
    found = watch.corrected(samples, curve, level)
    quiet = [sample.cpu_seconds / sample.slowdown for sample in found]
    assert sorted(quiet)[len(quiet) // 2] == pytest.approx(5e-3, rel=0.03)
    assert max(sample.slowdown for sample in found) > 1.5
    assert sum(abs(each / 5e-3 - 1) < 0.05 for each in quiet) > 0.95 * len(quiet)


@pytest.mark.parametrize(
    ("hasher", "low", "high"), [("argon2id@argon2-cffi", 1.12, 1.18), ("bcrypt@bcrypt", 1.0, 1.01)]
)
def test_a_hash_that_waited_for_a_cpu_is_corrected_for_its_caches(
    clock: FakeClock, hasher: str, low: float, high: float
) -> None:
    """Who ran meanwhile has emptied them; a hash that needs no memory loses nothing."""
    watch = CoreWatch(clock=clock.as_clock(), start_probe=FakeCore(clock=clock).start)
    own = watch.sample(lambda: replace(hash_of(clock, 0.1), wall_seconds=0.4))
    undetermined = replace(own, cpu_seconds=0.0)  # By a clock that is too coarse.
    found, _ = watch.corrected(
        [own, undetermined], sensitivity_of(*hasher.split("@")), watch.level
    )
    assert low <= found.slowdown <= high


def test_after_a_large_hash_the_probes_are_timed_warm(clock: FakeClock) -> None:
    """It has emptied the caches, and what is run next takes longer."""
    cold = iter((3.0, 3.0, 1.5, 1.5, 1.2, 1.2, 1.1))
    hasher = FakeHasher(clock, noise=lambda: next(cold, 1.0))
    runner = runner_of(hasher, clock.as_clock())
    probe = HashProbe(((runner, {"rounds": 10}),) * 3)
    assert probe.read(cold=True) == pytest.approx((10e-6, 10e-6, 10e-6))


def test_without_a_probe_nothing_is_corrected(clock: FakeClock) -> None:
    """The samples stay as they are."""
    watch = CoreWatch(clock=clock.as_clock())
    sample = watch.sample(lambda: hash_of(clock, 1e-3))
    assert watch.level is None
    assert watch.corrected([sample], sensitivity_of("any", "library"), None) == (sample,)


def test_the_probe_is_three_short_hashes() -> None:
    """Of the libraries that are installed, named with versions but without patch levels."""
    probe = hash_probe(this_host().clock)
    assert probe is not None
    names = probe.name.split(" / ")
    assert [labels[0].partition("@")[0] for labels, _ in PARTS] == [
        name.partition("@")[0] for name in names
    ]
    assert all(name.rpartition(" ")[2].count(".") == 1 for name in names)
    assert all(seconds > 0 for seconds in probe.read())


def test_without_a_library_bound_by_memory_two_probes_do() -> None:
    """As on a host whose Python has no argon2."""
    remote = [
        each for each in candidates() if each.hasher != "argon2id" and "@passlib" not in each.label
    ]
    pool = [replace(each, is_remote=True) for each in remote]
    probe = hash_probe(this_host().clock, pool)
    assert probe is not None
    assert len(probe.read()) == 2


@pytest.mark.parametrize("shared", [(), ALWAYS, ((0.0, 0.05), (0.1, 0.2))])
def test_a_shared_core_weakens_no_answer(
    clock: FakeClock, shared: tuple[tuple[float, float], ...]
) -> None:
    """With the level known from earlier runs, a run gives the cost of a quiet core."""
    core = FakeCore(clock=clock, shared=shared)
    hasher = FakeHasher(clock, noise=core.slowing)
    (row,) = measure(clock, hasher, target=0.04, probe=core.start).recommendations
    assert row.params["rounds"] == pytest.approx(40_000, rel=0.04)
    low, high = row.interval_seconds
    assert low <= hasher.seconds(row.params["rounds"]) <= high
    assert row.error_fraction < 0.25


def test_a_first_run_on_an_unknown_cpu_watches_until_a_neighbour_rests(clock: FakeClock) -> None:
    """Nothing else tells what its probes take on a quiet core."""
    core = FakeCore(clock=clock, shared=((0.0, 2.5),), unsteady=1.12)
    hasher = FakeHasher(clock, noise=core.slowing)
    host = fake_host(clock, history=History(None))
    (row,) = measure(clock, hasher, target=0.04, probe=core.start, host=host).recommendations
    low, high = row.interval_seconds
    assert low <= hasher.seconds(row.params["rounds"]) <= high
    assert row.error_fraction < 0.25
    assert 2.5 < clock.wall < 4.0


def test_without_time_for_that_it_says_how_much_quicker_a_hash_may_be(clock: FakeClock) -> None:
    """Its interval reaches down to the time of a quiet core, and no higher than usual."""
    core = FakeCore(clock=clock, shared=ALWAYS, unsteady=1.12)
    hasher = FakeHasher(clock, noise=core.slowing)
    host = fake_host(clock, history=History(None))
    (row,) = measure(
        clock, hasher, target=0.04, probe=core.start, host=host, budget_seconds=2.0
    ).recommendations
    low, high = row.interval_seconds
    assert low <= hasher.seconds(row.params["rounds"]) <= high
    assert row.time_seconds / low > 1.65
    assert high / row.time_seconds < 1.15
    assert ["too-noisy"] == [notice.code for notice in row.warnings]
