"""``calibrate check`` of costs that are arguments."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import pytest

from end_to_end.command import MADE_UP, Ended, calibrate, calibrate_installed

FREE: Final = ("--target", "40ms", "--profile", str(MADE_UP), "--policy", "none")


def outcomes(ended: Ended) -> list[str]:
    """The outcomes in a report in JSON."""
    return [row["outcome"] for row in json.loads(ended.out)["results"]]


@pytest.mark.parametrize("form", ["table", "json", "sarif"])
def test_same_bytes(form: str, tmp_path: Path) -> None:
    """Runs against a profile print the same bytes, whatever the hash seed is."""
    arguments = ("check", "bcrypt=8", "bcrypt=9", "pbkdf2-sha256=600000", *FREE, "-f", form)
    one, another = (
        calibrate_installed(*arguments, cwd=tmp_path, env={"PYTHONHASHSEED": seed})
        for seed in ("0", "1")
    )

    assert (1, one) == (one.code, another)


def test_far_too_weak() -> None:
    """Without a profile the hashes are timed here: next to nothing is caught on any machine, and
    a heavy cost is not.
    """
    asked = (
        "check",
        "bcrypt=4",
        "bcrypt=12",
        "--target",
        "80ms",
        "--policy",
        "none",
        "-f",
        "json",
    )
    ended = calibrate(*asked)

    assert (1, True) == (ended.code, json.loads(ended.out)["live"])
    assert "drifted" == outcomes(ended)[0]
    assert outcomes(ended)[1] in {"fine", "over-budget"}
