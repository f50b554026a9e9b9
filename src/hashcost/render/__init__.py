"""From values to text, one file per format. Pure.

A command's output is a `Document`, built in ``commands/``; a format turns any
document into text. Statements that several documents share are in ``wording.py``.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any, Final

import msgspec
from msgspec.structs import asdict, replace

from hashcost.core.text import escaped
from hashcost.render.document import Document, Table

FORMATS: Final = ("table", "json", "csv", "markdown", "github", "junit", "sarif", "gitlab")
"""The last four consist of findings for other programs; only a check has findings."""


def render(document: Document, form: str, *, width: int = 80, color: bool = False) -> str:
    """The document as text in one of `FORMATS` or as an HTML page, with a final newline.

    ``width`` and ``color`` are for the table; the other formats are the same everywhere.
    """
    module = import_module(f"{__name__}.formats.{form}_format")
    formatter: Callable[[Document, int, bool], str] = module.render
    return formatter(shown(document), width, color)


def shown(value: Any) -> Any:
    """Escape every character in a document that is invisible or could control a terminal.

    The document's own value is left as it is: JSON has its own escapes.
    """
    match value:
        case str():
            return escaped(value)
        case tuple():
            return tuple(map(shown, value))
        case dict():
            return {name: shown(field) for name, field in value.items()}
        case Table(title=title):
            lines = "\n".join(map(escaped, title.split("\n")))
            return replace(
                value, title=lines, columns=shown(value.columns), rows=shown(value.rows)
            )
        case msgspec.Struct():
            fields = asdict(value)
            if isinstance(value, Document):
                del fields["value"]
            return replace(value, **shown(fields))
        case _:
            return value
