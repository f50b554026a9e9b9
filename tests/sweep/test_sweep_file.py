"""Sweeps as files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fakes import FakeClock, FakeHasher, swept
from hashcost.core.errors import UnreadableInputError
from hashcost.sweep.file import is_sweep, load_sweep, save_sweep, sweep_from_json


@pytest.fixture
def saved(clock: FakeClock, tmp_path: Path) -> Path:
    """A small sweep in a file."""
    path = tmp_path / "sweep.json"
    save_sweep(swept(clock, FakeHasher(clock), costs="1000,10000,100000000", budget=2.0), path)
    return path


def test_a_sweep_is_loaded_as_it_was_saved(clock: FakeClock, tmp_path: Path) -> None:
    """Saving and loading gives the same sweep, with every raw sample."""
    found = swept(clock, FakeHasher(clock), costs="1000,10000")
    save_sweep(found, tmp_path / "sweep.json")

    assert found == load_sweep(tmp_path / "sweep.json")
    assert len(found.hashers[0].samples) >= sum(row.samples for row in found.rows) > 0


def test_a_sweep_says_what_it_is(saved: Path) -> None:
    """The file names its kind and its schema, so that it is not taken for a profile."""
    content = json.loads(saved.read_text())

    assert ("sweep", 1) == (content["kind"], content["schema"])
    assert is_sweep(saved.read_bytes())
    assert not is_sweep(b'{"schema": 1, "results": []}')
    assert not is_sweep(b"no json")


def test_another_files_content_is_refused() -> None:
    """What is no sweep is refused with the command that makes one."""
    for content in (b"", b"[]", b'{"schema": 1}', b"\xff", b'{"schema": 1, "kind": "profile"}'):
        with pytest.raises(UnreadableInputError, match="calibrate sweep HASHER --save"):
            sweep_from_json(content, name="x.json")


def test_a_newer_schema_is_refused() -> None:
    """A version from the future is refused by its number."""
    with pytest.raises(UnreadableInputError, match="schema 2, newer than the 1"):
        sweep_from_json(b'{"schema": 2, "kind": "sweep"}', name="x.json")


@pytest.mark.parametrize(
    ("where", "value"),
    [
        (("rows", 0, "time_seconds"), -1.0),
        (("rows", 0, "high_seconds"), 1e300),
        (("rows", 0, "hashes_per_second"), 1e300),
        (("hashers", 0, "floors"), [{"policy": "a", "cost": 1, "time_seconds": None}] * 300),
        (("rounds",), 10**30),
        (("rows", 0, "cost"), -1),
        (("rows", 0, "residual"), -2.0),
        (("hashers", 0, "drift"), -0.1),
        (("hashers", 0, "fixed"), {"r": 0}),
        (("hashers", 0, "model", "seconds_per_unit"), 0.0),
        (("hashers", 0, "model", "overhead_seconds"), -1.0),
        (("rows", 0, "note"), "\x1b[31m"),
        (("schema",), 0),
        (("target_seconds",), 0.0),
        (("created",), "2026-11-20T00:00:00"),
        (("rows",), 1),
    ],
)
def test_what_cannot_be_is_refused(
    saved: Path, where: tuple[str | int, ...], value: object
) -> None:
    """A figure, name or text that cannot be is refused, whatever else is right."""
    content = json.loads(saved.read_text())
    *path, last = where
    place: Any = content
    for step in path:
        place = place[step]
    place[last] = value
    saved.write_text(json.dumps(content))

    with pytest.raises(UnreadableInputError):
        load_sweep(saved)
