"""Hashes that nobody has: a program asks about them where it knows no user, to take as long.

Their names say so, or a comment above them; see `stored_hashes` for those that are written.
"""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from hashcost.source_code.rules import name_words

WORDS: Final = frozenset(
    {
        *("dummy", "fake", "decoy", "placeholder", "nouser", "unknownuser", "missinguser"),
        *("nonexistent", "timing", "slowdown", "constanttime", "burn"),
    }
)
"""Words, one or two of a name, that say that nobody has the hash, or that it takes up time."""
TAKES_TIME: Final = WORDS - {"dummy", "fake", "decoy", "placeholder"}
"""The words that say so in a comment: it may call a password that is used a placeholder."""
_COMMENT_ABOVE: Final = re.compile(r"[ \t]*(?:#|//|--|/?\*)")
_BEFORE: Final = 400
"""Characters before a call in which the name of what holds its result is looked for."""
_HOLDER: Final = re.compile(
    r"(?<!\w)(?P<name>[^\W\d]\w*+)['\"]?+"
    r"(?:\s*+(?:,\s*+\w++\s*+)?+(?::[^=,;(){}\n]{0,60}+)?+(?:\?\?|\|\||:)?+=(?![=>~])"
    r"|\s*+=>|\s*+:(?![:=])|\s++by\s++lazy\b)"
    r"|@(?P<attribute>\w++)\s++\Z"
)
"""A name in front of the value that it is given, or of the function that makes that; an attribute
of an Elixir module has no sign between them."""
_OF_HASHES: Final = re.compile(r"hash|digest|verif|check|compar|match", re.IGNORECASE)
"""A word for what is made or asked, in the name of a function."""


def words_in(text: str) -> set[str]:
    """Take the words of names, and each two that follow each other as one."""
    listed = name_words(text)
    return {*listed, *map("".join, pairwise(listed))}


def comment_above(lines: list[str]) -> Iterator[str]:
    """Go up the lines of the comment that the last of some lines ends."""
    for line in reversed(lines):
        if not _COMMENT_ABOVE.match(line):
            return
        yield line


def makes_dummy(text: str, place: int, function: str) -> bool:
    """Tell whether the call at a place, in a function of some name, hashes for a dummy."""
    *above, line = text[max(0, place - _BEFORE) : place].split("\n")
    # The name may stand above the value.
    while above and above[-1].rstrip().endswith(("=", "(")):
        line = f"{above.pop()} {line}"
    holders = [holder["name"] or holder["attribute"] for holder in _HOLDER.finditer(line)]
    if holders:
        holder = holders[-1]
    elif _OF_HASHES.search(function):
        holder = function
    else:
        return False
    if not words_in(holder).isdisjoint(WORDS):
        return True
    return any(not words_in(comment).isdisjoint(TAKES_TIME) for comment in comment_above(above))
