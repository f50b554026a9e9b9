"""Profiles of schema 1, which kept answers instead of measurements.

A row held the samples and the curve of the cost that it recommended; other steps of
memory were neighbours. The measurement is put together again from these.
"""

from collections.abc import Iterable
from typing import Annotated

import msgspec

from hashcost.core.machine import Machine
from hashcost.core.measurement import (
    MOST,
    Beyond,
    CostModel,
    Curve,
    Fit,
    Knob,
    Measurement,
    Params,
    Sample,
    work,
)
from hashcost.core.profile import (
    SCHEMA_VERSION,
    Failure,
    Neighbour,
    Profile,
    Recommendation,
    Result,
)
from hashcost.fit.curves import sampled_seconds, step_seconds


class MeasuredRow(Recommendation, frozen=True, kw_only=True, tag_field="status", tag="measured"):
    """A recommendation with what it rests on."""

    samples: tuple[Sample, ...] = ()


class FailedRow(Failure, frozen=True, kw_only=True, tag_field="status", tag="failed"):
    """A failure; where the target was too slow, with the lowest cost."""

    measured: MeasuredRow | None = None


class ProfileOfSchema1(Profile, frozen=True, kw_only=True):
    """The file."""

    results: Annotated[tuple[MeasuredRow | FailedRow, ...], msgspec.Meta(max_length=MOST)]

    @property
    def rows(self) -> tuple[MeasuredRow, ...]:
        """Those that were measured, within the target or not."""
        rows = (row if isinstance(row, MeasuredRow) else row.measured for row in self.results)
        return tuple(row for row in rows if row is not None)


def upgraded(old: ProfileOfSchema1) -> Profile:
    """The profile with the measurements that its rows were computed from."""
    known = [_measurement(row, old.machine) for row in old.rows]
    changed = {
        "schema": SCHEMA_VERSION,
        "measurements": tuple(_together(known)),
        "results": tuple(map(_result, old.results)),
    }
    return Profile(**{**msgspec.structs.asdict(old), **changed})


def _result(row: MeasuredRow | FailedRow) -> Result:
    plain = Recommendation if isinstance(row, MeasuredRow) else Failure
    return plain(**{name: getattr(row, name) for name in plain.__struct_fields__})


def _together(measurements: Iterable[Measurement]) -> list[Measurement]:
    """One measurement a hasher: each row of a trade-off has a step of its memory."""
    found: dict[tuple[str, int], Measurement] = {}
    for each in measurements:
        first = found.setdefault((each.label, each.lanes), each)
        if first is each:
            continue
        own = {curve.memory_bytes: curve for curve in (*first.fitted.curves, *each.fitted.curves)}
        found[each.label, each.lanes] = msgspec.structs.replace(
            first,
            fitted=Fit(curves=tuple(own[memory] for memory in sorted(own))),
            samples=(*first.samples, *each.samples),
        )
    return list(found.values())


def _measurement(row: MeasuredRow, machine: Machine) -> Measurement:
    return Measurement(
        hasher=row.hasher,
        implementation=row.implementation,
        implementation_version=row.implementation_version,
        clock=row.clock,
        threads=row.threads,
        knobs=row.knobs,
        fitted=Fit(
            curves=tuple(sorted(_curves(row), key=lambda curve: curve.memory_bytes)),
            beyond=tuple(
                Beyond(
                    params=step.params,
                    memory_bytes=step.memory_bytes,
                    least_seconds=step.time_seconds,
                )
                for step in row.neighbours
                if row.climbs and not step.measured
            ),
        ),
        samples=row.samples,
        page_bytes=machine.page_bytes,
    )


def _curves(row: MeasuredRow) -> list[Curve]:
    """The row's own curve, and on a ladder that of each other step."""
    knob = None if row.knobs[-1].is_ladder else row.knobs[-1]
    own = Curve(
        params=row.params if knob is None else {**row.params, knob.name: knob.minimum},
        knob=knob,
        model=row.model,
        memory_bytes=row.memory_bytes,
        relative_interval=row.interval_seconds
        and (
            row.interval_seconds[0] / row.time_seconds,
            row.interval_seconds[1] / row.time_seconds,
        ),
        step_seconds=_step_seconds(row, knob),
    )
    if not row.climbs:
        return [own]
    others = [step for step in row.neighbours if step.measured]
    return [own, *(_other_step(step, knob, row.knobs[0]) for step in others)]


def _step_seconds(row: MeasuredRow, knob: Knob | None) -> dict[int, float]:
    """Times of the values that were timed themselves at the row's own memory."""
    if knob is None or not (row.climbs or knob.doubles):
        return {}
    by_value: dict[int, list[float]] = {}
    for sample in row.samples:
        if _but(sample.params, knob) == _but(row.params, knob):
            seconds = sample.cpu_seconds if row.threads == 1 else sample.wall_seconds
            by_value.setdefault(sample.params[knob.name], []).append(seconds)
    if row.climbs:
        return sampled_seconds(by_value, row.model)
    known = {step.params[knob.name]: step.time_seconds for step in row.neighbours if step.measured}
    if row.confirmed:
        known[row.params[knob.name]] = row.time_seconds
    timed = {
        value: step_seconds(min(times), row.model.seconds(work(knob.scale, value)))
        for value, times in by_value.items()
        if value >= row.params[knob.name]
    }
    return {**timed, **known}


def _but(params: Params, knob: Knob) -> Params:
    return {name: value for name, value in params.items() if name != knob.name}


def _other_step(step: Neighbour, knob: Knob | None, ladder: Knob) -> Curve:
    """A step of memory that is known at one setting; it is taken to have no overhead."""
    turned = knob or ladder
    return Curve(
        params=step.params,
        knob=knob,
        model=CostModel(
            fixed=_but(step.params, turned),
            parameter=turned.name,
            scale=turned.scale,
            overhead_seconds=0.0,
            seconds_per_unit=step.time_seconds / work(turned.scale, step.params[turned.name]),
        ),
        memory_bytes=step.memory_bytes,
    )
