"""The table for a terminal, a pipe or a file."""

import io
import textwrap
from collections.abc import Iterator, Sequence
from typing import Final

from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.table import Table as RichTable
from rich.text import Text

from hashcost.render.document import Column, Document, Row, Table
from hashcost.render.wording import folded

_GAP: Final = 2
"""Columns between two cells, one in a table that would be too wide; rich puts them behind the
last as well, where they are cut off."""
_INDENT: Final = "  "
_TITLE_STYLE: Final = "dim"
_NEVER_REACHED: Final = 1 << 16
"""Columns of rich's console: lines are broken before it prints them."""


def render(document: Document, width: int, color: bool) -> str:
    """Draw the document's head, tables, notes, foot and answer.

    Text breaks only at spaces, and no figure breaks: only what has no space to break at, or is
    one figure, is wider than ``width``, in columns.
    """
    blocks: list[list[RenderableType]] = [_wrapped(document.head, width)]
    for table in document.tables:
        if table.rows:
            title = _wrapped(table.title.splitlines(), width)
            blocks.append([*title, *_drawn(table, width)])
    blocks.append(_wrapped(document.notes, width))
    blocks.append(_wrapped(document.foot, width, "red"))
    blocks.append(_wrapped(document.answer, width, "bold"))
    lines: list[RenderableType] = []
    for block in filter(None, blocks):
        if lines:
            lines.append("")
        lines += block
    return _printed(lines, color)


def _printed(lines: Sequence[RenderableType], color: bool) -> str:
    """The text that rich prints, without the spaces at the end of each line."""
    text = io.StringIO()
    console = Console(
        file=text,
        width=_NEVER_REACHED,
        force_terminal=color,
        color_system="standard" if color else None,
        legacy_windows=False,
        emoji=False,
        markup=False,
        highlight=False,
        _environ={},
    )
    if lines:
        console.print(*lines, sep="\n")
    return "".join(f"{line.rstrip()}\n" for line in text.getvalue().splitlines())


def _wrapped(lines: Sequence[str], width: int, style: str = "") -> list[RenderableType]:
    return [Text("\n".join(folded(line, width)), style) for line in lines]


def _drawn(table: Table, width: int) -> Iterator[RenderableType]:
    """The table in the first of three layouts that fits.

    A row is a line; or the cells of columns that may go below, those of the last column first,
    move to a text below each row; or a row is a list with a line for each of its cells.
    """
    kept = list(range(len(table.columns)))
    moved: list[int] = []
    narrower = table
    widths, gap = _column_widths(table, width)
    for index in reversed(range(len(table.columns))):
        if _total(widths, gap) <= width:
            break
        if table.columns[index].below:
            # The others may be wider then: they are laid out anew.
            kept.remove(index)
            moved.insert(0, index)
            narrower = table.only(kept)
            widths, gap = _column_widths(narrower, width)
    if _total(widths, gap) <= width:
        yield from _grids(narrower, widths, gap, _below(table.only(moved), width))
        return
    for row in table.rows:
        yield from _list(table.columns, row, width)


def _below(moved: Table, width: int) -> list[Text]:
    """The cells that moved, as a text to stand below each row, and one below the titles.

    A setting needs its title; a place or a reason is known for what it is, and saves a line.
    """
    style = ""
    title = ": ".join(column.title for column in moved.columns if column.bold)
    if title:
        title = _INDENT + title
        style = "bold"
    texts = [Text(title, _TITLE_STYLE)]
    for row in moved.rows:
        text = ": ".join(filter(None, row))
        lines = folded(text, max(width - len(_INDENT), 1))
        texts.append(Text(_indented(lines), style))
    return texts


def _indented(lines: Sequence[str], indent: str = _INDENT) -> str:
    return "\n".join(indent + line for line in lines)


def _list(columns: Sequence[Column], row: Row, width: int) -> Iterator[Text]:
    """The first cell of a row, and below it each other cell with its title."""
    yield Text("\n".join(folded(row[0], width)), _style(columns[0]))
    # Cells that stand beside their titles begin in one column.
    title_width = max(cell_len(column.title) for column in columns)
    for column, text in _titled(columns[1:], row[1:]):
        label = f"{_INDENT}{column.title:{title_width}}  "
        if cell_len(label) + cell_len(text) <= width:
            yield Text.assemble((label, _TITLE_STYLE), (text, _style(column)))
            continue
        # The cell does not fit beside its title, so it stands below it.
        if column.title:
            yield Text(_INDENT + column.title, _TITLE_STYLE)
        lines = [text]
        if column.flexible:
            lines = folded(text, max(width - 2 * len(_INDENT), 1), "")
        yield Text(_indented(lines, 2 * _INDENT), _style(column))


def _titled(columns: Sequence[Column], cells: Row) -> list[tuple[Column, str]]:
    """The cells that hold something; one without a title follows the cell that it belongs to."""
    titled: list[tuple[Column, str]] = []
    for column, cell in zip(columns, cells, strict=True):
        text = cell.strip()
        if titled and not column.title:
            # Such as a unit, or the basis of a figure.
            owner, before = titled.pop()
            titled.append((owner, f"{before}  {text}".rstrip()))
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
    below_titles, *below_rows = below
    if any(column.title for column in table.columns):
        grid = _grid(table.columns, widths, gap)
        for column in grid.columns:
            column.vertical = "bottom"  # A short title stands right above its cells.
        grid.add_row(*(Text(column.title, _TITLE_STYLE) for column in table.columns))
        yield grid
        if below_titles.plain:
            yield below_titles
    styles = list(map(_style, table.columns))
    for row, text in zip(table.rows, below_rows, strict=True):
        # A grid a row, so that the text below a row need not fit a column.
        grid = _grid(table.columns, widths, gap)
        grid.add_row(*map(Text, row, styles))
        yield grid
        if text.plain:
            yield text


def _grid(columns: Sequence[Column], widths: Sequence[int], gap: int) -> RichTable:
    """A grid for one row of cells as wide as these columns."""
    grid = RichTable.grid(padding=(0, gap, 0, 0))
    for column, width in zip(columns, widths, strict=True):
        grid.add_column(justify="right" if column.right else "left", width=width)
    return grid


def _column_widths(table: Table, width: int) -> tuple[list[int], int]:
    """Wide enough for every cell; where that is too much, flexible columns are narrower.

    Titles break first, then the gap shrinks. Where cells must break as well, none is narrower
    than its longest word.
    """
    cells = list(zip(*table.rows, strict=True))
    gap = _GAP
    widths = _narrowed(table.columns, cells, width, gap, breaks_cells=False)
    if _total(widths, gap) > width:
        gap = 1
        widths = _narrowed(table.columns, cells, width, gap, breaks_cells=False)
    if _total(widths, gap) > width:
        gap = _GAP
        widths = _narrowed(table.columns, cells, width, gap, breaks_cells=True)
    return widths, gap


def _narrowed(
    columns: Sequence[Column],
    cells: Sequence[Sequence[str]],
    width: int,
    gap: int,
    *,
    breaks_cells: bool,
) -> list[int]:
    """The widths of the columns, flexible ones as narrow as they need to be or can be."""
    texts = [[column.title, *rest] for column, rest in zip(columns, cells, strict=True)]
    widths = [max(map(cell_len, of_column)) for of_column in texts]
    for index, column in enumerate(columns):
        # Columns before this one may have taken some of the excess already.
        excess = _total(widths, gap) - width
        if column.flexible and excess > 0:
            unbroken = column.title.split()
            if breaks_cells:
                unbroken += " ".join(cells[index]).split()
            else:
                unbroken += cells[index]
            least = max(map(cell_len, unbroken), default=1)
            wanted = max(least, widths[index] - excess, 1)
            widths[index] = _broken_width(texts[index], wanted)
    return widths


def _broken_width(texts: Sequence[str], width: int) -> int:
    """The width of the widest line if texts break at spaces, as rich breaks them."""
    # Its lines are those that rich prints in a column of this width.
    breaker = textwrap.TextWrapper(width, break_long_words=False, break_on_hyphens=False)
    widest = 0
    for text in texts:
        for line in breaker.wrap(text):
            widest = max(widest, cell_len(line))
    return widest
