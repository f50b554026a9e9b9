"""What a run says while it goes on, and of hashes in several threads."""

import math
from functools import partial
from itertools import pairwise
from pathlib import Path

import pytest

from fakes import MIB, TWO_CPUS, FakeClock, FakeHasher, FakeLadder, fake_host, measure
from hashcost.cli.output import ending
from hashcost.core.measurement import Doubt
from hashcost.core.progress import Stage
from hashcost.hashers.registry import candidates, select
from hashcost.machine.history import History
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


@pytest.mark.parametrize("slower", [1.0, 1.5, 2.0, 6.0])
def test_the_interval_of_several_threads_holds_the_time_on_quiet_cpus(
    clock: FakeClock, slower: float
) -> None:
    """Their CPU time tells how much of the wall time they may have waited, in every run."""
    ladder = FakeLadder(clock, name="argon2id", lanes=True, slow=lambda: slower)
    profile = measure(clock, ladder, parallelism=2)
    (row,) = profile.recommendations
    low, high = row.interval_seconds
    assert low <= ladder.cpu_seconds(row.params) / 2 <= high
    (measurement,) = profile.measurements
    is_doubtful = measurement.doubt is Doubt.WAITED
    assert is_doubtful is (slower > 1.2)
    codes = [notice.code for notice in row.warnings]
    assert ("too-noisy" in codes) is is_doubtful
    _, why = ending(profile)
    assert why.endswith("measure when the machine is quiet") is is_doubtful


@pytest.mark.parametrize("factors", [(1.0, 2.0), (2.0, 1.0)], ids=["busy later", "busy first"])
def test_a_busy_run_of_several_threads_is_no_change_of_the_machine(
    clock: FakeClock, tmp_path: Path, factors: tuple[float, float]
) -> None:
    """Beside a quiet run, earlier or later, it says little."""
    history = History(tmp_path / "history")
    for factor in factors:
        ladder = FakeLadder(clock, name="argon2id", lanes=True, slow=partial(float, factor))
        profile = measure(clock, ladder, host=fake_host(clock, history=history), parallelism=2)
        (row,) = profile.recommendations
        (measurement,) = profile.measurements
        assert measurement.doubt is not Doubt.CHANGED
        low, high = row.interval_seconds
        assert low <= ladder.cpu_seconds(row.params) / 2 <= high


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
