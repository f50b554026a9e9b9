"""Every command refuses what cannot be meant in a line that says what to change."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Final

import pytest

from corpora import rows
from end_to_end.command import MADE_UP, calibrate

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
