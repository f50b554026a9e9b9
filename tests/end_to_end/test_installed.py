"""The installed command does what the tests of each command see it do in this process."""

import json
import shutil
from pathlib import Path
from typing import Final

import pytest

from corpora import cases, table
from end_to_end.command import MADE_UP, QUICK_DEFAULT, calibrate, calibrate_installed

ANSWERED: Final = cases(__file__, "installed.toml", "answered")
"""Answers that are the same every time, of commands that fail, write or start a process."""


@pytest.mark.parametrize("name", ANSWERED)
def test_the_installed_command_does_the_same(name: str, tmp_path: Path) -> None:
    """Exit code, both streams and the files that are written are those of this process."""
    folders = tmp_path / "installed", tmp_path / "here"
    for folder in folders:
        folder.mkdir()
        shutil.copy(MADE_UP, folder / "p.json")
        (folder / "app.py").write_text("import bcrypt\nbcrypt.gensalt(8)\n")
    installed = calibrate_installed(*ANSWERED[name], cwd=folders[0])
    here = calibrate(*ANSWERED[name], cwd=folders[1])

    assert installed == here
    left, right = (
        {p.relative_to(folder): p.read_bytes() for p in folder.rglob("*") if p.is_file()}
        for folder in folders
    )
    assert left == right


@table("words, library, package")
def test_a_broken_library_is_named(words: str, library: str, package: str, tmp_path: Path) -> None:
    """A library that does not load ends a command before any work, with why and what installs it.

    `tests/installed` tries the commands where the library is missing.
    """
    (tmp_path / f"{library}.py").write_text("raise ImportError('not here')\n")
    shutil.copy(MADE_UP, tmp_path / "p.json")
    ended = calibrate_installed(*words.split(), cwd=tmp_path, libraries=tmp_path)

    assert (4, "") == (ended.code, ended.out)
    assert "does not load (not here); install it again with" in ended.err
    assert f"pip install '{package}>=" in ended.err


def test_a_library_that_is_not_here(tmp_path: Path) -> None:
    """The next implementation stands in for it in the default hashers; named, it fails the
    command and says why.
    """
    for module in ("bcrypt", "argon2", "cryptography"):
        (tmp_path / f"{module}.py").write_text("raise ImportError('made unavailable')")
    arguments = ("bcrypt", "argon2id", *QUICK_DEFAULT, "--format", "json")
    ended = calibrate_installed(*arguments, libraries=tmp_path)
    stands_in, lacking = json.loads(ended.out)["results"]

    assert 4 == ended.code
    assert ("bcrypt", "libcrypt") == (stands_in["hasher"], stands_in["implementation"])
    assert "measured" == stands_in["status"]
    assert ("failed", "argon2id") == (lacking["status"], lacking["hasher"])
    assert "made unavailable" in lacking["error"]
