"""The machine and the program of a measurement, and notices for the reader."""

from collections.abc import Iterable
from typing import Annotated, Final, TypeAlias

import msgspec

from hashcost.core.cpu_limit import CpuLimit
from hashcost.core.measurement import Count, PositiveCount
from hashcost.core.version import __version__


class Notice(msgspec.Struct, frozen=True, kw_only=True):
    """Something that the reader of a result should know.

    ``code`` is stable, ``message`` gives the figure and the cause, ``advice``
    the cure, if any.
    """

    code: str
    message: str
    advice: str = ""


HUGE_PAGES: Final = "glibc.malloc.hugetlb=1"
"""The tunable by which glibc's malloc asks the kernel for transparent huge pages."""
ON_REQUEST: Final = "madvise"
"""The kernel's mode in which only memory that asks is given them."""
BY_MALLOC: Final = frozenset(
    {
        *("argon2-cffi", "cryptography", "hashlib", "python:hashlib", "php:password_hash"),
        *("node:crypto", "node:argon2", "ruby:openssl", "ruby:argon2"),
    }
)
"""Implementations that take a hash's memory from malloc. libcrypt and libsodium map it themselves,
and the JVM and Go have heaps of their own."""

MALFORMED: Final = "malformed"
"""Stands for settings in the environment that cannot be read."""

Notices: TypeAlias = Annotated[tuple[Notice, ...], msgspec.Meta(max_length=1000)]


def has_notice(notices: Iterable[Notice], code: str) -> bool:
    """Whether one of the notices has this code."""
    return any(notice.code == code for notice in notices)


class Tool(msgspec.Struct, frozen=True, kw_only=True):
    """The program that wrote a profile."""

    name: str
    version: str


TOOL: Final = Tool(name="hashcost", version=__version__)
"""This program."""


MOST_CPUS: Final = 2**24
"""No kernel counts more. A prediction has a worker for each CPU, and adds their memory up."""

_Fact: TypeAlias = Annotated[str, msgspec.Meta(max_length=200)]


# Drivers of the CPU's frequency whose `powersave` raises the clock under load, unlike the kernel's
# governor of that name (intel_pstate.rst and amd-pstate.rst in its admin-guide/pm).
_BY_ITSELF: Final = frozenset({"intel_pstate", "amd-pstate-epp"})
# Least share by which a lower frequency counts: less is rounded by the driver.
_MOVES: Final = 0.01


class Power(msgspec.Struct, frozen=True, kw_only=True):
    """The governor, limits and supply of the CPU, as far as the system tells."""

    driver: _Fact = ""
    governor: _Fact = ""
    highest_hertz: Count | None = None
    """The CPU's highest frequency."""
    limit_hertz: Count | None = None
    """The highest frequency that the system allows."""
    on_battery: bool = False

    @property
    def brakes(self) -> tuple[str, ...]:
        """The reasons why hashes take longer than the CPU can make them, in words."""
        brakes = []
        if self.governor == "powersave" and self.driver not in _BY_ITSELF:
            brakes.append("governor powersave")
        limit, highest = self.limit_hertz, self.highest_hertz
        if limit is not None and highest is not None and limit < (1 - _MOVES) * highest:
            brakes.append(f"at most {limit / 1e9:.2f} of {highest / 1e9:.2f} GHz")
        if self.on_battery:
            brakes.append("on battery")
        return tuple(brakes)


class Machine(msgspec.Struct, frozen=True, kw_only=True):
    """The machine that a profile was measured on; an unknown fact is `None`."""

    cpu_model: str | None
    cpu_count: Annotated[int, msgspec.Meta(ge=1, le=MOST_CPUS)]
    """CPUs that the process may use."""
    cpu_flags: Annotated[tuple[str, ...], msgspec.Meta(max_length=1000)]
    """Flags that change the speed of a hash, such as ``sha_ni``."""
    cpu_limit: CpuLimit | None
    """The CPU quota of the control group."""
    memory_bytes: Count | None
    os: str
    kernel: str
    architecture: str
    virtualization: str | None
    python: str
    openssl: str
    page_bytes: PositiveCount | None = None
    """Memory that one page fault gives."""
    openssl_ia32cap: Annotated[str, msgspec.Meta(max_length=200)] | None = None
    """The variable that hides instructions of the CPU from OpenSSL, where it is set."""
    cpu_id: _Fact = ""
    """Vendor, family, model and stepping; clouds hide the name."""
    libc: _Fact = ""
    huge_pages: _Fact = ""
    """The kernel's mode of transparent huge pages; empty without them."""
    malloc: _Fact = ""
    """Settings of malloc that are in force, or another allocator."""
    emulated_on: _Fact = ""
    """The architecture of the CPU, where an emulator runs this process of another one."""
    reports_free_pages: bool = False
    """Whether the host takes free huge pages back (the kernel's free page reporting)."""
    power: Power = Power()

    @property
    def context(self) -> str | None:
        """The facts that times on this machine depend on, besides the hashing library.

        Neither kernel nor microcode: both are updated often, and change no hash. `None`
        if the CPU is unknown: a file of past runs may be shared by several machines.
        """
        if self.cpu_model is None:
            return None
        return " | ".join((*self.hardware, *self.conditions.values()))

    @property
    def hardware(self) -> tuple[str, ...]:
        """The CPU and its flags.

        Not the number of CPUs, which an affinity such as that of `taskset` changes.
        """
        cpu = f"{self.cpu_model} {self.cpu_id}"
        return cpu, self.architecture, " ".join(self.cpu_flags)

    @property
    def conditions(self) -> dict[str, str]:
        """The facts besides the CPU that a hash's time depends on, by name."""
        return {
            "CPU limit": str(self.cpu_limit or ""),
            "OPENSSL_ia32cap": self.openssl_ia32cap or "",
            "mode of huge pages": self.huge_pages,
            "libc": self.libc,
            "malloc's settings": self.malloc,
            "emulator's CPU": self.emulated_on,
            "brakes on the CPU's clock": ", ".join(self.power.brakes),
        }

    def limit_on(self, threads: int) -> CpuLimit | None:
        """The CPU quota that stops a hash in so many threads; `None` if none does."""
        if self.cpu_limit is None:
            return None
        # Threads without a CPU wait their turn, and use nothing up meanwhile.
        at_once = min(threads, self.cpu_count)
        if at_once <= self.cpu_limit.cpus:
            return None
        return msgspec.structs.replace(self.cpu_limit, threads=at_once)

    @property
    def asks_for_huge_pages(self) -> bool:
        """Whether malloc asks for huge pages, on a kernel that gives them only where asked."""
        return self.huge_pages == ON_REQUEST and HUGE_PAGES in self.malloc.split()

    def gives_huge_pages(self, implementation: str) -> bool:
        """Whether an implementation's memory comes from a malloc that asks for huge pages."""
        return self.asks_for_huge_pages and implementation in BY_MALLOC

    def unlike(self, here: "Machine") -> str:
        """The first fact of the context that a process on the same CPU does not share, in words.

        Empty if they agree; without a known libc, its malloc is unknown as well.
        """
        if self.cpu_model is None or self.hardware != here.hardware:
            return ""
        for name, was in self.conditions.items():
            now = here.conditions[name]
            # A host behind a prefix, or a system without glibc, tells none.
            if name == "libc" and not (was and now):
                return ""
            if was != now:
                return f"{name}: {was or 'none'} when measured, {now or 'none'} in this process"
        return ""


class HostIdentity(msgspec.Struct, frozen=True, kw_only=True):
    """Which host it was; only in a file that was asked for."""

    name: Annotated[str, msgspec.Meta(max_length=300)] | None = None
    """Its host name."""
    id: Annotated[str, msgspec.Meta(max_length=64)] | None = None
    """A hash of the machine id, which no other program computes."""


def is_same_host(one: HostIdentity | None, other: HostIdentity | None) -> bool:
    """Whether both are the same host: no name or id differs, and at least one is known."""
    if one is None or other is None:
        return False
    pairs = [pair for pair in ((one.name, other.name), (one.id, other.id)) if None not in pair]
    return bool(pairs) and all(own == its for own, its in pairs)


class Probe(msgspec.Struct, frozen=True, kw_only=True):
    """The sizes of the probe password and salt: sha*crypt takes longer for longer passwords."""

    password_bytes: Count
    salt_bytes: Count
