"""The code that a sweep ends with."""

from __future__ import annotations

from typing import Any

import pytest

from fakes import MIB, FakeClock, FakeHasher, FakeLadder, candidate, swept
from hashcost.cli.commands.sweep import exit_code
from hashcost.core.errors import UnavailableError


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"costs": "1000,100000000", "budget": 1.0}, 0),
        ({"costs": "1000", "budget": 1e-9}, 3),
        ({"costs": "0", "budget": 1e-9}, 3),
    ],
)
def test_a_hasher_that_says_nothing_is_inconclusive(
    clock: FakeClock, options: dict[str, Any], code: int
) -> None:
    """Where no cost was timed or refused, the budget or the memory was too little."""
    assert code == exit_code(swept(clock, FakeHasher(clock, seconds_per_unit=1e-6), **options))


def test_memory_that_is_not_allowed_is_inconclusive(clock: FakeClock) -> None:
    """A hasher whose every cost needs more memory than is allowed has told nothing."""
    hasher = FakeLadder(clock, passes=None)
    assert 3 == exit_code(swept(clock, hasher, costs="128..256", memory=64 * MIB))


def test_each_hasher_must_say_something(clock: FakeClock) -> None:
    """One hasher that was timed does not stand for another, and a worse failure counts more."""
    quick = FakeHasher(clock, name="quick", seconds_per_unit=1e-6)
    slow = FakeHasher(clock, name="slow", seconds_per_unit=1e-6, overhead=0.3)
    two = swept(clock, quick, slow, names=["quick=1000", "slow=1000"], budget=3.0)
    assert {"quick": "measured", "slow": "untimed"} == {
        row.hasher: row.status.value for row in two.rows
    }
    assert 3 == exit_code(two)

    def missing() -> FakeHasher:
        raise UnavailableError("is not installed")

    gone = candidate("gone@memory", missing)
    assert 4 == exit_code(swept(clock, quick, gone, costs="1000", budget=1e-9))
