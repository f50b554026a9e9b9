"""What control groups of both versions let this process use."""

from typing import Final

from corpora import table
from hashcost.machine.control_group import Read, cpu_limit, group_uses, memory_room, quota_of

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


@table("rows, groups")
def test_each_group_tells_its_cpu_time(
    rows: tuple[str, ...], groups: tuple[tuple[float, ...], ...]
) -> None:
    """The process's group and those above it that have a quota, each with the CPU time of its
    tasks: in version 1 another controller tells it, if the process is in the same group of it.
    """
    wanted: list[tuple[float, float | None]] = []
    for cpus, *used in groups:
        wanted.append((cpus, used[0] if used else None))
    assert wanted == [(use.limit.cpus, use.cpu_seconds) for use in group_uses(files(*rows))]
