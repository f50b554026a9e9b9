"""The line protocol, version 1: what a probe is asked, and what it answers.

One JSON object a line, in UTF-8 and ended by LF, in both directions. The probe speaks first;
nothing is sent before its greeting, because a shell that starts it may read ahead. After that
each question has one answer, in order, with the same ``id``. Objects are flat, but for
``params``, so that a runtime without JSON can scan them with a regular expression. Passwords,
salts and hashes are hexadecimal; all of them are of this program's own making. Durations are in
seconds. What is no object with ``hashcost`` or ``id`` in it is noise, such as a greeting of the
shell's, and passed over.

    probe  {"hashcost":1,"runtime":"node 20.20.2","pid":4711,"clock":"process.cpuUsage"}
    driver {"id":1,"op":"load","library":"bcrypt","hasher":"bcrypt"}
    probe  {"id":1,"version":"bcrypt 6.0.0","salt":"given"}
    driver {"id":2,"op":"time","library":"bcrypt","hasher":"bcrypt","password":"552a55",
            "salt":"104104...","length":0,"params":{"cost":5}}
    probe  {"id":2,"cpu":0.0018,"wall":0.0018,"system":0.0,"faults":0,"output":"2432622430..."}
    driver {"id":3,"op":"verify","library":"password_hash","hasher":"bcrypt","password":"55",
            "stored":"2432792430..."}
    probe  {"id":3,"match":true}
    driver {"op":"bye"}

- The greeting's ``thread`` is the number of the one that hashes, in a runtime whose others are
  better left where they are, such as a compiler's.
- ``load`` imports the library. ``version`` names it with its version; ``salt`` is ``own``
  where the library takes none, and ``verify`` is asked of such a library.
- ``time`` runs one hash. ``output`` is a crypt string, or a raw key of ``length`` bytes for
  pbkdf2, scrypt and argon2id; argon2id of a library with its own salt is an encoded string.
  ``length`` is 0 where the output is a string.
- It reads an exact CPU clock inside the wall clock around nothing but the hash: that of the
  process where the library may hash in other threads. ``compiling`` is how long the runtime's
  compiler has worked since it started, where it has one that tells.
- An error is ``{"id":2,"error":"unavailable","message":"..."}`` where the runtime, the
  library or this cost is not to be had, ``failed`` for anything else. The message is one line.
- ``bye`` and the end of the input end the probe, and it leaves nothing behind.
"""

from typing import Annotated, Final, Literal, TypeAlias

import msgspec

from hashcost.core.measurement import Params

VERSION: Final = 1
LONGEST_LINE: Final = 1 << 16
"""Bytes; a probe that writes more without a line's end is no probe."""
MOST_NOISE: Final = 1000
"""Lines before the greeting that a shell may write."""

Hexadecimal: TypeAlias = Annotated[str, msgspec.Meta(pattern="^([0-9a-f]{2})*$", max_length=4096)]
Op: TypeAlias = Literal["load", "verify", "time", "bye"]
_Name: TypeAlias = Annotated[str, msgspec.Meta(max_length=200)]
_Number: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=2**31)]
_Seconds: TypeAlias = Annotated[float, msgspec.Meta(ge=0, le=1e6)]


class Greeting(msgspec.Struct, frozen=True, kw_only=True):
    """What a probe says first."""

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


class Timed(msgspec.Struct, frozen=True, kw_only=True):
    """One hash and what it took."""

    output: Hexadecimal
    cpu: _Seconds
    wall: _Seconds
    system: _Seconds = 0.0
    faults: Annotated[int, msgspec.Meta(ge=0, le=2**40)] = 0
    compiling: _Seconds | None = None
    """Of the runtime's compiler, since it started; None if there is none or it does not tell."""


class Refused(msgspec.Struct, frozen=True, kw_only=True):
    """Why there is no answer."""

    error: Literal["unavailable", "failed"]
    message: Annotated[str, msgspec.Meta(max_length=LONGEST_LINE)] = ""


class Question(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a probe is asked."""

    op: Op
    library: str = ""
    hasher: str = ""
    password: Hexadecimal | None = None
    salt: Hexadecimal | None = None
    stored: Hexadecimal | None = None
    length: int | None = None
    params: Params | None = None


class Numbered(msgspec.Struct, frozen=True, kw_only=True):
    """An answer as far as its number tells: which question it is of, and whether it is one."""

    hashcost: int | None = None
    id: int | None = None
    error: str | None = None


def line_of(question: Question, number: int) -> bytes:
    """A question as it is sent."""
    flat = {"id": number, **msgspec.to_builtins(question)}
    return msgspec.json.encode(flat) + b"\n"


def numbered(line: bytes) -> Numbered | None:
    """What a line is an answer to; None if it is noise."""
    try:
        found = msgspec.json.decode(line, type=Numbered)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return None if found.hashcost is None and found.id is None else found
