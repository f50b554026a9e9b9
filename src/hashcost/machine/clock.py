"""The clocks: the only code that reads them is in this folder."""

import time
from collections.abc import Callable
from contextlib import suppress
from typing import Literal

import msgspec

# A clock that ticks slower than this is off by 1 % on a hash of 10 ms.
_COARSE_SECONDS = 1e-4


class Usage(msgspec.Struct, frozen=True):
    """The kernel's running totals for this process."""

    system_seconds: float = 0.0
    page_faults: int = 0


class Clock(msgspec.Struct, frozen=True):
    """The clocks that are read around each hash, in seconds."""

    name: str
    cpu: Callable[[], float]
    wall: Callable[[], float]
    measures_cpu: bool = True
    """False where no CPU clock is fine enough and ``cpu`` is the wall clock."""
    process_cpu: Callable[[], float] = time.process_time
    """CPU time of all threads, for hashes that run in several."""
    usage: Callable[[], Usage] = Usage
    queued: Callable[[], float | None] = lambda: None
    """Time that this thread has waited for a CPU; ``None`` if the system does not tell."""


def system_clock() -> Clock:
    """Return the finest CPU clock of this system: the thread's, the process's, else wall time.

    On Windows the thread clock ticks at 15.6 ms, too coarse for a hash of 40 ms.
    """
    names: tuple[Literal["thread_time", "process_time"], ...] = ("thread_time", "process_time")
    for name in names:
        # The system may have no such clock.
        with suppress(ValueError):
            if time.get_clock_info(name).resolution <= _COARSE_SECONDS:
                return Clock(name, getattr(time, name), time.perf_counter)
    return Clock("perf_counter", time.perf_counter, time.perf_counter, measures_cpu=False)
