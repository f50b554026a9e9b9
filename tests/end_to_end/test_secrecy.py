"""Nothing that audit or explain reads comes out of them, whatever happens."""

from __future__ import annotations

import itertools
import sqlite3
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import pytest
import sqlalchemy

from end_to_end.command import MADE_UP, Ended, calibrate, calibrate_on_terminal
from postgresql import server
from secret_files import SecretFile

ONE: Final = SecretFile(1, real=True)
ANOTHER: Final = SecretFile(2, real=True)
FORMATS: Final = ("table", "json", "csv", "markdown")

Files = dict[str, Path]


def _files(folder: Path, secret: SecretFile) -> Files:
    """Every form of file, and damaged ones."""
    table, objects = secret.table(), secret.objects()
    contents = {
        "lines": secret.lines(),
        "users": secret.users(),
        "shadow": secret.shadow(),
        "table": table,
        "bare-table": table.partition(b"\n")[2],
        "objects": objects,
        "entries": secret.entries(),
        "array": b"[" + objects.replace(b"}\n{", b"},\n{") + b"]",
        "broken-table": table.replace(b"\n", b'\n"', 3)[: len(table) // 2] + b'"\xff',
        "broken-objects": objects.replace(b'"}', b'"', 40)[: -len(objects) // 3],
        "one-line": secret.users().replace(b"\n", b" "),
        "bytes": b"\0".join(secret.lines()[:50_000].splitlines()) + b"\xff\n" * 3,
        "wide": secret.users().decode().encode("utf-16"),
        "crlf": secret.users().replace(b"\n", b"\r\n"),
    }
    folder.mkdir()
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    with sqlite3.connect(folder / "sqlite") as connection:
        connection.execute("CREATE TABLE users (name TEXT UNIQUE, password TEXT)")
        rows = zip(secret.names, secret.hashes, strict=True)
        connection.executemany("INSERT INTO users VALUES (?, ?)", rows)
    connection.close()
    return {path.name: path for path in folder.iterdir()}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Files, Files]:
    """The files of two seeds, which differ in their secrets alone."""
    folder = tmp_path_factory.mktemp("secrets")
    return _files(folder / "one", ONE), _files(folder / "two", ANOTHER)


@pytest.fixture(scope="module")
def postgresql() -> Iterator[str]:
    """A database with the users of the first seed."""
    with server() as url:
        engine = sqlalchemy.create_engine(url)
        with engine.begin() as connection:
            connection.exec_driver_sql("CREATE TABLE users (name TEXT UNIQUE, password TEXT)")
            for row in zip(ONE.names, ONE.hashes, strict=True):
                connection.exec_driver_sql("INSERT INTO users VALUES (%s, %s)", row)
        engine.dispose()
        yield url


def run(
    home: Path, *arguments: str, stdin: Path | None = None, env: Mapping[str, str] | None = None
) -> Ended:
    """Run the command with all that it may write to below one folder."""
    home.mkdir(exist_ok=True)
    folders = {name: str(home) for name in ("HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "TMPDIR")}
    return calibrate(
        *arguments,
        cwd=home,
        env={**folders, **(env or {})},
        stdin=stdin.read_bytes() if stdin else b"",
    )


def written(home: Path) -> str:
    """The names and the contents of all files below a folder."""
    paths = [path for path in home.rglob("*") if path.is_file()]
    return "".join(f"{path.name}\n{path.read_text(errors='replace')}\n" for path in paths)


def assert_secret(ended: Ended, home: Path, secret: SecretFile = ONE) -> None:
    """Assert that nothing secret came out, on a stream or in a file."""
    assert set() == secret.leaked(ended.out)
    assert set() == secret.leaked(ended.err)
    assert set() == secret.leaked(written(home))


def test_the_files_would_be_recognised(files: tuple[Files, Files]) -> None:
    """The proof is worth nothing if a leak were not seen."""
    for name, path in files[0].items():
        encoding = "utf-16" if name == "wide" else "utf-8"
        assert len(ONE.leaked(path.read_bytes().decode(encoding, "replace"))) > 1000
    assert len(ONE.secrets) > 1000
    assert ONE.leaked(f"what {ONE.names[7][3:9]} said")
    assert not ONE.leaked("bcrypt cost 12, pbkdf2-sha256 iterations 600000, rtx-4090")


SOURCES: Final = {
    "lines": (),
    "users": (),
    "shadow": (),
    "crlf": (),
    "table": ("--column", "password"),
    "objects": ("--column", "password"),
    "entries": (),
    "broken-table": ("--column", "2"),
    "broken-objects": ("--column", "password"),
    "one-line": (),
}


@pytest.mark.parametrize(("name", "form"), [*zip(SOURCES, itertools.cycle(FORMATS), strict=False)])
def test_a_count_has_no_secret(
    name: str, form: str, files: tuple[Files, Files], tmp_path: Path
) -> None:
    """In every format, what is counted is not shown, and nothing is kept of it."""
    home = tmp_path / "home"
    arguments = (*SOURCES[name], "--format", form, "--target", "40ms", "--profile", str(MADE_UP))
    ended = run(home, "audit", str(files[0][name]), *arguments)

    assert (0, "") == (ended.code, ended.err)
    assert_secret(ended, home)
    assert [] == list(home.iterdir())


@pytest.mark.parametrize("name", ["lines", "users", "table", "objects", "entries"])
def test_a_count_depends_on_no_secret(
    name: str, files: tuple[Files, Files], tmp_path: Path
) -> None:
    """Files that differ in names, salts and digests alone give the same bytes."""
    one, another = (
        run(tmp_path / "home", "audit", str(each[name]), *SOURCES[name], "--format", "json")
        for each in files
    )
    assert 0 == one.code
    assert one == another


WRONG: Final = {
    "no such column": ("table", ("--column", "hash"), 2),
    "no names of columns": ("bare-table", ("--column", "hash"), 2),
    "no column": ("table", (), 2),
    "no member": ("objects", ("--column", "hash"), 2),
    "an odd member": ("objects", ("--column", 'a"b'), 2),
    "one document": ("array", ("--column", "password"), 2),
    "two bytes a character": ("wide", (), 2),
    "CSV taken for JSON": ("table", ("--layout", "jsonl", "--column", "password"), 0),
    "JSON taken for CSV": ("objects", ("--layout", "csv", "--column", "password"), 2),
    "unknown layout": ("users", ("--layout", "xml"), 2),
    "unknown option": ("users", ("--colour",), 2),
    "a query without a database": ("users", ("--query", "SELECT 1"), 2),
    "an output that cannot be": ("users", ("--output", "/nowhere/out"), 2),
    "two files": ("users", ("another",), 2),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_refusal_has_no_secret(case: str, files: tuple[Files, Files], tmp_path: Path) -> None:
    """Whatever is wrong, the message names what to change and nothing that was read."""
    name, arguments, code = WRONG[case]
    home = tmp_path / "home"
    quiet = ("--quiet",) if len(case) % 2 else ()  # One path for both.
    ended = run(home, "audit", str(files[0][name]), *arguments, *quiet)

    assert code == ended.code
    assert (code == 2) == bool(ended.err)
    assert "Traceback" not in ended.err
    assert_secret(ended, home)
    assert [] == list(home.iterdir())


QUERIES: Final = {
    "SELECT password FROM users": 0,
    "SELECT name FROM users": 0,
    "SELECT hash FROM users": 2,
    "SELECT password FROM persons": 2,
    "INSERT INTO users SELECT name, password FROM users": 2,
    "DELETE FROM users": 2,
    "SELECT password FROM users WHERE": 2,
}


@pytest.mark.parametrize("query", QUERIES)
def test_sqlite_has_no_secret(query: str, files: tuple[Files, Files], tmp_path: Path) -> None:
    """Neither rows nor errors of a database are quoted."""
    home = tmp_path / "home"
    url = f"sqlite:///{files[0]['sqlite']}"
    ended = run(home, "audit", "--database", url, "--query", query, "--format", "json")

    assert QUERIES[query] == ended.code
    assert_secret(ended, home)
    assert [] == list(home.iterdir())


@pytest.mark.parametrize("name", ["users", "table", "bytes"])
def test_a_file_that_is_no_database(name: str, files: tuple[Files, Files], tmp_path: Path) -> None:
    """A text that is opened as a database is not quoted either."""
    home = tmp_path / "home"
    url = f"sqlite:///{files[0][name]}"
    ended = run(home, "audit", "--query", "SELECT name FROM users", env={"HASHCOST_DATABASE": url})

    assert 2 == ended.code
    assert_secret(ended, home)


@pytest.mark.parametrize(
    ("query", "code"),
    [
        *QUERIES.items(),
        ("SELECT password::int FROM users", 2),
        ("SELECT password::json FROM users", 2),
        ("SELECT name::regclass FROM users", 2),
        ("COPY users TO STDOUT", 2),
    ],
)
def test_postgresql_has_no_secret(query: str, code: int, postgresql: str, tmp_path: Path) -> None:
    """Errors of a server, which quote the row that they fail at, are not shown."""
    home = tmp_path / "home"
    ended = run(home, "audit", "--database", postgresql, "--query", query)

    assert code == ended.code
    assert_secret(ended, home)
    assert [] == list(home.iterdir())


def test_progress_has_no_secret(files: tuple[Files, Files], tmp_path: Path) -> None:
    """On a terminal the bar shows how much was read and timed, and nothing of it."""
    small = tmp_path / "small"
    small.write_bytes(b"".join(files[0]["users"].read_bytes().splitlines(keepends=True)[:2]))
    shown = [
        calibrate_on_terminal("audit", str(path), *arguments).out
        for path, arguments in (
            (files[0]["users"], ()),
            (files[0]["table"], ("--column", "password")),
            (files[0]["wide"], ()),
            (small, ("--target", "3ms")),
        )
    ]
    assert [set()] * 4 == [ONE.leaked(text) for text in shown]
    assert "reading hashes" in shown[0]
    assert "timing hashes" in shown[3]


@pytest.mark.parametrize("form", FORMATS)
def test_an_explanation_has_no_secret(form: str, tmp_path: Path) -> None:
    """In every format, of a hash alone and behind a name."""
    home = tmp_path / "home"
    for index, text in enumerate((ONE.hashes[0], f"{ONE.names[1]}:{ONE.hashes[1]}")):
        path = tmp_path / "hash"
        path.write_text(text)
        arguments = ("--format", form, "--profile", str(MADE_UP))
        ended = run(home, "explain", *arguments, stdin=path)
        kept = run(home, "explain", *arguments, "--output", f"out{index}", stdin=path)
        assert (0, 0) == (ended.code, kept.code)
        assert_secret(ended, home)
        assert_secret(kept, home)


def test_a_refused_explanation_has_no_secret(tmp_path: Path) -> None:
    """Where a hash is an argument, one of several lines, or behind a hasher, it is not shown."""
    home, path = tmp_path / "home", tmp_path / "hash"
    hash_ = ONE.hashes[0]
    for text in (f"{hash_}\n{hash_}", f"bcrypt={hash_}", f"argon2id@{hash_}=m={hash_}"):
        path.write_text(text)
        ended = run(home, "explain", stdin=path)
        assert (2, "") == (ended.code, ended.out)
        assert_secret(ended, home)
    for arguments in (
        (hash_,),
        (f"{ONE.names[0]}:{hash_}",),
        (hash_, ONE.hashes[1]),
        (f"bcrypt={hash_}",),
        (f"bcrypt@{hash_}=5",),
        (f"{hash_}=5",),
    ):
        ended = run(home, "explain", *arguments)
        assert (2, "") == (ended.code, ended.out)
        assert_secret(ended, home)
