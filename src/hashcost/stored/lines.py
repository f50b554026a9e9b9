"""Lines of a file of any size, in bounded memory."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator
from typing import BinaryIO, Final

from hashcost.errors import UnreadableInputError

LONGEST: Final = 1 << 16
"""Bytes of a line above which its content is dropped and `OVERLONG` stands for it."""

OVERLONG: Final = b"\x00" * (LONGEST + 1)
"""Stands for a line that was too long to be looked at; no hash is read from it."""

_CHUNK = 1 << 18
_UTF_16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)

Progress = Callable[[int], None]
"""Told how many bytes have been read in all."""


def lines_of(stream: BinaryIO, progress: Progress | None = None) -> Iterator[bytes]:
    """The lines without their ends, whatever the bytes are and however long a line is.

    A byte order mark at the start is no part of the first one.

    Raises:
        UnreadableInputError: the mark is that of UTF-16.
    """
    kept = b""
    dropping = False
    count = 0
    while chunk := stream.read(_CHUNK):
        if count == 0:
            if chunk.startswith(_UTF_16):
                raise UnreadableInputError(
                    "the text is UTF-16; convert it first: iconv -f UTF-16 -t UTF-8"
                )
            chunk = chunk.removeprefix(codecs.BOM_UTF8)
        count += len(chunk)
        if progress is not None:
            progress(count)
        first, *others = chunk.split(b"\n")
        if dropping or len(kept) + len(first) > LONGEST:
            dropping, kept = True, b""
        else:
            kept += first
        if not others:
            continue
        yield OVERLONG if dropping else kept.removesuffix(b"\r")
        *whole, kept = others
        for line in whole:
            yield line.removesuffix(b"\r") if len(line) <= LONGEST else OVERLONG
        dropping = len(kept) > LONGEST
        kept = b"" if dropping else kept
    if dropping or kept:
        yield OVERLONG if dropping else kept.removesuffix(b"\r")
