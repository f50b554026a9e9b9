"""What control groups of both versions let this process use."""

from __future__ import annotations

from typing import Final

import pytest

from hashcost.machine.control_group import (
    Read,
    cpu_limit,
    memory_room,
    quota_of,
    throttled,
    throttled_seconds,
)

V2: Final = ("proc/self/cgroup 0::/pod/app\n",)
V1: Final = (
    "proc/self/cgroup 5:cpu,cpuacct:/pod/app\n4:memory:/pod/app\n1:name=systemd:/\n0::/\n",
)
BOTH: Final = "cpu/{0}cpu.cfs_quota_us {1}\n", "cpu/{0}cpu.cfs_period_us 100000\n"
ROOM: Final = (
    "memory/{0}memory.limit_in_bytes {1}\n",
    "memory/{0}memory.usage_in_bytes 900\n",
)


def files(*rows: str) -> Read:
    """Read texts by the path before each; the folder of all groups is left out of it."""
    texts = {path: text for row in rows for path, _, text in [row.partition(" ")]}
    return lambda path: texts.get(str(path).removeprefix("sys/fs/cgroup/"), "")


def filled(rows: tuple[str, ...], *values: object) -> tuple[str, ...]:
    """Version 1's files of a group, with a quota or a limit."""
    return tuple(row.format(*values) for row in rows)


@pytest.mark.parametrize(
    ("quota", "limit"),
    [
        *(("max 100000\n", None), ("50000 100000\n", 0.5), ("-1\n 100000\n", None)),
        *(("1 0\n", None), ("", None)),
    ],
)
def test_a_quota_is_read_as_cpus(quota: str, limit: float | None) -> None:
    """A quota over its period is how many CPUs a group may use."""
    found = quota_of(quota)
    assert limit == (found.cpus if found else None)


@pytest.mark.parametrize(
    ("rows", "cpus"),
    [
        ((*V2, "pod/app/cpu.max 150000 100000"), 1.5),
        ((*V2, "pod/app/cpu.max 300000 100000", "pod/cpu.max 200000 100000"), 2.0),
        ((*V2, "unified/pod/app/cpu.max 150000 100000"), 1.5),
        (("cpu.max 150000 100000",), 1.5),
        ((*V2, "cpu.max 150000 100000"), 1.5),
        ((*V2, "pod/other/cpu.max 150000 100000"), None),
        ((*V1, *filled(BOTH, "pod/app/", 50000)), 0.5),
        ((*V1, *filled(BOTH, "", 50000)), 0.5),
        ((*V1, *filled(BOTH, "", -1)), None),
        (("proc/self/cgroup nonsense\n\n0\n",), None),
    ],
    ids=[
        *("own", "group above", "hybrid", "container", "container that sees its host's path"),
        *("another's", "version 1", "version 1, container that sees its host's path"),
        *("version 1, unlimited", "no group"),
    ],
)
def test_the_least_quota_counts(rows: tuple[str, ...], cpus: float | None) -> None:
    """Of the process's group and those above it, the tightest limits the CPUs."""
    found = cpu_limit(files(*rows))
    assert cpus == (found.cpus if found else None)


@pytest.mark.parametrize(
    ("rows", "room"),
    [
        ((*V2, "pod/app/memory.max 1000", "pod/app/memory.current 900"), 100),
        (
            (
                *(*V2, "pod/app/memory.max 1000", "pod/app/memory.current 100"),
                *("pod/memory.max 2000", "pod/memory.current 1950"),
            ),
            50,
        ),
        ((*V2, "pod/app/memory.max max", "pod/app/memory.current 900"), None),
        ((*V1, *filled(ROOM, "pod/app/", 1000)), 100),
        ((*V1, *filled(ROOM, "", 1000)), 100),
        ((*V1, *filled(ROOM, "", 9223372036854771712)), None),
        (
            (
                *(*V2, "memory.max 1000", "memory.current 900"),
                "memory.stat anon 600\ninactive_file 300\n",
            ),
            400,
        ),
        (
            (
                *(*V1, *filled(ROOM, "", 1000)),
                "memory/memory.stat inactive_file 7\ntotal_inactive_file 300\n",
            ),
            400,
        ),
    ],
    ids=[
        *("own", "group above", "unlimited", "version 1", "version 1, container"),
        *("version 1, unlimited", "cached files", "version 1, cached files"),
    ],
)
def test_the_least_room_counts(rows: tuple[str, ...], room: int | None) -> None:
    """Of the process's group and those above it, the fullest limits the memory; what it caches
    is given up when memory is wanted.
    """
    assert room == memory_room(files(*rows))


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("usage_usec 5\nnr_throttled 3\nthrottled_usec 2500000\nnr_bursts 0\n", 2.5),
        ("nr_periods 9\nnr_throttled 3\nthrottled_time 2500000000\n", 2.5),
        ("usage_usec 5\n", None),
    ],
)
def test_time_stopped_by_a_quota(text: str, seconds: float | None) -> None:
    """A group tells the time it stopped its tasks, in micro- or nanoseconds."""
    assert seconds == throttled_seconds(text)


def test_the_time_stopped_by_every_quota_counts() -> None:
    """A quota of a group above stops the process as well as its own."""
    rows = (*V2, "pod/app/cpu.stat throttled_usec 500000\n", "pod/cpu.stat throttled_usec 1\n")
    assert throttled(files(*rows)) == pytest.approx(0.500001)
    assert throttled(files()) is None
