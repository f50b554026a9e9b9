"""The output of a command, independent of the format: words, tables, records, a value."""

import datetime as dt
import enum
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import msgspec

from hashcost.core.severity import Severity
from hashcost.core.units import format_pairs

Scalar: TypeAlias = str | int | float | bool | None
Row: TypeAlias = tuple[str, ...]
Fields: TypeAlias = Mapping[str, str | Callable[[Any], Any]]
"""The columns of CSV, in order, each with its value of one row.

It is at the end of a path such as ``place.line`` or ``interval_seconds.0``, or calculated.
"""


class Column(msgspec.Struct, frozen=True):
    """A column of the grid; only a ``flexible`` one may break its text over lines.

    Those that may go ``below`` move to lines under the rows of a table that would otherwise be
    too wide, the last one first. One that ``stays`` is shown even if it is empty.
    """

    title: str
    right: bool = False
    flexible: bool = False
    bold: bool = False
    below: bool = False
    stays: bool = False


class Table(msgspec.Struct, frozen=True, kw_only=True):
    """Rows of formatted text, with a title if they need one."""

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    title: str = ""

    def only(self, indices: Sequence[int]) -> "Table":
        """The table with only these columns."""

        def picked(values: Sequence[Any]) -> tuple[Any, ...]:
            return tuple(values[index] for index in indices)

        rows = tuple(map(picked, self.rows))
        return Table(columns=picked(self.columns), rows=rows, title=self.title)


def table(columns: Sequence[Column], rows: Iterable[Row], title: str = "") -> Table:
    """Make a table, without the columns in which no row has anything.

    Args:
        columns: The columns that there may be.
        rows: A cell for each of these columns; an empty one for what a row does not have.
        title: The lines above it.
    """
    whole = Table(columns=tuple(columns), rows=tuple(rows), title=title)
    filled = []
    for index, column in enumerate(columns):
        # An empty column takes room that another may need.
        if column.stays or any(row[index] for row in whole.rows):
            filled.append(index)
    return whole.only(filled)


def own(*names: str) -> Fields:
    """Fields that have the names of the attributes they show."""
    return {name: name for name in names}


class Records(msgspec.Struct, frozen=True):
    """Flat records in base units, one for each line of CSV, and the names of their fields."""

    fields: tuple[str, ...] = ()
    rows: tuple[dict[str, Scalar], ...] = ()


def records(shown: Iterable[Any], fields: Fields) -> Records:
    """A record for each value that is shown."""
    rows = []
    for value in shown:
        record: dict[str, Scalar] = {}
        for name, field in fields.items():
            record[name] = _scalar(_found(value, field))
        rows.append(record)
    return Records(tuple(fields), tuple(rows))


def _found(value: Any, field: str | Callable[[Any], Any]) -> Any:
    """The value of a field; nothing if a value on the way is `None` or empty."""
    if not isinstance(field, str):
        return field(value)
    for step in field.split("."):
        if not value:
            return None
        match value:
            case dict():
                value = value[step]
            case tuple():
                value = value[int(step)]
            case _:
                value = getattr(value, step)
    return value


def _scalar(value: Any) -> Scalar:
    """Write a value for CSV: params as pairs, several texts with spaces between them."""
    match value:
        case enum.Enum():
            return _scalar(value.value)
        case dt.date():
            return value.isoformat()
        case dict():
            return format_pairs(value)
        case tuple() | list():
            return " ".join(value)
        case _:
            scalar: Scalar = value
            return scalar


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One cost that was checked, for the formats that other programs gather.

    ``rule`` is the stable name of the verdict, ``rule_help`` its meaning and cure in plain text,
    ``rule_page`` the paragraphs of its page in Markdown, ``seconds`` the time of one hash of the
    ``subject``. ``skipped``: the check could not tell, or it is ``accepted``.
    """

    rule: str
    rule_title: str
    rule_help: str
    rule_page: tuple[str, ...]
    severity: Severity
    subject: str
    message: str
    path: str | None = None
    line: int | None = None
    seconds: float | None = None
    skipped: bool = False
    accepted: str = ""
    """Until when a person has accepted it, and why."""
    in_source: bool = False
    """Whether a comment in its file says so."""


class Document(msgspec.Struct, frozen=True, kw_only=True):
    """The output for people (head, tables, notes, foot) and for programs.

    ``notes`` explain the tables, ``foot`` reports failures, and the ``answer`` at the end
    says what to do. CSV consists of the ``records`` and JSON of the ``value``; annotations,
    JUnit, SARIF and code quality reports consist of ``findings``.
    """

    tables: tuple[Table, ...]
    value: msgspec.Struct | tuple[msgspec.Struct, ...]
    records: Records = Records()
    head: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    foot: tuple[str, ...] = ()
    answer: tuple[str, ...] = ()
    short: tuple[str, ...] = ()
    """A line for each row, to paste."""
    findings: tuple[Finding, ...] = ()
