"""Every format there is, and what one stored string says.

libpass, of the same `passlib` package that hashes elsewhere, could read fifty of
these formats. It is not used here: ``from_string`` takes 6 µs of a hash whose handler
is known already (2026-11-20, where a reading takes 1.3 µs in all), it keeps salt and
digest, and it knows neither yescrypt nor what most applications write. The tests
compare with it.
"""

import re
from collections.abc import Iterable
from functools import cache, lru_cache, partial
from typing import Final

import msgspec

from hashcost.core.errors import UnknownNameError
from hashcost.core.text import quoted
from hashcost.stored.formats.reading import Kind, Reading
from hashcost.stored.formats.rows import (
    CONTROL,
    REMEMBERED,
    Format,
    FormatReader,
    Row,
    reader,
    rows_of,
)
from hashcost.stored.formats.settings import SETTINGS
from hashcost.stored.formats.shapes import shape_of
from hashcost.stored.formats.whole import READERS

_LOCK = re.compile(r"(?:\*(?:LK|NP|LOCKED)\*|[!*])+")
_WORDS: Final = frozenset(("x", "NP", "LK", "UP"))
"""What stands where no hash is; ``x`` says that it is in shadow(5)."""
_LOCKED: Final = Reading(kind=Kind.LOCKED, format="locked")


class Table:
    """The formats of a table, told apart for one application or for any."""

    def __init__(self, formats: Iterable[Format], app: str | None = None) -> None:
        """Index the formats; those that the application writes come first."""
        self._app = app
        usable = [one for one in formats if app in one.apps or not one.needs_app]
        usable.sort(key=self._is_foreign)
        by_prefix: dict[str, list[Format]] = {}
        by_length: dict[int, list[Format]] = {}
        for one in usable:
            for prefix in one.prefixes:
                by_prefix.setdefault(prefix, []).append(one)
            for length in one.lengths:
                by_length.setdefault(length, []).append(one)
        for prefix in by_prefix:
            if prefix != prefix.upper() and prefix.startswith("{"):
                by_prefix[prefix] += by_prefix.get(prefix.upper(), [])
        self._others = tuple(one for one in usable if not one.prefixes and not one.lengths)
        self._by_prefix = {prefix: tuple(found) for prefix, found in by_prefix.items()}
        self._by_length = {length: tuple(found) for length, found in by_length.items()}
        self._sizes = {
            first: tuple(sorted({len(prefix) for prefix in by_prefix if prefix[0] == first}))
            for first in {prefix[0] for prefix in by_prefix}
        }
        self._sizes["{"] = tuple(
            sorted({len(p) for p in by_prefix if p[0] == "{" and p[-1] != "}"})
        )

    def read(self, text: str) -> Reading | None:
        """Read a text in one of the formats; `None` if it is in no format."""
        first = text[:1]
        if first == "{":
            scheme = text[: text.find("}") + 1]
            formats = self._by_prefix.get(scheme) or self._by_prefix.get(scheme.upper())
            if formats is not None and (found := self._read_as(formats, text)):
                return found
        for size in self._sizes.get(first, ()):
            formats = self._by_prefix.get(text[:size])
            if formats is not None and (found := self._read_as(formats, text)):
                return found
        formats = self._by_length.get(len(text))
        if formats is not None:
            reading = self._read_as(formats, text)
            if reading is not None and reading.kind is not Kind.MALFORMED:
                return reading
        for one in self._others:
            found = one.read(text)
            if found is not None:
                return found
        return None

    def read_lock(self, text: str) -> Reading | None:
        """A field of passwd(5) or shadow(5) that locks an account.

        What is known of the hash that ``usermod -U`` would bring back is kept.
        """
        lock = _LOCK.match(text)
        if lock is None or CONTROL.search(text):
            return _LOCKED if text in _WORDS else None
        reading = self.read(text[lock.end() :])
        if reading is None or reading.kind not in {Kind.HASHED, Kind.FAST}:
            return _LOCKED
        return msgspec.structs.replace(reading, kind=Kind.LOCKED, notes=(*reading.notes, "locked"))

    def _read_as(self, formats: tuple[Format, ...], text: str) -> Reading | None:
        if len(formats) == 1:
            return formats[0].read(text) or _malformed(formats[0])
        likeliest: Reading | None = None
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
        return likeliest or _malformed(formats[0])

    def _is_foreign(self, one: Format) -> bool:
        return self._app not in one.apps


def _malformed(one: Format) -> Reading | None:
    return None if one.shared else Reading(kind=Kind.MALFORMED, format=one.name)


@cache
def _behind(inner: str) -> FormatReader:
    """Reads what stands behind a prefix: one format, or those of a family."""
    if inner not in _ROWS:
        return next(one.read for one in FORMATS if one.name == inner)
    table = Table(map(_format, _ROWS[inner]))

    def read(text: str) -> Reading | None:
        reading = table.read(text)
        if reading is None and inner == "crypt":
            reading = table.read_lock(text)
        return None if reading is None or reading.kind is Kind.MALFORMED else reading

    return read


def _read_behind(row: Row, text: str) -> Reading | None:
    (prefix,) = row.prefixes
    reading = _behind(str(row.inner))(row.prepend + text[len(prefix) :])
    return None if reading is None else msgspec.structs.replace(reading, format=row.name)


def _format(row: Row) -> Format:
    if row.inner is not None:
        read: FormatReader = partial(_read_behind, row)
    elif row.reader is not None:
        read = partial(READERS[row.reader], row)
    else:
        read = reader(row, row.pattern, SETTINGS[row.setting])
    return Format(
        name=row.name,
        read=read,
        prefixes=row.prefixes,
        shared=row.shared,
        lengths=row.lengths,
        apps=row.apps,
        needs_app=row.needs_app,
    )


FAMILIES: Final = (
    *("crypt", "argon2", "phc", "python", "ldap", "dovecot", "spring", "java", "php", "programs"),
    "unmarked",
)
"""Of formats that share a prefix, the likelier one is in the family that stands first."""

_ROWS: Final = {family: rows_of(family) for family in FAMILIES}

FORMATS: Final = tuple(_format(row) for rows in _ROWS.values() for row in rows if not row.inside)

APPS: Final = tuple(sorted({app for one in FORMATS for app in one.apps}))
"""The applications that decide where a string alone does not."""

LONGEST: Final = 4096
"""Characters, or bytes, above which nothing is looked at."""

_EMPTY: Final = Reading(kind=Kind.EMPTY, format="empty")
_PLAIN: Final = Reading(kind=Kind.PLAIN, format="plain text")
_OVERLONG: Final = Reading(kind=Kind.MALFORMED, format="overlong")
_UNPRINTABLE: Final = Reading(kind=Kind.MALFORMED, format="control characters")
_NO_TEXT: Final = Reading(kind=Kind.MALFORMED, format="no UTF-8")


def read(text: str | bytes, app: str | None = None) -> Reading:
    """Read one stored hash string, without spaces or a line's end around it.

    Whatever the text, there is a reading. ``app`` is one of `APPS`.

    Raises:
        UnknownNameError: the application is unknown; the message lists the known.
    """
    table = _table(app)
    if len(text) > LONGEST:
        return _OVERLONG
    if isinstance(text, bytes):
        try:
            text = text.decode()
        except UnicodeDecodeError:
            return _NO_TEXT
    # slapd 2.5 stores the end of a string in C, fields of fixed width are filled with it.
    text = text.rstrip("\0") or text
    return table.read(text) or _without_format(text, table)


@cache
def _table(app: str | None) -> Table:
    if app is not None and app not in APPS:
        raise UnknownNameError(
            f"unknown application {quoted(app, 60)}; name one of {', '.join(APPS)}", app
        )
    return Table(FORMATS, app)


def _without_format(text: str, table: Table) -> Reading:
    if not text:
        return _EMPTY
    if CONTROL.search(text):
        return _UNPRINTABLE
    lock = table.read_lock(text)
    if lock is not None:
        return lock
    shape = shape_of(text)
    return _PLAIN if shape is None else _unrecognised(shape)


@lru_cache(maxsize=REMEMBERED)
def _unrecognised(shape: str) -> Reading:
    return Reading(kind=Kind.UNRECOGNISED, format=shape)
