"""The table for a terminal, a pipe or a file."""

import io
import textwrap
from collections.abc import Collection, Iterator, Sequence

from msgspec.structs import replace
from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.table import Table as RichTable
from rich.text import Text

from hashcost.render.document import Column, Document, Table
from hashcost.render.wording import folded

_GAP = 2
"""Columns between two cells, one in a table that would be too wide; rich puts them behind the
last as well, where they are cut off."""
_INDENT = 2
"""Columns before a text below a row."""


def render(document: Document, width: int, color: bool) -> str:
    """The document's head, tables, notes, foot and answer.

    No figure is cut: text breaks at spaces, and as a last resort a table exceeds the width.
    """
    layouts = [_layout(table, width) for table in document.tables if table.rows]
    widest = max([width, *(_total(widths, _GAP) for _, widths, _, _ in layouts)])
    console = Console(
        file=io.StringIO(),
        width=widest + _GAP,
        force_terminal=color,
        color_system="standard" if color else None,
        legacy_windows=False,
        emoji=False,
        markup=False,
        highlight=False,
        _environ={},
    )
    blocks: list[Sequence[RenderableType]] = [
        [Text("\n".join(textwrap.wrap(line, width))) for line in document.head]
    ]
    for table, widths, gap, below in layouts:
        title = [_wrapped(line, width, "") for line in table.title.splitlines()]
        blocks.append([*title, *_grids(table, widths, gap, below)])
    blocks.append([_wrapped(line, width, "") for line in document.notes])
    blocks.append([_wrapped(line, width, "red") for line in document.foot])
    blocks.append([_wrapped(line, width, "bold") for line in document.answer])
    for index, block in enumerate(filter(None, blocks)):
        console.print(*([""] if index else []), *block, sep="\n")
    lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    return "".join(line.rstrip() + "\n" for line in lines)


def _wrapped(line: str, width: int, style: str) -> Text:
    return Text("\n".join(folded(line, width)), style)


def _layout(table: Table, width: int) -> tuple[Table, list[int], int, list[Text]]:
    """The table with the widths of its columns, the gap between them, and a text below each row.

    If the table is too wide, the cells of columns that may go below move to these texts, those
    of the last column first; otherwise they are empty.
    """
    narrower, moved = table, list[int]()
    widths, gap = _column_widths(table, width)
    for index in reversed(range(len(table.columns))):
        if _total(widths, gap) <= width:
            break
        if table.columns[index].below:
            moved.insert(0, index)
            narrower = _without(table, moved)
            widths, gap = _column_widths(narrower, width)
    is_bold = any(table.columns[index].bold for index in moved)
    style = "bold" if is_bold else ""
    below = []
    for row in table.rows:
        cells = [row[index] for index in moved if row[index]]
        lines = folded(": ".join(cells), max(width - _INDENT, 1))
        below.append(Text("\n".join(" " * _INDENT + line for line in lines), style))
    return narrower, widths, gap, below


def _without(table: Table, moved: Collection[int]) -> Table:
    """The table without these columns."""
    kept = [index for index in range(len(table.columns)) if index not in moved]
    return replace(
        table,
        columns=tuple(table.columns[index] for index in kept),
        rows=tuple(tuple(row[index] for index in kept) for row in table.rows),
    )


def _total(widths: Sequence[int], gap: int) -> int:
    return sum(widths) + gap * (len(widths) - 1)


def _grids(
    table: Table, widths: Sequence[int], gap: int, below: Sequence[Text]
) -> Iterator[RenderableType]:
    """A grid for each row, and the text below it."""
    for number, (row, line) in enumerate(zip(table.rows, below, strict=True)):
        yield _grid(table.columns, row, widths, gap, headed=number == 0)
        if line.plain:
            yield line


def _grid(
    columns: Sequence[Column], row: Sequence[str], widths: Sequence[int], gap: int, *, headed: bool
) -> RichTable:
    grid = RichTable(
        box=None,
        padding=(0, gap, 0, 0),
        pad_edge=False,
        header_style="dim",
        show_header=headed and any(column.title for column in columns),
    )
    for column, width in zip(columns, widths, strict=True):
        grid.add_column(
            Text(column.title), justify="right" if column.right else "left", width=width
        )
    styles = ["bold" if column.bold else "" for column in columns]
    grid.add_row(*map(Text, row, styles))
    return grid


def _column_widths(table: Table, width: int) -> tuple[list[int], int]:
    """Wide enough for every cell; where that is too much, flexible columns are narrower.

    Titles break first, then the gap shrinks. Where cells must break as well, none is narrower
    than its longest word.
    """
    texts = [
        [column.title, *(row[index] for row in table.rows)]
        for index, column in enumerate(table.columns)
    ]
    whole = [max(map(cell_len, column)) for column in texts]
    widths, gap = whole, _GAP
    for gap, breaks_cells in ((_GAP, False), (1, False), (_GAP, True)):
        widths = list(whole)
        for index, column in enumerate(table.columns):
            excess = _total(widths, gap) - width
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
        if _total(widths, gap) <= width:
            break
    return widths, gap
