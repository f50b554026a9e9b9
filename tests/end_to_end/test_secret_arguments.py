"""audit and explain repeat no argument; other commands none with the characters of a hash."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import Final

import pytest

from end_to_end.command import MADE_UP, calibrate, calibrate_installed
from secret_files import TYPED, UNMARKED

P: Final = str(MADE_UP)
READING_SECRETS: Final = (
    ("explain", "{}"),
    ("explain", "bcrypt={}"),
    ("explain", "--app", "{}"),
    ("explain", "--{}"),
    ("explain", "bcrypt=5", "--gpu={}"),
    ("explain", "bcrypt=5", "--profile", "{}"),
    ("audit", "{}"),
    ("audit", "x", "{}"),
    ("audit", "-", "--app", "{}"),
    ("audit", "-", "--layout", "csv", "--column", "{}"),
    ("audit", "-", "--layout", "{}"),
    ("audit", "-", "-t", "{}"),
    ("audit", "-", "-t{}"),
    ("audit", "-", "--policy", "{}"),
    ("audit", "-", "--output", "{}/{}"),
    ("audit", "--{}"),
    ("audit", "--database", "{}", "--query", "x"),
    ("audit", "--database", "sqlite:///{}", "--query", "{}"),
)
OTHERS: Final = (
    ("{}",),
    ("bcrypt@{}",),
    ("{}", "--from", P),
    ("--from", "{}"),
    ("--{}",),
    ("bcrypt", "--memory", "{}"),
    ("bcrypt", "--effort", "{}"),
    ("check", "{}=5", "--profile", P),
    ("check", "bcrypt={}", "--profile", P),
    ("check", "argon2id=m={},t=1,p=1", "--profile", P),
    ("check", "--app", "{}"),
    ("check", "bcrypt=9", "--policy", "{}"),
    ("check", "bcrypt=9", "--config", "{}"),
    ("check", "bcrypt=9", "--report", "{}"),
    ("scan", "{}"),
    ("compare", "{}", "{}"),
    ("emit", "django", "--hasher", "{}"),
    ("report", P, "-o", "{}/page.html"),
    ("sweep", "bcrypt", "--costs", "{}"),
)


def met(
    places: tuple[tuple[str, ...], ...], secrets: tuple[str, ...]
) -> list[tuple[tuple[str, ...], str]]:
    """Each place with two secrets, each secret in several places."""
    return [*zip(places * 2, itertools.cycle(secrets), strict=False)]


_PUBLIC: Final = {"argon2id", "pbkdf2_sha256", "pbkdf2", "sha512", "postgresql", "SCRAM-SHA-256"}
_PUBLIC_FIGURES: Final = {"600000", "10000"}


def leaked(secret: str, said: str) -> set[str]:
    """The parts of a secret of which as much as six characters come back."""
    parts = {part for part in re.split(r"[$:=,/{}*@ ]+|(?<=[a-z0-9])\.", secret) if len(part) > 5}
    return {part for part in parts - _PUBLIC - _PUBLIC_FIGURES if part[:6] in said}


@pytest.mark.parametrize(("place", "secret"), met(READING_SECRETS, (*TYPED, *UNMARKED)))
def test_audit_and_explain_repeat_no_argument(
    secret: str, place: tuple[str, ...], tmp_path: Path
) -> None:
    """Whatever is wrong with an argument, it is refused in words of our own."""
    arguments = (each.replace("{}", secret) for each in place)
    ended = calibrate(*arguments, cwd=tmp_path, stdin=b"x,y\n")

    assert ended.code in {0, 2, 4}
    assert set() == leaked(secret, ended.out + ended.err)


@pytest.mark.parametrize(("place", "secret"), met(OTHERS, TYPED))
def test_no_argument_like_a_hash_is_repeated(
    secret: str, place: tuple[str, ...], tmp_path: Path
) -> None:
    """A text with the characters of stored hashes and URLs is not repeated by any command."""
    ended = calibrate(*(each.replace("{}", secret) for each in place), cwd=tmp_path, stdin=b"x\n")

    assert ended.code in {0, 2, 4}
    assert set() == leaked(secret, ended.out + ended.err)


@pytest.mark.parametrize("command", [(), ("explain",), ("audit",)])
def test_the_installed_command(command: tuple[str, ...], tmp_path: Path) -> None:
    """As installed, the argument comes from the system, and is not repeated either."""
    ended = calibrate_installed(*command, TYPED[1], cwd=tmp_path)

    assert (2, "") == (ended.code, ended.out)
    assert set() == leaked(TYPED[1], ended.err)
