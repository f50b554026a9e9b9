"""Hashes straight from a database: SQLite and PostgreSQL for real."""

import contextlib
import sqlite3
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Final

import pytest
import sqlalchemy

from bounded import within_memory
from corpora import cases, table
from hashcost.core import errors
from hashcost.core.errors import UnavailableError, UnreadableInputError
from hashcost.stored.database import rows_from
from hashcost.stored.formats.reading import Kind
from hashcost.stored.formats.registry import read
from postgresql import server

BCRYPT: Final = "$2b$12$" + "d" * 53
ARGON2: Final = f"$argon2id$v=19$m=65536,t=3,p=4$c2FsdHNhbHQ${'d' * 43}"
ROWS: Final = (
    ("alice", BCRYPT),
    ("bob", ARGON2),
    ("carol", None),
    ("dave", ""),
    ("erin", f"  {BCRYPT}  \n"),
)
SELECT: Final = "SELECT password FROM users ORDER BY name"
MIB: Final = 1 << 20


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A database of SQLite with five users."""
    path = tmp_path / "users of ours.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE users (name TEXT, password TEXT)")
        connection.executemany("INSERT INTO users VALUES (?, ?)", ROWS)
    connection.close()
    return path


@pytest.fixture(scope="module")
def postgresql() -> Iterator[str]:
    """A database of PostgreSQL with five users."""
    with server() as url:
        engine = sqlalchemy.create_engine(url)
        with engine.begin() as connection:
            connection.exec_driver_sql("CREATE TABLE users (name TEXT, password TEXT)")
            for name, password in ROWS:
                connection.exec_driver_sql("INSERT INTO users VALUES (%s, %s)", (name, password))
        engine.dispose()
        yield url


def texts(url: str, query: str = SELECT) -> list[str]:
    """The hashes as text."""
    return [
        each if isinstance(each, str) else each.decode(errors="replace")
        for each, *_ in rows_from(url, query)
    ]


def test_sqlite(file: Path) -> None:
    """The first column comes row by row; NULL stays, spaces around are none."""
    before = file.read_bytes()
    assert [BCRYPT, ARGON2, "NULL", "", BCRYPT] == texts(f"sqlite:///{file}")
    assert [BCRYPT] == texts(f"sqlite:///{file}", "SELECT password, 1 FROM users LIMIT 1")
    assert [file] == list(file.parent.iterdir())
    assert before == file.read_bytes()


@pytest.mark.parametrize("other", ["seen", "3"])
def test_another_column_of_a_query(file: Path, other: str) -> None:
    """A column is named, or numbered from one; NULL is an empty text."""
    query = "SELECT password, name, 1790000000 AS seen FROM users LIMIT 1"
    rows = rows_from(f"sqlite:///{file}", query, other)
    assert [(BCRYPT.encode(), "1790000000")] == list(rows)
    query = "SELECT password, name, NULL AS seen FROM users LIMIT 1"
    assert [(BCRYPT.encode(), "")] == list(rows_from(f"sqlite:///{file}", query, other))
    with pytest.raises(UnreadableInputError, match=r"^--last-login: this is not one of the 3"):
        list(rows_from(f"sqlite:///{file}", query, "4"))


@pytest.mark.parametrize("where", ["'a:b' <> ':name'", "name LIKE '%a%' OR 1 = 1", "5 % 2 = 1"])
def test_a_query_is_taken_as_it_is_written(file: Path, where: str) -> None:
    """A colon or a percent sign is no parameter."""
    query = f"SELECT password FROM users WHERE {where} ORDER BY name"
    assert len(ROWS) == len(texts(f"sqlite:///{file}", query))


@pytest.mark.parametrize("query", cases(__file__, "database.toml", "sqlite_is_only_read"))
def test_sqlite_is_only_read(file: Path, query: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What writes is refused: neither this file nor another one is changed or made."""
    monkeypatch.chdir(file.parent)
    before = file.read_bytes()
    with pytest.raises(UnreadableInputError) as raised:
        list(rows_from(f"sqlite:///{file}", query))
    assert str(raised.value).startswith("--database: the database query failed: ")
    assert not [word for word in ("hunter2", "nothing", "missing") if word in str(raised.value)]
    assert [file] == list(file.parent.iterdir())
    assert before == file.read_bytes()


@pytest.mark.parametrize("url", ["sqlite:///{}", "sqlite:///file:{}?uri=true"])
def test_a_missing_file_is_not_made(tmp_path: Path, url: str) -> None:
    """SQLite would make an empty database of a misspelt name."""
    path = tmp_path / "user.db"
    with pytest.raises(UnreadableInputError, match=r"^--database: the file does not exist;"):
        list(rows_from(url.format(path), SELECT))
    assert [] == list(tmp_path.iterdir())


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    """Any other file is refused and left as it is."""
    path = tmp_path / "users.txt"
    path.write_text("alice:hunter2secret\n" * 100)
    with pytest.raises(UnreadableInputError, match="query failed: DatabaseError;"):
        list(rows_from(f"sqlite:///{path}", SELECT))
    assert "alice:hunter2secret\n" * 100 == path.read_text()


def test_bytes_and_numbers(file: Path) -> None:
    """Bytes are read as text; a number is malformed and no empty password."""
    query = (
        f"SELECT CAST('{BCRYPT}' AS BLOB) UNION ALL SELECT 12"
        " UNION ALL SELECT x'ff' UNION ALL SELECT CAST(x'ff' AS TEXT)"
    )
    kinds = [read(each).kind for each, *_ in rows_from(f"sqlite:///{file}", query)]
    assert [Kind.HASHED, Kind.UNREADABLE, Kind.UNREADABLE, Kind.UNREADABLE] == kinds


@table("url, error")
def test_a_wrong_url(url: str, error: str, capfd: pytest.CaptureFixture[str]) -> None:
    """Each has its own error, and none shows a part of the URL."""
    with pytest.raises(getattr(errors, error)) as raised:
        list(rows_from(url, SELECT))
    said = str(raised.value) + "".join(capfd.readouterr())
    assert said.startswith("--database: ")
    assert not [part for part in ("hunter2", "alice") if part in said]


def test_without_sqlalchemy(monkeypatch: pytest.MonkeyPatch) -> None:
    """The extra is named."""
    monkeypatch.setitem(sys.modules, "sqlalchemy", None)
    with pytest.raises(UnavailableError, match=r"pip install 'sqlalchemy>=\S+'`$"):
        list(rows_from("sqlite://", SELECT))


def test_rows_are_not_gathered() -> None:
    """Millions of rows take no more memory than a few of them."""
    query = (
        "WITH RECURSIVE many(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM many WHERE n < 200000)"
        f" SELECT '{BCRYPT}' || n FROM many"
    )
    list(rows_from("sqlite://", "SELECT 'warm'"))
    with within_memory(4 * MIB):
        count = sum(1 for _ in rows_from("sqlite://", query))
    assert 200_000 == count


def test_postgresql(postgresql: str) -> None:
    """The first column comes row by row, as from SQLite."""
    assert [BCRYPT, ARGON2, "NULL", "", BCRYPT] == texts(postgresql)
    query = "SELECT password::varchar FROM users WHERE name LIKE 'a%' AND 'x' <> ':y'"
    assert [BCRYPT] == texts(postgresql, query)


def test_what_postgresql_stores_of_its_own_users(postgresql: str) -> None:
    """The server's own SCRAM and MD5 are read with their cost."""
    engine = sqlalchemy.create_engine(postgresql)
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE ROLE scrammed LOGIN PASSWORD 'hunter2secret'")
        connection.exec_driver_sql("SET password_encryption = 'md5'")
        connection.exec_driver_sql("CREATE ROLE digested LOGIN PASSWORD 'hunter2secret'")
    engine.dispose()
    query = "SELECT rolpassword FROM pg_authid WHERE rolname LIKE '%%ed' ORDER BY rolname DESC"
    scram, digest = (read(each) for each, *_ in rows_from(postgresql, query))
    assert ("pbkdf2-sha256", {"iterations": 4096}) == (scram.hasher, scram.params)
    assert scram.client_side
    assert (Kind.FAST, "md5") == (digest.kind, digest.hasher)


@pytest.mark.parametrize("query", cases(__file__, "database.toml", "postgresql_is_only_read"))
def test_postgresql_is_only_read(postgresql: str, query: str) -> None:
    """What writes is refused, in this transaction and in one that the query begins."""
    with pytest.raises(UnreadableInputError, match="query failed: ") as raised:
        list(rows_from(postgresql, query))
    assert not [word for word in ("hunter2", "nothing", "missing") if word in str(raised.value)]
    assert len(ROWS) == len(texts(postgresql))


def test_postgresql_is_read_only_to_the_end(postgresql: str) -> None:
    """Also the transactions that would follow may not write, whatever the driver lets through."""
    query = (
        "SELECT unnest(ARRAY[current_setting('transaction_read_only'),"
        " current_setting('default_transaction_read_only')])"
    )
    assert ["on", "on"] == texts(postgresql, query)


def test_an_error_of_postgresql_has_its_code(postgresql: str) -> None:
    """The state can be looked up; the text, which may quote a row, is not shown."""
    with pytest.raises(UnreadableInputError, match="InvalidTextRepresentation 22P02; try"):
        list(rows_from(postgresql, "SELECT password::int FROM users"))


def test_postgresql_sends_rows_as_they_are_asked_for(postgresql: str) -> None:
    """A cursor of the server holds the rows, so the first come before the last are made."""
    query = "SELECT (SELECT count(*) FROM pg_cursors)::text, generate_series(1, 3000000)"
    with contextlib.closing(rows_from(postgresql, query)) as rows:
        assert [("1",)] * 5 == list(islice(rows, 5))
