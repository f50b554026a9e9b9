"""Through ssh, another user, another root and an empty environment: hashes and facts of there."""

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from msgspec.structs import replace

from corpora import cases
from end_to_end.command import calibrate as run_command
from end_to_end.runtimes.elsewhere import ssh_on_loopback, under_quota
from fakes import FakeClock, fake_host
from hashcost.core.errors import UnavailableError
from hashcost.core.machine import HUGE_PAGES
from hashcost.hashers.interface import check_known_answers
from hashcost.machine.host import this_host
from hashcost.runtimes.processes import Runtimes
from hashcost.runtimes.remote_host import RemoteSystem, remote_host
from hashcost.runtimes.table import Location

pytestmark = pytest.mark.slow

ROOT: Final = os.geteuid() == 0


@pytest.fixture(scope="module")
def ssh(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """An ssh to a server of the test's own on loopback, with keys of its own."""
    with ssh_on_loopback(tmp_path_factory.mktemp("ssh")) as prefix:
        yield prefix


LOCAL: Final = cases(__file__, "behind_a_prefix.toml", "local")
NEEDS_ROOT: Final = {"another user", "chroot in a namespace"}


def perl_hashes(prefix: tuple[str, ...]) -> None:
    """Perl, which is everywhere, computes its known answers behind a prefix and ends."""
    with Runtimes(Location(prefix=prefix)) as elsewhere:
        try:
            hasher = elsewhere.candidates("perl")[0].load()
        except UnavailableError as error:
            pytest.skip(str(error))
        check_known_answers(hasher)


@pytest.mark.parametrize("name", LOCAL)
def test_prefixes_on_this_machine(name: str) -> None:
    """Whatever runs a shell will do."""
    prefix = tuple(LOCAL[name])
    if shutil.which(prefix[0]) is None:
        pytest.skip(f"apt-get install {prefix[0]}")
    if name in NEEDS_ROOT and not ROOT:
        pytest.skip("only root may")
    perl_hashes(prefix)


def test_over_ssh(ssh: str) -> None:
    """Over ssh too, also as another user."""
    perl_hashes(tuple(ssh.split()))
    if ROOT and shutil.which("setpriv"):
        perl_hashes((*ssh.split(), *LOCAL["another user"]))


def test_under_a_quota(tmp_path: Path) -> None:
    """The quota of the group is that of the profile."""
    asked = ("sha512-crypt@perl:crypt", "--target", "10ms", "--effort", "fast", "--format", "json")
    with under_quota(0.3, tmp_path) as prefix:
        there = run_command(*asked, "--exec", prefix)
    if "install it with" in there.err:
        pytest.skip("apt-get install perl")
    profile = json.loads(there.out)
    assert pytest.approx(0.3) == profile["machine"]["cpu_limit"]["quota_seconds"] / 0.1


def test_the_facts_are_those_of_the_other_side() -> None:
    """What a shell shows is what this machine tells of itself, but for Python's own."""
    here = this_host()
    there = remote_host(here, ("env", f"GLIBC_TUNABLES={HUGE_PAGES}", "sh"))
    own, told = here.describe(), there.describe()
    assert own.cpu_model == told.cpu_model
    assert (own.cpu_count, own.cpu_flags, own.cpu_limit) == (
        told.cpu_count,
        told.cpu_flags,
        told.cpu_limit,
    )
    assert (own.memory_bytes, own.os, own.kernel) == (told.memory_bytes, told.os, told.kernel)
    assert (own.architecture, own.page_bytes) == (told.architecture, told.page_bytes)
    assert ("", "", HUGE_PAGES) == (told.python, told.openssl, told.malloc)
    assert there.available_memory()
    assert len(here.counters().groups) == len(there.counters().groups)


@pytest.mark.parametrize(
    ("architecture", "cpu", "emulated_on"),
    [
        ("aarch64", "CPU implementer\t: 0x41\n", ""),
        ("aarch64", "cpu family\t: 25\n", "x86_64"),
        ("x86_64", "cpu family\t: 25\n", ""),
        ("x86_64", "CPU implementer\t: 0x41\n", "aarch64"),
    ],
)
def test_an_emulator_there_is_told(architecture: str, cpu: str, emulated_on: str) -> None:
    """A host of another architecture than this machine's is not emulated; a container of another
    platform than its host's is.
    """
    texts = {"uname": f"Linux\n6.1\n{architecture}\n", "proc/cpuinfo": cpu}
    assert emulated_on == RemoteSystem(texts=texts).describe().emulated_on


def quota(*, cpus: str, used: int) -> RemoteSystem:
    """A container with a quota, which has used so many microseconds, and has 64 MiB left."""
    folder = "sys/fs/cgroup/app"
    return RemoteSystem(
        texts={
            "proc/self/cgroup": "0::/app\n",
            "proc/meminfo": "MemTotal: 8388608 kB\nMemAvailable: 4194304 kB\n",
            f"{folder}/cpu.max": f"{cpus} 100000\n",
            f"{folder}/cpu.stat": f"usage_usec {used}\n",
            f"{folder}/memory.max": f"{256 << 20}\n",
            f"{folder}/memory.current": f"{192 << 20}\n",
        }
    )


def test_limits_are_those_of_the_other_side() -> None:
    """A quota of 0.3 CPU is a limit there, and memory ends where the container's does."""
    system = quota(cpus="30000", used=0)
    assert pytest.approx(0.3) == getattr(system.describe().cpu_limit, "cpus", None)
    assert 64 << 20 == system.available_memory()
    assert quota(cpus="max", used=0).describe().cpu_limit is None


def test_memory_and_stolen_time_are_those_of_the_other_side() -> None:
    """None of them is this machine's, as the kernel's files there have all of them."""
    system = RemoteSystem(
        texts={
            "proc/meminfo": "MemTotal: 2048 kB\nMemAvailable: 1024 kB\n",
            "proc/self/limits": "Max address space         4194304    unlimited    bytes\n",
            "proc/self/status": "VmSize:\t    3584 kB\n",
            "proc/stat": "cpu  100 0 0 100 0 0 0 300 100 0\n",
        }
    )
    assert 2 << 20 == system.physical_memory()
    assert 512 << 10 == system.available_memory()
    assert (3.0, 5.0) == system.counters().stolen_and_all


def test_counters_are_those_of_the_other_side(monkeypatch: pytest.MonkeyPatch) -> None:
    """The counters are read anew each time, where the hash runs."""
    used = iter([1_000_000, 4_000_000])
    monkeypatch.setattr(
        "hashcost.runtimes.remote_host.read_files",
        lambda argv: quota(cpus="30000", used=next(used)).texts,
    )
    system = RemoteSystem(argv=("sh",))
    host = replace(fake_host(FakeClock()), counters=system.counters)
    assert [1.0, 4.0] == [host.counters().groups[0].cpu_seconds for _ in range(2)]


def test_a_system_without_the_kernels_files() -> None:
    """What no file tells is unknown, and there is a CPU at least."""
    system = RemoteSystem(
        texts={"uname": "FreeBSD\n14.1\namd64\n", "cpus": "4\n", "page": "4096\n"}
    )
    found = system.describe()
    assert ("FreeBSD 14.1", "amd64", 4, 4096) == (
        found.os,
        found.architecture,
        found.cpu_count,
        found.page_bytes,
    )
    assert (None, None) == (found.cpu_model, system.available_memory())
    assert (None, None) == (found.memory_bytes, system.counters().stolen_and_all)
    assert RemoteSystem().describe().cpu_count == 1
