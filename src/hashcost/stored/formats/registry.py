"""Every format there is, and what one stored string says.

libpass, of the same `passlib` package that hashes elsewhere, could read fifty of
these formats. It is not used here: ``from_string`` takes 6 µs of a hash whose handler
is known already (2026-11-20, where a reading takes 1.3 µs in all), it keeps salt and
digest, and it knows neither yescrypt nor what most applications write. The tests
compare with it.
"""

from functools import cache, lru_cache, partial
from typing import Final

import msgspec

from hashcost.core.errors import UnknownNameError
from hashcost.core.text import quoted
from hashcost.stored.formats.interface import CONTROL, REMEMBERED, Format, FormatReader, reader
from hashcost.stored.formats.reading import Kind, Reading
from hashcost.stored.formats.rows import Row, rows_of
from hashcost.stored.formats.settings import SETTINGS
from hashcost.stored.formats.shapes import shape_of
from hashcost.stored.formats.table import Table
from hashcost.stored.formats.whole import READERS


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
