"""Keep this thread and others on one core, so that its readings hold for their hashes.

Two cores are not shared at the same moments: while a neighbour slows one, the other is quiet.
"""

import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_CORE_FIELD = 36
"""Index in ``/proc/PID/stat``, counted from the state, which follows the name; see proc(5)."""


@contextmanager
def kept_on_one_core(threads: Collection[int]) -> Iterator[None]:
    """Keep this thread and these on one core; without any, nothing.

    Afterwards each may run where it could before. A thread that has ended, belongs to another
    user, or may not run where the others can, is left as it is.
    """
    before = {thread: cores for thread in (0, *threads) if (cores := _cores(thread))}
    common = set.intersection(*before.values()) if before else set()
    here = _core()
    core = here if here in common else min(common, default=None)
    if not threads or core is None:
        yield
        return
    try:
        for thread in before:
            _keep(thread, {core})
        yield
    finally:
        for thread, cores in before.items():
            _keep(thread, cores)


def _keep(thread: int, cores: set[int]) -> None:
    with suppress(OSError):
        os.sched_setaffinity(thread, cores)


def _cores(thread: int) -> set[int]:
    """The cores that a thread may run on, 0 being this thread; empty if unknown."""
    try:
        return os.sched_getaffinity(thread)
    except OSError:
        return set()


def _core() -> int | None:
    """The core that this thread runs on."""
    try:
        stat = Path("/proc/thread-self/stat").read_text("utf-8", errors="replace")
    except OSError:
        return None
    fields = stat.rpartition(")")[2].split()
    return int(fields[_CORE_FIELD]) if len(fields) > _CORE_FIELD else None
