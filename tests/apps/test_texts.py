"""Command lines, INI files and PHP's arrays, as they are met in the wild."""

import pytest

from corpora import table
from hashcost.apps.commands import Command, commands, options
from hashcost.apps.ini import entries, is_ini
from hashcost.apps.php_values import php_values
from hashcost.apps.text import Entry
from hashcost.core.errors import UnreadError


@table("text, found")
def test_a_line_is_split_as_a_shell_does(text: str, found: list[list[str]]) -> None:
    """Each call of ``tool`` has the words that a shell would give it."""
    assert found == [[*each.words] for each in commands(text, "tool")]


def test_a_call_over_several_lines_begins_on_the_first() -> None:
    """A backslash at the end joins lines, and the first one's number is the call's."""
    (call,) = commands("\ntool \\\n  -a \\\n  1\n", "tool")
    assert call == Command(["-a", "1"], 2, called=True)


def test_a_line_beyond_any_command_is_not_passed_over() -> None:
    """A line of more than 4,096 characters that names the program is not read, and says so."""
    with pytest.raises(UnreadError, match=r"line 2 is longer than 4,096 characters"):
        list(commands("tool -a\ntool " + "-a " * 2000, "tool"))
    assert list(commands("true " * 2000, "tool")) == []


def test_options_are_read_as_getopt_does() -> None:
    """Bundles, values within the word and behind it, long names, and the end of options."""
    words = ["-abC", "5", "-D6", "--long", "7", "--other=8", "--flag", "--", "-x"]
    found = list(options(words, "C:D:", {"long": "l:", "other": "o:", "flag": "f"}))
    values = [("C", "5"), ("D", "6"), ("l", "7"), ("o", "8")]
    assert found == [("a", None), ("b", None), *values, ("f", None)]


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


@table("text, found")
def test_settings_have_the_dotted_names_of_their_arrays(
    text: str, found: list[tuple[str, str, int]]
) -> None:
    """Keys have plain words as values; comments and strings are passed over."""
    assert php_values(text) == tuple(Entry(*entry) for entry in found)
