"""The clocks: the only code that reads them is in this folder."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

_COARSE_SECONDS = 1e-4
"""A clock that ticks slower than this is off by 1 % on a hash of 10 ms."""

CpuClock: TypeAlias = Literal["thread_time", "process_time"]


@dataclass(frozen=True)
class Usage:
    """The kernel's running totals for this process."""

    system_seconds: float = 0.0
    page_faults: int = 0


@dataclass(frozen=True)
class Clock:
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


def resolution(name: CpuClock) -> float:
    """How long one tick of a clock lasts, in seconds; infinitely long if there is none."""
    try:
        info = time.get_clock_info(name)
    except ValueError:
        return float("inf")
    return info.resolution


def system_clock(resolution: Callable[[CpuClock], float] = resolution) -> Clock:
    """The finest CPU clock of this system: the thread's, the process's, else wall time.

    On Windows the thread clock ticks at 15.6 ms, which is no use on a 40 ms hash.
    """
    if resolution("thread_time") <= _COARSE_SECONDS:
        return Clock("thread_time", time.thread_time, time.perf_counter)
    if resolution("process_time") <= _COARSE_SECONDS:
        return Clock("process_time", time.process_time, time.perf_counter)
    return Clock("perf_counter", time.perf_counter, time.perf_counter, measures_cpu=False)
