"""Concurrent hashes under a real limit of memory: the address space of a process."""

import json
import subprocess
import sys
from typing import Final

import pytest

from corpora import cases
from end_to_end.command import COMMAND, MADE_UP, TIMEOUT_SECONDS, environment

pytestmark = pytest.mark.slow

LIMIT: Final = 192 << 20

HASH: Final = cases(__file__, "memory_limits.toml", "hash")
"""Hashes once with so much memory to take, where the limit holds."""


def _ended(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        env={**environment(), "MALLOC_ARENA_MAX": "1"},
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
        check=False,
    )


def _run(*command: str) -> str:
    return _ended(*command).stdout


def test_no_hash_is_recommended_that_the_process_cannot_make() -> None:
    """Under a limit of the process, what is recommended can be hashed within it."""
    if sys.platform != "linux":
        pytest.skip("reads Linux's /proc")
    asked = ("argon2id", "--effort", "fast", "--target", "60ms", "--format", "json")
    [row] = json.loads(_run("prlimit", f"--as={LIMIT}", COMMAND, *asked))["results"]
    hashed = _run(sys.executable, "-c", HASH, str(row["params"]["memory_kib"]), str(LIMIT))

    assert row["memory_bytes"] <= LIMIT
    assert "limited\n" == hashed


@pytest.mark.parametrize("mebibytes", [60, 100, 160, 220])
@pytest.mark.parametrize(
    "asked",
    [
        ("report", str(MADE_UP), "--output", "-"),
        ("check", "bcrypt=4", "--profile", str(MADE_UP), "--policy", "none"),
        ("audit", "/dev/null"),
    ],
    ids=lambda asked: asked[0],
)
def test_too_little_memory_is_no_failed_check(asked: tuple[str, ...], mebibytes: int) -> None:
    """A command that a limit of memory ends has code 2 and one line, whatever library ends it."""
    if sys.platform != "linux":
        pytest.skip("reads Linux's /proc")
    enough = _ended(COMMAND, *asked)
    ended = _ended("prlimit", f"--as={mebibytes << 20}", COMMAND, *asked)
    assert ended.returncode in {enough.returncode, 2}, ended.stderr
    assert ended.stderr.count("\n") == 1 or ended.stderr == enough.stderr
