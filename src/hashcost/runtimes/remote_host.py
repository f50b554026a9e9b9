"""The machine behind a prefix, from the kernel's files that a shell there prints."""

import re
import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from hashcost.core.errors import UnavailableError
from hashcost.core.machine import MOST_CPUS, HostIdentity, Machine
from hashcost.core.text import printable
from hashcost.core.units import parse_count
from hashcost.machine.control_group import figure, memory_room
from hashcost.machine.host import Host
from hashcost.machine.linux import Linux, malloc_of
from hashcost.machine.signals import Counters
from hashcost.runtimes.session import shell_output
from hashcost.runtimes.table import probe_file

_PATIENCE_SECONDS: Final = 15.0
# The place of stolen time in a line of /proc/stat; what follows is in the users' time already.
_STOLEN: Final = 8
# USER_HZ of /proc/stat, on every architecture that Linux still supports; see time(7).
_TICKS_PER_SECOND: Final = 100


class RemoteSystem(Linux, frozen=True):
    """A system from the texts of its files; less is known of one that is not Linux."""

    argv: Sequence[str] = ()
    texts: Mapping[str, str] = {}

    def read(self, path: str | Path) -> str:
        """The text of a file there, empty if it was not printed."""
        return self.texts.get(str(path), "")

    def exists(self, path: str) -> bool:
        """Whether the file exists there."""
        return path in self.texts

    def describe(self) -> Machine:
        """The machine there, and no library of this Python."""
        system, kernel, architecture = "unknown", "", ""
        names = self.read("uname").splitlines()
        if len(names) == 3:
            system, kernel, architecture = names
        emulated_on = ""
        if architecture:
            emulated_on = self.foreign_cpu(architecture)
        status = self.read("proc/self/status")
        allowed = re.search(r"^Cpus_allowed_list:\s*(.+)$", status, re.MULTILINE)
        cpu_count = None
        if allowed is not None:
            cpu_count = cpus_in(allowed[1])
        title = f"{system} {kernel}".strip()
        pretty = re.search(r'^PRETTY_NAME="?([^"\n]*)', self.read("etc/os-release"), re.MULTILINE)
        if pretty is not None:
            title = printable(pretty[1])[:200]
        return replace(
            super().describe(),
            cpu_count=cpu_count or parse_count(self.read("cpus"), MOST_CPUS) or 1,
            os=title,
            kernel=kernel,
            architecture=architecture,
            emulated_on=emulated_on,
            python="",
            openssl="",
            openssl_ia32cap=printable(self.read("ia32cap"))[:200] or None,
            page_bytes=parse_count(self.read("page")) or None,
            libc="",
            malloc=malloc_of({"GLIBC_TUNABLES": self.read("tunables").strip()}, ""),
        )

    def usable_cpus(self) -> set[int]:
        """The first CPU, which stands for all."""
        return {0}

    def is_on_battery(self) -> bool:
        """Unknown there."""
        return False

    def emulated_on(self) -> str:
        """Nothing: the programs that this asks about are those of this machine."""
        return ""

    def identity(self) -> HostIdentity:
        """The name and id of the host."""
        name = self.fact("proc/sys/kernel/hostname")
        return replace(super().identity(), name=name or None)

    # psutil knows only this machine, so what it tells here is read from the texts there.

    def physical_memory(self) -> int | None:
        """Bytes of memory that the machine there has."""
        return _bytes_of(self.read("proc/meminfo"), "MemTotal")

    def available_memory(self) -> int | None:
        """The kernel's figure there, within the limits of the control groups and of the shell."""
        limit = figure(self.read("proc/self/limits"), "Max address space")
        used = _bytes_of(self.read("proc/self/status"), "VmSize")
        rooms = [_bytes_of(self.read("proc/meminfo"), "MemAvailable"), memory_room(self.read)]
        if limit is not None and used is not None:
            rooms.append(max(limit - used, 0))
        return min((room for room in rooms if room is not None), default=None)

    def cpu_time(self) -> tuple[float, float] | None:
        """CPU time there since boot: what other guests of the host got, and all, in seconds."""
        first_line = self.read("proc/stat").partition("\n")[0]
        fields = first_line.split()[: _STOLEN + 1]
        if len(fields) <= _STOLEN or fields[0] != "cpu":
            return None
        seconds = [(parse_count(ticks) or 0) / _TICKS_PER_SECOND for ticks in fields[1:]]
        return seconds[-1], sum(seconds)

    def counters(self) -> Counters:
        """The counters there, read again if the system can be reached."""
        if not self.argv:
            return super().counters()
        now = replace(self, texts=read_files(self.argv))
        return super(RemoteSystem, now).counters()


def remote_host(here: Host, argv: Sequence[str]) -> Host:
    """The machine behind a prefix, with this one's wall clock, date and past runs.

    Raises:
        UnavailableError: the prefix gives no shell.
    """
    system = RemoteSystem(argv=argv, texts=read_files(argv))
    return replace(
        here,
        describe=system.describe,
        identity=system.identity,
        available_memory=system.available_memory,
        used_memory=lambda: None,
        counters=system.counters,
        warm_pages=lambda _: None,
    )


def read_files(argv: Sequence[str]) -> dict[str, str]:
    """Read the texts that a shell shows, by path without the first slash.

    Raises:
        UnavailableError: it does not print them to the end.
    """
    # No file of that system can hold it, and pretend to be another.
    mark = secrets.token_hex(8)
    script = f"mark={mark}\n{probe_file('facts.sh')}"
    shown = shell_output(argv, script.encode(), _PATIENCE_SECONDS).decode("utf-8", "replace")
    _, *parts = re.split(rf"^{mark} ", shown, flags=re.MULTILINE)
    texts = {name.lstrip("/"): text for name, _, text in (part.partition("\n") for part in parts)}
    if "end" not in texts:
        raise UnavailableError(
            "--exec: the shell ended before it was asked anything; docker and kubectl need exec -i"
        )
    return texts


def _bytes_of(text: str, name: str) -> int | None:
    """A size that the kernel writes in kB, in bytes; `None` if it is not there."""
    kib = figure(text, f"{name}:")
    if kib is None:
        return None
    return kib * 1024


def cpus_in(listed: str) -> int | None:
    """The number of CPUs in a list such as ``0-3,8``; `None` if it is not a list."""
    cpus = 0
    for part in listed.split(","):
        first, dash, last = part.partition("-")
        if not dash:
            last = first
        low, high = parse_count(first), parse_count(last)
        if low is None or high is None or low > high:
            return None
        cpus += high - low + 1
    # Ranges may overlap, in a file that is not the kernel's.
    return min(cpus, MOST_CPUS)
