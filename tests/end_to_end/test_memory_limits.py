"""Concurrent hashes under a real limit of memory: the address space of a process."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Final

import pytest

from end_to_end.command import COMMAND, TIMEOUT_SECONDS, environment

pytestmark = pytest.mark.slow

LIMIT: Final = 192 << 20

HASH: Final = """
import resource, sys
from argon2.low_level import Type, hash_secret_raw

with open("/proc/self/status") as lines:
    now = next(int(line.split()[1]) << 10 for line in lines if line.startswith("VmSize"))
resource.setrlimit(resource.RLIMIT_AS, (now + int(sys.argv[2]),) * 2)
try:
    bytearray(int(sys.argv[2]) * 2)
except MemoryError:
    hash_secret_raw(b"password", b"0123456789abcdef", 4, int(sys.argv[1]), 1, 32, Type.ID)
    print("limited")
"""
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
