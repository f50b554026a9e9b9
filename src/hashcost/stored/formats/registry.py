"""All formats, and the reading of one stored string.

libpass could read fifty of these formats, in 6 µs where this takes 1.3 µs; it keeps salt and
digest, and knows neither yescrypt nor what most applications write. The tests compare with it.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache, lru_cache, partial
from typing import Final, NamedTuple, TypeAlias

import msgspec

from hashcost.core.errors import UnknownNameError
from hashcost.core.text import quoted
from hashcost.stored.formats.costs import READERS, SETTINGS, counted
from hashcost.stored.formats.reading import NULL, SHORTEST, HashReading, Kind, MaybeReading
from hashcost.stored.formats.rows import Row, rows_of
from hashcost.stored.formats.shapes import algorithm_in, shape_of

FormatReader: TypeAlias = Callable[[str], MaybeReading]
"""Reads a string in one format; `None` if it is not in that format or its cost is illegal."""

# Settings that each format keeps; hashes of one application have but a few.
_REMEMBERED: Final = 256
# Characters that only MySQL's raw hashes have; surrogates are not text either.
_CONTROL: Final = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_LOCK = re.compile(r"(?:\*(?:LK|NP|LOCKED)\*|[!*])+")
# Words in place of a hash; ``x`` means that it is in shadow(5).
_WORDS: Final = frozenset(("x", "NP", "LK", "UP"))
_LOCKED: Final = HashReading(kind=Kind.LOCKED, format="locked")
# How exports write NULL: MySQL's client and JSON, PostgreSQL's COPY and MySQL's INTO OUTFILE.
_NULLS: Final = frozenset((NULL, "null", r"\N"))
# The name of an algorithm, before a hash that names its format.
_NAME_BEFORE: Final = re.compile(r"\$?(?P<name>[A-Za-z][A-Za-z0-9_-]{2,30})[$:|.=]?(?=\$)")


class Format(NamedTuple):
    """A format and its reader."""

    row: Row
    read: FormatReader


class FormatTable:
    """Formats by prefix and length; those of one application come first."""

    def __init__(self, formats: Iterable[Format], app: str | None = None) -> None:
        """Index the formats; those that the application writes come first."""
        self._app = app
        usable = [one for one in formats if app in one.row.apps or not one.row.needs_app]
        usable.sort(key=self._is_foreign)
        self._by_start: dict[str | int | None, list[Format]] = {}
        for one in usable:
            starts: tuple[str | int | None, ...] = (*one.row.prefixes, *one.row.lengths)
            for start in starts or (None,):
                self._by_start.setdefault(start, []).append(one)
        prefixes = [start for start in self._by_start if isinstance(start, str)]
        # The longest is met first, and then has the formats of the prefixes that begin it.
        prefixes.sort(key=len, reverse=True)
        starts_of_texts = []
        for prefix in prefixes:
            escaped = re.escape(prefix)
            if prefix.startswith("{"):  # Schemes in braces are written in any case.
                escaped = f"(?i:{escaped})"
                if prefix != prefix.upper():
                    self._by_start[prefix] += self._by_start.get(prefix.upper(), [])
            for shorter in prefixes:
                if shorter != prefix and prefix.startswith(shorter):
                    self._by_start[prefix] += self._by_start[shorter]
            starts_of_texts.append(escaped)
        self._prefix = re.compile("|".join(starts_of_texts))

    def read(self, text: str) -> MaybeReading:
        """Read a text in one of the formats; `None` if it is in no format.

        It is malformed only if it has a prefix of its own and no format reads it.
        """
        by_start = self._by_start
        match = self._prefix.match(text)
        formats: list[Format] = []
        if match is not None:
            prefix = match[0]
            formats = by_start.get(prefix) or by_start.get(prefix.upper(), [])
        groups = [formats]
        if len(text) >= SHORTEST:
            groups += [by_start.get(len(text), []), by_start.get(None, [])]
        for group in groups:
            reading = self._read_as(group, text)
            if reading is not None:
                return reading
        if formats and not formats[0].row.shared:
            return HashReading(kind=Kind.UNREADABLE, format=formats[0].row.name)
        return None

    def read_lock(self, text: str) -> MaybeReading:
        """Read a field of passwd(5) or shadow(5) that locks an account.

        What is known of the hash that ``usermod -U`` would bring back is kept.
        """
        lock = _LOCK.match(text)
        if text in _WORDS:
            return _LOCKED
        if lock is None or _CONTROL.search(text):
            return None
        reading = self.read(text[lock.end() :])
        if reading is None or reading.kind not in {Kind.HASHED, Kind.FAST}:
            return _LOCKED
        return msgspec.structs.replace(reading, kind=Kind.LOCKED, notes=(*reading.notes, "locked"))

    def _read_as(self, formats: list[Format], text: str) -> MaybeReading:
        likeliest = None
        for one in formats:
            reading = one.read(text)
            if reading is None:
                continue
            if likeliest is None:
                likeliest = reading
                if not self._is_foreign(one):
                    break
            elif (reading.hasher, reading.params) != (likeliest.hasher, likeliest.params):
                notes = (*likeliest.notes, "ambiguous-prefix")
                return msgspec.structs.replace(likeliest, notes=notes)
        return likeliest

    def _is_foreign(self, one: Format) -> bool:
        return self._app not in one.row.apps


def format_of(row: Row) -> Format:
    """Make the format that a row describes."""
    if row.inner is not None:
        return Format(row, partial(_read_behind, row))
    if row.reader is not None:
        return Format(row, partial(READERS[row.reader], row))
    setting = SETTINGS[row.setting]
    if row.count is not None:
        setting = partial(counted, row.count)
    pattern = None

    # A group holds what a cost is written in, never salt or digest; of a key, its size.
    @lru_cache(maxsize=_REMEMBERED)
    def remembered(*groups: str | int | None) -> MaybeReading:
        return setting(row, *groups)

    def read(text: str) -> MaybeReading:
        nonlocal pattern
        if pattern is None:  # Few of the patterns are ever needed.
            pattern = re.compile(row.pattern)
        match = pattern.fullmatch(text)
        if match is None:
            return None
        if match.lastgroup not in ("key", "hex_key"):
            return remembered(*match.groups())
        *groups, key = match.groups()
        key_bytes = len(key) * 3 // 4
        if match.lastgroup == "hex_key":
            key_bytes = len(key) // 2
            if len(key) % 2:  # An odd number of digits is no key.
                key_bytes = 0
        return remembered(*groups, key_bytes)

    return Format(row, read)


def _read_behind(row: Row, text: str) -> MaybeReading:
    (prefix,) = row.prefixes
    reading = _behind(str(row.inner))(row.prepend + text[len(prefix) :])
    if reading is None:
        return None
    return msgspec.structs.replace(reading, format=row.name)


@cache
def _behind(inner: str) -> FormatReader:
    """Read the text after a prefix in one format, or in those of a family."""
    if inner not in _ROWS:
        return next(one.read for one in FORMATS if one.row.name == inner)
    table = FormatTable(map(format_of, _ROWS[inner]))

    def read(text: str) -> MaybeReading:
        reading = table.read(text)
        if reading is None and inner == "crypt":
            reading = table.read_lock(text)
        if reading is not None and reading.kind is Kind.UNREADABLE:
            return None
        return reading

    return read


FAMILIES: Final = (
    *("crypt", "argon2", "phc", "python", "ldap", "dovecot", "spring", "java", "php", "programs"),
    "unmarked",
)
"""The order of the families: of formats that share a prefix, the likelier comes first."""

_ROWS: Final = {family: rows_of(family) for family in FAMILIES}

FORMATS: Final = tuple(format_of(row) for rows in _ROWS.values() for row in rows if not row.inside)

_SHY: Final = tuple(one for one in FORMATS if one.row.needs_app)

_APPS_OF: Final = {one.row.name: one.row.apps for one in FORMATS}
_HASHERS_OF: Final[dict[str, set[str | None]]] = {}
for _one in FORMATS:
    _HASHERS_OF.setdefault(_one.row.name, set()).add(_one.row.hasher)
APPS: Final = tuple(sorted({app for one in FORMATS for app in one.row.apps}))
"""The applications that decide between formats which look alike."""

LONGEST: Final = 4096
"""Most characters, or bytes, of a text that is read."""

_PLAIN: Final = HashReading(kind=Kind.PLAIN, format="plain text")
# From "$" or "{" on, behind what databases mark bytes with: PostgreSQL shows a `bytea` so.
_HEX_OF_A_HASH: Final = re.compile(r"(?:\\x|0[xX])?((?:24|7[bB])(?:[0-9A-Fa-f]{2})+)")

# From the length of SHA-1 on, which no name has. A digest of a known length is read before.
_KEY_AND_SALT: Final = re.compile(r"(?:[0-9A-Fa-f]{2}){20,}+:(?![0-9]+\Z)[^:]+")


def read(text: str | bytes, app: str | None = None) -> HashReading:
    """Read one stored hash string, without spaces or a line's end around it.

    Any text has a reading. ``app`` is one of `APPS`.

    Raises:
        UnknownNameError: the application is unknown; the message lists those that matter.
    """
    table = _table(app)
    if len(text) > LONGEST:
        return HashReading(kind=Kind.UNREADABLE, format="overlong")
    # A string of C ends at its first NUL; slapd 2.5 stores that and a byte of its memory.
    if isinstance(text, bytes):
        try:
            text = (text.partition(b"\0")[0] or text).decode()
        except UnicodeDecodeError:
            return HashReading(kind=Kind.UNREADABLE, format="no UTF-8")
    text = text.partition("\0")[0] or text
    reading = table.read(text) or _read_hex(table, text) or _read_after_name(table, text)
    if reading is not None:
        return reading
    if not text:
        return HashReading(kind=Kind.EMPTY, format="empty")
    if text in _NULLS:
        return HashReading(kind=Kind.LOCKED, format=NULL)
    if _CONTROL.search(text):
        return HashReading(kind=Kind.UNREADABLE, format="control characters")
    lock = table.read_lock(text)
    if lock is not None:
        return lock
    shape = shape_of(text)
    if shape is None:
        return _PLAIN
    notes = tuple(_perhaps(text))
    if not notes and _KEY_AND_SALT.fullmatch(text):
        notes = ("key-and-salt",)
    algorithm = algorithm_in(text)
    if algorithm is not None:
        notes += (f"names-{algorithm}",)
    return HashReading(kind=Kind.UNRECOGNISED, format=shape, notes=notes)


def _read_after_name(table: FormatTable, text: str) -> MaybeReading:
    """Read a hash behind the name of its algorithm, as in ``bcrypt-sha512$$2a$10$…``.

    The name may also tell what was done to the password before.
    """
    before = _NAME_BEFORE.match(text)
    if before is None:
        return None
    reading = table.read(text[before.end() :])
    if reading is None or reading.kind is not Kind.HASHED:
        return None
    if algorithm_in(before["name"]) != reading.hasher:
        return None
    return reading


def _perhaps(text: str) -> Iterator[str]:
    """Note which applications write texts like this, where one of them must be named."""
    for one in _SHY:
        has_its_length = not one.row.lengths or len(text) in one.row.lengths
        if has_its_length and one.read(text) is not None:
            yield from (f"perhaps-{app}" for app in one.row.apps)


def _read_hex(table: FormatTable, text: str) -> MaybeReading:
    """Read a hash whose characters are written in hexadecimal digits."""
    digits = _HEX_OF_A_HASH.fullmatch(text)
    if digits is None:
        return None
    written = bytes.fromhex(digits[1])
    if not written.isascii():
        return None
    reading = table.read(written.decode())
    if reading is None or reading.kind is Kind.UNREADABLE:
        return None
    return reading


@cache
def _table(app: str | None) -> FormatTable:
    if app is not None and app not in APPS:
        rows = [one.row for one in FORMATS if one.row.needs_app]
        needed = sorted({name for row in rows for name in row.apps})
        raise UnknownNameError(
            f"no stored hash needs --app {quoted(app, 60)}; leave it out unless it is one of"
            f" {', '.join(needed)}",
            app,
        )
    return FormatTable(FORMATS, app)


def hasher_of(name: str) -> str | None:
    """Name the only hasher of a format; `None` if it has several, or its hashes tell."""
    hashers = _HASHERS_OF.get(name, set())
    if len(hashers) == 1:
        return next(iter(hashers))
    return None


def apps_of(name: str) -> tuple[str, ...]:
    """The applications that write a format; empty if any program may."""
    return _APPS_OF.get(name, ())
