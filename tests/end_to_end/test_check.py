"""``calibrate check`` as it is installed."""

from __future__ import annotations

import json
import os
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


def fed(content: bytes, *arguments: str) -> Ended:
    """The check with this on standard input."""
    return calibrate("check", *arguments, stdin=content)


class TestProfile:
    """Against a profile the answer is the same everywhere."""

    @pytest.mark.parametrize("form", ["table", "json", "sarif", "junit", "gitlab"])
    def test_same_bytes(self, form: str, tmp_path: Path) -> None:
        """Runs against a profile print the same bytes, whatever the hash seed is."""
        arguments = ("check", "bcrypt=8", "bcrypt=9", "pbkdf2-sha256=600000", *FREE, "-f", form)
        ends = {
            (ended.code, ended.out, ended.err)
            for seed in range(3 if form == "table" else 2)
            for ended in [
                calibrate_installed(*arguments, cwd=tmp_path, env={"PYTHONHASHSEED": str(seed)})
            ]
        }

        assert 1 == len(ends)

    @pytest.mark.parametrize("name", ["hashcost.toml", "pyproject.toml"])
    def test_settings_alone(self, name: str, tmp_path: Path) -> None:
        """The CI step is the command and nothing else, also in a folder below."""
        table = "[tool.hashcost]\n" if name == "pyproject.toml" else ""
        (tmp_path / name).write_text(table + SETTINGS)
        (tmp_path / "below").mkdir()
        ended = calibrate("check", "--format", "json", cwd=tmp_path / "below")

        assert (0, ["fine", "fine"]) == (ended.code, outcomes(ended))

    def test_what_was_recommended(self, tmp_path: Path) -> None:
        """What calibrate recommends by a profile passes the check by the same profile."""
        solved = calibrate(
            "--from", str(MADE_UP), "--target", "55ms", "--policy", "none", "--format", "json"
        )
        costs = [
            f"{row['hasher']}@{row['implementation']}={next(iter(row['params'].values()))}"
            for row in json.loads(solved.out)["results"]
            if row["status"] == "measured"
        ]
        ended = calibrate("check", *costs, *FREE[2:], "--target", "55ms", "--format", "json")

        assert 6 == len(costs)
        assert (0, {"fine"}) == (ended.code, set(outcomes(ended)))

    def test_standard_input(self) -> None:
        """Costs may be lines of standard input."""
        ended = fed(b"bcrypt=9 # ours\n\nbcrypt=8\n", "-", *FREE, "--format", "json")

        assert (1, ["fine", "drifted"]) == (ended.code, outcomes(ended))

    @pytest.mark.parametrize("content", [b"", b"\xff\x00", b"bcrypt=9\n" * 200_000, b"=" * 3000])
    def test_bad_standard_input(self, content: bytes) -> None:
        """Whatever is on standard input, the command ends with one line and no traceback."""
        ended = fed(content, "-", *FREE)

        assert (2, "", 1) == (ended.code, ended.out, ended.err.count("\n"))

    def test_name_that_is_no_text(self, tmp_path: Path) -> None:
        """A file of settings whose name is not UTF-8 is reported in every form."""
        folder = os.fsencode(tmp_path) + b"/\xff"
        Path(os.fsdecode(folder)).mkdir()
        path = Path(os.fsdecode(folder)) / "hashcost.toml"
        path.write_text(SETTINGS.replace("bcrypt=9", "bcrypt=8"))
        for form in ("json", "csv", "markdown", "github", "junit", "sarif", "gitlab"):
            ended = calibrate("check", "--config", str(path), "--format", form)
            escapes = (r"\xff", r"\\xff", "%FF")
            assert (1, True) == (ended.code, any(each in ended.out for each in escapes))


class TestLive:
    """Without a profile the hashes are timed here."""

    def test_far_too_weak(self) -> None:
        """A cost of next to nothing is caught on any machine, and a heavy one is not."""
        ended = calibrate(
            "check", "bcrypt=4", "bcrypt=12", "--target", "80ms", "--policy", "none", "-f", "json"
        )
        report = json.loads(ended.out)

        assert 1 == ended.code
        assert "drifted" == outcomes(ended)[0]
        assert outcomes(ended)[1] in {"fine", "over-budget"}
        assert report["live"] is True
        assert {"bcrypt"} == {row["implementation"] for row in report["results"]}

    def test_lanes(self) -> None:
        """A cost of two lanes is judged by hashes of two, unless others keep both CPUs busy."""
        ended = calibrate(
            "check", "argon2id=m=1024,t=1,p=2", "-t", "20ms", "--policy", "none", "-f", "json"
        )

        assert (ended.code, outcomes(ended)) in [(1, ["drifted"]), (3, ["inconclusive"])]
        if ended.code == 1:
            assert 2 == json.loads(ended.out)["results"][0]["recommended"]["parallelism"]


class TestSummary:
    """The summary of a GitHub job."""

    def test_it_is_appended(self, tmp_path: Path) -> None:
        """The result is added to the file that the runner names."""
        summary = tmp_path / "summary.md"
        for cost in ("bcrypt=8", "bcrypt=9"):
            calibrate("check", cost, *FREE, env={"GITHUB_STEP_SUMMARY": str(summary)})
        text = summary.read_text("utf-8")

        assert text.index("| drifted | bcrypt |") < text.index("| fine | bcrypt |")

    def test_it_cannot_be_written(self, tmp_path: Path) -> None:
        """A summary that cannot be written is wrong use, found before anything is timed."""
        ended = calibrate("check", "bcrypt=12", env={"GITHUB_STEP_SUMMARY": str(tmp_path)})

        assert (2, "") == (ended.code, ended.out)
        assert "calibrate: cannot write GITHUB_STEP_SUMMARY: is a directory\n" == ended.err
