"""Where and with what something was measured, and what the reader should know of it."""

from typing import Annotated, Final, TypeAlias

import msgspec

from hashcost.core.cpu_limit import CpuLimit
from hashcost.core.measurement import Count
from hashcost.core.version import __version__


class Notice(msgspec.Struct, frozen=True, kw_only=True):
    """Something that the reader of a result should know.

    ``code`` is stable, ``message`` gives the figure and the cause, ``advice``
    the cure, where there is one.
    """

    code: str
    message: str
    advice: str = ""


HUGE_PAGES: Final = "glibc.malloc.hugetlb=1"
"""The tunable by which glibc's malloc asks the kernel for transparent huge pages."""
ON_REQUEST: Final = "madvise"
"""The kernel's mode in which only memory that asks is given them."""

MALFORMED: Final = "malformed"
"""Stands for settings in the environment that cannot be read."""

Notices: TypeAlias = Annotated[tuple[Notice, ...], msgspec.Meta(max_length=1000)]


class Tool(msgspec.Struct, frozen=True, kw_only=True):
    """The program that wrote a profile."""

    name: str
    version: str


TOOL: Final = Tool(name="hashcost", version=__version__)
"""This program."""


_Fact: TypeAlias = Annotated[str, msgspec.Meta(max_length=200)]


class Machine(msgspec.Struct, frozen=True, kw_only=True):
    """Where a profile was measured; an unknown fact is none."""

    cpu_model: str | None
    cpu_count: Annotated[int, msgspec.Meta(ge=1, le=2**24)]
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
    page_bytes: Annotated[int, msgspec.Meta(ge=1, le=1 << 30)] | None = None
    """Memory that one page fault gives."""
    openssl_ia32cap: Annotated[str, msgspec.Meta(max_length=200)] | None = None
    """The variable that hides instructions of the CPU from OpenSSL, where it is set."""
    cpu_id: _Fact = ""
    """Vendor, family, model and stepping; clouds hide the name."""
    libc: _Fact = ""
    huge_pages: _Fact = ""
    """The kernel's mode of transparent huge pages; empty if it has none."""
    malloc: _Fact = ""
    """Settings of malloc that are in force, or another allocator."""

    @property
    def context(self) -> str | None:
        """The facts that times on this machine depend on, beside the library that hashes.

        Neither kernel nor microcode: both are exchanged every week, and change no hash. None
        if the CPU is unknown: a file of past runs may be shared by several machines.
        """
        if self.cpu_model is None:
            return None
        facts = (
            f"{self.cpu_model} {self.cpu_id} x{self.cpu_count}",
            self.architecture,
            " ".join(self.cpu_flags),
            str(self.cpu_limit or "all CPUs"),
            self.openssl_ia32cap or "",
            self.libc,
            self.huge_pages,
            self.malloc,
        )
        return " | ".join(facts)

    def limit_on(self, threads: int) -> CpuLimit | None:
        """The CPU quota that stops a hash in so many threads; `None` if none does."""
        if self.cpu_limit is None:
            return None
        at_once = min(threads, self.cpu_count)
        limit = msgspec.structs.replace(self.cpu_limit, threads=at_once)
        return limit if limit.stops else None

    @property
    def asks_for_huge_pages(self) -> bool:
        """Whether malloc asks for huge pages, on a kernel that gives them only where asked."""
        return self.huge_pages == ON_REQUEST and HUGE_PAGES in self.malloc.split()

    def unlike(self, here: "Machine") -> str:
        """The first fact of the context that a process on the same CPU does not share, in words.

        Empty if there is none; a fact that one of the two does not know is none.
        """
        if self.cpu_model is None or _hardware(self) != _hardware(here):
            return ""
        pairs = zip(_conditions(self), _conditions(here), strict=True)
        differing = ((was, now) for was, now in pairs if was and now and was != now)
        return next((f"measured with {was}; this process has {now}" for was, now in differing), "")


def _hardware(machine: Machine) -> tuple[object, ...]:
    count, flags = machine.cpu_count, machine.cpu_flags
    return machine.cpu_model, machine.cpu_id, count, flags, machine.architecture


def _conditions(machine: Machine) -> tuple[str, ...]:
    """The facts besides the CPU that a hash's time depends on; unknown ones are empty."""
    limit, mask, pages = machine.cpu_limit, machine.openssl_ia32cap, machine.huge_pages
    malloc = machine.malloc or ("small pages" if pages == ON_REQUEST else "malloc's defaults")
    if HUGE_PAGES in malloc.split():
        malloc = f"huge pages: {malloc}"
    return (
        "no CPU limit" if limit is None else f"a limit of {limit}",
        f"OPENSSL_ia32cap={mask}" if mask else "no OPENSSL_ia32cap",
        machine.libc,
        f"huge pages in mode {pages}" if pages else "no huge pages",
        malloc if machine.libc else "",
    )


class HostIdentity(msgspec.Struct, frozen=True, kw_only=True):
    """Which host it was; only in a file that was asked for."""

    name: Annotated[str, msgspec.Meta(max_length=300)] | None = None
    """Its host name."""
    id: Annotated[str, msgspec.Meta(max_length=64)] | None = None
    """A hash of the machine id, which no other program computes."""


def is_same_host(one: HostIdentity | None, other: HostIdentity | None) -> bool:
    """Whether both say that they are one host: neither names nor ids differ, and one is known."""
    if one is None or other is None:
        return False
    pairs = [pair for pair in ((one.name, other.name), (one.id, other.id)) if None not in pair]
    return bool(pairs) and all(own == its for own, its in pairs)


class Probe(msgspec.Struct, frozen=True, kw_only=True):
    """The sizes of the probe: sha*crypt takes longer for longer passwords."""

    password_bytes: Count
    salt_bytes: Count
