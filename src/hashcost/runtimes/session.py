"""One probe in a process of its own: it is started, asked a question at a time, and ended."""

import contextlib
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Final, TypeVar

import msgspec

from hashcost.core.decoding import UNDECODABLE
from hashcost.core.errors import HashcostError, RuntimeEndedError, UnavailableError
from hashcost.core.text import printable
from hashcost.core.units import format_duration
from hashcost.machine.environment import child_environment
from hashcost.runtimes import protocol
from hashcost.runtimes.protocol import Greeting, Numbered, Question
from hashcost.runtimes.table import Location, Runtime

_Answer = TypeVar("_Answer", bound=msgspec.Struct)

ABSENT: Final = 127
"""The exit code of a shell that does not find the command."""
NO_FOLDER: Final = 126
"""The exit code of the script if the project's folder cannot be entered."""
# Bytes of standard error that are kept.
_LAST_WORDS: Final = 4096
# Seconds that a probe has to end by itself.
_PARTING_SECONDS: Final = 0.3
_CHUNK: Final = 1 << 16

# Process groups of the probes that have not been ended.
_live: set[int] = set()


def end_all() -> None:
    """Kill every probe before this process ends at once."""
    for group in tuple(_live):
        _signal(group, signal.SIGKILL)


def _signal(group: int, number: signal.Signals) -> None:
    with contextlib.suppress(OSError):
        os.killpg(group, number)


class Timeouts(msgspec.Struct, frozen=True, kw_only=True):
    """How long to wait for an answer, in seconds."""

    greeting: float = 15.0
    answer: float = 20.0
    """Least wait; a hash may take much longer than the longest before it."""
    times_longest: float = 50.0


class _Process:
    """A process in a session of its own: without a terminal, nothing can ask for a password."""

    def __init__(
        self, argv: Sequence[str], unsent: bytes, variables: Collection[str] | None = None
    ) -> None:
        try:
            self._popen = subprocess.Popen(  # noqa: S603 (the user's prefix, word by word)
                argv,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=child_environment(variables),
                start_new_session=True,
            )
        except OSError as error:
            raise UnavailableError(f"`{argv[0]}` does not start: {error.strerror}") from error
        self.pid = self._popen.pid
        _live.add(self.pid)
        self.unsent, self.received, self._said, self._hears = unsent, b"", b"", True
        # A process that reads nothing, or writes without end, must not block this one.
        pipes = (self._popen.stdin, self._popen.stdout, self._popen.stderr)
        self._pipes = [pipe for pipe in pipes if pipe is not None]
        self._into, self._out, self._errors = (pipe.fileno() for pipe in self._pipes)
        for descriptor in (self._into, self._out, self._errors):
            os.set_blocking(descriptor, False)

    def send(self) -> None:
        """Write as much of the unsent bytes as the pipe takes."""
        self.unsent = self.unsent[os.write(self._into, self.unsent[:_CHUNK]) :]

    def exchange(self, until: float) -> bool:
        """Send and receive what is pending; return `False` if nothing came in time.

        Raises:
            ConnectionError: the process has closed its streams.
        """
        with selectors.DefaultSelector() as selector:
            selector.register(self._out, selectors.EVENT_READ)
            # A stream that was closed is always ready to be read.
            if self._hears:
                selector.register(self._errors, selectors.EVENT_READ)
            if self.unsent:
                selector.register(self._into, selectors.EVENT_WRITE)
            # A process that writes without pause is always ready: the clock is asked as well.
            ready = selector.select(until - time.monotonic())
            if not ready or time.monotonic() > until:
                return False
            for key, _ in ready:
                if key.fd == self._into:
                    self.send()
                elif key.fd == self._errors:
                    self._hears = self._hear()
                elif chunk := os.read(self._out, _CHUNK):
                    self.received += chunk
                else:
                    raise ConnectionError
        return True

    def exit_code(self, seconds: float = _PARTING_SECONDS) -> int | None:
        """Wait for the process to end; return `None` if it goes on."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._popen.wait(seconds)
        return self._popen.returncode

    def last_words(self) -> str:
        """The last line of standard error."""
        with contextlib.suppress(OSError):
            self._hear()
        lines = self._said.decode("utf-8", "replace").strip().splitlines()
        if not lines:
            return ""
        return printable(lines[-1])[:200]

    def kill(self, *, tidies: bool = False) -> None:
        """End the process and its children; one that ``tidies`` may first remove its files."""
        if self.pid in _live:
            if tidies:
                _signal(self.pid, signal.SIGTERM)
                self.exit_code()
            # To the whole group, whose leader may have ended before the others.
            _signal(self.pid, signal.SIGKILL)
            _live.discard(self.pid)
        for pipe in self._pipes:
            with contextlib.suppress(OSError):
                pipe.close()
        self.exit_code()

    def _hear(self) -> bool:
        said = os.read(self._errors, _CHUNK)
        self._said = (self._said + said)[-_LAST_WORDS:]
        return bool(said)


def shell_output(argv: Sequence[str], script: bytes, seconds: float) -> bytes:
    """Let a shell run a script; nothing it starts outlives the call.

    Raises:
        UnavailableError: it does not start, fails, takes too long or writes too much.
    """
    # Without an `exit` it would wait for more, since its standard input stays open.
    shell, until = _Process(argv, script + b"\nexit\n"), time.monotonic() + seconds
    try:
        with contextlib.suppress(ConnectionError):
            while shell.exchange(until):
                if len(shell.received) > protocol.LONGEST_OUTPUT:
                    raise UnavailableError(
                        f"--exec: `{argv[0]}` gives no shell: it writes without end"
                    )
        code = shell.exit_code(max(until - time.monotonic(), 0.0))
        if code is None:
            raise UnavailableError(
                f"--exec: `{argv[0]}` has given no shell for {format_duration(seconds)};"
                " it must not ask for a password"
            )
        if code:
            words = shell.last_words() or f"exit code {code}"
            raise UnavailableError(f"--exec: `{argv[0]}` gives no shell: {words}")
        return shell.received
    finally:
        shell.kill()


class ProbeSession:
    """A running probe; after its first error it gives no other answer."""

    def __init__(
        self, runtime: Runtime, location: Location, script: bytes, timeouts: Timeouts
    ) -> None:
        """Start the probe.

        Raises:
            UnavailableError: it does not greet.
        """
        self._runtime, self._location, self._timeouts = runtime, location, timeouts
        self.warm: set[tuple[str, str]] = set()
        """The hashers that have been warmed up."""
        self._number, self._longest, self._noise = 0, 0.0, 0
        self._error: HashcostError | None = None
        self._has_greeted = False
        variables = runtime.variables
        if location.prefix:  # It needs the user's environment; what is behind it has another.
            variables = None
        self._process = _Process(location.argv, script, variables)
        try:
            self.greeting = self._answer(Greeting)
            if self.greeting.hashcost != protocol.VERSION:
                raise self._failed(f"speaks version {self.greeting.hashcost} of the protocol")
            self._has_greeted = True
        except BaseException:
            self.kill()
            raise

    @property
    def has_ended(self) -> bool:
        """Whether the probe no longer answers."""
        return self._error is not None

    def threads_here(self) -> Collection[int]:
        """The threads that hash; empty behind a prefix, or in a process that it did not start."""
        pid, thread = self.greeting.pid, self.greeting.thread
        # Numbers of threads mean nothing on another machine, or in a container.
        if self._location.prefix:
            return ()
        with contextlib.suppress(OSError):
            if os.getsid(pid) != self._process.pid:
                return ()
            threads = {int(task.name) for task in Path(f"/proc/{pid}/task").iterdir()}
            if thread is not None:
                threads &= {thread}
            return threads
        return ()

    def ask(self, question: Question, kind: type[_Answer]) -> _Answer:
        """Ask one question and wait for its answer.

        Raises:
            UnavailableError: no answer comes, or the probe lacks the library or hasher.
            RuntimeError: the library raised an exception, in whose words it is.
        """
        if self._error is not None:
            raise self._error
        self._number += 1
        self._process.unsent += protocol.line_of(question, self._number)
        return self._answer(kind)

    def _answer(self, kind: type[_Answer]) -> _Answer:
        """Wait for the answer to the last question; before the first it is the greeting."""
        number = self._number
        seconds = self._timeouts.greeting
        if number:
            # The next hash may be at a higher cost, or in the middle of a busy time.
            seconds = self._timeouts.answer + self._timeouts.times_longest * self._longest
        began = time.monotonic()
        try:
            line, numbered = self._line(began + seconds, seconds)
            if number:
                self._longest = max(self._longest, time.monotonic() - began)
            if numbered.error is None:
                return msgspec.json.decode(line, type=kind)
            why = (printable(numbered.message) or "gives no reason")[:200]
            if numbered.error == "unavailable":
                raise UnavailableError(why)
            raise RuntimeError(why)
        except ConnectionError as error:
            raise self._failed(self._why_ended()) from error
        except UNDECODABLE as error:
            problem = f"gives an answer that is none: {printable(str(error))[:200]}"
            raise self._failed(problem) from error
        except KeyboardInterrupt:
            self.kill()
            raise

    def close(self) -> None:
        """Say goodbye, and end a probe that lingers."""
        if self._error is None:
            self._process.unsent = b'{"op":"bye"}\n'
            with contextlib.suppress(OSError):
                self._process.send()
            self._process.exit_code()
        self.kill()

    def kill(self) -> None:
        """End it at once, with all that it has started."""
        if self._error is None:
            self._error = RuntimeEndedError(f"{self._runtime.title} was ended")
        # A shell that has not become the runtime removes what it has written for it.
        self._process.kill(tidies=not self._has_greeted)

    def _line(self, until: float, seconds: float) -> tuple[bytes, Numbered]:
        """The line of the answer, and what every answer has."""
        process, number = self._process, self._number
        while True:
            line, newline, rest = process.received.partition(b"\n")
            if newline and len(line) <= protocol.LONGEST_OUTPUT:
                process.received = rest
                numbered = protocol.numbered(line)
                if numbered is not None and number in {0, numbered.id}:
                    return line, numbered
                # An answer to an earlier question may come late; all else is noise.
                if numbered is None or numbered.id is None or numbered.id > number:
                    self._noise += len(line) + 1
            if max(len(line), self._noise) > protocol.LONGEST_OUTPUT:
                raise self._failed("writes something else than the answers of a probe")
            if not newline and not process.exchange(until):
                if number:
                    raise self._failed(f"has not answered for {format_duration(seconds)}")
                problem = f"did not start within {format_duration(seconds)}"
                words = process.last_words()
                if words:
                    problem += f": {words}"
                if self._location.prefix:
                    problem += "; a prefix must not ask for a password"
                raise self._failed(problem)

    def _failed(self, problem: str) -> HashcostError:
        self._error = RuntimeEndedError(f"{self._runtime.title} {problem}")
        self.kill()
        return self._error

    def _why_ended(self) -> str:
        code, words = self._process.exit_code(), self._process.last_words()
        if not self._number and code == ABSENT:
            absent = f"does not start: there is no {self._location.command_of(self._runtime)}"
            if self._location.prefix:
                absent += " there"
            if words:  # If a part of the prefix is not found, it ends alike, and says so.
                return f"{absent}: {words}"
            if self._runtime.install:
                return f"{absent}; install it with `{self._runtime.install}`"
            return f"{absent}; name it with --in RUNTIME=PATH"
        if not self._number and code == NO_FOLDER:
            return f"cannot enter the folder of --project, {self._location.project}"
        when = "does not start"
        if self._number:
            when = "has ended"
        if code is None:
            return f"{when}: it has closed its standard output"
        # Popen gives the number of the signal that ended a process below zero.
        if code < 0:
            return f"{when}: killed by {signal.Signals(-code).name}"
        if words:
            return f"{when}: {words}"
        return f"{when}, with exit code {code}"
