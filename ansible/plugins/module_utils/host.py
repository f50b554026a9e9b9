# Copyright (c) The hashcost authors
# MIT License (see LICENSE or https://opensource.org/license/mit)
"""What the kernel's files tell of a host. The controller reads them as it reads its own."""

from __future__ import annotations

import datetime as dt
import hashlib
import hmac
import mmap
import os
import platform
import re
import ssl
from pathlib import Path

FILES = (
    "proc/cpuinfo",
    "proc/meminfo",
    "proc/stat",
    "proc/self/cgroup",
    "proc/self/limits",
    "proc/self/status",
    "etc/os-release",
    "sys/class/dmi/id/sys_vendor",
    "sys/devices/system/cpu/cpu0/cpufreq/scaling_driver",
    "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
    "sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq",
    "sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq",
)
MARKS = (".dockerenv", "run/.containerenv")
"""Files that containers have."""
GROUP = (
    "cpu.max",
    "cpu.stat",
    "cpu.cfs_quota_us",
    "cpu.cfs_period_us",
    "cpuacct.usage",
    "memory.max",
    "memory.high",
    "memory.current",
    "memory.stat",
    "memory.limit_in_bytes",
    "memory.usage_in_bytes",
)
MOUNTS = ("sys/fs/cgroup", "sys/fs/cgroup/unified")
KEPT = re.compile(
    r"MemTotal|MemAvailable|cpu |\d+:|Max address space|Cpus_allowed_list|VmSize|PRETTY_NAME"
    r"|usage_usec|inactive_file|total_inactive_file"
)
"""Lines that tell something. Nobody needs the others, least of all a log."""
SHORT = 3
"""Files of so few lines are kept whole."""


def texts():
    """The files that are there, by their path without the first slash."""
    found = {path: _told(path) for path in (*FILES, *_group_files())}
    found.update((path, "yes") for path in MARKS if Path("/", path).exists())
    found["uname"] = f"{platform.system()}\n{platform.release()}\n{platform.machine()}"
    found["cpus"] = str(os.cpu_count() or "")
    found["page"] = str(mmap.PAGESIZE)
    return {path: text for path, text in found.items() if text}


def changing():
    """Of those files, what changes while hashes are timed."""
    totals = ("cpu.stat", "cpuacct.usage")
    paths = ["proc/stat"] + [each for each in _group_files() if each.endswith(totals)]
    return {path: text for path, text in ((path, _told(path)) for path in paths) if text}


def libraries():
    """The versions of Python and OpenSSL, and what hides instructions from OpenSSL."""
    return {
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "openssl": " ".join(ssl.OPENSSL_VERSION.split()[:2]),
        "openssl_ia32cap": os.environ.get("OPENSSL_ia32cap", "")[:200] or None,  # noqa: SIM112
    }


def identity(label):
    """The host's name, unless it is called otherwise, and a hash of its machine id.

    The id itself is confidential, machine-id(5): from its hash it cannot be found.
    """
    machine_id = _read("etc/machine-id").strip()
    hashed = hmac.new(machine_id.encode(), b"hashcost", hashlib.sha256).hexdigest()
    return {"name": label or platform.node() or None, "id": hashed[:32] if machine_id else None}


def free_memory(found):
    """Bytes that a process may still take, by the files above; None if nothing tells."""
    rooms = [_kilobytes(found, "proc/meminfo", "MemAvailable:")]
    for path, limit in found.items():
        folder, _slash, name = path.rpartition("/")
        for limit_name, used_name, cached in (
            ("memory.max", "memory.current", "inactive_file"),
            ("memory.high", "memory.current", "inactive_file"),
            ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
        ):
            used = found.get(f"{folder}/{used_name}", "").strip()
            if name == limit_name and limit.strip().isdigit() and used.isdigit():
                given_up = _figure(found.get(f"{folder}/memory.stat", ""), cached) or 0
                rooms.append(max(int(limit) - int(used) + given_up, 0))
    limit = _figure(found.get("proc/self/limits", ""), "Max address space")
    used = _kilobytes(found, "proc/self/status", "VmSize:")
    if limit is not None and used is not None:
        rooms.append(max(limit - used, 0))
    return min((room for room in rooms if room is not None), default=None)


def now():
    """The date in UTC."""
    return dt.datetime.now(dt.timezone.utc).replace(microsecond=0).isoformat()


def _group_files():
    """The files of the process's control group, and of those above it."""
    paths = []
    for line in _read("proc/self/cgroup").splitlines():
        _number, names, folder = [*line.split(":", 2), "", ""][:3]
        mounts = MOUNTS if not names else [f"sys/fs/cgroup/{each}" for each in names.split(",")]
        for mount in mounts:
            parts = [part for part in folder.split("/") if part]
            for depth in range(len(parts), -1, -1):
                paths += ["/".join((mount, *parts[:depth], name)) for name in GROUP]
    return paths


def _told(path):
    text = _read(path)
    if path == "proc/cpuinfo":
        return text.partition("\n\n")[0]
    lines = text.splitlines()
    if len(lines) <= SHORT:
        return text
    return "".join(f"{line}\n" for line in lines if KEPT.match(line))


def _read(path):
    try:
        return Path("/", path).read_text("utf-8", errors="replace")
    except OSError:
        return ""


def _figure(text, name):
    found = re.search(rf"^{name}\s+(\d+)\b", text, re.MULTILINE)
    return int(found.group(1)) if found else None


def _kilobytes(found, path, name):
    figure = _figure(found.get(path, ""), name)
    return None if figure is None else figure * 1024
