"""Filters in the Jinja expressions of YAML files, found by their pattern."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from hashcost.core.errors import UnreadableInputError

LARGEST: Final = 1 << 20
"""Characters; no playbook comes near."""

_LONGEST_CALL = 500
_TEXT = r"'[^'\n]{0,99}'|\"[^\"\n]{0,99}\""
_YAML_VALUE = re.compile(r"\s*(?:-\s+)?(?P<name>[A-Za-z_][A-Za-z0-9_]*)\s*:\s+(?P<value>\S.*?)\s*")


@dataclass(frozen=True)
class Filter:
    """A filter with what stands between its brackets, argument by argument."""

    positional: tuple[str, ...]
    keywords: Mapping[str, str]
    line: int


def filters(text: str, name: str) -> Iterator[Filter]:
    """Every use of a filter outside of comments, in the order of the file.

    Raises:
        UnreadableInputError: the text is too large, or brackets are left open.
    """
    if len(text) > LARGEST:
        raise UnreadableInputError(f"it is larger than {LARGEST:,} characters")
    text = without_comments(text)
    line, position = 1, 0
    for match in re.finditer(rf"\|\s{{0,99}}{re.escape(name)}(?![A-Za-z0-9_])", text):
        line += text.count("\n", position, match.end())
        position = match.end()
        yield _filter(text, position, name, line)


def values(text: str) -> Mapping[str, tuple[str, int]]:
    """The plain values of a YAML file by name, the last of each, with its line."""
    found: dict[str, tuple[str, int]] = {}
    for number, line in enumerate(without_comments(text).split("\n"), 1):
        match = _YAML_VALUE.fullmatch(line) if len(line) < 1000 else None
        if match is not None:
            found[match["name"]] = (match["value"].strip("\"'"), number)
    return found


def without_comments(text: str) -> str:
    """The text with every comment blank, each line where it was."""
    text = _without_jinja_comments(text)
    return "\n".join(_without_comment(line) for line in text.split("\n"))


def _without_jinja_comments(text: str) -> str:
    """Without ``{# ... #}``; one that is not closed stays."""
    parts: list[str] = []
    start = 0
    while (opened := text.find("{#", start)) >= 0:
        closed = text.find("#}", opened + 2)
        if closed < 0:
            break
        lines = text.count("\n", opened, closed)
        parts += [text[start:opened], "\n" * lines]
        start = closed + 2
    return "".join((*parts, text[start:]))


def _without_comment(line: str) -> str:
    quote = ""
    for index, character in enumerate(line):
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
        elif character == "#" and (index == 0 or line[index - 1].isspace()):
            return line[:index]
    return line


def _filter(text: str, position: int, name: str, line: int) -> Filter:
    opened = re.compile(r"\s{0,99}\(").match(text, position)
    if opened is None:
        return Filter((), {}, line)
    arguments: list[str] = []
    current, depth, quote = "", 1, ""
    for character in text[opened.end() : opened.end() + _LONGEST_CALL]:
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
        elif character in "([{":
            depth += 1
        elif character in ")]}":
            depth -= 1
        if not depth:
            return _with_arguments([*arguments, current], line)
        if character == "," and depth == 1 and not quote:
            arguments.append(current)
            current = ""
        else:
            current += character
    raise UnreadableInputError(f"line {line}: the brackets of {name} are not closed")


def _with_arguments(arguments: list[str], line: int) -> Filter:
    positional: list[str] = []
    keywords: dict[str, str] = {}
    for argument in arguments:
        key, equals, value = argument.partition("=")
        if equals and key.strip().isidentifier():
            keywords[key.strip()] = value.strip()
        elif argument.strip():
            positional.append(argument.strip())
    return Filter(tuple(positional), keywords, line)


def unquoted(text: str) -> str | None:
    """The text between quotes; none where it is not quoted."""
    return text[1:-1] if re.fullmatch(_TEXT, text) else None
