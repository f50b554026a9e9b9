"""Comments that accept a finding: ``hashcost: accept bcrypt=10 below-min until …``. Pure.

Which text is a comment, the readers of each language and format know. The words are read by
`hashcost.verdicts.waivers`.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

MARK: Final = re.compile(r"hashcost[ \t]*:[ \t]*accept\b", re.IGNORECASE | re.ASCII)
"""The words that begin a waiver."""
_BEGINS: Final = re.compile(rf"[^\w\n]*{MARK.pattern}(?P<said>[^\n]*)", re.IGNORECASE)
_ENDS: Final = ("*/", "-->")
MOST: Final = 1000
"""Most waivers that are read in one file; nobody writes as many."""


@dataclass(frozen=True)
class Comment:
    """A comment that begins as a waiver does; ``said`` is what follows, on one line.

    It is ``over_lines`` if the comment has several, and so accepts nothing.
    """

    line: int
    said: str
    over_lines: bool = False


@dataclass(frozen=True)
class Comments:
    """The waivers in the comments of one file, in their order.

    ``reach`` has, by the line of a finding, the lines on which a comment is about it; a line
    that it lacks is reached only from itself.
    """

    waivers: tuple[Comment, ...] = ()
    reach: Mapping[int, frozenset[int]] = field(default_factory=dict)

    def about(self, line: int) -> frozenset[int]:
        """The lines on which a comment is about a finding on this line."""
        return self.reach.get(line, frozenset({line}))


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


def reached_from_above(own_lines: Iterable[int]) -> dict[int, frozenset[int]]:
    """The lines below comments that have ``own_lines``, each reached from those above it."""
    reach: dict[int, frozenset[int]] = {}
    above: list[int] = []
    for line in sorted(own_lines):
        if above and above[-1] != line - 1:
            above = []
        above.append(line)
        reach[line + 1] = frozenset({*above, line + 1})
    return reach
