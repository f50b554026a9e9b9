"""What Python tells about the machine on every system; a file per system knows more."""

import math
import mmap
import os
import platform
import re
import time
from collections.abc import Callable, Collection, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

from hashcost.core.machine import HostIdentity, Machine
from hashcost.machine.clock import Clock, system_clock
from hashcost.machine.signals import Counters

SPEED_FLAGS = ("sha_ni", "sha512", "avx2", "avx512f", "sha1", "sha2", "sha3", "asimd")
"""CPU flags that a hash library chooses its code by (x86 and Arm names)."""


@dataclass(frozen=True)
class System:
    """A system of which no more is known; a file per system overrides what it tells."""

    def clock(self) -> Clock:
        """The clocks."""
        return system_clock()

    def describe(self) -> Machine:
        """The machine; what only some systems tell is unknown here."""
        import ssl

        return Machine(
            cpu_model=None,
            cpu_count=os.cpu_count() or 1,
            cpu_flags=(),
            cpu_limit=None,
            memory_bytes=None,
            os=f"{platform.system()} {platform.release()}".strip(),
            kernel=platform.release(),
            architecture=platform.machine(),
            virtualization=None,
            python=f"{platform.python_implementation()} {platform.python_version()}",
            openssl=" ".join(ssl.OPENSSL_VERSION.split()[:2]),
            page_bytes=mmap.PAGESIZE,
            openssl_ia32cap=os.environ.get("OPENSSL_ia32cap", "")[:200] or None,  # noqa: SIM112
        )

    def identity(self) -> HostIdentity:
        """The host's name."""
        return HostIdentity(name=platform.node() or None)

    def available_memory(self) -> int | None:
        """Bytes that this process could still take."""
        return None

    def used_memory(self) -> int | None:
        """Bytes that this process holds."""
        return None

    def counters(self) -> Counters:
        """The counters now."""
        return Counters(wall_seconds=time.monotonic())

    def on_one_core(self, threads: Collection[int]) -> AbstractContextManager[None]:
        """Keep this thread and these on one core."""
        return anywhere(threads)


def anywhere(_threads: Collection[int]) -> AbstractContextManager[None]:
    """Leave it to the system where they run."""
    return nullcontext()


def whole_cpus(machine: Machine) -> int:
    """CPUs that can be kept busy at once: those the process may use, its limit rounded up."""
    if machine.cpu_limit is None:
        return machine.cpu_count
    return max(1, min(machine.cpu_count, math.ceil(machine.cpu_limit)))


def distribution(
    release: Callable[[], Mapping[str, str]] = platform.freedesktop_os_release,
) -> str | None:
    """The name of a Linux distribution; ``None`` if it does not say."""
    try:
        return release()["PRETTY_NAME"]
    except (OSError, KeyError):
        return None


def without_marks(cpu_model: str | None) -> str | None:
    """A CPU's name without its trademarks; ``None`` if nothing is left."""
    return re.sub(r"\((?:R|TM|r|tm)\)", "", cpu_model or "").strip() or None
