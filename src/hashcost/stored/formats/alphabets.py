"""The characters that settings, salts and digests are written in, for patterns."""

from __future__ import annotations

from typing import Final

CRYPT64: Final = "[./0-9A-Za-z]"
"""crypt(5); bcrypt has the same characters in another order."""
BASE64: Final = "[A-Za-z0-9+/]"
ANY_BASE64: Final = "[A-Za-z0-9+/.]"
"""Also as passlib adapts it, with ``.`` for ``+``."""
HEX: Final = "[0-9A-Fa-f]"
SALT: Final = "[!-#%-9;-~]"
"""Visible, but for ``$`` and ``:``, which end a salt in crypt strings and in shadow."""
CONTROL: Final = "[\x00-\x1f\x7f-\x9f\ud800-\udfff]"
"""In no hash, but for what MySQL writes raw; surrogates are no text either."""
COUNT: Final = "[0-9]{1,10}"
"""A count of 32 bits; what it may be at most is for the reader to check."""


def bytes_of_base64(characters: int) -> int:
    """The bytes that so many base64 characters hold, padding not counted."""
    return characters * 3 // 4
