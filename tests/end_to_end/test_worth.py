"""What a cost is worth, asked of the installed command: policies, devices, enforced floors."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any, Final

import pytest

from end_to_end.command import MADE_UP, Ended, calibrate
from end_to_end.test_bad_input import ESCAPE, HUGE, assert_one_line

SAVED: Final = ("--from", str(MADE_UP), "--target", "40ms")

MINE: Final = """\
id = "ours"
title = "Our own rules"
source = "wiki page 7"
date = 2026-05-01

[[floors]]
hasher = "bcrypt"
params = { cost = 12 }
"""


def rows(ended: Ended) -> dict[str, dict[str, Any]]:
    """The rows of a profile's JSON by their labels."""
    results = json.loads(ended.out)["results"]
    return {f"{row['hasher']}@{row['implementation']}": row for row in results}


def verdicts(row: dict[str, Any]) -> dict[str, str]:
    """The verdict of each policy on a row."""
    return {check["policy"]: check["verdict"] for check in row["floors"]}


class TestPolicies:
    """`calibrate policies`."""

    def test_all_are_listed(self) -> None:
        """Without names every policy is listed with its title, source and day, one a row."""
        ended = calibrate("policies")
        lines = ended.out.splitlines()
        rows = lines[1 : lines.index("")]
        names = [line.split()[0] for line in rows if not line.startswith(" ")]

        assert (0, "") == (ended.code, ended.err)
        assert ["policy", "as", "of", "title"] == lines[0].split()
        assert 12 == len(names)
        assert sorted(names) == names
        assert "`calibrate policies NAME` shows a policy's minimums." == lines[-1]
        assert 12 == ended.out.count("https://")

    def test_one_in_full(self) -> None:
        """A named policy is shown with every floor and its day."""
        ended = calibrate("policies", "owasp")

        assert (0, "") == (ended.code, ended.err)
        assert ended.out.startswith("owasp: OWASP Password Storage Cheat Sheet, 2026-08-17\n")
        assert "pbkdf2-sha256  iterations=600000                 2023-01-23" in ended.out
        assert "bcrypt         cost=10 (legacy only)" in ended.out

    def test_ones_own(self, tmp_path: Path) -> None:
        """A file of one's own is checked and shown as it was understood."""
        (tmp_path / "mine.toml").write_text(MINE)
        ended = calibrate("policies", "./mine.toml", cwd=tmp_path)
        expected = """\
ours: Our own rules, 2026-05-01
wiki page 7
[1] wiki page 7
hasher  at least  since
bcrypt  cost=12   2026-05-01 [1]
"""

        assert (0, expected, "") == (ended.code, ended.out, ended.err)

    @pytest.mark.parametrize("form", ["json", "csv", "markdown"])
    def test_other_formats(self, form: str, tmp_path: Path) -> None:
        """Each format goes to standard output or, the same, into a file."""
        printed = calibrate("policies", "owasp", "fips", "--format", form)
        written = calibrate("policies", "owasp", "fips", "-f", form, "-o", "out", cwd=tmp_path)

        assert (0, 0, "") == (printed.code, written.code, written.out)
        assert printed.out == (tmp_path / "out").read_text("utf-8")

    def test_every_floor_can_be_traced(self) -> None:
        """For programs every floor has its source and its day."""
        listed = json.loads(calibrate("policies", "--format", "json").out)
        records = csv.DictReader(io.StringIO(calibrate("policies", "--format", "csv").out))

        assert all(
            floor["source"] and floor["date"] for each in listed for floor in each["floors"]
        )
        assert sum(len(each["floors"]) for each in listed) == sum(
            bool(record["source"] and record["date"]) for record in records
        )


class TestDevices:
    """`calibrate gpus`."""

    def test_all_are_listed(self) -> None:
        """Without names every device is listed, the default one first, with every speed."""
        ended = calibrate("gpus")
        heads = [line for line in ended.out.splitlines() if "GiB" in line]

        assert (0, "") == (ended.code, ended.err)
        assert heads[0].startswith("rtx-4090: NVIDIA GeForce RTX 4090, 24.0 GiB")
        assert 9 == len(heads)

    def test_named(self) -> None:
        """Named devices are listed in the order of their names, each once."""
        ended = calibrate("gpus", "rx-7900-xtx", "h100-sxm", "rx-7900-xtx", "-f", "json")

        assert (0, "") == (ended.code, ended.err)
        assert ["rx-7900-xtx", "h100-sxm"] == [device["id"] for device in json.loads(ended.out)]

    def test_every_speed_can_be_traced(self) -> None:
        """For programs every speed has its tool, its source and its day."""
        records = list(csv.DictReader(io.StringIO(calibrate("gpus", "--format", "csv").out)))

        assert 30 < len(records)
        assert all(record["tool"] and record["source"] and record["date"] for record in records)


class TestRecommend:
    """The second table."""

    def test_by_default(self) -> None:
        """Without options costs are compared with OWASP's floors on an RTX 4090."""
        ended = calibrate(*SAVED, "pbkdf2-sha256@hashlib", "--explain")
        expected = """
What that is worth against one NVIDIA GeForce RTX 4090
hasher         meets owasp  guesses/s          $ per 2³²
pbkdf2-sha256  from 156ms      55,411  scaled       7.32

from: the smallest --target that is sure to meet owasp.
"""

        assert 0 == ended.code
        assert expected in ended.out

    def test_another_policy(self) -> None:
        """FIPS approves of PBKDF2 alone."""
        ended = calibrate(*SAVED, "bcrypt", "pbkdf2-sha256", "--policy", "fips", "-f", "json")

        assert [{"fips": "not-approved"}] * 2 + [{"fips": "met"}] * 2 == sorted(
            (verdicts(row) for row in rows(ended).values()), key=str, reverse=True
        )

    def test_several_policies(self, tmp_path: Path) -> None:
        """Several policies, a file of one's own among them, each have their verdict in order."""
        (tmp_path / "mine.toml").write_text(MINE)
        policies = ("--policy", "fips", "--policy", "./mine.toml", "--policy", "owasp")
        ended = calibrate(*SAVED, "bcrypt@bcrypt", *policies, "-f", "json", cwd=tmp_path)
        (row,) = rows(ended).values()

        assert ["fips", "ours", "owasp"] == list(verdicts(row))
        assert ["not-approved", "short", "short"] == list(verdicts(row).values())

    def test_nothing_asked(self) -> None:
        """Without a policy and without a device there is no second table."""
        nothing = ("--policy", "none", "--gpu", "none")
        ended = calibrate(*SAVED, "bcrypt@bcrypt", *nothing, "--explain")
        head, grid, _ = ended.out.split("\n\n")

        assert 0 == ended.code
        assert head.startswith("One hash in at most 40.0 ms")
        assert 3 == len(grid.splitlines())
        assert "worth" not in ended.out

    def test_a_saved_profile_is_appraised_anew(self, tmp_path: Path) -> None:
        """A profile keeps what it was appraised by, and is appraised again by what is asked."""
        saved = calibrate(*SAVED, "--policy", "fips", "--save", "p.json", cwd=tmp_path)
        again = calibrate("--from", "p.json", "--gpu", "none", "-f", "json", cwd=tmp_path)
        kept = json.loads((tmp_path / "p.json").read_bytes())["results"]

        assert saved.code == again.code
        assert {"fips"} == {check["policy"] for row in kept for check in row.get("floors", [])}
        assert {"owasp"} == {
            check["policy"] for row in rows(again).values() for check in row.get("floors", [])
        }


class TestBadInput:
    """What cannot be meant ends with one line."""

    @pytest.mark.parametrize(
        ("name", "words"),
        [
            ("rtx4090", ("rtx-4090",)),
            ("abacus", ("rtx-4090", "h100-pcie")),
            ("", ("rtx-4090",)),
            (ESCAPE, ("rtx-4090",)),
            (HUGE, ("rtx-4090",)),
        ],
        ids=["misspelt", "unknown", "empty", "escape", "huge"],
    )
    def test_devices(self, name: str, words: tuple[str, ...]) -> None:
        """An unknown device is refused with the nearest or with all."""
        assert_one_line(calibrate(*SAVED, "--gpu", name), 2, "--gpu", *words)
        assert_one_line(calibrate("gpus", name), 2, *words)

    @pytest.mark.parametrize(
        ("name", "words"),
        [
            ("owsap", ("did you mean owasp?", "./own.toml")),
            ("pci", ("did you mean pci-dss-4?",)),
            (ESCAPE, ("calibrate policies",)),
            (HUGE, ("calibrate policies",)),
            ("absent.toml", ("absent.toml", "no such file")),
            ("./absent", ("absent", "no such file")),
            (".", ("directory",)),
            ("", ("directory",)),
            ("/dev/zero", ("/dev/zero", "larger")),
        ],
        ids=lambda value: repr(value)[:20] if isinstance(value, str) else "",
    )
    def test_policies(self, name: str, words: tuple[str, ...]) -> None:
        """An unknown policy is refused with the nearest, a file with why it cannot be read."""
        assert_one_line(calibrate(*SAVED, "--policy", name), 2, "--policy", *words)
        assert_one_line(calibrate("policies", name), 2, *words)

    def test_none_beside_others(self) -> None:
        """No policy beside a policy cannot be meant."""
        ended = calibrate(*SAVED, "--policy", "owasp", "--policy", "none")

        assert_one_line(ended, 2, "--policy", "none")

    @pytest.mark.parametrize(
        ("content", "words"),
        [
            (b"id = [", ("not TOML", "end of document")),
            (b"id = 'a'\nid = 'b'\n", ("not TOML", "line 2")),
            (b"\xff\xfe", ("not UTF-8", "line 1")),
            (b"", ("id is missing",)),
            (b"#" * (2 << 20), ("larger than",)),
            (b"a = " + b"[" * 100_000, ("nested",)),
            (b"a = " + b"9" * 100_000, ("digits",)),
            (b"k" * 100_000 + b" = 1", ("no key kkkk",)),
            (MINE.replace("bcrypt", "bcript").encode(), ("floors[0].hasher", "mean bcrypt?")),
            (MINE.replace("cost", "rounds").encode(), ("floors[0].params", "cost")),
            (MINE.replace("12", "0").encode(), ("floors[0].params.cost", "1 to 31")),
            (MINE.replace("12", "-12").encode(), ("floors[0].params.cost",)),
            (MINE.replace("12", "1" + "0" * 30).encode(), ("floors[0].params.cost",)),
            (MINE.replace("12", "'x'").encode(), ("floors[0].params", "cost = 12")),
            (MINE.replace("[[", "approved = ['scrypt']\n[[").encode(), ("floors[0]", "approved")),
            (MINE.replace("ours", "none").encode(), ("id: write", "not none")),
            (MINE.replace("ours", "owasp").encode(), ("'owasp'", "choose another")),
            (MINE.replace("Our own", "\\u001b[2J").encode(), ("`title`",)),
            (MINE.replace("[[", 'note = "\\u001b[2J"\n[[').encode(), ("`note`",)),
            (MINE.replace("[[", "colour = 1\n[[").encode(), ("no key colour",)),
        ],
        ids=range(20),
    )
    def test_policy_files(self, content: bytes, words: tuple[str, ...], tmp_path: Path) -> None:
        """A file that is malformed, contradictory or names what is unknown is refused with the
        file and the key or the line, before anything is timed.
        """
        (tmp_path / "p.toml").write_bytes(content)
        ended = calibrate(
            *("bcrypt", "--policy", "owasp", "--policy", "p.toml", "--gpu", "none"), cwd=tmp_path
        )

        assert_one_line(ended, 2, "--policy", *words)
        assert "p.toml" in ended.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("policies", "owsap"), "unknown policy 'owsap'; did you mean owasp?"),
        (("gpus", "rtx-4091"), "unknown device 'rtx-4091'; did you mean rtx-4090?"),
        (("bcrypt", "--policy", "owsap"), "--policy: unknown policy 'owsap'"),
        (("bcrypt", "--gpu", "rtx-4091"), "--gpu: unknown device 'rtx-4091'"),
    ],
)
def test_an_unknown_name_is_said_of_where_it_was_written(
    arguments: tuple[str, ...], message: str
) -> None:
    """An option's value is refused with the option, an argument without."""
    ended = calibrate(*arguments)

    assert (2, "") == (ended.code, ended.out)
    assert ended.err.startswith(f"calibrate: {message}")
