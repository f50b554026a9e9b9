"""Processes that want every CPU all the time."""

import contextlib
import subprocess
import sys
import time
from collections.abc import Iterator

_UNTIL_ORPHANED = """
import os
parent = os.getppid()
while os.getppid() == parent:
    for _ in range(1_000_000):
        pass
"""
_START_SECONDS = 0.3


@contextlib.contextmanager
def hogs(count: int) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Run the hogs for as long as the block lasts."""
    with contextlib.ExitStack() as running:
        started = []
        for _ in range(count):
            # In this session: Linux may share CPU time between sessions first.
            command = [sys.executable, "-I", "-S", "-c", _UNTIL_ORPHANED]
            hog = running.enter_context(subprocess.Popen(command, stdin=subprocess.DEVNULL))
            running.callback(hog.kill)
            started.append(hog)
        time.sleep(_START_SECONDS)
        yield started
