"""A library that is missing or wrong takes away its own rows and no more, and says why."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

from end_to_end.command import QUICK, QUICK_DEFAULT, RAN, Ended, calibrate, calibrate_installed

WRONG = {
    "token": ('return b"*0"', "failure token *0"),
    "nothing": ("return None", "returned nothing"),
    "truncated": ('return setting + b"x" * 10', "39 bytes instead of 60"),
    "wrong": ('return setting + b"x" * 31', "a wrong hash"),
    "number": ("return 7", ""),
    "odd exception": (r'raise RuntimeError("out\x1b[31m of\nluck")', "out"),
}


def put_wrong_bcrypt(monkeypatch: pytest.MonkeyPatch, body: str) -> None:
    """Let the package bcrypt be one that does this."""
    module = ModuleType("bcrypt")
    exec(f"def hashpw(password, setting):\n    {body}\n", module.__dict__)  # noqa: S102 - our own
    monkeypatch.setitem(sys.modules, "bcrypt", module)


def calibrate_with(libraries: Path, *arguments: str) -> Ended:
    """Run the command where these modules are found first; without the libraries of its probe
    it would watch its core blindly.
    """
    env = {"PYTHONPATH": str(libraries)}
    return calibrate_installed(*arguments, env=env)


@pytest.mark.parametrize("kind", WRONG)
def test_wrong_library(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A library that computes no true hash is never timed: its row says why, the others go
    on, and the command ends with 4.
    """
    body, reason = WRONG[kind]
    put_wrong_bcrypt(monkeypatch, body)
    ended = calibrate("bcrypt", "pbkdf2-sha1", *QUICK, "--quiet", "--format", "json")
    broken, sound = json.loads(ended.out)["results"]

    assert (4, "") == (ended.code, ended.err)
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


@pytest.mark.parametrize(
    ("modules", "named", "measured"),
    [
        (("bcrypt",), "bcrypt@bcrypt", 8),
        (("argon2", "cryptography"), "argon2id", 7),
    ],
)
def test_unavailable_library(
    modules: tuple[str, ...], named: str, measured: int, tmp_path: Path
) -> None:
    """A library that is not here fails the command when it was named, and is only reported
    when the default hashers ran without it.
    """
    for module in modules:
        (tmp_path / f"{module}.py").write_text("raise ImportError('made unavailable')")
    by_name = calibrate_with(tmp_path, named, *QUICK)
    by_default = calibrate_with(tmp_path, *QUICK_DEFAULT, "--format", "json")
    results = json.loads(by_default.out)["results"]

    assert 4 == by_name.code
    assert by_default.code in RAN
    assert "made unavailable" in by_name.out
    assert measured == len([row for row in results if row["status"] == "measured"])


@pytest.mark.parametrize(
    ("module", "hasher", "implementation"),
    [("bcrypt", "bcrypt", "libcrypt"), ("argon2", "argon2id", "cryptography")],
)
def test_next_implementation_stands_in(
    module: str, hasher: str, implementation: str, tmp_path: Path
) -> None:
    """A hasher named without an implementation is run by the next one that is here."""
    (tmp_path / f"{module}.py").write_text("raise ImportError('made unavailable')")
    ended = calibrate_with(tmp_path, hasher, *QUICK_DEFAULT, "--format", "json")
    [row] = json.loads(ended.out)["results"]

    assert ended.code in RAN
    assert (hasher, implementation) == (row["hasher"], row["implementation"])
    assert "measured" == row["status"]
