"""No command that judges says that all is well of input that it does not read."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from end_to_end.command import MADE_UP, calibrate

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
COMMANDS: Final = {
    "audit": ("profile.json", "image.png", "empty", "binary", "error.html", "app.ini", "folder"),
    "audit --fail-on-weak": ("profile.json", "image.png", "settings.py", "error.html"),
    "check --app django": (*list(KINDS)[:6], "folder"),
    "check --app laravel": tuple(KINDS),
    "emit gitea --from profile.json --diff": (*list(KINDS)[:5], "folder"),
    "scan": (*list(KINDS)[:6], "folder"),
    "explain": tuple(KINDS)[:7],
}


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
