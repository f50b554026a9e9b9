"""A cost of scrypt that a library refuses without a further setting is advised with that."""

import hashlib
import json
from pathlib import Path
from typing import Final

import pytest

from end_to_end.command import calibrate

POLICY: Final = """id = "large"
title = "Large"
date = 2026-01-01
source = "page 1"
url = "https://policy.example/"

[[floors]]
hasher = "scrypt"
params = { n = 65536, r = 8, p = 1 }
source = "page 1"
date = 2026-01-01
"""
"""Its minimum takes 64 MiB, whatever the speed of this machine."""
CALLS: Final = {
    "auth.js": "const crypto = require('crypto');\ncrypto.scryptSync(password, salt, 64{});\n",
    "auth.py": "import hashlib\nhashlib.scrypt(password, salt=salt, n=16384, r=8, p=1{});\n",
}
"""A call below the minimum, by the file that has it."""
GIVEN: Final = {"auth.js": ", { maxmem: 2 ** 31 }", "auth.py": ", maxmem=2**30"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the policy and a profile of scrypt."""
    folder = tmp_path_factory.mktemp("limited")
    (folder / "large.toml").write_text(POLICY)
    asked = ("scrypt@hashlib", "--effort", "fast", "--policy", "large.toml", "--save", "p.json")
    calibrate(*asked, "--target", "150ms", cwd=folder)
    return folder


def advice(folder: Path, *arguments: str) -> tuple[dict[str, int], dict[str, int], str]:
    """The only cost to set, what to set besides, and the output as a table."""
    asked = (*arguments, "--from", "p.json", "--policy", "large.toml", "-q")
    (row,) = json.loads(calibrate(*asked, "-f", "json", cwd=folder).out)["results"]
    return row["recommended"], row["also_set"], calibrate(*asked, cwd=folder).out


@pytest.mark.parametrize("name", CALLS)
def test_code_that_keeps_the_default_limit_is_told_to_raise_it(name: str, folder: Path) -> None:
    """The cost and the limit together are what the library accepts."""
    (folder / name).write_text(CALLS[name].format(""))
    params, also_set, shown = advice(folder, "scan", name)

    hashlib.scrypt(b"", salt=b"", **params, **also_set)
    with pytest.raises(ValueError, match="limit"):
        hashlib.scrypt(b"", salt=b"", **params)
    assert f"maxmem={also_set['maxmem']}" in shown


@pytest.mark.parametrize("name", CALLS)
def test_code_that_allows_enough_is_told_only_the_cost(name: str, folder: Path) -> None:
    """Nobody has to set what is set already."""
    (folder / name).write_text(CALLS[name].format(GIVEN[name]))
    _, also_set, shown = advice(folder, "scan", name)

    assert ({}, False) == (also_set, "maxmem=" in shown)


def test_check_says_what_emit_writes(folder: Path) -> None:
    """The limit is that of the snippet, and a cost that needs none has none."""
    (folder / "auth.js").write_text(CALLS["auth.js"].format(""))
    emit = ("emit", "node-crypto", "--from", "p.json", "--policy", "large.toml")
    snippet = calibrate(*emit, cwd=folder).out
    _, also_set, shown = advice(folder, "check", "--app", "node-crypto", "auth.js")

    assert f"maxmem: {also_set['maxmem']} " in snippet
    set_there = f"maxmem={also_set['maxmem']} (`calibrate emit node-crypto` writes the setting)"
    assert set_there in " ".join(shown.split())


def test_a_cost_that_is_typed(folder: Path) -> None:
    """The library that was timed has the limit."""
    _, also_set, shown = advice(folder, "check", "scrypt=n=16384")

    assert f"maxmem={also_set['maxmem']}" in shown


def test_an_explanation_and_an_answer_name_the_limit(folder: Path) -> None:
    """Also where nobody said which library hashes."""
    explained = calibrate("explain", "scrypt=n=65536,r=8,p=2", "--from", "p.json", cwd=folder)
    little = calibrate("explain", "scrypt=n=16384,r=8,p=1", "--from", "p.json", cwd=folder)
    answer = calibrate("scrypt", "--from", "p.json", "--policy", "large.toml", cwd=folder)

    assert "maxmem=67112960 in Python's hashlib, Node and OpenSSL" in explained.out
    assert "maxmem" not in little.out
    assert " with maxmem=" in answer.out
