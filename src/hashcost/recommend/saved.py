"""What a saved profile has of a hasher, and what one run adds to it. Pure."""

from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import Final

from msgspec.structs import replace

from hashcost.core.machine import HostIdentity, Machine, Notice, is_same_host
from hashcost.core.measurement import Measurement
from hashcost.core.profile import MOST_CONTEXTS, Profile, Result
from hashcost.recommend.recommendation import recommendation

_LASTING: Final = attrgetter(
    "cpu_model", "cpu_count", "cpu_flags", "architecture", "virtualization"
)
OTHER_CONTEXT: Final = "other-context"
"""The notice that a saved profile does not hold for the process that reads it."""
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
        recommendation(each, profile.target_seconds)
        for each in profile.measurements
        if name in (each.hasher, each.label)
    )


def labels_in(profile: Profile) -> tuple[str, ...]:
    """What a profile has rows of, and what it measured beside them."""
    every = (*profile.results, *profile.measurements)
    return tuple(dict.fromkeys(each.label for each in every))


def merged(old: Profile, new: Profile) -> Profile:
    """A profile with what a run measured, and what it did not measure of an older profile.

    Both are of one machine. What the older one has of the run's context is answered for the new
    target, and as long as any of it is left, the whole is as old as that. What it has of other
    contexts stays beside it, the newest first and those with settings of malloc last.
    """
    contexts = [replace(part, other_contexts=()) for part in (old, *old.other_contexts)]
    alike = [part for part in contexts if part.machine.context == new.machine.context]
    others = [part for part in contexts if part not in alike]
    parts = [_merged(alike[0], new) if alike else new, *others]
    first, *beside = sorted(parts, key=lambda part: bool(part.machine.malloc))
    return replace(first, other_contexts=tuple(beside[:MOST_CONTEXTS]))


def spoken_of(profile: Profile, machine: Machine) -> Profile:
    """The part of a saved profile that was measured as this process hashes.

    Where none was, the first part with a warning that says which fact differs.
    """
    part = profile.in_context_of(machine)
    fact = part.machine.unlike(machine)
    if not fact:
        return part
    notice = Notice(
        code=OTHER_CONTEXT,
        message=fact,
        advice="measure again where and as the service hashes",
    )
    return replace(part, warnings=(*part.warnings, notice))


def _merged(old: Profile, new: Profile) -> Profile:
    fresh = {_key(each) for each in new.measurements}
    kept = tuple(each for each in old.measurements if _key(each) not in fresh)
    failed = {row.label for row in new.failures if new.measurement_of(row) is None}
    still = {each.label for each in kept} & failed
    rows = (*_rows_kept(old, new, kept), *(row for row in new.results if row.label not in still))
    return replace(
        new,
        created=min(old.created, new.created) if kept else new.created,
        duration_seconds=(old.duration_seconds if kept else 0.0) + new.duration_seconds,
        measurements=(*kept, *new.measurements),
        results=rows,
        warnings=tuple(dict.fromkeys((*(old.warnings if kept else ()), *new.warnings))),
    )


def _rows_kept(old: Profile, new: Profile, kept: Sequence[Measurement]) -> Iterator[Result]:
    """The rows of the older profile that the run has none for, each measurement's once."""
    answered = {row.label for row in new.results}
    seen: list[Measurement] = []
    for row in old.results:
        measured = old.measurement_of(row)
        if measured is None or not any(measured is each for each in kept):
            if row.label in answered:
                continue
            measured = next((each for each in new.measurements if each.label == row.label), None)
        elif old.target_seconds == new.target_seconds:
            yield row
            continue
        if measured is None:
            yield row
        elif not any(measured is each for each in seen):
            seen.append(measured)
            yield recommendation(measured, new.target_seconds)


def _key(measurement: Measurement) -> tuple[str, int]:
    """What a run measures anew: argon2id is another thing in another number of lanes."""
    return measurement.label, measurement.lanes
