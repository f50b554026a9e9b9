"""From lines to the hashes in them: alone, behind a user's name, or in a column."""

from __future__ import annotations

import csv
import enum
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from typing import Any, Final

import msgspec

from hashcost.encoded.reading import Kind, Reading
from hashcost.errors import UnreadableInputError, UsageError
from hashcost.stored.lines import LONGEST, OVERLONG

_LOOKED_AT = 200
"""Lines that a layout is told by."""
_SHADOW_FIELDS: Final = frozenset({7, 9})
"""Of passwd(5) and of shadow(5)."""
_KNOWN: Final = frozenset({Kind.HASHED, Kind.FAST, Kind.LOCKED})


class Layout(enum.Enum):
    """How a file holds its hashes."""

    HASH = "hash"
    """One a line."""
    USER = "user"
    """Behind a name and a colon, as in htpasswd, passwd(5) and shadow(5)."""
    CSV = "csv"
    """In a column of comma-separated values."""
    JSONL = "jsonl"
    """In a member of a JSON object on each line."""


Read = Callable[[bytes | str], Reading]


def hashes_in(
    lines: Iterable[bytes], *, layout: Layout | None, column: str | None, read: Read
) -> tuple[Layout, Iterator[bytes | str]]:
    """The hashes in these lines, and the layout that they were found by.

    ``layout`` is told from the first lines where it is none; ``column`` is the name
    of a column or, of a file without names, its number from one. ``read`` is what
    reads a hash.

    Raises:
        UsageError: a column is needed, or named where there is none.
        UnreadableInputError: the column is not in the file.
    """
    if column is not None and layout in (Layout.HASH, Layout.USER):
        raise UsageError(f"--column has no use with --layout {layout.value}")
    rest = iter(lines)
    first = list(islice(rest, _LOOKED_AT))
    whole = chain(first, rest)
    if layout is None:
        layout = _told_from(first, column, read)
    if layout is Layout.HASH:
        return layout, _alone(whole)
    if layout is Layout.USER:
        return layout, _behind_names(whole)
    if column is None:
        raise UsageError(f"--column: name the column of the hashes in this {layout.value} file")
    return layout, _in_column(whole, column) if layout is Layout.CSV else _in_member(whole, column)


def _told_from(lines: Iterable[bytes], column: str | None, read: Read) -> Layout:
    """The layout in which more of the first lines hold something known."""
    shown = [line for line in lines if line.strip()]
    if column is not None:
        is_json = bool(shown) and shown[0].lstrip()[:1] == b"{" and shown[0].rstrip()[-1:] == b"}"
        return Layout.JSONL if is_json else Layout.CSV
    alone = sum(read(text).kind in _KNOWN for text in _alone(shown))
    named = sum(read(text).kind in _KNOWN for text in _behind_names(shown))
    if alone == named == 0:
        colons = sum(b":" in line for line in shown)
        return Layout.USER if shown and colons == len(shown) else Layout.HASH
    return Layout.USER if named > alone else Layout.HASH


def _alone(lines: Iterable[bytes]) -> Iterator[bytes]:
    for line in lines:
        text = line.strip(b" \t")
        if text and text[:1] != b"#":
            yield text


def _behind_names(lines: Iterable[bytes]) -> Iterator[bytes]:
    """What follows the name; of passwd and shadow the second field alone."""
    for line in lines:
        if line is OVERLONG:
            yield line
            continue
        text = line.strip(b" \t")
        if not text or text[:1] == b"#":
            continue
        _, _, rest = text.partition(b":")
        if b":" in rest and text.count(b":") + 1 in _SHADOW_FIELDS:
            rest = rest.partition(b":")[0]
        yield rest


def _in_column(lines: Iterable[bytes], column: str) -> Iterator[str]:
    csv.field_size_limit(LONGEST)
    rows = csv.reader(line.decode(errors="surrogateescape") for line in lines if line)
    first = next(_whole(rows), None)
    if first is None:
        return
    if column in first:
        index = first.index(column)
    elif column.isdecimal() and 0 < int(column) <= len(first):
        index = int(column) - 1
        yield first[index]
    else:
        raise UnreadableInputError(
            f"--column: the file has no column {column[:60]!r} among its {len(first)};"
            " name one of its first line, or give a number from 1"
        )
    for row in _whole(rows):
        yield row[index] if index < len(row) else ""


def _whole(rows: Iterator[list[str]]) -> Iterator[list[str]]:
    """The rows that can be read; another one stands as an unreadable one."""
    while True:
        try:
            row = next(rows)
        except StopIteration:
            return
        except csv.Error:
            yield ["\x00"]
            continue
        yield row


def _in_member(lines: Iterable[bytes], column: str) -> Iterator[bytes | str]:
    row = msgspec.defstruct("Row", [("value", str | None, None)], rename={"value": column})
    decode: Callable[[bytes], Any] = msgspec.json.Decoder(row).decode
    for line in lines:
        if not line.strip():
            continue
        try:
            value: str | None = decode(line).value
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            yield OVERLONG
            continue
        yield "" if value is None else value
