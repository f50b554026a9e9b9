"""`calibrate capacity` as users run it, on hashes that take next to nothing."""

from __future__ import annotations

import json
from typing import Final

import pytest

from end_to_end.command import calibrate

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
