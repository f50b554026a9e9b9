"""A hash or a line of users where a name belongs is never echoed, whatever the command."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest

from end_to_end.command import MADE_UP, calibrate, calibrate_installed
from secret_files import TYPED

P: Final = str(MADE_UP)
BY: Final = ("--profile", P)
PLACES: Final = (
    ("{}",),
    ("{}=5",),
    ("bcrypt@{}",),
    ("{}", "--from", P),
    ("--from", "{}"),
    ("--{}",),
    ("bcrypt", "--memory", "{}"),
    ("bcrypt", "--effort", "{}"),
    ("check", "{}", *BY),
    ("check", "{}=5", *BY),
    ("check", "bcrypt={}", *BY),
    ("check", "bcrypt@{}=5", *BY),
    ("check", "argon2id=m={},t=1,p=1", *BY),
    ("check", "--app", "{}"),
    ("check", "--app", "laravel", "{}"),
    ("check", "bcrypt=9", "--policy", "{}"),
    ("check", "bcrypt=9", "--profile", "{}"),
    ("check", "bcrypt=9", "--target={}"),
    ("check", "bcrypt=9", "--config", "{}"),
    ("check", "bcrypt=9", "--report", "{}"),
    ("check", "bcrypt=9", "--format", "{}"),
    ("explain", "{}"),
    ("explain", "bcrypt={}"),
    ("explain", "--app", "{}"),
    ("explain", "bcrypt=5", "--gpu", "{}"),
    ("audit", "{}"),
    ("audit", "x", "{}"),
    ("audit", "-", "--app", "{}"),
    ("audit", "-", "--column", "{}"),
    ("audit", "--{}"),
    ("audit", "--database", "{}", "--query", "x"),
    ("scan", "{}"),
    ("compare", "{}", "{}"),
    ("emit", "{}"),
    ("emit", "django", "--hasher", "{}"),
    ("report", "{}", "-o", "page.html"),
    ("report", P, "-o", "{}/page.html"),
    ("sweep", "{}", "--budget", "1s"),
    ("sweep", "bcrypt", "--costs", "{}"),
    ("sweep", "bcrypt", "--plot", "{}"),
    ("capacity", "{}"),
    ("policies", "{}"),
    ("gpus", "{}"),
    ("apps", "{}"),
    ("hashers", "{}"),
)
_PUBLIC: Final = {
    "argon2id",
    "pbkdf2_sha256",
    "pbkdf2",
    "sha512",
    "postgresql",
    "SCRAM-SHA-256",
    "600000",
}


def leaked(secret: str, said: str) -> set[str]:
    """The parts of a secret of which as much as six characters come back."""
    parts = {part for part in re.split(r"[$:=,/{}*@ ]+|(?<=[a-z0-9])\.", secret) if len(part) > 5}
    return {part for part in parts - _PUBLIC if part[:6] in said}


@pytest.mark.parametrize("place", PLACES, ids=" ".join)
@pytest.mark.parametrize("secret", TYPED)
def test_no_argument_that_may_be_a_secret_is_echoed(
    secret: str, place: tuple[str, ...], tmp_path: Path
) -> None:
    """It is refused in words of our own."""
    ended = calibrate(*(each.replace("{}", secret) for each in place), cwd=tmp_path, stdin=b"x\n")

    assert ended.code in {0, 2, 4}
    assert set() == leaked(secret, ended.out + ended.err)


@pytest.mark.parametrize("command", [(), ("check",), ("explain",), ("audit",)])
def test_the_installed_command(command: tuple[str, ...], tmp_path: Path) -> None:
    """As installed, the argument comes from the system, and is not echoed either."""
    ended = calibrate_installed(*command, TYPED[1], cwd=tmp_path)

    assert (2, "") == (ended.code, ended.out)
    assert set() == leaked(TYPED[1], ended.err)


def test_a_hash_is_said_to_belong_into_a_file(tmp_path: Path) -> None:
    """Whoever gives a line of shadow in the place of a file is told what to do instead."""
    for secret in TYPED[:-1]:
        assert "that is a hash, not a file" in calibrate("audit", secret, cwd=tmp_path).err
