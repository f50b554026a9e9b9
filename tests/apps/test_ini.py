"""INI files, as they are met in the wild."""

from __future__ import annotations

import pytest

from hashcost.apps.ini import entries, is_ini
from hashcost.apps.text import Entry


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


@pytest.mark.parametrize(
    ("text", "answer"),
    [("# a\n; b\n\n [x] ; y\nb = 1\n", True), ("b = 1\n[x]\n", False), ("", False), ("[]", False)],
)
def test_ini_begins_with_a_section(text: str, *, answer: bool) -> None:
    """The first line that says something opens a section."""
    assert answer is is_ini(text)
