"""A saved profile that is not what it should be is refused, whatever it is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import pytest

from end_to_end.command import MADE_UP, calibrate
from end_to_end.test_bad_input import assert_one_line

WHOLE: Final = MADE_UP.read_bytes()
NO_PROFILE: Final = {
    "empty": (b"", "broken JSON"),
    "half": (WHOLE[: len(WHOLE) // 2], "broken JSON"),
    "object": (b"{}", "not a hashcost profile"),
    "schema alone": (b'{"schema": 1}', "not a hashcost profile"),
    "schema 0": (WHOLE.replace(b'"schema": 1', b'"schema": 0', 1), "not a hashcost profile"),
    "newer": (b'{"schema": 2}', "schema 2, newer than the 1 this version knows; upgrade"),
    "far newer": (b'{"schema": 99999999999999999999999}', "p.json"),
    "csv": (b"hasher,implementation\n", "broken JSON"),
    "image": (b"\x89PNG\r\n\x1a\n\x00\xff", "broken JSON"),
    "utf-16": (b"\xff\xfe{\x00}\x00", "broken JSON"),
    "deep": (b'{"schema": 1, "a": ' + b'{"a":' * 500_000 + b"1" + b"}" * 500_001, "p.json"),
    "huge": (b" " * (17 << 20), "larger than"),
}


@pytest.mark.parametrize("case", NO_PROFILE)
def test_no_profile(case: str, tmp_path: Path) -> None:
    """A file that is no profile of a known schema is refused by name."""
    content, words = NO_PROFILE[case]
    (tmp_path / "p.json").write_bytes(content)

    ended = calibrate("--from", "p.json", cwd=tmp_path)
    assert_one_line(ended, 2, "--from", "p.json", words)


@pytest.mark.parametrize(
    "field",
    [
        {"status": "guessed"},
        {"time_seconds": -1.0},
        {"knobs": []},
        {"hasher": "\x1b[31mred"},
        {"hasher": "\u202edesrever"},
    ],
    ids=str,
)
def test_damaged_profile(field: dict[str, object], tmp_path: Path) -> None:
    """A profile with a field beyond its bounds is refused by name, and nothing is solved."""
    profile = json.loads(WHOLE)
    profile["results"][0].update(field)
    (tmp_path / "p.json").write_text(json.dumps(profile))

    assert_one_line(calibrate("--from", "p.json", cwd=tmp_path), 2, "--from", "p.json")


def test_date_is_shown_in_utc(tmp_path: Path) -> None:
    """A profile's date is shown in UTC, whatever zone it was written in."""
    later = json.loads(WHOLE) | {"created": "2026-11-20T12:08:07+03:00"}
    (tmp_path / "p.json").write_text(json.dumps(later))

    assert "2026-11-20 09:08 UTC" in calibrate("--from", "p.json", cwd=tmp_path).out


@pytest.mark.parametrize("path", ["missing.json", ".", "missing/p.json", "missing\x1b[31m\n"])
def test_unreadable_profile(path: str, tmp_path: Path) -> None:
    """A profile that is not there is refused by name, without control characters."""
    ended = calibrate("--from", path, cwd=tmp_path)

    assert_one_line(ended, 2, "--from", path.partition("\x1b")[0])
