"""A runtime with a compiler is timed once that has little left to do, or has had its time."""

from __future__ import annotations

import pytest

from hashcost.runtimes.warming import MOST_SECONDS, WarmUp


def hashes_until_done(warm_up: WarmUp, cpu: float, compiling: list[float] | None) -> int:
    """How many hashes of ``cpu`` seconds are run; the last total of the compiler stays."""
    for count in range(1, 100_000):
        total = None if compiling is None else compiling[min(count - 1, len(compiling) - 1)]
        warm_up.add(cpu, total, cpu)
        if warm_up.is_done:
            return count
    raise AssertionError("it never ends")


def test_without_a_compiler_that_tells_time_is_all_there_is() -> None:
    """It ends with the first hash after the least time."""
    assert 100 == hashes_until_done(WarmUp(1.0), 0.01, None)


def test_it_waits_for_the_compiler() -> None:
    """While the compiler takes 5 % of the last twenty hashes or more, it goes on.

    Short hashes must last 0.4 s together.
    """
    busy = [0.002 * count for count in range(300)]
    assert 300 < hashes_until_done(WarmUp(1.0), 0.02, busy) <= 321
    assert 320 < hashes_until_done(WarmUp(1.0), 0.01, busy) <= 341


def test_it_does_not_wait_for_ever() -> None:
    """A compiler that never rests is given ten seconds."""
    busy = [0.005 * count for count in range(10_000)]
    assert pytest.approx(MOST_SECONDS, rel=0.01) == 0.01 * hashes_until_done(
        WarmUp(1.0), 0.01, busy
    )


def test_few_hashes_tell_nothing() -> None:
    """Long hashes are repeated until twenty have told, or the time is over."""
    assert 11 == hashes_until_done(WarmUp(2.0), 1.0, [0.0]) + 1
    assert 21 == hashes_until_done(WarmUp(2.0), 0.2, [0.0])


def test_a_compiler_that_never_rests_gives_no_number() -> None:
    """The end of the wait is not the end of the warm-up."""
    busy = WarmUp(1.0)
    hashes_until_done(busy, 0.01, [0.005 * count for count in range(10_000)])
    assert not busy.is_met


def test_no_time_is_enough_if_there_is_a_compiler() -> None:
    """Twenty hashes show that it rests, whatever a library is said to need."""
    assert 1 == hashes_until_done(WarmUp(0.0), 0.2, None)
    assert 21 == hashes_until_done(WarmUp(0.0), 0.2, [0.0])


def test_a_compiler_is_shown_many_short_hashes() -> None:
    """A method is compiled for good only after 600 calls; they are given two seconds at most."""
    assert 720 == hashes_until_done(WarmUp(0.0), 0.001, [0.0])
    assert 200 == hashes_until_done(WarmUp(0.0), 0.01, [0.0])
    warm_up = WarmUp(0.0)
    assert warm_up.hash_seconds == 0.01
    for _ in range(700):
        warm_up.add(0.0005, 0.0, 1.0)
        assert warm_up.hash_seconds == (0.01 if warm_up.elapsed >= 0.35 else 0.0004)


def slowed(times: float, hashes: int) -> WarmUp:
    """Two seconds of hashes are quick, and so many after them take this many times as long."""
    warm_up = WarmUp(0.5)
    for cpu in (*[0.01] * 200, *[0.01 * times] * hashes):
        warm_up.add(cpu, 0.0, cpu)
    return warm_up


def test_code_that_is_compiled_anew_is_waited_for() -> None:
    """While the compiler rests, hashes may take far longer than before; one in five more is no
    sign of it.
    """
    assert slowed(1.2, 20).is_met
    again = slowed(2.0, 60)
    assert not again.is_met
    for _ in range(10):
        again.add(0.01, 0.0, 0.01)
    assert again.is_met


def test_a_neighbour_is_not_waited_for_long() -> None:
    """It may slow a hash by up to 1.75 for hours; what is slower than that gives no number."""
    assert not slowed(1.5, 190).is_met
    assert slowed(1.5, 210).is_met
    assert not slowed(2.0, 390).is_done
    assert slowed(2.0, 410).is_done
    assert not slowed(2.0, 410).is_met
