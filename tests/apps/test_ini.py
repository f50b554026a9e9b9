"""INI files, as they are met in the wild."""

from __future__ import annotations

import configparser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashcost.apps.ini import LARGEST, entries, is_ini, read_section
from hashcost.apps.text import Entry
from hashcost.core.errors import UnreadableInputError


def test_an_entry_has_its_section_and_line() -> None:
    """Entries above the first section and in repeated ones are read with their lines."""
    text = (
        "APP_NAME = Gitea ; a comment\n"
        "; PASSWORD_HASH_ALGO = nothing\n"
        "[security]\n"
        "PASSWORD_HASH_ALGO = pbkdf2$50000$50\n"
        "\n"
        "[server]\n"
        "DOMAIN: example.org\n"
        "[security]\n"
        "PASSWORD_HASH_ALGO=argon2 # again\n"
    )
    assert entries(text) == (
        Entry("APP_NAME", "Gitea", 1, ""),
        Entry("PASSWORD_HASH_ALGO", "pbkdf2$50000$50", 4, "security"),
        Entry("DOMAIN", "example.org", 7, "server"),
        Entry("PASSWORD_HASH_ALGO", "argon2", 9, "security"),
    )


def test_a_value_goes_on_in_indented_lines() -> None:
    """A value of several lines is one value, at the line that it begins on."""
    assert entries("[a]\nkey = one,\n  two\nother = x\n") == (
        Entry("key", "one,\ntwo", 2, "a"),
        Entry("other", "x", 4, "a"),
    )


def test_indented_keys_and_bare_ones_are_read_where_a_file_has_them() -> None:
    """Without folding, an indented line is a key of its own; a bare key is no entry."""
    text = "[mysqld]\nskip-name-resolve\n  rounds = 5000\n!includedir /etc/mysql/conf.d/\n"
    assert entries(text, folded=False, bare_keys=True) == (Entry("rounds", "5000", 3, "mysqld"),)


def test_nothing_is_interpolated() -> None:
    """A percent sign is a character; the names keep their case."""
    assert entries("[a]\nKey = 10%(x)s%\n") == (Entry("Key", "10%(x)s%", 2, "a"),)


def test_a_section_has_its_options_and_those_of_default() -> None:
    """Names lose their case, a doubled percent sign is one, and lines count from the given one."""
    text = "[DEFAULT]\nA = 1\nb = 2\n[x]\nB = 3%% ; no comment,\n  # one\n\n  4\n[y]\nc = 5\n"
    assert read_section(text, "x", first_line=11) == {
        "a": Entry("A", "1", 12, "DEFAULT"),
        "b": Entry("B", "3% ; no comment,\n\n4", 15, "x"),
    }
    assert read_section(text, "z") == {}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[x]\nb = 1\nB = 2\n", "line 13: B is set twice"),
        ("[x]\n[y]\n[x]\n", "line 13: section x appears twice"),
        ("b = 1\n[x]\n", "line 11: b stands above the first section"),
        ("[x]\nb\n", "line 12: not INI: neither a section nor a key"),
    ],
)
def test_a_section_that_python_refuses_is_refused(text: str, message: str) -> None:
    """An option or a section that comes again, and a key without a value, name their line."""
    with pytest.raises(UnreadableInputError) as caught:
        read_section(text, "x", first_line=11)
    assert message == str(caught.value)


@pytest.mark.parametrize(
    ("text", "answer"),
    [("# a\n; b\n\n [x] ; y\nb = 1\n", True), ("b = 1\n[x]\n", False), ("", False), ("[]", False)],
)
def test_ini_begins_with_a_section(text: str, *, answer: bool) -> None:
    """The first line that says something opens a section."""
    assert answer is is_ini(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[a]\nno value here\n", "line 2: not INI: neither a section nor a key"),
        ("[a]\nkey = 1\0\n", "not INI: it has a NUL character; remove it"),
        ("#" * (LARGEST + 1), f"this INI has more than {LARGEST:,} characters; shorten it"),
    ],
)
def test_what_is_no_ini_is_said_in_a_line(text: str, message: str) -> None:
    """Text that is not INI gives one line with the place."""
    with pytest.raises(UnreadableInputError) as caught:
        entries(text)
    assert message == str(caught.value)


_TEXT = st.lists(
    st.sampled_from(["[a]", "[", "]", "k", "=", ":", " ", "\n", "\t", ";", "#", "1", "\r", "é"])
    | st.text(max_size=5),
    max_size=40,
).map("".join)


@given(_TEXT)
def test_the_last_of_equal_keys_is_what_configparser_has(text: str) -> None:
    """The values are configparser's own."""
    parser = configparser.RawConfigParser(
        strict=False,
        default_section="\0",
        inline_comment_prefixes=("#", ";"),
        empty_lines_in_values=False,
    )
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    try:
        parser.read_string("\n".join(text.splitlines()))
        found = entries(text)
    except (configparser.Error, UnreadableInputError):
        return
    last = {(each.section, each.name): each.value for each in found}
    known = {(name, key): value for name in parser.sections() for key, value in parser.items(name)}
    assert {key: value.strip() for key, value in known.items()} == last
