"""What a run says while it goes on, and of hashes in several threads."""

import math
from itertools import pairwise

import pytest

from fakes import FakeClock, FakeHasher, FakeLadder, measure
from hashcost.core.progress import Stage
from hashcost.measure.effort import PRECISE


def test_progress_is_told_ten_times_a_second(clock: FakeClock) -> None:
    """Once a tenth of a second has passed, after the hash that is being timed."""
    told: list[float] = []

    def keep(_: Stage) -> None:
        told.append(clock.wall)

    names = ("a", "b", "c", "d")
    measure(
        clock, *(FakeHasher(clock, name=name) for name in names), effort=PRECISE, progress=keep
    )
    gaps = [later - earlier for earlier, later in pairwise(told[:-1])]
    assert gaps
    assert all(0.1 <= gap <= 0.12 for gap in gaps)


def test_the_probes_of_one_core_do_not_tell_of_several(clock: FakeClock) -> None:
    """A hash of two threads is known within 20 %, and further by its surface."""
    ladder = FakeLadder(clock, name="argon2id", lanes=True)
    (row,) = measure(clock, ladder, parallelism=2).recommendations
    _, high = row.interval_seconds
    assert math.log(high / row.time_seconds) == pytest.approx(1.96 * 0.1, rel=0.15)
