"""The command ``sweep`` on this machine, for a second at most."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Final

from end_to_end.command import calibrate, calibrate_installed, calibrate_on_terminal

QUICK: Final = ("sweep", "sha512-crypt", "--costs", "1,1000,2000,5000", "--budget", "500ms")


def test_a_sweep_is_told_drawn_and_saved(tmp_path: Path) -> None:
    """The table is on standard output, the picture and the sweep in files; what lies ahead is
    told on a terminal only.
    """
    ended = calibrate(*QUICK, "--plot", "picture.svg", "--save", "s.json", cwd=tmp_path)

    assert 0 == ended.code
    assert "sha512-crypt, libcrypt" in ended.out
    assert "rounds 1: not timed: outside 1000..999999999" in ended.out
    assert "about " not in ended.err
    assert (tmp_path / "picture.svg").stat().st_size > 1000
    assert 4 == len(json.loads((tmp_path / "s.json").read_text())["rows"])
    assert " to time" in calibrate_on_terminal(*QUICK, terminal="err").err


def test_rows_are_read_in_one_line(tmp_path: Path) -> None:
    """CSV and JSON hold the same flat records, which one line of the standard library reads."""
    ended = calibrate(*QUICK, "--save", "s.json", "--format", "csv", cwd=tmp_path)
    from_csv = list(csv.DictReader(io.StringIO(ended.out)))
    from_json = json.loads((tmp_path / "s.json").read_text())["rows"]

    assert list(from_csv[0]) == list(from_json[0])
    assert [row["cost"] for row in from_csv] == [str(row["cost"]) for row in from_json]
    assert from_json[1]["time_seconds"] == float(from_csv[1]["time_seconds"])


def test_without_the_extra(tmp_path: Path) -> None:
    """Without its library a picture is refused before any work, with the command that helps."""
    (tmp_path / "plotext.py").write_text("raise ImportError('no plotext')")
    ended = calibrate_installed(*QUICK, "--plot=-", libraries=tmp_path, cwd=tmp_path)

    assert (4, "") == (ended.code, ended.out)
    assert "pip install 'matplotlib>=" in ended.err
