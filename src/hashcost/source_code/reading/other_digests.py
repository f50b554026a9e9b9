"""PBKDF2 with digests that nothing here computes, by the names that libraries give to these."""

import re
from functools import cache
from typing import Final

from hashcost.core.algorithms import OTHER_DIGESTS

_LISTED: Final = re.compile(r"sha-?256")
_LISTED_HASHER: Final = "pbkdf2-sha256"
_SIGN: Final = "[-_/]?"
"""May stand between the parts of a digest's name: ``sha3_256``, ``sha-512/256``."""
_PARTS: Final = re.compile(r"(?<=[a-z])(?=[0-9])|-")


def _spelling(digest: str) -> str:
    """Make the pattern of a digest's name, without its parts' signs or with any."""
    return _SIGN.join(filter(None, _PARTS.split(digest)))


_DIGEST: Final = re.compile("|".join(f"({_spelling(digest)})" for digest in OTHER_DIGESTS))


def hasher_with(values: tuple[tuple[str, str], ...], word: str) -> str | None:
    """Name the hasher of a word that would be listed if its digest were computed here.

    ``values`` are the words of a rule with what they mean; of those, the ones with SHA-256 tell
    how the others are written.
    """
    for before, after in _around_digest(values):
        inner = word.removeprefix(before).removesuffix(after)
        if f"{before}{inner}{after}" != word:
            continue
        digest = _DIGEST.fullmatch(inner)
        if digest is not None and digest.lastindex is not None:
            return f"pbkdf2-{OTHER_DIGESTS[digest.lastindex - 1]}"
    return None


@cache
def _around_digest(values: tuple[tuple[str, str], ...]) -> frozenset[tuple[str, str]]:
    """Find what stands before and after the digest in the words of a rule."""
    around = set()
    for word, hasher in values:
        listed = _LISTED.search(word)
        if hasher == _LISTED_HASHER and listed is not None:
            around.add((word[: listed.start()], word[listed.end() :]))
    return frozenset(around)
