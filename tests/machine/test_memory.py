"""How much memory one hash may take."""

import pytest
from msgspec.structs import replace

from corpora import table
from fakes import MIB, TWO_CPUS, FakeClock, fake_host
from hashcost.core.errors import UnreachableError, UsageError
from hashcost.machine.host import Host
from hashcost.machine.memory import (
    concurrency,
    known_limit,
    limited,
    memory_for_each,
    memory_limit,
)

GROWTH = 16 * MIB


def _host(free: int | None, physical: int | None, used: int | None = 0) -> Host:
    machine = replace(TWO_CPUS, memory_bytes=physical)
    return fake_host(FakeClock(), free=free, used=used, machine=machine)


@table("free, physical, limit")
def test_a_quarter_by_default(free: int | None, physical: int | None, limit: int | None) -> None:
    """A quarter of what is free, else of what there is, and else unknown."""
    assert limit == memory_limit(_host(free, physical), None)


@pytest.mark.parametrize(
    ("free", "words"), [(MIB, "this machine has free"), (None, "this machine has")]
)
def test_more_than_there_is_is_refused(free: int | None, words: str) -> None:
    """A limit that the machine has no room for is refused, with what it has."""
    with pytest.raises(
        UsageError, match=rf"^--memory: .* is more than the 1\.00 MiB that {words}; lower it$"
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


class TestConcurrency:
    """Hashes that share one memory."""

    def test_each_has_its_share_beside_the_process(self) -> None:
        """Each hash may take its share of what the process leaves of the total."""
        shared = concurrency(_host(1024 * MIB, None, used=24 * MIB), 540 * MIB)
        assert (2, 540 * MIB, 24 * MIB + GROWTH) == (
            shared.at_once,
            shared.memory_bytes,
            shared.process_bytes,
        )
        assert 250 * MIB == shared.room_bytes // shared.at_once

    @table("free, physical, used, total")
    def test_what_the_process_may_come_to_hold(
        self, free: int | None, physical: int | None, used: int | None, total: int
    ) -> None:
        """Without a total, what the process may come to hold counts, and a hash for each CPU."""
        shared = concurrency(_host(free, physical, used))
        assert (2, total) == (shared.at_once, shared.memory_bytes)

    @table("free, used, total, words")
    def test_what_cannot_hold_is_refused(
        self, free: int | None, used: int, total: int | None, words: str
    ) -> None:
        """A memory that does not suffice is refused."""
        host = _host(free and free * MIB, None, used * MIB)
        with pytest.raises(UsageError, match=words):
            concurrency(host, total and total * MIB)

    @pytest.mark.parametrize(("free", "left"), [(None, 4), (2, 2), (64, 4)])
    def test_a_limited_system_has_no_more(self, free: int | None, left: int) -> None:
        """What hashes share limits what is free, however much more the system has."""
        shared = concurrency(_host(64 * MIB, None), 20 * MIB)
        host = limited(_host(None if free is None else free * MIB, None), shared)
        assert left * MIB == host.available_memory()
