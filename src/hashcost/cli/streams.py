"""Standard output and standard error, in whatever state the command is given them."""

import contextlib
import os
import sys
from typing import TextIO

import click

from hashcost.core.foreign import without_commands


def say(text: str, *, color: bool | None = None) -> None:
    """Write lines to standard error; where that cannot be written, they are lost."""
    if sys.stderr is None:
        return
    try:
        click.echo(without_commands(text), err=True, color=color)
    except (OSError, ValueError):
        abandon(sys.stderr)


def refusal() -> str:
    """Why standard output does not take what was written to it; empty if it does.

    Raises:
        BrokenPipeError: whoever reads it has seen enough.
    """
    if sys.stdout is None:
        return "it is closed"
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        abandon(sys.stdout)
        return (error.strerror or str(error)).lower()
    return ""


def abandon(stream: TextIO | None) -> None:
    """Keep the interpreter from writing the rest of a stream again when it ends."""
    if stream is None:
        return
    with contextlib.suppress(OSError, ValueError):  # What is no file has nothing to keep.
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())
        os.close(null)
