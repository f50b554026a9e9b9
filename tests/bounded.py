"""Work that must end, in a process of its own: what hangs fails one test and no more."""

from __future__ import annotations

import subprocess
import sys

import pytest

SECONDS = 60.0
"""Hundreds of times what the work takes, and far less than what it took when it went wrong."""


def ends_in_time(code: str) -> None:
    """Fail where this code raises or does not end."""
    try:
        ended = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=False,
            timeout=SECONDS,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        pytest.fail(f"did not end in {SECONDS:g} s: {code[:200]}")
    assert "" == ended.stderr
    assert 0 == ended.returncode
