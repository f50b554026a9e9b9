"""Nothing that audit or explain reads comes out of them, their arguments included."""

import itertools
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final
from unittest import mock

import click
import pytest
import sqlalchemy

from corpora import cases
from end_to_end.command import MADE_UP, Ended, calibrate, calibrate_on_terminal, formats_of
from hashcost.cli import MAY_BE_SECRET, load_command
from hashcost.cli.commands import audit, explain
from secret_files import TYPED, UNMARKED, SecretFile

ONE: Final = SecretFile(1, real=True)
ANOTHER: Final = SecretFile(2, real=True)
P: Final = str(MADE_UP)

Files = dict[str, str]
"""The paths of files, and the URLs of databases, by what ``{name}`` stands for."""


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
    _fill(f"sqlite:///{folder / 'sqlite'}", secret)
    return {path.name: str(path) for path in folder.iterdir()}


def _fill(url: str, secret: SecretFile) -> None:
    """Make a table of users in a database."""
    engine = sqlalchemy.create_engine(url)
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE users (name TEXT UNIQUE, password TEXT)")
        insert = sqlalchemy.text("INSERT INTO users VALUES (:name, :password)")
        pairs = zip(secret.names, secret.hashes, strict=True)
        connection.execute(insert, [{"name": name, "password": text} for name, text in pairs])
    engine.dispose()


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Files, Files]:
    """The files of two seeds, which differ only in their secrets."""
    folder = tmp_path_factory.mktemp("secrets")
    return _files(folder / "one", ONE), _files(folder / "two", ANOTHER)


def run(home: Path, *arguments: str, stdin: bytes = b"") -> Ended:
    """Run the command with all that it may write to below one folder: nothing secret comes out,
    on a stream or in a file.
    """
    home.mkdir(exist_ok=True)
    folders = {name: str(home) for name in ("HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "TMPDIR")}
    ended = calibrate(*arguments, cwd=home, env=folders, stdin=stdin)
    paths = [path for path in home.rglob("*") if path.is_file()]
    written = [f"{path.name}\n{path.read_text(errors='replace')}\n" for path in paths]

    assert "Traceback" not in ended.err
    assert set() == ONE.leaked("".join([ended.out, ended.err, *written]))
    return ended


def test_the_files_would_be_recognised(files: tuple[Files, Files]) -> None:
    """The proof is worth nothing if a leak were not seen."""
    for name, path in files[0].items():
        encoding = "utf-16" if name == "wide" else "utf-8"
        assert len(ONE.leaked(Path(path).read_bytes().decode(encoding, "replace"))) > 1000
    assert ONE.leaked(f"what {ONE.names[7][3:9]} said")
    assert not ONE.leaked("bcrypt cost 12, pbkdf2-sha256 iterations 600000, rtx-4090")


COLUMN: Final = ("--column", "password")
READ: Final = cases(__file__, "secrecy.toml", "read")
CACHES: Final = {".cache", ".config"}
"""What matplotlib, which draws the chart of an HTML page, leaves in a home: its fonts."""


@pytest.mark.parametrize(
    ("arguments", "code", "form"),
    [
        (*place, form)
        for place, form in zip(READ, itertools.cycle(formats_of("audit")), strict=False)
    ],
)
def test_what_is_counted_is_not_shown(
    arguments: tuple[str, ...], code: int, form: str, files: tuple[Files, Files], tmp_path: Path
) -> None:
    """In every format of a file or a database; whatever is wrong, the message names what to
    change; another file with other secrets gives the same bytes.
    """
    one, another = (
        run(tmp_path / "home", "audit", *_filled(arguments, seed), "--format", form)
        for seed in files
    )

    assert code == one.code
    assert code != 2 or one.err
    left = {path.name for path in (tmp_path / "home").iterdir()}
    if form == "html":
        left -= CACHES
    assert set() == left
    if code == 0 and not arguments[0].startswith(("{broken", "{one")):
        assert (one.out, one.err) == (another.out, another.err)


def _filled(arguments: Iterable[str], files: Files) -> list[str]:
    return [
        re.sub(r"\{([\w-]+)\}", lambda name: {**files, "profile": P}[name[1]], argument)
        for argument in arguments
    ]


def test_progress(files: tuple[Files, Files], tmp_path: Path) -> None:
    """On a terminal the bar shows how much was read and timed, and nothing of it."""
    small = tmp_path / "small"
    small.write_text(f"{ONE.names[0]}:{ONE.hashes[0]}\n{ONE.names[1]}:{ONE.hashes[1]}\n")
    read = calibrate_on_terminal("audit", files[0]["table"], *COLUMN).out
    timed = calibrate_on_terminal("audit", str(small), "--target", "3ms").out

    assert (set(), set()) == (ONE.leaked(read), ONE.leaked(timed))
    assert "reading hashes" in read
    assert "timing hashes" in timed


HASH: Final = ONE.hashes[0]


@pytest.mark.parametrize(
    ("stdin", "form", "code"),
    [
        *((HASH, form, 0) for form in formats_of("explain")),
        (f"{ONE.names[1]}:{ONE.hashes[1]}", "table", 0),
        *(
            (text, "json", 2)
            for text in (f"{HASH}\n{HASH}", f"bcrypt={HASH}", f"argon2id@{HASH}=m={HASH}")
        ),
    ],
)
def test_an_explanation(stdin: str, form: str, code: int, tmp_path: Path) -> None:
    """A hash is not shown: in no format, nor behind a name, a hasher or another line."""
    asked = ("explain", "--format", form, "--profile", P, "--output", "out")

    assert code == run(tmp_path, *asked, stdin=stdin.encode()).code


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (KeyError, 70, "internal error; please report it: KeyError (HASHCOST_DEBUG"),
        (MemoryError, 2, "not enough memory; raise the memory limit"),
    ],
)
def test_an_unexpected_error_has_no_secret(
    error: type[Exception], code: int, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may quote what was read, so that only its kind is printed."""
    failing = mock.Mock(side_effect=error(ONE.users().decode()))
    monkeypatch.setattr(audit, "audited", failing)
    monkeypatch.setattr(explain, "explained", failing)
    for words, text in (
        (("audit", "-"), ONE.users()),
        (("explain", "--profile", P), HASH.encode()),
    ):
        ended = calibrate(*words, stdin=text)
        assert (code, "") == (ended.code, ended.out)
        assert said in ended.err
        assert set() == ONE.leaked(ended.err)


@pytest.mark.parametrize("name", MAY_BE_SECRET)
def test_every_free_text_may_be_a_secret(name: str) -> None:
    """What takes any text is withheld; what takes words of ours, figures or files is not."""
    free = {param.name for param in load_command(name).params if param.type is click.STRING}

    assert free - {"app", "policies", "devices"} == {*MAY_BE_SECRET[name]}


READING_SECRETS: Final = cases(__file__, "secrecy.toml", "reading_secrets")
_PUBLIC: Final = {"argon2id", "pbkdf2_sha256", "pbkdf2", "sha512", "postgresql", "SCRAM-SHA-256"}
_PUBLIC_FIGURES: Final = {"600000", "10000"}


def leaked(secret: str, said: str) -> set[str]:
    """The parts of a secret of which as much as six characters come back."""
    parts = {part for part in re.split(r"[$:=,/{}*@ ]+|(?<=[a-z0-9])\.", secret) if len(part) > 5}
    return {part for part in parts - _PUBLIC - _PUBLIC_FIGURES if part[:6] in said}


@pytest.mark.parametrize(
    ("place", "secret"),
    [*zip(READING_SECRETS * 2, itertools.cycle((*TYPED, *UNMARKED)), strict=False)],
)
def test_no_argument_is_repeated(place: str, secret: str, tmp_path: Path) -> None:
    """Audit and explain repeat no argument that may be a secret, wherever it was typed."""
    (tmp_path / "p.json").symlink_to(MADE_UP)
    words = [word.replace("{}", secret) for word in place.split()]
    ended = calibrate(*words, cwd=tmp_path, stdin=b"x\n")

    assert ended.code in {0, 2, 4}
    assert set() == leaked(secret, ended.out + ended.err)
