"""Lines of a file of any size, in bounded memory."""

import codecs
from collections.abc import Callable, Iterator
from io import BufferedIOBase
from typing import Final

from hashcost.core.errors import UnreadableInputError

LONGEST: Final = 1 << 16
"""Bytes of a line above which its content is dropped and `OVERLONG` stands for it."""

OVERLONG: Final = b"\x00" * (LONGEST + 1)
"""Stands for a line that was too long to be looked at; no hash is read from it."""

BROKEN: Final = b"\x00"
"""Stands for a line or a value that cannot be read; no hash is read from it."""

_CHUNK = 1 << 18
_UTF_16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)

_SQLITE: Final = b"SQLite format 3\x00"
"""How a database file begins (sqlite.org, "Database File Format", 1.3)."""


def lines_of(
    stream: BufferedIOBase, progress: Callable[[int], None] | None = None
) -> Iterator[bytes]:
    """Yield the lines without their ends, whatever the bytes are and however long a line is.

    A byte order mark at the start is left out. ``progress`` is told the bytes read so far.

    Raises:
        UnreadableInputError: the mark is that of UTF-16, or the bytes are a database.
    """
    rest, count = b"", 0
    for chunk in _chunks_of(stream):
        count += len(chunk)
        if progress is not None:
            progress(count)
        *whole, last = (rest + chunk).split(b"\n")
        for line in whole:
            yield line.removesuffix(b"\r") if len(line) <= LONGEST else OVERLONG
        rest = last[: LONGEST + 1]
    if rest:
        yield rest.removesuffix(b"\r") if len(rest) <= LONGEST else OVERLONG


def _chunks_of(stream: BufferedIOBase) -> Iterator[bytes]:
    """The bytes behind a byte order mark as they come, so that Ctrl-C is never waited for."""
    first = b""
    while len(first) < len(_SQLITE) and (chunk := stream.read1(_CHUNK)):
        first += chunk
    if first.startswith(_UTF_16):
        raise UnreadableInputError(
            "the text is UTF-16; convert it first: iconv -f UTF-16 -t UTF-8"
        )
    if first.startswith(_SQLITE):
        raise UnreadableInputError(
            "the file is an SQLite database; read it with --database sqlite:///FILE and --query"
        )
    if first := first.removeprefix(codecs.BOM_UTF8):
        yield first
    while chunk := stream.read1(_CHUNK):
        yield chunk
