"""Linux control groups, of both versions: what they let this process use.

A container's limit may be set on a group above the process's own, so each one counts.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, TypeAlias

from hashcost.core.cpu_limit import CpuLimit
from hashcost.core.units import parse_count

Read: TypeAlias = Callable[[Path], str]
"""Reads a file below the root folder; gives an empty text if it cannot be read."""

_MOUNT: Final = Path("sys/fs/cgroup")
_VERSION_1: Final = ("quota", "period", "burst")
_UNLIMITED: Final = 1 << 62
"""Version 1 writes nearly 2⁶³ bytes for no limit."""


def cpu_limit(read: Read) -> CpuLimit | None:
    """The tightest CPU quota that the process has; `None` if unlimited."""
    limits = (
        quota_of(f"{read(folder / 'cpu.max')} {read(folder / 'cpu.max.burst')}")
        or quota_of(" ".join(read(folder / f"cpu.cfs_{name}_us") for name in _VERSION_1))
        for folder in _folders(read, "cpu")
    )
    return min((limit for limit in limits if limit), key=lambda limit: limit.cpus, default=None)


def memory_room(read: Read) -> int | None:
    """Bytes that the process may still take; `None` if unlimited."""
    rooms = (_room(read, folder) for folder in _folders(read, "memory"))
    return min((room for room in rooms if room is not None), default=None)


def throttled(read: Read) -> float | None:
    """Seconds that quotas kept tasks from running; `None` if unknown."""
    stats = (throttled_seconds(read(folder / "cpu.stat")) for folder in _folders(read, "cpu"))
    stopped = [seconds for seconds in stats if seconds is not None]
    return sum(stopped) if stopped else None


def quota_of(microseconds: str) -> CpuLimit | None:
    """The limit of a quota, its period and, on newer kernels, burst; `None` if unlimited."""
    count = "[1-9][0-9]{0,11}"
    match = re.match(rf"({count})\s+({count})(?:\s+([0-9]{{1,12}}))?", microseconds)
    if match is None:
        return None
    quota, period, burst = (int(text or 0) / 1e6 for text in match.groups())
    return CpuLimit(quota_seconds=quota, period_seconds=period, burst_seconds=burst)


def throttled_seconds(cpu_stat: str) -> float | None:
    """Seconds that one group's quota kept its tasks from running."""
    for name, unit in (("throttled_usec", 1e6), ("throttled_time", 1e9)):
        if (count := figure(cpu_stat, name)) is not None:
            return count / unit
    return None


def figure(text: str, name: str) -> int | None:
    """The number after a name at the start of a line; `None` if no line has it."""
    match = re.search(rf"^{name}\s+([0-9]+)(?!\S)", text, re.MULTILINE)
    return parse_count(match[1], _UNLIMITED) if match else None


def _folders(read: Read, controller: str) -> Iterator[Path]:
    """The folders of the process's group and of those above it, by either version.

    A container may see its path on the host, of which only the top exists in it.
    """
    fields = (line.split(":", 2) for line in read(Path("proc/self/cgroup")).splitlines())
    paths = {name: field[2] for field in fields if len(field) == 3 for name in field[1].split(",")}
    tops = [(_MOUNT, ""), (_MOUNT / "unified", "")]
    tops += [(_MOUNT / controller, controller)] if controller in paths else []
    for top, name in tops:
        parts = [part for part in paths.get(name, "").split("/") if part]
        yield from (top.joinpath(*parts[:depth]) for depth in range(len(parts), -1, -1))


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
