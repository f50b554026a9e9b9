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
_UNLIMITED: Final = 1 << 62
"""Version 1 writes nearly 2⁶³ bytes for no limit."""


class GroupUse(msgspec.Struct, frozen=True, kw_only=True):
    """A control group with a quota, and the CPU time that all its tasks have used together."""

    limit: CpuLimit
    cpu_seconds: float | None
    """`None` if unknown."""


def cpu_limit(read: Read) -> CpuLimit | None:
    """The tightest CPU quota that the process has; `None` if unlimited."""
    limits = [use.limit for use in group_uses(read)]
    return min(limits, key=lambda limit: limit.cpus, default=None)


def group_uses(read: Read) -> tuple[GroupUse, ...]:
    """The process's group and those above it, the innermost first, if they have a quota."""
    uses: list[GroupUse] = []
    for folder in _folders(read, "cpu"):
        limit = quota_of(f"{read(folder / 'cpu.max')} {read(folder / 'cpu.max.burst')}")
        if limit is None:
            limit = quota_of(" ".join(read(folder / f"cpu.cfs_{name}_us") for name in _VERSION_1))
        if limit is not None:
            uses.append(GroupUse(limit=limit, cpu_seconds=_cpu_seconds(read, folder)))
    return tuple(uses)


def memory_room(read: Read) -> int | None:
    """Bytes that the process may still take; `None` if unlimited."""
    rooms = (_room(read, folder) for folder in _folders(read, "memory"))
    return min((room for room in rooms if room is not None), default=None)


def quota_of(microseconds: str) -> CpuLimit | None:
    """The limit of a quota, its period and, on newer kernels, burst; `None` if unlimited."""
    count = "[1-9][0-9]{0,11}"
    match = re.match(rf"({count})\s+({count})(?:\s+([0-9]{{1,12}}))?", microseconds)
    if match is None:
        return None
    quota, period, burst = (int(text or 0) / 1e6 for text in match.groups())
    return CpuLimit(quota_seconds=quota, period_seconds=period, burst_seconds=burst)


def figure(text: str, name: str) -> int | None:
    """The number after a name at the start of a line; `None` if no line has it."""
    match = re.search(rf"^{name}\s+([0-9]+)(?!\S)", text, re.MULTILINE)
    return parse_count(match[1], _UNLIMITED) if match else None


def _folders(read: Read, controller: str) -> Iterator[Path]:
    """The folders of the process's group and of those above it, by either version.

    A container may see its path on the host, of which only the top exists in it.
    """
    paths = _paths(read)
    tops = [(_MOUNT, ""), (_MOUNT / "unified", "")]
    tops += [(_MOUNT / controller, controller)] if controller in paths else []
    for top, name in tops:
        parts = [part for part in paths.get(name, "").split("/") if part]
        yield from (top.joinpath(*parts[:depth]) for depth in range(len(parts), -1, -1))


def _paths(read: Read) -> dict[str, str]:
    """The path of the process's group by controller; that of version 2 has an empty name."""
    fields = (line.split(":", 2) for line in read(Path("proc/self/cgroup")).splitlines())
    return {name: field[2] for field in fields if len(field) == 3 for name in field[1].split(",")}


def _cpu_seconds(read: Read, folder: Path) -> float | None:
    """CPU time of the tasks of a group: in version 1 a file of another controller tells it."""
    microseconds = figure(read(folder / "cpu.stat"), "usage_usec")
    if microseconds is not None:
        return microseconds / 1e6
    usage = read(folder / _USAGE)
    # The two controllers are mostly mounted together. Where they are not, the process may be in
    # other groups of the second.
    paths, top = _paths(read), _MOUNT / "cpu"
    is_same_group = folder.is_relative_to(top) and paths["cpu"] == paths.get("cpuacct")
    if not usage and is_same_group:
        usage = read(_MOUNT / "cpuacct" / folder.relative_to(top) / _USAGE)
    nanoseconds = parse_count(usage.strip(), _UNLIMITED)
    return None if nanoseconds is None else nanoseconds / 1e9


def _room(read: Read, folder: Path) -> int | None:
    """Bytes that one group may still take; `None` if it has no limit."""
    for limit_file, used_file, cached_name in (
        ("memory.max", "memory.current", "inactive_file"),
        ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
    ):
        limit, used = (parse_count(read(folder / name)) for name in (limit_file, used_file))
        if limit is not None and used is not None and limit < _UNLIMITED:
            # Cached files count as used, but are given up when memory is wanted.
            cached = figure(read(folder / "memory.stat"), cached_name) or 0
            return max(limit - used + cached, 0)
    return None
