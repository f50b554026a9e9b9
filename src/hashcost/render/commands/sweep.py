"""The result of `calibrate sweep`: a row for each cost, and the fit."""

from collections.abc import Iterator
from typing import Final

from hashcost.core.measurement import Doubt, Measurement, Scale
from hashcost.core.profile import Recommendation, is_too_noisy
from hashcost.core.units import (
    format_bytes,
    format_count,
    format_duration,
    format_percent,
    format_setting,
)
from hashcost.recommend.sweeping import Sweep, SweepRow
from hashcost.render.document import Column, Document, Fields, Table, own, records, table
from hashcost.render.wording import (
    aligned,
    farther_end,
    known,
    library,
    memory_bounds,
    place,
    plus_minus,
)

_FIELDS: Final[Fields[SweepRow]] = own(*SweepRow.__struct_fields__)


def sweep_document(sweep: Sweep) -> Document:
    """A table for each hasher, a row for each cost; the same rows as flat records."""
    profile = sweep.profile
    samples = sum(row.samples for row in sweep.rows)
    several = len(profile.measurements) > 1
    target = format_duration(profile.target_seconds)
    return Document(
        head=(
            f"{samples} hashes, measured in {format_duration(profile.duration_seconds)} on",
            *place(profile.machine, profile.tool, sweep.rows),
        ),
        tables=tuple(_table(hasher, sweep.rows_of(hasher)) for hasher in profile.measurements),
        notes=(
            *(
                f"{measurement.label}: {note}" if several else note
                for measurement in profile.measurements
                for note in _notes(measurement, sweep.rows_of(measurement))
            ),
            *(
                ("~ predicted: it would take longer than the budget, or more memory than allowed",)
                if any(row.status == "predicted" for row in sweep.rows)
                else ()
            ),
        ),
        answer=tuple(_answer(row, target) for row in profile.recommendations),
        foot=tuple(f"{row.label}: {row.error}" for row in profile.failures),
        records=records(sweep.rows, _FIELDS),
        value=sweep.rows,
    )


def _answer(row: Recommendation, target: str) -> str:
    """The setting for the target, if its time is certain enough."""
    if is_too_noisy(row):
        doubt = plus_minus(row.error_fraction)
        return f"{row.label} has no sure setting for {target} ({doubt}): raise --budget."
    setting = format_setting(row.params)
    return f"Use {row.label} {setting} for a target of {target}, by the fit{memory_bounds(row)}."


def _table(measurement: Measurement, rows: tuple[SweepRow, ...]) -> Table:
    wall = measurement.threads > 1
    knob = measurement.knobs[0].name
    fixed = {name: value for name, value in measurement.lowest.items() if name != knob}
    return table(
        rows,
        (Column(knob, right=True, bold=True), lambda row: str(row.cost)),
        (Column("one hash, wall" if wall else "one hash, CPU"), _time),
        (
            Column("CPU" if wall else "wall", right=True),
            lambda row: known(row.cpu_seconds if wall else row.wall_seconds, format_duration),
        ),
        (Column("per s", right=True), lambda row: format_count(row.hashes_per_second)),
        *(
            ((Column("memory", right=True), lambda row: format_bytes(row.memory_bytes)),)
            if measurement.climbs
            else ()
        ),
        (Column("fitted", right=True), lambda row: format_duration(row.fitted_seconds)),
        (Column("off", right=True), lambda row: known(row.residual, _signed)),
        title=f"{measurement.hasher}, {library(measurement)}"
        + (f", {format_setting(fixed)}" if fixed else ""),
    )


def _time(row: SweepRow) -> str:
    mark = "~" if row.status == "predicted" else ""
    error = farther_end(row.time_seconds, (row.low_seconds, row.high_seconds))
    return f"{aligned(row.time_seconds, mark)} {error}"


def _signed(fraction: float) -> str:
    percent = round(fraction * 100, 1)
    return f"{percent:+.1f} %" if percent else "0.0 %"


def _notes(measurement: Measurement, rows: tuple[SweepRow, ...]) -> Iterator[str]:
    """The fit in words, how close the timed costs lie to it, and why ± is wide."""
    off = [abs(row.residual) for row in rows if row.residual is not None]
    close = f"; the {len(off)} measured costs are within {format_percent(max(off or [0]))} of it"
    if measurement.climbs:
        fitted = "a surface of memory and passes"
    else:
        model = measurement.fitted.curves[0].model
        power = "2^" if model.scale is Scale.LOG2 else ""
        overhead = model.overhead_seconds
        fixed = f" + {format_duration(overhead)}" if overhead >= 1e-8 else ""
        fitted = f"{format_duration(model.seconds_per_unit)} × {power}{model.parameter}{fixed}"
    yield f"fitted: {fitted}{close if off else ''}"
    if measurement.doubt is not Doubt.NONE:
        yield measurement.doubt.reason
