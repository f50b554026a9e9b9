"""Where text goes: the result to standard output or a file, the rest to standard error."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from collections.abc import Iterable
from pathlib import Path
from typing import TextIO

import click

from hashcost.files import check_writable, write_whole
from hashcost.model import Notice
from hashcost.render import render
from hashcost.render.document import Document

_STDOUT = Path("-")


def check_outputs(*paths: Path | None) -> None:
    """Find unwritable outputs before any work is done.

    Raises:
        UnwritableOutputError: one of them cannot be written.
    """
    for path in paths:
        if path is not None and path != _STDOUT:
            check_writable(path)


def write_result(document: Document, form: str, output: Path | None) -> None:
    """Write the result, coloured only on a terminal that wants colour."""
    if output is not None and output != _STDOUT:
        write_whole(output, render(document, form).encode())
        return
    text = render(document, form, width=_width(), color=wants_color(sys.stdout))
    sys.stdout.buffer.write(text.encode(sys.stdout.encoding or "utf-8", "replace"))
    sys.stdout.flush()


def write_notices(notices: Iterable[Notice]) -> None:
    """Write what the reader should know, figure and cause first, then the cure."""
    color = wants_color(sys.stderr)
    width = min(_width(), 100)
    for notice in notices:
        text = f"{notice.code}: {notice.message}"
        first, *rest = textwrap.wrap(text, width, subsequent_indent="  ")
        if color:
            first = first.replace(notice.code, click.style(notice.code, fg="yellow"), 1)
        click.echo("\n".join(("", first, *rest)), err=True, color=color)
        for line in textwrap.wrap(
            notice.advice, width, initial_indent="  ", subsequent_indent="  "
        ):
            click.echo(click.style(line, dim=True) if color else line, err=True, color=color)


def wants_color(stream: TextIO) -> bool:
    """Whether to colour: a terminal, and no NO_COLOR (no-color.org)."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _width() -> int:
    return shutil.get_terminal_size(fallback=(80, 24)).columns
