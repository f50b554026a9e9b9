"""What was measured on one machine, whether by a calibration or by a sweep. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from hashcost.compare.model import ComparedMachine
from hashcost.core.measurement import (
    Beyond,
    CostModel,
    Curve,
    Fit,
    Knob,
    Measurement,
    Params,
    work,
)
from hashcost.core.profile import Profile
from hashcost.fit.curves import widen
from hashcost.sweep.model import Status, Sweep, SweepRow, SweptHasher


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
        timed = [row for row in sweep.rows_of(swept) if _is_timed(row, swept.knob)]
        fitted = _fit_of_swept(swept, timed, sweep.rows_of(swept))
        if fitted is None:
            failures[swept.label] = "fewer than two of its costs were timed"
            continue
        measurements.append(
            Measurement(
                hasher=swept.hasher,
                implementation=swept.implementation,
                implementation_version=swept.implementation_version,
                clock=swept.clock,
                threads=swept.threads,
                knobs=(swept.knob,),
                fitted=fitted,
            )
        )
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


def _is_timed(row: SweepRow, knob: Knob) -> bool:
    if row.status is not Status.MEASURED or not row.time_seconds:
        return False
    return not knob.is_ladder or bool(row.memory_bytes)


def _fit_of_swept(
    swept: SweptHasher, timed: Sequence[SweepRow], rows: Sequence[SweepRow]
) -> Fit | None:
    """What a sweep knows of a hasher's time, with the interval of a fresh run.

    A sweep's own interval is of its one run: the drift between runs is added.
    """
    if not timed:
        return None
    if swept.knob.is_ladder:
        fitted = Fit(
            curves=tuple(
                sorted((_step(swept, row) for row in timed), key=lambda each: each.memory_bytes)
            ),
            beyond=tuple(
                Beyond(
                    params=_params(swept, row.cost),
                    memory_bytes=row.memory_bytes,
                    least_seconds=row.time_seconds,
                )
                for row in rows
                if row.status is Status.PREDICTED and row.memory_bytes and row.time_seconds
            ),
        )
    elif swept.model is None:
        return None
    else:
        fitted = Fit(curves=(_line(swept, swept.model, timed),))
    return widen(fitted, swept.drift, lambda _: ())


def _params(swept: SweptHasher, cost: int) -> Params:
    return {swept.knob.name: cost, **swept.fixed}


def _step(swept: SweptHasher, row: SweepRow) -> Curve:
    """One step of memory, of which nothing follows for another."""
    seconds = row.time_seconds or 0.0
    params = _params(swept, row.cost)
    return Curve(
        params=params,
        knob=None,
        model=CostModel(
            fixed=params,
            parameter=swept.knob.name,
            scale=swept.knob.scale,
            overhead_seconds=0.0,
            seconds_per_unit=seconds / work(swept.knob.scale, row.cost),
        ),
        memory_bytes=row.memory_bytes or 0,
        relative_interval=(row.low_seconds / seconds, row.high_seconds / seconds)
        if row.low_seconds and row.high_seconds
        else None,
    )


def _line(swept: SweptHasher, model: CostModel, timed: Sequence[SweepRow]) -> Curve:
    """The fit; its interval is that of the dearest cost that has one, seen from the fit.

    What lies beyond that cost is told from it, and what lies below is known better.
    """
    known = [row for row in timed if row.low_seconds and row.high_seconds]
    interval = None
    if known:
        row = max(known, key=lambda each: each.cost)
        fitted = model.seconds(work(swept.knob.scale, row.cost))
        low, high = (row.low_seconds or 0.0) / fitted, (row.high_seconds or 0.0) / fitted
        interval = (min(low, 1.0), max(high, 1.0))
    return Curve(
        params=_params(swept, swept.knob.minimum),
        knob=swept.knob,
        model=model,
        relative_interval=interval,
        step_seconds={row.cost: row.time_seconds for row in timed if row.time_seconds}
        if swept.knob.doubles
        else {},
    )
