"""The table for a terminal, a pipe or a file."""

import io
import textwrap
from collections.abc import Collection, Iterator, Sequence
from typing import Final, Literal

from msgspec.structs import replace
from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.table import Table as RichTable
from rich.text import Text

from hashcost.render.document import Column, Document, Table
from hashcost.render.wording import folded

_GAP: Final = 2
"""Columns between two cells, one in a table that would be too wide; rich puts them behind the
last as well, where they are cut off."""
_INDENT: Final = "  "
_TITLE_STYLE: Final = "dim"
_NEVER_REACHED: Final = 1 << 16
"""Columns of rich's console: lines are broken before it prints them."""


def render(document: Document, width: int, color: bool) -> str:
    """The document's head, tables, notes, foot and answer.

    Text breaks only at spaces, and no figure breaks: only what has no space to break at, or is
    one figure, is wider than ``width``.
    """
    console = Console(
        file=io.StringIO(),
        width=_NEVER_REACHED,
        force_terminal=color,
        color_system="standard" if color else None,
        legacy_windows=False,
        emoji=False,
        markup=False,
        highlight=False,
        _environ={},
    )
    blocks: list[Sequence[RenderableType]] = [
        [_wrapped(line, width, "") for line in document.head]
    ]
    for table in document.tables:
        if table.rows:
            title = [_wrapped(line, width, "") for line in table.title.splitlines()]
            blocks.append([*title, *_drawn(table, width)])
    blocks.append([_wrapped(line, width, "") for line in document.notes])
    blocks.append([_wrapped(line, width, "red") for line in document.foot])
    blocks.append([_wrapped(line, width, "bold") for line in document.answer])
    for index, block in enumerate(filter(None, blocks)):
        console.print(*([""] if index else []), *block, sep="\n")
    lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    return "".join(line.rstrip() + "\n" for line in lines)


def _wrapped(line: str, width: int, style: str) -> Text:
    return Text("\n".join(folded(line, width)), style)


def _drawn(table: Table, width: int) -> Iterator[RenderableType]:
    """The table in the first of three layouts that fits.

    A row is a line; or the cells of columns that may go below, those of the last column first,
    move to a text below each row; or a row is a list with a line for each of its cells.
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
    if _total(widths, gap) <= width:
        yield from _grids(narrower, widths, gap, _below(table, moved, width))
        return
    for row in table.rows:
        yield from _list(table.columns, row, width)


def _without(table: Table, moved: Collection[int]) -> Table:
    """The table without these columns."""
    kept = [index for index in range(len(table.columns)) if index not in moved]
    return replace(
        table,
        columns=tuple(table.columns[index] for index in kept),
        rows=tuple(tuple(row[index] for index in kept) for row in table.rows),
    )


def _below(table: Table, moved: Sequence[int], width: int) -> list[Text]:
    """The cells of these columns, as a text to stand below each row, and one below the titles.

    A setting needs its title; a place or a reason is known for what it is, and saves a line.
    """
    columns = [table.columns[index] for index in moved]
    is_bold = any(column.bold for column in columns)
    title = ": ".join(column.title for column in columns if column.bold)
    texts = [Text(title and _INDENT + title, _TITLE_STYLE)]
    for row in table.rows:
        cells = [row[index] for index in moved if row[index]]
        lines = folded(": ".join(cells), max(width - len(_INDENT), 1))
        style = "bold" if is_bold else ""
        texts.append(Text("\n".join(_INDENT + line for line in lines), style))
    return texts


def _list(columns: Sequence[Column], row: Sequence[str], width: int) -> Iterator[Text]:
    """The first cell of a row, and below it each other cell with its title."""
    yield Text("\n".join(folded(row[0], width)), _style(columns[0]))
    labelled = max(cell_len(column.title) for column in columns)
    for column, text in _titled(columns[1:], row[1:]):
        label = f"{_INDENT}{column.title:{labelled}}  "
        if cell_len(label) + cell_len(text) <= width:
            yield Text.assemble((label, _TITLE_STYLE), (text, _style(column)))
            continue
        if column.title:
            yield Text(_INDENT + column.title, _TITLE_STYLE)
        lines = folded(text, max(width - 2 * len(_INDENT), 1), "") if column.flexible else [text]
        yield Text("\n".join(2 * _INDENT + line for line in lines), _style(column))


def _titled(columns: Sequence[Column], cells: Sequence[str]) -> list[tuple[Column, str]]:
    """The cells that hold something; one without a title follows the cell that it belongs to."""
    titled: list[tuple[Column, str]] = []
    for column, cell in zip(columns, cells, strict=True):
        text = cell.strip()
        if titled and not column.title:
            titled[-1] = titled[-1][0], f"{titled[-1][1]}  {text}".rstrip()
        elif text:
            titled.append((column, text))
    return titled


def _style(column: Column) -> str:
    return "bold" if column.bold else ""


def _total(widths: Sequence[int], gap: int) -> int:
    return sum(widths) + gap * (len(widths) - 1)


def _grids(
    table: Table, widths: Sequence[int], gap: int, below: Sequence[Text]
) -> Iterator[RenderableType]:
    """The titles and the rows, each with the text below it."""
    titles = [column.title for column in table.columns]
    of_titles, *of_rows = below
    if any(titles):
        styles = [_TITLE_STYLE] * len(titles)
        yield _grid(table.columns, titles, styles, widths, gap, vertical="bottom")
        if of_titles.plain:
            yield of_titles
    styles = [_style(column) for column in table.columns]
    for row, text in zip(table.rows, of_rows, strict=True):
        yield _grid(table.columns, row, styles, widths, gap, vertical="top")
        if text.plain:
            yield text


def _grid(
    columns: Sequence[Column],
    cells: Sequence[str],
    styles: Sequence[str],
    widths: Sequence[int],
    gap: int,
    *,
    vertical: Literal["top", "bottom"],
) -> RichTable:
    """One row of cells as wide as these columns; ``vertical`` is where a short one stands."""
    grid = RichTable.grid(padding=(0, gap, 0, 0))
    for column, width in zip(columns, widths, strict=True):
        justify: Literal["right", "left"] = "right" if column.right else "left"
        grid.add_column(justify=justify, width=width, vertical=vertical)
    grid.add_row(*map(Text, cells, styles))
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
