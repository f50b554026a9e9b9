"""The words of a file, in a few bytes, so that thousands of files can be asked for a name."""

import string
from collections.abc import Sequence
from typing import Final
from zlib import crc32

_BYTES: Final = 1 << 12
"""For one file of any size; two hundred words set one bit in 160."""
_LETTERS: Final = f"{string.ascii_letters}{string.digits}_".encode()
_OTHERS_ARE_BLANK: Final = bytes(code if code in _LETTERS else ord(" ") for code in range(256))
"""Leaves ASCII letters, digits and underscores; any other sign, such as ``ü``, ends a word."""


def marks_in(content: bytes) -> bytes:
    """Mark the words of a file in a Bloom filter with one hash (Bloom 1970)."""
    marked = bytearray(_BYTES)
    for word in set(content.translate(_OTHERS_ARE_BLANK).split()):
        place, bit = _mark_of(word)
        marked[place] |= bit
    return bytes(marked)


def marks_of(name: str) -> list[tuple[int, int]]:
    """List the marks of the words of a name, each with its place and its bit."""
    return [_mark_of(word) for word in name.encode().translate(_OTHERS_ARE_BLANK).split()]


def may_have(marked: bytes, marks: Sequence[tuple[int, int]]) -> bool:
    """Tell whether a file may have a name; without one of its marks, it does not."""
    return all(marked[place] & bit for place, bit in marks)


def _mark_of(word: bytes) -> tuple[int, int]:
    # Several processes have to agree, and each has another hash of Python's own.
    place, bit = divmod(crc32(word) % (8 * _BYTES), 8)
    return place, 1 << bit
