"""What was measured on one machine, whether by a calibration or by a sweep. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from hashcost.compare.model import ComparedMachine
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


@dataclass(frozen=True, kw_only=True)
class Side(Named):
    """A machine with one of its hashers."""

    measured: MeasuredMachine


def of_profile(profile: Profile, *, name: str, source: str) -> MeasuredMachine:
    """What a calibration measured; a hasher whose target was out of reach is known too."""
    measurements = _each_once(profile.measurements)
    known = {each.label for each in measurements}
    failures = {row.label: row.error for row in profile.failures if row.label not in known}
    return _machine(profile, "profile", name, source, measurements, failures)


def of_sweep(sweep: Sweep, *, name: str, source: str) -> MeasuredMachine:
    """What a sweep measured: its fit, or on a ladder each step that was timed."""
    failures = {row.label: row.error for row in sweep.failures}
    measurements = []
    for swept in sweep.hashers:
        measurement = measurement_of(swept, sweep.rows_of(swept))
        if measurement is None:
            failures[swept.label] = "fewer than two of its costs were timed"
        else:
            measurements.append(measurement)
    return _machine(sweep, "sweep", name, source, _each_once(measurements), failures)


def _machine(
    found: Profile | Sweep,
    kind: str,
    name: str,
    source: str,
    measurements: tuple[Measurement, ...],
    failures: Mapping[str, str],
) -> MeasuredMachine:
    return MeasuredMachine(
        name=name,
        source=source,
        kind=kind,
        created=found.created,
        machine=found.machine,
        probe=found.probe,
        tool=found.tool,
        target_seconds=found.target_seconds,
        measurements=measurements,
        failures=failures,
        warnings=found.warnings,
    )


def _each_once(measurements: Iterable[Measurement]) -> tuple[Measurement, ...]:
    """The first of each label: argon2id may have been timed in several numbers of lanes."""
    found: dict[str, Measurement] = {}
    for measurement in measurements:
        found.setdefault(measurement.label, measurement)
    return tuple(found.values())
