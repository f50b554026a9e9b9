"""One tree of errors; each class owns the exit code that the command ends with.

Messages are one line, say what is wrong and name what to change.
"""

import contextlib
import enum
import os
from collections.abc import Iterator
from importlib.machinery import EXTENSION_SUFFIXES
from typing import ClassVar, Final


class HashcostError(Exception):
    """Anything that this package raises on purpose.

    ``code`` names the class in JSON, ``exit_code`` ends the command.
    """

    code: ClassVar[str] = "bug"
    exit_code: int = 70


@contextlib.contextmanager
def prefix_errors(what: object) -> Iterator[None]:
    """Prefix the message of an error with ``what``, such as an option or a place.

    `None` adds nothing.
    """
    try:
        yield
    except HashcostError as error:
        # The same error: its class has the exit code, and it may have a reason of its own.
        if what is not None:
            error.args = (f"{what}: {error}", *error.args[1:])
        raise


class UsageError(HashcostError, ValueError):
    """An argument or an option is wrong."""

    code = "usage"
    exit_code = 2


def check_posix(doing: str) -> None:
    """Refuse what Windows cannot do; ``doing`` begins the message.

    Raises:
        UsageError: the system is not POSIX.
    """
    if os.name != "posix":
        raise UsageError(f"{doing} does not work on Windows; run calibrate in WSL, where it does")


class OutOfRangeError(UsageError):
    """A cost is outside the range that its hasher accepts."""


class UnknownNameError(UsageError):
    """The user typed an unknown name; ``name`` is what was typed."""

    def __init__(self, message: str, name: str) -> None:
        super().__init__(message)
        self.name = name


def lacking_resource(error: BaseException) -> str:
    """Say which memory or thread the system does not give; empty if the error is another."""
    if isinstance(error, RuntimeError) and "can't start new thread" in str(error):
        return f"{error}; raise the process limit (ulimit -u) or the memory limit (ulimit -v)"
    # Where the interpreter cannot even make the exception, it raises SystemError.
    if isinstance(error, MemoryError | SystemError):
        return "not enough memory; raise the memory limit (ulimit -v)"
    if isinstance(error, ImportError) and str(error.path).endswith(tuple(EXTENSION_SUFFIXES)):
        # A library is there and does not load, most often for lack of memory.
        return f"a library does not load: {error}"
    return ""


class UnreadableInputError(HashcostError):
    """A file cannot be read or is not what it should be; ``why`` says it without the path."""

    code = "unreadable"
    exit_code = 2

    def __init__(self, why: str, path: str = "") -> None:
        message = why
        if path:
            message = f"{path}: {why}"
        super().__init__(message)
        self.why = why


class Unread(enum.Enum):
    """The reason why a file was not read to its end; the value is for counts of such files."""

    UNREADABLE = "unreadable"
    """The system refuses it, or it is not a regular file."""
    TOO_LARGE = "too large"
    TOO_LONG = "too long"
    """A line of it is."""
    BINARY = "binary"
    OTHER_LANGUAGE = "of no known language"
    NOT_UNDERSTOOD = "not understood"
    """It cannot be parsed, or is nested or repeated beyond a limit."""
    TOO_SLOW = "too slow"
    OUT_OF_TIME = "out of time"
    """Other files used up the time for all."""
    TOO_DEEP = "too deep"


class UnreadError(UnreadableInputError):
    """A limit ended the reading of a file, or it cannot be parsed: what it sets is not known."""

    def __init__(self, reason: Unread, why: str) -> None:
        super().__init__(why)
        self.reason = reason


class UndeterminedError(UnreadableInputError):
    """A file names an unknown algorithm, or a cost that is only known at run time.

    ``line`` counts from 1; 0 if there is no line to name. ``named`` is the algorithm that the file
    names, and ``cure`` what to do, if that is not the usual advice.
    """

    def __init__(self, line: int, what: str, *, named: str = "", cure: str = "") -> None:
        super().__init__(f"line {line}: {what}" if line else what)
        self.line = line
        self.what = what
        self.named = named
        self.cure = cure


def at_line(line: int, what: str) -> UnreadableInputError:
    """Say what is wrong on a line of a file."""
    return UnreadableInputError(f"line {line}: {what}")


class UnwritableOutputError(HashcostError):
    """An output cannot be written; ``reason`` is why, without the path."""

    code = "unwritable"
    exit_code = 2

    def __init__(self, message: str, reason: str = "") -> None:
        super().__init__(message)
        self.reason = reason


class InconclusiveError(HashcostError):
    """The machine was too busy, or the budget too short, to tell."""

    code = "inconclusive"
    exit_code = 3


class UnavailableError(HashcostError):
    """A hasher cannot be run on this machine: its library is missing or too old."""

    code = "unavailable"
    exit_code = 4


class RuntimeEndedError(UnavailableError):
    """A runtime does not start, or ended before it had hashed all that it was asked for."""

    code = "ended"


class WrongAnswerError(HashcostError):
    """A hasher returned something other than the hash, so it must not be timed."""

    code = "wrong-answer"
    exit_code = 4


class UnreachableError(HashcostError):
    """The target cannot be met: even the lowest cost takes longer."""

    code = "unreachable"
    exit_code = 5


class ResultError(HashcostError):
    """The result, which is written, ends the command with another code than 0; it says why."""

    code = "result"
    exit_code = 1

    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(message)
        self.exit_code = exit_code


ROW_ERRORS: Final[dict[str, type[HashcostError]]] = {
    error.code: error
    for error in (
        InconclusiveError,
        UnavailableError,
        RuntimeEndedError,
        WrongAnswerError,
        UnreachableError,
    )
}
"""Each failure that a row of results can carry, by its code."""
EXIT_CODES: Final = {code: error.exit_code for code, error in ROW_ERRORS.items()}
