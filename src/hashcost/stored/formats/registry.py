"""Every format there is, and what one stored string says.

libpass, of the same `passlib` package that hashes elsewhere, could read fifty of
these formats. It is not used here: ``from_string`` takes 6 µs of a hash whose handler
is known already (2026-11-20, where a reading takes 1.3 µs in all), it keeps salt and
digest, and it knows neither yescrypt nor what most applications write. The tests
compare with it.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from hashcost.core.errors import UnknownNameError
from hashcost.stored.formats import (
    argon2,
    aspnet,
    bcrypt,
    cisco,
    databases,
    dovecot,
    java,
    keycloak,
    ldap,
    pbkdf2,
    php,
    programs,
    python,
    scram,
    scrypt,
    spring,
    unix_crypt,
    unmarked,
    yescrypt,
)
from hashcost.stored.formats.alphabets import CONTROL
from hashcost.stored.formats.reading import Kind, Reading
from hashcost.stored.formats.table import Table

_FAMILIES = (
    bcrypt,
    unix_crypt,
    yescrypt,
    argon2,
    pbkdf2,
    scrypt,
    python,
    ldap,
    dovecot,
    spring,
    java,
    php,
    scram,
    cisco,
    programs,
    aspnet,
    databases,
    keycloak,
    unmarked,
)
"""Of formats that share a prefix, the likelier one is in the family that stands first."""

FORMATS: Final = tuple(one for family in _FAMILIES for one in family.FORMATS)

APPS: Final = tuple(sorted({app for one in FORMATS for app in one.apps}))
"""The applications that decide where a string alone does not."""

LONGEST: Final = 4096
"""Characters, or bytes, above which nothing is looked at."""

_ARGON2: Final = "{ARGON2}"
"""slapd's argon2 module stores the byte that ends a string in C as well (2.5.13)."""

_CONTROL = re.compile(CONTROL)
_ENCODED = re.compile(
    r"\$[A-Za-z0-9_.,=+-]{1,32}\$.+|\{[A-Za-z0-9_.@+/-]{1,40}\}.+"
    r"|(?:[0-9a-f]{2}){16,}|(?:[0-9A-F]{2}){16,}|[A-Za-z0-9+/]{40,}={0,2}"
)
"""``$id$…``, ``{SCHEME}…``, or long hexadecimal or base64."""

_EMPTY: Final = Reading(kind=Kind.EMPTY, format="empty")
_PLAIN: Final = Reading(kind=Kind.PLAIN, format="plain text")
_UNKNOWN: Final = Reading(kind=Kind.UNKNOWN, format="unknown")
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
    if text[-1:] == "\0" and text[:8].upper() == _ARGON2:
        text = text[:-1]
    return table.read(text) or _without_format(text, table)


@cache
def _table(app: str | None) -> Table:
    if app is not None and app not in APPS:
        raise UnknownNameError(
            f"unknown application {app[:60]!r}; known are {', '.join(APPS)}", app
        )
    return Table(FORMATS, app)


def _without_format(text: str, table: Table) -> Reading:
    if not text:
        return _EMPTY
    if _CONTROL.search(text):
        return _UNPRINTABLE
    lock = table.read_lock(text)
    if lock is not None:
        return lock
    return _UNKNOWN if _ENCODED.fullmatch(text) else _PLAIN
