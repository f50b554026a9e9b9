"""The table: whole literals, widths that hold, and no figure ever cut."""

from __future__ import annotations

import re
from typing import Final

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashcost.core.profile import Profile, Rounding
from hashcost.documents.profile import load_profile
from hashcost.render import render
from hashcost.render.commands.recommend import recommendation_document
from hashcost.render.document import Column, Document, Row, Table
from made_up import PROFILE_FILE
from snapshots import Snapshot

EVERY: Final = load_profile(PROFILE_FILE)
"""Two implementations of two hashers, a row without an interval, two that failed."""

ONE_EACH: Final = msgspec.structs.replace(
    EVERY,
    results=tuple(
        row
        for row in EVERY.results
        if row.label not in {"pbkdf2-sha256@cryptography", "bcrypt@libcrypt"}
    ),
)


def table(profile: Profile, *, width: int, color: bool = False, solved_again: bool = False) -> str:
    """The profile's table."""
    document = recommendation_document(profile, solved_again=solved_again)
    document = msgspec.structs.replace(document, answer=())
    return render(document, "table", width=width, color=color)


def grid(text: str) -> str:
    """What stands between the first empty line and the next."""
    return text.split("\n\n")[1] + "\n"


def test_fills_80_columns(snapshot: Snapshot) -> None:
    """In 80 columns every figure stands on its row, failures stand below with their reasons."""
    snapshot(table(ONE_EACH, width=80))


def test_compares_implementations_at_80_columns(snapshot: Snapshot) -> None:
    """Where one hasher ran in several implementations, their work stands in 80 columns too."""
    snapshot(grid(table(EVERY, width=80)))


@pytest.mark.parametrize(
    ("code", "text"),
    [
        pytest.param("1", "cost=9", id="the cost is bold"),
        pytest.param("2", "hasher", id="titles are dim"),
        pytest.param("2", "cost=10 next", id="explanations are dim"),
        pytest.param("31", "pbkdf2-sha1@hashlib", id="failures are red"),
    ],
)
def test_colours_for_a_terminal(code: str, text: str) -> None:
    """On a terminal the cost is bold, titles and explanations are dim, failures are red."""
    colored = table(EVERY, width=80, color=True)

    assert re.search(rf"\x1b\[{code}m *{re.escape(text)}", colored)


def test_only_colours_differ_between_terminal_and_pipe() -> None:
    """Colour adds escape codes and changes no character, column or line."""
    colored = table(EVERY, width=80, color=True)
    for code in ("0", "1", "2", "31"):
        colored = colored.replace(f"\x1b[{code}m", "")

    assert table(EVERY, width=80) == "\n".join(map(str.rstrip, colored.split("\n")))


@pytest.mark.parametrize(
    ("rounding", "words"),
    [
        (Rounding.DOWN, "at most"),
        (Rounding.UP, "at least"),
        (Rounding.NEAREST, "as close as possible to"),
    ],
)
def test_says_which_way_it_rounds(rounding: Rounding, words: str) -> None:
    """The first line says on which side of the target the costs lie."""
    profile = msgspec.structs.replace(ONE_EACH, rounding=rounding)

    assert f"One hash in {words} 40.0 ms" == table(profile, width=80).partition(",")[0]


@given(width=st.integers(min_value=1, max_value=200), every=st.booleans())
def test_never_cuts_a_figure(width: int, every: bool) -> None:
    """At any width each cost, time and comparison stands whole on one line."""
    document = recommendation_document(EVERY if every else ONE_EACH)
    lines = render(document, "table", width=width).splitlines()
    figures = [
        cell.strip()
        for shown in document.tables
        for row in shown.rows
        for column, cell in zip(shown.columns, row.cells, strict=True)
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
    document = Document(
        tables=(
            Table(
                columns=(Column("name"), Column("n", right=True)),
                rows=(Row(cells=("表計算", "1")), Row(cells=("abc", "22"))),
            ),
        ),
        fields=(),
        records=(),
        value=(),
    )

    snapshot(render(document, "table", width=80))


def test_only_what_is_flexible_is_wrapped() -> None:
    """Where the room does not suffice, a column that is not flexible stays on one line."""
    text = "some words that take more room than there is"
    document = Document(
        tables=(
            Table(
                columns=(Column("figure"), Column("words", flexible=True)),
                rows=(Row(cells=("12 345 678 MiB", text)),),
            ),
        ),
        fields=(),
        records=(),
        value=(),
    )
    for width in range(16, 60):
        assert "12 345 678 MiB" in render(document, "table", width=width, color=False)
