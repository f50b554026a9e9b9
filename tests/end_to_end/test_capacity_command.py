"""`calibrate capacity` as users run it, on hashes that take next to nothing."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any, Final

import pytest

from end_to_end.command import MADE_UP, RAN, calibrate, calibrate_on_terminal
from end_to_end.test_bad_input import assert_one_line

BRIEF: Final = ("--budget", "20ms")
"""For each number of threads."""


def loaded(*arguments: str) -> dict[str, Any]:
    """The JSON of a run that did its work."""
    ended = calibrate("capacity", *arguments, "--format", "json")
    assert ended.code in RAN, ended.err
    found: dict[str, Any] = json.loads(ended.out)
    return found


@pytest.mark.parametrize(
    ("expression", "params"),
    [
        ("bcrypt=4", {"cost": 4}),
        ("bcrypt@libcrypt=4", {"cost": 4}),
        ("pbkdf2-sha256=1000", {"iterations": 1000}),
        ("sha512-crypt=rounds=1000", {"rounds": 1000}),
        ("scrypt=n=1024", {"n": 1024, "r": 8, "p": 1}),
        ("argon2id=m=64,t=1,p=2", {"memory_kib": 64, "time_cost": 1, "parallelism": 2}),
        ("yescrypt=1", {"cost": 1}),
    ],
)
def test_every_hasher_is_loaded(expression: str, params: dict[str, int]) -> None:
    """Each hasher is run in threads at the cost that is given, by the library that is named."""
    found = loaded(expression, *BRIEF)
    threads = [level["threads"] for level in found["levels"]]
    assert params == found["params"]
    assert [1, found["cpus"], 2 * found["cpus"]] == [threads[0], *threads[-2:]]
    assert all(level["hashes"] >= 2 * level["threads"] for level in found["levels"])
    assert all(level["logins_per_second"] > 0 for level in found["levels"])
    assert found["prediction"]["p50_seconds"] <= found["prediction"]["p95_seconds"]


def test_the_highest_cost_for_logins() -> None:
    """The highest cost for logins is said to be predicted, with the p95 that it rests on."""
    found = loaded("pbkdf2-sha256", "--logins", "100/s", "--p95", "2s", *BRIEF)
    assert {"logins_per_second": 100.0, "p95_seconds": 2.0} == found["demand"]
    assert found["prediction"]["params"] == found["params"]
    assert found["prediction"]["p95_seconds"] <= 2.0


@pytest.mark.parametrize(
    ("demand", "words"),
    [
        (("--logins", "999999/s", "--p95", "1s"), ("can serve", "(predicted)")),
        (("--logins", "30/min", "--p95", "10us"), ("raise --p95 above",)),
    ],
)
def test_logins_that_no_cost_holds(demand: tuple[str, ...], words: tuple[str, ...]) -> None:
    """A demand that not even the lowest cost holds ends with 5, and says what it holds."""
    assert_one_line(calibrate("capacity", "bcrypt", *demand, *BRIEF, "-q"), 5, *words)


@pytest.mark.parametrize("form", ["table", "csv", "markdown"])
def test_every_form(form: str, tmp_path: Path) -> None:
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


def test_on_a_terminal() -> None:
    """On a terminal of 80 columns no line is longer, and the progress bar is gone at the end."""
    plain = {"NO_COLOR": "1"}
    ended = calibrate_on_terminal("capacity", "bcrypt=4", *BRIEF, terminal="out", env=plain)
    assert 0 == ended.code
    assert max(map(len, ended.out.splitlines())) <= 80
    shown = calibrate_on_terminal("capacity", "bcrypt=4", *BRIEF, terminal="err")
    assert "hashing in threads" in shown.err
    assert "hashing in threads" not in shown.err.rpartition("\x1b[2K")[2]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), ("HASHER",)),
        (("bcrypt=12", "scrypt"), ("unexpected",)),
        (("bcrypt=3",), ("cost from 4 to 31",)),
        (("bcrypt=31",), ("takes about", "a hash")),
        (("bcrypt=-1",), ("whole number", "bcrypt=12")),
        (("bcrypt=1e3",), ("whole number",)),
        (("bcrypt=m=1",), ("unknown parameter 'm'", "cost")),
        (("bcript=12",), ("did you mean bcrypt?",)),
        (("bcrypt@nobody=12",), ("no implementation 'nobody'",)),
        (("argon2id=1",), ("argon2id=m=19456,t=2,p=1",)),
        (("scrypt=n=1000",), ("power of two",)),
        (("bcrypt=12", "--target", "40ms"), ("--target", "cost")),
        (("bcrypt=12", "--from", str(MADE_UP)), ("--from", "cost")),
        (("yescrypt", "--from", str(MADE_UP)), ("yescrypt is not in the profile",)),
        (("bcrypt", "--from", "nowhere.json"), ("--from", "nowhere.json")),
        (("bcrypt", "--target", "61s"), ("--target",)),
        (("bcrypt=12", "--budget", "3"), ("3ms", "3s")),
        (("bcrypt", "--logins", "20/s"), ("--p95",)),
        (("bcrypt", "--p95", "250ms"), ("--logins",)),
        (("bcrypt", "--logins", "20", "--p95", "250ms"), ("20/s", "20/min")),
        (("bcrypt", "--logins", "20/s", "--p95", "250"), ("250ms", "250s")),
        (("bcrypt=12", "--logins", "20/s", "--p95", "250ms"), ("without a cost",)),
        (("bcrypt", "--logins", "9/s", "--p95", "1s", "--target", "1s"), ("--target",)),
        (("bcrypt=4", "--output", "/nowhere/at/all"), ("--output", "/nowhere/at/all")),
    ],
)
def test_wrong_use(arguments: tuple[str, ...], words: tuple[str, ...]) -> None:
    """What is wrong ends with 2, one line and what to change, before anything is loaded."""
    assert_one_line(calibrate("capacity", *arguments), 2, *words)
