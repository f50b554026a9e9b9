"""Command lines are split as a shell does, within bounds."""

from __future__ import annotations

from hashcost.apps.commands import Command, commands, options


def words(text: str) -> list[tuple[str, ...]]:
    """What each call of ``tool`` is given."""
    return [each.words for each in commands(text, "tool")]


def test_a_call_ends_where_the_shell_ends_it() -> None:
    """Words of the command behind it, of a pipe or a subshell, are not its own."""
    assert words("tool -a | x -b; tool -c && (tool -d) > f") == [("-a",), ("-c",), ("-d",)]


def test_quotes_hold_words_together() -> None:
    """A quoted word is one word, and a command within quotes is found."""
    assert words("tool 'a b' \"c\"") == [("a b", "c")]
    assert words("ssh host 'sh -c \"tool -a 1\"'") == [("-a", "1")]


def test_an_unfinished_quote_hides_nothing() -> None:
    """Where the quotes of a line do not end, its words are still looked at."""
    assert words("don't: tool -a 1") == [("-a", "1")]


def test_variables_of_the_file_are_put_in() -> None:
    """What the file sets above the call, and a default, stand for the variable; else its name."""
    text = "A=1\nENV B=2\ntool $A ${B} ${C:-3} ${D-4} $E\n"
    assert words(text) == [("1", "2", "3", "4", "$E")]


def test_a_call_over_several_lines_begins_on_the_first() -> None:
    """A backslash at the end joins lines, and the first one's number is the call's."""
    (call,) = commands("\ntool \\\n  -a \\\n  1\n", "tool")
    assert call == Command(("-a", "1"), 2)


def test_a_line_beyond_any_command_is_left_out() -> None:
    """A line of more than 4096 characters is not looked at."""
    assert words("tool " + "-a " * 2000) == []


def test_options_are_read_as_getopt_does() -> None:
    """Bundles, values within the word and behind it, long names, and the end of options."""
    command = Command(("-abC", "5", "-D6", "--long", "7", "--other=8", "--flag", "--", "-x"), 1)
    found = list(options(command, "C:D:", {"long": "l:", "other": "o:", "flag": "f"}))
    assert found == [
        ("a", None),
        ("b", None),
        ("C", "5"),
        ("D", "6"),
        ("l", "7"),
        ("o", "8"),
        ("f", None),
    ]
