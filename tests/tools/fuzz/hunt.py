"""Readers are given one broken input after another, in a process that may be killed."""

from __future__ import annotations

import multiprocessing
import os
import random
import re
import signal
import time
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from types import FrameType
from typing import Final

from hashcost.core.errors import HashcostError

from .mutations import mutated
from .readers import Reader, readers

_GIVEN_UP: Final = 40.0
"""Seconds without an answer after which the process is killed."""
_BATCH: Final = 64
_BATCH_SECONDS: Final = 1.0
_SHOWN: Final = 160
_FINE: Final = frozenset({"", "refused"})


class Hang(BaseException):
    """An input took too long; no handler of errors may take it for one."""


@dataclass(frozen=True)
class Failure:
    """What one input did, with what makes it again."""

    reader: str
    seed: int
    number: int
    what: str
    where: str
    shown: str

    def __str__(self) -> str:
        again = (
            f"python -m tests.tools.fuzz --reader '{self.reader}'"
            f" --seed {self.seed} --at {self.number}"
        )
        return f"{self.reader}: {self.what}\n    at {self.where}\n    {again}\n    {self.shown}"


@dataclass
class Tally:
    """What one reader was given, and how it fared."""

    reader: str
    inputs: int = 0
    read: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    failures: list[Failure] = field(default_factory=list)


def content_of(reader: Reader, seed: int, number: int) -> bytes:
    """The input of this number: the same wherever it is made."""
    draw = random.Random(f"{seed} {reader.name} {number}")
    return mutated(reader.samples(), draw)


def tried(reader: Reader, content: bytes, seconds: float | None = None) -> tuple[str, str]:
    """What went wrong and where; nothing if it was read, ``refused`` if that was said."""
    seconds = seconds or reader.seconds
    before = signal.signal(signal.SIGPROF, _late)
    began = time.process_time()
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        reader.read(content)
        found = ("", "")
    except HashcostError:
        found = ("refused", "")
    except Hang as error:
        return f"more than {seconds:g} s", _place(error)
    except BaseException as error:
        return f"{type(error).__name__}: {str(error)[:_SHOWN]}", _place(error)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
    taken = time.process_time() - began
    return (f"{taken:.1f} s, in C", "") if taken > seconds else found


def _late(_: int, __: FrameType | None) -> None:
    raise Hang


def _place(error: BaseException) -> str:
    """The last lines of the package that it came through."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [each for each in frames if "/hashcost/" in each.filename] or list(frames)
    return " < ".join(
        f"{each.filename.rpartition('/hashcost/')[2]}:{each.lineno}" for each in own[:-4:-1]
    )


def shown(reader: Reader, content: bytes) -> str:
    """An input in short: of secrets only the shape."""
    if reader.secret:
        content = re.sub(
            rb"[a-z]", b"a", re.sub(rb"[A-Z]", b"A", re.sub(rb"[0-9]", b"9", content))
        )
    short = re.sub(rb"(?s)(.)\1{20,}", lambda run: run[1] + b"{%d}" % len(run[0]), content)
    if len(short) > 2 * _SHOWN:
        short = short[:_SHOWN] + b" ... " + short[-_SHOWN:]
    return f"{len(content):,} bytes: {short!r}"


def hunt(
    names: Sequence[str], *, seed: int, inputs: int | None, seconds: float | None
) -> Iterator[Tally]:
    """The tally of each reader, which has so many inputs, or so much CPU time."""
    for name in names:
        tally = Tally(name)
        while True:
            _attended(tally, seed, inputs, seconds)
            done = (
                tally.inputs >= inputs if inputs is not None else tally.seconds >= (seconds or 0)
            )
            if done or len(tally.failures) > 50:
                break
        yield tally


def _attended(tally: Tally, seed: int, inputs: int | None, seconds: float | None) -> None:
    """Watch a process that reads; where it dies or hangs, the next one goes on behind that."""
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe(duplex=False)
    left = None if seconds is None else seconds - tally.seconds
    first, last = tally.inputs, inputs
    # Not a daemon, which could have no workers of its own.
    process = context.Process(target=_reading, args=(there, tally.reader, seed, first, last, left))
    process.start()
    there.close()
    try:
        while here.poll(_GIVEN_UP):
            tally.inputs, read, taken, slowest, failures = here.recv()
            tally.read += read
            tally.seconds += taken
            tally.slowest = max(tally.slowest, slowest)
            tally.failures += failures
    except EOFError:
        process.join()
        if process.exitcode == 0:
            return
    process.kill()
    process.join()
    reader = readers()[tally.reader]
    # It is one of this batch: find it, each in a process of its own.
    for number in range(tally.inputs, tally.inputs + _BATCH):
        what = _alone(reader, seed, number)
        if what:
            content = content_of(reader, seed, number)
            place = "a process of its own"
            tally.failures.append(
                Failure(tally.reader, seed, number, what, place, shown(reader, content))
            )
    tally.inputs += _BATCH


def _alone(reader: Reader, seed: int, number: int) -> str:
    """How a process ends that reads this input, if not well."""
    child = os.fork()
    if not child:
        what, _ = tried(reader, content_of(reader, seed, number))
        os._exit(what not in _FINE)
    deadline = time.monotonic() + _GIVEN_UP
    while time.monotonic() < deadline:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return f"ended with the status {status}" if status else ""
        time.sleep(0.005)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return f"no answer in {_GIVEN_UP:g} s"


def _reading(
    channel: Connection, name: str, seed: int, first: int, last: int | None, seconds: float | None
) -> None:
    """Read one batch after another, and tell of each."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    reader = readers()[name]
    reader.samples()
    number = first
    total = 0.0
    while (last is None or number < last) and (seconds is None or total < seconds):
        end = number + _BATCH if last is None else min(number + _BATCH, last)
        read, failures, slowest, began = 0, [], 0.0, time.process_time()
        while number < end and time.process_time() - began < _BATCH_SECONDS:
            content = content_of(reader, seed, number)
            start = time.process_time()
            what, where = tried(reader, content)
            slowest = max(slowest, time.process_time() - start)
            read += not what
            if what not in _FINE:
                failures.append(Failure(name, seed, number, what, where, shown(reader, content)))
            number += 1
        taken = time.process_time() - began
        total += taken
        channel.send((number, read, taken, slowest, failures))
    channel.close()
    os._exit(0)  # Without what a fork of a process with threads would wait for.
