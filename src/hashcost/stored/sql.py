"""Passwords in SQL, as mysqldump, pg_dump and sqlite3 write it, and as seeds are written by hand.

No parser of SQL reads a dump in bounded memory. This one follows a statement from line to line,
and knows rows of values, quoted texts and the columns of tables.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from hashcost.stored.formats.reading import HASHES, HashReader, Kind
from hashcost.stored.lines import BROKEN, LONGEST, OVERLONG
from hashcost.stored.named import named_in

_FIRST_ROWS = 200
"""Rows of a table that show which of its columns has hashes."""
_NAME: Final = rb"[`\"\[]?(?:\w{1,64}[`\"\]]?\.[`\"\[]?)?(?P<table>\w{1,64})[`\"\]]?"
_CREATE: Final = re.compile(
    rb"^\s*+CREATE (?:TEMP(?:ORARY)? )?TABLE (?:IF NOT EXISTS )?%s\s*+\((?P<columns>.*)" % _NAME,
    re.IGNORECASE | re.DOTALL,
)
_INSERT: Final = re.compile(
    rb"^\s*+(?:INSERT|REPLACE) (?:(?:OR )?\w{1,20} )?(?:INTO |(?=\[))%s\s*+"
    rb"(?:\((?P<columns>[^()]{1,4000}+)\)\s*+)?(?:VALUES?\b)?(?P<rows>.*)" % _NAME,
    re.IGNORECASE | re.DOTALL,
)
_COPY: Final = re.compile(
    rb"COPY %s \((?P<columns>[^()]{1,4000}+)\) FROM stdin;.*" % _NAME, re.IGNORECASE | re.DOTALL
)
_COMMENT: Final = re.compile(rb"^\s*+(?:--|#|/\*(?!!))")
_COLUMN: Final = re.compile(rb"[\s,]*+[`\"\[]?(?P<name>\w{1,64})[`\"\]]?(?=[\s,]|$)")
_NO_COLUMN: Final = frozenset(
    {b"primary", b"key", b"unique", b"constraint", b"foreign", b"index", b"check", b"fulltext"}
)
# A quoted text, a sign between values, anything else up to one, or a text that a later line ends.
_TOKEN: Final = re.compile(rb"'(?:[^'\\]|\\.|'')*+'|[(),;]|[^'(),;]++|(?P<open>'.*+)", re.DOTALL)
_MARKED: Final = re.compile(rb"^[NnEe](?=')")
_ESCAPED: Final = re.compile(rb"\\(.)|'(')", re.DOTALL)
_TITLE: Final = re.compile(rb"pass|pwd|pw$|crypt|argon|pbkdf", re.IGNORECASE)
"""The title of a column of passwords."""
_HASH_TITLE: Final = re.compile(rb"hash|digest", re.IGNORECASE)
_PASSWORD: Final = re.compile(rb"(?:pass(?:w(?:or)?d)?|pwd|pw)$", re.IGNORECASE)
"""The title of a column beside which a hash is one of something else."""
_ONLY_HASH: Final = re.compile(rb"(?:pw|user)?_?(?:hash|digest)", re.IGNORECASE)
"""The title of a column that has the hash where the one of passwords is empty."""
_NOTHING: Final = frozenset({b"", b"NULL", b"null", rb"\N"})
_OF_USERS: Final = re.compile(
    rb"user|account|member|login|auth|credential|password", re.IGNORECASE
)
"""The name of a table in which a hash is that of a password."""
_ELSE: Final = re.compile(rb"(?:salt|token|hint|iv|nonce|_at|date|time)$", re.IGNORECASE)
_HISTORY: Final = re.compile(rb"histor|reset|token|session", re.IGNORECASE)
_OPEN: Final = HASHES - {Kind.LOCKED}
_SHOWS_HASHES: Final = _OPEN | {Kind.UNRECOGNISED}


def is_sql(lines: Sequence[bytes]) -> bool:
    """Tell whether one of the first lines makes a table, or puts rows into one."""
    patterns = (_CREATE, _INSERT, _COPY)
    return any(pattern.match(line) for line in lines for pattern in patterns)


def hashes_in(lines: Iterable[bytes], read: HashReader) -> Iterator[bytes]:
    """Find the values of columns that have passwords; elsewhere, hashes that name their format."""
    reader = _Reader(read)
    for line in lines:
        yield from reader.feed(line)


class _Reader:
    """The state between lines: the statement, and the columns of the tables so far."""

    def __init__(self, read: HashReader) -> None:
        self._read = read
        self._columns: dict[bytes, list[bytes]] = {}
        self._creates: bytes | None = None
        self._copies: _TableRows | None = None
        self._inserts: _TableRows | None = None
        # Whether a text of the rows, or a comment, goes on in the next line.
        self._is_open = False
        self._is_comment = False

    def feed(self, line: bytes) -> Iterator[bytes]:
        """Read the next line."""
        if line is OVERLONG:
            yield BROKEN
        elif self._is_in_comment(line):
            return
        elif self._copies is not None:
            yield from self._copied(line)
        elif self._creates is not None:
            self._created(line)
        elif self._inserts is not None:
            yield from self._inserted(line)
        else:
            yield from self._started(line)

    def _is_in_comment(self, line: bytes) -> bool:
        """Tell whether a line is a comment, which is never within texts or copied rows."""
        if self._is_open or self._copies is not None:
            return False
        was_comment = self._is_comment
        begins = _COMMENT.match(line) is not None
        if was_comment or begins:
            # MySQL runs what is in `/*! */`.
            self._is_comment = (was_comment or b"/*" in line) and b"*/" not in line
        return was_comment or begins

    def _started(self, line: bytes) -> Iterator[bytes]:
        """Read the first line of a statement, or one between statements."""
        copy = _COPY.match(line)
        create = _CREATE.match(line)
        insert = _INSERT.match(line)
        if copy is not None:
            self._copies = self._rows(copy["table"], _names_in(copy["columns"]))
        elif create is not None:
            if len(self._columns) == LONGEST:
                self._columns.clear()
            self._creates = create["table"].lower()
            self._columns[self._creates] = []
            self._created(create["columns"])
        elif insert is not None:
            self._inserts = self._rows(insert["table"], _names_in(insert["columns"] or b""))
            yield from self._inserted(insert["rows"])
        else:
            yield from (text for _, text in named_in(line, self._read))

    def _rows(self, table: bytes, names: Sequence[bytes]) -> "_TableRows":
        """Begin rows for a table, which may have more columns than those ``names``."""
        columns = self._columns.get(table.lower(), [])
        named = names or columns
        titled = _titled_in(table, named)
        spare: list[int] = []
        if any(_PASSWORD.search(name) for name in [*named, *columns]):
            spare = [number for number in titled if _ONLY_HASH.fullmatch(named[number])]
            titled = [number for number in titled if _TITLE.search(named[number])]
        return _TableRows(self._read, titled, spare, is_untitled=not named)

    def _created(self, text: bytes) -> None:
        """Read columns of a table; a line may have several."""
        columns = self._columns[self._creates or b""]
        depth = 0
        is_first = True
        for match in _TOKEN.finditer(text):
            token = match[0]
            if token == b"(":
                depth += 1
            elif token == b")" and depth:
                depth -= 1
            elif token in (b")", b";"):
                self._creates = None
                return
            elif token == b",":
                is_first = is_first or not depth
            elif is_first and not depth and len(columns) < LONGEST:
                name = _COLUMN.match(token)
                if name is not None and name["name"].lower() not in _NO_COLUMN:
                    columns.append(name["name"])
                is_first = False

    def _copied(self, line: bytes) -> Iterator[bytes]:
        """Read a row between tabs."""
        rows = self._copies
        if line == rb"\." or rows is None:
            self._copies = None
            return
        yield from rows.add(line.split(b"\t"))

    def _inserted(self, line: bytes) -> Iterator[bytes]:
        """Read the rows of a line."""
        rows = self._inserts
        if rows is None:
            return
        if self._is_open:
            line = b"'" + line
        self._is_open = False
        for token in _TOKEN.finditer(line):
            if token[0] == b";" and not rows.depth:
                self._inserts = None
                return
            self._is_open = token["open"] is not None
            yield from rows.take(token[0])
            if rows.size > LONGEST:  # Its end is missing.
                self._inserts, self._is_open = None, False
                yield BROKEN
                return


class _TableRows:
    """Rows of values for one table."""

    def __init__(
        self, read: HashReader, titled: Sequence[int], spare: Sequence[int], *, is_untitled: bool
    ) -> None:
        self._read = read
        self._spare = spare
        """Columns that have the hash of a row whose titled ones are empty."""
        self.depth = 0
        self.size = 0
        """Bytes of the present row so far."""
        self._row: list[bytes] = []
        self._value = b""
        self._titled = titled
        self._is_untitled = is_untitled
        self._chosen: int | None = None
        self._waiting: list[list[bytes]] = []

    def take(self, token: bytes) -> Iterator[bytes]:
        """Read the next text or sign."""
        self.size += len(token)
        if token == b"(":
            self.depth += 1
            if self.depth > 1:
                self._value += token
        elif token == b")":
            self.depth = max(0, self.depth - 1)
            if self.depth:
                self._value += token
                return
            yield from self.add([*self._row, self._value.strip()])
            self._row, self._value, self.size = [], b"", 0
        elif token == b"," and self.depth == 1:
            self._row.append(self._value.strip())
            self._value = b""
        elif self.depth:
            self._value += token

    def add(self, row: Sequence[bytes]) -> Iterator[bytes]:
        """Take a row: the value of its column of passwords, or hashes anywhere in it."""
        spare = [number for number in self._spare if self._is_hash(row, number)]
        passwords = [_text(row[number]) for number in self._titled if number < len(row)]
        if spare and passwords and _NOTHING.issuperset(passwords):
            yield _text(row[spare[0]])
            return
        if self._chosen is None and len(self._waiting) < _FIRST_ROWS:
            shows = [number for number in self._titled if self._is_hash(row, number)]
            if self._is_untitled:
                shows = [number for number, _ in enumerate(row) if self._is_certain(row[number])]
            if shows:
                self._chosen = shows[0]
                yield from (_text(one[shows[0]]) for one in self._waiting if shows[0] < len(one))
            elif self._titled or self._is_untitled:
                self._waiting.append(list(row))
        if self._chosen is not None and self._chosen < len(row):
            yield _text(row[self._chosen])
        elif self._chosen is None:
            for number, value in enumerate(row):
                if number not in self._titled:
                    yield from (text for _, text in named_in(_text(value), self._read))

    def _is_hash(self, row: Sequence[bytes], number: int) -> bool:
        return number < len(row) and self._read(_text(row[number])).kind in _SHOWS_HASHES

    def _is_certain(self, value: bytes) -> bool:
        """Tell whether a value is a hash whatever its column is called."""
        reading = self._read(_text(value))
        return reading.kind in _OPEN and "unmarked" not in reading.notes


def _names_in(text: bytes) -> list[bytes]:
    return [name.strip(b' \t\r\n`"[]') for name in text.split(b",") if name.strip()]


def _titled_in(table: bytes, names: Sequence[bytes]) -> list[int]:
    """Find the columns of a table that may have its users' passwords."""
    if _HISTORY.search(table):
        return []
    return [number for number, name in enumerate(names) if _is_titled(name, table)]


def _is_titled(name: bytes, table: bytes) -> bool:
    """Tell whether a column has passwords by its title."""
    if _ELSE.search(name):
        return False
    is_hash = _HASH_TITLE.search(name) is not None and _OF_USERS.search(table) is not None
    return is_hash or _TITLE.search(name) is not None


def _text(value: bytes) -> bytes:
    """Take the text between quotation marks, or what is written without them."""
    # SQL Server marks texts in Unicode, and PostgreSQL those with backslashes.
    value = _MARKED.sub(b"", value)
    if value[:1] != b"'":
        return value
    return _ESCAPED.sub(rb"\1\2", value[1:-1])
