"""One probe in a process of its own: it is started, asked a question at a time, and ended."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar

import msgspec

from hashcost.core.errors import HashcostError, UnavailableError
from hashcost.core.text import printable
from hashcost.core.units import format_duration
from hashcost.runtimes import protocol
from hashcost.runtimes.delivery import ABSENT, NO_FOLDER
from hashcost.runtimes.protocol import Greeting, Question, Refused
from hashcost.runtimes.warming import Timing

_Answer = TypeVar("_Answer", bound=msgspec.Struct)

_LAST_WORDS: Final = 4096
"""Bytes of standard error that are kept."""
_PARTING_SECONDS: Final = 0.3
"""For a probe to end by itself."""
_CHUNK: Final = 1 << 16
_LONGEST_OUTPUT: Final = 1 << 20
"""Bytes; what a shell shows of its machine takes less."""

_live: set[int] = set()
"""Process groups of the probes that have not been ended."""


def end_all() -> None:
    """Kill every probe, for a process that is about to end at once."""
    for group in tuple(_live):
        _kill(group)


def _kill(group: int) -> None:
    with contextlib.suppress(OSError):
        os.killpg(group, signal.SIGKILL)


def shell_output(argv: Sequence[str], script: bytes, seconds: float) -> bytes:
    """What a shell writes that is given a script; nothing it starts outlives the call.

    Raises:
        UnavailableError: it does not start, fails, takes too long or writes too much.
    """
    process, until = _started(argv), time.monotonic() + seconds
    with process:
        try:
            output, said = _written(process, script, until)
            if len(output) <= _LONGEST_OUTPUT:
                process.wait(max(until - time.monotonic(), 0.0))
        except subprocess.TimeoutExpired as error:
            told = f"`{argv[0]}` has given no shell for {format_duration(seconds)}"
            raise UnavailableError(f"--exec: {told}; it must not ask for a password") from error
        finally:
            _kill(process.pid)
            _live.discard(process.pid)
    if len(output) > _LONGEST_OUTPUT:
        raise UnavailableError(f"--exec: `{argv[0]}` gives no shell: it writes without end")
    if process.returncode:
        words = _last_line(said) or f"exit code {process.returncode}"
        raise UnavailableError(f"--exec: `{argv[0]}` gives no shell: {words}")
    return output


def _written(process: subprocess.Popen[bytes], script: bytes, until: float) -> tuple[bytes, bytes]:
    """What a process writes that reads a script, up to too much, and its last words."""
    assert process.stdin and process.stdout and process.stderr  # noqa: S101, PT018
    with contextlib.suppress(BrokenPipeError):
        process.stdin.write(script)  # It fits into the pipe.
        process.stdin.close()
    out, errors = process.stdout.fileno(), process.stderr.fileno()
    found = {out: b"", errors: b""}
    with selectors.DefaultSelector() as selector:
        for each in found:
            selector.register(each, selectors.EVENT_READ)
        while selector.get_map() and len(found[out]) <= _LONGEST_OUTPUT:
            ready = selector.select(until - time.monotonic())
            if not ready or time.monotonic() > until:
                raise subprocess.TimeoutExpired(process.args, until)
            for key, _ in ready:
                chunk = os.read(key.fd, _CHUNK)
                found[key.fd] += chunk
                found[errors] = found[errors][-_LAST_WORDS:]
                if not chunk:
                    selector.unregister(key.fd)
    return found[out], found[errors]


def _started(argv: Sequence[str]) -> subprocess.Popen[bytes]:
    """A process of its own session: without a terminal, nothing can ask for a password.

    Raises:
        UnavailableError: it does not start.
    """
    try:
        process = subprocess.Popen(  # noqa: S603 (the user's prefix, word by word)
            argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as error:
        raise UnavailableError(f"`{argv[0]}` does not start: {error.strerror}") from error
    _live.add(process.pid)
    return process


def _last_line(said: bytes) -> str:
    lines = said.decode("utf-8", "replace").strip().splitlines()
    return printable(lines[-1])[:200] if lines else ""


class LibraryError(Exception):
    """What a library in another runtime raised, in its words."""


@dataclass(frozen=True, kw_only=True)
class Patience:
    """How long an answer is waited for, in seconds."""

    greeting: float = 15.0
    answer: float = 20.0
    """At least; a hash may take much longer than the longest before it."""
    times_longest: float = 50.0


@dataclass(frozen=True, kw_only=True)
class Words:
    """How a runtime is spoken of in messages."""

    title: str
    command: str
    install: str
    """The command that installs it."""
    project: str = ""
    prefixed: bool = False


class Session:
    """A running probe; whatever goes wrong with it once stays its answer."""

    def __init__(
        self, argv: Sequence[str], script: bytes, words: Words, patience: Patience | None = None
    ) -> None:
        """Start the probe.

        Raises:
            UnavailableError: it does not greet.
        """
        self._words, self._patience = words, patience or Patience()
        self.warm: set[str] = set()
        """What has been hashed with until it was as quick as it gets."""
        self.compiled = 0.0
        """How long its compiler has worked since it started, in seconds."""
        self.timing = Timing()
        """What was timed since its last warm-up."""
        self._number, self._longest, self._noise = 0, 0.0, 0
        self._received, self._said, self._hears = b"", b"", True
        self._unsent = script
        self._error: HashcostError | None = None
        self._has_greeted = False
        self._process = _started(argv)
        self._pipes = [
            each
            for each in (self._process.stdin, self._process.stdout, self._process.stderr)
            if each is not None
        ]
        self._into, self._out, self._errors = (each.fileno() for each in self._pipes)
        try:
            for stream in (self._into, self._out, self._errors):
                os.set_blocking(stream, False)
            self.greeting = self._greeted()
            self._has_greeted = True
        except BaseException:
            self.kill()
            raise

    @property
    def has_ended(self) -> bool:
        """Whether nothing can be asked any more."""
        return self._error is not None

    def threads_here(self) -> Collection[int]:
        """The threads that hash; none behind a prefix, or in a process that it did not start."""
        pid, thread = self.greeting.pid, self.greeting.thread
        with contextlib.suppress(OSError):
            if not self._words.prefixed and os.getsid(pid) == self._process.pid:
                found = {int(each.name) for each in Path(f"/proc/{pid}/task").iterdir()}
                return found if thread is None else found & {thread}
        return ()

    def ask(self, question: Question, kind: type[_Answer]) -> _Answer:
        """Ask one question and wait for its answer.

        Raises:
            UnavailableError: there is none, or it says that there is no such thing.
            LibraryError: the library has raised something.
        """
        return self.answer(self.post(question), kind)

    def post(self, question: Question) -> int:
        """Send a question without waiting for its answer, and tell its number.

        Raises:
            UnavailableError: the probe has ended.
        """
        if self._error is not None:
            raise self._error
        self._number += 1
        self._unsent += protocol.line_of(question, self._number)
        with contextlib.suppress(OSError):  # Whoever waits for the answer will see.
            self._unsent = self._unsent[os.write(self._into, self._unsent[:_CHUNK]) :]
        return self._number

    def answer(self, number: int, kind: type[_Answer]) -> _Answer:
        """Wait for the answer to the question of this number; those before it are dropped.

        Raises:
            UnavailableError: there is none, or it says that there is no such thing.
            LibraryError: the library has raised something.
        """
        if self._error is not None:
            raise self._error
        seconds = self._patience.answer + self._patience.times_longest * self._longest
        began = time.monotonic()
        try:
            line = self._answer(number, seconds)
            self._longest = max(self._longest, time.monotonic() - began)
            return self._decoded(line, kind)
        except (BrokenPipeError, ConnectionError) as error:
            raise self._failed(self._why_ended()) from error
        except KeyboardInterrupt:
            self.kill()
            raise

    def close(self) -> None:
        """Say goodbye, and end a probe that lingers."""
        if self._error is None:
            with contextlib.suppress(OSError):
                os.write(self._into, b'{"op":"bye"}\n')
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_PARTING_SECONDS)
        self.kill()

    def kill(self) -> None:
        """End it at once, with all that it has started."""
        if self._error is None:
            self._error = UnavailableError(f"{self._words.title} was ended")
        if self._process.pid in _live:
            if not self._has_greeted:
                self._let_it_clean_up()
            _kill(self._process.pid)
            _live.discard(self._process.pid)
        for pipe in self._pipes:
            with contextlib.suppress(OSError):
                pipe.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_PARTING_SECONDS)

    def _let_it_clean_up(self) -> None:
        """Let a shell that has not started the runtime remove what it has written for it."""
        with contextlib.suppress(OSError):
            os.killpg(self._process.pid, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_PARTING_SECONDS)

    def _greeted(self) -> Greeting:
        try:
            line = self._answer(0, self._patience.greeting)
        except ConnectionError as error:
            raise self._failed(self._why_ended()) from error
        greeting = self._decoded(line, Greeting)
        if greeting.hashcost != protocol.VERSION:
            raise self._failed(f"speaks version {greeting.hashcost} of the protocol")
        return greeting

    def _answer(self, number: int, seconds: float) -> bytes:
        """Wait for the line that answers the question of this number; 0 is the greeting.

        Raises:
            UnavailableError: it takes too long, or is no answer.
            ConnectionError: the probe has ended.
        """
        until = time.monotonic() + seconds
        while True:
            line, newline, rest = self._received.partition(b"\n")
            if newline and len(line) <= protocol.LONGEST_LINE:
                self._received = rest
                found = protocol.numbered(line)
                if found is not None and number in {0, found.id}:
                    return line
                if found is None or found.id is None or found.id > number:
                    self._noise += 1
            if self._noise > protocol.MOST_NOISE or len(line) > protocol.LONGEST_LINE:
                raise self._failed("writes something else than the answers of a probe")
            if not newline:
                self._wait(until, seconds)

    def _wait(self, until: float, seconds: float) -> None:
        """Send and receive what there is."""
        with selectors.DefaultSelector() as selector:
            selector.register(self._out, selectors.EVENT_READ)
            if self._hears:
                selector.register(self._errors, selectors.EVENT_READ)
            if self._unsent:
                selector.register(self._into, selectors.EVENT_WRITE)
            ready = selector.select(until - time.monotonic())
            if not ready or time.monotonic() > until:
                raise self._failed(self._no_answer(seconds))
            for key, _ in ready:
                if key.fd == self._into:
                    self._unsent = self._unsent[os.write(self._into, self._unsent[:_CHUNK]) :]
                elif key.fd == self._errors:
                    said = os.read(self._errors, _CHUNK)
                    self._hears, self._said = bool(said), (self._said + said)[-_LAST_WORDS:]
                elif chunk := os.read(self._out, _CHUNK):
                    self._received += chunk
                else:
                    raise ConnectionError

    def _decoded(self, line: bytes, kind: type[_Answer]) -> _Answer:
        try:
            if (protocol.numbered(line) or protocol.Numbered()).error is not None:
                refused = msgspec.json.decode(line, type=Refused)
                words = printable(refused.message) or "gives no reason"
                kind_of_error = (
                    UnavailableError if refused.error == "unavailable" else LibraryError
                )
                raise kind_of_error(words[:200])
            return msgspec.json.decode(line, type=kind)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            problem = f"gives an answer that is none: {printable(str(error))[:200]}"
            raise self._failed(problem) from error

    def _failed(self, problem: str) -> HashcostError:
        """The error, which stays: the process is ended."""
        self._error = UnavailableError(f"{self._words.title} {problem}")
        self.kill()
        return self._error

    def _no_answer(self, seconds: float) -> str:
        if self._number:
            return f"has not answered for {format_duration(seconds)}"
        asks = "; a prefix must not ask for a password" if self._words.prefixed else ""
        return f"did not start within {format_duration(seconds)}{self._last_words()}{asks}"

    def _why_ended(self) -> str:
        """Why there is no probe any more, by its exit code and its last words."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_PARTING_SECONDS)
        with contextlib.suppress(OSError):
            self._said = (self._said + (os.read(self._errors, _CHUNK) or b""))[-_LAST_WORDS:]
        code = self._process.returncode
        if not self._number and code == ABSENT:
            # Something of the prefix that is not found ends alike, and says so.
            command, where = self._words.command, " there" if self._words.prefixed else ""
            cure = f"install it with `{self._words.install}`"
            told = (
                self._last_words()
                or f"; {cure if self._words.install else 'name it with --in RUNTIME=PATH'}"
            )
            return f"does not start: there is no {command}{where}{told}"
        if not self._number and code == NO_FOLDER:
            return f"cannot enter the folder of --project, {self._words.project}"
        when = "has ended" if self._number else "does not start"
        if code is not None and code < 0:
            return f"{when}: killed by {signal.Signals(-code).name}"
        return f"{when}{self._last_words() or f', with exit code {code}'}"

    def _last_words(self) -> str:
        last = _last_line(self._said)
        return f": {last}" if last else ""
