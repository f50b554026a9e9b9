"""The boundary that every document passes on its way to a format: what others wrote is escaped.

The value of a document does not: JSON has escapes of its own.
"""

from collections.abc import Sequence
from typing import TypeVar

import msgspec
from msgspec.structs import replace

from hashcost.core.text import escaped
from hashcost.render.document import Document, Scalar, Table

_Struct = TypeVar("_Struct", bound=msgspec.Struct)


def shown(document: Document) -> Document:
    """The document with no character that would not be seen, or would steer a terminal."""
    return replace(
        document,
        head=_all(document.head),
        tables=tuple(map(_table, document.tables)),
        notes=_all(document.notes),
        foot=_all(document.foot),
        records=tuple(map(_record, document.records)),
        findings=tuple(map(_texts, document.findings)),
    )


def _all(texts: Sequence[str]) -> tuple[str, ...]:
    return tuple(map(escaped, texts))


def _table(table: Table) -> Table:
    return Table(
        title="\n".join(map(escaped, table.title.split("\n"))),
        columns=tuple(map(_texts, table.columns)),
        rows=tuple(replace(row, cells=_all(row.cells)) for row in table.rows),
    )


def _record(record: dict[str, Scalar]) -> dict[str, Scalar]:
    return {
        name: escaped(value) if isinstance(value, str) else value for name, value in record.items()
    }


def _texts(struct: _Struct) -> _Struct:
    """A value with each of its texts escaped."""
    fields = msgspec.structs.asdict(struct)
    return replace(
        struct, **{name: escaped(each) for name, each in fields.items() if isinstance(each, str)}
    )
