"""The gate that everything passes which a command reads from a checkout.

Whoever opens a pull request chooses the content of a checkout: a named pipe in the place of a lock
file, or a text over which a parser takes hours. So a file is asked what it is before it is opened,
is bounded in size, and takes its CPU time from what the command has for all of them.
"""

import contextlib
import os
import signal
import stat
import threading
import time
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from types import FrameType
from typing import Final, NoReturn

from hashcost.core.errors import Unread, UnreadError
from hashcost.core.text import path_name
from hashcost.storage.files import LARGEST_FILE, reason_of

READING_SECONDS: Final = 10.0
"""CPU seconds of one command for a checkout, except for source code; ten thousand files and their
ignore files take two."""


cpu_seconds: Final = time.process_time
"""The CPU time of this process; what a timer has left is only known to a hundredth."""


class _TimeUp(BaseException):
    """The time is up; not an `Exception`, which a parser may handle."""


class Gate:
    """The files of a checkout, read within bounds that they share.

    ``tell`` is called with the name of each file on which time is spent from then on. ``closed``
    are the names of files that are known to take too long.
    """

    def __init__(
        self, tell: Callable[[str], None] = lambda _: None, *, closed: Collection[str] = ()
    ) -> None:
        self._tell = tell
        self._closed = closed
        self._left = READING_SECONDS
        self._at = ""
        self._culprit = ""

    def read(self, path: Path) -> bytes:
        """Read a regular file.

        Raises:
            UnreadError: it is something else, is too large, or cannot be read.
        """
        with self.reading(path):
            return _content(path)

    @contextlib.contextmanager
    def reading(self, what: Path | str) -> Iterator[None]:
        """Name the file on which time is spent until the block ends, or several in words.

        Raises:
            UnreadError: the file is known to take too long.
        """
        name = what if isinstance(what, str) else name_of(what)
        if name in self._closed:
            raise UnreadError(Unread.TOO_SLOW, f"reading {name} takes too long")
        outer, self._at = self._at, name
        self._tell(name)
        try:
            yield
        finally:
            self._at = outer
            self._tell(outer)

    @contextlib.contextmanager
    def timed(self, what: Path | str) -> Iterator[None]:
        """Take the CPU time of reading a file from what is left, where the system has a timer.

        Raises:
            UnreadError: nothing is left; the message names the file that used it up.
        """
        if self._culprit or self._left <= 0:
            raise self._used_up()
        is_main_thread = threading.current_thread() is threading.main_thread()
        if not (hasattr(signal, "setitimer") and is_main_thread):
            with self.reading(what):
                yield
            return
        # Only this timer counts CPU time; a wall clock would punish a busy machine.
        before = signal.signal(signal.SIGPROF, self._end)
        _timing.append(self)
        begun = cpu_seconds()
        signal.setitimer(signal.ITIMER_PROF, self._left)
        try:
            try:
                with self.reading(what):
                    yield
            finally:
                _timing.pop()
                signal.setitimer(signal.ITIMER_PROF, 0)
                signal.signal(signal.SIGPROF, before)
                self._left -= cpu_seconds() - begun
        except _TimeUp:
            raise self._used_up() from None

    def charge(self, seconds: float) -> None:
        """Take what a child process spent from the time that is left."""
        self._left -= seconds
        left, _ = signal.getitimer(signal.ITIMER_PROF)
        # A timer that is set to 0 never ends.
        if seconds >= left:
            self._end(signal.SIGPROF, None)
        signal.setitimer(signal.ITIMER_PROF, left - seconds)

    def _end(self, _signal: int, _frame: FrameType | None) -> None:
        # A signal that was under way may arrive after the block.
        if self in _timing:
            self._culprit = self._at
            raise _TimeUp

    def _used_up(self) -> UnreadError:
        why = f"{self._culprit} used up the {READING_SECONDS:g} s of CPU time for reading"
        return UnreadError(Unread.TOO_SLOW, why)


# The gate that the timer of this process is set for; a process has one such timer.
_timing: Final[list[Gate]] = []


def time_left() -> float:
    """Tell how many CPU seconds are left to the gate that is timing, or to a new one."""
    if not _timing:
        return READING_SECONDS
    left, _ = signal.getitimer(signal.ITIMER_PROF)
    return left


def charge(seconds: float) -> None:
    """Take the CPU time of a child process from the gate that is timing, if any."""
    if _timing:
        _timing[-1].charge(seconds)


def name_of(path: Path) -> str:
    """Name a file by its path from the present folder, if it is below that."""
    here = Path.cwd()
    if path.is_relative_to(here):
        path = path.relative_to(here)
    return path_name(path)


def _content(path: Path) -> bytes:
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            _refuse(path)
        # Another file may have taken its place: opening never waits, and it is asked again.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        with os.fdopen(descriptor, "rb") as stream:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                _refuse(path)
            content = stream.read(LARGEST_FILE + 1)
    except (OSError, RuntimeError) as error:
        why = f"cannot read {name_of(path)}: {reason_of(error)}"
        raise UnreadError(Unread.UNREADABLE, why) from error
    if len(content) > LARGEST_FILE:
        why = f"{name_of(path)} is larger than {LARGEST_FILE >> 20} MiB"
        raise UnreadError(Unread.TOO_LARGE, why)
    return content


def _refuse(path: Path) -> NoReturn:
    raise UnreadError(Unread.UNREADABLE, f"{name_of(path)} is not a regular file")
