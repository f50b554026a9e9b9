"""A runtime with a compiler is timed once that has little left to do, or has had its time."""

from __future__ import annotations

import pytest

from hashcost.runtimes.protocol import Timed
from hashcost.runtimes.warming import MOST_SECONDS, WarmUp, fills_heap


def hashes_until_done(warm_up: WarmUp, cpu: float, compiling: list[float] | None) -> int:
    """How many hashes of ``cpu`` seconds are run; the last total of the compiler stays."""
    for count in range(1, 100_000):
        total = None if compiling is None else compiling[min(count - 1, len(compiling) - 1)]
        warm_up.add(Timed(output="", cpu=cpu, wall=cpu, compiling=total))
        if warm_up.is_done:
            return count
    raise AssertionError("it never ends")


def test_it_waits_for_the_compiler() -> None:
    """While the compiler takes 5 % of the last twenty hashes or more, it goes on.

    Short hashes must last 0.4 s together.
    """
    busy = [0.002 * count for count in range(300)]
    assert 300 < hashes_until_done(WarmUp(1.0), 0.02, busy) <= 321
    assert 320 < hashes_until_done(WarmUp(1.0), 0.01, busy) <= 341


def test_a_compiler_that_never_rests_gives_no_number() -> None:
    """It is given ten seconds; the end of the wait is not the end of the warm-up."""
    busy = WarmUp(1.0)
    hashes = hashes_until_done(busy, 0.01, [0.005 * count for count in range(10_000)])
    assert pytest.approx(MOST_SECONDS, rel=0.01) == 0.01 * hashes
    assert not busy.is_met


def hashed(fresh_pages: int, cpu: float = 0.04) -> Timed:
    """A hash in a process whose compiler rests."""
    return Timed(output="", cpu=cpu, wall=cpu, compiling=0.0, faults=fresh_pages)


def test_pages_used_for_the_first_time_slow_a_hash() -> None:
    """A few do not matter, and a longer hash may have more."""
    assert not fills_heap(hashed(40))
    assert fills_heap(hashed(50))
    assert fills_heap(hashed(40, cpu=0.02))
    assert not fills_heap(hashed(3, cpu=0.0001))


def test_a_heap_that_is_being_filled_is_waited_for() -> None:
    """The first hash that is given no fresh pages ends the wait."""
    warm_up = WarmUp(0.5)
    for _ in range(50):
        warm_up.add(hashed(1868))
    assert not warm_up.is_done
    warm_up.add(hashed(0))
    assert warm_up.is_done
