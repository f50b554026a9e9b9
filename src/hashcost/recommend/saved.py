"""Look up hashers in a saved profile, and merge new runs into it. Pure."""

from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import Final

from msgspec.structs import replace

from hashcost.core.machine import HostIdentity, Machine, is_same_host
from hashcost.core.measurement import Measurement
from hashcost.core.profile import MOST_CONTEXTS, Profile, Result
from hashcost.recommend.recommendation import recommendation

_LASTING: Final = attrgetter(
    "cpu_model", "cpu_count", "cpu_flags", "architecture", "virtualization"
)
_MEMORY_TOLERANCE: Final = 0.01
"""Share by which a machine's memory may differ: kernels reserve different amounts of it."""


def may_add(old: Profile, machine: Machine, host: HostIdentity | None) -> bool:
    """Whether measurements of a machine may be added to a profile: no fact tells the two apart.

    Facts that an update changes (system, kernel, Python, OpenSSL, a limit) do not count.
    Machines with an unknown CPU are never the same.
    """
    if old.host is not None and host is not None and not is_same_host(old.host, host):
        return False
    if machine.cpu_model is None or _LASTING(old.machine) != _LASTING(machine):
        return False
    memory, here = old.machine.memory_bytes, machine.memory_bytes
    if memory is None or here is None:
        return memory == here
    return abs(memory - here) <= _MEMORY_TOLERANCE * max(memory, here)


def rows_named(profile: Profile, name: str) -> tuple[Result, ...]:
    """The rows of a name, ``hasher`` or ``hasher@implementation``.

    A measurement without a row of its own is answered for the profile's target.
    """
    rows = tuple(row for row in profile.results if name in (row.hasher, row.label))
    return rows or tuple(
        recommendation(measurement, profile.target_seconds)
        for measurement in profile.measurements
        if name in (measurement.hasher, measurement.label)
    )


def labels_in(profile: Profile) -> tuple[str, ...]:
    """The labels of a profile's rows, and of measurements without a row."""
    return tuple(dict.fromkeys(part.label for part in (*profile.results, *profile.measurements)))


def merged(old: Profile, new: Profile) -> Profile:
    """Merge a new run into an older profile of the same machine.

    Older measurements of the run's context that it did not repeat are kept and answered for the
    new target; the profile then keeps its older date. Other contexts are kept apart, the newest
    first, and those with settings of malloc last.
    """
    contexts = [replace(part, other_contexts=()) for part in (old, *old.other_contexts)]
    alike = [part for part in contexts if part.machine.context == new.machine.context]
    others = [part for part in contexts if part not in alike]
    parts = [_merged(alike[0], new) if alike else new, *others]
    first, *beside = sorted(parts, key=lambda part: bool(part.machine.malloc))
    return replace(first, other_contexts=tuple(beside[:MOST_CONTEXTS]))


def _merged(old: Profile, new: Profile) -> Profile:
    fresh = {_key(measurement) for measurement in new.measurements}
    kept = tuple(one for one in old.measurements if _key(one) not in fresh)
    failed = {row.label for row in new.failures if new.measurement_of(row) is None}
    still = {measurement.label for measurement in kept} & failed
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
    """The older profile's rows that the run has no row for, one for each measurement."""
    answered = {row.label for row in new.results}
    seen: list[Measurement] = []
    for row in old.results:
        measured = old.measurement_of(row)
        if measured is None or not any(measured is one for one in kept):
            if row.label in answered:
                continue
            measured = next((one for one in new.measurements if one.label == row.label), None)
        elif old.target_seconds == new.target_seconds:
            yield row
            continue
        if measured is None:
            yield row
        elif not any(measured is one for one in seen):
            seen.append(measured)
            yield recommendation(measured, new.target_seconds)


def _key(measurement: Measurement) -> tuple[str, int]:
    """The label and the lanes: argon2id with other lanes is another measurement."""
    return measurement.label, measurement.lanes
