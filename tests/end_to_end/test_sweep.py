"""The command ``sweep`` as it is installed."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from end_to_end.command import calibrate, calibrate_installed, calibrate_on_terminal
from hashcost.sweep.file import load_sweep

QUICK = ("sweep", "sha512-crypt", "--costs", "1,1000,2000,5000", "--budget", "1s")


def test_a_sweep_in_a_pipe() -> None:
    """The table is on standard output; nothing but advice on standard error."""
    ended = calibrate(*QUICK)

    assert ended.code == 0
    assert "sha512-crypt, libcrypt" in ended.out
    assert "*5000" in ended.out
    assert "rounds 1: not timed: outside 1000..999999999" in ended.out
    assert "about " not in ended.err


def test_the_estimate_is_told_on_a_terminal() -> None:
    """On a terminal what lies ahead is told before the work is done, unless it is quiet."""
    shown, quiet = (
        calibrate_on_terminal(*QUICK, *options, terminal="err").err for options in ((), ("-q",))
    )

    assert " to time" in shown  # How many a busy machine leaves for the budget is not told.
    assert quiet == ""


def test_rows_are_read_in_one_line(tmp_path: Path) -> None:
    """CSV and JSON hold the same flat records, which one line of the standard library reads."""
    saved = tmp_path / "sweep.json"
    ended = calibrate(*QUICK, "--save", str(saved), "--format", "csv", cwd=tmp_path)
    from_csv = list(csv.DictReader(io.StringIO(ended.out)))
    from_json = json.loads(saved.read_text())["rows"]

    assert [row["cost"] for row in from_csv] == [str(row["cost"]) for row in from_json]
    assert list(from_csv[0]) == list(from_json[0])
    assert from_json[1]["time_seconds"] == float(from_csv[1]["time_seconds"])
    assert load_sweep(saved).hashers[0].label == "sha512-crypt@libcrypt"


def test_json_is_what_is_saved(tmp_path: Path) -> None:
    """``--format json`` prints the same value that ``--save`` keeps, but for the host."""
    ended = calibrate(*QUICK, "--save", "s.json", "--format", "json", cwd=tmp_path)
    kept, printed = json.loads((tmp_path / "s.json").read_text()), json.loads(ended.out)

    assert {"name", "id"} == {*kept.pop("host")}
    assert printed.pop("host") is None
    assert kept == printed


def test_the_sweep_is_drawn_in_a_terminal() -> None:
    """``--plot`` draws below the table."""
    ended = calibrate("sweep", "bcrypt=4..6", "--budget", "500ms", "-q", "--plot")

    assert ended.code == 0
    assert "CPU time of one hash" in ended.out
    assert "● bcrypt@bcrypt" in ended.out


@pytest.mark.parametrize("suffix", ["svg", "png", "pdf"])
def test_the_sweep_is_drawn_to_a_file(tmp_path: Path, suffix: str) -> None:
    """``--plot FILE`` writes the picture and leaves the result as it is."""
    ended = calibrate(*QUICK, "--plot", f"picture.{suffix}", "-q", cwd=tmp_path)

    assert ended.code == 0
    assert "CPU time of one hash" not in ended.out
    assert (tmp_path / f"picture.{suffix}").stat().st_size > 1000


@pytest.mark.parametrize("name", ["matplotlib", "plotext"])
def test_without_the_extra(tmp_path: Path, name: str) -> None:
    """Without its library a picture is refused before any work, with the command that helps."""
    (tmp_path / f"{name}.py").write_text(f"raise ImportError('no {name}')")
    plot = "picture.svg" if name == "matplotlib" else "-"
    ended = calibrate_installed(*QUICK, "--plot", plot, libraries=tmp_path, cwd=tmp_path)

    assert (4, "") == (ended.code, ended.out)
    assert "pip install 'matplotlib>=" in ended.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("sweep",), "name a hasher to sweep"),
        (("sweep", "bcrypt", "--costs", "six"), "--costs"),
        (("sweep", "bcrypt", "--budget", "5"), "no unit"),
        (("sweep", "bcrypt", "--plot", "x.gif"), "must end with one of .svg, .png, .pdf"),
        (("sweep", "--plot", "bcrypt"), "put --plot last"),
        (("sweep", "bcrypt", "--plot=-", "--format", "json"), "--plot draws below the table"),
        (("sweep", "bcrypt", "--save", "-"), "--save needs a file"),
        (("sweep", "bcrypt", "--save", "x.svg", "--plot", "x.svg"), "name the same file"),
        (("sweep", "bcrypt", "--params", "t=2"), "--params"),
        (("sweep", "bcrypt=5", "bcrypt=6"), "named twice"),
        (("sweep", "bcrpyt"), "did you mean bcrypt?"),
    ],
)
def test_wrong_use(tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    """Wrong use ends with 2 and one line that says what to change."""
    ended = calibrate(*arguments, cwd=tmp_path)

    assert (2, "") == (ended.code, ended.out)
    assert message in ended.err
    assert ended.err.count("\n") == 1
