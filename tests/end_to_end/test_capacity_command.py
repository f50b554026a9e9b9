"""`calibrate capacity` as users run it, on hashes that take next to nothing."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Final

import pytest

from end_to_end.command import calibrate, calibrate_on_terminal

BRIEF: Final = ("--budget", "20ms")
"""For each number of threads."""


@pytest.mark.parametrize(
    ("expression", "params"),
    [
        ("bcrypt@libcrypt=4", {"cost": 4}),
        ("sha512-crypt=rounds=1000", {"rounds": 1000}),
        ("scrypt=n=1024", {"n": 1024, "r": 8, "p": 1}),
        ("argon2id=m=64,t=1,p=2", {"memory_kib": 64, "time_cost": 1, "parallelism": 2}),
    ],
)
def test_a_cost_is_loaded(expression: str, params: dict[str, int]) -> None:
    """A hasher is run in threads at the cost that is given, by the library that is named."""
    capacity = json.loads(calibrate("capacity", expression, *BRIEF, "--format", "json").out)
    levels = capacity["levels"]

    assert params == capacity["params"]
    assert [1, 2 * capacity["cpus"]] == [levels[0]["threads"], levels[-1]["threads"]]
    assert all(level["hashes"] >= 2 * level["threads"] for level in levels)
    assert capacity["prediction"]["p50_seconds"] <= capacity["prediction"]["p95_seconds"]


@pytest.mark.parametrize("form", ["table", "csv"])
def test_a_file_takes_the_result(form: str, tmp_path: Path) -> None:
    """The result goes to a file in the form that was asked for, and nowhere else."""
    path = tmp_path / "result"
    ended = calibrate("capacity", "bcrypt=4", *BRIEF, "-q", "-f", form, "-o", str(path))
    text = path.read_text("utf-8")

    assert (0, "", "") == (ended.code, ended.out, ended.err)
    if form == "csv":
        kinds = [row["kind"] for row in csv.DictReader(io.StringIO(text))]
        assert ("level", "prediction") == (kinds[0], kinds[-1])
    else:
        assert "70 % load" in text


def test_progress_is_gone_at_the_end() -> None:
    """On a terminal the progress bar is shown, and gone at the end."""
    shown = calibrate_on_terminal("capacity", "bcrypt=4", *BRIEF, terminal="err")

    assert "hashing in threads" in shown.err
    assert "hashing in threads" not in shown.err.rpartition("\x1b[2K")[2]
