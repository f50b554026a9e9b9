"""Processes that want every CPU all the time."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import time
from collections.abc import Iterator

from .report import cpu_count

_UNTIL_ORPHANED = """
import os
parent = os.getppid()
while os.getppid() == parent:
    for _ in range(1_000_000):
        pass
"""
_START_SECONDS = 0.3


def hog_count() -> int:
    """One more than there are CPUs: three on two cores."""
    return cpu_count() + 1


@contextlib.contextmanager
def hogs() -> Iterator[None]:
    """Run the hogs for as long as the block lasts."""
    processes: list[subprocess.Popen[bytes]] = []
    try:
        for _ in range(hog_count()):
            processes.append(  # noqa: PERF401 - those started must end if one cannot start
                # In this session: Linux may share CPU time between sessions first.
                subprocess.Popen(
                    [sys.executable, "-I", "-S", "-c", _UNTIL_ORPHANED],
                    stdin=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                )
            )
        time.sleep(_START_SECONDS)
        yield
    finally:
        for process in processes:
            process.kill()
        for process in processes:
            process.wait()


def state(*, busy: bool) -> contextlib.AbstractContextManager[None]:
    """A busy machine, or this one as it is."""
    return hogs() if busy else contextlib.nullcontext()
