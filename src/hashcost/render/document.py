"""The output of a command, independent of the format: words, tables, records, a value."""

import datetime as dt
import enum
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

import msgspec

from hashcost.core.severity import Severity

Scalar: TypeAlias = str | int | float | bool | None
Row: TypeAlias = tuple[str, ...]
_Shown = TypeVar("_Shown")
Fields: TypeAlias = Mapping[str, Callable[[_Shown], Scalar]]
"""The columns of CSV, in order: each with its value of one row."""


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


def at(*steps: str | int) -> Callable[[Any], Scalar]:
    """The figure or text at the end of these steps, which are attributes or indices.

    Nothing where a step leads nowhere, because a value on the way is `None` or empty.
    """

    def figure(value: Any) -> Scalar:
        for step in steps:
            if not value:
                return None  # CSV has an empty cell for it.
            value = value[step] if isinstance(step, int) else getattr(value, step)
        if isinstance(value, enum.Enum):
            value = value.value
        elif isinstance(value, dt.date):
            value = value.isoformat()
        scalar: Scalar = value
        return scalar

    return figure


def own(*names: str) -> Fields[Any]:
    """Fields that have the names of the attributes they show."""
    return {name: at(name) for name in names}


class Records(msgspec.Struct, frozen=True):
    """Flat records in base units, one for each line of CSV, and the names of their fields."""

    fields: tuple[str, ...] = ()
    rows: tuple[dict[str, Scalar], ...] = ()


def records(shown: Iterable[_Shown], fields: Fields[_Shown]) -> Records:
    """A record for each value that is shown."""

    def record(value: _Shown) -> dict[str, Scalar]:
        return {name: field(value) for name, field in fields.items()}

    return Records(tuple(fields), tuple(map(record, shown)))


class Suppressed(msgspec.Struct, frozen=True, kw_only=True):
    """Why a person has accepted a finding, and whether a comment in its file says so."""

    why: str
    in_source: bool


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One cost that was checked, for the formats that other programs gather.

    ``rule`` is the stable name of the verdict, ``rule_help`` its meaning and cure in plain text,
    ``rule_page`` the paragraphs of its page in Markdown, ``seconds`` the time of one hash of the
    ``subject``. ``skipped``: the check could not tell, or it is ``suppressed``.
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
    suppressed: Suppressed | None = None


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
