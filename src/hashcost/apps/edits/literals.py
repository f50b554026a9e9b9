"""Whole numbers in a file, of whatever syntax, and other numbers in their place. Pure."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from hashcost.stored.formats.reading import Kind
from hashcost.stored.formats.registry import read

_NUMBER: Final = re.compile(r"(?<![\d.])(?:\d{1,3}(?:_\d{3})+|\d+)(?![\d_]*\d)(?!\.\d)")
_WORD: Final = re.compile(r"[^\s\"'`]{30,}")
_BEFORE_HASH: Final = re.compile(r"[:=]")
_LONGEST: Final = 20
"""Digits of the longest number that is a cost."""

_ENVIRONMENT: Final = (
    r"(?:getenv|env|environ(?:\.get|\.setdefault)?|get_env|process\.env|ENV(?:\.fetch)?"
    r"|GetEnvironmentVariable)"
)
_LOOKUP: Final = re.compile(
    r"\$\{[^}\n]*\Z"
    rf"|\b{_ENVIRONMENT}\s*\([^)]*\Z"
    rf"|\b{_ENVIRONMENT}\b[^;\n]*(?:\|\||\?\?|\?:|\bor\b|\belse\b)[^;\n]*\Z"
)
"""What asks the environment, with the number as what it falls back on."""
_VARIABLE: Final = re.compile(r"\$\{([\w.]+)|[\"'](\w+)[\"']|process\.env\.(\w+)")
_LOOKED_AT: Final = 160


def _log2(value: int) -> int | None:
    return value.bit_length() - 1 if value > 0 and value & (value - 1) == 0 else None


def _part_of(unit: int) -> Callable[[int], int | None]:
    return lambda value: None if value % unit else value // unit


_SPELLINGS: Final[tuple[Callable[[int], int | None], ...]] = (
    lambda value: value,
    _log2,
    lambda value: 2**value if value < 64 else None,
    _part_of(1024),
    _part_of(1024**2),
    lambda value: value * 1024,
)
"""How a count may be written: as itself, as its logarithm or power, in MiB, GiB or bytes."""


@dataclass(frozen=True)
class Edit:
    """Characters of a text, and what to write in their place."""

    start: int
    end: int
    written: str

    def within(self, text: str) -> str:
        """The text with the edit made."""
        return text[: self.start] + self.written + text[self.end :]


def edits_to(text: str, old: int, new: int, line: int) -> Iterator[Edit]:
    """Every number that may be a cost, with one in its place; those nearest a line first.

    The number is written as the one before it was: with underscores, in the same unit.
    What is part of a stored hash is left out: another number there makes it another hash.
    """
    spellings = _spelled(old, new)
    found = [match for match in _NUMBER.finditer(text) if match.end() - match.start() <= _LONGEST]
    near = [
        (abs(line_of(text, match.start()) - line), match.start(), match)
        for match in found
        if any(int(match[0]) == before for before, _ in spellings)
    ]
    hashes = tuple(_hashes(text)) if near else ()
    for _, start, match in sorted(near, key=lambda each: each[:2]):
        if any(first <= start < last for first, last in hashes):
            continue
        yield from _in_place_of(match[0], start, spellings)


def others_in_place(text: str, edit: Edit, old: int, new: int) -> Iterator[Edit]:
    """The same place, with one more number in it that is written as the one before it was."""
    yield from _in_place_of(text[edit.start : edit.end], edit.start, _spelled(old, new))


def _spelled(old: int, new: int) -> list[tuple[int, int]]:
    """Two counts as they may be written, both in the same way."""
    pairs = ((each(old), each(new)) for each in _SPELLINGS)
    return sorted({(old, new) for old, new in pairs if old is not None and new is not None})


def _in_place_of(written: str, start: int, spellings: Iterable[tuple[int, int]]) -> Iterator[Edit]:
    for before, after in spellings:
        if int(written) == before:
            yield Edit(start, start + len(written), f"{after:_}" if "_" in written else f"{after}")


def numbers_on(text: str, line: int, new: int) -> Iterator[Edit]:
    """Every number of a line, whatever it is, with one in its place."""
    start = sum(map(len, text.splitlines(keepends=True)[: line - 1])) if line else 0
    end = text.find("\n", start)
    hashes = tuple(_hashes(text))
    for match in _NUMBER.finditer(text, start, len(text) if end < 0 else end):
        if not any(first <= match.start() < last for first, last in hashes):
            yield Edit(match.start(), match.end(), str(new))


def line_of(text: str, offset: int) -> int:
    """The number of the line that a character is on, from 1."""
    return text.count("\n", 0, offset) + 1


def variable_before(text: str, edit: Edit) -> str | None:
    """The variable that a number counts without; `None` if it is no fallback of one."""
    lookup = _LOOKUP.search(text[max(0, edit.start - _LOOKED_AT) : edit.start])
    if lookup is None:
        return None
    name = _VARIABLE.search(lookup[0])
    return "the variable" if name is None else next(filter(None, name.groups()))


def _hashes(text: str) -> Iterator[tuple[int, int]]:
    for word in _WORD.finditer(text):
        starts = (0, *(each.end() for each in _BEFORE_HASH.finditer(word[0], 0, 80)))
        trimmed = word[0].rstrip(",;)}]")
        parts = [trimmed[start:] for start in starts]
        # In a Compose file two dollar signs are one.
        if any(read(each.replace("$$", "$")).kind is Kind.HASHED for each in parts):
            yield word.span()
