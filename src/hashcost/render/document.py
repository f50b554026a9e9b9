"""The output of a command, independent of the format: words, tables, records, a value."""

import operator
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias, TypeVar

import msgspec

from hashcost.core.severity import Severity

Scalar: TypeAlias = str | int | float | bool | None
_Shown = TypeVar("_Shown")
Fields: TypeAlias = Mapping[str, Callable[[_Shown], Scalar]]
"""The columns of CSV, in order: each with its value of one row."""


class Column(msgspec.Struct, frozen=True):
    """A column of the grid; only a ``flexible`` one may break its text over lines.

    Those that may go ``below`` move to lines under the rows of a table that would otherwise be
    too wide, the last one first.
    """

    title: str
    right: bool = False
    flexible: bool = False
    bold: bool = False
    below: bool = False


class Table(msgspec.Struct, frozen=True, kw_only=True):
    """Rows of formatted text, with a title if they need one."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    title: str = ""


def table(
    shown: Iterable[_Shown], *columns: tuple[Column, Callable[[_Shown], str]], title: str = ""
) -> Table:
    """A table with a row for each value that is shown, and columns beside their cells.

    A column that is ``flexible`` or may go ``below`` is left out if it is empty.
    """
    values = list(shown)
    columns = tuple(
        (column, cell)
        for column, cell in columns
        if not (column.flexible or column.below) or any(map(cell, values))
    )
    return Table(
        title=title,
        columns=tuple(column for column, _ in columns),
        rows=tuple(tuple(cell(value) for _, cell in columns) for value in values),
    )


def own(*names: str) -> Fields[Any]:
    """Fields that have the names of the attributes they show."""
    return {name: operator.attrgetter(name) for name in names}


class Records(msgspec.Struct, frozen=True):
    """Flat records in base units, one for each line of CSV, and the names of their fields."""

    fields: tuple[str, ...] = ()
    rows: tuple[dict[str, Scalar], ...] = ()


def records(shown: Iterable[_Shown], fields: Fields[_Shown]) -> Records:
    """A record for each value that is shown."""
    rows = ({name: field(value) for name, field in fields.items()} for value in shown)
    return Records(tuple(fields), tuple(rows))


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
