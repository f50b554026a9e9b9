"""What a library does with a cost outside the legal range: asked once, at arm's length.

The library is called in a forked process that is ended after half a second, so that
one that takes a cost it should not, or crashes on it, does no harm. Only what it did
comes back, never a hash.
"""

import enum
import os
import signal
import warnings

import msgspec

from hashcost.core.measurement import Params
from hashcost.hashers.interface import Hasher
from hashcost.hashers.registry import one_line
from hashcost.stored.formats.registry import read

_PATIENCE_SECONDS = 0.5
_LONGEST_ANSWER = 4096


class Did(enum.Enum):
    """What became of the cost."""

    REFUSED = "refused"
    CLAMPED = "clamped"
    """The library hashed at another cost instead."""
    TAKEN = "taken"
    """It hashed, or had not refused when it was ended."""
    UNKNOWN = "unknown"
    """It could not be asked."""


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What a library did with a cost, in its own words where it has any."""

    did: Did
    words: str = ""
    params: Params = {}
    """What it clamped to."""


def ask(hasher: Hasher, password: bytes, salt: bytes, params: Params) -> Answer:
    """Let a process of its own hash once at this cost, and say what came of it."""
    if not hasattr(os, "fork"):
        return Answer(did=Did.UNKNOWN)
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # Of threads, which it has none of.
        child = os.fork()
    if not child:  # pragma: no cover (a process that coverage does not see)
        try:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.setitimer(signal.ITIMER_REAL, _PATIENCE_SECONDS)
            os.write(writing, msgspec.json.encode(attempt(hasher, password, salt, params)))
        finally:
            os._exit(0)
    os.close(writing)
    try:
        said = os.read(reading, _LONGEST_ANSWER)
    finally:
        os.close(reading)
        _, status = os.waitpid(child, 0)
    if said:
        return msgspec.json.decode(said, type=Answer)
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGALRM:
        return Answer(did=Did.TAKEN)
    return Answer(did=Did.REFUSED, words="crashes")


def attempt(hasher: Hasher, password: bytes, salt: bytes, params: Params) -> Answer:
    """Hash once at this cost, in this process."""
    try:
        call = hasher.ready(password, salt, params)
    except LookupError:
        return Answer(did=Did.UNKNOWN)  # The adapter has no such setting to ask for.
    except Exception as error:
        return Answer(did=Did.REFUSED, words=one_line(error))
    try:
        output = call.run()
    except Exception as error:
        return Answer(did=Did.REFUSED, words=one_line(error))
    if not output:
        return Answer(did=Did.REFUSED, words="returns nothing")
    if output[:1] == b"*":
        return Answer(did=Did.REFUSED, words=f"returns {output[:2].decode('ascii', 'replace')}")
    if output.startswith(call.prefix):
        return Answer(did=Did.TAKEN)
    written = read(output)
    if written.hasher == hasher.name and written.params and written.params != params:
        return Answer(did=Did.CLAMPED, params=written.params)
    return Answer(did=Did.TAKEN)
