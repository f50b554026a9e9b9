"""Text that others wrote, as it is shown."""

from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashcost.core.foreign import escaped, name_bytes, path_name, without_commands

ANY = st.text(st.characters())
PATHS = st.binary().map(os.fsdecode)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Zürich ±3 %", "Zürich ±3 %"),
        ("two  spaces ", "two  spaces "),
        (r"C:\Users", r"C:\Users"),
        ("a\nb\r\tc", r"a\nb\r\tc"),
        ("\x1b[2J\x7f\0", r"\x1b[2J\x7f\x00"),
        ("\x9b31m\xad", r"\u009b31m\u00ad"),
        ("\udcff", r"\xff"),
        ("\ud800", r"\ud800"),
        ("\u2028\u202e\ufeff", r"\u2028\u202e\ufeff"),
        ("\U000e0001", r"\U000e0001"),
        ("##[error]x ##vso[y]", r"\x23#[error]x \x23#vso[y]"),
        ("## Heading, #1 [2]", "## Heading, #1 [2]"),
    ],
)
def test_escapes(text: str, shown: str) -> None:
    """What would not be seen, or steers a terminal or a CI job, is told by its number."""
    assert shown == escaped(text)


@given(ANY)
def test_what_is_shown_is_visible_and_stays(text: str) -> None:
    """The result can be written anywhere, and nothing is escaped twice."""
    shown = escaped(text)
    assert shown.isprintable()
    assert shown.encode().decode() == shown
    assert shown == escaped(shown)


@given(PATHS)
def test_a_name_gives_its_bytes_back(path: str) -> None:
    """No two paths are shown alike."""
    assert os.fsencode(path) == name_bytes(path_name(path))
    assert path_name(path).isprintable()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("::error::x\n", "\\x3a:error::x\n"),
        ("a\n \t::add-mask::x", "a\n \t\\x3a:add-mask::x"),
        ("Foo::bar(::Baz)", "Foo::bar(::Baz)"),
        ("a ##[group]b", r"a \x23#[group]b"),
        ("\x1b[1mbold\x1b[0m\n", "\x1b[1mbold\x1b[0m\n"),
    ],
)
def test_no_line_is_a_command(text: str, shown: str) -> None:
    """Of lines only what a CI job would obey is changed."""
    assert shown == without_commands(text) == without_commands(shown)
