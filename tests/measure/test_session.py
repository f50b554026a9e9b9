"""What a run says while it goes on, and of hashes in several threads."""

import math
from itertools import pairwise

import pytest

from fakes import MIB, TWO_CPUS, FakeClock, FakeHasher, FakeLadder, measure
from hashcost.core.progress import Stage
from hashcost.hashers.registry import candidates, select
from hashcost.measure.core_watch import CoreReadings
from hashcost.measure.effort import PRECISE
from hashcost.measure.request import Request
from hashcost.measure.session import Session


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


def test_less_memory_than_any_policy_lists_is_used_only_on_request(clock: FakeClock) -> None:
    """The smallest that a policy lists for scrypt is 8 MiB; whoever names a limit may get less."""
    (group,) = select(("scrypt",), every_implementation=False, available=candidates())
    least = []
    for memory in (None, 64 * MIB):
        session = Session(
            candidates=group,
            request=Request(memory_bytes=memory),
            machine=TWO_CPUS,
            memory_limit=64 * MIB,
            readings=CoreReadings(),
        )
        session.load(clock.as_clock())
        least.append(session.shape.memory_bytes(session.lowest))
    assert least[0] >= 8 * MIB > least[1]
