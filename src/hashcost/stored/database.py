"""Hashes straight from a database, read and never written (extra ``database``)."""

from __future__ import annotations

import contextlib
import sqlite3
import warnings
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from hashcost.core.errors import UnavailableError, UnreadableInputError, UsageError
from hashcost.storage.extras import imported
from hashcost.stored.columns import Stored, column_index
from hashcost.stored.formats.reading import NULL
from hashcost.stored.lines import BROKEN

if TYPE_CHECKING:
    from sqlalchemy import URL, Engine

_ROWS_AT_ONCE = 1000
# Statements that forbid writing, in this transaction and in those that a query may begin.
_READ_ONLY: Final = {
    "postgresql": (
        "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY",
        "SET TRANSACTION READ ONLY",
    ),
    **dict.fromkeys(("mysql", "mariadb"), ("SET SESSION TRANSACTION READ ONLY",)),
    "oracle": ("SET TRANSACTION READ ONLY",),
    "sqlite": ("PRAGMA query_only = ON",),
}
# All that a query of SQLite may do: VACUUM INTO and ATTACH write other files.
_READING: Final = (
    *(sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION),
    *(sqlite3.SQLITE_RECURSIVE, sqlite3.SQLITE_TRANSACTION),
)


def rows_from(url: str, query: str, other: str | None = None) -> Generator[Stored]:
    """Read the first column of every row that a query gives, and another one if it is named.

    ``other`` is its name or its number from one.

    No message repeats any part of the URL, the query or the data, which may hold names,
    passwords and hashes.

    Raises:
        UnavailableError: SQLAlchemy, or the database's driver, is not installed.
        UsageError: the URL is invalid.
        UnreadableInputError: the database cannot be reached, or refuses the query, or the query
            does not give the other column.
    """
    engine = _engine(url)
    try:
        with engine.connect() as connection:
            for command in _READ_ONLY.get(connection.dialect.name, ()):
                connection.exec_driver_sql(command)
            driven = connection.connection.driver_connection
            if isinstance(driven, sqlite3.Connection):
                driven.text_factory = bytes  # Text that is not UTF-8 is one malformed hash.
                driven.set_authorizer(_authorize)
            # A colon or a percent sign in the query does not begin a parameter.
            result = connection.execution_options(
                yield_per=_ROWS_AT_ONCE, no_parameters=True
            ).exec_driver_sql(query)
            with contextlib.closing(result):
                indices = [0]
                if other is not None:
                    indices.append(column_index(other, list(result.keys()), "--last-login"))
                for row in result:
                    value, *others = (row[index] for index in indices)
                    yield (_as_text(value), *map(_as_plain_text, others))
            connection.rollback()
    except UnreadableInputError:
        raise
    except Exception as error:
        # Its text may quote what the database holds.
        cause = getattr(error, "orig", None) or error
        what = type(cause).__name__
        state = getattr(cause, "sqlstate", None) or getattr(cause, "pgcode", None)
        if isinstance(state, str):
            what = f"{what} {state}"
        raise UnreadableInputError(
            f"--database: the database query failed: {what};"
            " try the URL and the query with its own client"
        ) from None
    finally:
        engine.dispose()


def _engine(url: str) -> Engine:
    imported("sqlalchemy", "SQLAlchemy", "database")
    import sqlalchemy as sql
    from sqlalchemy.exc import NoSuchModuleError

    try:
        address = sql.make_url(url)
        is_in_memory = address.database in (None, "", ":memory:")
        if address.get_backend_name() == "sqlite" and not is_in_memory:
            address = _read_only_file(address)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Which may quote the URL.
            return sql.create_engine(address)
    except UnreadableInputError:
        raise
    except (ImportError, NoSuchModuleError) as error:
        driver = getattr(error, "name", None) or "for this kind of URL"
        raise UnavailableError(f"--database: the driver {driver} is not installed") from None
    except Exception:
        raise UsageError(
            "--database: that is not a database URL; write for example sqlite:///users.db"
        ) from None


def _read_only_file(address: URL) -> URL:
    """Make the URL by which SQLite opens an existing file to read it."""
    name = str(address.database)
    path = Path(name.removeprefix("file:").partition("?")[0])
    if not path.is_file():
        raise UnreadableInputError("--database: the file does not exist; name another one")
    if not name.startswith("file:"):
        name = f"file:{quote(name)}"
    return address.set(database=name).update_query_dict({"mode": "ro", "uri": "true"})


def _authorize(action: int, *_details: str | None) -> int:
    if action in _READING:
        return sqlite3.SQLITE_OK
    return sqlite3.SQLITE_DENY


def _as_text(value: Any) -> bytes | str:
    """Read a value; only text, bytes and NULL are readable."""
    if value is None:
        return NULL
    if isinstance(value, memoryview | bytearray):
        value = bytes(value)
    if isinstance(value, str | bytes):
        return value.strip()
    return BROKEN


def _as_plain_text(value: Any) -> str:
    """Write a value that is not a hash, such as a number or a time; nothing for NULL."""
    if value is None:
        return ""
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    return str(value)
