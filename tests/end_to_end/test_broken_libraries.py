"""A library that is missing or wrong takes away its own rows and no more, and says why."""

from __future__ import annotations

import json
from pathlib import Path

from end_to_end.command import QUICK_DEFAULT, calibrate_installed


def test_a_library_that_is_not_here(tmp_path: Path) -> None:
    """The next implementation stands in for it in the default hashers; named, it fails the
    command and says why.
    """
    for module in ("bcrypt", "argon2", "cryptography"):
        (tmp_path / f"{module}.py").write_text("raise ImportError('made unavailable')")
    arguments = ("bcrypt", "argon2id", *QUICK_DEFAULT, "--format", "json")
    ended = calibrate_installed(*arguments, libraries=tmp_path)
    stands_in, lacking = json.loads(ended.out)["results"]

    assert 4 == ended.code
    assert ("bcrypt", "libcrypt") == (stands_in["hasher"], stands_in["implementation"])
    assert "measured" == stands_in["status"]
    assert ("failed", "argon2id") == (lacking["status"], lacking["hasher"])
    assert "made unavailable" in lacking["error"]
