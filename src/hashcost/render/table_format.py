"""The table for a terminal, a pipe or a file."""

from __future__ import annotations

import io
import textwrap

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from hashcost.render.document import Column, Document

_UNLIMITED = 10_000


def render(document: Document, width: int, color: bool) -> str:
    """The document's head, grid and foot, no line wider than needed.

    A figure is never cut: where the width does not do, text breaks at spaces and
    the table grows wider than asked for as a last resort.
    """
    table = _table(document)
    least = _console(_UNLIMITED, color).measure(table).minimum
    console = _console(max(width, least), color)
    for line in document.head:
        console.print(Text(line))
    if document.rows:
        if document.head:
            console.print()
        console.print(table)
    if document.foot:
        console.print()
        for line in document.foot:
            console.print(Text("\n".join(_wrapped(line, console.width)), "red"))
    lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    return "".join(line.rstrip() + "\n" for line in lines)


def _wrapped(line: str, width: int) -> list[str]:
    return textwrap.wrap(line, width, subsequent_indent="  ", break_on_hyphens=False)


def _table(document: Document) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    for column in document.columns:
        table.add_column(
            Text(column.title),
            justify="right" if column.right else "left",
            no_wrap=not column.flexible,
            overflow="fold",
            min_width=_least_width(column, document),
        )
    for row in document.rows:
        table.add_row(
            *(
                Text(cell, "dim" if row.aside else "bold" if column.bold else "")
                for column, cell in zip(document.columns, row.cells, strict=True)
            )
        )
    return table


def _least_width(column: Column, document: Document) -> int:
    """A flexible column may shrink to its longest word, any other not at all."""
    index = document.columns.index(column)
    texts = [column.title, *(row.cells[index] for row in document.rows)]
    pieces = [piece for text in texts for piece in (text.split() if column.flexible else [text])]
    return max(map(cell_len, pieces), default=0)


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
