"""From values to text, one file per format; nothing here writes or reads anything.

What a command has to show is a `Document`, built in ``commands/``; a format turns any
document into text. What several of them say is in ``wording.py``.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any, Final

import msgspec
from msgspec.structs import asdict, replace

from hashcost.core.text import escaped
from hashcost.render.document import Document, Table

FORMATS: Final = ("table", "json", "csv", "markdown", "github", "junit", "sarif", "gitlab")
"""The last four are made of findings, for other programs to gather: only a check has any."""


def render(document: Document, form: str, *, width: int = 80, color: bool = False) -> str:
    """The document as text in one of `FORMATS` or as an HTML page, with a final newline.

    ``width`` and ``color`` are for the table; the other formats are the same everywhere.
    """
    module = import_module(f"{__name__}.formats.{form}_format")
    formatter: Callable[[Document, int, bool], str] = module.render
    return formatter(shown(document), width, color)


def shown(document: Document) -> Document:
    """The document with no character that would not be seen, or would steer a terminal.

    Its value stays as it is: JSON has escapes of its own.
    """
    words: Document = _shown(replace(document, value=()))
    return replace(words, value=document.value)


def _shown(value: Any) -> Any:
    match value:
        case str():
            return escaped(value)
        case tuple():
            return tuple(map(_shown, value))
        case dict():
            return {name: _shown(field) for name, field in value.items()}
        case msgspec.Struct():
            fields = {name: _shown(field) for name, field in asdict(value).items()}
            if isinstance(value, Table):
                fields["title"] = "\n".join(map(escaped, value.title.split("\n")))
            return replace(value, **fields)
        case _:
            return value
