"""What every Unix tells; Linux and macOS have files of their own for the rest."""

import os
from dataclasses import dataclass, replace
from resource import RUSAGE_SELF, getrusage

import msgspec

from hashcost.core.machine import Machine
from hashcost.machine.clock import Clock, Usage
from hashcost.machine.facts import System


@dataclass(frozen=True)
class Posix(System):
    """A Unix of which nothing more is known."""

    def clock(self) -> Clock:
        """The clocks, with what the kernel spends on this process."""
        return replace(super().clock(), usage=kernel_usage)

    def describe(self) -> Machine:
        """The machine, without its CPU."""
        return msgspec.structs.replace(super().describe(), memory_bytes=physical_memory())


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
