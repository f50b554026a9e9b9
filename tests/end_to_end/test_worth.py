"""What a cost is worth: policies, devices and their table, by a saved profile."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from end_to_end.command import MADE_UP, Ended, calibrate

SAVED: Final = ("--from", str(MADE_UP), "--target", "40ms")


def verdicts(ended: Ended) -> list[dict[str, str]]:
    """The verdict of each policy on each row."""
    rows: list[dict[str, Any]] = json.loads(ended.out)["results"]
    return [{check["policy"]: check["verdict"] for check in row.get("floors", [])} for row in rows]


def test_a_saved_profile_is_appraised_anew(tmp_path: Path) -> None:
    """A profile keeps what it was appraised by, and is appraised again by what is asked."""
    calibrate(*SAVED, "--policy", "fips", "--save", "p.json", cwd=tmp_path)
    again = calibrate("--from", "p.json", "--gpu", "none", "-f", "json", cwd=tmp_path)
    kept = json.loads((tmp_path / "p.json").read_bytes())["results"]

    assert {"fips"} == {check["policy"] for row in kept for check in row.get("floors", [])}
    assert {"owasp"} == {policy for row in verdicts(again) for policy in row}
