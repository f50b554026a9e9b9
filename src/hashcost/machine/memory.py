"""How much memory one hash may take."""

from __future__ import annotations

from hashcost.core.errors import UnreachableError, UsageError
from hashcost.core.units import format_bytes
from hashcost.machine.host import Host

_SHARE = 4
"""One hash takes a quarter by default: logins come several at a time."""


def memory_limit(host: Host, asked: int | None) -> int | None:
    """Bytes that one hash may take; ``None`` if neither the user nor the system tells.

    Raises:
        UsageError: more was asked for than the machine has.
    """
    free = host.available_memory()
    most = host.describe().memory_bytes if free is None else free
    if asked is not None and most is not None and asked > most:
        has = "that this machine has free" if free is not None else "that this machine has"
        raise UsageError(
            f"--memory: {format_bytes(asked)} is more than the {format_bytes(most)} {has}"
        )
    return asked if asked is not None or most is None else most // _SHARE


def memory_for_each(host: Host, hashes: int) -> int | None:
    """Bytes for each of several hashes at once, and no more than for one by itself."""
    free = host.available_memory()
    most = host.describe().memory_bytes if free is None else free
    return None if most is None else most // max(_SHARE, hashes)


def known_limit(limit: int | None, command: str) -> int:
    """The limit, for a hasher whose cost is memory; ``command`` takes ``--memory``.

    Raises:
        UnreachableError: there is none.
    """
    if limit is None:
        raise UnreachableError(
            "this system does not tell how much memory it has; say how much one hash may take,"
            f" for example `{command} --memory 256MiB`"
        )
    return limit
