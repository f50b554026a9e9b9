"""Command lines are split as a shell does, within bounds."""

from corpora import table
from hashcost.apps.commands import Command, commands, options


@table("text, found")
def test_a_line_is_split_as_a_shell_does(text: str, found: list[list[str]]) -> None:
    """Each call of ``tool`` has the words that a shell would give it."""
    assert found == [[*each.words] for each in commands(text, "tool")]


def test_a_call_over_several_lines_begins_on_the_first() -> None:
    """A backslash at the end joins lines, and the first one's number is the call's."""
    (call,) = commands("\ntool \\\n  -a \\\n  1\n", "tool")
    assert call == Command(("-a", "1"), 2)


def test_a_line_beyond_any_command_is_left_out() -> None:
    """A line of more than 4096 characters is not looked at."""
    assert list(commands("tool " + "-a " * 2000, "tool")) == []


def test_options_are_read_as_getopt_does() -> None:
    """Bundles, values within the word and behind it, long names, and the end of options."""
    command = Command(("-abC", "5", "-D6", "--long", "7", "--other=8", "--flag", "--", "-x"), 1)
    found = list(options(command, "C:D:", {"long": "l:", "other": "o:", "flag": "f"}))
    values = [("C", "5"), ("D", "6"), ("l", "7"), ("o", "8")]
    assert found == [("a", None), ("b", None), *values, ("f", None)]
