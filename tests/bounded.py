"""Work that must end, in a process of its own: what hangs fails one test and no more; and work
that may take so much memory.
"""

import contextlib
import signal
import subprocess
import sys
import tracemalloc
from collections.abc import Iterator
from typing import Final

import pytest

_HUNG_SECONDS: Final = 300.0
"""For what waits and takes no CPU time, on a machine however busy."""


def ends_in_time(code: str, *, cpu_seconds: int = 60) -> None:
    """Fail where this code raises or does not end.

    ``cpu_seconds`` are many times what it takes, and far less than what it took when it went
    wrong.
    """
    limited = (
        f"import resource; resource.setrlimit(resource.RLIMIT_CPU, ({cpu_seconds},) * 2)\n{code}"
    )
    try:
        ended = subprocess.run(
            [sys.executable, "-c", limited], capture_output=True, text=True, check=False,
            timeout=_HUNG_SECONDS,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        pytest.fail(f"did not end in {_HUNG_SECONDS:g} s: {code[:200]}")
    if ended.returncode in {-signal.SIGKILL, -signal.SIGXCPU}:
        pytest.fail(f"did not end in {cpu_seconds} s of CPU time: {code[:200]}")
    assert "" == ended.stderr
    assert 0 == ended.returncode


@contextlib.contextmanager
def within_memory(most: int) -> Iterator[None]:
    """Fail where Python takes more bytes at once than this."""
    tracemalloc.start()
    try:
        yield
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < most
