"""What every Unix tells; Linux and macOS have files of their own for the rest."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from resource import RUSAGE_SELF, getrusage

from hashcost.core.origin import Machine
from hashcost.machine.clock import Clock, Usage, system_clock
from hashcost.machine.facts import describe
from hashcost.machine.signals import Counters


@dataclass(frozen=True)
class Posix:
    """A Unix of which nothing more is known."""

    def clock(self) -> Clock:
        """The clocks, with what the kernel spends on this process."""
        return system_clock(usage=kernel_usage)

    def describe(self) -> Machine:
        """The machine, without its CPU."""
        return describe(memory_bytes=physical_memory())

    def available_memory(self) -> int | None:
        """POSIX has no word for memory that is free."""
        return None

    def counters(self) -> Counters:
        """No counter but the time."""
        return Counters(wall_seconds=time.monotonic())


def kernel_usage() -> Usage:
    """What the kernel has spent on this process."""
    totals = getrusage(RUSAGE_SELF)
    return Usage(system_seconds=totals.ru_stime, page_faults=totals.ru_minflt)


def physical_memory() -> int | None:
    """Bytes of memory that the machine has."""
    try:
        pages, size = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return None
    return pages * size if pages > 0 and size > 0 else None
