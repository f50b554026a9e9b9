"""What was measured on one machine, whether by a calibration or by a sweep. Pure."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

from hashcost.core.model import (
    CostModel,
    Knob,
    Machine,
    Notice,
    Params,
    Probe,
    Profile,
    Recommendation,
    Result,
    Rounding,
    Sample,
    Scale,
    Tool,
)
from hashcost.fit.solver import Beyond, Curve, Fit, Floors, Solution, widen, work
from hashcost.recommend.recommendation import fit_of, recommend
from hashcost.sweep.model import Status, Sweep, SweepRow, SweptHasher

Setting: TypeAlias = tuple[tuple[str, int], ...]
"""Params that can be looked up by."""


def setting_of(params: Params) -> Setting:
    """The params as something to look up by."""
    return tuple(sorted(params.items()))


@dataclass(frozen=True, kw_only=True, eq=False)
class Entry:
    """One hasher, and what is known of its time.

    Of a hasher in memory that is the steps that were timed themselves, at each with any
    value of the other parameter. Any other hasher's time is known at every cost.
    """

    hasher: str
    implementation: str
    version: str
    clock: str
    threads: int
    knobs: tuple[Knob, ...]
    fitted: Fit
    samples: tuple[Sample, ...] = ()

    @property
    def label(self) -> str:
        """``hasher@implementation``."""
        return f"{self.hasher}@{self.implementation}"

    @property
    def climbs(self) -> bool:
        """Whether it climbs a ladder of memory, between whose steps nothing is known."""
        return self.knobs[0].scale is Scale.LADDER

    @property
    def parameter(self) -> str:
        """The param that is left to turn on the curve of the least memory."""
        return self.fitted.curves[0].model.parameter

    @cached_property
    def lowest(self) -> Params:
        """The cheapest setting."""
        first = self.fitted.curves[0]
        return first.at(first.lowest)

    def at(self, params: Params) -> Solution | None:
        """The setting of these params with its time; none where that is not known."""
        for curve in self.fitted.curves:
            value = params.get(curve.model.parameter)
            if value is not None and _reaches(curve, value) and curve.at(value) == params:
                return Solution(curve=curve, value=value)
        return None

    def solved(self, target_seconds: float, floors: Floors | None) -> Result:
        """The cost recommended for a target, as `calibrate --from` recommends it."""
        return recommend(
            hasher=self.hasher,
            implementation=self.implementation,
            version=self.version,
            clock=self.clock,
            threads=self.threads,
            knobs=self.knobs,
            fitted=self.fitted,
            target_seconds=target_seconds,
            rounding=Rounding.DOWN,
            samples=self.samples,
            floors=floors,
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class Measurement:
    """One file: a machine and its hashers, each label once."""

    name: str
    source: str
    kind: str
    created: dt.datetime
    machine: Machine
    probe: Probe
    tool: Tool
    target_seconds: float
    entries: tuple[Entry, ...]
    failures: Mapping[str, str] = field(default_factory=dict)
    """Why there is nothing of a label."""
    warnings: tuple[Notice, ...] = ()


def _reaches(curve: Curve, value: int) -> bool:
    """Whether the value lies on the curve; of memory not below what was timed there."""
    if curve.knob is None:
        return value == curve.lowest
    return curve.lowest <= value <= curve.knob.maximum


def interval_of(solution: Solution) -> tuple[float, float] | None:
    """Where a fresh run finds the time of a setting, in seconds."""
    relative = solution.curve.relative_interval
    return relative and (solution.seconds * relative[0], solution.seconds * relative[1])


def of_profile(profile: Profile, *, name: str, source: str) -> Measurement:
    """What a calibration measured; a row whose target was out of reach is known too."""
    rows = [
        row if isinstance(row, Recommendation) else row.measured
        for row in profile.results
        if isinstance(row, Recommendation) or row.measured is not None
    ]
    entries = _each_once(_entry_of_row(row) for row in rows if row is not None)
    return Measurement(
        name=name,
        source=source,
        kind="profile",
        created=profile.created,
        machine=profile.machine,
        probe=profile.probe,
        tool=profile.tool,
        target_seconds=profile.target_seconds,
        entries=entries,
        failures={row.label: row.error for row in profile.failures if row.measured is None},
        warnings=profile.warnings,
    )


def of_sweep(sweep: Sweep, *, name: str, source: str) -> Measurement:
    """What a sweep measured: its fit, or on a ladder each step that was timed."""
    failures = {row.label: row.error for row in sweep.failures}
    entries = []
    for swept in sweep.hashers:
        timed = [row for row in sweep.rows_of(swept) if _is_timed(row, swept.knob)]
        fitted = _fit_of_swept(swept, timed, sweep.rows_of(swept))
        if fitted is None:
            failures[swept.label] = "fewer than two of its costs were timed"
            continue
        entries.append(
            Entry(
                hasher=swept.hasher,
                implementation=swept.implementation,
                version=swept.implementation_version,
                clock=swept.clock,
                threads=swept.threads,
                knobs=(swept.knob,),
                fitted=fitted,
            )
        )
    return Measurement(
        name=name,
        source=source,
        kind="sweep",
        created=sweep.created,
        machine=sweep.machine,
        probe=sweep.probe,
        tool=sweep.tool,
        target_seconds=sweep.target_seconds,
        entries=_each_once(entries),
        failures=failures,
        warnings=sweep.warnings,
    )


def _each_once(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """The first of each label: a trade-off lists several settings of one hasher."""
    found: dict[str, Entry] = {}
    for entry in entries:
        found.setdefault(entry.label, entry)
    return tuple(found.values())


def _entry_of_row(row: Recommendation) -> Entry:
    return Entry(
        hasher=row.hasher,
        implementation=row.implementation,
        version=row.implementation_version,
        clock=row.clock,
        threads=row.threads,
        knobs=row.knobs,
        fitted=fit_of(row),
        samples=row.samples,
    )


def _is_timed(row: SweepRow, knob: Knob) -> bool:
    if row.status is not Status.MEASURED or not row.time_seconds:
        return False
    return knob.scale is not Scale.LADDER or bool(row.memory_bytes)


def _fit_of_swept(
    swept: SweptHasher, timed: Sequence[SweepRow], rows: Sequence[SweepRow]
) -> Fit | None:
    """What a sweep knows of a hasher's time, with the interval of a fresh run.

    A sweep's own interval is of its one run: the drift between runs is added.
    """
    if not timed:
        return None
    if swept.knob.scale is Scale.LADDER:
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
    known = row.low_seconds and row.high_seconds
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
        relative_interval=(
            (row.low_seconds / seconds, row.high_seconds / seconds)
            if known and row.low_seconds and row.high_seconds
            else None
        ),
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
        if swept.knob.scale is Scale.LOG2
        else {},
    )
