"""The command ``report`` as it is installed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from end_to_end.command import MADE_UP, calibrate, calibrate_installed
from fakes import FakeClock, FakeHasher, swept
from hashcost.documents.profile import save_profile
from hashcost.sweep.file import save_sweep
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


def test_a_target_is_solved_for(tmp_path: Path) -> None:
    """``--target`` answers another target from the same figures, as ``--from`` does."""
    ended = calibrate("report", str(MADE_UP), "-o", "-", "--target", "100ms", cwd=tmp_path)
    command = calibrate("--from", str(MADE_UP), "--target", "100ms", "--quiet")

    assert command.code == ended.code
    assert "One hash in at most 100 ms, solved from measurements of" in ended.out


def test_a_sweep_is_solved_for_a_target(tmp_path: Path, clock: FakeClock) -> None:
    """``--target`` answers it from the fit of a sweep too, and says what is too slow."""
    sweep = swept(clock, FakeHasher(clock), costs="1000,2000,4000", budget=2.0, target=0.25)
    save_sweep(sweep, tmp_path / "sweep.json")
    ended = calibrate("report", "sweep.json", "-o", "-", "--target", "100ms", cwd=tmp_path)
    beyond = calibrate("report", "sweep.json", "-o", "x.html", "--target", "1ns", cwd=tmp_path)

    assert (0, "") == (ended.code, ended.err)
    assert "Use fake@memory rounds=" in ended.out
    assert "for a target of 100 ms, by the fit" in ended.out
    assert "250 ms" not in ended.out
    assert (5, "", 1) == (beyond.code, beyond.out, beyond.err.count("\n"))
    assert "takes longer than the target by the fit; raise --target" in beyond.err
    assert (tmp_path / "x.html").exists()


@pytest.mark.parametrize(
    ("target", "code", "reason"),
    [("1us", 5, "raise --target"), ("30s", 3, "nothing was timed at")],
)
def test_a_target_that_cannot_be_answered_is_explained(
    tmp_path: Path, target: str, code: int, reason: str
) -> None:
    """What the command ends with has its reason on standard error, a line a row."""
    save_profile(HARD, tmp_path / "hard.json")
    ended = calibrate("report", "hard.json", "-o", "x.html", "--target", target, cwd=tmp_path)

    assert (code, "") == (ended.code, ended.out)
    assert any(reason in line for line in ended.err.splitlines())
    assert all("@" in line.partition(": ")[0] for line in ended.err.splitlines())
    assert (tmp_path / "x.html").exists()


def test_a_file_that_is_named_twice_is_taken_once(tmp_path: Path) -> None:
    """One file, whatever way leads to it, has one section."""
    save_profile(EVERY, tmp_path / "p.json")
    (tmp_path / "link.json").symlink_to("p.json")
    once, twice = (
        calibrate("report", *names, "-o", "-", cwd=tmp_path)
        for names in (["p.json"], ["p.json", "./p.json", "link.json"])
    )

    assert (0, "") == (twice.code, twice.err)
    assert once.out == twice.out


def test_policies_and_devices_are_those_asked_for() -> None:
    """Floors and prices are of the policies and the device that are named."""
    ended = calibrate(
        "report", str(MADE_UP), "-o", "-", "--policy", "fips", "--gpu", "rtx-5090",
    )  # fmt: skip
    neither = calibrate("report", str(MADE_UP), "-o", "-", "--policy", "none", "--gpu", "none")

    assert "meets fips" in ended.out
    assert "owasp" not in ended.out
    assert "rented at $0.69 an hour" in ended.out
    assert "RTX 5090" in ended.out
    assert "meets" not in neither.out
    assert "guesses/s" not in neither.out


def test_several_files_are_told_apart(tmp_path: Path) -> None:
    """Profiles of the same name in two folders, and a sweep, each have their section."""
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        save_profile(EVERY, tmp_path / folder / "here.json")
    swept = calibrate("sweep", "bcrypt=4..6", "--budget", "500ms", "-q", "--save", "sweep.json",
                      cwd=tmp_path)  # fmt: skip
    ended = calibrate(
        "report", "one/here.json", "two/here.json", "sweep.json", "-o", "-", cwd=tmp_path
    )

    assert (0, 0) == (swept.code, ended.code)
    for name in ("here.json", "here-2.json", "sweep.json"):
        assert f">{name}</h2>" in ended.out
        assert f'download="{name}"' in ended.out
    assert ">Side by side</h2>" in ended.out


@pytest.mark.parametrize(("library", "name"), [("jinja2", "Jinja"), ("matplotlib", "matplotlib")])
def test_without_the_extra(tmp_path: Path, library: str, name: str) -> None:
    """Without its libraries nothing is read or written, and the message brings them."""
    (tmp_path / f"{library}.py").write_text(f"raise ImportError('no {library}')")
    ended = calibrate_installed(
        "report", "absent.json", "-o", "x.html", libraries=tmp_path, cwd=tmp_path
    )

    assert (4, "") == (ended.code, ended.out)
    assert f"{name} is not installed; pip install 'jinja2>=" in ended.err
    assert not (tmp_path / "x.html").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("report",), "Missing argument 'PROFILE...'"),
        (("report", "p.json"), "`calibrate report p.json -o report.html`"),
        (("report", "absent.json", "-o", "x.html"), "cannot read absent.json"),
        (("report", "broken.json", "-o", "x.html"), "broken.json is incomplete or broken JSON"),
        (("report", "newer.json", "-o", "x.html"), "newer.json has schema 99"),
        (
            ("report", "p.json", "-o", "p.json"),
            "--output would overwrite a file that is read; name another",
        ),
        (("report", "p.json", "-o", "no/x.html"), "--output: cannot write no/x.html"),
        (("report", "p.json", "-o", "x.html", "-t", "40"), "has no unit"),
        (("report", "p.json", "-o", "x.html", "--policy", "owsap"), "did you mean owasp?"),
    ],
)
def test_wrong_use(tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    """Wrong use ends with 2, one line that says what to change, and no half page."""
    save_profile(EVERY, tmp_path / "p.json")
    (tmp_path / "broken.json").write_text('{"schema": 1')
    (tmp_path / "newer.json").write_text(json.dumps({"schema": 99}))
    before = (tmp_path / "p.json").read_bytes()
    ended = calibrate(*arguments, cwd=tmp_path)

    assert (2, "") == (ended.code, ended.out)
    assert message in ended.err
    assert ended.err.count("\n") == 1
    assert before == (tmp_path / "p.json").read_bytes()
    assert not (tmp_path / "x.html").exists()
