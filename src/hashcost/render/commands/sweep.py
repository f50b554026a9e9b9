"""The result of `calibrate sweep`: a row for each cost, and the fit."""

from collections.abc import Iterator, Sequence

from hashcost.core.measurement import Doubt, Measurement, Scale
from hashcost.core.profile import Recommendation, is_too_noisy
from hashcost.core.units import (
    format_bytes,
    format_count,
    format_duration,
    format_percent,
    format_setting,
)
from hashcost.logins.costs import POLICY
from hashcost.recommend.sweeping import Sweep, SweepRow
from hashcost.render.document import Column, Document, Table, own, records, table
from hashcost.render.wording import (
    aligned,
    elsewhere,
    failures_told,
    farther_end,
    known,
    library,
    memory_bounds,
    place,
    plus_minus,
)
from hashcost.strength.policies.catalogue import load_policy


def sweep_document(sweep: Sweep) -> Document:
    """A table for each hasher, a row for each cost; the same rows as flat records."""
    profile = sweep.profile
    samples = sum(row.samples for row in sweep.rows)
    target = format_duration(profile.target_seconds)
    return Document(
        head=(
            f"{samples} hashes, measured in {format_duration(profile.duration_seconds)} on",
            *place(profile.machine, profile.tool, sweep.rows),
        ),
        tables=tuple(_table(hasher, sweep.rows_of(hasher)) for hasher in profile.measurements),
        notes=tuple(_notes(sweep)),
        answer=tuple(_answer(row, target) for row in profile.recommendations),
        foot=tuple(failures_told(profile)),
        records=records(sweep.rows, own(*SweepRow.__struct_fields__)),
        value=sweep.rows,
    )


def _answer(row: Recommendation, target: str) -> str:
    """The setting for the target, if its time is certain enough."""
    # More time gives more samples, and a narrower interval.
    if is_too_noisy(row):
        doubt = plus_minus(row.error_fraction)
        return f"{row.label} has no sure setting for {target} ({doubt}): raise --budget."
    use = f"{row.label} {format_setting(row.params)} fits a target of {target}, by the fit"
    # A sweep holds its costs to no policy, so that the answer may be a weak one.
    stands = elsewhere(row.hasher, row.params, (load_policy(POLICY),))
    if stands:
        use += f", and {stands}"
    bound = memory_bounds(row)
    if bound:
        use += f"; {bound}"
    return f"{use}."


def _table(measurement: Measurement, rows: Sequence[SweepRow]) -> Table:
    """The timed and predicted costs of one hasher."""
    knob = measurement.knobs[0].name
    # A hash in several threads is timed by the wall clock, any other by its CPU time.
    wall = measurement.threads > 1
    clock, other_clock = "CPU", "wall"
    if wall:
        clock, other_clock = "wall", "CPU"
    columns = (
        Column(knob, right=True, bold=True),
        Column(f"one hash, {clock}"),
        Column(other_clock, right=True),
        Column("per s", right=True),
        Column("memory", right=True),
        Column("fitted", right=True),
        Column("off", right=True),
    )
    cells = []
    for row in rows:
        other = row.cpu_seconds if wall else row.wall_seconds
        times = (_time(row), known(other, format_duration), format_count(row.hashes_per_second))
        memory = format_bytes(row.memory_bytes) if measurement.is_memory_hard else ""
        fitted = format_duration(row.fitted_seconds)
        cells.append((str(row.cost), *times, memory, fitted, known(row.residual, _signed)))
    title = f"{measurement.hasher}, {library(measurement)}"
    # The params that the sweep did not turn belong to every row.
    fixed = dict(measurement.lowest)
    fixed.pop(knob, None)
    if fixed:
        title += f", {format_setting(fixed)}"
    return table(columns, cells, title)


def _time(row: SweepRow) -> str:
    mark = ""
    if row.status == "predicted":
        mark = "~"
    error = farther_end(row.time_seconds, (row.low_seconds, row.high_seconds))
    return f"{aligned(row.time_seconds, mark)} {error}"


def _signed(fraction: float) -> str:
    percent = round(fraction * 100, 1)
    if not percent:
        return "0.0 %"  # Not "-0.0 %".
    return f"{percent:+.1f} %"


def _notes(sweep: Sweep) -> Iterator[str]:
    """The fit of each hasher, and why some costs were not timed."""
    measurements = sweep.profile.measurements
    for measurement in measurements:
        about = f"{measurement.label}: " if len(measurements) > 1 else ""
        yield about + _fitted(measurement, sweep.rows_of(measurement))
        if measurement.doubt is not Doubt.NONE:
            yield about + measurement.doubt.reason
    if any(row.status == "predicted" for row in sweep.rows):
        yield "~ predicted: it would take longer than the budget, or more memory than allowed"


def _fitted(measurement: Measurement, rows: Sequence[SweepRow]) -> str:
    """The fit in words, and how close the timed costs lie to it."""
    if measurement.is_memory_hard:
        note = "fitted: a surface of memory and passes"
    else:
        model = measurement.fitted.curves[0].model
        power = "2^" if model.scale is Scale.LOG2 else ""
        slope = format_duration(model.seconds_per_unit)
        note = f"fitted: {slope} × {power}{model.parameter}"
        # Less than ten nanoseconds is below what any clock tells.
        if model.overhead_seconds >= 1e-8:
            note += f" + {format_duration(model.overhead_seconds)}"
    off = [abs(row.residual) for row in rows if row.residual is not None]
    if off:
        note += f"; the {len(off)} measured costs are within {format_percent(max(off))} of it"
    return note
