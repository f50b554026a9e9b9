"""What the ``.gitignore`` of a folder leaves out. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

_LONGEST_LINE: Final = 400
_MOST_LINES: Final = 2000
_MOST_STARS: Final = 8


@dataclass(frozen=True)
class _Pattern:
    """One line: what it matches below its folder, and whether it takes back."""

    expression: re.Pattern[str]
    folders_only: bool
    takes_back: bool


@dataclass(frozen=True)
class Ignoring:
    """The patterns of one file, for paths relative to its folder."""

    patterns: tuple[_Pattern, ...]

    def verdict(self, path: str, *, is_folder: bool) -> bool | None:
        """Whether a path is left out; none where nothing here is about it."""
        for pattern in reversed(self.patterns):
            if (is_folder or not pattern.folders_only) and pattern.expression.fullmatch(path):
                return not pattern.takes_back
        return None


def read_ignoring(text: str) -> Ignoring:
    """Read the lines of a ``.gitignore`` (git-scm.com/docs/gitignore)."""
    lines = text.splitlines()[:_MOST_LINES]
    return Ignoring(tuple(pattern for line in lines if (pattern := _pattern(line)) is not None))


def globs(patterns: Iterable[str]) -> Ignoring:
    """Read patterns that were typed, each in the form of a line."""
    return read_ignoring("\n".join(patterns))


def _pattern(line: str) -> _Pattern | None:
    text = line.rstrip()
    if not text or text.startswith("#") or len(text) > _LONGEST_LINE:
        return None
    takes_back = text.startswith("!")
    text = text.removeprefix("!").removeprefix("\\")
    folders_only = text.endswith("/")
    text = text.rstrip("/")
    anchored = "/" in text
    text = text.lstrip("/")
    if not text or text.count("*") > _MOST_STARS:
        return None
    try:
        expression = re.compile(("" if anchored else "(?:.*/)?") + _expression(text), re.DOTALL)
    except re.error:
        return None
    return _Pattern(expression, folders_only, takes_back)


def _expression(text: str) -> str:
    parts = re.split(r"(\*\*/|/\*\*|\*+|\?|\[!?[^\]/]+\])", text)
    return "".join(map(_piece, parts))


def _piece(part: str) -> str:
    if part == "**/":
        return "(?:.*/)?"
    if part == "/**":
        return "/.*"
    if part and not part.strip("*"):
        return "[^/]*"
    if part == "?":
        return "[^/]"
    if part.startswith("[") and part.endswith("]") and len(part) > 2:
        inner = part[1:-1].replace("\\", "\\\\").replace("[", "\\[")
        return f"[{'^' + inner[1:] if inner.startswith('!') else inner}]"
    return re.escape(part)
