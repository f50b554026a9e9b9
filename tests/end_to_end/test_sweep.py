"""The commands ``sweep`` and ``solve`` as they are installed."""

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
    assert "rounds 1: the library" in ended.out
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
    """``--plot`` draws below the table, also before a hasher's name."""
    ended = calibrate("sweep", "--plot", "bcrypt=4..6", "--budget", "500ms", "-q")

    assert ended.code == 0
    assert "CPU time of one hash, by cost" in ended.out
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
        (("sweep", "bcrypt", "--plot", "x.gif"), "ends with none of .svg, .png, .pdf"),
        (("sweep", "bcrypt", "--plot=-", "--format", "json"), "--plot draws below the table"),
        (("sweep", "bcrypt", "--save", "-"), "--save needs a file"),
        (("sweep", "bcrypt", "--save", "x.svg", "--plot", "x.svg"), "name the same file"),
        (("sweep", "bcrypt", "--params", "t=2"), "--params"),
        (("sweep", "bcrypt=5", "bcrypt=6"), "named twice"),
        (("sweep", "bcrpyt"), "did you mean bcrypt?"),
        (("solve", "nothing.csv"), "cannot read nothing.csv"),
        (("solve", "-"), "is empty"),
    ],
)
def test_wrong_use(tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    """Wrong use ends with 2 and one line that says what to change."""
    ended = calibrate(*arguments, cwd=tmp_path)

    assert (2, "") == (ended.code, ended.out)
    assert message in ended.err
    assert ended.err.count("\n") == 1


TABLE = "iterations;real (s)\n100001;0,064842\n200001;0,129587\n300001;0,195449\n"


def test_a_table_is_solved(tmp_path: Path) -> None:
    """A published table answers with a cost, its interval and the time it then takes."""
    (tmp_path / "table.csv").write_text(TABLE)
    ended = calibrate("solve", "table.csv", "--hasher", "pbkdf2-sha1", "-t", "40ms", cwd=tmp_path)

    assert (0, "") == (ended.code, ended.err)
    assert "pbkdf2-sha1  iterations=61600" in ended.out
    assert "costs from the column 'iterations', times from 'real (s)'" in ended.out


def test_every_form_of_an_answer(tmp_path: Path) -> None:
    """CSV has a record for each answer, JSON the fit and its residuals too."""
    (tmp_path / "table.csv").write_text(TABLE)
    as_csv, as_json = (
        calibrate("solve", "table.csv", "-t", "40ms", "--format", form, cwd=tmp_path).out
        for form in ("csv", "json")
    )
    (record,) = csv.DictReader(io.StringIO(as_csv))
    value = json.loads(as_json)

    assert record["cost"] == str(value["answers"][0]["cost"])
    assert 3 == len(value["answers"][0]["points"])
    assert (1, ["iterations", "real (s)"]) == (value["schema"], value["columns"])


@pytest.mark.parametrize(
    ("text", "options", "code", "message"),
    [
        ("cost,seconds\n6,1\n7,2\n", (), 3, "only 2 costs"),
        ("cost,seconds\n6,1\n7,2\n8,4\n9,8\n10,16\n", ("--scale", "linear"), 3, "--scale log2"),
        ("cost,seconds\n6,1\n7,2\n8,4\n", ("--hasher", "bcrypt", "-t", "1ms"), 5, "--target"),
        ("cost,seconds\n6,1\n7,2\n8,4\n", ("--hasher", "bcrpyt"), 2, "did you mean bcrypt?"),
    ],
)
def test_what_a_table_cannot_tell(
    tmp_path: Path, text: str, options: tuple[str, ...], code: int, message: str
) -> None:
    """A thin table, another shape and a target too slow have their own codes."""
    (tmp_path / "table.csv").write_text(text)
    ended = calibrate("solve", "table.csv", *options, cwd=tmp_path)

    assert (code, "") == (ended.code, ended.out)
    assert message in ended.err


TWO_HASHERS = (
    "hasher;rounds;time\nsha512-crypt;10000;3,1 ms\nsha512-crypt;100000;31,2 ms\n"
    "sha512-crypt;200000;61,9 ms\nbcrypt;10;60 ms\nbcrypt;11;120 ms\n"
)


def test_a_hasher_without_an_answer_leaves_the_others_alone(tmp_path: Path) -> None:
    """The answers that there are stand in the table, the reason for the other below it."""
    (tmp_path / "two.csv").write_text(TWO_HASHERS)
    ended = calibrate("solve", "two.csv", cwd=tmp_path)
    as_csv, as_json = (
        calibrate("solve", "two.csv", "--format", form, cwd=tmp_path) for form in ("csv", "json")
    )
    answered, failed = csv.DictReader(io.StringIO(as_csv.out))
    (why,) = json.loads(as_json.out)["failures"]

    assert (3, "") == (ended.code, ended.err)
    assert "sha512-crypt  rounds=8" in ended.out
    assert "bcrypt: the table has only 2 costs" in ended.out
    assert (3, 3) == (as_csv.code, as_json.code)
    assert ("sha512-crypt", "") == (answered["hasher"], answered["error"])
    assert ("bcrypt", "") == (failed["hasher"], failed["cost"])
    assert failed["error"] == why["error"]
    assert ("bcrypt", "inconclusive") == (why["hasher"], why["code"])


def test_no_answer_at_all_has_every_reason_in_one_line(tmp_path: Path) -> None:
    """Where no hasher has an answer nothing is printed, and the worst code is the end."""
    (tmp_path / "two.csv").write_text(TWO_HASHERS)
    ended = calibrate("solve", "two.csv", "--target", "1us", cwd=tmp_path)

    assert (5, "", 1) == (ended.code, ended.out, ended.err.count("\n"))
    assert "sha512-crypt: " in ended.err
    assert "; bcrypt: the table has only 2 costs" in ended.err


def test_a_sweep_is_solved_again(tmp_path: Path) -> None:
    """A sweep's CSV is a table like any other."""
    calibrate(*QUICK, "--format", "csv", "--output", "sweep.csv", cwd=tmp_path)
    ended = calibrate("solve", "sweep.csv", "--target", "40ms", cwd=tmp_path)

    assert ended.code in (0, 3)
    assert ended.code == 3 or "sha512-crypt  rounds=" in ended.out


def test_a_long_table_in_a_pipe_is_refused() -> None:
    """Standard input beyond the limit is refused, not cut to what fits."""
    table = "cost,seconds\n1000,1\n2000,2\n3000,3\n" + "#" * (4 << 20)
    ended = calibrate("solve", "-", stdin=table.encode())

    assert (2, "") == (ended.code, ended.out)
    assert "cannot read standard input: it is larger than 4,194,304 bytes" in ended.err
