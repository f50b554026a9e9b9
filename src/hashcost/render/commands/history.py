"""What `calibrate history` shows: what earlier runs know of this machine."""

from collections.abc import Iterator
from typing import Final

from hashcost.core.units import format_pairs, format_setting
from hashcost.recommend.past import HasherPast, MachinePast, PastSummary
from hashcost.render.document import Column, Document, Fields, Table, own, records, table
from hashcost.render.wording import aligned, counted, farther_end, library, minute, plus_minus

_FIELDS: Final[Fields[HasherPast]] = {
    **own("hasher", "implementation", "implementation_version", "runs", "ignored"),
    **own("seconds_per_unit"),
    "params": lambda row: None if row.params is None else format_pairs(row.params),
    **own("time_seconds"),
    "low_seconds": lambda row: row.interval_seconds and row.interval_seconds[0],
    "high_seconds": lambda row: row.interval_seconds and row.interval_seconds[1],
    "last": lambda row: row.last.isoformat(),
}


def history_document(found: PastSummary) -> Document:
    """A table for each machine, and a row for each hasher and step of its memory."""
    return Document(
        head=(found.path or "No history is kept: there is no home directory.",),
        tables=tuple(_table(each) for each in found.machines),
        notes=tuple(_notes(found)),
        fields=("machine", *_FIELDS),
        records=tuple(
            {"machine": machine.machine, **record}
            for machine in found.machines
            for record in records(machine.hashers, _FIELDS)
        ),
        value=found,
    )


def _notes(found: PastSummary) -> Iterator[str]:
    rows = [row for each in found.machines for row in each.hashers]
    if rows:
        yield "± is how far the runs are from their median."
    elif found.path is not None:
        yield (
            "No runs yet. `calibrate` and `calibrate check` remember for thirty days how long each"
            " hasher took on a quiet core."
        )
    if any(row.ignored for row in rows):
        yield "2/3 runs: one of three disagrees with the others and is ignored."


def _table(past: MachinePast) -> Table:
    return table(
        past.hashers,
        (Column("hasher"), lambda row: row.hasher),
        (Column("implementation", flexible=True), library),
        (Column("cost", flexible=True), _cost),
        (Column("one hash"), _time),
        (Column("runs", right=True), _runs),
        (Column("last"), lambda row: f"{row.last:%d %b}"),
        title=_title(past),
    )


def _title(past: MachinePast) -> str:
    """The machine, its runs and the probe of its core."""
    here = "This machine" if past.here else "Another machine"
    lines = [
        f"{here}: {past.machine.replace(' | ', ', ')}",
        f"{counted(past.runs, 'run', 'runs')}, the last at {minute(past.last)} UTC",
    ]
    if past.quiet_ratio is not None:
        lines[1] += f"; core probe when quiet: {past.quiet_ratio:.3f}"
    return "\n".join(lines)


def _cost(row: HasherPast) -> str:
    return "a unit of work" if row.params is None else format_setting(row.params)


def _runs(row: HasherPast) -> str:
    return f"{row.runs - row.ignored}/{row.runs}" if row.ignored else str(row.runs)


def _time(row: HasherPast) -> str:
    ends = row.interval_seconds
    spread = plus_minus(None) if ends is None else farther_end(row.time_seconds, ends)
    return f"{aligned(row.time_seconds)} {spread}"
