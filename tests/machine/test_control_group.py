"""What control groups of both versions let this process use."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from hashcost.machine.control_group import (
    Read,
    allowed_cpus,
    cpu_limit,
    memory_room,
    throttled,
    throttled_seconds,
)

V2 = {"proc/self/cgroup": "0::/pod/app\n"}
V1 = {"proc/self/cgroup": "5:cpu,cpuacct:/pod/app\n4:memory:/pod/app\n1:name=systemd:/\n0::/\n"}


def files(*texts: Mapping[str, str]) -> Read:
    """Reads texts by their path; the folder of all groups is left out of it."""
    every = {name: text for each in texts for name, text in each.items()}

    def read(path: Path) -> str:
        name = str(path)
        return every.get(name.removeprefix("sys/fs/cgroup/"), "")

    return read


@pytest.mark.parametrize(
    ("quota", "limit"),
    [
        ("max 100000\n", None),
        ("50000 100000\n", 0.5),
        ("-1\n 100000\n", None),
        ("1 0\n", None),
        ("", None),
    ],
)
def test_a_quota_is_read_as_cpus(quota: str, limit: float | None) -> None:
    """A quota over its period is how many CPUs a group may use."""
    assert limit == cpu_limit(quota)


@pytest.mark.parametrize(
    ("texts", "cpus"),
    [
        ({**V2, "pod/app/cpu.max": "150000 100000\n"}, 1.5),
        ({**V2, "pod/app/cpu.max": "300000 100000\n", "pod/cpu.max": "200000 100000\n"}, 2.0),
        ({**V2, "unified/pod/app/cpu.max": "150000 100000\n"}, 1.5),
        ({"cpu.max": "150000 100000\n"}, 1.5),
        ({**V2, "cpu.max": "150000 100000\n"}, 1.5),
        ({**V2, "pod/other/cpu.max": "150000 100000\n"}, None),
        (
            {
                **V1,
                "cpu/pod/app/cpu.cfs_quota_us": "50000\n",
                "cpu/pod/app/cpu.cfs_period_us": "100000\n",
            },
            0.5,
        ),
        ({**V1, "cpu/cpu.cfs_quota_us": "50000\n", "cpu/cpu.cfs_period_us": "100000\n"}, 0.5),
        ({**V1, "cpu/cpu.cfs_quota_us": "-1\n", "cpu/cpu.cfs_period_us": "100000\n"}, None),
        ({"proc/self/cgroup": "nonsense\n\n0\n"}, None),
    ],
    ids=[
        "own",
        "group above",
        "hybrid",
        "container",
        "container that sees its host's path",
        "another's",
        "version 1",
        "version 1, container that sees its host's path",
        "version 1, unlimited",
        "no group",
    ],
)
def test_the_least_quota_counts(texts: dict[str, str], cpus: float | None) -> None:
    """Of the process's group and those above it, the tightest limits the CPUs."""
    assert cpus == allowed_cpus(files(texts))


@pytest.mark.parametrize(
    ("texts", "room"),
    [
        ({**V2, "pod/app/memory.max": "1000\n", "pod/app/memory.current": "900\n"}, 100),
        (
            {
                **V2,
                "pod/app/memory.max": "1000\n",
                "pod/app/memory.current": "100\n",
                "pod/memory.max": "2000\n",
                "pod/memory.current": "1950\n",
            },
            50,
        ),
        ({**V2, "pod/app/memory.max": "max\n", "pod/app/memory.current": "900\n"}, None),
        (
            {
                **V1,
                "memory/pod/app/memory.limit_in_bytes": "1000\n",
                "memory/pod/app/memory.usage_in_bytes": "900\n",
            },
            100,
        ),
        (
            {
                **V1,
                "memory/memory.limit_in_bytes": "1000\n",
                "memory/memory.usage_in_bytes": "900\n",
            },
            100,
        ),
        (
            {
                **V1,
                "memory/memory.limit_in_bytes": "9223372036854771712\n",
                "memory/memory.usage_in_bytes": "900\n",
            },
            None,
        ),
    ],
    ids=["own", "group above", "unlimited", "version 1", "version 1, container", "v1, unlimited"],
)
def test_the_least_room_counts(texts: dict[str, str], room: int | None) -> None:
    """Of the process's group and those above it, the fullest limits the memory."""
    assert room == memory_room(files(texts))


@pytest.mark.parametrize(
    ("group", "texts"),
    [
        (
            V2,
            {
                "memory.max": "1000",
                "memory.current": "900",
                "memory.stat": "anon 600\ninactive_file 300\n",
            },
        ),
        (
            V1,
            {
                "memory/memory.limit_in_bytes": "1000",
                "memory/memory.usage_in_bytes": "900",
                "memory/memory.stat": "inactive_file 7\ntotal_inactive_file 300\n",
            },
        ),
    ],
    ids=["version 2", "version 1"],
)
def test_cached_files_leave_room(group: dict[str, str], texts: dict[str, str]) -> None:
    """What a group caches is given up when memory is wanted."""
    assert 400 == memory_room(files(group, texts))


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
    read = files(
        {**V2, "pod/app/cpu.stat": "throttled_usec 500000\n", "pod/cpu.stat": "throttled_usec 1\n"}
    )
    assert throttled(read) == pytest.approx(0.500001)
    assert throttled(files({})) is None
