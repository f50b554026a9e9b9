"""The encoding of a text that looks like a hash in an unknown format.

A shape consists of words of this file and of lengths, never of parts of the text, which may be
a password.
"""

import re
from operator import ne
from typing import Final

_MARKS: Final = {
    "$ID$ prefix": re.compile(r"\$[A-Za-z0-9_.,=+-]{1,32}\$.+"),
    "{SCHEME} prefix": re.compile(r"\{[A-Za-z0-9_.@+/, -]{1,40}\}.+"),
    "JSON object": re.compile(r'\{".*'),
}
_ALGORITHM: Final = re.compile(
    r"(?<![A-Za-z0-9])(?:(?P<plain>argon2id|bcrypt|scrypt)"
    r"|pbkdf2(?:(?:with|[-_:$.]{0,2})(?:hmac[-_]?)?sha[-_]?(?P<digest>1|256|512))?)"
    r"(?![A-Za-z0-9])",
    re.IGNORECASE,
)
# Fewest characters of a text without a prefix.
_SHORTEST = 16
_HEX: Final = re.compile("(?:[0-9a-f]{2}){8,}|(?:[0-9A-F]{2}){8,}")
# Fewest hexadecimal digits that need not have both letters and decimal digits.
_CERTAIN_HEX = 32
_BASE64: Final = re.compile("[A-Za-z0-9+/]{16,}={0,2}")
# A digest with its salt right behind it, which no phrase begins like.
_HEX_FIRST: Final = re.compile("(?:[0-9a-f]{32}|[0-9A-F]{32})[!-~]{1,64}")
# The alphabets of crypt(5) and of URLs, whose punctuation also joins words.
_OTHER_BASE64: Final = re.compile("[A-Za-z0-9./]{16,}|[A-Za-z0-9_-]{16,}={0,2}")
# Fewest characters that are more than any word has.
_CERTAIN_BASE64 = 40
# Fewest characters of which two kinds are enough: 16 bytes.
_LONG_BASE64 = 22
# Least share of neighbouring characters of different kinds; 0.64 for random text.
_CHANGES = 0.35
# Least share for the alphabets whose signs also join words.
_CHANGES_OTHER = 0.45


def shape_of(text: str) -> str | None:
    """Describe a text by its prefix or its encoding; `None` if it does not look like a hash."""
    for shape, pattern in _MARKS.items():
        if pattern.fullmatch(text):
            return shape
    if len(text) < _SHORTEST:
        return None
    bare = text.removeprefix("0x").removeprefix("\\x")  # Databases mark bytes.
    encoding = _encoded(bare)
    if encoding is not None:
        return encoding
    runs = [run for run in _BASE64.findall(text) if run != text and _encoded(run)]
    if not runs and _HEX_FIRST.fullmatch(text):
        return "hex, at least 32 characters, and more"
    if not runs:
        return None
    return f"fields, one of {_encoded(max(runs, key=len))}"


def algorithm_in(text: str) -> str | None:
    """Find the name of an algorithm between signs; `None` if the text names no algorithm."""
    word = _ALGORITHM.search(text)
    if word is None:
        return None
    if word["plain"]:
        return word["plain"].lower()
    if word["digest"]:
        return f"pbkdf2-sha{word['digest']}"
    return "pbkdf2"


def _encoded(text: str) -> str | None:
    """Tell the encoding of at least eight bytes (hex) or twelve (base64)."""
    if _HEX.fullmatch(text):
        if len(text) < _CERTAIN_HEX and (text.isalpha() or text.isdecimal()):
            return None
        return f"hex, {len(text)} characters"
    if _BASE64.fullmatch(text):
        is_base64 = len(text) >= _CERTAIN_BASE64 or _is_varied(text, _CHANGES)
    elif _OTHER_BASE64.fullmatch(text):
        is_base64 = _is_varied(text, _CHANGES_OTHER)
    else:
        is_base64 = False
    if not is_base64:
        return None
    return f"base64, {len(text)} characters"


def _is_varied(text: str, least_changes: float) -> bool:
    """Tell whether characters of several kinds alternate as in base64, not as in words."""
    bare = text.rstrip("=")
    kinds = [_kind(character) for character in bare]
    kinds_met = len(set(kinds))
    if len(bare) < len(text):
        return len(text) % 4 == 0 and kinds_met > 1
    if len(bare) % 4 == 1 and len(bare) < _CERTAIN_BASE64:  # Nothing is encoded in as many.
        return False
    kinds_needed = 3
    if len(bare) >= _LONG_BASE64:
        kinds_needed = 2
    if kinds_met < kinds_needed:
        return False
    changes: int = sum(map(ne, kinds, kinds[1:]))
    return changes >= least_changes * (len(bare) - 1)


def _kind(character: str) -> str:
    """Tell letters of either case, digits and signs apart."""
    if character.islower():
        return "a"
    if character.isupper():
        return "A"
    if character.isdigit():
        return "0"
    return "."
