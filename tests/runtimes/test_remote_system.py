"""What the texts of a host's files say of it, and the last word of a warm-up."""

import os
from pathlib import Path
from typing import Final

import pytest

from fakes import FakeClock, fake_host
from hashcost.core.errors import UnavailableError
from hashcost.core.machine import MOST_CPUS
from hashcost.runtimes.processes import Runtimes
from hashcost.runtimes.protocol import HashTimes
from hashcost.runtimes.remote_host import RemoteSystem, cpus_in, read_files, remote_host
from hashcost.runtimes.session import shell_output
from hashcost.runtimes.table import Location
from hashcost.runtimes.warming import WarmUp

KIB: Final = 1024
FILES: Final = {
    "uname": "Linux\n6.1.0-9\nx86_64\n",
    "etc/os-release": 'NAME="Debian"\nPRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\n',
    "cpus": "64\n",
    "page": "4096\n",
    "ia32cap": "~0x20000000\n",
    "tunables": "glibc.malloc.hugetlb=1\n",
    "proc/self/status": "Name:\tsh\nVmSize:\t    2000 kB\nCpus_allowed_list:\t0-3,8\n",
    "proc/meminfo": "MemTotal:  16000 kB\nMemFree:  1 kB\nMemAvailable:  9000 kB\n",
    "proc/sys/kernel/hostname": "web1\n",
    "proc/stat": "cpu  100 20 30 400 5 6 7 50 9 0\ncpu0 1 1 1 1 1 1 1 1\n",
}


def host(**texts: str) -> RemoteSystem:
    """The host with these files in place of its own."""
    return RemoteSystem(texts=FILES | texts)


def test_a_host_is_described_by_its_own_files() -> None:
    """Nothing of this machine or of this Python is told of another one."""
    machine = host().describe()

    assert "Debian GNU/Linux 12 (bookworm)" == machine.os
    assert ("6.1.0-9", "x86_64") == (machine.kernel, machine.architecture)
    assert ("", "", "") == (machine.python, machine.openssl, machine.libc)
    assert (5, 4096) == (machine.cpu_count, machine.page_bytes)
    assert "~0x20000000" == machine.openssl_ia32cap
    assert "hugetlb=1" in machine.malloc
    assert 16000 * KIB == machine.memory_bytes
    assert "web1" == host().identity().name


def test_a_host_that_tells_little_has_unknown_facts() -> None:
    """Without uname and lists of the kernel, the system is unknown and it has one CPU."""
    machine = RemoteSystem(texts={}).describe()

    assert ("unknown", "", "") == (machine.os, machine.kernel, machine.architecture)
    assert (1, None, None) == (machine.cpu_count, machine.page_bytes, machine.openssl_ia32cap)
    assert "" == machine.emulated_on
    assert machine.memory_bytes is None
    assert RemoteSystem(texts={}).identity().name is None
    assert "Linux 6.1.0-9" == host(**{"etc/os-release": ""}).describe().os


def test_a_host_fills_no_profile_with_its_facts() -> None:
    """A fact has at most 200 characters, whatever the files of the host hold."""
    machine = host(
        **{"etc/os-release": "PRETTY_NAME=" + "x" * 999, "ia32cap": "y" * 999}
    ).describe()

    assert ("x" * 200, "y" * 200) == (machine.os, machine.openssl_ia32cap)


def test_the_cpus_of_a_host_are_those_that_it_allows_or_else_has() -> None:
    """The kernel's list counts before the number of all CPUs."""
    assert 64 == host(**{"proc/self/status": ""}).describe().cpu_count
    assert (1, 4, 5) == (cpus_in("7"), cpus_in("0-3"), cpus_in("0-3,8"))
    assert [None] * 3 == [cpus_in(listed) for listed in ("", "3-1", "a-b")]
    # Ranges that overlap are no more than any machine has.
    assert MOST_CPUS == cpus_in(",".join([f"0-{2**62 - 1}"] * 2))


@pytest.mark.parametrize(
    ("limits", "kib"),
    [
        ("", 9000),
        ("Max address space         4096000              unlimited            bytes\n", 2000),
        ("Max address space         1                    unlimited            bytes\n", 0),
        ("Max address space         unlimited            unlimited            bytes\n", 9000),
    ],
)
def test_the_memory_of_a_host_is_what_its_shell_may_still_take(limits: str, kib: int) -> None:
    """The kernel's figure, or less under a limit of the address space, and never below none."""
    assert kib * KIB == host(**{"proc/self/limits": limits}).available_memory()


def test_nothing_is_known_of_memory_that_a_host_does_not_tell() -> None:
    """A limit without what is used says nothing, and no file says nothing."""
    limits = "Max address space  4096000  unlimited  bytes\n"

    assert RemoteSystem(texts={}).available_memory() is None
    assert RemoteSystem(texts={"proc/self/limits": limits}).available_memory() is None


def test_the_cpu_time_of_a_host_counts_what_guests_stole() -> None:
    """The eighth figure is what others got; what follows is in the first ones already."""
    stolen, total = host().cpu_time() or (0.0, 0.0)

    assert 0.5 == stolen
    assert pytest.approx(6.18) == total
    assert host(**{"proc/stat": "cpu 1 2 3 4 5 6 7\n"}).cpu_time() is None
    assert host(**{"proc/stat": "intr 1 2 3 4 5 6 7 8\n"}).cpu_time() is None


def test_a_shell_gets_its_script_and_says_why_it_failed() -> None:
    """What it prints is returned whole; if it fails, its last words are the reason."""
    assert b"a\nb\n" == shell_output(["sh"], b"echo a; echo b", 60.0)
    with pytest.raises(UnavailableError, match=r"`sh` gives no shell: the last words$"):
        shell_output(["sh"], b"echo first >&2; echo 'the last words ' >&2; exit 3", 60.0)
    with pytest.raises(UnavailableError, match=r"gives no shell: exit code 3$"):
        shell_output(["sh"], b"exit 3", 60.0)
    with pytest.raises(UnavailableError, match=r"`sh` gives no shell: it writes without end$"):
        shell_output(["sh"], b"yes", 60.0)


def test_a_host_is_read_by_the_shell_behind_the_prefix(tmp_path: Path) -> None:
    """Each file that the shell prints has its text, also where a name is not UTF-8; the host
    keeps this machine's clock and past runs.
    """
    uname = tmp_path / "uname"
    uname.write_text("#!/bin/sh\nprintf '6.1-\\377\\n'\n")
    uname.chmod(0o755)
    prefix = ("env", f"PATH={tmp_path}{os.pathsep}{os.environ['PATH']}", "sh")
    texts = read_files(prefix)
    here = fake_host(FakeClock())
    there = remote_host(here, prefix)

    assert {"end", "uname", "proc/self/status", "proc/stat"} <= texts.keys()
    assert here.history is there.history
    assert there.used_memory() is None
    assert (there.available_memory() or 0) > 0
    assert "6.1-\ufffd" == there.describe().kernel


@pytest.mark.parametrize("prefix", [(), ("sh",)])
def test_what_is_behind_a_prefix_is_remote(prefix: tuple[str, ...]) -> None:
    """A hasher behind a prefix is not of this machine; one without is."""
    with Runtimes(Location(prefix=prefix)) as elsewhere:
        remote = {candidate.is_remote for candidate in elsewhere.candidates("perl")}

    assert {bool(prefix)} == remote


@pytest.mark.parametrize(("busy", "met_at"), [(0.11, 70), (0.03, 67)])
def test_a_warm_up_judges_the_last_twenty_hashes(busy: float, met_at: int) -> None:
    """A compiler that rests after fifty hashes is forgotten hash by hash, neither sooner nor
    later; each hash adds its time.
    """
    warm_up = WarmUp(1.0)
    met = []
    for count in range(1, 81):
        total = busy * min(count, 50)
        warm_up.add(HashTimes(output="", cpu=0.1, wall=0.1, compiling=total))
        met.append(warm_up.is_met)

    assert met_at == 1 + met.index(True)
    assert pytest.approx(8.0) == warm_up.elapsed
