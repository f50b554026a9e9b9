"""Keep this thread and others on one core, so that its readings hold for their hashes.

Two cores are not shared at the same moments: while a neighbour slows one, the other is quiet.
"""

import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

# Index in ``/proc/PID/stat``, counted from the state, which follows the name; see proc(5).
_CORE_FIELD = 36

# Stands for the calling thread; see sched_setaffinity(2).
_THIS_THREAD = 0


@contextmanager
def kept_on_one_core(threads: Collection[int]) -> Iterator[None]:
    """Keep this thread and these on one core; without any, nothing.

    Afterwards each may run where it could before. A thread that has ended, belongs to another
    user, or may not run where the others can, is left as it is.
    """
    common = _cores(_THIS_THREAD)
    before = {_THIS_THREAD: common}
    for thread in threads:
        cores = _cores(thread)
        if cores:
            before[thread] = cores
            common = common & cores
    # To stay where this thread is keeps its caches.
    core = _core()
    if core not in common:
        core = min(common, default=None)
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
    """The cores that a thread may run on; empty if unknown."""
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
    # The name, in parentheses, may itself hold spaces and parentheses.
    fields = stat.rpartition(")")[2].split()
    if len(fields) <= _CORE_FIELD:
        return None
    return int(fields[_CORE_FIELD])
