"""Markdown: a whole literal, and text that cannot become anything but text."""

from __future__ import annotations

import re
from typing import Final

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashcost.core.profile import Rounding
from hashcost.documents.profile import load_profile
from hashcost.recommend.recommendation import solve_again
from hashcost.render import render
from hashcost.render.commands.recommend import recommendation_document
from hashcost.render.document import Column, Document, Row, Table
from made_up import PROFILE_FILE
from snapshots import Snapshot

PROFILE: Final = load_profile(PROFILE_FILE)

printable: Final = st.text(st.characters(exclude_categories=("C", "Zl", "Zp")))


def document(*cells: str, head: tuple[str, ...] = (), foot: tuple[str, ...] = ()) -> Document:
    """One row of these cells."""
    return Document(
        tables=(
            Table(
                columns=tuple(Column(f"column {index}") for index in range(len(cells))),
                rows=(Row(cells=cells),),
            ),
        ),
        head=head,
        foot=foot,
        fields=(),
        records=(),
        value=(),
    )


def cells(line: str) -> list[str]:
    """The cells of a pipe table's line, as GitHub splits them: an escaped pipe is text."""
    return [cell.strip() for cell in re.findall(r"((?:\\.|[^|\\])*)\|", line.removeprefix("|"))]


def test_whole_profile(snapshot: Snapshot) -> None:
    """A profile is its head, a pipe table with right-aligned figures, and its failures."""
    snapshot(render(recommendation_document(PROFILE), "markdown"))


def test_solved_again(snapshot: Snapshot) -> None:
    """What is solved from a profile says so, and failures alone need no table."""
    again = solve_again(PROFILE, 0.0001, Rounding.DOWN)
    first = msgspec.structs.replace(again, results=again.results[:1])

    snapshot(render(recommendation_document(first, solved_again=True), "markdown"))


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("a|b", "a\\|b"),
        ("a\\|b", "a\\\\\\|b"),
        ("`code`", "\\`code\\`"),
        ("<script>alert(1)</script>", "\\<script\\>alert(1)\\</script\\>"),
        ("@octocat", "&#64;octocat"),
        ("two\nlines\r\n# three", "two\\\\nlines\\\\r\\\\n\\# three"),
        ("[text](http://example.org)", "\\[text\\](http://example.org)"),
        ("**bold** _slanted_ ~~gone~~", "\\*\\*bold\\*\\* \\_slanted\\_ \\~\\~gone\\~\\~"),
        ("#1", "\\#1"),
        ("&lt;b&gt;", "&amp;lt;b&amp;gt;"),
    ],
)
def test_escapes(text: str, escaped: str) -> None:
    """Text that means something in Markdown or HTML is shown as it is written."""
    rendered = render(document(text, head=(text,), foot=(text,)), "markdown")

    assert (f"{escaped}\n\n| column 0 |\n| --- |\n| {escaped} |\n\n- {escaped}\n") == rendered


@given(first=printable, second=printable)
def test_any_name_keeps_the_number_of_cells(first: str, second: str) -> None:
    """No name adds a cell, a line or a row to the table."""
    lines = render(document(first, second), "markdown").splitlines()

    assert [2, 2, 2] == [len(cells(line)) for line in lines]
