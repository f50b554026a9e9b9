"""INI files, as they are met in the wild."""

from __future__ import annotations

import configparser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashcost.apps.ini import entries, is_ini, read_section
from hashcost.apps.text import Entry
from hashcost.core.errors import UnreadableInputError


@pytest.mark.parametrize(
    ("text", "listed"),
    [
        ("A = b ; c\n; D = 1\n[s]\nE:f\n", [("A", "b", 1, ""), ("E", "f", 4, "s")]),
        ("[s]\nA=1\n[t]\n[s]\nA=2 # c\n", [("A", "1", 2, "s"), ("A", "2", 5, "s")]),
        ("[mysqld]\nbare\n  rounds = 5000\n!includedir /etc\n", [("rounds", "5000", 3, "mysqld")]),
        ("[a]\nKey = 10%(x)s%\n", [("Key", "10%(x)s%", 2, "a")]),
    ],
)
def test_an_entry_has_its_section_and_line(
    text: str, listed: list[tuple[str, str, int, str]]
) -> None:
    """Above the first section, in repeated ones, indented; nothing is interpolated."""
    assert [Entry(*entry) for entry in listed] == list(entries(text))


def test_a_section_has_its_options_and_those_of_default() -> None:
    """Names lose their case, a doubled percent sign is one."""
    text = "[DEFAULT]\nA = 1\nb = 2\n[x]\nB = 3%% ; no comment,\n  # one\n\n  4\n[y]\nc = 5\n"
    assert read_section(text, "x") == {
        "a": Entry("A", "1", 2, "DEFAULT"),
        "b": Entry("B", "3% ; no comment,\n4", 5, "x"),
    }
    assert read_section(text, "z") == {}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[x]\nb = 1\nB = 2\n", "line 3: B is set twice"),
        ("b = 1\n[x]\n", "line 1: b stands above the first section"),
        ("[x]\nb\n", "line 2: not INI: neither a section nor a key"),
    ],
)
def test_a_section_that_python_refuses_is_refused(text: str, message: str) -> None:
    """An option that comes again, and a key without a value, name their line."""
    with pytest.raises(UnreadableInputError) as caught:
        read_section(text, "x")
    assert message == str(caught.value)


@pytest.mark.parametrize(
    ("text", "answer"),
    [("# a\n; b\n\n [x] ; y\nb = 1\n", True), ("b = 1\n[x]\n", False), ("", False), ("[]", False)],
)
def test_ini_begins_with_a_section(text: str, *, answer: bool) -> None:
    """The first line that says something opens a section."""
    assert answer is is_ini(text)


_LINES = st.sampled_from(
    ["[a]", "[b]", "k = 1", "k: 2 = 3", "  l = 4", " deep", "# c", "", "l = 5 ; d", "m ="]
)


@given(st.lists(_LINES, max_size=12).map("\n".join))
def test_what_python_reads_is_read_alike(text: str) -> None:
    """Each option of a section has the value that configparser gives it, but for empty lines."""
    parser = configparser.RawConfigParser()
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    try:
        parser.read_string(text)
    except configparser.Error:
        return
    for section in parser.sections():
        expected = {
            name: "\n".join(filter(None, value.split("\n")))
            for name, value in parser.items(section)
        }
        options = read_section(text, section)
        assert expected == {option.name: option.value for option in options.values()}
