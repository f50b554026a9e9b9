"""Comments that accept a finding: ``hashcost: accept bcrypt=10 below-min until …``. Pure.

Which text is a comment, the readers of each language and format know. The words are read by
`hashcost.checks.waivers`.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from operator import itemgetter
from typing import Final, TypeAlias

import msgspec

MARK: Final = re.compile(r"hashcost[ \t]*:[ \t]*accept\b", re.IGNORECASE | re.ASCII)
"""The words that begin a waiver."""
_BEGINS: Final = re.compile(rf"[^\w\n]*{MARK.pattern}(?P<said>[^\n]*)", re.IGNORECASE)
_ENDS: Final = ("*/", "-->")
MOST: Final = 200
"""Most waivers that are read in one file; nobody writes as many."""


class Comment(msgspec.Struct, frozen=True):
    """A comment that begins as a waiver does; ``said`` is what follows, on one line.

    It is ``over_lines`` if the comment has several, and so accepts nothing.
    """

    line: int
    said: str
    over_lines: bool = False


Lines: TypeAlias = tuple[tuple[int, int], ...]
"""Ranges of lines in their order, each with its first and its last one."""


def is_among(line: int, lines: Lines) -> bool:
    """Whether a line is in one of the ranges."""
    # The last range that begins on this line or before it is the only one that may hold it.
    at = bisect_right(lines, line, key=itemgetter(0))
    return at > 0 and line <= lines[at - 1][1]


class Comments(msgspec.Struct, frozen=True):
    """The waivers in the comments of one file, in their order.

    ``reach`` has, by the line of a finding, the lines on which a comment is about it, for each
    statement there; a line that it lacks is reached only from itself.
    """

    waivers: tuple[Comment, ...] = ()
    reach: Mapping[int, tuple[Lines, ...]] = {}

    def is_about(self, comment: int, finding: int) -> bool:
        """Whether a comment on one line is about a finding on another."""
        statements = self.reach.get(finding, (((finding, finding),),))
        return any(is_among(comment, lines) for lines in statements)


NO_COMMENTS: Final = Comments()


def may_have_waivers(text: str) -> bool:
    """Tell by a quick search whether a text can have a waiver."""
    return MARK.search(text) is not None


def waiver_in(comment: str, line: int) -> Comment | None:
    """Read a comment, with the marks that begin and end it; `None` if it is something else.

    ``line`` is the one on which it begins.
    """
    for number, text in enumerate(comment.strip().split("\n"), line):
        begins = _BEGINS.match(text)
        if begins is not None:
            said = begins["said"].strip()
            for mark in _ENDS:
                said = said.removesuffix(mark).strip()
            return Comment(number, said, over_lines="\n" in comment.strip())
    return None


def reached_from_above(own_lines: Iterable[int]) -> dict[int, tuple[Lines, ...]]:
    """The lines below comments that have ``own_lines``, each reached from those above it."""
    reach: dict[int, tuple[Lines, ...]] = {}
    # Comments on consecutive lines are one: each is about what follows the last of them.
    first = last = 0
    for line in sorted(own_lines):
        if line != last + 1:
            first = line
        last = line
        reach[line + 1] = (((first, line + 1),),)
    return reach
