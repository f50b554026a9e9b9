"""The table for a terminal, a pipe or a file."""

from __future__ import annotations

import io
import re
import textwrap
from collections.abc import Sequence

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from hashcost.render.document import Column, Document

_GAP = 2
"""Columns between two cells; rich puts it behind the last as well, where it is cut off."""
_KEPT = "\ue000"
"""Stands for a space that no line may be broken at: rich breaks at every white space."""


def render(document: Document, width: int, color: bool) -> str:
    """The document's head, grid and foot, no line wider than needed.

    A figure is never cut: where the width does not do, text breaks at spaces and
    the table grows wider than asked for as a last resort.
    """
    widths = _column_widths(document, width)
    width = max(width, sum(widths) + _GAP * (len(widths) - 1))
    console = _console(width + _GAP, color)
    for line in document.head:
        console.print(Text("\n".join(textwrap.wrap(line, width))))
    if document.rows:
        if document.head:
            console.print()
        console.print(_table(document, widths))
    if document.foot:
        console.print()
        for line in document.foot:
            wrapped = textwrap.wrap(line, width, subsequent_indent="  ", break_on_hyphens=False)
            console.print(Text("\n".join(wrapped), "red"))
    lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    return "".join(line.rstrip().replace(_KEPT, " ") + "\n" for line in lines)


def _table(document: Document, widths: Sequence[int]) -> Table:
    table = Table(box=None, padding=(0, _GAP, 0, 0), pad_edge=False, header_style="dim")
    for column, width in zip(document.columns, widths, strict=True):
        table.add_column(
            Text(column.title),
            justify="right" if column.right else "left",
            no_wrap=not column.flexible,
            overflow="fold",
            width=width,
        )
    for row in document.rows:
        table.add_row(
            *(
                Text(_cell(column, cell), "dim" if row.aside else "bold" if column.bold else "")
                for column, cell in zip(document.columns, row.cells, strict=True)
            )
        )
    return table


def _cell(column: Column, text: str) -> str:
    return re.sub("(?<!,) ", _KEPT, text) if column.pairs else text


def _column_widths(document: Document, width: int) -> list[int]:
    """Wide enough for every cell; where that is too much, flexible columns are narrower.

    Those of pairs give way first, and none to less than its longest word.
    """
    texts = [
        [column.title, *(_cell(column, row.cells[index]) for row in document.rows)]
        for index, column in enumerate(document.columns)
    ]
    widths = [max(map(cell_len, column)) for column in texts]
    excess = sum(widths) + _GAP * (len(widths) - 1) - width
    flexible = [index for index, column in enumerate(document.columns) if column.flexible]
    for index in sorted(flexible, key=lambda index: not document.columns[index].pairs):
        least = max(cell_len(word) for text in texts[index] for word in (*text.split(), ""))
        wanted = max(least, widths[index] - max(excess, 0))
        lines = [line for text in texts[index] for line in _broken(text, wanted)]
        excess += max(map(cell_len, lines)) - widths[index]
        widths[index] = max(map(cell_len, lines))
    return widths


def _broken(text: str, width: int) -> list[str]:
    """The lines that rich breaks a text into: at spaces alone."""
    return textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False) or [""]


def _console(width: int, color: bool) -> Console:
    return Console(
        file=io.StringIO(),
        width=width,
        force_terminal=color,
        color_system="standard" if color else None,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
        _environ={},
    )
