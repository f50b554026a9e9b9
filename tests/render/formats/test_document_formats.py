"""CSV, Markdown and the table: exact figures, whole at any width, and text that stays text."""

import csv
import io
import re
from typing import Final

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace

from hashcost.core.profile import Failure, Profile
from hashcost.core.text import escaped
from hashcost.render import render
from hashcost.render.commands.recommend import recommendation_document
from hashcost.render.document import Column, Document, Table
from measured import EVERY
from snapshots import Snapshot

ONE_EACH: Final = replace(
    EVERY,
    results=tuple(
        row
        for row in EVERY.results
        if row.label not in {"pbkdf2-sha256@cryptography", "bcrypt@libcrypt"}
    ),
)
printable: Final = st.text(st.characters(exclude_categories=("C", "Zl", "Zp")))


def document(table: Table, head: tuple[str, ...] = (), foot: tuple[str, ...] = ()) -> Document:
    """Only a table, and lines around it."""
    return Document(tables=(table,), head=head, foot=foot, value=())


def cells_document(*cells: str, around: tuple[str, ...] = ()) -> Document:
    """One row of these cells."""
    columns = tuple(Column(f"column {index}") for index in range(len(cells)))
    return document(Table(columns=columns, rows=(cells,)), around, around)


def guarded(text: str) -> str:
    """Text as it stands in a cell: not as a formula."""
    text = escaped(text)
    return f"'{text}" if text.startswith(("=", "+", "-", "@")) else text


@given(seconds=st.floats(min_value=1e-9, max_value=60.0))
def test_figures_are_exact(seconds: float) -> None:
    """A time read back from CSV is the very float that was measured."""
    row = replace(EVERY.recommendations[0], time_seconds=seconds)
    text = render(recommendation_document(replace(EVERY, results=(row,))), "csv")
    (record,) = csv.DictReader(io.StringIO(text))

    assert seconds == float(record["time_seconds"])


@given(hasher=printable, error=printable)
@example("=cmd|' /C calc'!A0", "+1")
@example("@SUM(A1)", "-1")
def test_any_text_keeps_the_number_of_columns(hasher: str, error: str) -> None:
    """No name or reason adds a column or a line, or begins as a spreadsheet's formula."""
    row = Failure(hasher=hasher, implementation="b", code="unavailable", error=error)
    text = render(recommendation_document(replace(EVERY, results=(row,))), "csv")
    header, line = csv.reader(io.StringIO(text))

    assert len(header) == len(line)
    assert (guarded(hasher), guarded(error)) == (line[0], line[-1])


def cells(line: str) -> list[str]:
    """The cells of a pipe table's line, as GitHub splits them: an escaped pipe is text."""
    return [cell.strip() for cell in re.findall(r"((?:\\.|[^|\\])*)\|", line.removeprefix("|"))]


def test_markdown(snapshot: Snapshot) -> None:
    """A profile is its head, a pipe table with right-aligned figures, and its failures."""
    snapshot(render(recommendation_document(EVERY), "markdown"))


def test_markdown_is_escaped(snapshot: Snapshot) -> None:
    """Text that means something in Markdown or HTML is shown as it is written."""
    texts = (
        *("a|b", "a\\|b", "`code`", "<script>alert(1)</script>", "@octocat", "#1"),
        *("two\nlines\r\n# three", "[text](http://example.org)", "&lt;b&gt;"),
        "**bold** _slanted_ ~~gone~~",
    )
    snapshot(render(cells_document(*texts, around=texts), "markdown"))


@given(first=printable, second=printable)
def test_any_name_keeps_the_number_of_cells(first: str, second: str) -> None:
    """No name adds a cell, a line or a row to the table."""
    lines = render(cells_document(first, second), "markdown").splitlines()

    assert [2, 2, 2] == [len(cells(line)) for line in lines]


def table(profile: Profile, *, width: int, color: bool = False, solved_again: bool = False) -> str:
    """The profile's table."""
    shown = recommendation_document(profile, solved_again=solved_again)
    return render(replace(shown, answer=()), "table", width=width, color=color)


def test_only_colours_differ_between_terminal_and_pipe() -> None:
    """Colour adds escape codes and changes no character, column or line."""
    colored = table(EVERY, width=80, color=True)
    for code in ("0", "1", "2", "31"):
        colored = colored.replace(f"\x1b[{code}m", "")

    assert table(EVERY, width=80) == "\n".join(map(str.rstrip, colored.split("\n")))


def test_only_the_caller_decides_on_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    """Colour that was asked for is there, whatever the variables of the environment say."""
    colored = table(EVERY, width=80, color=True)
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.setenv(name, "1")
    assert colored == table(EVERY, width=80, color=True)
    assert "\x1b" not in table(EVERY, width=80)


@given(width=st.integers(min_value=1, max_value=200), every=st.booleans())
def test_never_cuts_a_figure(width: int, every: bool) -> None:
    """At any width each cost, time and comparison stands whole on one line."""
    shown = recommendation_document(EVERY if every else ONE_EACH)
    lines = render(shown, "table", width=width).splitlines()
    figures = [
        cell.strip()
        for drawn in shown.tables
        for row in drawn.rows
        for column, cell in zip(drawn.columns, row, strict=True)
        if not column.flexible
    ]

    assert [] == [figure for figure in figures if not any(figure in line for line in lines)]


@given(width=st.integers(min_value=80, max_value=200), every=st.booleans())
def test_no_line_is_wider_than_the_terminal(width: int, every: bool) -> None:
    """From 80 columns on, no line is longer than the terminal is wide."""
    lines = table(EVERY if every else ONE_EACH, width=width).splitlines()

    assert [] == [line for line in lines if len(line) > width]


def test_wide_characters_keep_columns_straight(snapshot: Snapshot) -> None:
    """A character that takes two columns of the terminal is counted as two."""
    shown = document(
        Table(
            columns=(Column("name"), Column("n", right=True)),
            rows=(("表計算", "1"), ("abc", "22")),
        )
    )

    snapshot(render(shown, "table", width=80))
