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
    """Write the document in one of `FORMATS`, as short lines or as an HTML page.

    ``width``, in columns, and ``color`` are for the table; the other formats are the same
    everywhere. The text ends with a newline.
    """
    # A format is imported when it is asked for: rich and Jinja take long.
    module = import_module(f"{__name__}.formats.{form}_format")
    visible = shown(document)
    if form == "table":
        drawn: str = module.render(visible, width, color)
        return drawn
    formatter: Callable[[Document], str] = module.render
    return formatter(visible)


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
        case Table():
            # Only a table's title has several lines.
            lines = [escaped(line) for line in value.title.split("\n")]
            columns, rows = shown(value.columns), shown(value.rows)
            return replace(value, title="\n".join(lines), columns=columns, rows=rows)
        case Document():
            fields = asdict(value)
            del fields["value"]
            return replace(value, **shown(fields))
        case msgspec.Struct():
            return replace(value, **shown(asdict(value)))
        case _:
            return value
