"""How much memory one hash may take, and how many may run at once."""

from typing import Final

from msgspec.structs import replace

from hashcost.core.errors import UnreachableError, UsageError
from hashcost.core.profile import Concurrency
from hashcost.core.units import format_bytes
from hashcost.machine.facts import whole_cpus
from hashcost.machine.host import Host

# Share of the memory that one hash may take by default: logins come several at a time.
_SHARE: Final = 4
# Memory for libraries and threads that a process takes once it hashes.
_GROWTH: Final = 16 << 20


def memory_limit(host: Host, asked: int | None) -> int | None:
    """Return the bytes that one hash may take; `None` if neither user nor system sets a limit.

    Raises:
        UsageError: more was asked for than the machine has.
    """
    if asked is None:
        return memory_for_each(host, 1)
    most = _most(host)
    if most is None or asked <= most:
        return asked
    has = "that this machine has"
    if host.available_memory() is not None:
        has += " free"
    raise UsageError(
        f"--memory: {format_bytes(asked)} is more than the {format_bytes(most)} {has}; lower it"
    )


def memory_for_each(host: Host, hashes: int) -> int | None:
    """Return the bytes for each of several hashes at once; a single one may take no more.

    `None` if the memory of the system is unknown.
    """
    most = _most(host)
    if most is None:
        return None
    return most // max(_SHARE, hashes)


def concurrency(host: Host, asked: int | None = None) -> Concurrency:
    """The memory that as many hashes share as there are CPUs.

    ``asked`` is that of the whole process; by default all that it may come to hold.

    Raises:
        UsageError: the memory is unknown or does not suffice.
    """
    used = host.used_memory() or 0
    most = _most(host)
    # Free memory is beside what the process holds; all memory is not.
    if host.available_memory() is not None and most is not None:
        most += used
    total = asked
    if total is None:
        total = most
    if total is None:
        raise UsageError(
            "the amount of memory is unknown on this system; set it, for example"
            " `--memory-total 1GiB`"
        )
    if most is not None and total > most:
        raise UsageError(
            f"--memory-total: {format_bytes(total)} is more than the {format_bytes(most)} that"
            f" this process may use; lower it"
        )
    process = used + _GROWTH
    if asked is not None and asked <= process:
        raise UsageError(
            f"--memory-total: the process itself uses {format_bytes(process)}; raise it"
        )
    return Concurrency(
        at_once=whole_cpus(host.describe()), memory_bytes=total, process_bytes=process
    )


def limited(host: Host, shared: Concurrency) -> Host:
    """The system, with no more free memory than these hashes share."""

    def available() -> int:
        free = host.available_memory()
        if free is None:
            return shared.room_bytes
        return min(free, shared.room_bytes)

    return replace(host, available_memory=available)


def _most(host: Host) -> int | None:
    """Free memory, or else all memory; `None` if neither is known."""
    free = host.available_memory()
    if free is None:
        return host.describe().memory_bytes
    return free


def known_limit(limit: int | None, command: str) -> int:
    """The limit, for a hasher whose cost is memory; ``command`` takes ``--memory``.

    Raises:
        UnreachableError: the limit is unknown.
    """
    if limit is None:
        raise UnreachableError(
            "the amount of memory is unknown on this system; say how much one hash may use,"
            f" for example `{command} --memory 256MiB`"
        )
    return limit
