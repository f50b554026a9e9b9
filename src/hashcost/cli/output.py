"""Where text goes: the result to standard output or a file, the rest to standard error."""

import os
import shutil
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

import click
from msgspec.structs import replace

from hashcost.cli.process import abandon, encoded, say
from hashcost.core.errors import (
    EXIT_CODES,
    InconclusiveError,
    UnavailableError,
    UnwritableOutputError,
    said_of,
)
from hashcost.core.machine import Notice
from hashcost.core.profile import Profile
from hashcost.core.text import escaped, without_commands
from hashcost.documents.files import check_writable, reason_of, write_whole
from hashcost.machine.signals import CORRECTED
from hashcost.recommend.recommendation import is_too_noisy
from hashcost.render import render
from hashcost.render.document import Document
from hashcost.render.wording import folded, notices

_STDOUT = Path("-")


@dataclass(frozen=True)
class Output:
    """Where a command's result goes and in which form, and whether it goes without advice."""

    form: str
    path: Path | None
    quiet: bool

    def check(self, *read: Path | None, **paths: Path | Sequence[Path] | None) -> None:
        """Find out, before any work is done, whether this and other outputs can be written."""
        check_outputs(*read, output=self.path, **paths)

    def write(self, document: Document) -> None:
        """Write the result, coloured only on a terminal that wants colour."""
        shown = self.path is None or self.path == _STDOUT
        color = shown and wants_color(sys.stdout)
        text = render(document, self.form, width=_width() if shown else 80, color=color)
        write_text(text, self.path, commands=self.form == "github")

    def warn(self, notices: Iterable[Notice]) -> None:
        """Write what the reader of a result without rows should know."""
        if not self.quiet:
            for notice in notices:
                _write_notice(notice, "")


def check_outputs(*read: Path | None, **paths: Path | Sequence[Path] | None) -> None:
    """Find what is wrong with the outputs, by their options, before any work is done.

    Raises:
        UsageError: one of them would replace a file that is ``read``, or another output.
        UnwritableOutputError: one of them cannot be written.
    """
    inputs = {_whole(path) for path in read if path is not None and path != _STDOUT}
    seen: dict[str, str] = {}
    for option, given in paths.items():
        for path in (given,) if isinstance(given, Path) else given or ():
            if path == _STDOUT:
                continue
            whole = _whole(path)
            if whole in inputs:
                raise click.UsageError(
                    f"--{option} would overwrite a file that is read; name another file"
                )
            if whole in seen:
                raise click.UsageError(
                    f"--{seen[whole]} and --{option} name the same file; give each its own"
                )
            seen[whole] = option
            with said_of(f"--{option}"):
                check_writable(path)


def _whole(path: Path) -> str:
    """The file behind every link; resolve() would fail where links go in a circle."""
    return os.path.realpath(path)


def write_text(text: str, output: Path | None, *, commands: bool = False) -> None:
    """Write text to a file, or to standard output.

    Unless it is made of ``commands``, a CI job that shows it finds none in it.
    """
    text = text if commands else without_commands(text)
    if output is not None and output != _STDOUT:
        write_whole(output, text.encode(errors="backslashreplace"))
        return
    if sys.stdout is None:
        raise UnwritableOutputError("cannot write standard output: it is closed")
    try:
        sys.stdout.buffer.write(encoded(text, sys.stdout.encoding))
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        abandon(sys.stdout)
        raise UnwritableOutputError(f"cannot write standard output: {reason_of(error)}") from error


def write_notices(profile: Profile, *, explained: bool = False) -> None:
    """Write what the reader should know: figure and cause first, then the cure.

    Samples are corrected for other processes, so these are named only if a time is uncertain
    all the same, or on request.
    """
    shows_all = explained or any(map(is_too_noisy, profile.recommendations))
    for notice, labels in notices(profile):
        if shows_all or notice.code not in CORRECTED:
            _write_notice(notice, f"{', '.join(labels)}: " if labels else "")


def write_remarks(lines: Iterable[str]) -> None:
    """Write what there is to say of a result, a line each, folded on a terminal."""
    folds = sys.stderr is not None and sys.stderr.isatty()
    for line in map(escaped, lines):
        say("\n".join(folded(line, min(_width(), 100))) if folds else line)


def append_summary(document: Document | None = None, notices: Iterable[Notice] = ()) -> None:
    """Add the result to the summary of a GitHub job, where the command runs in one.

    Without a result nothing is added: it only finds out whether it could be.
    """
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    if not path:
        return
    text = ""
    if document is not None:
        advice = (f"{notice.code}: {notice.message}; {notice.advice}" for notice in notices)
        summary = render(replace(document, foot=(*document.foot, *advice)), "markdown")
        text = without_commands(summary) + "\n"
    try:
        with Path(path).open("a", encoding="utf-8") as stream:
            stream.write(text)
    except OSError as error:
        raise UnwritableOutputError(
            f"cannot write GITHUB_STEP_SUMMARY: {reason_of(error)}"
        ) from error


def _write_notice(notice: Notice, about: str) -> None:
    color = wants_color(sys.stderr)
    width = min(_width(), 100)
    code, advice = escaped(notice.code), escaped(notice.advice)
    text = escaped(f"{code}: {about}{notice.message}")
    first, *rest = folded(text, width)
    if color:
        first = first.replace(code, click.style(code, fg="yellow"), 1)
    say("\n".join((first, *rest)), color=color)
    for line in folded(advice, width, indent="  "):
        say(click.style(line, dim=True) if color else line, color=color)
    say("")  # The result, or another notice, follows.


def on_terminal(stream: TextIO | None) -> bool:
    """Whether a stream is a terminal that can colour text and redraw a line."""
    return stream is not None and stream.isatty() and os.environ.get("TERM") != "dumb"


def wants_color(stream: TextIO | None) -> bool:
    """Whether to colour: a terminal, and no NO_COLOR (no-color.org)."""
    return on_terminal(stream) and not os.environ.get("NO_COLOR")


def _width() -> int:
    return shutil.get_terminal_size(fallback=(80, 24)).columns


def exit_code(profile: Profile, *, named: bool) -> int:
    """The code that a recommendation ends with.

    A hasher that cannot run here fails the command when it was named, or when no other is
    there; one that gives a wrong answer always does. A row whose interval is too wide fails it
    too, measured now or read from a profile.
    """
    codes = [
        EXIT_CODES[row.code]
        for row in profile.failures
        if named or row.code != UnavailableError.code or not profile.recommendations
    ]
    if any(map(is_too_noisy, profile.recommendations)):
        codes.append(InconclusiveError.exit_code)
    return max(codes, default=0)
