"""Lines as programs see them, and what is set on them."""

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Entry:
    """A name, its value without quotes and comment, and the line that it begins on.

    ``section`` is that of an INI file, "" above the first one.
    """

    name: str
    value: str
    line: int
    section: str = ""


class LineNumbers:
    """The lines of places in a text, in whatever order they are asked for."""

    def __init__(self, text: str) -> None:
        """Find the ends of the lines, once."""
        self._ends = [match.start() for match in re.finditer("\n", text)]

    def of(self, position: int) -> int:
        """The line that a character stands on, from 1."""
        return bisect_left(self._ends, position) + 1


def joined_lines(text: str) -> Iterator[tuple[int, str]]:
    """Every line with the number of its first one; one that ends in a backslash goes on."""
    pending: list[str] = []
    start = 1
    for number, line in enumerate(text.splitlines(), 1):
        if not pending:
            start = number
        if line.endswith("\\") and not line.lstrip().startswith("#"):
            pending.append(line[:-1])
            continue
        yield start, "".join([*pending, line])
        pending = []
    if pending:
        yield start, "".join(pending)


def uncommented(text: str, *marks: str) -> Iterator[tuple[int, str]]:
    """Every line with its number, but for comments, which begin with ``#`` or another mark."""
    for number, line in enumerate(text.splitlines(), 1):
        if not line.lstrip().startswith(("#", *marks)):
            yield number, line
