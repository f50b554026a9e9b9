"""Linux control groups, of both versions: what they let this process use.

A container's limit may be set on a group above the process's own, so each one counts.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, TypeAlias

import msgspec

from hashcost.core.cpu_limit import CpuLimit
from hashcost.core.units import parse_count

Read: TypeAlias = Callable[[Path], str]
"""Reads a file below the root folder; gives an empty text if it cannot be read."""

_MOUNT: Final = Path("sys/fs/cgroup")
_VERSION_1: Final = ("quota", "period", "burst")
_USAGE: Final = "cpuacct.usage"


class GroupUse(msgspec.Struct, frozen=True, kw_only=True):
    """A control group with a quota, and the CPU time that all its tasks have used together."""

    limit: CpuLimit
    cpu_seconds: float | None
    """`None` if unknown."""


def cpu_limit(read: Read) -> CpuLimit | None:
    """Return the tightest CPU quota that the process has; `None` if unlimited."""
    limits = [use.limit for use in group_uses(read)]
    return min(limits, key=lambda limit: limit.cpus, default=None)


def group_uses(read: Read) -> tuple[GroupUse, ...]:
    """Return the process's group and those above it that have a quota, the innermost first."""
    uses = []
    for folder in _folders(read, "cpu"):
        limit = _limit_of(read, folder)
        if limit is not None:
            uses.append(GroupUse(limit=limit, cpu_seconds=_cpu_seconds(read, folder)))
    return tuple(uses)


def memory_room(read: Read) -> int | None:
    """Return the bytes that the process may still take; `None` if unlimited."""
    rooms = []
    for folder in _folders(read, "memory"):
        room = _room(read, folder)
        if room is not None:
            rooms.append(room)
    # A limit counts for all groups below it, so the tightest one is what is left.
    return min(rooms, default=None)


def quota_of(microseconds: str) -> CpuLimit | None:
    """Read a quota, its period and, on newer kernels, its burst; `None` if unlimited."""
    # "max" and -1 stand for no quota, and are no count.
    count = "[1-9][0-9]{0,11}"
    match = re.match(rf"({count})\s+({count})(?:\s+([0-9]{{1,12}}))?", microseconds)
    if match is None:
        return None
    quota, period, burst = (int(text) / 1e6 for text in match.groups(default="0"))
    return CpuLimit(quota_seconds=quota, period_seconds=period, burst_seconds=burst)


def figure(text: str, name: str) -> int | None:
    """Read the number after a name at the start of a line; `None` if no line has it."""
    match = re.search(rf"^{name}\s+([0-9]+)(?!\S)", text, re.MULTILINE)
    if match is None:
        return None
    return parse_count(match[1])


def _limit_of(read: Read, folder: Path) -> CpuLimit | None:
    """The quota of one group, by version 2 or else by version 1."""
    limit = quota_of(f"{read(folder / 'cpu.max')} {read(folder / 'cpu.max.burst')}")
    if limit is not None:
        return limit
    texts = [read(folder / f"cpu.cfs_{name}_us") for name in _VERSION_1]
    return quota_of(" ".join(texts))


def _folders(read: Read, controller: str) -> Iterator[Path]:
    """The folders of the process's group and of those above it, by either version.

    A container may see its path on the host, of which only the top exists in it.
    """
    paths = _paths(read)
    # Beside mounts of version 1, that of version 2 may be in a folder of its own.
    tops = [(_MOUNT, ""), (_MOUNT / "unified", "")]
    if controller in paths:
        tops.append((_MOUNT / controller, controller))
    for top, name in tops:
        group = Path(paths.get(name, "").lstrip("/"))
        for folder in (group, *group.parents):
            yield top / folder


def _paths(read: Read) -> dict[str, str]:
    """The path of the process's group by controller; that of version 2 has an empty name."""
    paths = {}
    for line in read(Path("proc/self/cgroup")).splitlines():
        # A number, the controllers and the path; see cgroups(7).
        fields = line.split(":", 2)
        if len(fields) == 3:
            controllers = fields[1].split(",")
            paths.update(dict.fromkeys(controllers, fields[2]))
    return paths


def _cpu_seconds(read: Read, folder: Path) -> float | None:
    """CPU time of the tasks of a group: in version 1 a file of another controller tells it."""
    microseconds = figure(read(folder / "cpu.stat"), "usage_usec")
    if microseconds is not None:
        return microseconds / 1e6
    usage = read(folder / _USAGE)
    # The two controllers are mostly mounted together. Where they are not, the process may be in
    # other groups of the second.
    paths = _paths(read)
    top = _MOUNT / "cpu"
    is_same_group = folder.is_relative_to(top) and paths["cpu"] == paths.get("cpuacct")
    if not usage and is_same_group:
        usage = read(_MOUNT / "cpuacct" / folder.relative_to(top) / _USAGE)
    nanoseconds = parse_count(usage)
    if nanoseconds is None:
        return None
    return nanoseconds / 1e9


def _room(read: Read, folder: Path) -> int | None:
    """Bytes that one group may still take; `None` if it has no limit."""
    rooms = []
    for limit_file, used_file, cached_name in (
        ("memory.max", "memory.current", "inactive_file"),
        # Beyond this one the kernel stops the tasks again and again, to take memory back.
        ("memory.high", "memory.current", "inactive_file"),
        ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
    ):
        # For no limit, version 2 writes "max" and version 1 nearly 2⁶³, which is no count.
        limit = parse_count(read(folder / limit_file))
        used = parse_count(read(folder / used_file))
        if limit is not None and used is not None:
            # Cached files count as used, but are given up when memory is wanted.
            cached = figure(read(folder / "memory.stat"), cached_name) or 0
            rooms.append(max(limit - used + cached, 0))
    return min(rooms, default=None)
