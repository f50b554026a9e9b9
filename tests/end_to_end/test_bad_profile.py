"""A saved profile that is not what it should be is refused, whatever it is."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeAlias

import pytest

from end_to_end.command import MADE_UP, calibrate
from end_to_end.test_bad_input import assert_one_line

WHOLE: Final = MADE_UP.read_bytes()

Damage: TypeAlias = Callable[[dict[str, Any]], object]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", ()),
        (WHOLE[: len(WHOLE) // 2], ()),
        (WHOLE[:-3], ()),
        (b"{}", ("not a hashcost profile",)),
        (b"[1, 2]", ("not a hashcost profile",)),
        (b"null", ("not a hashcost profile",)),
        (b'{"schema": 1}', ("not a hashcost profile",)),
        (b'{"schema": "1"}', ("not a hashcost profile",)),
        (b"hasher,implementation\n", ()),
        (b"\x89PNG\r\n\x1a\n\x00\xff", ()),
        (b"\xff\xfe{\x00}\x00", ()),
        (b'{"schema": 2}', ("not a hashcost profile",)),
        (b'{"schema": 3}', ("schema 3", "newer", "upgrade")),
        (b'{"schema": 99999999999999999999999}', ()),
        (b'{"schema": 0}', ()),
        (b'{"schema": -1}', ()),
        (b'{"schema": NaN}', ()),
        (b"[" * 500_000, ()),
        (b'{"schema": 1, "a": ' + b"[" * 500_000 + b"]" * 500_000 + b"}", ()),
        (b'{"schema": 1, "a": ' + b'{"a":' * 500_000 + b"1" + b"}" * 500_001, ()),
        (b" " * (17 << 20), ("larger than",)),
    ],
    ids=[
        "empty",
        "half",
        "almost whole",
        "object",
        "list",
        "null",
        "schema alone",
        "schema as text",
        "csv",
        "image",
        "utf-16",
        "schema 2 alone",
        "newer",
        "far newer",
        "schema 0",
        "schema -1",
        "no number",
        "open lists",
        "deep lists",
        "deep objects",
        "huge",
    ],
)
def test_no_profile(content: bytes, words: tuple[str, ...], tmp_path: Path) -> None:
    """A file that is no profile of a known schema is refused by name."""
    (tmp_path / "p.json").write_bytes(content)

    assert_one_line(calibrate("--from", "p.json", cwd=tmp_path), 2, "--from", "p.json", *words)


def row(**changes: object) -> Damage:
    """Change fields of the first result."""
    return lambda profile: profile["results"][0].update(changes)


def model(**changes: object) -> Damage:
    """Change fields of the model that the first result names."""
    return lambda profile: profile["results"][0]["model"].update(changes)


def curve(**changes: object) -> Damage:
    """Change fields of the first curve's model."""
    return lambda profile: profile["measurements"][0]["fitted"]["curves"][0]["model"].update(
        changes
    )


def knob(**changes: object) -> Damage:
    """Change fields of the first measurement's only knob."""
    return lambda profile: profile["measurements"][0]["knobs"][0].update(changes)


def sample(**changes: object) -> Damage:
    """Change fields of the first measurement's first sample."""
    return lambda profile: profile["measurements"][0]["samples"][0].update(changes)


def failure(**changes: object) -> Damage:
    """Change fields of the last result, which failed."""
    return lambda profile: profile["results"][-1].update(changes)


def top(**changes: object) -> Damage:
    """Change fields of the profile."""
    return lambda profile: profile.update(changes)


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(row(status="guessed"), id="status"),
        pytest.param(row(time_seconds="soon"), id="time as text"),
        pytest.param(row(time_seconds=0), id="no time"),
        pytest.param(row(time_seconds=-1.0), id="negative time"),
        pytest.param(row(interval_seconds=[0.05, 0.03]), id="interval upside down"),
        pytest.param(row(interval_seconds=[0.05, 0.06]), id="interval elsewhere"),
        pytest.param(row(interval_seconds=[0.03]), id="half an interval"),
        pytest.param(row(params={}), id="no params"),
        pytest.param(row(params={"cost": 5}), id="params of another"),
        pytest.param(row(params={"rounds": 1}), id="params out of range"),
        pytest.param(knob(minimum=10**10), id="knob upside down"),
        pytest.param(knob(minimum=0), id="a count from nothing"),
        pytest.param(knob(scale="cubic"), id="scale"),
        pytest.param(knob(name="cost"), id="knob of another"),
        pytest.param(row(knobs=[]), id="no knobs"),
        pytest.param(row(cpu_seconds=0), id="no CPU time"),
        pytest.param(row(memory_bytes=-1), id="negative memory"),
        pytest.param(row(threads=-1), id="negative threads"),
        pytest.param(row(clock=None), id="no clock"),
        pytest.param(sample(params={"cost": 5}), id="sample of another"),
        pytest.param(sample(params={"rounds": 1}), id="sample out of range"),
        pytest.param(sample(system_seconds=-1.0), id="negative system time"),
        pytest.param(curve(seconds_per_unit=0), id="no time per unit"),
        pytest.param(curve(seconds_per_unit=-1.0), id="negative time per unit"),
        pytest.param(curve(seconds_per_unit=1e300), id="a time beyond all"),
        pytest.param(curve(overhead_seconds=-1.0), id="negative overhead"),
        pytest.param(curve(parameter="cost"), id="curve of another"),
        pytest.param(curve(scale="log2"), id="curve on another scale"),
        pytest.param(model(parameter="cost"), id="model of another"),
        pytest.param(model(scale="log2"), id="model on another scale"),
        pytest.param(row(hasher="\x1b[31mred"), id="escape code"),
        pytest.param(row(hasher="two\nlines"), id="line break"),
        pytest.param(row(hasher="\u202edesrever"), id="text turned round"),
        pytest.param(row(hasher="x" * 2000), id="endless name"),
        pytest.param(failure(code="made-up"), id="unknown code"),
        pytest.param(failure(code=""), id="empty code"),
        pytest.param(top(target_seconds=-1.0), id="negative target"),
        pytest.param(top(created="yesterday"), id="no date"),
        pytest.param(top(created="2026-11-20T09:08:07"), id="date without zone"),
        pytest.param(top(results=[]), id="no results"),
        pytest.param(top(results={}), id="results as object"),
        pytest.param(top(machine=None), id="no machine"),
        pytest.param(top(**{"\x1b[31m": 1}), id="escape code in a key"),
    ],
)
def test_damaged_profile(damage: Damage, tmp_path: Path) -> None:
    """A profile with a field that cannot be true is refused by name, and nothing is solved."""
    profile = json.loads(WHOLE)
    damage(profile)
    (tmp_path / "p.json").write_text(json.dumps(profile))

    assert_one_line(calibrate("--from", "p.json", cwd=tmp_path), 2, "--from", "p.json")


def test_unknown_fields_are_ignored(tmp_path: Path) -> None:
    """A field that this version does not know takes nothing away from the rest."""
    (tmp_path / "p.json").write_text(json.dumps(json.loads(WHOLE) | {"more": {"a": [1]}}))

    assert calibrate("--from", str(MADE_UP)) == calibrate("--from", "p.json", cwd=tmp_path)


def test_date_is_shown_in_utc(tmp_path: Path) -> None:
    """A profile's date is shown in UTC, whatever zone it was written in."""
    later = json.loads(WHOLE) | {"created": "2026-11-20T12:08:07+03:00"}
    (tmp_path / "p.json").write_text(json.dumps(later))

    assert "2026-11-20 09:08 UTC" in calibrate("--from", "p.json", cwd=tmp_path).out


@pytest.mark.parametrize("path", ["missing.json", ".", "missing/p.json"])
def test_unreadable_profile(path: str, tmp_path: Path) -> None:
    """A profile that is not there is refused by name."""
    assert_one_line(calibrate("--from", path, cwd=tmp_path), 2, "--from", path)


def test_profile_named_with_control_characters(tmp_path: Path) -> None:
    """A path is quoted without the control characters in it."""
    ended = calibrate("--from", "missing\x1b[31m\n.json", cwd=tmp_path)

    assert_one_line(ended, 2, "--from", "missing")
