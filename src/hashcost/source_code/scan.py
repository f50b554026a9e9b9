"""Every cost in the source code of a folder, read in a child process.

The grammars are C, and a file can be made on which one of them crashes or never ends.
"""

import multiprocessing
import signal
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path, PurePath
from typing import Final, TypeVar

from hashcost.core.errors import UnreadableInputError
from hashcost.core.progress import Progress, within
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

    Of its ``files`` some were ``parsed``, which might have held a cost; others were
    ``skipped``, so many by reason.
    """

    files: int
    parsed: int
    costs: tuple[SetCost, ...]
    unknown: tuple[Setting, ...]
    skipped: dict[str, int] = field(default_factory=dict)


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
    parsed = 0
    answers = in_child(partial(_read, project), sources)
    for number, (source, answer) in enumerate(zip(sources, answers, strict=True), 1):
        advance(number / len(sources))
        if isinstance(answer, Failed):
            left_out.miss(answer.reason, source.path, answer.why, in_tests=source.in_tests)
        elif answer is not None:
            parsed += 1
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
        files=len(sources),
        parsed=parsed,
        costs=tuple(setting for setting in settings if isinstance(setting, SetCost)),
        unknown=(*unknown, *left_out.unread),
        skipped=dict(sorted(left_out.counts.items())),
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
    if not source.language.may_hold(content):
        return None
    text, language = content.decode(errors="replace"), source.language.language
    return found_in(text, language, source.grammar, str(source.path), project)


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


def in_child(
    read: Callable[[_Task], _Answer], tasks: Sequence[_Task], *, cpu_seconds: float = CPU_SECONDS
) -> Iterator[_Answer | Failed]:
    """Read all in a child process; a task that ends the child fails, and a new one goes on."""
    methods = multiprocessing.get_all_start_methods()
    context = multiprocessing.get_context("fork" if "fork" in methods else None)
    done = late = 0
    while done < len(tasks):
        if late >= _MOST_LATE:
            why = f"reading {late} other files takes too long: name fewer folders"
            yield Failed("not understood", why)
            done += 1
            continue
        here, there = context.Pipe(duplex=False)
        process = context.Process(
            target=_work, args=(there, read, tasks[done:], cpu_seconds), daemon=True
        )
        process.start()
        there.close()
        try:
            while done < len(tasks):
                answer: _Answer | Failed = here.recv()
                done += 1
                yield answer
        except (EOFError, OSError):
            process.join()
            stopped = process.exitcode == -getattr(signal, "SIGPROF", 0)
            late += stopped
            done += 1
            yield Failed(
                "not understood", "reading it takes too long" if stopped else "its parser crashed"
            )
        finally:
            here.close()
            process.kill()
            process.join()


def _work(
    channel: Connection, read: Callable[[_Task], _Answer], tasks: Sequence[_Task], seconds: float
) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # The parent ends it.
    limited = hasattr(signal, "setitimer")
    if limited:
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGPROF})
    for task in tasks:
        if limited:  # The kernel ends it, however busy its parser is.
            signal.setitimer(signal.ITIMER_PROF, seconds)
        answer: _Answer | Failed
        try:
            answer = read(task)
        except UnreadableInputError as error:
            answer = Failed("not understood", str(error))
        except Exception as error:  # Whatever a grammar does with a strange file.
            answer = Failed("not understood", f"its parser failed: {type(error).__name__}")
        try:
            channel.send(answer)
        except OSError:  # The parent is gone.
            return
