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
from typing import Final, NamedTuple, Self, TypeVar, cast

from hashcost.core.errors import Unread, UnreadableInputError, UnreadError, check_posix
from hashcost.core.progress import Progress, within
from hashcost.core.text import path_name
from hashcost.core.waiver_comments import Comments, may_have_waivers
from hashcost.machine.environment import child_environment, import_path
from hashcost.source_code.comments import comments_in
from hashcost.source_code.files import LeftOut, SourceFile, check_written, content_of, may_hold
from hashcost.source_code.files import sources as source_files
from hashcost.source_code.matching import Matches, found_in, project_of
from hashcost.source_code.parsed_file import check_installed
from hashcost.source_code.project import Project
from hashcost.source_code.reading import SetCost, Setting
from hashcost.source_code.rules import by_suffix
from hashcost.source_code.stages import Stage, stage_named
from hashcost.storage.gate import Gate, cpu_seconds

CPU_SECONDS: Final = 2.0
"""For one file, and what is looked up for it; almost all take less than a tenth. It is CPU time:
a busy machine reads no less."""
ALL_CPU_SECONDS: Final = 20.0
"""For all files."""
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


@dataclass(frozen=True, kw_only=True)
class Failed:
    """A text that was not read, with the reason.

    A text that was searched, and does not even name a hashing library, does not ``matter``.
    """

    reason: Unread
    why: str
    matters: bool = True


class _Reads(NamedTuple):
    """The child reads this file from now on; none if that is empty."""

    name: str


class _Answered(NamedTuple):
    """The answer to a task, and the CPU seconds that it took."""

    answer: object
    seconds: float


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
    gate: Gate | None = None,
    progress: Progress | None = None,
) -> Scanned:
    """Read the source files of folders; nothing of them is run.

    The files are found within the time of a ``gate``, by default of one of their own.

    Raises:
        UnavailableError: the grammars are not installed.
        UnreadableInputError: a path that is named cannot be read, or nothing there is source code.
    """
    check_installed()
    gate = gate or Gate()
    left_out = LeftOut()
    sources: list[SourceFile] = []
    walk = source_files(
        paths, exclude=exclude, include_vendored=include_vendored, left_out=left_out, gate=gate
    )
    try:
        with gate.timed(", ".join(map(path_name, paths))):
            sources += walk
    except UnreadError as error:
        left_out.miss(error.reason, paths[0], f"not all files are found: {error}")
    if not sources:
        _check_some(left_out)
    advance = within(progress, "reading source")
    settings: list[Setting] = []
    read: list[Path] = []
    comments: dict[Path, Comments] = {}
    parsed = 0
    late: list[tuple[SourceFile, Failed]] = []
    reading = partial(_reader, [str(source.path) for source in sources if not source.in_tests])
    answers = in_child(reading, sources, cpu_seconds=CPU_SECONDS, all_seconds=ALL_CPU_SECONDS)
    for number, (source, answer) in enumerate(zip(sources, answers, strict=True), 1):
        advance(number / len(sources))
        if isinstance(answer, Failed):
            if answer.reason is Unread.OUT_OF_TIME:
                late.append((source, answer))
            elif answer.matters:
                left_out.miss(answer.reason, source.path, answer.why, in_tests=source.in_tests)
            else:
                left_out.counts[answer.reason.value] += 1
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
    _miss_late(left_out, late)
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


def _check_some(left_out: LeftOut) -> None:
    """Refuse paths of which none is source code; what a limit ended has its own row.

    Raises:
        UnreadableInputError: they hold nothing to read.
    """
    if not left_out.unread:
        raise UnreadableInputError("there is no source code to read; name other folders or files")
    if all(missed.unread is Unread.OTHER_LANGUAGE for missed in left_out.unread):
        first = left_out.unread[0]
        raise UnreadableInputError(f"{path_name(first.path)}: {first.why}")


def _miss_late(left_out: LeftOut, late: Sequence[tuple[SourceFile, Failed]]) -> None:
    """Add the files for which no time was left, in one row."""
    if not late:
        return
    source, failed = late[0]
    are_tests = all(source.in_tests for source, _ in late)
    why = failed.why if len(late) == 1 else f"{failed.why}; {len(late) - 1:,} more are not read"
    left_out.miss(failed.reason, source.path, why, in_tests=are_tests)
    left_out.counts[failed.reason.value] += len(late) - 1


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


def _reader(paths: Sequence[str], gate: Gate) -> Callable[[SourceFile], Matches | Failed | None]:
    """Make the reader of the files of a project."""
    by_suffix()  # No file's time goes to what is loaded once.
    return partial(_read, project_of(paths, gate))


def _read(project: Project, source: SourceFile) -> Matches | Failed | None:
    """Read a file; ``None`` if it holds nothing that is looked for."""
    with project.gate.reading(source.path):
        try:
            content = content_of(source.path)
        except UnreadError as error:
            matters = source.is_named or may_hold(source)
            return Failed(reason=error.reason, why=str(error), matters=matters)
        text, language = content.decode("utf-8-sig", errors="replace"), source.language.language
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
    except UnreadError as error:
        return Failed(reason=error.reason, why=str(error))
    return next(in_child(partial(_reader_of, language), [text]))


def _reader_of(language: str, _gate: Gate) -> Callable[[str], Matches]:
    return partial(found_in, language=language)


@dataclass
class _Spent:
    """The CPU seconds that are left for all tasks, and the file that took most of the others."""

    all_seconds: float
    left: float
    slowest: str = ""
    most_seconds: float = 0.0

    def add(self, seconds: float, name: str) -> None:
        """Take the time of a task, which was spent on a file."""
        self.left -= seconds
        if seconds > self.most_seconds:
            self.slowest, self.most_seconds = name, seconds

    def failed(self) -> Failed:
        """Make the answer to a task for which no time is left."""
        seconds = f"the {self.all_seconds:g} s of CPU time for source code"
        why = f"{self.slowest or 'another text'} took most of {seconds}"
        return Failed(reason=Unread.OUT_OF_TIME, why=why)


def comments_of(
    text: str, language: str, grammar: str | None, lines: Collection[int]
) -> Comments | Failed:
    """Find the waivers of one text; see `comments_in`."""
    if language == "python":
        return comments_in(text, language, grammar, lines)
    make = partial(_comment_reader, language, grammar, frozenset(lines))
    return next(in_child(make, [text]))


def _comment_reader(
    language: str, grammar: str | None, lines: Collection[int], _gate: Gate
) -> Callable[[str], Comments]:
    return partial(comments_in, language=language, grammar=grammar, lines=lines)


def in_child(
    make: Callable[[Gate], Callable[[_Task], _Answer]],
    tasks: Sequence[_Task],
    *,
    cpu_seconds: float = CPU_SECONDS,
    all_seconds: float = ALL_CPU_SECONDS,
) -> Iterator[_Answer | Failed]:
    """Read all in a child process; a task that ends the child fails, and a new one goes on.

    ``make`` is a function of a module, or a partial one, that makes the reader there. When
    ``all_seconds`` are used up, the rest fails.
    """
    check_posix("reading source code")
    folder, done, spent = Path.cwd(), 0, _Spent(all_seconds, all_seconds)
    closed: frozenset[str] = frozenset()
    while done < len(tasks):
        if spent.left <= 0:
            yield spent.failed()
            done += 1
            continue
        child = _idle.pop() if _idle else _Child.start()
        names: list[str] = []
        try:
            child.channel.send((folder, make, tasks[done:], cpu_seconds, spent.left, closed))
            while done < len(tasks) and spent.left > 0:
                answered = child.answer(names)
                spent.add(answered.seconds, next(iter(names), ""))
                names = []
                done += 1
                yield cast("_Answer | Failed", answered.answer)
        except (EOFError, OSError):
            done += 1
            if child.end() != -signal.SIGPROF:
                yield Failed(reason=Unread.NOT_UNDERSTOOD, why="its parser crashed")
                continue
            seconds = min(cpu_seconds, spent.left)
            name = next(reversed(names), "")
            spent.add(seconds, name)
            what = "it"
            if name != next(iter(names), ""):  # A file that was looked into for this one.
                what, closed = name, closed | {name}
            why = f"reading {what} takes more than {seconds:.2g} s of CPU time"
            yield Failed(reason=Unread.TOO_SLOW, why=why)
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

    def answer(self, names: list[str]) -> _Answered:
        """Wait for the next answer; ``names`` takes the files that are read for it, in turn."""
        while True:
            said: _Reads | _Answered = self.channel.recv()
            if isinstance(said, _Answered):
                return said
            names.append(said.name)

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
            folder, make, tasks, seconds, left, closed = channel.recv()
            os.chdir(folder)
            read = make(Gate(lambda name: channel.send(_Reads(name)), closed=closed))
            for task in tasks:
                if left <= 0:
                    break
                # The kernel ends the process at this limit, however busy its parser is.
                signal.setitimer(signal.ITIMER_PROF, min(seconds, left))
                begun = cpu_seconds()
                answer = _answer(read, task)
                signal.setitimer(signal.ITIMER_PROF, 0)
                taken = cpu_seconds() - begun
                left -= taken
                channel.send(_Answered(answer, taken))


def _answer(read: Callable[[_Task], _Answer], task: _Task) -> _Answer | Failed:
    try:
        return read(task)
    except UnreadError as error:
        return Failed(reason=error.reason, why=str(error))
    except UnreadableInputError as error:
        return Failed(reason=Unread.NOT_UNDERSTOOD, why=str(error))
    except Exception as error:  # Whatever a grammar does with a strange file.
        why = f"its parser failed: {type(error).__name__}"
        return Failed(reason=Unread.NOT_UNDERSTOOD, why=why)
