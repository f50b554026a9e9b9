"""What `calibrate emit` ends with: it writes no cost that `calibrate` would doubt in silence."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from end_to_end.command import calibrate
from made_up import MEMORY_HARD_FILE

MEMORY_HARD: Final = MEMORY_HARD_FILE
"""Solved for 40 ms, so that memory which would fit another target was not timed."""


@pytest.mark.parametrize(("target", "code"), [("40ms", 0), ("2s", 3), ("10us", 5)])
def test_the_code_is_that_of_the_recommendation(target: str, code: int) -> None:
    """The same profile and target end with the same code, and the snippet is written."""
    told = calibrate("argon2id@argon2-cffi", "--from", str(MEMORY_HARD), "--target", target)
    emitted = calibrate("emit", "argon2-cffi", "--from", str(MEMORY_HARD), "--target", target)
    assert (told.code, emitted.code) == (code, code), emitted.err
    assert "PasswordHasher(" in emitted.out


def test_a_doubt_is_told() -> None:
    """Memory that was not timed and may fit is said, unless nothing is to be said."""
    asked = ("emit", "argon2-cffi", "--from", str(MEMORY_HARD), "--target", "2s")
    assert "untimed-steps: argon2id@argon2-cffi: nothing was timed at" in calibrate(*asked).err
    assert calibrate(*asked, "--quiet").err == ""


def test_a_minimum_beyond_the_target_is_out_of_reach() -> None:
    """An application that accepts nothing as quick as the target ends as a hasher does."""
    profile = str(MEMORY_HARD.with_name("profile.json"))
    ended = calibrate("emit", "spring", "--hasher", "bcrypt", "--from", profile, "--target", "1us")
    assert ended.code == 5, ended.err


def test_the_profile_is_not_written_over(tmp_path: Path) -> None:
    """The file that is read is no place for the snippet."""
    profile = tmp_path / "profile.json"
    profile.write_bytes(MEMORY_HARD.read_bytes())
    ended = calibrate("emit", "argon2-cffi", "--from", str(profile), "-o", str(profile))
    assert (ended.code, ended.out) == (2, "")
    assert "--output names a file that is read; name another" in ended.err
    assert profile.read_bytes() == MEMORY_HARD.read_bytes()
