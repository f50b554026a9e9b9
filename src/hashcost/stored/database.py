"""Hashes straight from a database, read and never written (extra ``database``)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from hashcost.errors import UnavailableError, UnreadableInputError, UsageError

if TYPE_CHECKING:
    from sqlalchemy import Connection

_ROWS_AT_ONCE = 10_000
_READ_ONLY = {
    "postgresql": "SET TRANSACTION READ ONLY",
    "mysql": "SET TRANSACTION READ ONLY",
    "mariadb": "SET TRANSACTION READ ONLY",
    "sqlite": "PRAGMA query_only = ON",
}


def hashes_from(url: str, query: str) -> Iterator[bytes | str]:
    """The first column of every row that a query gives.

    No message has anything of the database's own: that may hold names and hashes.

    Raises:
        UnavailableError: SQLAlchemy, or the database's driver, is not installed.
        UsageError: the URL is none.
        UnreadableInputError: the database cannot be reached, or refuses the query.
    """
    try:
        import sqlalchemy as sql
        from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError
    except ModuleNotFoundError as error:
        raise UnavailableError(
            "--database needs SQLAlchemy: pip install 'hashcost[database]'"
        ) from error
    try:
        address = sql.make_url(url)
        engine = sql.create_engine(address)
    except (ArgumentError, ValueError):
        raise UsageError(
            "--database: that is no database URL; write for example sqlite:///users.db"
        ) from None
    except (ModuleNotFoundError, NoSuchModuleError) as error:
        driver = getattr(error, "name", None) or "for this kind of URL"
        raise UnavailableError(f"--database: the driver {driver} is not installed") from None
    if engine.dialect.name == "sqlite" and address.database not in (None, "", ":memory:"):
        _check_file(str(address.database))
    try:
        with engine.connect() as connection:
            _forbid_writing(connection)
            result = connection.execution_options(
                stream_results=True, yield_per=_ROWS_AT_ONCE
            ).execute(sql.text(query))
            for value, *_ in result:
                yield _as_text(value)
            connection.rollback()
    except SQLAlchemyError as error:
        _refuse(error)
    finally:
        engine.dispose()


def _check_file(name: str) -> None:
    """Opening it would make an empty database of a misspelt name."""
    path = Path(name.removeprefix("file:").partition("?")[0])
    if not path.is_file():
        raise UnreadableInputError(f"--database: there is no file {path}")


def _forbid_writing(connection: Connection) -> None:
    command = _READ_ONLY.get(connection.dialect.name)
    if command is not None:
        connection.exec_driver_sql(command)


def _as_text(value: Any) -> bytes | str:
    if isinstance(value, str | bytes):
        return value
    return bytes(value) if isinstance(value, memoryview | bytearray) else ""


def _refuse(error: Exception) -> NoReturn:
    """Say what kind of error it was: its text may quote what the database holds."""
    cause = getattr(error, "orig", None) or error
    state = getattr(cause, "sqlstate", None) or getattr(cause, "pgcode", None)
    code = f" {state}" if isinstance(state, str) else ""
    raise UnreadableInputError(
        f"--database: the database could not be asked: {type(cause).__name__}{code};"
        " try the URL and the query with its own client"
    ) from None
