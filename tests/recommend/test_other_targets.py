"""Runs at other targets do not look like a changed machine, and a changed machine does."""

import itertools
import math
import random
from pathlib import Path

import pytest

from fakes import FakeClock, FakeHasher, FakeLadder, fake_host, measure
from hashcost.cli.output import ending
from hashcost.core.measurement import Doubt
from hashcost.machine.history import History

TARGETS = (0.04, 0.25, 3.0)


def ladder_of(clock: FakeClock, seed: str, *, has_passes: bool) -> FakeLadder:
    """A hasher in memory that takes longer than any surface tells once it is beyond 64 MiB.

    So does argon2id on real machines, where a page table no longer fits a cache.
    """
    chance = random.Random(seed)
    ladder = FakeLadder(clock, cliff=32, page_seconds=1.5e-6, seconds_per_unit=0.6e-3)
    if not has_passes:
        ladder.passes = None

    def beyond(memory: int) -> float:
        return 0.1e-3 * memory * max(math.log2(memory / 64), 0.0)

    ladder.surcharge = beyond
    ladder.noise = lambda: chance.lognormvariate(0, 0.02)
    return ladder


@pytest.mark.parametrize("has_passes", [True, False], ids=["passes", "steps"])
@pytest.mark.parametrize("targets", [*itertools.permutations(TARGETS)])
def test_no_order_of_targets_looks_like_a_changed_machine(
    targets: tuple[float, ...], tmp_path: Path, *, has_passes: bool
) -> None:
    """Runs at 40 ms, 250 ms and 3 s in any order, twice: each is certain and holds the time."""
    history = History(tmp_path / "state" / "history")
    for number, target in enumerate((*targets, *targets)):
        clock = FakeClock()
        ladder = ladder_of(clock, f"{targets} {number}", has_passes=has_passes)
        host = fake_host(clock, history=history)
        profile = measure(clock, ladder, target=target, host=host)
        (row,), (found,) = profile.recommendations, profile.measurements
        assert found.doubt is Doubt.NONE
        low, high = row.interval_seconds
        assert low <= ladder.cpu_seconds(row.params) <= high
        assert row.time_seconds * 0.75 <= low
        assert high <= row.time_seconds * 1.25


def test_a_changed_machine_is_told_to_measure_again(tmp_path: Path) -> None:
    """Two runs that are unlike all earlier ones end with 3 and ask for further runs, not for
    longer ones; the third is believed.
    """
    history = History(tmp_path / "state" / "history")
    codes = []
    for unit in (2e-6, 2e-6, 2e-6, 1e-6, 1e-6, 1e-6):
        clock = FakeClock()
        hasher = FakeHasher(clock, seconds_per_unit=unit)
        profile = measure(clock, hasher, host=fake_host(clock, history=history))
        code, why = ending(profile)
        codes.append(code)
        if code:
            assert "measure again: three runs that agree are believed" in why
            assert "precise" not in why
    assert codes == [0, 0, 0, 3, 3, 0]
