"""Where text goes: the result to standard output or a file, the rest to standard error."""

import os
import sys
from collections.abc import Collection, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

import click
from msgspec.structs import replace

from hashcost.cli.process import (
    READABLE_WIDTH,
    USUAL_WIDTH,
    abandon,
    encoded,
    on_terminal,
    say,
    tell,
    width_of,
)
from hashcost.cli.progress import progress_bar
from hashcost.core.errors import (
    EXIT_CODES,
    InconclusiveError,
    ResultError,
    RuntimeEndedError,
    UnavailableError,
    UnwritableOutputError,
    prefix_errors,
)
from hashcost.core.machine import Notice
from hashcost.core.profile import LASTING, MEMORY_BOUND, OTHER_CONTEXT, Profile, is_too_noisy
from hashcost.core.progress import Progress
from hashcost.core.text import escaped, harmless, path_name
from hashcost.core.units import format_list
from hashcost.machine.signals import CORRECTED
from hashcost.render import render
from hashcost.render.document import Document
from hashcost.render.wording import counted, folded, notices, plus_minus, within_lines
from hashcost.storage.files import check_writable, reason_of, write_whole

_STDOUT = Path("-")
_IN_THE_ANSWER = frozenset({"too-noisy", "first-run", MEMORY_BOUND})
_CANNOT_RUN = (UnavailableError.code, RuntimeEndedError.code)
_NOTICE_LINES = 3
_NAMED_HASHERS = 2
"""The hashers that a notice names; more are counted."""


@dataclass(frozen=True)
class Output:
    """Where a command's result goes, in which form, and whether without advice."""

    form: str = "table"
    path: Path | None = None
    quiet: bool = False

    @property
    def is_file(self) -> bool:
        """Whether the result goes to a file."""
        return self.path is not None and self.path != _STDOUT

    def check(
        self, read: Iterable[Path | None] = (), *, writes: Iterable[tuple[str, Path | None]] = ()
    ) -> None:
        """Find what is wrong with this and other outputs before any work is done.

        Args:
            read: The files that the command reads.
            writes: The other files that it writes, each with the option that names it.

        Raises:
            UsageError: one would replace a file that is ``read``, or another output.
            UnwritableOutputError: one cannot be written.
        """
        # The file behind every link; resolve() would fail on a loop of links.
        inputs = {os.path.realpath(path) for path in read if path is not None and path != _STDOUT}
        seen: dict[str, str] = {}
        for option, path in (("--output", self.path), *writes):
            # A stream overwrites nothing.
            if path is None or path == _STDOUT:
                continue
            whole = os.path.realpath(path)
            if whole in inputs:
                raise click.UsageError(
                    f"{option} would overwrite a file that is read; name another file"
                )
            if whole in seen:
                raise click.UsageError(
                    f"{seen[whole]} and {option} name the same file; give each its own"
                )
            seen[whole] = option
            with prefix_errors(option):
                check_writable(path)

    def write(self, document: Document) -> None:
        """Write the result, coloured only on a terminal that wants colour."""
        width, color = USUAL_WIDTH, False
        if not self.is_file:
            width, color = width_of(sys.stdout), wants_color(sys.stdout)
        text = render(document, self.form, width=width, color=color)
        self.put(text, colored=color, commands=self.form == "github")

    def put(
        self, text: str, *, what: str = "the result", colored: bool = False, commands: bool = False
    ) -> None:
        """Write the result as text; in a file, say that it is there and ``what`` it is."""
        write_text(text, self.path, colored=colored, commands=commands)
        if self.path is not None:
            self.say_saved(what, self.path)

    def end(self, code: int, why: str) -> None:
        """End the command with this code, unless it is 0.

        Raises:
            ResultError: the reader has not seen why.
            Exit: the end of the table, on the same terminal as messages, says why.
        """
        if not code:
            return
        streams = (sys.stdout, sys.stderr)
        is_on_terminal = all(stream is not None and stream.isatty() for stream in streams)
        if self.form == "table" and not self.is_file and is_on_terminal:
            raise click.exceptions.Exit(code)
        raise ResultError(why, code)

    def progress(self) -> AbstractContextManager[Progress | None]:
        """Show how far the command is, unless it is quiet."""
        return progress_bar(quiet=self.quiet)

    def warn(self, notices: Iterable[Notice]) -> None:
        """Write notices about a result without rows."""
        if not self.quiet:
            for notice in notices:
                _write_notice(_text(notice))
                say("")  # The result, or another notice, follows.

    def remark(self, lines: Iterable[str]) -> None:
        """Write remarks on a result, one a line, folded on a terminal."""
        if not self.quiet:
            for line in lines:
                tell(escaped(line))

    def say_saved(self, what: str, path: Path, more: str = "") -> None:
        """Say on standard error what was saved where, and what ``more`` there is to know."""
        if path != _STDOUT:
            self.remark([f"Saved {what} in {path_name(path)}{more}"])


def write_text(
    text: str, output: Path | None, *, colored: bool = False, commands: bool = False
) -> None:
    """Write text, made `harmless`, to a file or to standard output."""
    text = harmless(text, colored=colored, commands=commands)
    if output is not None and output != _STDOUT:
        # The name of a file may be in no encoding at all.
        write_whole(output, text.encode(errors="backslashreplace"))
        return
    if sys.stdout is None:
        raise UnwritableOutputError("cannot write standard output: it is closed")
    try:
        sys.stdout.buffer.write(encoded(text, sys.stdout.encoding))
        sys.stdout.flush()
    # The reader has seen enough, which is no error of the output.
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
            _write_notice(_text(notice, labels, saved=saved))
            say("")
        return
    texts = []
    # What is about the whole run comes last.
    for notice, labels in sorted(notices(profile), key=lambda pair: not pair[1]):
        is_worth_a_line = labels or _matters(notice, profile, saved=saved)
        if is_worth_a_line and notice.code not in _IN_THE_ANSWER:
            about = labels
            if len(labels) > _NAMED_HASHERS:
                about = [f"{len(labels)} hashers"]
            texts.append(_text(notice, about, saved=saved))
    if not texts:
        return
    texts = list(dict.fromkeys(texts))
    shown = list(within_lines(texts, _NOTICE_LINES))
    if len(shown) < len(texts):
        # The line that counts the others takes one.
        shown = list(within_lines(texts, _NOTICE_LINES - 1))
    for text in shown:
        _write_notice(text)
    left = len(texts) - len(shown)
    if left:
        more = "more " if shown else ""
        say(f"{counted(left, f'{more}note', f'{more}notes')}: add --explain")
    say("")  # The result follows.


def run_notices(profile: Profile) -> tuple[Notice, ...]:
    """Select the notices about a whole run that matter to an answer without rows."""
    return tuple(
        notice
        for notice in profile.warnings
        if _matters(notice, profile, saved=False) and notice.code not in _IN_THE_ANSWER
    )


def _matters(notice: Notice, profile: Profile, *, saved: bool) -> bool:
    """Whether a notice about a whole run matters to its answers."""
    if notice.code in LASTING:
        return True
    if saved:
        return False
    is_noisy = any(map(is_too_noisy, profile.recommendations))
    # The times were corrected for it.
    return is_noisy or notice.code not in CORRECTED


def _text(notice: Notice, labels: Sequence[str] = (), *, saved: bool = False) -> str:
    """A notice with its code, the ``labels`` that it is about, and when it held."""
    about = f"{', '.join(labels)}: " if labels else ""
    # Of a saved run, only another context is seen now.
    if saved and notice.code != OTHER_CONTEXT:
        about += "when measured: "
    advice = f"; {notice.advice}" if notice.advice else ""
    return f"{notice.code}: {about}{notice.message}{advice}"


def append_summary(document: Document | None = None, notices: Iterable[Notice] = ()) -> None:
    """Add the result to the summary of a GitHub job, where the command runs in one.

    Without a result, only check that it could be added.
    """
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    if not path:
        return
    text = ""
    # The first call finds out whether the file can be written.
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


def _write_notice(text: str) -> None:
    """Write a notice, whose code may be coloured."""
    # Folded before it is coloured: escape sequences take no room.
    first, *rest = folded(escaped(text), min(width_of(sys.stderr), READABLE_WIDTH))
    color = wants_color(sys.stderr)
    if color:
        code, colon, message = first.partition(":")
        first = click.style(code, fg="yellow") + colon + message
    say("\n".join((first, *rest)), color=color)


def wants_color(stream: TextIO | None) -> bool:
    """Whether to colour: as --color says, else NO_COLOR, FORCE_COLOR and the terminal."""
    context = click.get_current_context(silent=True)
    if context is not None and context.color is not None:
        return context.color
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return on_terminal(stream)


def ending(profile: Profile, names: Collection[str] = ()) -> tuple[int, str]:
    """The exit code of a recommendation, and the reason.

    A library that cannot run here fails the command if ``names`` has its label, or its hasher and
    no other library answers for that; or if nothing answers. One that gives a wrong answer always
    does. A row whose interval is too wide fails it too, measured now or read from a profile.
    """
    reasons = []
    answered = {row.hasher for row in profile.recommendations}
    for row in profile.failures:
        is_asked_for = row.label in names
        if row.hasher in names and row.hasher not in answered:
            is_asked_for = True
        if is_asked_for or row.code not in _CANNOT_RUN or not answered:
            reasons.append((EXIT_CODES[row.code], str(row)))
    doubtful = too_uncertain(profile, "measure again with `--effort precise`")
    if doubtful:
        reasons.append((InconclusiveError.exit_code, doubtful))
    return worst(reasons)


def too_uncertain(profile: Profile, longer: str) -> str:
    """Say which rows have too wide an interval, and the cure; empty without such rows.

    The cure is that of their doubt, or a ``longer`` run.
    """
    noisy = [row for row in profile.recommendations if is_too_noisy(row)]
    if not noisy:
        return ""
    rows = format_list([f"{row.label} ({plus_minus(row.error_fraction)})" for row in noisy])
    return f"too uncertain: {rows}; {profile.cure_of(noisy) or longer}"


def worst(reasons: Iterable[tuple[int, str]]) -> tuple[int, str]:
    """The first of the highest exit codes, with its reason; 0 without any."""
    return max(reasons, default=(0, ""), key=lambda reason: reason[0])
