"""Keys for encryption: PBKDF2, scrypt and Argon2 make them too, and they hash no password.

A key is told by where it goes: into a cipher, as an argument or as its property.
"""

import re
from bisect import bisect_left
from functools import lru_cache
from typing import Final, NamedTuple

from hashcost.source_code.reading import ASSIGNED, BEFORE, CHAIN, places_in
from hashcost.source_code.rules import last_word

_GIVEN_TO: Final = re.compile(
    r"(?<![\w.:])(?P<name>[\w.:]++)(?:<[^<>()]*+>)?"
    r"\s*+\((?P<before>(?:[^();{}]|\([^();{}]*+\))*+)$"
)
"""The innermost call in whose arguments something stands, with the arguments before it."""
_ENDED: Final = re.compile(r"(?:[^();{}]|\([^();{}]*+\)){0,200}+\)")
"""The end of those arguments."""
_CIPHER: Final = re.compile(
    r"(?:^|[._:])(?:aes|rijndael|x?chacha|salsa|fernet|secret_?box|unbound_?key|cipher)"
    r"|(?:new_?|create_?)(?:de)?cipher|secret_?key_?spec|import_?key|secretbox"
    r"|(?<![a-z])(?:en|de)crypt(?!_?(?:pass|pwd|hash))|create_?(?:en|de)cryptor",
    re.IGNORECASE,
)
"""A function that takes a key for encryption."""
_TAKES_TEXT: Final = re.compile(
    r"(?:openssl_)?(?:en|de)crypt|update|seal|open|final", re.IGNORECASE
)
"""One whose first argument is what it encrypts, which may be a hash."""
_PROPERTY: Final = re.compile(
    r"(?:\.(?:Key|IV)|(?i:(?:aes|cipher|crypt)\w{0,20}(?:\.|->)(?:key|iv)))\s*+=\s*+$"
)
"""A property of a cipher that is set: ``aes.Key =``."""
_KEY_NAME: Final = re.compile(
    r"(?:aes|(?:en|de)crypt(?:ion)?|cipher|crypto|wrapping|kek|fernet)_?key", re.IGNORECASE
)
"""A name that says that it is a key for encryption."""
_SPEAKS_OF_KEYS: Final = re.compile(
    r"aes|rijndael|chacha|salsa|fernet|secret_?box|unbound_?key|cipher|secret_?key_?spec"
    r"|(?<![a-z])(?:en|de)crypt|cryptor|import_?key|\.(?:key|iv)\s*+=|crypto_?key|wrapping|kek",
    re.IGNORECASE,
)
"""A word that some sign of a key has, wherever it is in a file."""
_OF_OBJECT: Final = re.compile(r"(?:\b(?:this|self)\s*+(?:\.|->)|[$@])[\w\s]*+$|(?<![\w.])_\w*+$")
"""The beginning of a name that is seen outside of its function."""
_RETURNED: Final = re.compile(r"(?:\breturn|=>)\s*+(?:await\s++)?+$")
_FILLED: Final = re.compile(r"&\s*mut\s++(?P<name>\w++)")
"""A variable that a call fills in."""


_STEPS: Final = 4
"""Names from one to another: a specification, what is made of it, the key, what a caller makes."""


class CallPlace(NamedTuple):
    """Where a call begins and ends, and where the function around it does."""

    start: int
    end: int
    limit: int


def makes_key(text: str, place: CallPlace, calls: tuple[CallPlace, ...]) -> bool:
    """Tell whether what a call makes goes into a cipher.

    ``calls`` are those of the function around it, which may return what it makes.
    """
    if not _speaks_of_keys(text):
        return False
    if _becomes_key(text, place, calls, _STEPS):
        return True
    filled = _FILLED.finditer(text, place.start, place.end)
    return any(is_key(text, name["name"], place.end, place.limit, calls) for name in filled)


@lru_cache(maxsize=1)
def _speaks_of_keys(text: str) -> bool:
    """Tell by a search once for all calls of a file whether there is a cipher in it."""
    return _SPEAKS_OF_KEYS.search(text) is not None


def is_key(
    text: str,
    name: str,
    start: int,
    end: int,
    calls: tuple[CallPlace, ...] = (),
    steps: int = _STEPS,
) -> bool:
    """Tell whether what has a name within some range goes into a cipher."""
    places = places_in(text)[name]
    uses = places[bisect_left(places, start) : bisect_left(places, end)]
    within = (CallPlace(use, use + len(name), end) for use in uses)
    return any(_becomes_key(text, use, calls, steps - 1) for use in within)


@lru_cache(maxsize=1)
def _asked(text: str) -> dict[tuple[CallPlace, tuple[CallPlace, ...], int], bool]:
    """Keep the answers of one text: names lead to each other, and each place is asked once."""
    return {}


def _becomes_key(text: str, place: CallPlace, calls: tuple[CallPlace, ...], steps: int) -> bool:
    asked = _asked(text)
    question = (place, calls, steps)
    if question not in asked:
        asked[question] = False  # As long as it is looked up.
        asked[question] = _goes_into_cipher(text, place, calls, steps)
    return asked[question]


def _goes_into_cipher(
    text: str, place: CallPlace, calls: tuple[CallPlace, ...], steps: int
) -> bool:
    start, end, limit = place
    before = max(0, start - BEFORE)
    if _PROPERTY.search(text, before, start):
        return True
    given = _GIVEN_TO.search(text, before, start)
    if given is not None and _is_key_of(given):
        return True
    if not steps:
        return False
    chain = CHAIN.match(text, end, limit)
    if chain is not None:
        end = chain.end()
    # What is given to a function becomes what that returns.
    ended = _ENDED.match(text, end, limit)
    if given is not None and ended is not None:
        result = CallPlace(given.start(), ended.end(), limit)
        return _becomes_key(text, result, calls, steps - 1)
    assigned = ASSIGNED.search(text, before, start)
    if assigned is not None:
        name = assigned["name"]
        if _KEY_NAME.search(name):
            return True
        if _OF_OBJECT.search(text, before, assigned.end("name")):
            return is_key(text, name, 0, len(text), (), steps)
        return is_key(text, name, end, limit, calls, steps)
    # A function that returns hashes of passwords, too, has a caller that wants one.
    if not (calls and _RETURNED.search(text, before, start)):
        return False
    return all(_becomes_key(text, call, (), steps - 1) for call in calls)


def _is_key_of(given: re.Match[str]) -> bool:
    """Tell whether what follows some arguments of a call is the key of a cipher."""
    if not _CIPHER.search(given["name"]):
        return False
    is_first = "," not in given["before"]
    return not (is_first and _TAKES_TEXT.match(last_word(given["name"])))
