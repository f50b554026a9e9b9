"""Command lines in scripts, Dockerfiles and notes: which options a program is given."""

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from itertools import takewhile
from typing import Final, NamedTuple

from hashcost.apps.text import joined_lines
from hashcost.core.errors import Unread, UnreadError

_LONGEST_LINE: Final = 4096
"""Characters. A call has all words behind it: a line of nothing but calls takes quadratic time."""
_DEEPEST: Final = 3
"""How deeply commands may be quoted inside each other."""

_ENDS = re.compile(r"[();<>|&]+")
_BEFORE: Final = frozenset({"run", "sudo", "exec", "then", "do", "else", "!", "if", "time", "$"})
_PREFIX: Final = re.compile(r"@?-?\w+=.*|[@$-]+")
"""A variable of the command, or a sign of make or of a prompt."""
_AROUND = "[]{},`'\""
_ASSIGNED = re.compile(
    r"\s*(?:(?:ENV|ARG|local|readonly|export)\s+)?(?P<name>[A-Za-z_]\w*)="
    r"(?P<value>\"[^\"]*\"|'[^']*'|[^\s;]*)"
)
_VARIABLE = re.compile(r"\$(?:(?P<name>\w+)|\{(?P<braced>\w+)(?::?-(?P<unset>[^{}]*))?\})")


class Command(NamedTuple):
    """The words after a program's name, and the line that it begins on.

    ``called`` says that the name is in the place of a command, not in prose.
    """

    words: list[str]
    line: int
    called: bool


def commands(text: str, program: str) -> Iterator[Command]:
    """Every call of a program in the order of the file, comments left out.

    Variables that the file sets, and defaults such as ``${ROUNDS:-12}``, are filled in.

    Raises:
        UnreadError: a line that names the program is too long.
    """
    if program not in text:
        return
    variables = {}
    for number, line in joined_lines(text, command=program):
        if line.lstrip().startswith("#"):
            continue
        if len(line) > _LONGEST_LINE:
            if program in line:
                why = f"line {number} is longer than {_LONGEST_LINE:,} characters"
                raise UnreadError(Unread.TOO_LONG, why)
            continue
        # A script may set what the call is given.
        variable = _ASSIGNED.match(line)
        if variable is not None:
            variables[variable["name"]] = variable["value"].strip("\"'")
        if program in line:
            for words, called in _calls(line, program, _DEEPEST):
                yield Command([_filled(word, variables) for word in words], number, called)


def options(
    words: Iterable[str], short: str, long: Mapping[str, str]
) -> Iterator[tuple[str, str | None]]:
    """The options among the words of a command, with their values, short ones as a letter.

    ``short`` is getopt's: a colon follows each letter that takes a value. ``long`` names
    the letter that stands for each long option, with a colon if it takes a value.
    """
    words = iter(words)
    for word in words:
        if word == "--":
            return
        if word.startswith("--"):
            name, given, value = word[2:].partition("=")
            letter = long.get(name)
            if letter is None:
                continue
            option = letter.removesuffix(":")
            if option == letter:
                yield option, None
            elif given:
                yield option, value
            else:
                yield option, next(words, "")
        elif word.startswith("-"):
            # Letters may share a dash; a value follows its letter, in this word or as the next.
            for index, letter in enumerate(word[1:], 2):
                if f"{letter}:" in short:
                    yield letter, word[index:] or next(words, "")
                    break
                yield letter, None


def _calls(line: str, program: str, depth: int) -> Iterator[tuple[list[str], bool]]:
    # What backquotes hold is a command of its own.
    words = _words(line.replace("`", " ; "))
    before = ""
    for index, word in enumerate(words):
        is_file = re.search(r"[<>]", before) is not None
        before = word
        if is_file:
            continue  # It may have the program's name.
        path = word.strip(_AROUND).lstrip("@-")
        if path.rpartition("/")[2] == program:
            after = takewhile(lambda word: not _ENDS.fullmatch(word), words[index + 1 :])
            yield [_bare(word) for word in after], _begins(words[:index])
        elif depth and program in word and re.search(r"\s", word):
            # A quoted command, as in ``sh -c "..."``.
            yield from _calls(word, program, depth - 1)


def _bare(word: str) -> str:
    """A word without the signs around it; in ``${NAME:-12}`` they are a part of it."""
    if "$" in word:
        return word
    return word.strip(_AROUND + "()")


def _begins(before: list[str]) -> bool:
    """Whether a command may follow these words."""
    if not before:
        return True
    last = before[-1]
    if last.lower() in _BEFORE:
        return True
    return bool(_ENDS.fullmatch(last) or _PREFIX.fullmatch(last))


def _words(line: str) -> list[str]:
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    try:
        return list(lexer)
    except ValueError:  # A quote that does not end: prose, or another language.
        return re.findall(r"[();<>|&]+|[^\s();<>|&]+", line)


def _filled(word: str, variables: Mapping[str, str]) -> str:
    def value_of(match: re.Match[str]) -> str:
        value = variables.get(match["name"] or match["braced"])
        if value:
            return value
        unset = match["unset"]
        # A variable that another file sets stays as it is written.
        if unset is None:
            return match[0]
        return unset

    return _VARIABLE.sub(value_of, word)
