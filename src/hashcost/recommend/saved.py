"""What a saved profile has of a hasher, and what one run adds to it. Pure."""

from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import Final

import msgspec

from hashcost.core.machine import HostIdentity, Machine, is_same_host
from hashcost.core.measurement import Measurement
from hashcost.core.profile import Profile, Result
from hashcost.recommend.recommendation import answer_again

_LASTING: Final = attrgetter(
    "cpu_model", "cpu_count", "cpu_flags", "architecture", "virtualization"
)
_MEMORY_TOLERANCE: Final = 0.01
"""A kernel keeps some of the memory to itself, another one a little more."""


def may_add(old: Profile, machine: Machine, host: HostIdentity | None) -> bool:
    """Whether what is measured on a machine belongs into a profile: nothing tells the two apart.

    What an update changes (system, kernel, Python, OpenSSL, a limit) makes no other machine.
    Two machines whose CPU is unknown are two.
    """
    if old.host is not None and host is not None and not is_same_host(old.host, host):
        return False
    alike = _LASTING(old.machine) == _LASTING(machine)
    memory, here = old.machine.memory_bytes, machine.memory_bytes
    if memory is None or here is None:
        return alike and memory == here and machine.cpu_model is not None
    near = abs(memory - here) <= _MEMORY_TOLERANCE * max(memory, here)
    return alike and near and machine.cpu_model is not None


def rows_named(profile: Profile, name: str) -> tuple[Result, ...]:
    """The rows that a name means, ``hasher`` or ``hasher@implementation``; empty if none is.

    What was measured without a row of its own is answered for the profile's target.
    """
    rows = tuple(row for row in profile.results if name in (row.hasher, row.label))
    return rows or tuple(
        answer_again(each, profile.target_seconds, profile.rounding)
        for each in profile.measurements
        if name in (each.hasher, each.label)
    )


def labels_in(profile: Profile) -> tuple[str, ...]:
    """What a profile has rows of, and what it measured beside them."""
    every = (*profile.results, *profile.measurements)
    return tuple(dict.fromkeys(each.label for each in every))


def merged(old: Profile, new: Profile) -> Profile:
    """A profile with what a run measured, and what it did not measure of an older profile.

    Both are of one machine. The rows of the older one are answered for the new target. As
    long as any of it is left, the whole is as old as that.
    """
    fresh = {_key(each) for each in new.measurements}
    kept = tuple(each for each in old.measurements if _key(each) not in fresh)
    failed = {row.label for row in new.failures if new.measurement_of(row) is None}
    still = {each.label for each in kept} & failed
    rows = (*_rows_kept(old, new, kept), *(row for row in new.results if row.label not in still))
    return msgspec.structs.replace(
        new,
        created=min(old.created, new.created) if kept else new.created,
        duration_seconds=(old.duration_seconds if kept else 0.0) + new.duration_seconds,
        measurements=(*kept, *new.measurements),
        results=rows,
        warnings=tuple(dict.fromkeys((*(old.warnings if kept else ()), *new.warnings))),
    )


def _rows_kept(old: Profile, new: Profile, kept: Sequence[Measurement]) -> Iterator[Result]:
    """The rows of the older profile that the run has none for, each measurement's once."""
    same = (old.target_seconds, old.rounding) == (new.target_seconds, new.rounding)
    answered = {row.label for row in new.results}
    seen: list[Measurement] = []
    for row in old.results:
        measured = old.measurement_of(row)
        if measured is None or not any(measured is each for each in kept):
            if row.label in answered:
                continue
            measured = next((each for each in new.measurements if each.label == row.label), None)
        elif same:
            yield row
            continue
        if measured is None:
            yield row
        elif not any(measured is each for each in seen):
            seen.append(measured)
            yield answer_again(measured, new.target_seconds, new.rounding)


def _key(measurement: Measurement) -> tuple[str, int]:
    """What a run measures anew: argon2id is another thing in another number of lanes."""
    return measurement.label, measurement.lanes
