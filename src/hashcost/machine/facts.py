"""Which machine this is; facts that cannot be read are none."""

from __future__ import annotations

import math
import os
import platform
import re
import ssl
from pathlib import Path

from hashcost.core.model import Machine

_SPEED_FLAGS = ("sha_ni", "sha512", "avx2", "avx512f", "sha1", "sha2", "sha3", "asimd")
"""CPU flags that a hash library chooses its code by (x86 and Arm names)."""

_CGROUP = Path("/sys/fs/cgroup")


def describe_machine() -> Machine:
    """Describe the machine, its limits and the Python that runs."""
    cpu = _cpu_facts(read_text("/proc/cpuinfo"))
    flags = f"{cpu.get('flags', '')} {cpu.get('Features', '')}".split()
    return Machine(
        cpu_model=_cpu_model(cpu),
        cpu_count=_usable_cpus(),
        cpu_flags=tuple(flag for flag in _SPEED_FLAGS if flag in flags),
        cpu_limit=cpu_limit(read_text(own_cgroup() / "cpu.max")),
        memory_bytes=_memory_bytes(read_text("/proc/meminfo")),
        os=_os_name(),
        kernel=platform.release(),
        architecture=platform.machine(),
        virtualization=_virtualization(flags),
        python=f"{platform.python_implementation()} {platform.python_version()}",
        openssl=" ".join(ssl.OPENSSL_VERSION.split()[:2]),
    )


def cpu_limit(cpu_max: str | None) -> float | None:
    """CPUs allowed by a control group's ``cpu.max``, none when unlimited."""
    match = re.match(r"(\d+) (\d+)", cpu_max or "")
    return int(match[1]) / int(match[2]) if match and int(match[2]) else None


def whole_cpus(machine: Machine) -> int:
    """CPUs that can be kept busy at once: those the process may use, its limit rounded up."""
    if machine.cpu_limit is None:
        return machine.cpu_count
    return max(1, min(machine.cpu_count, math.ceil(machine.cpu_limit)))


def own_cgroup() -> Path:
    """This process's folder in the unified hierarchy."""
    match = re.search(r"^0::(/.*)$", read_text("/proc/self/cgroup") or "", re.MULTILINE)
    for root in (_CGROUP, _CGROUP / "unified"):
        if match and (root / "cgroup.controllers").exists():
            return root / match[1].lstrip("/")
    return _CGROUP


def _cpu_facts(cpuinfo: str | None) -> dict[str, str]:
    """The first processor's paragraph of ``/proc/cpuinfo``."""
    paragraph = (cpuinfo or "").partition("\n\n")[0]
    pairs = (line.partition(":") for line in paragraph.splitlines())
    return {key.strip(): value.strip() for key, _, value in pairs}


def _cpu_model(cpu: dict[str, str]) -> str | None:
    name = cpu.get("model name") or cpu.get("Model") or platform.processor()
    return re.sub(r"\((?:R|TM|r|tm)\)", "", name).strip() or None


def _usable_cpus() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _memory_bytes(meminfo: str | None) -> int | None:
    match = re.search(r"^MemTotal:\s+(\d+) kB", meminfo or "", re.MULTILINE)
    return int(match[1]) * 1024 if match else None


def available_memory() -> int | None:
    """Bytes that this process could still take, none where the system does not tell.

    What the kernel calls available, within the control group's limit.
    """
    match = re.search(r"^MemAvailable:\s+(\d+) kB", read_text("/proc/meminfo") or "", re.MULTILINE)
    if match is None:
        return None
    free = int(match[1]) * 1024
    limit = read_text(own_cgroup() / "memory.max") or ""
    used = read_text(own_cgroup() / "memory.current") or ""
    if limit.strip().isdigit() and used.strip().isdigit():
        # Cached files count as used, but are given up when memory is wanted.
        stat = read_text(own_cgroup() / "memory.stat") or ""
        cached = re.search(r"^inactive_file (\d+)$", stat, re.MULTILINE)
        given_up = int(cached[1]) if cached else 0
        free = min(free, max(int(limit) - int(used) + given_up, 0))
    return free


def _os_name() -> str:
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        return f"{platform.system()} {platform.release()}".strip()


def _virtualization(flags: list[str]) -> str | None:
    vendor = (read_text("/sys/class/dmi/id/sys_vendor") or "").strip()
    if Path("/.dockerenv").exists() or Path("/run/.containerenv").exists():
        return "container"
    return (vendor or "virtual machine") if "hypervisor" in flags else None


def read_text(path: str | Path) -> str | None:
    """The text of a file of the kernel's, none where there is none."""
    try:
        return Path(path).read_text("utf-8", errors="replace")
    except OSError:
        return None
