"""Ctrl-C and SIGTERM, obeyed at once whatever a library is computing.

Python acts on a signal between two of its own instructions, and one hash in C may take a
minute. A thread that waits for signals ends the process where the command does not; it runs
meanwhile because libraries let go of the interpreter while they hash.
"""

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from typing import Final

INTERRUPTED: Final = 130
ENDING: Final = "calibrate: interrupted\n"
_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)
_PATIENCE_SECONDS: Final = 0.1
"""For the command to clean up by itself; giving back gigabytes takes 0.3 s more."""
_patience = [_PATIENCE_SECONDS]
"""The last counts."""
_CLEAR_PROGRESS: Final = "\r\x1b[2K\x1b[?25h"
"""Erases the line, and shows the cursor."""


@contextlib.contextmanager
def obeying_signals() -> Iterator[None]:
    """Raise KeyboardInterrupt in the block for SIGINT and SIGTERM, and end a block that lingers.

    Outside the main thread, and where a pipe cannot carry signals, it changes nothing.
    """
    if os.name != "posix" or threading.current_thread() is not threading.main_thread():
        yield
        return
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    ended = threading.Event()
    threading.Thread(target=_watch, args=(reading, ended), daemon=True).start()
    waked = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    terminated = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        ended.set()
        signal.signal(signal.SIGTERM, terminated)
        signal.set_wakeup_fd(waked)
        os.close(writing)


@contextlib.contextmanager
def with_patience(seconds: float) -> Iterator[None]:
    """Give the block so long to clean up, because it computes nothing that keeps it from that."""
    _patience.append(seconds)
    try:
        yield
    finally:
        _patience.pop()


def _end_children() -> None:
    """Kill the runtimes that were started, which would first finish their hash."""
    session = sys.modules.get("hashcost.runtimes.session")
    if session is not None:
        session.end_all()


def _watch(reading: int, ended: threading.Event) -> None:
    """Wait for a signal, and end the process if the block has not ended soon after."""
    try:
        while arrived := os.read(reading, 1):
            if arrived[0] in _SIGNALS and not ended.wait(_patience[-1]):
                _end_children()
                with contextlib.suppress(OSError):
                    # Not through sys.stderr: the main thread may hold its lock.
                    clear = _CLEAR_PROGRESS if os.isatty(2) else ""
                    os.write(2, f"{clear}{ENDING}".encode())
                os._exit(INTERRUPTED)
    finally:
        os.close(reading)
