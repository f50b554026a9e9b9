"""Where text goes: the result to standard output or a file, the rest to standard error."""

import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TextIO

import click
import msgspec
from msgspec.structs import replace

from hashcost.cli.process import READABLE_WIDTH, USUAL_WIDTH, abandon, encoded, say, tell, width_of
from hashcost.core.errors import (
    EXIT_CODES,
    InconclusiveError,
    ResultError,
    RuntimeEndedError,
    UnavailableError,
    UnwritableOutputError,
    said_of,
)
from hashcost.core.machine import Notice
from hashcost.core.profile import LASTING, MEMORY_BOUND, OTHER_CONTEXT, Profile, is_too_noisy
from hashcost.core.text import escaped, harmless, path_name
from hashcost.core.units import format_list
from hashcost.machine.signals import CORRECTED
from hashcost.render import render
from hashcost.render.document import Document
from hashcost.render.wording import counted, folded, notices, plus_minus, within_lines
from hashcost.storage.files import check_writable, reason_of, write_whole

_STDOUT = Path("-")
_IN_THE_ANSWER = frozenset({"too-noisy", "first-run", MEMORY_BOUND})
_MOST_LINES = 3
"""Most lines of notices."""
_MOST_NAMED = 2
"""Most hashers that a notice names; more are counted."""


class Output(msgspec.Struct, frozen=True):
    """Where a command's result goes, in which form, and whether without advice."""

    form: str
    path: Path | None
    quiet: bool

    def check(self, *read: Path | None, **others: Path | Sequence[Path] | None) -> None:
        """Find what is wrong with this and other outputs, by option, before any work is done.

        Raises:
            UsageError: one would replace a file that is ``read``, or another output.
            UnwritableOutputError: one cannot be written.
        """
        # The file behind every link; resolve() would fail on a loop of links.
        inputs = {os.path.realpath(path) for path in read if path is not None and path != _STDOUT}
        seen: dict[str, str] = {}
        for option, given in {"output": self.path, **others}.items():
            for path in (given,) if isinstance(given, Path) else given or ():
                if path == _STDOUT:
                    continue
                whole = os.path.realpath(path)
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

    def write(self, document: Document) -> None:
        """Write the result, coloured only on a terminal that wants colour."""
        shown = self.path is None or self.path == _STDOUT
        color = shown and wants_color(sys.stdout)
        text = render(
            document, self.form, width=width_of(sys.stdout) if shown else USUAL_WIDTH, color=color
        )
        self.put(text, colored=color, commands=self.form == "github")

    def put(
        self, text: str, *, what: str = "the result", colored: bool = False, commands: bool = False
    ) -> None:
        """Write the result as text; in a file, say that it is there and ``what`` it is."""
        write_text(text, self.path, colored=colored, commands=commands)
        if self.path is not None and not self.quiet:
            say_saved(what, self.path)

    def end(self, code: int, why: str) -> None:
        """End the command with this code, unless it is 0.

        Raises:
            ResultError: the reader has not seen why.
            Exit: the end of the table, on the same terminal as messages, says why.
        """
        if not code:
            return
        is_read = self.form == "table" and self.path in {None, _STDOUT}
        if is_read and all(stream and stream.isatty() for stream in (sys.stdout, sys.stderr)):
            raise click.exceptions.Exit(code)
        raise ResultError(why, code)

    def warn(self, notices: Iterable[Notice]) -> None:
        """Write notices about a result without rows."""
        if not self.quiet:
            for notice in notices:
                _write_coded(notice.code, _text(notice))
                say("")  # The result, or another notice, follows.


def write_text(
    text: str, output: Path | None, *, colored: bool = False, commands: bool = False
) -> None:
    """Write text, made `harmless`, to a file or to standard output."""
    text = harmless(text, colored=colored, commands=commands)
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


def write_notices(profile: Profile, *, explained: bool = False, saved: bool = False) -> None:
    """Write the notices of a run: figure and cause first, then the cure.

    Unless they are ``explained``, notices take at most three lines; what the answer itself says
    is left out, as are other processes if every time is certain all the same, and what a
    ``saved`` run saw beside its answers.
    """
    if explained:
        for notice, labels in notices(profile):
            about = f"{', '.join(labels)}: " if labels else ""
            _write_coded(notice.code, _text(notice, about + _when(notice, saved=saved)))
            say("")
        return
    is_noisy = any(map(is_too_noisy, profile.recommendations))
    texts = {
        _text(notice, _subject(labels) + _when(notice, saved=saved)): notice.code
        for notice, labels in sorted(notices(profile), key=lambda shown: not shown[1])
        if notice.code not in _IN_THE_ANSWER
        and (
            labels
            or notice.code in LASTING
            or not (saved or (notice.code in CORRECTED and not is_noisy))
        )
    }
    shown = list(within_lines(texts, _MOST_LINES))
    if len(shown) < len(texts):
        shown = list(within_lines(texts, _MOST_LINES - 1))
    for text in shown:
        _write_coded(texts[text], text)
    if len(shown) < len(texts):
        more = "more " if shown else ""
        say(f"{counted(len(texts) - len(shown), f'{more}note', f'{more}notes')}: add --explain")
    if texts:
        say("")  # The result follows.


def _text(notice: Notice, about: str = "") -> str:
    advice = f"; {notice.advice}" if notice.advice else ""
    return f"{notice.code}: {about}{notice.message}{advice}"


def _when(notice: Notice, *, saved: bool) -> str:
    """When a notice of a ``saved`` run held: only another context is seen now."""
    return "when measured: " if saved and notice.code != OTHER_CONTEXT else ""


def _subject(labels: Sequence[str]) -> str:
    if not labels:
        return ""
    return f"{', '.join(labels) if len(labels) <= _MOST_NAMED else f'{len(labels)} hashers'}: "


def say_saved(what: str, path: Path, more: str = "") -> None:
    """Say on standard error what was saved where, and what ``more`` there is to know."""
    if path != _STDOUT:
        write_remarks([f"Saved {what} in {path_name(path)}{more}"])


def write_remarks(lines: Iterable[str]) -> None:
    """Write remarks on a result, one a line, folded on a terminal."""
    for line in map(escaped, lines):
        tell(line)


def append_summary(document: Document | None = None, notices: Iterable[Notice] = ()) -> None:
    """Add the result to the summary of a GitHub job, where the command runs in one.

    Without a result, only check that it could be added.
    """
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    if not path:
        return
    text = ""
    if document is not None:
        advice = (f"{notice.code}: {notice.message}; {notice.advice}" for notice in notices)
        summary = render(replace(document, foot=(*document.foot, *advice)), "markdown")
        text = harmless(summary) + "\n"
    try:
        with Path(path).open("a", encoding="utf-8") as stream:
            stream.write(text)
    except OSError as error:
        raise UnwritableOutputError(
            f"cannot write GITHUB_STEP_SUMMARY: {reason_of(error)}"
        ) from error


def _write_coded(code: str, text: str) -> None:
    """Write a text that begins with its code."""
    first, *rest = folded(escaped(text), min(width_of(sys.stderr), READABLE_WIDTH))
    color = wants_color(sys.stderr)
    if color:
        first = first.replace(escaped(code), click.style(escaped(code), fg="yellow"), 1)
    say("\n".join((first, *rest)), color=color)


def on_terminal(stream: TextIO | None) -> bool:
    """Whether a stream is a terminal that can colour text and redraw a line."""
    return stream is not None and stream.isatty() and os.environ.get("TERM") != "dumb"


def wants_color(stream: TextIO | None) -> bool:
    """Whether to colour: as --color says, else NO_COLOR, FORCE_COLOR and the terminal."""
    context = click.get_current_context(silent=True)
    if context is not None and context.color is not None:
        return context.color
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or on_terminal(stream)


def ending(profile: Profile, *, named: bool) -> tuple[int, str]:
    """The exit code of a recommendation, and the reason.

    A hasher that cannot run here fails the command when it was named, or when no other is
    there; one that gives a wrong answer always does. A row whose interval is too wide fails it
    too, measured now or read from a profile.
    """
    cannot_run = (UnavailableError.code, RuntimeEndedError.code)
    reasons = [
        (EXIT_CODES[row.code], f"{row.label}: {row.error}")
        for row in profile.failures
        if named or row.code not in cannot_run or not profile.recommendations
    ]
    doubtful = [row for row in profile.recommendations if is_too_noisy(row)]
    if doubtful:
        times = format_list(
            [f"{row.label} ({plus_minus(row.error_fraction)})" for row in doubtful]
        )
        why = f"too uncertain: {times}; measure again with `--effort precise`"
        reasons.append((InconclusiveError.exit_code, why))
    return max(reasons, default=(0, ""), key=lambda reason: reason[0])
