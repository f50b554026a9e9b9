"""The machine's facts from Python and psutil, on any system; `linux` knows more."""

import math
import mmap
import os
import platform
import re
import sys
import time
import warnings
from collections.abc import Callable, Collection
from contextlib import AbstractContextManager, nullcontext
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from hashcost.core.machine import MALFORMED, HostIdentity, Machine, Power
from hashcost.machine.clock import Clock, Usage, system_clock
from hashcost.machine.signals import Counters

_Told = TypeVar("_Told")

SPEED_FLAGS = ("sha_ni", "sha512", "avx2", "avx512f", "sha1", "sha2", "sha3", "asimd")
"""CPU flags that a hash library chooses its code by (x86 and Arm names)."""


class System(Struct, frozen=True):
    """A system of any kind."""

    def clock(self) -> Clock:
        """The clocks, on Unix with what the kernel spends on this process."""
        clock = system_clock()
        if sys.platform == "win32":
            return clock
        return replace(clock, usage=kernel_usage)

    def describe(self) -> Machine:
        """The machine; an unknown fact is `None`."""
        from _ssl import OPENSSL_VERSION  # What is around it takes ten times as long to import.

        # The variable hides instructions of the CPU from OpenSSL.
        mask = os.environ.get("OPENSSL_ia32cap", "")  # noqa: SIM112
        if not mask.isprintable():
            mask = MALFORMED
        version = OPENSSL_VERSION.split()[:2]  # The date of its release comes after these.
        return Machine(
            cpu_model=without_marks(self.cpu_name()),
            cpu_count=os.cpu_count() or 1,
            cpu_flags=(),
            cpu_limit=None,
            memory_bytes=self.physical_memory(),
            os=f"{platform.system()} {platform.release()}".strip(),
            kernel=platform.release(),
            architecture=platform.machine(),
            virtualization=None,
            python=f"{platform.python_implementation()} {platform.python_version()}",
            openssl=" ".join(version),
            page_bytes=mmap.PAGESIZE,
            openssl_ia32cap=mask[:200] or None,
            emulated_on=self.emulated_on(),
            power=Power(on_battery=self.is_on_battery()),
        )

    def cpu_name(self) -> str | None:
        """The name of the CPU."""
        if platform.system() == "Windows":
            return platform.processor()
        if platform.system() == "Darwin":
            return _kernel_fact("machdep.cpu.brand_string")
        return _kernel_fact("hw.model")

    def emulated_on(self) -> str:
        """The architecture of the CPU, if Rosetta translates this process; else empty."""
        if platform.system() != "Darwin":
            return ""
        # An Intel Mac does not know the name.
        answer = _kernel_fact("sysctl.proc_translated") or ""
        if answer.strip() == "1":
            return "arm64"
        return ""

    def physical_memory(self) -> int | None:
        """Bytes of memory that the machine has."""
        import psutil  # Most commands ask nothing of it.

        return told(lambda: int(psutil.virtual_memory().total))

    def is_on_battery(self) -> bool:
        """Whether a battery is known to feed the machine."""
        import psutil

        ask = getattr(psutil, "sensors_battery", None)
        if ask is None:  # Some systems lack it.
            return False
        battery = told(ask)
        # `None` stands for a supply that is unknown.
        return battery is not None and battery.power_plugged is False

    def identity(self) -> HostIdentity:
        """The host's name."""
        return HostIdentity(name=platform.node() or None)

    def available_memory(self) -> int | None:
        """Bytes that this process could still take."""
        import psutil

        return told(lambda: int(psutil.virtual_memory().available))

    def used_memory(self) -> int | None:
        """Bytes that this process holds."""
        import psutil

        return told(lambda: int(psutil.Process().memory_info().rss))

    def counters(self) -> Counters:
        """The counters now."""
        return Counters(wall_seconds=time.monotonic())

    def on_one_core(self, _threads: Collection[int]) -> AbstractContextManager[None]:
        """Keep this thread and these on one core, if the system can."""
        return nullcontext()

    def warm_pages(self, _memory_bytes: int) -> None:
        """Make huge pages for so many bytes quick to get, if the system can."""


def _kernel_fact(name: str) -> str | None:
    """Ask the kernel of a BSD or of macOS; `None` if it does not know the name."""
    import subprocess  # Linux asks no other program.

    from hashcost.machine.environment import child_environment

    command = ["sysctl", "-n", name]
    try:
        ended = subprocess.run(  # noqa: S603
            command, env=child_environment(), capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return ended.stdout


def told(ask: Callable[[], _Told]) -> _Told | None:
    """Ask psutil; `None` if the system hides it, as a sandbox hides the kernel's files."""
    import psutil

    with warnings.catch_warnings():
        # Figures that we do not use, and that some systems lack.
        warnings.simplefilter("ignore", RuntimeWarning)
        try:
            return ask()
        except (OSError, LookupError, psutil.Error):
            return None


def kernel_usage() -> Usage:
    """Ask what the kernel has spent on this process."""
    from resource import RUSAGE_SELF, getrusage

    totals = getrusage(RUSAGE_SELF)
    return Usage(system_seconds=totals.ru_stime, page_faults=totals.ru_minflt)


def whole_cpus(machine: Machine) -> int:
    """Count the CPUs that can be kept busy at once, a limit rounded up."""
    if machine.cpu_limit is None:
        return machine.cpu_count
    return max(1, min(machine.cpu_count, math.ceil(machine.cpu_limit.cpus)))


def without_marks(cpu_model: str | None) -> str | None:
    """Take the trademarks from a CPU's name; `None` if nothing is left."""
    name = re.sub(r"\((?:R|TM|r|tm)\)", "", cpu_model or "")
    return name.strip() or None
