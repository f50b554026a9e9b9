"""The process: its streams in whatever state, and signals.

Python acts on a signal between two of its own instructions, and one hash in C may take a
minute. A thread that waits for signals ends the process where the command does not; it runs
meanwhile because libraries let go of the interpreter while they hash.
"""

import contextlib
import errno
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from typing import TextIO

import click

from hashcost.core.errors import lacking_resource
from hashcost.core.text import harmless

_NOT_WRITTEN = frozenset(
    {errno.ENOSPC, errno.EFBIG, errno.EDQUOT, errno.EIO, errno.EBADF, errno.EINVAL}
)
"""Why a stream takes nothing more; of a file, whoever writes it says so himself."""


USUAL_WIDTH = 80
"""Columns, where no terminal tells."""
READABLE_WIDTH = 100
"""Most columns of a line of prose."""

_PLAIN = str.maketrans(
    dict(zip("×µ│─┤├┬┌┐└┘█●○", "xu|-+++++++#o.", strict=True)) | {"±": "+-", "…": "...", "→": "->"}
)


def encoded(text: str, encoding: str | None) -> bytes:
    """Text as a stream takes it; in plain letters if its encoding lacks one of ours."""
    try:
        return text.encode(encoding or "utf-8")
    except UnicodeEncodeError:
        plain = text.replace("2³²", "2^32").translate(_PLAIN)
        return plain.encode(encoding or "utf-8", "replace")


def say(text: str, *, color: bool | None = None) -> None:
    """Write lines to standard error; where that cannot be written, they are lost."""
    if sys.stderr is None:
        return
    try:
        encoding = sys.stderr.encoding or "utf-8"
        shown = encoded(harmless(text, colored=bool(color)), encoding).decode(encoding)
        click.echo(shown, err=True, color=color)
    except (OSError, ValueError):
        abandon(sys.stderr)


def tell(text: str) -> None:
    """Write a sentence to standard error, over several lines where a terminal is too narrow."""
    width = min(width_of(sys.stderr), READABLE_WIDTH)
    if sys.stderr is not None and sys.stderr.isatty() and len(text) > width:
        from hashcost.render.wording import folded  # An interruption does not wait for it.

        text = "\n".join(folded(text, width))
    say(text)


def width_of(stream: TextIO | None) -> int:
    """The columns of a stream: as COLUMNS says, else those of its terminal, else 80."""
    wished = os.environ.get("COLUMNS", "")
    if wished.isdecimal() and int(wished):
        return int(wished)
    if stream is None or not stream.isatty():
        return USUAL_WIDTH
    try:
        # A terminal that does not know its size has none.
        return os.get_terminal_size(stream.fileno()).columns or USUAL_WIDTH
    except OSError:
        return USUAL_WIDTH


def on_terminal(stream: TextIO | None) -> bool:
    """Whether a stream is a terminal that can colour text and redraw a line."""
    return stream is not None and stream.isatty() and os.environ.get("TERM") != "dumb"


def fill_closed() -> None:
    """Let no file that is opened take the place of a standard stream, which children inherit."""
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # It takes the lowest number that is free.


def abandon(stream: TextIO | None) -> None:
    """Keep the interpreter from writing the rest of a stream again when it ends."""
    if stream is None:
        return
    with contextlib.suppress(OSError, ValueError):  # What is no file has nothing to keep.
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())
        os.close(null)


def system_refusal(error: BaseException) -> str:
    """Say which resource the system refuses; empty if the error is about something else."""
    lacking = lacking_resource(error)
    if lacking:
        return lacking
    if not isinstance(error, OSError) or error.errno is None:
        return ""
    reason = os.strerror(error.errno).lower()
    try:
        os.getcwd()  # noqa: PTH109 - help does without pathlib
    except OSError as gone:
        why = os.strerror(gone.errno or 0).lower()
        return f"cannot read the working directory: {why}; change to another directory"
    if error.errno == errno.EAGAIN:
        return f"cannot start a process: {reason}; raise the process limit (ulimit -u)"
    if error.filename is None and error.errno in _NOT_WRITTEN:
        abandon(sys.stdout)
        return f"cannot write standard output: {reason}"
    return f"the system refuses: {reason}"


INTERRUPTED = 130
_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_CLEAR_PROGRESS = "\r\x1b[2K\x1b[?25h"
"""Erases the line, and shows the cursor."""


@contextlib.contextmanager
def obeying_signals(
    *, patience_seconds: float = 0.1, at_end: Callable[[], None] = lambda: None
) -> Iterator[None]:
    """Raise KeyboardInterrupt in the block for SIGINT and SIGTERM.

    A block that has not ended ``patience_seconds`` later ends with the process, after a call of
    ``at_end``; giving back gigabytes takes 0.3 s more. Outside the main thread, and where a pipe
    cannot carry signals, nothing changes. A block inside another one has its own patience.
    """
    if os.name != "posix" or threading.current_thread() is not threading.main_thread():
        yield
        return
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    ended = threading.Event()

    def watch() -> None:
        """Wait for a signal, and end the process if the block has not ended soon after."""
        try:
            while arrived := os.read(reading, 1):
                if arrived[0] in _SIGNALS and not ended.wait(patience_seconds):
                    at_end()
                    with contextlib.suppress(OSError):
                        # Not through sys.stderr: the main thread may hold its lock.
                        clear = _CLEAR_PROGRESS if os.isatty(2) else ""
                        os.write(2, f"{clear}calibrate: interrupted\n".encode())
                    os._exit(INTERRUPTED)
        finally:
            os.close(reading)

    threading.Thread(target=watch, daemon=True).start()
    waked = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    terminated = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        ended.set()
        signal.signal(signal.SIGTERM, terminated)
        signal.set_wakeup_fd(waked)
        os.close(writing)


def run_with_huge_pages() -> None:
    """Begin anew as a process whose malloc asks for huge pages, unless this one's does."""
    from hashcost.machine.linux import with_huge_pages

    environment = with_huge_pages(os.environ)
    if environment != dict(os.environ):
        os.execve(sys.executable, sys.orig_argv, environment)  # noqa: S606 (itself)
