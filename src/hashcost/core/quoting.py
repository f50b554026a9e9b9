"""What the user typed, as a message quotes it: never a hash, nor a line of users."""

import re
from collections.abc import Iterable
from itertools import pairwise
from typing import Final

from hashcost.core.errors import printable

WITHHELD: Final = "(not shown: it may be a secret)"
"""Stands for what is not quoted."""

_LONGEST: Final = 48
_MARKED: Final = re.compile(
    r"""
      \$ [^$]+ \$                    # $2b$12$..., pbkdf2_sha256$...$...
    | \{ [A-Za-z0-9._-]+ \} .        # {SSHA}...
    | ^ \* [0-9A-Fa-f]{16}           # *6BB4...
    | ^ [A-Za-z_][^:/\s]* : [^:]* :  # bob:x:1000:...
    | :// .* @                       # postgresql://bob:secret@...
    """,
    re.VERBOSE | re.DOTALL,
)
_WORD: Final = re.compile(r"[0-9A-Za-z]+")
_FIGURE: Final = re.compile(r"[0-9]+[A-Za-z]{0,3}")
"""A number with its unit."""
_DES: Final = re.compile(r"[./0-9A-Za-z]{13}")
_PATHS: Final = ("/", "./", "../", "~")
"""Folders may have names that programs made."""
_LONG, _MOST_DIGITS, _MOST_TURNS = 10, 6, 3
_SHORTEST, _SHORTEST_WHOLE = 6, 20
"""Of what is withheld, the beginning that is still recognised."""


def may_be_secret(text: str) -> bool:
    """Whether a text looks like a hash, a line of users or a URL with a password."""
    if _MARKED.search(text):
        return True
    parts = text.split(":")[1:] or [text]
    if any(_DES.fullmatch(part) and _turns(part) >= _MOST_TURNS for part in parts):
        return True
    words = (word for part in parts if not part.startswith(_PATHS) for word in _WORD.findall(part))
    return any(map(_is_random, words))


def _is_random(word: str) -> bool:
    """Whether letters and digits alternate as in no word that a person makes."""
    digits = sum(map(str.isdigit, word))
    if len(word) < _LONG or _FIGURE.fullmatch(word):
        return False
    turns = _turns(word)
    return turns > _MOST_TURNS or (turns > 1 and digits > _MOST_DIGITS)


def _turns(text: str) -> int:
    """How often letters in one case, and digits, follow others."""
    kinds = ["0" if c.isdigit() else "A" if c.isupper() else "a" for c in text if c.isalnum()]
    return sum(before != after and before + after != "Aa" for before, after in pairwise(kinds))


def quoted(text: str, longest: int = _LONGEST) -> str:
    """What the user typed between quotation marks, short and on one line, if it is no secret."""
    if may_be_secret(text):
        return WITHHELD
    line = printable(text[: 4 * longest])
    line = line if len(line) <= longest else f"{line[: longest - 1]}…"
    return repr(line) if "\\" not in line else f"'{line}'"


def withheld(message: str, given: Iterable[str]) -> str:
    """The message without any of the arguments that may be secrets."""
    for argument in (each.lstrip("-") for each in given):
        if may_be_secret(argument):
            # Taken for a path it has no "//"; what is quoted of it may be its beginning.
            for whole in (argument, re.sub("/{2,}", "/", argument)):
                message = _without(message, printable(whole), _SHORTEST_WHOLE)
            for part in re.split(r"[=:,@\s]+", argument):  # As commands take it apart.
                if may_be_secret(part) or not _WORD.fullmatch(part):
                    message = _without(message, printable(part), _SHORTEST)
    return message


def _without(message: str, text: str, shortest: int) -> str:
    """A message without a text, or the longest beginning of it that is there."""
    for size in range(len(text), min(len(text), shortest) - 1, -1):
        if size and text[:size] in message:
            return message.replace(text[:size], WITHHELD)
    return message
