"""Linux: what psutil does not tell of the machine and a run on it, from the kernel's files."""

import contextlib
import mmap
import os
import platform
import re
from collections.abc import Collection, Iterable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path

import msgspec

from hashcost.core.machine import HUGE_PAGES, MALFORMED, HostIdentity, Machine, Power
from hashcost.core.text import printable
from hashcost.core.units import parse_count
from hashcost.machine.clock import Clock
from hashcost.machine.control_group import cpu_limit, group_uses, memory_room
from hashcost.machine.facts import SPEED_FLAGS, System, told
from hashcost.machine.one_core import kept_on_one_core
from hashcost.machine.signals import Counters

_CONTAINER_MARKS = (".dockerenv", "run/.containerenv")
_CPU_FACTS = ("vendor_id", "cpu family", "model", "stepping")
_CPUS = "sys/devices/system/cpu"
_HUGE_PAGES = "sys/kernel/mm/transparent_hugepage/enabled"
_REPORTING = "sys/module/page_reporting/parameters/page_reporting_order"
# The kernel's -1, where nothing is reported; releases before 6.5 write it as an unsigned number.
_UNREPORTED = ("", "-1", str(2**32 - 1))
_CHOSEN = re.compile(r"\[(\w+)\]")
_ALLOCATOR = re.compile(r"/lib(jemalloc|tcmalloc|mimalloc)[^/\n]*$", re.MULTILINE)
_TUNABLE = re.compile(r"(?:^|(?<=:))([a-z0-9_.]+)=([^:=]*)(?=:|$)")
# A profile that has a longer fact cannot be read again (`Machine`).
_LONGEST = 200
_HUGE_PAGE_BYTES = 2 << 20
_X86 = re.compile(r"x86_64|amd64|i[3-6]86", re.IGNORECASE)
# The vendor that Rosetta names to x86 processes in a Linux guest of a Mac.
_ROSETTA = "VirtualApple"
# Architectures by the numbers of elf.h.
_ELF_MACHINES = {3: "i386", 22: "s390x", 40: "arm", 62: "x86_64", 183: "aarch64", 243: "riscv64"}
_ARM_FACTS = ("CPU implementer", "CPU part", "CPU variant", "CPU revision")


class Linux(System, frozen=True):
    """Read the kernel's files below a root folder."""

    root: Path = Path("/")

    def clock(self) -> Clock:
        """The clocks, with what the kernel spends on this process and lets it wait for."""
        return msgspec.structs.replace(super().clock(), queued=self.queued_seconds)

    def describe(self) -> Machine:
        """The machine and the limits of the control group."""
        cpu = self._first_cpu()
        # x86 lists what a CPU can do by the first name, Arm by the second.
        flags = f"{cpu.get('flags', '')} {cpu.get('Features', '')}".split()
        known_ids = filter(None, map(cpu.get, _CPU_FACTS))
        machine = super().describe()
        return msgspec.structs.replace(
            machine,
            cpu_count=len(self.usable_cpus()),
            cpu_flags=tuple(flag for flag in SPEED_FLAGS if flag in flags),
            cpu_limit=cpu_limit(self.read),
            os=_distribution() or machine.os,
            virtualization=self._virtualization(flags),
            cpu_id=" ".join(known_ids),
            libc=_libc(),
            huge_pages="".join(_CHOSEN.findall(self.read(_HUGE_PAGES))),
            malloc=malloc_of(os.environ, self.read("proc/self/maps")),
            power=self._power(machine.power),
            reports_free_pages=self.read(_REPORTING).strip() not in _UNREPORTED,
        )

    def usable_cpus(self) -> set[int]:
        """The numbers of the CPUs that the process may use."""
        return os.sched_getaffinity(0)

    def _power(self, power: Power) -> Power:
        """Add the governor and the limits of the first CPU; see cpufreq.rst in admin-guide/pm."""
        folder = f"{_CPUS}/cpu{min(self.usable_cpus(), default=0)}/cpufreq"
        return msgspec.structs.replace(
            power,
            driver=self.fact(f"{folder}/scaling_driver"),
            governor=self.fact(f"{folder}/scaling_governor"),
            highest_hertz=self._hertz(f"{folder}/cpuinfo_max_freq"),
            limit_hertz=self._hertz(f"{folder}/scaling_max_freq"),
        )

    def fact(self, path: str) -> str:
        """One word of the kernel; a recording may hold anything in its place."""
        return printable(self.read(path).strip())[:_LONGEST]

    def _hertz(self, path: str) -> int | None:
        """A frequency, which the kernel gives in kHz; `None` if it is unknown."""
        # A profile holds no count above 2⁶².
        kilohertz = parse_count(self.read(path), 2**62 // 1000)
        if kilohertz is None:
            return None
        return kilohertz * 1000

    def cpu_name(self) -> str | None:
        """The name of the CPU, or on Arm the numbers that identify it."""
        cpu = self._first_cpu()
        name = cpu.get("model name") or cpu.get("Model")
        if name is not None:
            return name
        if not cpu.keys() >= set(_ARM_FACTS):
            return None
        implementer, part, variant, revision = (cpu[fact] for fact in _ARM_FACTS)
        return f"Arm implementer {implementer} part {part} variant {variant} revision {revision}"

    def emulated_on(self) -> str:
        """The architecture of the CPU, if an emulator runs this process; else empty."""
        # By the first name qemu shows a process its own program, by the second one qemu itself.
        own = self._elf_machine("proc/self/exe")
        running = self._elf_machine("proc/thread-self/exe")
        if own is not None and running is not None and own != running:
            return _ELF_MACHINES.get(running, "another architecture")
        return self.foreign_cpu(platform.machine())

    def foreign_cpu(self, architecture: str) -> str:
        """The architecture of the CPU that the kernel shows, if it is not this one; else empty."""
        cpu = self._first_cpu()
        if cpu.get("vendor_id") == _ROSETTA:
            return "aarch64"
        # Each name is in the kernel's list of one architecture only.
        is_x86 = _X86.fullmatch(architecture) is not None
        if "cpu family" in cpu and not is_x86:
            return "x86_64"
        if "CPU implementer" in cpu and is_x86:
            return "aarch64"
        return ""

    def identity(self) -> HostIdentity:
        """The host's name, and a hash of its machine id as machine-id(5) asks for."""
        import hmac  # Few commands name the host.

        identity = super().identity()
        machine_id = self.read("etc/machine-id").strip()
        if not machine_id:
            return identity
        hashed = hmac.new(machine_id.encode(), b"hashcost", "sha256").hexdigest()
        return msgspec.structs.replace(identity, id=hashed[:32])

    def available_memory(self) -> int | None:
        """The kernel's figure, within the limits of the control groups and of the process."""
        rooms = (super().available_memory(), memory_room(self.read), _address_space())
        figures = [room for room in rooms if room is not None]
        return min(figures, default=None)

    def counters(self) -> Counters:
        """The counters now."""
        return msgspec.structs.replace(
            super().counters(),
            run_queue_seconds=self.queued_seconds(),
            stolen_and_all=self.cpu_time(),
            groups=group_uses(self.read),
        )

    def cpu_time(self) -> tuple[float, float] | None:
        """CPU time since boot, in seconds: what the hypervisor gave to other guests, and all."""
        import psutil

        times = told(psutil.cpu_times)
        if times is None:
            return None
        # What guests of this machine took is in the times of users already; see proc_stat(5).
        return times.steal, sum(times) - times.guest - times.guest_nice

    def on_one_core(self, threads: Collection[int]) -> AbstractContextManager[None]:
        """Keep this thread and these on one core."""
        return kept_on_one_core(threads)

    def warm_pages(self, memory_bytes: int) -> None:
        """Touch so many bytes of huge pages and free them: the next to ask gets the same ones.

        The host of a virtual machine may have taken free ones back (free page reporting), so that
        the first touch takes twenty times as long.
        """
        # One more, since the area may begin within a huge page.
        size = memory_bytes + _HUGE_PAGE_BYTES
        with (
            contextlib.suppress(OSError),
            mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as area,
        ):
            area.madvise(mmap.MADV_HUGEPAGE)
            # One assignment touches every page, without a loop in Python.
            pages = len(range(0, size, _HUGE_PAGE_BYTES))
            area[::_HUGE_PAGE_BYTES] = bytes(pages)

    def queued_seconds(self) -> float | None:
        """Time that this thread has waited for a CPU."""
        return run_queue_seconds(self.read("proc/thread-self/schedstat"))

    def _first_cpu(self) -> dict[str, str]:
        paragraph = self.read("proc/cpuinfo").partition("\n\n")[0]
        facts = {}
        for line in paragraph.splitlines():
            name, _, value = line.partition(":")
            facts[name.strip()] = value.strip()
        return facts

    def _elf_machine(self, path: str) -> int | None:
        """The number of the architecture that a program is for, by its header; see elf(5)."""
        try:
            with (self.root / path).open("rb") as stream:
                header = stream.read(20)
        except OSError:
            return None
        if len(header) < 20 or not header.startswith(b"\x7fELF"):
            return None
        # Byte 5 has the order of bytes (EI_DATA), bytes 18 and 19 the architecture (e_machine).
        if header[5] == 1:
            return int.from_bytes(header[18:20], "little")
        return int.from_bytes(header[18:20], "big")

    def _virtualization(self, flags: list[str]) -> str | None:
        if any(map(self.exists, _CONTAINER_MARKS)):
            return "container"
        # The vendor of a guest is its cloud or its hypervisor, that of real hardware a brand.
        if "hypervisor" not in flags:
            return None
        return self.read("sys/class/dmi/id/sys_vendor").strip() or "virtual machine"

    def exists(self, path: str) -> bool:
        """Whether the file exists."""
        return (self.root / path).exists()

    def read(self, path: str | Path) -> str:
        """Read a text of the kernel, empty if it cannot be read."""
        try:
            return (self.root / path).read_text("utf-8", errors="replace")
        except OSError:
            return ""


def _libc() -> str:
    try:
        return (os.confstr("CS_GNU_LIBC_VERSION") or "")[:_LONGEST]
    except (OSError, ValueError):
        return ""


def malloc_of(environment: Mapping[str, str], maps: str) -> str:
    """Return the settings of glibc's malloc, or the allocator that replaces it."""
    asked = environment.get("GLIBC_TUNABLES", "")
    tunables = _TUNABLE.findall(asked)
    settings = set(_ALLOCATOR.findall(maps))
    # Of a name that is set twice, the last counts.
    for name, value in dict(tunables).items():
        if name.startswith("glibc.malloc."):
            settings.add(f"{name}={value}")
    for name, value in environment.items():
        if name.startswith("MALLOC_"):
            settings.add(f"{name}={value}")
    # What glibc makes of a text that is not a list of tunables depends on its version.
    if _joined(tunables) != asked:
        settings.add(MALFORMED)
    text = " ".join(sorted(settings))[:_LONGEST]
    if not text.isprintable():
        return MALFORMED
    return text


def with_huge_pages(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of a process whose malloc asks for huge pages as well."""
    name, _, value = HUGE_PAGES.partition("=")
    tunables = dict(_TUNABLE.findall(environment.get("GLIBC_TUNABLES", "")))
    tunables[name] = value
    return {**environment, "GLIBC_TUNABLES": _joined(tunables.items())}


def _joined(tunables: Iterable[tuple[str, str]]) -> str:
    """Tunables as glibc reads them; see the manual of glibc, Tunables."""
    return ":".join(f"{name}={value}" for name, value in tunables)


def run_queue_seconds(schedstat: str) -> float | None:
    """Return the time that a thread waited for a CPU; `None` if it is unknown."""
    # Time on a CPU and time in its queue, in nanoseconds; see sched-stats.rst of the kernel.
    fields = schedstat.split()
    if len(fields) < 2:
        return None
    nanoseconds = parse_count(fields[1])
    if nanoseconds is None:
        return None
    return nanoseconds / 1e9


def _address_space() -> int | None:
    """Bytes that the limit of the process, `ulimit -v`, leaves; `None` without one."""
    import psutil

    limit = told(lambda: psutil.Process().rlimit(psutil.RLIMIT_AS)[0])
    memory = told(lambda: psutil.Process().memory_info())
    if limit is None or limit == psutil.RLIM_INFINITY or memory is None:
        return None
    return int(max(limit - memory.vms, 0))


def _distribution() -> str | None:
    with contextlib.suppress(OSError):
        return platform.freedesktop_os_release().get("PRETTY_NAME")
    return None
