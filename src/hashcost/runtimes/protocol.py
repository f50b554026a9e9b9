"""The line protocol, version 1, as messages; docs/runtimes.md says what each means.

One JSON object a line in both directions. The probe speaks first; nothing is sent before its
greeting, because a shell that starts it may read ahead. Each question has one answer, in order,
with the same ``id``. Objects are flat, but for ``params``, so that a runtime without JSON can scan
them with a regular expression. A line with neither ``hashcost`` nor ``id`` is noise, such as a
shell's welcome, and is skipped.
"""

from typing import Annotated, Final, Literal, TypeAlias

import msgspec

from hashcost.core.decoding import UNDECODABLE
from hashcost.core.measurement import Params

VERSION: Final = 1
LONGEST_OUTPUT: Final = 1 << 20
"""Bytes of a line, of all noise, or of what a shell shows of its machine. Only something else
writes more, and would fill the memory."""

Hexadecimal: TypeAlias = Annotated[str, msgspec.Meta(pattern="^([0-9a-f]{2})*$", max_length=4096)]
Op: TypeAlias = Literal["load", "verify", "time", "bye"]
_Name: TypeAlias = Annotated[str, msgspec.Meta(max_length=200)]
_Number: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=2**31)]
_Seconds: TypeAlias = Annotated[float, msgspec.Meta(ge=0, le=1e6)]


class Greeting(msgspec.Struct, frozen=True, kw_only=True):
    """The first message of a probe."""

    hashcost: int
    runtime: _Name
    pid: _Number
    thread: _Number | None = None
    """The thread that hashes; ``None`` if that may be any."""
    clock: _Name
    """The CPU clock that it reads."""


class Loaded(msgspec.Struct, frozen=True, kw_only=True):
    """A library that is there."""

    version: _Name
    salt: Literal["given", "own"] = "given"


class Verified(msgspec.Struct, frozen=True, kw_only=True):
    """Whether the library accepts a password."""

    match: bool


class HashTimes(msgspec.Struct, frozen=True, kw_only=True):
    """One hash and what it took."""

    output: Hexadecimal
    cpu: _Seconds
    wall: _Seconds
    system: _Seconds = 0.0
    faults: Annotated[int, msgspec.Meta(ge=0, le=2**40)] = 0
    compiling: _Seconds | None = None
    """Seconds that the runtime's compiler has worked since the start; `None` if unknown."""


class Question(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A question to a probe."""

    op: Op
    library: str = ""
    hasher: str = ""
    password: Hexadecimal | None = None
    salt: Hexadecimal | None = None
    stored: Hexadecimal | None = None
    length: int | None = None
    params: Params | None = None


class Numbered(msgspec.Struct, frozen=True, kw_only=True):
    """The fields that say which question an answer is for, and whether it is an error."""

    hashcost: int | None = None
    id: int | None = None
    error: str | None = None
    """``unavailable`` or ``failed``, in the place of an answer."""
    message: str = ""
    """Why, in the words of the runtime or the library."""


def line_of(question: Question, number: int) -> bytes:
    """A question as bytes to send."""
    # A probe without JSON looks for each field by a regular expression.
    flat = {"id": number, **msgspec.to_builtins(question)}
    return msgspec.json.encode(flat) + b"\n"


def numbered(line: bytes) -> Numbered | None:
    """The number of an answer; None if the line is noise."""
    try:
        message = msgspec.json.decode(line, type=Numbered)
    except UNDECODABLE:
        return None
    if message.hashcost is None and message.id is None:
        return None
    return message
