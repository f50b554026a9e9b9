"""Look up hashers in a saved profile, and merge new runs into it. Pure."""

from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import Final

from msgspec.structs import replace

from hashcost.core.machine import HostIdentity, Machine, is_same_host
from hashcost.core.measurement import Measurement
from hashcost.core.profile import MOST_CONTEXTS, Profile, Result
from hashcost.recommend.recommendation import recommendation

_LASTING: Final = attrgetter("cpu_model", "cpu_flags", "architecture", "virtualization")
_MEMORY_TOLERANCE: Final = 0.01
"""Share by which a machine's memory may differ: kernels reserve different amounts of it."""


def may_add(old: Profile, machine: Machine, host: HostIdentity | None) -> bool:
    """Whether measurements of a machine may be added to a profile: no fact tells the two apart.

    Facts that an update changes (system, kernel, Python, OpenSSL) and limits, also of CPUs, do not
    count.
    Machines with an unknown CPU are never the same.
    """
    if old.host is not None and host is not None and not is_same_host(old.host, host):
        return False
    # Containers hide the name of the CPU, and move between machines.
    if machine.cpu_model is None or _LASTING(old.machine) != _LASTING(machine):
        return False
    memory, here = old.machine.memory_bytes, machine.memory_bytes
    # A system that stops or starts to tell its memory is another one.
    if memory is None or here is None:
        return memory == here
    return abs(memory - here) <= _MEMORY_TOLERANCE * max(memory, here)


def rows_named(profile: Profile, name: str) -> tuple[Result, ...]:
    """The rows of a name, ``hasher`` or ``hasher@implementation``.

    A measurement without a row of its own is answered for the profile's target.
    """
    rows = tuple(row for row in profile.results if row.is_called(name))
    if rows:
        return rows
    # A run may have measured more than it has rows for.
    named = [one for one in profile.measurements if one.is_called(name)]
    return tuple(recommendation(measurement, profile.target_seconds) for measurement in named)


def labels_in(profile: Profile) -> tuple[str, ...]:
    """The labels of a profile's rows, and of measurements without a row."""
    parts = (*profile.results, *profile.measurements)
    return tuple(dict.fromkeys(part.label for part in parts))


def merged(old: Profile, new: Profile) -> Profile:
    """Merge a new run into an older profile of the same machine.

    Older measurements of the run's context that it did not repeat are kept and answered for the
    new target; the profile then keeps its older date. Other contexts are kept apart, the newest
    first, and those with settings of malloc last.
    """
    fresh = new
    others = []
    for saved in (old, *old.other_contexts):
        part = replace(saved, other_contexts=())
        if part.machine.context == new.machine.context:
            # Of a damaged file that has a context twice, the newer part counts.
            if fresh is new:
                fresh = _merged(part, new)
        else:
            others.append(part)
    # Most processes run without settings of malloc.
    parts = [fresh, *others]
    usual = [part for part in parts if not part.machine.malloc]
    tuned = [part for part in parts if part.machine.malloc]
    first, *beside = [*usual, *tuned]
    return replace(first, other_contexts=tuple(beside[:MOST_CONTEXTS]))


def _merged(old: Profile, new: Profile) -> Profile:
    """Merge a new run into the older measurements of its context."""
    repeated = {_key(measurement) for measurement in new.measurements}
    kept = [one for one in old.measurements if _key(one) not in repeated]
    # What failed now and was measured before keeps its older row.
    failed = {row.label for row in new.failures if new.measurement_of(row) is None}
    answered_before = failed & {measurement.label for measurement in kept}
    fresh = [row for row in new.results if row.label not in answered_before]
    new = replace(new, results=(*_rows_kept(old, new, kept), *fresh))
    if not kept:
        return new
    return replace(
        new,
        # A profile is as old as its oldest measurement.
        created=min(old.created, new.created),
        duration_seconds=old.duration_seconds + new.duration_seconds,
        measurements=(*kept, *new.measurements),
        warnings=tuple(dict.fromkeys((*old.warnings, *new.warnings))),
    )


def _rows_kept(old: Profile, new: Profile, kept: Sequence[Measurement]) -> Iterator[Result]:
    """The older profile's rows that the run has no row for, one for each measurement."""
    answered = {row.label for row in new.results}
    is_same_target = old.target_seconds == new.target_seconds
    seen = set()
    for row in old.results:
        measured = old.measurement_of(row)
        is_kept = any(measured is one for one in kept)
        if is_kept and is_same_target:
            yield row
            continue
        if not is_kept:
            if row.label in answered:
                continue
            # A run may have measured what it was not asked for a row of.
            measured = next((one for one in new.measurements if one.label == row.label), None)
        if measured is None:
            yield row
        elif id(measured) not in seen:
            seen.add(id(measured))
            yield recommendation(measured, new.target_seconds)


def _key(measurement: Measurement) -> tuple[str, int]:
    """The label and the lanes: argon2id with other lanes is another measurement."""
    return measurement.label, measurement.lanes
