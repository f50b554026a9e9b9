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
TEXT: Final = r"[^\x00-\x1f\x7f]*"
"""Anything that may be typed."""
COUNT: Final = "[0-9]{1,10}"
"""A count of 32 bits; what it may be at most is for the reader to check."""


def base64_of(size: int) -> str:
    """The pattern of so many bytes, with what fills the last group of characters."""
    return f"{BASE64}{{{-(-size * 4 // 3)}}}={{{-size % 3}}}"


def at_least(size: int) -> str:
    """The pattern of so many bytes or more in base64."""
    return f"{BASE64}{{{-(-size * 4 // 3)},}}={{0,2}}"
