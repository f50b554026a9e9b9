"""From values to text, one file per format; nothing here writes or reads anything.

What a command has to show is a `Document`, built in ``commands/``; a format turns any
document into text. What several of them say is in ``wording.py``.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Final

from hashcost.render.boundary import shown
from hashcost.render.document import Document

FORMATS: Final = ("table", "json", "csv", "markdown", "github", "junit", "sarif", "gitlab")
"""The last four are made of findings, for other programs to gather: only a check has any."""


def render(document: Document, form: str, *, width: int = 80, color: bool = False) -> str:
    """The document as text in one of `FORMATS`, with a final newline.

    ``width`` and ``color`` are for the table; the other formats are the same everywhere.
    """
    module = import_module(f"{__name__}.formats.{form}_format")
    formatter: Callable[[Document, int, bool], str] = module.render
    return formatter(shown(document), width, color)
