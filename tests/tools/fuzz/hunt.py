"""Give readers one broken input after another."""

import os
import random
import re
import resource
import signal
import traceback
from dataclasses import dataclass, field
from types import FrameType
from typing import Final

import psutil

from hashcost.core.errors import HashcostError

from .mutations import MARKERS, marked, mutated, pumped
from .readers import Reader, readers

_PUMPED_ONE_IN: Final = 18
_MOST_FAILURES: Final = 50
_SHOWN: Final = 160
_MEMORY: Final = 2 << 30  # Bytes; what wants more fails with a MemoryError.


class Hang(BaseException):
    """An input took too long; no handler of errors may catch it."""


@dataclass(frozen=True)
class Failure:
    """What one input did, with the command that makes it again."""

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
    """The inputs that one reader was given, and how it fared."""

    reader: str
    inputs: int = 0
    pumped: int = 0
    read: int = 0
    slowest: float = 0.0
    failures: list[Failure] = field(default_factory=list)


def content_of(reader: Reader, seed: int, number: int) -> bytes:
    """Make the input of this number, the same wherever it is made; runs of markers come first."""
    draw = random.Random(f"{seed} {reader.name} {number}")
    if number < len(MARKERS):
        return marked(reader.samples(), MARKERS[number], reader.run, draw)
    if is_pumped(number):
        return pumped(reader.samples(), draw)
    return mutated(reader.samples(), draw)


def is_pumped(number: int) -> bool:
    """Tell whether the input of this number is a sample with a long run of a piece of it."""
    return number >= len(MARKERS) and number % _PUMPED_ONE_IN == 0


def tried(reader: Reader, content: bytes, seconds: float | None = None) -> tuple[str, str]:
    """Return what went wrong and where: nothing if it was read, ``refused`` if that was said."""
    seconds = seconds or reader.seconds
    before = signal.signal(signal.SIGPROF, _raise_hang)
    began = _cpu_seconds()
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        reader.read(content)
        outcome = ("", "")
    except HashcostError:
        outcome = ("refused", "")
    except Hang as error:
        return f"more than {seconds:g} s", _place(error)
    except BaseException as error:
        return f"{type(error).__name__}: {str(error)[:_SHOWN]}", _place(error)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
    taken = _cpu_seconds() - began
    return (f"{taken:.1f} s, in C", "") if taken > seconds else outcome


def _cpu_seconds() -> float:
    """The CPU time of this process, and of its children that live and that have ended."""
    children = [child.cpu_times()[:2] for child in psutil.Process().children()]
    return sum(os.times()[:4]) + sum(map(sum, children))


def _raise_hang(_: int, __: FrameType | None) -> None:
    raise Hang


def _place(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if "/hashcost/" in frame.filename] or list(frames)
    return " < ".join(
        f"{frame.filename.rpartition('/hashcost/')[2]}:{frame.lineno}" for frame in own[:-4:-1]
    )


def shown(reader: Reader, content: bytes) -> str:
    """Describe an input in short: of a secret only the shape."""
    if reader.secret:
        for letters, letter in ((rb"[0-9]", b"9"), (rb"[A-Z]", b"A"), (rb"[a-z]", b"a")):
            content = re.sub(letters, letter, content)
    short = re.sub(rb"(?s)(.)\1{20,}", lambda run: run[1] + b"{%d}" % len(run[0]), content)
    if len(short) > 2 * _SHOWN:
        short = short[:_SHOWN] + b" ... " + short[-_SHOWN:]
    return f"{len(content):,} bytes: {short!r}"


def hunt(name: str, *, seed: int, inputs: int) -> Tally:
    """Give a reader so many inputs, or fewer if many fail."""
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    tally, reader = Tally(name), readers()[name]
    while tally.inputs < inputs and len(tally.failures) <= _MOST_FAILURES:
        content = content_of(reader, seed, tally.inputs)
        start = _cpu_seconds()
        what, where = tried(reader, content)
        tally.slowest = max(tally.slowest, _cpu_seconds() - start)
        tally.read += not what
        tally.pumped += is_pumped(tally.inputs)
        if what not in {"", "refused"}:
            text = shown(reader, content)
            tally.failures.append(Failure(name, seed, tally.inputs, what, where, text))
        tally.inputs += 1
    return tally
