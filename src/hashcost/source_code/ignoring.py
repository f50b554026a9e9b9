"""What the ``.gitignore`` of a folder leaves out. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

_LONGEST_LINE: Final = 400
_MOST_LINES: Final = 2000
_PIECES: Final = re.compile(r"\[!?[^\]]+\]|.", re.DOTALL)


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
    if not text:
        return None
    try:
        expression = re.compile(_expression(text if anchored else f"**/{text}"))
    except re.error:
        return None
    return _Pattern(expression, folders_only, takes_back)


def _expression(text: str) -> str:
    """The pattern of a whole path below the folder.

    What follows a star is taken where it is first met, for good: what the next star
    may skip is then the most. So the time does not grow with the number of stars, as
    in `fnmatch.translate` since Python 3.9.
    """
    head, *others = _runs(text.split("/"), "**")
    path = "/".join(map(_name, head))
    if not others:
        return path
    *inner, last = others
    path += "/" if head else ""
    path += "".join(f"(?>(?:[^/]+/)*?{'/'.join(map(_name, run))}/)" for run in inner if run)
    return path + ("(?:[^/]+/)*" + "/".join(map(_name, last)) if last else "(?s:.+)")


def _name(text: str) -> str:
    """The pattern of one name between slashes."""
    head, *others = _runs(_PIECES.findall(text), "*")
    name = "".join(map(_one, head))
    if not others:
        return name
    *inner, last = others
    name += "".join(f"(?>[^/]*?{''.join(map(_one, run))})" for run in inner if run)
    return f"{name}[^/]*{''.join(map(_one, last))}"


def _one(piece: str) -> str:
    """The pattern of one character, which is never a slash."""
    if piece == "?":
        return "[^/]"
    if len(piece) > 1:
        inner = re.sub(r"([\\\[&~|])", r"\\\1", piece[1:-1])
        return f"(?!/)[{'^' + inner[1:] if inner.startswith('!') else inner}]"
    return re.escape(piece)


def _runs(pieces: Iterable[str], between: str) -> list[list[str]]:
    """The pieces before, between and after those that are this one."""
    runs: list[list[str]] = [[]]
    for piece in pieces:
        if piece == between:
            runs.append([])
        else:
            runs[-1].append(piece)
    return runs
