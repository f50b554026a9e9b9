"""INI files, as they are met in the wild."""

from corpora import table
from hashcost.apps.ini import entries, is_ini
from hashcost.apps.text import Entry


@table("text, listed")
def test_an_entry_has_its_section_and_line(
    text: str, listed: list[tuple[str, str, int, str]]
) -> None:
    """Above the first section, in repeated ones, indented; nothing is interpolated."""
    assert [Entry(*entry) for entry in listed] == list(entries(text))


@table("text, answer")
def test_ini_begins_with_a_section(text: str, *, answer: bool) -> None:
    """The first line that says something opens a section."""
    assert answer is is_ini(text)
