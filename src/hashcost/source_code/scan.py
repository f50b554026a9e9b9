"""Every cost in the source code of a folder, read in a child process.

The grammars are C, and a file can be made on which one of them crashes or never ends.
"""

import atexit
import contextlib
import os
import signal
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from multiprocessing.connection import Connection, Pipe
from pathlib import Path, PurePath
from typing import Final, Self, TypeVar

from hashcost.core.errors import UnreadableInputError, check_posix
from hashcost.core.progress import Progress, within
from hashcost.core.waiver_comments import Comments, may_have_waivers
from hashcost.machine.environment import child_environment, import_path
from hashcost.source_code.comments import comments_in
from hashcost.source_code.files import (
    MADE,
    LeftOut,
    NotReadError,
    SourceFile,
    check_written,
    content_of,
    may_hold,
)
from hashcost.source_code.files import sources as source_files
from hashcost.source_code.matching import Matches, found_in, project_of
from hashcost.source_code.parsed_file import check_installed
from hashcost.source_code.project import Project
from hashcost.source_code.reading import SetCost, Setting
from hashcost.source_code.stages import Stage, stage_named

CPU_SECONDS: Final = 30.0
"""For one file; one takes less than two. It is CPU time: a busy machine reads no less."""
_MOST_LATE: Final = 30  # files that may take longer before the others are given up
_LARGE: Final = 1 << 9
"""Characters from which on a single text is read in a child process: a shorter one cannot
keep a grammar busy for long."""
_HOMES: Final = frozenset({"config", "app", "lib", "src"})
"""Folders inside a project: what is beside them is of the same project."""
_DEVELOPING: Final = frozenset({"test", "testing", "dev", "development", "local"})
"""Names of files whose settings never count in production."""

_PROGRAM: Final = """\
import sys
sys.path[:] = sys.argv[2:]
from hashcost.source_code.scan import work
work(int(sys.argv[1]))
"""
"""The child's; it imports from where this process does, except for the current folder."""

_Task = TypeVar("_Task")
_Answer = TypeVar("_Answer")


@dataclass(frozen=True)
class Failed:
    """A text that could not be read, with the reason in a word or two, and in full."""

    reason: str
    why: str


@dataclass(frozen=True, kw_only=True)
class Scanned:
    """The costs in the source code of a folder, in the order of its files.

    Some of the ``files`` that were read were ``parsed``, which might have held a cost; others
    were ``skipped``, so many by reason. ``read`` are the paths of those that were read, and
    ``comments`` has those with waivers.
    """

    files: int
    parsed: int
    costs: tuple[SetCost, ...]
    unknown: tuple[Setting, ...]
    skipped: dict[str, int] = field(default_factory=dict)
    read: tuple[Path, ...] = ()
    comments: Mapping[Path, Comments] = field(default_factory=dict)


def scan(
    paths: Sequence[Path],
    *,
    exclude: Sequence[str] = (),
    include_vendored: bool = False,
    progress: Progress | None = None,
) -> Scanned:
    """Read the source files of folders; nothing of them is run.

    Raises:
        UnavailableError: the grammars are not installed.
        UnreadableInputError: a path that is named cannot be read.
    """
    check_installed()
    left_out = LeftOut()
    sources = list(
        source_files(paths, exclude=exclude, include_vendored=include_vendored, left_out=left_out)
    )
    if not sources:
        raise UnreadableInputError("there is no source code to read; name other folders or files")
    project = project_of([str(source.path) for source in sources if not source.in_tests])
    advance = within(progress, "reading source")
    settings: list[Setting] = []
    read: list[Path] = []
    comments: dict[Path, Comments] = {}
    parsed = 0
    answers = in_child(partial(_read, project), sources)
    for number, (source, answer) in enumerate(zip(sources, answers, strict=True), 1):
        advance(number / len(sources))
        if isinstance(answer, Failed):
            left_out.miss(answer.reason, source.path, answer.why, in_tests=source.in_tests)
            continue
        read.append(source.path)
        if answer is not None:
            parsed += 1
            if answer.comments.waivers:
                comments[source.path] = answer.comments
            settings += (
                replace(
                    setting,
                    path=source.path,
                    in_tests=source.in_tests
                    or setting.in_tests
                    or (bool(setting.sets) and source.path.stem in _DEVELOPING),
                )
                for setting in (*answer.costs, *answer.unknown)
            )
    settings = _without_followers(settings)
    unknown = [setting for setting in settings if not isinstance(setting, SetCost)]
    return Scanned(
        files=len(read),
        parsed=parsed,
        costs=tuple(setting for setting in settings if isinstance(setting, SetCost)),
        unknown=(*unknown, *left_out.unread),
        skipped=dict(sorted(left_out.counts.items())),
        read=tuple(read),
        comments=comments,
    )


def _without_followers(settings: Sequence[Setting]) -> list[Setting]:
    """Leave out calls whose cost is a setting of the project, which has a row of its own.

    Of a setting that a file of production has, only those rows are left.
    """
    homes: dict[str, list[PurePath]] = defaultdict(list)
    for_production: set[tuple[str, PurePath]] = set()
    for setting in settings:
        if setting.sets and not setting.in_tests:
            home = _home(setting.path)
            homes[setting.sets].append(home)
            if stage_named(setting.path.stem) is Stage.PRODUCTION:
                for_production.add((setting.sets, home))
    return [
        setting
        for setting in settings
        if setting.in_tests
        or stage_named(setting.path.stem) is Stage.PRODUCTION
        or (setting.sets, _home(setting.path)) not in for_production
        if setting.sets
        or (isinstance(setting, SetCost) and setting.written)
        or not any(
            setting.path.is_relative_to(home) for name in setting.follows for home in homes[name]
        )
    ]


def _home(path: Path) -> PurePath:
    """The folder of the project that a file belongs to."""
    parts = path.parts[:-1]
    at = next((at for at in reversed(range(len(parts))) if parts[at] in _HOMES), None)
    return PurePath(*parts[:at])


def _read(project: Project, source: SourceFile) -> Matches | Failed | None:
    """Read a file; ``None`` if it holds nothing that is looked for."""
    try:
        content = content_of(source.path)
    except NotReadError as error:
        counts_only = error.reason == MADE or not may_hold(source)
        return Failed(error.reason, "" if counts_only else str(error))
    text, language = content.decode(errors="replace"), source.language.language
    has_waivers = may_have_waivers(text)
    if not (has_waivers or source.language.may_hold(content)):
        return None
    matches = found_in(text, language, source.grammar, str(source.path), project)
    if not has_waivers:
        return matches
    lines = {setting.line for setting in (*matches.costs, *matches.unknown)}
    try:
        return replace(matches, comments=comments_in(text, language, source.grammar, lines))
    except UnreadableInputError:
        return matches  # Without waivers, each of its costs is judged.


def read_one(text: str, language: str) -> Matches | Failed:
    """Read one text in a language."""
    if len(text) < _LARGE:
        return found_in(text, language)
    check_installed()
    try:
        check_written(text.encode(errors="replace"))
    except NotReadError as error:
        return Failed(error.reason, str(error))
    return next(in_child(partial(found_in, language=language), [text]))


def comments_of(
    text: str, language: str, grammar: str | None, lines: Collection[int]
) -> Comments | Failed:
    """Find the waivers of one text; see `comments_in`."""
    if language == "python":
        return comments_in(text, language, grammar, lines)
    read = partial(comments_in, language=language, grammar=grammar, lines=frozenset(lines))
    return next(in_child(read, [text]))


def in_child(
    read: Callable[[_Task], _Answer], tasks: Sequence[_Task], *, cpu_seconds: float = CPU_SECONDS
) -> Iterator[_Answer | Failed]:
    """Read all in a child process; a task that ends the child fails, and a new one goes on.

    ``read`` is a function of a module, or a partial one.
    """
    check_posix("reading source code")
    folder, done, late = Path.cwd(), 0, 0
    while done < len(tasks):
        if late >= _MOST_LATE:
            why = f"reading {late} other files takes too long: name fewer folders"
            yield Failed("not understood", why)
            done += 1
            continue
        child = _idle.pop() if _idle else _Child.start()
        try:
            child.channel.send((folder, read, tasks[done:], cpu_seconds))
            while done < len(tasks):
                answer: _Answer | Failed = child.channel.recv()
                done += 1
                yield answer
        except (EOFError, OSError):
            stopped = child.end() == -signal.SIGPROF
            late += stopped
            done += 1
            yield Failed(
                "not understood", "reading it takes too long" if stopped else "its parser crashed"
            )
        finally:
            # One that still works on the rest would answer the next caller with it.
            if done < len(tasks):
                child.end()
            elif child.process.returncode is None:
                _idle.append(child)


@dataclass(frozen=True)
class _Child:
    """A process that reads what it is sent, until it is ended or this one has gone."""

    process: subprocess.Popen[bytes]
    channel: Connection

    @classmethod
    def start(cls) -> Self:
        """Start a program of its own.

        A fork of a process that has threads may wait for a lock for ever, and one made by
        `multiprocessing` runs the main module again.
        """
        here, there = Pipe()
        with there:
            process = subprocess.Popen(  # noqa: S603 (this program)
                [sys.executable, "-I", "-c", _PROGRAM, str(there.fileno()), *import_path()],
                env=child_environment(()),
                pass_fds=[there.fileno()],
                start_new_session=True,  # What a terminal sends is for the parent, which ends it.
            )
        child = cls(process, here)
        atexit.register(child.end)
        return child

    def end(self) -> int:
        """End the process and return how it ended."""
        atexit.unregister(self.end)
        self.channel.close()
        self.process.kill()
        return self.process.wait()


_idle: Final[list[_Child]] = []
"""Children that have answered all, and wait for more: one takes 0.2 s to start."""


def work(descriptor: int) -> None:
    """Read what the parent sends until it has gone."""
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGPROF})
    with Connection(descriptor) as channel, contextlib.suppress(EOFError, OSError):
        while True:
            folder, read, tasks, seconds = channel.recv()
            os.chdir(folder)
            for task in tasks:
                # The kernel ends the process at this limit, however busy its parser is.
                signal.setitimer(signal.ITIMER_PROF, seconds)
                channel.send(_answer(read, task))


def _answer(read: Callable[[_Task], _Answer], task: _Task) -> _Answer | Failed:
    try:
        return read(task)
    except UnreadableInputError as error:
        return Failed("not understood", str(error))
    except Exception as error:  # Whatever a grammar does with a strange file.
        return Failed("not understood", f"its parser failed: {type(error).__name__}")
