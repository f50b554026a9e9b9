"""The result of `calibrate sweep`: a row per cost, and the shape of the curve."""

from collections.abc import Iterable, Iterator
from typing import Final

from hashcost.core.measurement import CostModel, Scale
from hashcost.core.units import (
    format_count,
    format_duration,
    format_list,
    format_percent,
    format_setting,
)
from hashcost.render.document import Column, Document, Fields, Table, own, records, table
from hashcost.render.wording import aligned, gathered, known, library, place, timed
from hashcost.sweep.model import Status, Sweep, SweepRow, SweptHasher

_FIELDS: Final[Fields[SweepRow]] = {
    **own(*SweepRow.__struct_fields__),
    "status": lambda row: row.status.value,
}


def sweep_document(sweep: Sweep) -> Document:
    """A table per hasher, a row per cost; the same rows as flat records."""
    samples = sum(row.samples for row in sweep.rows)
    taken = format_duration(sweep.duration_seconds)
    return Document(
        head=(
            f"{samples} hashes in {sweep.rounds} rounds, measured in {taken} on",
            *place(sweep.machine, sweep.tool, sweep.rows),
        ),
        tables=tuple(_table(swept, sweep.rows_of(swept)) for swept in sweep.hashers),
        notes=sweep_notes(sweep),
        answer=tuple(_answer(sweep)),
        foot=tuple(f"{row.label}: {row.error}" for row in sweep.failures),
        fields=tuple(_FIELDS),
        records=records(sweep.rows, _FIELDS),
        value=sweep,
    )


def _answer(sweep: Sweep) -> Iterator[str]:
    """The cost of each hasher for the target."""
    target = format_duration(sweep.target_seconds)
    for swept in sweep.hashers:
        if swept.target_cost is not None:
            setting = format_setting({swept.knob.name: swept.target_cost})
            yield f"Use {swept.label} {setting} for a target of {target}, by the fit."


def sweep_notes(sweep: Sweep) -> tuple[str, ...]:
    """Notes on the rows of all hashers."""
    several = len(sweep.hashers) > 1
    predicted = {
        swept.knob.is_ladder
        for swept in sweep.hashers
        for row in sweep.rows_of(swept)
        if row.status is Status.PREDICTED
    }
    least = " (for memory: at least this long)" if True in predicted else ""
    return (
        *(
            f"{swept.label}: {note}" if several else note
            for swept in sweep.hashers
            for note in _notes(swept, sweep)
        ),
        *((f"~ predicted{least}: timing it would have exceeded the budget",) if predicted else ()),
    )


def _table(swept: SweptHasher, rows: tuple[SweepRow, ...]) -> Table:
    wall = swept.threads > 1
    return table(
        rows,
        (
            Column(swept.knob.name, right=True, bold=True),
            lambda row: f"*{row.cost}" if row.default else str(row.cost),
        ),
        (Column("one hash, wall" if wall else "one hash, CPU"), _time),
        (
            Column("CPU" if wall else "wall", right=True),
            lambda row: known(row.cpu_seconds if wall else row.wall_seconds, _duration),
        ),
        (Column("user", right=True), lambda row: known(row.user_seconds, _duration)),
        (Column("system", right=True), lambda row: known(row.system_seconds, _duration)),
        (Column("per s", right=True), lambda row: known(row.hashes_per_second, _rate)),
        (Column("fitted", right=True), lambda row: known(row.fitted_seconds, _duration)),
        (Column("off", right=True), lambda row: known(row.residual, _signed)),
        title=f"{swept.hasher}, {library(swept)}"
        + (f", {format_setting(swept.fixed)}" if swept.fixed else ""),
        aside=lambda row: row.status is not Status.MEASURED,
    )


def _time(row: SweepRow) -> str:
    if row.time_seconds is None:
        return str(row.status.value)
    if row.status is Status.PREDICTED:
        return aligned(row.time_seconds, "~")
    return timed(row.time_seconds, row.relative_error)


def _signed(fraction: float) -> str:
    percent = round(fraction * 100, 1)
    return f"{percent:+.1f} %" if percent else "0.0 %"


def _duration(seconds: float) -> str:
    return "0" if seconds < 5e-8 else format_duration(seconds)


def _rate(per_second: float) -> str:
    return format_count(per_second) if per_second < 99.95 else f"{per_second:.0f}"


def _reasons(swept: SweptHasher, rows: tuple[SweepRow, ...]) -> list[str]:
    """Why nothing was timed at a cost, each reason once."""
    reasons = {
        Status.REFUSED: "the library refuses it",
        Status.UNTIMED: "not timed",
    }
    costs = gathered(
        ((row.status, row.note), str(row.cost)) for row in rows if row.status in reasons
    )
    return [
        f"{swept.knob.name} {format_list(values)}: {reasons[status]}: {note}"
        for (status, note), values in costs.items()
    ]


def _notes(swept: SweptHasher, sweep: Sweep) -> Iterator[str]:
    rows = sweep.rows_of(swept)
    yield from filter(None, (_line(swept, rows),))
    yield from (notice.message for notice in swept.shape)
    yield from _reasons(swept, rows)
    for mark in swept.floors:
        took = "" if mark.time_seconds is None else f", {format_duration(mark.time_seconds)} here"
        yield f"{mark.policy} minimum: {format_setting({swept.knob.name: mark.cost})}{took}"
    if swept.default_cost is not None and any(row.default for row in rows):
        yield f"* the default: {swept.default_taken_by}"
    if (cold := swept.cold) is not None:
        # What a process pays for its first hash: loading, lazy binding and fresh pages.
        yield (
            f"first call {format_duration(cold.wall_seconds)} (cold), then"
            f" {format_duration(cold.warm_seconds)}, at {format_setting(cold.params)}; loading the"
            f" library took {format_duration(cold.load_seconds)} before it"
        )


def _line(swept: SweptHasher, rows: tuple[SweepRow, ...]) -> str:
    """The fit in words; on a ladder, what a MiB takes where it is cheapest and dearest."""
    residuals = [row.residual for row in rows if row.residual is not None]
    if swept.model is None or not residuals:
        return ""
    if not swept.knob.is_ladder:
        return _fitted(swept.model, swept.knob.name, residuals)
    per_mib = {
        row.time_seconds / row.memory_bytes * 2**20: row
        for row in rows
        if row.status is Status.MEASURED and row.time_seconds and row.memory_bytes
    }
    if len(per_mib) < 2:
        return ""
    least, most = (
        f"{format_duration(seconds)} (at {format_setting({row.parameter: row.cost})})"
        for seconds, row in (min(per_mib.items()), max(per_mib.items()))
    )
    return f"a MiB takes {least} to {most}; `off` compares with time proportional to memory"


def _fitted(model: CostModel, parameter: str, residuals: Iterable[float | None]) -> str:
    """A fit in words, and how close the costs that it rests on lie to it."""
    off = [abs(residual) for residual in residuals if residual is not None]
    power = "2^" if model.scale is Scale.LOG2 else ""
    fixed = model.overhead_seconds
    overhead = f" + {format_duration(fixed)}" if fixed >= 1e-8 else ""
    return (
        f"fitted: {format_duration(model.seconds_per_unit)} × {power}{parameter}{overhead};"
        f" the {len(off)} measured costs are within {format_percent(max(off))} of it"
    )
