"""The clocks: the only code that reads them is in this folder."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

_COARSE_SECONDS = 1e-4
"""A clock that ticks slower than this is off by 1 % on a hash of 10 ms."""


@dataclass(frozen=True)
class Usage:
    """What the kernel has spent on this process: running totals."""

    system_seconds: float = 0.0
    page_faults: int = 0


def _no_usage() -> Usage:
    return Usage()


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
    usage: Callable[[], Usage] = _no_usage


def system_clock() -> Clock:
    """The finest CPU clock of this system: the thread's, the process's, else wall time.

    On Windows the thread clock ticks at 15.6 ms, which is no use on a 40 ms hash.
    """
    usage = _kernel_usage()
    if _resolution("thread_time") <= _COARSE_SECONDS:
        return Clock("thread_time", time.thread_time, time.perf_counter, usage=usage)
    if _resolution("process_time") <= _COARSE_SECONDS:
        return Clock("process_time", time.process_time, time.perf_counter, usage=usage)
    return Clock(
        "perf_counter", time.perf_counter, time.perf_counter, measures_cpu=False, usage=usage
    )


def _kernel_usage() -> Callable[[], Usage]:
    try:
        from resource import RUSAGE_SELF, getrusage
    except ImportError:  # Windows
        return _no_usage

    def usage() -> Usage:
        totals = getrusage(RUSAGE_SELF)
        return Usage(system_seconds=totals.ru_stime, page_faults=totals.ru_minflt)

    return usage


def _resolution(name: Literal["thread_time", "process_time"]) -> float:
    try:
        info = time.get_clock_info(name)
    except ValueError:
        return float("inf")
    return info.resolution
