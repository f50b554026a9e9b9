"""What Linux tells about the machine and about a run, read from recorded files."""

import mmap
import os
import platform
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import psutil
import pytest

from corpora import cases, table
from fakes import limited_to
from hashcost.machine.control_group import GroupUse
from hashcost.machine.linux import Linux, run_queue_seconds

Files = Callable[[Mapping[str, str]], Linux]

X86 = cases(__file__, "linux.toml", "x86")
ARM = cases(__file__, "linux.toml", "arm")
LIMITED = cases(__file__, "linux.toml", "limited")
"""Prints what is available within a limit of the address space, in MiB beyond what is used."""


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Files:
    """A system whose kernel has these files and no others."""
    monkeypatch.setattr(psutil, "PROCFS_PATH", str(tmp_path / "proc"))

    def write(texts: Mapping[str, str]) -> Linux:
        for name, text in texts.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return Linux(root=tmp_path)

    return write


class TestMachine:
    """Describing the machine."""

    def test_the_host_by_its_machine_id(self, files: Files) -> None:
        """The machine id is hashed with a key, as machine-id(5) asks."""
        known, other = (files({"etc/machine-id": f"{digit * 32}\n"}).identity() for digit in "12")
        unknown = files({"etc/machine-id": ""}).identity()

        assert known.name == other.name == unknown.name == (platform.node() or None)
        assert known.id is not None
        assert (32, True) == (len(known.id), known.id.isalnum())
        assert "1" * 32 != known.id != other.id
        assert unknown.id is None

    def test_a_virtual_machine_is_described(self, files: Files) -> None:
        """Model, flags that matter, memory, limit and vendor are read from the kernel."""
        found = files(
            {
                "proc/cpuinfo": X86,
                "proc/meminfo": "MemTotal:        2048 kB\nMemFree: 1 kB\n",
                "sys/fs/cgroup/cpu.max": "150000 100000\n",
                "sys/class/dmi/id/sys_vendor": "Amazon EC2\n",
            }
        ).describe()
        assert found.cpu_model == "AMD EPYC 7R13 Processor"
        assert found.cpu_id == "AuthenticAMD 25 1 1"
        assert found.cpu_flags == ("sha_ni", "avx2")
        assert found.memory_bytes == 2 << 20
        assert found.cpu_limit == limited_to(1.5)
        assert found.virtualization == "Amazon EC2"
        assert found.kernel == platform.release()

    @table("texts, brakes")
    def test_what_holds_the_clock_down_is_told(
        self, files: Files, texts: dict[str, str], brakes: tuple[str, ...]
    ) -> None:
        """The kernel's files of the first CPU that the process may use; none, nothing."""
        folder = f"sys/devices/system/cpu/cpu{min(os.sched_getaffinity(0))}/cpufreq"
        found = files({f"{folder}/{name}": f"{text}\n" for name, text in texts.items()})
        assert tuple(brakes) == found.describe().power.brakes

    @table("order, reported")
    def test_a_host_may_take_free_pages_back(
        self, files: Files, order: str, reported: bool
    ) -> None:
        """The kernel names the least order of pages that it reports, or none."""
        texts = {"sys/module/page_reporting/parameters/page_reporting_order": order}
        assert reported == files(texts).describe().reports_free_pages

    def test_an_arm_machine_is_described(self, files: Files) -> None:
        """Arm has numbers in place of a model name, and calls its flags features."""
        found = files({"proc/cpuinfo": ARM}).describe()
        assert found.cpu_model == "Arm implementer 0x41 part 0xd0c variant 0x3 revision 1"
        assert found.cpu_flags == ("sha512", "sha1", "sha2", "asimd")
        assert found.virtualization is None

    @table("texts, virtualization")
    def test_virtualization_is_told(
        self, files: Files, texts: dict[str, str], virtualization: str | None
    ) -> None:
        """A container is called one first, a guest by its vendor, and real hardware not at all."""
        kernel = {name: {"X86": X86}.get(text, text) for name, text in texts.items()}
        assert virtualization == files(kernel).describe().virtualization

    @table("machine, cpu, own, running, architecture")
    def test_an_emulator_is_told(
        self,
        files: Files,
        monkeypatch: pytest.MonkeyPatch,
        machine: str,
        cpu: str,
        own: int,
        running: int,
        architecture: str,
    ) -> None:
        """An emulated process sees the CPU of the host, or a program beneath its own that is
        for another architecture; a process of 32 bits on its own CPU is not emulated.
        """
        monkeypatch.setattr(platform, "machine", lambda: machine)
        linux = files({"proc/cpuinfo": cpu})
        for name, number in (("self", own), ("thread-self", running)):
            if number:
                program = linux.root / "proc" / name / "exe"
                program.parent.mkdir(exist_ok=True)
                program.write_bytes(b"\x7fELF\x02\x01".ljust(18, b"\0") + bytes([number, 0]))
        found = linux.describe()
        assert architecture == found.emulated_on

    @table("meminfo, limit, used, available")
    def test_available_memory_is_within_the_control_groups_limit(
        self, files: Files, meminfo: str, limit: str, used: str, available: int | None
    ) -> None:
        """What the kernel calls available counts, or what the control group has left, if less."""
        group = {"sys/fs/cgroup/memory.max": limit, "sys/fs/cgroup/memory.current": used}
        assert available == files({"proc/meminfo": meminfo, **group}).available_memory()


@table("text, seconds")
def test_time_spent_queueing(text: str, seconds: float | None) -> None:
    """The second figure of schedstat is the time waited, in nanoseconds."""
    assert seconds == run_queue_seconds(text)


def test_counters_are_read(files: Files) -> None:
    """Each counter is read from its file; what guests took is in the users' time already."""
    second = os.sysconf("SC_CLK_TCK")
    counters = files(
        {
            "proc/thread-self/schedstat": "1 2000000000 3\n",
            "proc/stat": f"cpu  {second} 0 0 {second} 0 0 0 {3 * second} {second} 0\n",
            "sys/fs/cgroup/cpu.max": "50000 100000\n",
            "sys/fs/cgroup/cpu.stat": "usage_usec 4000000\n",
        }
    ).counters()
    assert (2.0, (3.0, 5.0), (GroupUse(limit=limited_to(0.5), cpu_seconds=4.0),)) == (
        counters.run_queue_seconds,
        counters.stolen_and_all,
        counters.groups,
    )


@pytest.mark.skipif(platform.system() != "Linux", reason="asks the running kernel")
class TestThisSystem:
    """The Linux that runs the tests."""

    def test_fresh_pages_are_counted(self) -> None:
        """Memory that is touched for the first time shows as page faults."""
        clock = Linux().clock()
        before = clock.usage().page_faults
        with mmap.mmap(-1, 64 * mmap.PAGESIZE) as fresh:
            for page in range(64):
                fresh[page * mmap.PAGESIZE] = 1
            after = clock.usage().page_faults
        assert after - before >= 64

    @pytest.mark.parametrize("mib", [0, 64])
    def test_available_memory_is_within_the_limit_of_the_process(self, mib: int) -> None:
        """What ``ulimit -v`` leaves of the address space counts, beside what is used already."""
        ended = subprocess.run(
            [sys.executable, "-c", LIMITED, str(mib)], capture_output=True, text=True, check=True
        )
        assert mib >= int(ended.stdout) > mib - 16

    def test_huge_pages_are_touched_and_freed(self) -> None:
        """At least one in each 2 MiB; more than there is does nothing."""
        clock, system = Linux().clock(), Linux()
        before, resident = clock.usage().page_faults, system.used_memory() or 0
        system.warm_pages(32 << 20)
        touched = 16 if Path("/sys/kernel/mm/transparent_hugepage").exists() else 0
        assert clock.usage().page_faults - before >= touched
        assert (system.used_memory() or 0) < resident + (16 << 20)
        system.warm_pages(1 << 62)
