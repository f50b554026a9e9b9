"""The table for a terminal, a pipe or a file."""

import io
import textwrap
from collections.abc import Iterator, Sequence

from msgspec.structs import replace
from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.table import Table as RichTable
from rich.text import Text

from hashcost.render.document import Column, Document, Row, Table
from hashcost.render.wording import folded

_GAP = 2
"""Columns between two cells; rich puts it behind the last as well, where it is cut off."""


def render(document: Document, width: int, color: bool) -> str:
    """The document's head, tables, notes, foot and answer.

    No figure is cut: text breaks at spaces, and a table may exceed the width at last.
    """
    layouts = [_layout(table, width) for table in document.tables if table.rows]
    widest = max([width, *(_total(widths) for _, widths, _ in layouts)])
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
    for table, widths, below in layouts:
        title = [_wrapped(line, width, "") for line in table.title.splitlines()]
        blocks.append([*title, *_grids(table, widths, below)])
    blocks.append([_wrapped(line, width, "") for line in document.notes])
    blocks.append([_wrapped(line, width, "red") for line in document.foot])
    blocks.append([_wrapped(line, width, "bold") for line in document.answer])
    for index, block in enumerate(filter(None, blocks)):
        console.print(*([""] if index else []), *block, sep="\n")
    lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    return "".join(line.rstrip() + "\n" for line in lines)


def _wrapped(line: str, width: int, style: str) -> Text:
    return Text("\n".join(folded(line, width)), style)


def _layout(table: Table, width: int) -> tuple[Table, list[int], list[Text]]:
    """The table with the widths of its columns, and a line below each row.

    If the table is too wide, the cells of one column move to these lines; otherwise they are
    empty.
    """
    widths = _column_widths(table, width)
    index = next((i for i, column in enumerate(table.columns) if column.below), None)
    if index is None or _total(widths) <= width:
        return table, widths, [Text()] * len(table.rows)
    style = "bold" if table.columns[index].bold else ""
    below = [Text(row.cells[index] and f"  {row.cells[index]}", style) for row in table.rows]
    kept = [i for i in range(len(table.columns)) if i != index]
    narrower = replace(
        table,
        columns=tuple(table.columns[i] for i in kept),
        rows=tuple(replace(row, cells=tuple(row.cells[i] for i in kept)) for row in table.rows),
    )
    return narrower, _column_widths(narrower, width), below


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + _GAP * (len(widths) - 1)


def _grids(table: Table, widths: Sequence[int], below: Sequence[Text]) -> Iterator[RenderableType]:
    """A grid for each row, and the line below it."""
    for number, (row, line) in enumerate(zip(table.rows, below, strict=True)):
        yield _grid(table.columns, row, widths, headed=number == 0)
        if line.plain:
            yield line


def _grid(
    columns: Sequence[Column], row: Row, widths: Sequence[int], *, headed: bool
) -> RichTable:
    grid = RichTable(
        box=None,
        padding=(0, _GAP, 0, 0),
        pad_edge=False,
        header_style="dim",
        show_header=headed and any(column.title for column in columns),
    )
    for column, width in zip(columns, widths, strict=True):
        grid.add_column(
            Text(column.title), justify="right" if column.right else "left", width=width
        )
    styles = ["bold" if column.bold else "" for column in columns]
    grid.add_row(*map(Text, row.cells, styles))
    return grid


def _column_widths(table: Table, width: int) -> list[int]:
    """Wide enough for every cell; where that is too much, flexible columns are narrower.

    Titles break first. Where cells must as well, none is narrower than its longest word.
    """
    texts = [
        [column.title, *(row.cells[index] for row in table.rows)]
        for index, column in enumerate(table.columns)
    ]
    whole = [max(map(cell_len, column)) for column in texts]
    widths = whole
    for breaks_cells in (False, True):
        if _total(widths) <= width:
            break
        widths = list(whole)
        for index, column in enumerate(table.columns):
            excess = _total(widths) - width
            if column.flexible and excess > 0:
                title, *cells = texts[index]
                words = [*title.split(), *(" ".join(cells).split() if breaks_cells else cells)]
                least = max(map(cell_len, words), default=0)
                # As rich breaks a text: only at spaces.
                breaker = textwrap.TextWrapper(
                    max(least, widths[index] - excess, 1),
                    break_long_words=False,
                    break_on_hyphens=False,
                )
                lines = [line for text in texts[index] for line in breaker.wrap(text)]
                widths[index] = max(map(cell_len, lines), default=0)
    return widths
