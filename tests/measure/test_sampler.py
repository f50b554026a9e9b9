"""Timing one hash."""

import gc
from collections.abc import Iterator

import pytest

from fakes import FakeClock, FakeHasher, FakeLadder
from hashcost.core.errors import WrongAnswerError
from hashcost.hashers.interface import ReadyCall
from hashcost.machine.clock import Clock
from hashcost.measure import sampler

PARAMS = {"rounds": 5000}


@pytest.fixture
def collecting() -> Iterator[None]:
    """Put the garbage collector back as it was."""
    enabled = gc.isenabled()
    yield
    (gc.enable if enabled else gc.disable)()


def test_a_sample_holds_both_times(clock: FakeClock) -> None:
    """A sample is one hash: its params, its CPU time and its wall time."""
    clock.advance(7.0, 9.0)
    call = FakeHasher(clock, slow=lambda: 3.0).ready(b"password", b"salt", PARAMS)
    sample = sampler.take(clock.as_clock(), call, PARAMS)
    assert sample.params == PARAMS
    assert pytest.approx((5e-3, 15e-3)) == (sample.cpu_seconds, sample.wall_seconds)


def test_nothing_but_the_hash_stands_between_the_readings() -> None:
    """The hash alone is between the two CPU readings, and these are between the wall's."""
    events: list[str] = []

    def noting(event: str) -> float:
        events.append(event)
        return 0.0

    def run() -> bytes:
        noting("hash")
        return b"output"

    clock = Clock(name="noting", cpu=lambda: noting("cpu"), wall=lambda: noting("wall"))
    sampler.take(clock, ReadyCall(run=run, length=6), PARAMS)
    assert ["wall", "cpu", "hash", "cpu", "wall"] == events


@pytest.mark.parametrize("output", [b"*0", None, b"", b"$5000$short", b"$4999$0123456789abcdef"])
def test_what_is_no_hash_is_no_sample(clock: FakeClock, output: bytes | None) -> None:
    """What is not a whole hash at these params is an error that names the params."""
    hasher = FakeHasher(clock, answer=lambda value, right: output)
    call = hasher.ready(b"password", b"salt", PARAMS)
    with pytest.raises(WrongAnswerError, match=r" at rounds=5000$"):
        sampler.take(clock.as_clock(), call, PARAMS)


def test_a_hash_of_several_threads_is_timed_on_all_of_them(clock: FakeClock) -> None:
    """The CPU time of a hash with lanes is the process's; the thread's misses the others."""
    params = {"memory": 8, "passes": 1, "parallelism": 2}
    call = FakeLadder(clock, lanes=True).ready(b"password", b"salt", params)
    alone = sampler.take(clock.as_clock(), call, params)
    together = sampler.take(clock.as_clock(), call, params, threads=2)
    assert pytest.approx((4e-3, 4e-3)) == (alone.cpu_seconds, alone.wall_seconds)
    assert pytest.approx((8e-3, 4e-3)) == (together.cpu_seconds, together.wall_seconds)


def test_a_sample_says_what_the_kernel_gave(clock: FakeClock) -> None:
    """A sample holds the fresh pages of this one hash, and the time that they took."""
    clock.advance(1.0, 1.0, system=0.5, faults=99)
    params = {"memory": 32, "passes": 1}
    call = FakeLadder(clock, cliff=32, page_seconds=1e-6).ready(b"password", b"salt", params)
    sample = sampler.take(clock.as_clock(), call, params)
    assert sample.page_faults == 8192
    assert sample.system_seconds == pytest.approx(8192e-6)


@pytest.mark.usefixtures("collecting")
@pytest.mark.parametrize("enabled", [True, False])
def test_the_collector_rests_while_hashes_are_timed(*, enabled: bool) -> None:
    """Garbage is not collected inside a sample, and afterwards as before."""
    (gc.enable if enabled else gc.disable)()
    with sampler.undisturbed():
        assert not gc.isenabled()
    assert enabled == gc.isenabled()


@pytest.mark.usefixtures("collecting")
def test_the_collector_works_again_after_an_error() -> None:
    """An error, or the user, that ends the timing leaves the collector on."""
    gc.enable()
    with pytest.raises(KeyboardInterrupt), sampler.undisturbed():
        raise KeyboardInterrupt
    assert gc.isenabled()
