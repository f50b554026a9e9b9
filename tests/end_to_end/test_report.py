"""The command ``report``: a page of profiles and sweeps."""

from __future__ import annotations

from pathlib import Path

import pytest

from end_to_end.command import MADE_UP, calibrate, calibrate_installed
from hashcost.documents.profile import save_profile
from measured import EVERY, HARD


def test_a_page_is_written(tmp_path: Path) -> None:
    """The page is in the file and nothing is said; it is the same on standard output."""
    to_file = calibrate("report", str(MADE_UP), "-o", "report.html", cwd=tmp_path)
    to_output = calibrate("report", str(MADE_UP), "--output", "-")
    page = (tmp_path / "report.html").read_text("utf-8")

    assert (0, "", "") == (to_file.code, to_file.out, to_file.err)
    assert page == to_output.out
    assert page.startswith("<!DOCTYPE html>")
    assert "One hash in at most 40.0 ms" in page


@pytest.mark.parametrize(
    ("target", "code", "reason"),
    [("39ms", 0, ""), ("1us", 5, "raise --target")],
)
def test_a_target_is_solved_for(tmp_path: Path, target: str, code: int, reason: str) -> None:
    """``--target`` answers another target from the same figures, or says why it cannot."""
    save_profile(HARD, tmp_path / "hard.json")
    ended = calibrate("report", "hard.json", "-o", "x.html", "--target", target, cwd=tmp_path)

    assert (code, "") == (ended.code, ended.out)
    assert reason in ended.err
    assert all("@" in line.partition(": ")[0] for line in ended.err.splitlines())
    assert (tmp_path / "x.html").exists()


def test_policies_and_devices_are_those_asked_for() -> None:
    """Floors and prices are of the policies and the device that are named."""
    page = ("report", str(MADE_UP), "-o", "-")
    named = calibrate(*page, "--policy", "fips", "--gpu", "rtx-5090").out
    neither = calibrate(*page, "--policy", "none", "--gpu", "none").out

    assert "meets fips" in named
    assert "RTX 5090" in named
    assert "owasp" not in named
    assert not [words for words in ("meets", "guesses/s") if words in neither]


def test_several_files_are_told_apart(tmp_path: Path) -> None:
    """Profiles of the same name in two folders have a section each; one named twice has one."""
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        save_profile(EVERY, tmp_path / folder / "here.json")
    (tmp_path / "link.json").symlink_to("one/here.json")
    names = ("one/here.json", "two/here.json", "one/../one/here.json", "link.json")
    ended = calibrate("report", *names, "-o", "-", cwd=tmp_path)

    assert 0 == ended.code
    for name in ("here.json", "here-2.json"):
        assert 1 == ended.out.count(f">{name}</h2>")
        assert f'download="{name}"' in ended.out
    assert ">Side by side</h2>" in ended.out
    assert "link.json</h2>" not in ended.out


@pytest.mark.parametrize(("library", "name"), [("jinja2", "Jinja"), ("matplotlib", "matplotlib")])
def test_without_the_extra(tmp_path: Path, library: str, name: str) -> None:
    """Without its libraries nothing is read or written, and the message brings them."""
    (tmp_path / f"{library}.py").write_text(f"raise ImportError('no {library}')")
    asked = ("report", "absent.json", "-o", "x.html")
    ended = calibrate_installed(*asked, libraries=tmp_path, cwd=tmp_path)

    assert (4, "") == (ended.code, ended.out)
    assert f"{name} is not installed; pip install 'jinja2>=" in ended.err
