"""The command ``sweep`` on this machine, for a second at most."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from end_to_end.command import calibrate

QUICK: Final = ("sweep", "sha512-crypt", "--costs", "1000,2000,5000", "--budget", "500ms")


def test_a_sweep_is_told_drawn_and_saved(tmp_path: Path) -> None:
    """The table is on standard output, the picture and the profile in files."""
    ended = calibrate(*QUICK, "--plot", "picture.svg", "--save", "s.json", cwd=tmp_path)

    assert 0 == ended.code
    assert "sha512-crypt, libcrypt" in ended.out
    assert (tmp_path / "picture.svg").stat().st_size > 1000
    again = calibrate("--from", "s.json", "--target", "50ms", cwd=tmp_path)
    assert "Use sha512-crypt rounds=" in again.out, again.err


def test_a_file_that_is_no_profile_is_left_as_it_is(tmp_path: Path) -> None:
    """It is refused before any hash is timed, with what to do."""
    (tmp_path / "notes.json").write_text("mine")
    ended = calibrate(*QUICK, "--save", "notes.json", cwd=tmp_path)

    assert (2, "") == (ended.code, ended.out)
    assert "name another file" in ended.err
    assert "mine" == (tmp_path / "notes.json").read_text()
