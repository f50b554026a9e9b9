"""The check of what applications are configured with, by the installed command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from end_to_end.command import MADE_UP, Ended, calibrate

_PROFILE = ("--profile", str(MADE_UP), "--target", "40ms", "--policy", "none", "--quiet")


def judged(ended: Ended) -> dict[str, Any]:
    """The one cost that was judged."""
    (row,) = json.loads(ended.out)["results"]
    found: dict[str, Any] = row
    return found


def test_the_usual_file_is_found(tmp_path: Path) -> None:
    """Without a file the usual one is read, and the line that wins is named with why."""
    (tmp_path / ".env").write_text("BCRYPT_ROUNDS=8\n# later\nBCRYPT_ROUNDS=9\n", "utf-8")
    ended = calibrate("check", "--app", "laravel", *_PROFILE, "-f", "json", cwd=tmp_path)
    row = judged(ended)

    assert {"cost": 9} == row["params"]
    assert {"path": ".env", "line": 3} == row["place"]
    assert "overwrites" in row["note"]


def test_unset_means_the_default_of_the_version(tmp_path: Path) -> None:
    """A file that sets nothing is judged by the default of the version that is given."""
    (tmp_path / ".env").write_text("APP_NAME=x\n", "utf-8")
    costs = {
        version: judged(
            calibrate(
                *("check", "--app", "laravel", "--app-version", version, "-f", "json"),
                *_PROFILE,
                cwd=tmp_path,
            )
        )["params"]
        for version in ("10.1", "11", "12.1")
    }

    assert {"10.1": {"cost": 10}, "11": {"cost": 12}, "12.1": {"cost": 12}} == costs


def test_django_is_asked_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """--import runs the settings: what Django makes of them is judged."""
    (tmp_path / "chosen.py").write_text(
        "from django.contrib.auth.hashers import PBKDF2PasswordHasher\n"
        "SECRET_KEY = 'x'\n"
        "class Ours(PBKDF2PasswordHasher):\n    iterations = 100 * 1590\n"
        "PASSWORD_HASHERS = ['chosen.Ours']\n",
        "utf-8",
    )
    monkeypatch.setenv("DJANGO_SETTINGS_MODULE", "chosen")
    ended = calibrate(
        "check", "--app", "django", "--import", *_PROFILE, "-f", "json", cwd=tmp_path
    )

    assert {"iterations": 159000} == judged(ended)["params"]
    assert judged(ended)["place"]["path"].endswith("chosen.py")


@pytest.mark.parametrize(("setting", "code"), [("pass", 0), ("fail", 1)])
def test_unknown_ends_as_the_settings_say(tmp_path: Path, setting: str, code: int) -> None:
    """A file of nobody is never fine, and fails unless the settings let it pass."""
    (tmp_path / "x.md").write_text("# hello\n", "utf-8")
    (tmp_path / "hashcost.toml").write_text(f'on-unknown = "{setting}"\n', "utf-8")

    ended = calibrate("check", "--app", "spring", "x.md", cwd=tmp_path)
    assert ended.code == code, ended.err
    assert "it contains no known setting of Spring Security" in " ".join(ended.out.split())
