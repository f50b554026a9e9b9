"""``calibrate check`` of costs: as arguments, on standard input and by settings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import pytest

from end_to_end.command import MADE_UP, Ended, calibrate, calibrate_installed

FREE: Final = ("--target", "40ms", "--profile", str(MADE_UP), "--policy", "none")
SETTINGS: Final = f"""\
target = "40ms"
profile = "{MADE_UP}"
policy = ["none"]
check = [
    "bcrypt=9",
    "sha512-crypt=140000",
]
"""


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


@pytest.mark.parametrize("name", ["hashcost.toml", "pyproject.toml"])
def test_settings_are_enough(name: str, tmp_path: Path) -> None:
    """The CI step is the command and nothing else, also in a folder below."""
    table = "[tool.hashcost]\n" if name == "pyproject.toml" else ""
    (tmp_path / name).write_text(table + SETTINGS)
    (tmp_path / "below").mkdir()
    ended = calibrate("check", "--format", "json", cwd=tmp_path / "below")

    assert (0, ["fine", "fine"]) == (ended.code, outcomes(ended))


def test_what_was_recommended() -> None:
    """What calibrate recommends by a profile passes the check by it, but for what it doubts."""
    by_profile = (*FREE[2:], "--target", "55ms", "--format", "json")
    costs = [
        f"{row['hasher']}@{row['implementation']}={next(iter(row['params'].values()))}"
        for row in json.loads(calibrate(*by_profile).out)["results"]
        if row["status"] == "measured"
    ]
    ended = calibrate("check", *costs, *by_profile)

    assert (3, [*["fine"] * 5, "inconclusive"]) == (ended.code, sorted(outcomes(ended)))


def test_standard_input() -> None:
    """Costs may be lines of standard input."""
    lines = b"bcrypt=9 # ours\n\nbcrypt=8\n"
    ended = calibrate("check", "-", *FREE, "--format", "json", stdin=lines)

    assert (1, ["fine", "drifted"]) == (ended.code, outcomes(ended))


@pytest.mark.parametrize("content", [b"", b"\xff\x00", b"bcrypt=9\n" * 200_000, b"=" * 3000])
def test_bad_standard_input(content: bytes) -> None:
    """Whatever is on standard input, the command ends with one line and no traceback."""
    ended = calibrate("check", "-", *FREE, stdin=content)

    assert (2, "", 1) == (ended.code, ended.out, ended.err.count("\n"))


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


def test_the_summary_of_a_github_job(tmp_path: Path) -> None:
    """The result is added to the file that the runner names, or refused before any timing."""
    summary = tmp_path / "summary.md"
    for cost in ("bcrypt=8", "bcrypt=9"):
        calibrate("check", cost, *FREE, env={"GITHUB_STEP_SUMMARY": str(summary)})
    text = summary.read_text("utf-8")
    refused = calibrate("check", "bcrypt=12", env={"GITHUB_STEP_SUMMARY": str(tmp_path)})

    assert text.index("| drifted | bcrypt |") < text.index("| fine | bcrypt |")
    assert (2, "") == (refused.code, refused.out)
    assert "calibrate: cannot write GITHUB_STEP_SUMMARY: is a directory\n" == refused.err
