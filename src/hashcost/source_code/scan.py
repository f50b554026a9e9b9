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
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from multiprocessing.connection import Connection, Pipe
from operator import attrgetter
from pathlib import Path, PurePath
from typing import Final, Self, TypeVar, cast

from hashcost.core.cost_expressions import Apart
from hashcost.core.errors import Unread, UnreadableInputError, UnreadError, check_posix
from hashcost.core.progress import Progress, within
from hashcost.core.text import path_name
from hashcost.core.units import format_list
from hashcost.core.waiver_comments import Comments, may_have_waivers
from hashcost.machine.environment import child_environment, import_path
from hashcost.source_code.comments import comments_in
from hashcost.source_code.costs import SetCost, Setting
from hashcost.source_code.digests import (
    FastDigest,
    digests_in,
    digests_of_parameters,
    may_digest,
    may_help,
)
from hashcost.source_code.files import (
    LeftOut,
    SourceFile,
    check_written,
    content_of,
    may_hold,
    strange,
)
from hashcost.source_code.files import sources as source_files
from hashcost.source_code.matching import Matches, found_in, project_of
from hashcost.source_code.other_python import in_own_syntax
from hashcost.source_code.parsed.fields import check_installed
from hashcost.source_code.pgcrypto import salts_in
from hashcost.source_code.project import Project
from hashcost.source_code.rules import by_suffix
from hashcost.source_code.stages import DeploymentStage, stage_named
from hashcost.source_code.stored_hashes import StoredHash, stored_in
from hashcost.source_code.symfony import hashers_in
from hashcost.source_code.unread_languages import (
    languages_left_out,
    left_out_as,
    names_password_hash,
    unread_language,
)
from hashcost.source_code.versions import Pin
from hashcost.source_code.word_marks import marks_in
from hashcost.storage.gate import Gate, charge, cpu_seconds, time_left

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
_MANAGED: Final = "manage.py"
"""The file of Django that is beside all folders of a project."""
_DEVELOPING: Final = frozenset({"local"})
"""Names of files whose settings never count in production, besides those of a stage."""

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


@dataclass(frozen=True, kw_only=True)
class Scanned:
    """The costs in the source code of a folder and the hashes in its files, in their order.

    Some of the source ``files`` that were read were ``parsed``, which might have held a cost;
    others were ``skipped``, so many by reason. ``read`` are the paths of those that were read, and
    ``comments`` has those with waivers. ``digests`` are fast ones of passwords, ``dummies`` the
    costs of hashes that nobody has, and ``keys`` the calls that make a key for encryption.
    """

    files: int
    parsed: int
    costs: tuple[SetCost, ...]
    unknown: tuple[Setting, ...]
    digests: tuple[FastDigest, ...] = ()
    dummies: tuple[SetCost, ...] = ()
    stored: tuple[StoredHash, ...] = ()
    keys: tuple[Setting, ...] = ()
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
    if gate is None:
        gate = Gate()
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
    settings = []
    digests = []
    stored: list[StoredHash] = []
    read = []
    comments = {}
    parsed = 0
    keys: list[Setting] = []
    late = []
    for source, answer in zip(sources, _answers(sources, progress), strict=True):
        if isinstance(answer, Failed):
            if answer.reason is Unread.OUT_OF_TIME:
                late.append((source, answer))
            else:
                _miss(left_out, source, answer)
            continue
        if answer is not None:
            stored += [replace(hashes, path=source.path) for hashes in answer.stored]
            in_file = (*answer.costs, *answer.dummies, *answer.unknown)
            settings += [_placed(setting, source) for setting in in_file]
            keys += [_placed(setting, source) for setting in answer.keys]
        if source.language is None:
            _miss_other_language(left_out, source, answer or Matches())
            continue
        read.append(source.path)
        if answer is not None:
            parsed += 1
            if answer.comments.waivers:
                comments[source.path] = answer.comments
            digests += [replace(digest, path=source.path) for digest in answer.digests]
    _miss_late(left_out, late)
    if not (stored or settings or any(source.language for source in sources)):
        _check_some(left_out)
    settings = _without_followers(settings)
    costs = [setting for setting in settings if isinstance(setting, SetCost)]
    unknown = [setting for setting in settings if not isinstance(setting, SetCost)]
    return Scanned(
        files=len(read),
        parsed=parsed,
        costs=tuple(cost for cost in costs if not cost.is_dummy),
        dummies=tuple(cost for cost in costs if cost.is_dummy and not cost.in_tests),
        unknown=(*unknown, *left_out.unread),
        digests=tuple(digests),
        stored=tuple(stored),
        keys=tuple(keys),
        skipped=dict(sorted(left_out.counts.items())),
        read=tuple(read),
        comments=comments,
    )


@dataclass(frozen=True, kw_only=True)
class _Single:
    """A file that was read by itself.

    ``matches`` is ``None`` if that shows nothing. If the file ``may_set`` a cost, it is read again
    with the names that others define. It has ``marks`` of its words if others may ask for them.
    """

    matches: Matches | None
    may_set: bool = False
    marks: bytes | None = None


def _answers(
    sources: Sequence[SourceFile], progress: Progress | None
) -> list[Matches | Failed | None]:
    """Read each file by itself, then those that may set a cost with the names in all others.

    An answer is ``None`` for a file that holds nothing that is looked for.
    """
    spent = _Spent(ALL_CPU_SECONDS)
    answers: list[Matches | Failed | None] = []
    marks = {}
    asking = []
    advance = within(progress, "reading source", ends=0.5)
    for number, single in enumerate(in_child(_reader, sources, spent)):
        advance(number / len(sources))
        if isinstance(single, Failed):
            answers.append(single)
            continue
        answers.append(single.matches)
        source = sources[number]
        if single.marks is not None:
            marks[str(source.path)] = single.marks
        if single.may_set:
            asking.append((number, (source, single.matches or Matches())))
    paths = [str(source.path) for source in sources if _is_module(source)]
    reading = in_child(partial(_resolver, paths, marks), [task for _, task in asking], spent)
    advance = within(progress, "reading source", begins=0.5)
    for (number, _), answer in zip(asking, reading, strict=True):
        answers[number] = answer
        advance(number / len(sources))
    return answers


def _is_module(source: SourceFile) -> bool:
    """Tell whether other files look their names up in a file."""
    # No file imports a script whose name has no end.
    return source.language is not None and not source.in_tests and not source.added_suffix


def _placed(setting: Setting, source: SourceFile) -> Setting:
    """Say of a setting in which file it is, and whether that counts in production."""
    in_tests = setting.in_tests or source.in_tests
    name = source.path.stem
    is_for_tests = name in _DEVELOPING or stage_named(name) is DeploymentStage.TESTS
    if setting.sets and is_for_tests:
        in_tests = True
    return replace(setting, path=source.path, in_tests=in_tests)


def _check_some(left_out: LeftOut) -> None:
    """Refuse paths of which none is source code; what a limit ended has its own row.

    Raises:
        UnreadableInputError: they hold nothing to read.
    """
    languages = languages_left_out(left_out.counts)
    if languages and not left_out.unread:
        raise UnreadableInputError(
            f"found no stored hash, and no source code except in {format_list(languages)}, which"
            " is not read; look for costs in it yourself: `calibrate check bcrypt=10` judges any"
        )
    if not left_out.unread:
        raise UnreadableInputError(
            "found no source code in a supported language, and no stored hash; `calibrate scan"
            " --help` lists the languages, and `calibrate check bcrypt=10` judges any cost"
        )
    if all(missed.unread is Unread.OTHER_LANGUAGE for missed in left_out.unread):
        first = left_out.unread[0]
        raise UnreadableInputError(f"{path_name(first.path)}: {first.why}")


def _miss(left_out: LeftOut, source: SourceFile, failed: Failed) -> None:
    if source.is_named and source.language is None and failed.reason is Unread.BINARY:
        left_out.miss(Unread.OTHER_LANGUAGE, source.path, strange(source.path))
    elif failed.matters:
        left_out.miss(failed.reason, source.path, failed.why, in_tests=source.in_tests)
    elif source.language is not None or failed.reason is not Unread.BINARY:
        # Nobody expects an image to be read.
        left_out.counts[failed.reason.value] += 1


def _miss_other_language(left_out: LeftOut, source: SourceFile, matches: Matches) -> None:
    """Add a file in no language that is read, if it was named or may hash passwords."""
    shows_some = matches.stored or matches.costs or matches.unknown
    if source.is_named and not shows_some:
        left_out.miss(Unread.OTHER_LANGUAGE, source.path, strange(source.path))
    elif matches.unread_language and not source.in_tests:
        left_out.counts[left_out_as(matches.unread_language)] += 1


def _miss_late(left_out: LeftOut, late: Sequence[tuple[SourceFile, Failed]]) -> None:
    """Add the files for which no time was left, in one row."""
    if not late:
        return
    source, failed = late[0]
    others = len(late) - 1
    why = failed.why
    if others:
        why += f"; {others:,} more are not read"
    are_tests = all(source.in_tests for source, _ in late)
    left_out.miss(failed.reason, source.path, why, in_tests=are_tests)
    left_out.counts[failed.reason.value] += others


def _without_followers(settings: Sequence[Setting]) -> list[Setting]:
    """Leave out calls whose cost is a setting of the project, which has a row of its own.

    Of a setting that a file of production has, only those rows are left, and none of one that
    another replaces, or that no call follows.
    """
    homes = defaultdict(list)
    replaced = _replaced(settings)
    for_production = set()
    for setting in settings:
        if setting.in_tests:
            continue
        if setting.sets:
            home = _home(setting.path)
            homes[setting.sets].append(home)
            if _is_of_production(setting):
                for_production.add((setting.sets, home))
    left = []
    for setting in settings:
        is_other_stage = not (setting.in_tests or _is_of_production(setting))
        if is_other_stage and (setting.sets, _home(setting.path)) in for_production:
            continue
        if _is_under(setting.path, (setting.sets, *setting.follows), replaced):
            continue
        is_written = isinstance(setting, SetCost) and bool(setting.written)
        others = (name for name in setting.follows if name != setting.sets)
        if is_written or not _is_under(setting.path, others, homes):
            left.append(setting)
    return left


def _replaced(settings: Sequence[Setting]) -> dict[str, list[PurePath]]:
    """Find the settings that decide nothing, each with the projects in which that is so."""
    replaced = defaultdict(list)
    counted = [setting for setting in settings if not setting.in_tests]
    followed = {
        (name, _home(setting.path))
        for setting in counted
        for name in setting.follows
        if not (setting.sets or (isinstance(setting, SetCost) and setting.written))
    }
    for setting in counted:
        home = _home(setting.path)
        if setting.replaces:
            replaced[setting.replaces].append(home)
        if setting.ignores and (setting.ignores, home) not in followed:
            replaced[setting.ignores].append(home)
    return replaced


def _is_of_production(setting: Setting) -> bool:
    return stage_named(setting.path.stem) is DeploymentStage.PRODUCTION


def _is_under(path: Path, names: Iterable[str], homes: Mapping[str, Sequence[PurePath]]) -> bool:
    """Tell whether the project of a file has a setting of one of these names."""
    theirs = chain.from_iterable(homes.get(name, ()) for name in names)
    return any(map(path.is_relative_to, theirs))


def _home(path: Path) -> PurePath:
    """Find the folder of the project that a file belongs to."""
    for folder in path.parents:
        if Path(folder, _MANAGED).is_file():
            return folder
        if folder.name in _HOMES:
            return folder.parent
    return path.parent


def _reader(gate: Gate) -> Callable[[SourceFile], _Single | Failed]:
    """Make the reader that reads each file by itself."""
    by_suffix()  # No file's time goes to what is loaded once.
    return partial(_read_single, gate)


def _read_single(gate: Gate, source: SourceFile) -> _Single | Failed:
    """Find what needs no other file: stored hashes, digests, and costs in SQL and YAML."""
    with gate.reading(source.path):
        try:
            content = content_of(source.path)
        except UnreadError as error:
            matters = source.is_named
            # A script with zero bytes is an archive behind a first line, as composer.phar is.
            is_archive = error.reason is Unread.BINARY and bool(source.added_suffix)
            if source.language is not None and not is_archive:
                matters |= may_hold(source.path, source.language)
            return Failed(reason=error.reason, why=str(error), matters=matters)
        other_language = ""
        if source.language is None:
            other_language = unread_language(source.path, content)
        is_code = source.language is not None or bool(other_language)
        stored = stored_in(content, source.language, source.grammar, source.apart, is_code=is_code)
        if not names_password_hash(content):
            other_language = ""
        settings: list[Setting] = []
        if source.apart is not Apart.DOCUMENTATION:
            settings += salts_in(content, source.language, source.grammar)
            settings += hashers_in(content, source.path.suffix)
        digests: Sequence[FastDigest] = ()
        may_set = False
        digests_some = False
        if source.language is not None:
            text = content.decode("utf-8-sig", errors="replace")
            language = source.language.language
            may_set = may_have_waivers(text) or source.language.may_hold(content)
            # Tests digest passwords that protect nobody.
            digests_some = not source.in_tests and may_digest(text, language)
            may_set = may_set or (not source.in_tests and may_help(text, language))
            if digests_some:
                digests = digests_in(text, language, source.grammar)
        matches = None
        if stored or settings or digests_some or other_language:
            matches = Matches(
                costs=tuple(cost for cost in settings if isinstance(cost, SetCost)),
                unknown=tuple(cost for cost in settings if not isinstance(cost, SetCost)),
                digests=tuple(digests),
                stored=stored,
                unread_language=other_language,
            )
        marks = None
        if _is_module(source):
            marks = marks_in(content)
        return _Single(matches=matches, may_set=may_set, marks=marks)


def _resolver(
    paths: Sequence[str], marks: Mapping[str, bytes], gate: Gate
) -> Callable[[tuple[SourceFile, Matches]], Matches]:
    """Make the reader of files that may set a cost, which looks names up in their project."""
    by_suffix()
    return partial(_resolve, project_of(paths, gate, marks))


def _resolve(project: Project, task: tuple[SourceFile, Matches]) -> Matches:
    """Add the costs that a source file sets to those found in it, and its waivers."""
    source, matches = task
    assert source.language is not None  # noqa: S101 - or it could set no cost
    language = source.language.language
    with project.gate.reading(source.path):
        content = content_of(source.path)
        text = content.decode("utf-8-sig", errors="replace")
        # One that may only help to digest passwords, or has waivers, sets no cost.
        in_code = Matches()
        if source.language.may_hold(content):
            in_code = found_in(text, language, source.grammar, source.path_in_project, project)
        costs = (*in_code.costs, *matches.costs)
        unknown = (*in_code.unknown, *matches.unknown)
        digests = matches.digests
        if not source.in_tests and may_help(text, language):
            found_later = digests_of_parameters(
                text, language, source.grammar, source.path_in_project, project
            )
            digests = tuple(sorted({*digests, *found_later}, key=attrgetter("line")))
        # A digest that a library repeats for passwords has its own row.
        taken = {setting.line for setting in unknown if setting.is_unfit}
        digests = tuple(digest for digest in digests if digest.line not in taken)
        matches = replace(
            matches,
            costs=costs,
            dummies=in_code.dummies,
            unknown=unknown,
            digests=digests,
            keys=in_code.keys,
        )
        if not may_have_waivers(text):
            return matches
        lines = {setting.line for setting in (*costs, *unknown, *digests)}
        lines.update(hashes.line for hashes in matches.stored)
        try:
            comments = comments_in(text, language, source.grammar, lines)
            if language == "python" and not comments.waivers:
                comments = comments_in(in_own_syntax(text), language, source.grammar, lines)
        except UnreadableInputError:
            return matches  # Without waivers, each of its costs is judged.
        return replace(matches, comments=comments)


def read_one(text: str, language: str, pins: Mapping[str, Pin] | None = None) -> Matches | Failed:
    """Read one text in a language, within the time of the gate that is timing the command.

    ``pins`` are the packages whose versions are known.
    """
    if len(text) < _LARGE:
        return found_in(text, language, pins=pins)
    check_installed()
    try:
        check_written(text.encode(errors="replace"))
    except UnreadError as error:
        return Failed(reason=error.reason, why=str(error))
    return _read_charged(partial(found_in, language=language, pins=pins), text)


def comments_of(
    text: str, language: str, grammar: str | None, lines: Collection[int]
) -> Comments | Failed:
    """Find the waivers of one text, within the time of a gate; see `comments_in`."""
    if language == "python":
        return comments_in(text, language, grammar, lines)
    read = partial(comments_in, language=language, grammar=grammar, lines=frozenset(lines))
    return _read_charged(read, text)


def _read_charged(read: Callable[[str], _Answer], text: str) -> _Answer | Failed:
    """Read one text in a child, whose time is taken from the gate that is timing, if any."""
    spent = _Spent(time_left())
    (answer,) = in_child(partial(_without_files, read), [text], spent)
    charge(spent.seconds)
    return answer


def _without_files(read: Callable[[str], _Answer], _gate: Gate) -> Callable[[str], _Answer]:
    """Make the reader of texts that belong to no project."""
    return read


@dataclass
class _Spent:
    """The CPU seconds that were spent of those for all tasks, and the file that took most."""

    all_seconds: float
    seconds: float = 0.0
    slowest: str = ""
    most_seconds: float = 0.0

    @property
    def left(self) -> float:
        """The CPU seconds for the next task."""
        return min(CPU_SECONDS, self.all_seconds - self.seconds)

    def add(self, seconds: float, name: str) -> None:
        """Take the time of a task, which was spent on a file."""
        self.seconds += seconds
        if seconds > self.most_seconds:
            self.slowest, self.most_seconds = name, seconds

    def failed(self) -> Failed:
        """Make the answer to a task for which no time is left."""
        seconds = f"the {self.all_seconds:g} s of CPU time for source code"
        why = f"{self.slowest or 'another text'} took most of {seconds}"
        return Failed(reason=Unread.OUT_OF_TIME, why=why)


def in_child(
    make: Callable[[Gate], Callable[[_Task], _Answer]],
    tasks: Iterable[_Task],
    spent: _Spent | None = None,
) -> Iterator[_Answer | Failed]:
    """Read all in a child process; a task that ends the child fails, and a new one goes on.

    ``make`` is a function of a module, or a partial one, that makes the reader there. When
    the time for all is used up, the rest fails. ``spent`` takes the time.
    """
    check_posix("reading source code")
    if spent is None:
        spent = _Spent(ALL_CPU_SECONDS)
    closed: frozenset[str] = frozenset()
    child = None
    try:
        for task in tasks:
            if spent.left <= 0:
                yield spent.failed()
                continue
            reader = None
            if child is None:
                child = _idle.pop() if _idle else _Child.start()
                reader = (Path.cwd(), make, closed)
            names: list[str] = []
            try:
                answer, seconds = child.ask(reader, task, spent.left, names)
            except (EOFError, OSError):
                failed, closed = _of_ended(child, names, closed, spent)
                child = None
                yield failed
                continue
            spent.add(seconds, next(iter(names), ""))
            yield cast("_Answer | Failed", answer)
    finally:
        if child is not None and not child.is_asked:
            _idle.append(child)
        elif child is not None:  # It would answer the next caller.
            child.end()


def _of_ended(
    child: "_Child", names: Sequence[str], closed: frozenset[str], spent: _Spent
) -> tuple[Failed, frozenset[str]]:
    """Say why a task ended its child, and add the file that must not be read again."""
    if child.end() != -signal.SIGPROF:
        return Failed(reason=Unread.NOT_UNDERSTOOD, why="its parser crashed"), closed
    seconds = spent.left
    what = "it"
    name = ""
    if names:
        name = names[-1]
    if names and name != names[0]:  # A file that was looked into for this one.
        what = name
        closed |= {name}
    spent.add(seconds, name)
    why = f"reading {what} takes more than {seconds:.2g} s of CPU time"
    return Failed(reason=Unread.TOO_SLOW, why=why), closed


@dataclass
class _Child:
    """A process that reads what it is sent, until it is ended or this one has gone."""

    process: subprocess.Popen[bytes]
    channel: Connection
    is_asked: bool = False
    """It still works on a task."""

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

    def ask(
        self, reader: object, task: object, seconds: float, names: list[str]
    ) -> tuple[object, float]:
        """Wait for the answer to a task, and the CPU seconds that it took.

        ``reader`` is how tasks are read from now on, unless it is ``None``; ``names`` takes the
        files that are read for the task, in turn.
        """
        self.is_asked = True
        self.channel.send((reader, task, seconds))
        while True:
            said: str | tuple[object, float] = self.channel.recv()
            if not isinstance(said, str):
                self.is_asked = False
                return said
            names.append(said)

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
    read = repr  # Until the first message says how.
    with Connection(descriptor) as channel, contextlib.suppress(EOFError, OSError):
        while True:
            reader, task, seconds = channel.recv()
            if reader is not None:
                folder, make, closed = reader
                os.chdir(folder)
                read = make(Gate(channel.send, closed=closed))
            # The kernel ends the process at this limit, however busy its parser is.
            signal.setitimer(signal.ITIMER_PROF, seconds)
            begun = cpu_seconds()
            answer = _answer(read, task)
            signal.setitimer(signal.ITIMER_PROF, 0)
            channel.send((answer, cpu_seconds() - begun))


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
