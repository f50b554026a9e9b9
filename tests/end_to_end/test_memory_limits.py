"""Concurrent hashes under a real limit of memory: the address space of a process."""

import json
import subprocess
import sys
from typing import Final

import pytest

from corpora import cases
from end_to_end.command import COMMAND, TIMEOUT_SECONDS, environment

pytestmark = pytest.mark.slow

LIMIT: Final = 192 << 20

HASH: Final = cases(__file__, "memory_limits.toml", "hash")
"""Hashes once with so much memory to take, where the limit holds."""


def _run(*command: str) -> str:
    ended = subprocess.run(
        command,
        env={**environment(), "MALLOC_ARENA_MAX": "1"},
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
        check=False,
    )
    return ended.stdout


def test_no_hash_is_recommended_that_the_process_cannot_make() -> None:
    """Under a limit of the process, what is recommended can be hashed within it."""
    if sys.platform != "linux":
        pytest.skip("reads Linux's /proc")
    asked = ("argon2id", "--effort", "fast", "--target", "60ms", "--format", "json")
    [row] = json.loads(_run("prlimit", f"--as={LIMIT}", COMMAND, *asked))["results"]
    hashed = _run(sys.executable, "-c", HASH, str(row["params"]["memory_kib"]), str(LIMIT))

    assert row["memory_bytes"] <= LIMIT
    assert "limited\n" == hashed
