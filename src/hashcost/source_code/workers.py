"""Sources are parsed in processes of their own: a hostile one ends only itself.

The grammars are C, and a file can be made on which one of them crashes or never ends.
"""

import contextlib
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Final

from hashcost.core.errors import UnreadableInputError
from hashcost.source_code.matching import Matches, found_in
from hashcost.source_code.parsed_file import check_installed
from hashcost.source_code.project.elsewhere import Elsewhere
from hashcost.source_code.project.opening import project_of
from hashcost.source_code.rules import load_language

LONGEST_SECONDS: Final = 10.0
"""For one file, and of CPU time for each mebibyte; one takes less than two."""
_LEAST_CPU_SECONDS: Final = 1.0
_LARGE: Final = 1 << 12
"""Characters from which on a single text is read in a process of its own: a shorter one
cannot keep a grammar busy for long."""
LONGEST_TOGETHER_SECONDS: Final = 600.0
"""For all files of a scan."""
_GRACE_SECONDS: Final = 2.0
"""What a worker has beyond that before it ends itself, should its parent be gone."""
_MOST_WORKERS: Final = 4
_PATIENCE_SECONDS: Final = 2.0
_MEBI: Final = 1 << 20


@dataclass(frozen=True, kw_only=True)
class Job:
    """A source text to read; ``number`` tells its answer from the others."""

    number: int
    text: str
    language: str
    grammar: str
    path: str = ""


@dataclass(frozen=True)
class Failed:
    """A file that could not be read, with the reason."""

    why: str


@dataclass(frozen=True)
class _Worker:
    """A process, what it reads, and until when."""

    process: BaseProcess
    channel: Connection
    number: int
    deadline: float

    def stop(self) -> None:
        self.channel.close()
        self.process.kill()
        self.process.join()

    def failure(self) -> Failed:
        """Why it ended by itself."""
        late = sys.platform != "win32" and self.process.exitcode == -signal.SIGPROF
        return Failed("reading it takes too long" if late else "its parser crashed")


def read_all(
    jobs: Iterable[Job],
    *,
    project: Sequence[str] = (),
    longest: float = LONGEST_SECONDS,
    together: float = LONGEST_TOGETHER_SECONDS,
) -> Iterator[tuple[int, Matches | Failed]]:
    """What each text holds, as it is found, or why it could not be read.

    ``project`` are the files that may define for each other what their names stand for.
    """
    waiting = iter(jobs)
    busy: dict[Connection, _Worker] = {}
    idle: list[_Worker] = []
    most = min(_MOST_WORKERS, os.cpu_count() or 1)
    end = time.monotonic() + together
    late = Failed(f"reading it takes longer than {longest:g} s")
    too_late = Failed(f"reading all files takes longer than {together:g} s: name fewer folders")
    try:
        while True:
            for job in islice(waiting, most - len(busy)):
                worker = _begin(job, idle.pop() if idle else None, longest, project)
                busy[worker.channel] = worker
            if not busy:
                return
            until = min(end, *(worker.deadline for worker in busy.values()))
            ready = wait(list(busy), max(0.0, until - time.monotonic()))
            for channel in [each for each in busy if each in ready]:
                worker = busy.pop(channel)
                try:
                    yield worker.number, channel.recv()
                    idle.append(worker)
                except (EOFError, OSError):
                    worker.stop()
                    yield worker.number, worker.failure()
            for worker in [w for w in busy.values() if w.deadline <= time.monotonic()]:
                del busy[worker.channel]
                worker.stop()
                yield worker.number, late
            if end <= time.monotonic():
                yield from ((worker.number, too_late) for worker in busy.values())
                yield from ((job.number, too_late) for job in waiting)
                return
    finally:
        for worker in (*busy.values(), *idle):
            worker.stop()


def read_one(text: str, language: str) -> Matches | Failed:
    """What one text in a language holds, or why it could not be read."""
    if len(text) < _LARGE:
        return found_in(text, language)
    check_installed()
    grammar = next(iter(load_language(language).grammars.values()))
    job = Job(number=0, text=text, language=language, grammar=grammar)
    [(_, found)] = read_all([job])
    return found


def _begin(job: Job, worker: _Worker | None, longest: float, project: Sequence[str]) -> _Worker:
    """Give a job to a worker that has none, or to a new one."""
    if worker is None:
        methods = multiprocessing.get_all_start_methods()
        context = multiprocessing.get_context("fork" if "fork" in methods else None)
        here, there = context.Pipe()
        process: BaseProcess = context.Process(
            target=_work, args=(there, os.getpid(), project, longest), daemon=True
        )
        process.start()
        there.close()
    else:
        process, here = worker.process, worker.channel
    with contextlib.suppress(OSError):  # One that is gone is found when it is waited for.
        here.send(job)
    return _Worker(process, here, job.number, time.monotonic() + longest)


def _work(channel: Connection, parent: int, project: Sequence[str], longest: float) -> None:
    """Read jobs until the other end, or the parent, is gone."""
    elsewhere = project_of(project)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # The parent ends it.
    with contextlib.suppress(EOFError, OSError):
        while True:
            while not channel.poll(_PATIENCE_SECONDS):
                if os.getppid() != parent:
                    return
            job: Job = channel.recv()
            _die_after(
                longest + _GRACE_SECONDS,
                cpu_seconds=max(_LEAST_CPU_SECONDS, len(job.text) / _MEBI * LONGEST_SECONDS),
            )
            channel.send(read_here(job, elsewhere))
            _die_after(0)


def read_here(job: Job, elsewhere: Elsewhere | None) -> Matches | Failed:
    """What a text holds, read in this process."""
    try:
        return found_in(
            job.text, job.language, grammar=job.grammar, path=job.path, elsewhere=elsewhere
        )
    except UnreadableInputError as error:
        return Failed(str(error))
    except Exception as error:  # Whatever a grammar does with a strange file.
        return Failed(f"its parser failed: {type(error).__name__}")


def _die_after(seconds: float, *, cpu_seconds: float = 0) -> None:
    """Have the kernel end this process, however busy its parser is; 0 takes it back.

    Nobody else would if the parent were killed.
    """
    if sys.platform != "win32":
        signals = {signal.SIGALRM, signal.SIGPROF}
        for each in signals:
            signal.signal(each, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, signals)
        signal.setitimer(signal.ITIMER_REAL, seconds)
        signal.setitimer(signal.ITIMER_PROF, cpu_seconds)
