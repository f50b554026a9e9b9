"""A program that hashes what it is asked for, and the CPU time that it takes."""

import os
import resource
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack

from .answering import PASSWORD


class AbsentProgramError(Exception):
    """A program cannot be had here; the message says why."""


class Program:
    """A process that answers each line of its input with one line.

    Its CPU clock is read from outside, so that the same clock serves every runtime, with
    all threads: Go's, a JVM's collector, and those of a memory-hard hash.
    """

    def __init__(
        self, command: Sequence[str], environment: Mapping[str, str] | None = None
    ) -> None:
        self._open = ExitStack()
        self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115 - `close` closes it
        self._open.callback(self._errors.close)
        try:
            self._process = self._open.enter_context(
                subprocess.Popen(
                    command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=self._errors,
                    encoding="utf-8",
                    env=None if environment is None else {**os.environ, **environment},
                )
            )
        except OSError as error:
            raise AbsentProgramError(f"{command[0]}: {error.strerror}") from error

    def cpu_seconds(self, request: str) -> float:
        """What it takes to answer."""
        start = clock_of(self._process.pid)
        self.answer(request)
        return clock_of(self._process.pid) - start

    def answer(self, request: str) -> str:
        """What it answers.

        Raises:
            AbsentProgramError: it has ended; the message is its last line.
        """
        given, taken = self._process.stdin, self._process.stdout
        assert given is not None
        assert taken is not None
        try:
            given.write(request + "\n")
            given.flush()
        except BrokenPipeError:
            pass  # What it wrote before it ended says why.
        answer = taken.readline()
        if not answer:
            self._process.wait(timeout=10)
            self._errors.seek(0)
            said = self._errors.read().strip().splitlines() or ["it ended without a word"]
            raise AbsentProgramError(said[-1])
        return answer.rstrip("\n")

    def close(self) -> None:
        """End it, without waiting for what it still does."""
        self._process.kill()
        self._open.close()


class WithoutKernel(Program):
    """One that answers with what the kernel did for it, such as giving a hash fresh pages."""

    def cpu_seconds(self, request: str) -> float:
        """What it takes to answer, less that."""
        start = clock_of(self._process.pid)
        kernel_seconds = float(self.answer(request))
        return clock_of(self._process.pid) - start - kernel_seconds


class Command:
    """A program that hashes once and ends; what it takes without a hash does not count."""

    def __init__(self, hashes: Sequence[str], idles: Sequence[str]) -> None:
        self._hashes, self._idles = hashes, idles

    def cpu_seconds(self, request: str) -> float:
        """What so many hashes take."""
        return sum(_took(self._hashes) - _took(self._idles) for _ in range(int(request)))

    def close(self) -> None:
        """Each run has ended by itself."""


def _took(command: Sequence[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        subprocess.run(
            command, input=f"{PASSWORD}\n" * 2, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError) as error:
        raise AbsentProgramError(f"{command[0]}: {error}") from error
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def clock_of(pid: int) -> float:
    """The CPU seconds of all threads of a process, as Linux counts them to the nanosecond."""
    return time.clock_gettime((~pid << 3) | 2)
