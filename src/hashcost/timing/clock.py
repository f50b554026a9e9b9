"""The clocks: the only code that reads them is in this folder."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

_COARSE_SECONDS = 1e-4
"""A clock that ticks slower than this is off by 1 % on a hash of 10 ms."""


@dataclass(frozen=True)
class Clock:
    """Two clocks read around each hash: CPU time and wall time, in seconds."""

    name: str
    cpu: Callable[[], float]
    wall: Callable[[], float]
    measures_cpu: bool = True
    """False where no CPU clock is fine enough and ``cpu`` is the wall clock."""


def system_clock() -> Clock:
    """The finest CPU clock of this system: the thread's, the process's, else wall time.

    On Windows the thread clock ticks at 15.6 ms, which is no use on a 40 ms hash.
    """
    if _resolution("thread_time") <= _COARSE_SECONDS:
        return Clock(name="thread_time", cpu=time.thread_time, wall=time.perf_counter)
    if _resolution("process_time") <= _COARSE_SECONDS:
        return Clock(name="process_time", cpu=time.process_time, wall=time.perf_counter)
    return Clock(
        name="perf_counter", cpu=time.perf_counter, wall=time.perf_counter, measures_cpu=False
    )


def _resolution(name: Literal["thread_time", "process_time"]) -> float:
    try:
        info = time.get_clock_info(name)
    except ValueError:
        return float("inf")
    return info.resolution
