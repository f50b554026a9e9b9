"""What is known of the machine."""

from __future__ import annotations

import os
import platform
from pathlib import Path

import pytest

from hashcost.machine import facts as machine
from hashcost.machine.facts import (
    available_memory,
    cpu_limit,
    describe_machine,
    own_cgroup,
    read_text,
)

X86 = """\
processor\t: 0
vendor_id\t: AuthenticAMD
model name\t: AMD EPYC(TM) 7R13 Processor
flags\t\t: fpu sha_ni avx2 hypervisor lm

processor\t: 1
model name\t: another
flags\t\t: avx512f
"""
ARM = """\
processor\t: 0
BogoMIPS\t: 108.00
Features\t: fp asimd sha1 sha2 sha512
"""


def _files(monkeypatch: pytest.MonkeyPatch, texts: dict[str, str]) -> None:
    """Let the kernel's files hold this and nothing else."""
    monkeypatch.setattr(machine, "read_text", lambda path: texts.get(str(path)))
    monkeypatch.setattr(Path, "exists", lambda path: str(path) in texts)


def test_a_virtual_machine_is_described(monkeypatch: pytest.MonkeyPatch) -> None:
    """Model, flags that matter, memory, limit and vendor are read from the kernel."""
    _files(
        monkeypatch,
        {
            "/proc/cpuinfo": X86,
            "/proc/meminfo": "MemTotal:        2048 kB\nMemFree: 1 kB\n",
            "/sys/fs/cgroup/cpu.max": "150000 100000\n",
            "/sys/class/dmi/id/sys_vendor": "Amazon EC2\n",
        },
    )
    found = describe_machine()
    assert found.cpu_model == "AMD EPYC 7R13 Processor"
    assert found.cpu_flags == ("sha_ni", "avx2")
    assert found.memory_bytes == 2 << 20
    assert found.cpu_limit == 1.5
    assert found.virtualization == "Amazon EC2"
    assert found.kernel == platform.release()
    assert found.python.endswith(platform.python_version())
    assert found.openssl.startswith(("OpenSSL ", "LibreSSL ", "AWS-LC "))


def test_an_arm_machine_is_described(monkeypatch: pytest.MonkeyPatch) -> None:
    """Arm has no model name and calls its flags features."""
    monkeypatch.setattr(platform, "processor", lambda: "")
    _files(monkeypatch, {"/proc/cpuinfo": ARM})
    found = describe_machine()
    assert found.cpu_model is None
    assert found.cpu_flags == ("sha512", "sha1", "sha2", "asimd")
    assert found.virtualization is None


def test_a_machine_that_tells_nothing_is_described(monkeypatch: pytest.MonkeyPatch) -> None:
    """Facts that cannot be read are none and keep no one from measuring."""
    monkeypatch.setattr(platform, "processor", lambda: "arm")
    monkeypatch.setattr(platform, "freedesktop_os_release", dict)
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    _files(monkeypatch, {})
    found = describe_machine()
    assert found.cpu_model == "arm"
    assert found.cpu_count == 1
    assert (found.cpu_flags, found.cpu_limit, found.memory_bytes, found.virtualization) == (
        (),
        None,
        None,
        None,
    )
    assert found.os == f"{platform.system()} {platform.release()}"


@pytest.mark.parametrize(
    ("texts", "virtualization"),
    [
        ({"/.dockerenv": "", "/proc/cpuinfo": X86}, "container"),
        ({"/run/.containerenv": ""}, "container"),
        ({"/proc/cpuinfo": X86}, "virtual machine"),
        ({"/sys/class/dmi/id/sys_vendor": "Dell Inc.\n"}, None),
    ],
)
def test_virtualization_is_told(
    monkeypatch: pytest.MonkeyPatch, texts: dict[str, str], virtualization: str | None
) -> None:
    """A container is called one first, a guest by its vendor, and real hardware not at all."""
    _files(monkeypatch, texts)
    assert virtualization == describe_machine().virtualization


@pytest.mark.parametrize(
    ("cpu_max", "limit"),
    [
        ("max 100000\n", None),
        ("50000 100000\n", 0.5),
        ("400000 100000\n", 4.0),
        ("1 0\n", None),
        ("", None),
        (None, None),
    ],
)
def test_a_quota_is_read_as_cpus(cpu_max: str | None, limit: float | None) -> None:
    """A control group's quota over its period is how many CPUs it may use."""
    assert limit == cpu_limit(cpu_max)


@pytest.mark.parametrize(
    ("texts", "folder"),
    [
        (
            {"/proc/self/cgroup": "0::/user.slice/x\n", "/sys/fs/cgroup/cgroup.controllers": ""},
            "/sys/fs/cgroup/user.slice/x",
        ),
        (
            {
                "/proc/self/cgroup": "4:cpu:/old\n0::/new\n",
                "/sys/fs/cgroup/unified/cgroup.controllers": "",
            },
            "/sys/fs/cgroup/unified/new",
        ),
        ({"/proc/self/cgroup": "0::/user.slice/x\n"}, "/sys/fs/cgroup"),
        ({"/proc/self/cgroup": "4:cpu:/old\n"}, "/sys/fs/cgroup"),
        ({}, "/sys/fs/cgroup"),
    ],
)
def test_the_own_control_group_is_found(
    monkeypatch: pytest.MonkeyPatch, texts: dict[str, str], folder: str
) -> None:
    """The process's folder is found in the unified hierarchy, wherever that is mounted."""
    _files(monkeypatch, texts)
    assert Path(folder) == own_cgroup()


_MEMINFO = "MemTotal: 4194304 kB\nMemFree: 1 kB\nMemAvailable: 2048 kB\n"


@pytest.mark.parametrize(
    ("meminfo", "limit", "used", "available"),
    [
        (_MEMINFO, None, None, 2 << 20),
        (_MEMINFO, "max\n", "1048576\n", 2 << 20),
        (_MEMINFO, "1572864\n", "1048576\n", 1 << 19),
        (_MEMINFO, "8388608\n", "1048576\n", 2 << 20),
        (_MEMINFO, "1048576\n", "1572864\n", 0),
        (_MEMINFO, "1048576\n", None, 2 << 20),
        ("MemTotal: 4194304 kB\nMemFree: 1 kB\n", "1572864\n", "0\n", None),
        (None, None, None, None),
    ],
    ids=["free", "unlimited", "limited", "wide", "exceeded", "unknown use", "old", "none"],
)
def test_available_memory_is_within_the_control_groups_limit(
    monkeypatch: pytest.MonkeyPatch,
    meminfo: str | None,
    limit: str | None,
    used: str | None,
    available: int | None,
) -> None:
    """What the kernel calls available counts, or what the control group has left, if less."""
    texts = {
        "/proc/meminfo": meminfo,
        "/sys/fs/cgroup/memory.max": limit,
        "/sys/fs/cgroup/memory.current": used,
    }
    _files(monkeypatch, {path: text for path, text in texts.items() if text is not None})
    assert available == available_memory()


def test_a_file_that_is_not_there_is_none(tmp_path: Path) -> None:
    """A file that is absent, or no file, is none."""
    assert read_text(tmp_path / "absent") is None
    assert read_text(tmp_path) is None


def test_a_file_that_is_no_text_is_read(tmp_path: Path) -> None:
    """Bytes that are no UTF-8 do not keep the rest from being read."""
    (tmp_path / "file").write_bytes(b"CPU \xff\n")
    assert read_text(str(tmp_path / "file")) == "CPU �\n"


def test_this_machine_is_described() -> None:
    """The machine that runs the tests has at least one CPU and names its kernel."""
    found = describe_machine()
    assert found.cpu_count >= 1
    assert found.kernel
    assert found.os
