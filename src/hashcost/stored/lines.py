"""Lines of a file of any size, in bounded memory."""

import codecs
import re
from collections.abc import Callable, Iterator
from io import BufferedIOBase
from typing import Final

from hashcost.core.errors import UnreadableInputError
from hashcost.storage.kinds import BEGINNING, strange_kind

LONGEST: Final = 1 << 16
"""Most bytes of a line; a longer one is replaced by `OVERLONG`."""

OVERLONG: Final = b"\x00" * (LONGEST + 1)
"""Replaces a line that is too long; no hash is read from it."""

BROKEN: Final = b"\x00"
"""Replaces a line or a value that cannot be read; no hash is read from it."""

COMMENT_SIGNS: Final = (b"#", b";")
"""How comments begin in lists of users; the semicolon is PgBouncer's."""

_CHUNK = 1 << 18
# How a line of SQL begins that has rows of values, and what is left of one.
_VALUES: Final = re.compile(rb"(?:INSERT|REPLACE) |,\(", re.IGNORECASE)
# Kinds of content in which hashes are looked for: fields of fixed width are filled with NUL.
_LINES: Final = frozenset({"", "empty", "binary"})
_CURES: Final = {
    "an SQLite database": "read it with --database sqlite:///FILE and --query",
    "text in UTF-16": "convert it first: iconv -f UTF-16 -t UTF-8",
}


def lines_of(
    stream: BufferedIOBase, progress: Callable[[int], None] | None = None
) -> Iterator[bytes]:
    """Yield the lines without their ends, whatever their bytes and length.

    A byte order mark at the start is left out. ``progress`` is told the bytes read so far.

    Raises:
        UnreadableInputError: the bytes are an image, a web page, a profile or the like.
    """
    rest = b""
    count = 0
    for chunk in _chunks_of(stream):
        count += len(chunk)
        if progress is not None:
            progress(count)
        *whole, last = (rest + chunk).split(b"\n")
        for line in whole:
            yield from map(_line, _rows_of(line))
        *rows, rest = _rows_of(last)
        yield from map(_line, rows)
        rest = rest[: LONGEST + 1]
    if rest:
        yield from map(_line, _rows_of(rest))


def _rows_of(line: bytes) -> Iterator[bytes]:
    """Divide a line of SQL that is too long between rows of values; others stay whole."""
    while len(line) > LONGEST and _VALUES.match(line):
        end = line.rfind(b"),(", 0, LONGEST) + 1
        if not end:
            break
        yield line[:end]
        line = line[end:]
    yield line


def _line(text: bytes) -> bytes:
    if len(text) > LONGEST:
        return OVERLONG
    return text.removesuffix(b"\r")


def _chunks_of(stream: BufferedIOBase) -> Iterator[bytes]:
    """Take the bytes behind a byte order mark as they come, so that Ctrl-C is never waited for."""
    first = b""
    while len(first) < BEGINNING:
        chunk = stream.read1(_CHUNK)
        if not chunk:
            break
        first += chunk
    kind = strange_kind(first[:BEGINNING])
    if kind not in _LINES:
        cure = _CURES.get(kind, "name a file of stored hashes")
        raise UnreadableInputError(f"the input is {kind}; {cure}")
    yield first.removeprefix(codecs.BOM_UTF8)
    while chunk := stream.read1(_CHUNK):
        yield chunk
