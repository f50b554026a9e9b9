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
_SHORTEST = 16
"""Fewest characters of a text without a prefix."""
_HEX: Final = re.compile("(?:[0-9a-f]{2}){8,}|(?:[0-9A-F]{2}){8,}")
_CERTAIN_HEX = 32
"""Fewest hexadecimal digits that need not have both letters and decimal digits."""
_BASE64: Final = re.compile("[A-Za-z0-9+/]{16,}={0,2}")
_OTHER_BASE64: Final = re.compile("[A-Za-z0-9./]{16,}|[A-Za-z0-9_-]{16,}={0,2}")
"""The alphabets of crypt(5) and of URLs, whose punctuation also joins words."""
_CERTAIN_BASE64 = 40
"""Fewest characters that are more than any word has."""
_LONG_BASE64 = 22
"""Fewest characters of which two kinds are enough: 16 bytes."""
_LEAST_CHANGES, _LEAST_CHANGES_OTHER = 0.35, 0.45
"""Least share of neighbouring characters of different kinds; 0.64 for random text."""


def shape_of(text: str) -> str | None:
    """Describe a text by its prefix or its encoding; `None` if it does not look like a hash."""
    for shape, pattern in _MARKS.items():
        if pattern.fullmatch(text):
            return shape
    if len(text) < _SHORTEST:
        return None
    # Databases mark bytes.
    if encoding := _encoded(text.removeprefix("0x").removeprefix("\\x")):
        return encoding
    encodings = [(len(run), _encoded(run)) for run in _BASE64.findall(text) if run != text]
    _, encoding = max((one for one in encodings if one[1]), default=(0, None))
    return encoding and f"fields, one of {encoding}"


def _encoded(text: str) -> str | None:
    """The encoding of at least eight bytes (hex) or twelve (base64)."""
    if _HEX.fullmatch(text):
        is_hex = len(text) >= _CERTAIN_HEX or not (text.isalpha() or text.isdecimal())
        return f"hex, {len(text)} characters" if is_hex else None
    if _BASE64.fullmatch(text):
        is_base64 = len(text) >= _CERTAIN_BASE64 or _is_varied(text, _LEAST_CHANGES)
    else:
        is_base64 = bool(_OTHER_BASE64.fullmatch(text)) and _is_varied(text, _LEAST_CHANGES_OTHER)
    return f"base64, {len(text)} characters" if is_base64 else None


def _is_varied(text: str, least_changes: float) -> bool:
    """Whether characters of several kinds alternate as they do in base64, not as in words."""
    bare = text.rstrip("=")
    kinds = [
        "a" if c.islower() else "A" if c.isupper() else "0" if c.isdigit() else "." for c in bare
    ]
    if len(bare) < len(text):
        return len(text) % 4 == 0 and len({*kinds}) > 1
    if len(bare) % 4 == 1 and len(bare) < _CERTAIN_BASE64:  # Nothing is encoded in as many.
        return False
    if len({*kinds}) < (2 if len(bare) >= _LONG_BASE64 else 3):
        return False
    changes: int = sum(map(ne, kinds, kinds[1:]))
    return changes >= least_changes * (len(bare) - 1)
