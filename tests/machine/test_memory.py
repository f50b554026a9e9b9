"""How much memory one hash may take."""

from __future__ import annotations

import msgspec
import pytest

from fakes import MIB, TWO_CPUS, FakeClock, fake_host
from hashcost.core.errors import UnreachableError, UsageError
from hashcost.machine.host import Host
from hashcost.machine.memory import known_limit, memory_for_each, memory_limit


def _host(free: int | None, physical: int | None) -> Host:
    machine = msgspec.structs.replace(TWO_CPUS, memory_bytes=physical)
    return fake_host(FakeClock(), free=free, machine=machine)


@pytest.mark.parametrize(
    ("free", "physical", "limit"),
    [(64, 1024, 16), (64, None, 16), (None, 1024, 256), (0, 1024, 0), (None, None, None)],
)
def test_a_quarter_by_default(free: int | None, physical: int | None, limit: int | None) -> None:
    """A quarter of what is free, else of what there is, and else unknown."""
    assert limit == memory_limit(_host(free, physical), None)


@pytest.mark.parametrize(("free", "physical"), [(64, 1024), (64, None), (None, 64), (None, None)])
def test_what_is_asked_for_is_taken(free: int | None, physical: int | None) -> None:
    """A limit that the machine may have room for is taken as it is."""
    assert 64 == memory_limit(_host(free, physical), 64)


@pytest.mark.parametrize(
    ("free", "words"), [(MIB, "this machine has free"), (None, "this machine has")]
)
def test_more_than_there_is_is_refused(free: int | None, words: str) -> None:
    """A limit that the machine has no room for is refused, with what it has."""
    with pytest.raises(
        UsageError, match=rf"^--memory: .* is more than the 1\.00 MiB that {words}$"
    ):
        memory_limit(_host(free, MIB), 2 * MIB)


@pytest.mark.parametrize(("hashes", "each"), [(1, 64), (4, 64), (8, 32)])
def test_several_hashes_share(hashes: int, each: int) -> None:
    """Several hashes at once have room together, and none takes more than one by itself."""
    assert (
        each
        == memory_for_each(_host(256, None), hashes)
        == memory_for_each(_host(None, 256), hashes)
    )
    assert memory_for_each(_host(None, None), hashes) is None


def test_an_unknown_limit_is_asked_for() -> None:
    """Without a limit, the message has the command to type."""
    assert 5 == known_limit(5, "calibrate scrypt")
    with pytest.raises(UnreachableError, match=r"`calibrate scrypt --memory 256MiB`"):
        known_limit(None, "calibrate scrypt")
