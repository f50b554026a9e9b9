"""What control groups of both versions let this process use."""

from typing import Final

import pytest

from corpora import table
from hashcost.machine.control_group import (
    Read,
    cpu_limit,
    memory_room,
    quota_of,
    throttled,
    throttled_seconds,
)

V2: Final = ("proc/self/cgroup 0::/pod/app\n",)


def files(*rows: str) -> Read:
    """Read texts by the path before each; the folder of all groups is left out of it."""
    texts = {path: text for row in rows for path, _, text in [row.partition(" ")]}
    return lambda path: texts.get(str(path).removeprefix("sys/fs/cgroup/"), "")


@table("quota, limit")
def test_a_quota_is_read_as_cpus(quota: str, limit: float | None) -> None:
    """A quota over its period is how many CPUs a group may use."""
    found = quota_of(quota)
    assert limit == (found.cpus if found else None)


@table("rows, cpus")
def test_the_least_quota_counts(rows: tuple[str, ...], cpus: float | None) -> None:
    """Of the process's group and those above it, the tightest limits the CPUs."""
    found = cpu_limit(files(*rows))
    assert cpus == (found.cpus if found else None)


@table("rows, room")
def test_the_least_room_counts(rows: tuple[str, ...], room: int | None) -> None:
    """Of the process's group and those above it, the fullest limits the memory; what it caches
    is given up when memory is wanted.
    """
    assert room == memory_room(files(*rows))


@table("text, seconds")
def test_time_stopped_by_a_quota(text: str, seconds: float | None) -> None:
    """A group tells the time it stopped its tasks, in micro- or nanoseconds."""
    assert seconds == throttled_seconds(text)


def test_the_time_stopped_by_every_quota_counts() -> None:
    """A quota of a group above stops the process as well as its own."""
    rows = (*V2, "pod/app/cpu.stat throttled_usec 500000\n", "pod/cpu.stat throttled_usec 1\n")
    assert throttled(files(*rows)) == pytest.approx(0.500001)
    assert throttled(files()) is None
