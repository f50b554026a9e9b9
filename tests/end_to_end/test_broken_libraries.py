"""A library that is missing or wrong takes away its own rows and no more, and says why."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

from end_to_end.command import QUICK, QUICK_DEFAULT, calibrate, calibrate_installed

WRONG = {
    "token": ('return b"*0"', "failure token *0"),
    "wrong": ('return setting + b"x" * 31', "a wrong hash"),
    "number": ("return 7", ""),
    "odd exception": (r'raise RuntimeError("out\x1b[31m of\nluck")', "out"),
}


def put_wrong_bcrypt(monkeypatch: pytest.MonkeyPatch, body: str) -> None:
    """Let the package bcrypt be one that does this."""
    module = ModuleType("bcrypt")
    exec(f"def hashpw(password, setting):\n    {body}\n", module.__dict__)  # noqa: S102 - our own
    monkeypatch.setitem(sys.modules, "bcrypt", module)


@pytest.mark.parametrize("kind", WRONG)
def test_wrong_library(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A library that computes no true hash is never timed: its row says why, the others go
    on, and the command ends with 4.
    """
    body, reason = WRONG[kind]
    put_wrong_bcrypt(monkeypatch, body)
    ended = calibrate("bcrypt", "pbkdf2-sha1", *QUICK, "--quiet", "--format", "json")
    broken, sound = json.loads(ended.out)["results"]

    assert 4 == ended.code
    assert f"calibrate: bcrypt@bcrypt: {broken['error']}\n" == ended.err
    assert ("failed", "measured") == (broken["status"], sound["status"])
    assert "bcrypt" == broken["implementation"]
    assert reason in broken["error"]
    assert broken["error"].isprintable()


def test_library_that_turns_wrong_while_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every timed hash is checked, not only the known answers."""
    known = "$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"
    body = f'return b"{known}" if password == b"U*U" else b"*0"'
    put_wrong_bcrypt(monkeypatch, body)
    ended = calibrate("bcrypt", *QUICK)

    assert 4 == ended.code
    assert "bcrypt@bcrypt: returned the failure token *0" in ended.out


def test_saved_failure_can_be_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever a library said when it failed, the profile that keeps it is readable."""
    put_wrong_bcrypt(monkeypatch, WRONG["odd exception"][0])
    calibrate("bcrypt", "pbkdf2-sha1", *QUICK, "--save", "p.json", cwd=tmp_path)
    again = calibrate("--from", "p.json", "--format", "json", cwd=tmp_path)

    assert ["failed", "measured"] == [row["status"] for row in json.loads(again.out)["results"]]


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
