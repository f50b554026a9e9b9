"""Standard output and standard error, in whatever state the command is given them."""

import contextlib
import errno
import os
import sys
from typing import Final, TextIO

import click

from hashcost.core.text import without_commands

_NOT_WRITTEN: Final = frozenset(
    {errno.ENOSPC, errno.EFBIG, errno.EDQUOT, errno.EIO, errno.EBADF, errno.EINVAL}
)
"""Why a stream takes nothing more; of a file, whoever writes it says so himself."""


_PLAIN: Final = str.maketrans(
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
        encoding = getattr(sys.stderr, "encoding", None) or "utf-8"
        shown = encoded(without_commands(text), encoding).decode(encoding)
        click.echo(shown, err=True, color=color)
    except (OSError, ValueError):
        abandon(sys.stderr)


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


def system_refusal(error: Exception) -> str:
    """What the system does not let the command do, in words; empty if it is something else."""
    if isinstance(error, RuntimeError) and "can't start new thread" in str(error):
        return f"{error}; raise the process limit (ulimit -u)"
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
