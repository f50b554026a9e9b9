"""What was measured on one machine, whether by a calibration or by a sweep. Pure."""

from __future__ import annotations

import datetime as dt
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from hashcost.compare.model import ComparedMachine, Outlier
from hashcost.core.measurement import Measurement
from hashcost.core.profile import Profile
from hashcost.sweep.measurement import measurement_of
from hashcost.sweep.model import Sweep


class MeasuredMachine(ComparedMachine, frozen=True, kw_only=True, eq=False):
    """One file: a machine and its hashers, each label once."""

    target_seconds: float
    measurements: tuple[Measurement, ...]
    failures: Mapping[str, str]
    """Why there is nothing of a label."""

    def sides(self, hashers: Sequence[str]) -> Iterator[Side]:
        """Each of its hashers with these names or labels; without any, all of them."""
        for each in self.measurements:
            if not hashers or each.hasher in hashers or each.label in hashers:
                yield Side(name=self.name, measurement=each, measured=self)


@dataclass(frozen=True, kw_only=True)
class Named:
    """A machine's name and what was measured of one hasher there."""

    name: str
    measurement: Measurement

    @property
    def machines(self) -> tuple[str, ...]:
        """The machines that it stands for."""
        return (self.name,)


@dataclass(frozen=True, kw_only=True)
class Side(Named):
    """A machine with one of its hashers."""

    measured: MeasuredMachine


@dataclass(frozen=True, kw_only=True)
class Group(Side):
    """Machines that cannot be told apart, as one: the first of them, with what all measured."""

    members: tuple[Side, ...]
    alike: Hashable
    """What tells its machines from others, but for their speed."""
    outlier: Outlier | None = None

    @property
    def machines(self) -> tuple[str, ...]:
        """The machines that it stands for."""
        return tuple(each.name for each in self.members)


def machine_of(found: Profile | Sweep, *, name: str, source: str) -> MeasuredMachine:
    """What a calibration or a sweep measured; a hasher whose target was too slow is known too.

    Of a sweep that is its fit, or on a ladder each step that was timed.
    """
    failures = {row.label: row.error for row in found.failures}
    measurements: dict[str, Measurement] = {}
    for label, measurement in _measurements(found):
        if measurement is None:
            failures[label] = "fewer than two of its costs were timed"
        else:
            # The first of each label: argon2id may have been timed in several numbers of lanes.
            measurements.setdefault(label, measurement)
    return MeasuredMachine(
        name=name,
        source=source,
        kind="sweep" if isinstance(found, Sweep) else "profile",
        created=found.created,
        machine=found.machine,
        probe=found.probe,
        tool=found.tool,
        target_seconds=found.target_seconds,
        measurements=tuple(measurements.values()),
        failures={label: why for label, why in failures.items() if label not in measurements},
        warnings=found.warnings,
        host=found.host,
        started=_began(found),
    )


def _began(found: Profile | Sweep) -> dt.datetime | None:
    try:
        return found.created - dt.timedelta(seconds=found.duration_seconds)
    except OverflowError:  # Before the first year.
        return None


def _measurements(found: Profile | Sweep) -> Iterator[tuple[str, Measurement | None]]:
    if isinstance(found, Profile):
        asked = {row.label for row in found.results}
        yield from ((each.label, each) for each in found.measurements if each.label in asked)
    else:
        yield from (
            (swept.label, measurement_of(swept, found.rows_of(swept))) for swept in found.hashers
        )
