"""Hashes in a column of a table, whose cells commas, tabs or other signs divide."""

import contextlib
import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Final, TypeAlias

from hashcost.core.errors import UnreadableInputError
from hashcost.stored.formats.reading import OPEN_HASHES, HashReader, Kind
from hashcost.stored.formats.shapes import algorithm_in
from hashcost.stored.lines import BROKEN, LONGEST

Stored: TypeAlias = tuple[bytes | str, ...]
"""A hash, and what else is asked of its row; an empty text is a value that the row lacks."""
COLUMN_OPTIONS: Final = ("--column", "--last-login")
"""The options that name the columns."""
_DELIMITERS: Final = (",", "\t", ";")
_RULE: Final = "|"
"""Stands between the cells of tables that psql and MySQL's client draw."""
_RULER: Final = re.compile(rb"\s*+[-+|]*+\s*+|\(?+[0-9]{1,20} rows?\b.*")
"""A line of such a table that has no cells."""
_WORD: Final = re.compile(r"[\w.:-]{1,40}")
_COLUMN = re.compile("[0-9]{1,9}")
# Titles that a column of hashes may have.
_TITLE = re.compile(
    r"(?=[\w .-]*(?:pass|pwd|hash|digest|secret|crypt|argon|pbkdf|md5|sha-?[1235])|pw$)"
    r"[\w .-]++(?<!salt)(?<!token)",
    re.IGNORECASE,
)


def is_title(name: str | bytes) -> bool:
    """Tell whether a column or a member has a title that one of hashes may have."""
    if isinstance(name, bytes):
        name = name.decode(errors="replace")
    return _TITLE.fullmatch(name) is not None


def column_of_hashes(lines: Iterable[bytes], read: HashReader) -> int:
    """Find the number of the first cell between delimiters that is a hash; 0 if none is.

    Before a password hash, a digest may be somebody's number.
    """
    digest = 0
    for line in lines:
        for delimiter in _DELIMITERS:
            row = _row(line, delimiter)
            for number, cell in enumerate(row, start=1):
                kind = read(cell.strip()).kind
                if len(row) > 1 and kind is Kind.HASHED:
                    return number
                if len(row) > 1 and kind is Kind.FAST:
                    digest = digest or number
    return digest


def titles_of(lines: Sequence[bytes]) -> list[str]:
    """Take the cells of the first line if all lines have as many, as in a table."""
    for delimiter in _DELIMITERS:
        rows = [_row(line, delimiter) for line in lines]
        if len({len(row) for row in rows}) != 1 or len(rows) < 2 or len(rows[0]) < 2:
            continue
        titles = [title.strip() for title in rows[0]]
        # A mark at the end of each line, as in programs, divides nothing.
        if all(titles):
            return titles
    return []


def titled_column(titles: Iterable[str]) -> int:
    """Find the number of the title that is one of hashes; 0 if none is."""
    for number, title in enumerate(titles, start=1):
        if is_title(title):
            return number
    return 0


def delimiter_of(lines: Iterable[bytes], column: str) -> str:
    """Tell the delimiter by which the first line has the column, or else the likeliest."""
    first = next((line for line in lines if not _RULER.fullmatch(line)), b"")
    for delimiter in (*_DELIMITERS, _RULE):
        if column in map(str.strip, _row(first, delimiter)):
            return delimiter
    if b"\t" in first:
        return "\t"
    if first.count(b";") > first.count(b","):
        return ";"
    return ","


def _row(line: bytes, delimiter: str) -> list[str]:
    text = line.decode(errors="surrogateescape")
    with contextlib.suppress(csv.Error):
        return next(_reader([text], delimiter, strict=False), [])
    return []


def _reader(lines: Iterable[str], delimiter: str, *, strict: bool) -> Iterator[list[str]]:
    csv.field_size_limit(2 * LONGEST)
    return csv.reader(lines, delimiter=delimiter, skipinitialspace=True, strict=strict)


def in_columns(
    lines: Iterable[bytes], columns: Sequence[str], delimiter: str, read: HashReader
) -> Iterator[Stored]:
    """Read the columns; a digest without a mark has the hasher that its row names behind it."""
    if delimiter == _RULE:
        lines = (line for line in lines if not _RULER.fullmatch(line))
    rows = _rows(lines, delimiter)
    first = next(rows, None)
    if first is None:
        return
    if not first:
        raise UnreadableInputError(
            "--column: the first row of the file cannot be read; name another --layout"
        )
    names = [name.strip() for name in first]
    indices = []
    for option, column in zip(COLUMN_OPTIONS, columns, strict=False):
        indices.append(column_index(column, names, option))
    # A number may stand for a column of a file without titles.
    has_titles = any(map(is_title, names)) and not _has_hash(names, read)
    if columns[0] not in names and not has_titles:
        rows = chain([first], rows)
    for row in rows:
        if indices[0] >= len(row):
            yield (BROKEN, *[""] * (len(columns) - 1))
            continue
        # Of a row that ends early, only the hash must be there.
        padded = row + [""] * (max(indices) + 1 - len(row))
        text, *others = (padded[index].strip() for index in indices)
        beside = [cell for number, cell in enumerate(row) if number != indices[0]]
        yield (_with_its_hasher(text, beside, read), *others)


def _has_hash(cells: Iterable[str], read: HashReader) -> bool:
    return any(read(cell).kind in OPEN_HASHES for cell in cells)


def _with_its_hasher(text: str, beside: Sequence[str], read: HashReader) -> str:
    """Add the hasher that another cell names to what else looks like a plain digest."""
    if read(text).kind is not Kind.FAST:
        return text
    for cell in beside:
        hasher = algorithm_in(cell)
        # A whole hash in another cell, or a sentence, tells nothing of this one.
        if hasher is not None and _WORD.fullmatch(cell.strip()):
            return f"{text} {hasher}"
    return text


def column_index(column: str, names: Sequence[str], option: str) -> int:
    """Find the column that an option names, or gives the number of, from one.

    Raises:
        UnreadableInputError: the column is missing.
    """
    if column in names:
        return names.index(column)
    if _COLUMN.fullmatch(column) and 0 < int(column) <= len(names):
        return int(column) - 1
    # Where the file has no titles, they are somebody's values, and none is shown.
    raise UnreadableInputError(
        f"{option}: this is not one of the {len(names)} columns; name one by its title, or give"
        " a number from 1"
    )


def _rows(lines: Iterable[bytes], delimiter: str) -> Iterator[list[str]]:
    """Read the rows; each line of one that cannot be read makes an empty one."""
    feed = _Feed(iter(lines))
    rows = _reader(feed, delimiter, strict=True)
    while True:
        try:
            row = next(rows)
        except StopIteration:
            return
        except csv.Error:
            for _ in range(feed.lines):
                yield []
        else:
            yield row
        feed.lines = 0
        feed.size = 0


class _Feed:
    """Lines for a reader that would gather one row from any number of them."""

    def __init__(self, lines: Iterator[bytes]) -> None:
        self._lines = lines
        # Those of the present row, and their bytes.
        self.lines = 0
        self.size = 0

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = next(filter(None, self._lines))
        self.lines += 1
        self.size += len(line)
        if self.size > LONGEST:
            raise csv.Error
        return line.decode(errors="surrogateescape")
