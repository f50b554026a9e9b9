"""What `calibrate solve` shows: the cost that a published table answers with."""

from typing import Final

import msgspec

from hashcost.core.units import format_count, format_setting
from hashcost.render.document import Column, Document, Fields, Row, Table, own, records
from hashcost.render.wording import aligned, asked, fitted, timed
from hashcost.sweep.published.answer import TableAnswer, Unanswered

_FAR = 2.0
"""A target of so many times the longest time listed rests only on the fit."""


class Answers(msgspec.Struct, frozen=True, kw_only=True):
    """The answers of one table, one for each hasher in it."""

    schema: int
    source: str
    """The table's name."""
    columns: tuple[str, str]
    """Those that costs and times were read from."""
    answers: tuple[TableAnswer, ...]
    """At least one."""
    failures: tuple[Unanswered, ...] = ()


def answers_document(found: Answers, *, headed: bool) -> Document:
    """A row per hasher, the step on the other side of the target below it."""
    first = found.answers[0]
    of_costs, of_times = found.columns
    hashers = [*(row.hasher for row in found.answers), *(row.hasher for row in found.failures)]
    named = any(hashers)
    rows: list[Row] = []
    for answer in found.answers:
        name = (answer.hasher or "-",) if named else ()
        interval = answer.cost_interval
        ends = "-" if interval is None else " to ".join(map(str, dict.fromkeys(interval)))
        time = timed(answer.time_seconds, answer.error_fraction)
        rows.append(
            Row(cells=(*name, format_setting({answer.parameter: answer.cost}), ends, time))
        )
        if answer.next_cost is not None and answer.next_seconds is not None:
            step = f"{format_setting({answer.parameter: answer.next_cost})} next"
            blank = ("",) if named else ()
            rows.append(Row(cells=(*blank, step, "", aligned(answer.next_seconds)), aside=True))
    target = asked(first.target_seconds, first.rounding)
    return Document(
        head=(
            f"One hash in {target}, by the times in {found.source}",
            f"costs from the column {of_costs!r}, times from {of_times!r}"
            if headed
            else "the table has no header, so its columns are read as costs and seconds",
        ),
        tables=(
            Table(
                columns=(
                    *((Column("hasher"),) if named else ()),
                    Column("use this cost", bold=True),
                    Column("19 times of 20", right=True),
                    Column("one hash"),
                ),
                rows=tuple(rows),
            ),
        ),
        notes=tuple(note for answer in found.answers for note in _notes(answer, named=named)),
        foot=tuple(f"{row.hasher or '-'}: {row.error}" for row in found.failures),
        fields=(*_FIELDS, "error"),
        records=(
            *records(found.answers, _FIELDS),
            *records(found.failures, own("hasher", "error")),
        ),
        value=found,
    )


def _notes(answer: TableAnswer, *, named: bool) -> list[str]:
    notes = ["memory is not interpolated; the answer is one of the listed costs"]
    if answer.model is not None:
        residuals = (point.residual for point in answer.points)
        notes = [fitted(answer.model, answer.parameter, residuals)]
    if answer.beyond >= _FAR:
        notes.append(
            f"the target is {format_count(answer.beyond)} times the longest time listed: the"
            f" answer is extrapolated"
        )
    return [f"{answer.hasher or '-'}: {note}" for note in notes] if named else notes


_FIELDS: Final[Fields[TableAnswer]] = {
    **own("hasher", "parameter", "cost"),
    "low_cost": lambda answer: answer.cost_interval[0] if answer.cost_interval else None,
    "high_cost": lambda answer: answer.cost_interval[1] if answer.cost_interval else None,
    **own("confidence", "time_seconds", "next_cost", "next_seconds", "target_seconds"),
    "scale": lambda answer: answer.scale.value,
    "overhead_seconds": lambda answer: answer.model.overhead_seconds if answer.model else None,
    "seconds_per_unit": lambda answer: answer.model.seconds_per_unit if answer.model else None,
    "points": lambda answer: len(answer.points),
    "largest_residual": lambda answer: max(
        (abs(point.residual) for point in answer.points if point.residual is not None),
        default=None,
    ),
}
