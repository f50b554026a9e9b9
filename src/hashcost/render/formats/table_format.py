"""The table for a terminal, a pipe or a file."""

import io
import textwrap
from collections.abc import Iterator, Sequence
from typing import TypeVar

from msgspec.structs import replace
from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.table import Table as RichTable
from rich.text import Text

from hashcost.render.document import Document, Table
from hashcost.render.wording import folded

_GAP = 2
"""Columns between two cells; rich puts it behind the last as well, where it is cut off."""

_Item = TypeVar("_Item")


def render(document: Document, width: int, color: bool) -> str:
    """The document's head, tables, notes, foot and answer.

    No figure is cut: text breaks at spaces, and a table may exceed the width at last.
    """
    tables = [_fitting(table, width) for table in document.tables if table.rows]
    widths = [_column_widths(table, width) for table, _ in tables]
    widest = max([width, *map(_total, widths)])
    console = Console(
        file=io.StringIO(),
        width=widest + _GAP,
        force_terminal=color,
        color_system="standard" if color else None,
        legacy_windows=False,
        _environ={},
    )
    blocks: list[Sequence[RenderableType]] = [
        [Text("\n".join(textwrap.wrap(line, width))) for line in document.head]
    ]
    for (table, below), column_widths in zip(tables, widths, strict=True):
        title = [_wrapped(line, width, "") for line in table.title.splitlines()]
        blocks.append([*title, *_grids(table, below, column_widths)])
    blocks.append([_wrapped(line, width, "") for line in document.notes])
    blocks.append([_wrapped(line, width, "red") for line in document.foot])
    blocks.append([_wrapped(line, width, "bold") for line in document.answer])
    for index, block in enumerate(filter(None, blocks)):
        console.print(*([""] if index else []), *block, sep="\n")
    lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    return "".join(line.rstrip() + "\n" for line in lines)


def _wrapped(line: str, width: int, style: str) -> Text:
    return Text("\n".join(folded(line, width)), style)


def _fitting(table: Table, width: int) -> tuple[Table, tuple[Text, ...]]:
    """The table, without what stands below its rows if it is too wide with that; and that."""
    below = [index for index, column in enumerate(table.columns) if column.below]
    if not below or _total(_column_widths(table, width)) <= width:
        return table, ()
    (index,) = below
    style = "bold" if table.columns[index].bold else ""
    lines = tuple(
        Text(f"  {row.cells[index]}" if row.cells[index] else "", style) for row in table.rows
    )
    return (
        replace(
            table,
            columns=_without(table.columns, index),
            rows=tuple(replace(row, cells=_without(row.cells, index)) for row in table.rows),
        ),
        lines,
    )


def _without(items: tuple[_Item, ...], index: int) -> tuple[_Item, ...]:
    return (*items[:index], *items[index + 1 :])


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + _GAP * (len(widths) - 1)


def _grids(
    table: Table, below: tuple[Text, ...], widths: Sequence[int]
) -> Iterator[RenderableType]:
    """The table as one grid; or, where something stands below its rows, as one for each."""
    if not below:
        yield _grid(table, widths)
        return
    for number, (row, line) in enumerate(zip(table.rows, below, strict=True)):
        yield _grid(replace(table, rows=(row,)), widths, headed=number == 0)
        if line.plain:
            yield line


def _grid(table: Table, widths: Sequence[int], *, headed: bool = True) -> RichTable:
    grid = RichTable(
        box=None,
        padding=(0, _GAP, 0, 0),
        pad_edge=False,
        header_style="dim",
        show_header=headed and any(column.title for column in table.columns),
    )
    for column, width in zip(table.columns, widths, strict=True):
        grid.add_column(
            Text(column.title),
            justify="right" if column.right else "left",
            width=width,
        )
    for row in table.rows:
        grid.add_row(
            *(
                Text(cell, "dim" if row.aside else "bold" if column.bold else "")
                for column, cell in zip(table.columns, row.cells, strict=True)
            )
        )
    return grid


def _column_widths(table: Table, width: int) -> list[int]:
    """Wide enough for every cell; where that is too much, flexible columns are narrower.

    Titles break first. Where cells must as well, none is narrower than its longest word.
    """
    whole = _widths_broken(table, width, cells=False)
    return whole if _total(whole) <= width else _widths_broken(table, width, cells=True)


def _widths_broken(table: Table, width: int, *, cells: bool) -> list[int]:
    """The widths where the titles of flexible columns break at spaces, or their cells too."""
    texts = [
        [column.title, *(row.cells[index] for row in table.rows)]
        for index, column in enumerate(table.columns)
    ]
    widths = [max(map(cell_len, column)) for column in texts]
    excess = _total(widths) - width
    flexible = [index for index, column in enumerate(table.columns) if column.flexible]
    for index in flexible:
        title, *rows = texts[index]
        words = (
            *title.split(),
            *(word for row in rows for word in (row.split() if cells else [row])),
        )
        least = max(map(cell_len, words), default=0)
        wanted = max(least, widths[index] - max(excess, 0))
        # As rich breaks a text: only at spaces.
        breaker = textwrap.TextWrapper(wanted, break_long_words=False, break_on_hyphens=False)
        lines = [line for text in texts[index] for line in breaker.wrap(text) or [""]]
        broken = max(map(cell_len, lines))
        excess += broken - widths[index]
        widths[index] = broken
    return widths
