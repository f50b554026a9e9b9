"""Every command refuses what cannot be meant in a line that says what to change: options,
input that it does not read, and a result that would replace its input.
"""

import json
import shlex
from pathlib import Path
from typing import Final

import click
import pytest

from corpora import cases, rows, table
from end_to_end.command import MADE_UP, calibrate
from hashcost.cli import COMMANDS as COMMAND_NAMES
from hashcost.cli import load_command

_STANDS_FOR: Final = {"<9s>": "9" * 50_000, "<escape>": "\x1b[31m\x07", "<newline>": "\n"}
REFUSED: Final = rows(__file__, "wrong_use.tsv")
"""What is typed, and what the message says; a new row is a line of the file."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two profiles, and with files that are not what a command reads."""
    folder = tmp_path_factory.mktemp("inputs")
    text = MADE_UP.read_text("utf-8")
    bent = json.loads(text)
    bent["results"][0]["hasher"] = "\x1b[31mred"
    for name, content in {
        "p.json": text,
        "q.json": text.replace("AMD EPYC", "other"),
        "half.json": text[:-9],
        "other.json": "{}",
        "newer.json": json.dumps({**bent, "schema": 3}),
        "bent.json": json.dumps(bent),
        "bad.txt": "web1\n-x\n",
        ".env": "PASSWORD_ITERATIONS=650000\n",
        "users.db": "SQLite format 3\0",
    }.items():
        (folder / name).write_text(content, "utf-8")
    (folder / "link").symlink_to("new")
    (folder / "latin.txt").write_bytes(b"w\xe9b\n")
    return folder


@pytest.mark.parametrize(("typed", "message"), REFUSED)
def test_what_cannot_be_meant_is_refused(typed: str, message: str, folder: Path) -> None:
    """The line is printable and short, the code is 2, and no file is made or changed."""
    for word, text in _STANDS_FOR.items():
        typed = typed.replace(word, text)
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.exists()}
    ended = calibrate(*shlex.split(typed), cwd=folder)

    assert (2, "", 1) == (ended.code, ended.out, ended.err.count("\n"))
    assert ended.err.startswith("calibrate: ")
    assert message in ended.err
    assert ended.err[:-1].isprintable()
    assert len(ended.err) < 500
    assert "dEadBEef" not in ended.err
    assert before == {path.name: path.read_bytes() for path in folder.iterdir() if path.exists()}


LISTED: Final = frozenset({"policies", "devices", "app"})
"""Options whose names are listed elsewhere than in click."""
NAMED: Final = [
    (
        name,
        option.opts[-1],
        "is not one of '" if isinstance(option.type, click.Choice) else "'nonesuch'; ",
    )
    for name in COMMAND_NAMES
    for option in load_command(name).params
    if isinstance(option, click.Option)
    and (isinstance(option.type, click.Choice) or option.name in LISTED)
]
"""Every option of every command that takes one of a list of names."""
ARGUMENTS: Final = cases(__file__, "wrong_use.toml", "arguments")


@pytest.mark.parametrize(("command", "option", "offers"), NAMED)
def test_a_name_that_is_not_listed_is_named(
    command: str, option: str, offers: str, folder: Path
) -> None:
    """A value that is not one of a list is repeated, beside the list or where it is shown."""
    given = shlex.split(ARGUMENTS.get(command, ""))
    ended = calibrate(command, *given, option, "nonesuch", cwd=folder, stdin=b"x")

    assert 2 == ended.code
    assert "'nonesuch'" in ended.err
    assert offers in ended.err


KINDS: Final = {
    "profile.json": MADE_UP.read_bytes(),
    "image.png": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
    "empty": b"",
    "binary": bytes(range(256)) * 9,
    "error.html": b"<!DOCTYPE html>\n<html><body><h1>404 Not Found</h1></body></html>\n",
    "app.ini": b"[security]\nPASSWORD_HASH_ALGO = pbkdf2$100000$50\nINSTALL_LOCK = true\n",
    "settings.py": b"INSTALLED_APPS = []\nROOT_URLCONF = 'x.urls'\n",
    "folder": None,
}
"""A file of each kind that somebody may name by mistake."""
COMMANDS: Final = cases(__file__, "wrong_use.toml", "commands")


@pytest.mark.parametrize(
    ("command", "name"), [(command, name) for command in COMMANDS for name in COMMANDS[command]]
)
def test_it_ends_with_2_and_says_why(command: str, name: str, tmp_path: Path) -> None:
    """The code is 2, nothing is printed as a result, and one line says what is wrong."""
    for file, content in KINDS.items():
        if content is None:
            (tmp_path / file).mkdir()
        else:
            (tmp_path / file).write_bytes(content)
    words, stdin = [*command.split(), name], b""
    if command == "explain":
        words, stdin = ["explain"], KINDS[name] or b""
    ended = calibrate(*words, cwd=tmp_path, stdin=stdin)

    assert (2, "") == (ended.code, ended.out)
    assert ended.err.startswith("calibrate: ")
    assert 1 == ended.err.count("\n")
    assert "fine" not in ended.err


READ: Final = {
    "profile.json": MADE_UP.read_bytes(),
    "hashes.txt": b"$2b$12$abcdefghijklmnopqrstuuxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n",
    "code.py": b"import bcrypt\nbcrypt.gensalt(12)\n",
    "hashcost.toml": b'check = ["bcrypt=12"]\nprofile = "profile.json"\n',
}


@table("arguments, kept")
def test_what_is_read_is_not_replaced(
    arguments: tuple[str, ...], kept: str, tmp_path: Path
) -> None:
    """A result that would go where an input lies is refused, whatever way leads there."""
    for name, content in READ.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "link").symlink_to(kept)
    reports = arguments[0] in {"check", "scan"}
    for there in (kept, f"./{kept}", "link"):
        output = ("--report", f"json={there}") if reports else ("--output", there)
        ended = calibrate(*arguments, *output, cwd=tmp_path)
        assert (ended.code, ended.out) == (2, ""), ended.err
        assert f"{output[0]} would overwrite a file that is read; name another" in ended.err
        assert (tmp_path / kept).read_bytes() == READ[kept]
