"""The interface of a hasher, by which it is checked, timed and solved.

Another package adds a hasher by the entry-point group ``hashcost.hashers``. The key is
``name@implementation``, the object a callable without arguments that returns a
`Hasher`; it may raise `hashcost.core.errors.UnavailableError`, or any import error,
when its library is missing. See ``bcrypt.py`` for a short example.
"""

from collections.abc import Callable, Collection, Sequence
from typing import Protocol, runtime_checkable

import msgspec

from hashcost.core.errors import WrongAnswerError
from hashcost.core.measurement import Knob, Params, Sample, Scale

# The names for a package that adds a hasher, and the code that runs it.
__all__ = [
    "Hasher",
    "Knob",
    "KnownAnswer",
    "OutOfProcess",
    "Params",
    "ReadyCall",
    "Scale",
    "StoredAnswer",
    "Verifier",
    "check_known_answers",
    "check_output",
]


class KnownAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """A published input and output, computed before anything is timed.

    ``params`` should be cheap; ``source`` says where the vector is published.
    """

    password: bytes
    salt: bytes
    params: Params
    output: bytes
    source: str


class StoredAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """A published hash of a password, for a library that chooses its own salt.

    The library must accept this password and reject any other.
    """

    password: bytes
    stored: bytes
    source: str


class ReadyCall(msgspec.Struct, frozen=True, kw_only=True):
    """One hash, ready to time: ``run`` does nothing else.

    Every true output starts with ``prefix`` (the setting, for crypt strings) and
    is ``length`` bytes long.
    """

    run: Callable[[], bytes | None]
    length: int
    prefix: bytes = b""
    repeats: bool = True
    """Whether every run has the same output; `False` if the library chooses its salt."""
    cpu_elsewhere: Callable[[], float] = lambda: 0.0
    """CPU seconds that its runs have taken in another process so far."""
    wall_elsewhere: Callable[[], float | None] = lambda: None
    """Seconds that its last run took in another process; None if it took place in this one."""


class Hasher(Protocol):
    """One algorithm run by one implementation: how it is timed, planned and fitted."""

    @property
    def name(self) -> str:
        """The algorithm with its variant, for example ``pbkdf2-sha256``."""

    @property
    def implementation(self) -> str:
        """The library that does the hashing, for example ``hashlib``."""

    @property
    def version(self) -> str:
        """The library's version, with that of the engine beneath it."""

    @property
    def knobs(self) -> tuple[Knob, ...]:
        """The cost parameters that are solved for.

        One, linear or log2; or a ladder of memory, and a linear one that fills the
        time that a step of the ladder leaves.
        """

    @property
    def lowest(self) -> Params:
        """Every param at its lowest or usual value, in the order they are written in."""

    def memory_bytes(self, params: Params) -> int:
        """Memory that one hash with these params takes."""

    def threads(self, params: Params) -> int:
        """Threads that one hash with these params runs in."""

    @property
    def known_answers(self) -> tuple[KnownAnswer, ...]:
        """One vector or more, unless the hasher is a `Verifier`."""

    def ready(self, password: bytes, salt: bytes, params: Params) -> ReadyCall:
        """Prepare one hash so that only the hashing itself is left to do."""


@runtime_checkable
class Verifier(Protocol):
    """A hasher whose library chooses its own salt, and can verify a stored hash."""

    @property
    def stored_answers(self) -> tuple[StoredAnswer, ...]:
        """One or more, if there are no known answers to compute."""

    def verify(self, password: bytes, stored: bytes) -> bool:
        """Whether the library accepts the password."""


@runtime_checkable
class OutOfProcess(Hasher, Protocol):
    """A hasher that another program runs, on clocks of its own."""

    @property
    def clock_name(self) -> str:
        """The CPU clock that the program reads."""

    @property
    def drift(self) -> float:
        """How far fresh processes disagree, as a fraction: 95 % lie within it of their median."""

    def threads_here(self) -> Collection[int]:
        """The numbers of the threads that hash, if this machine runs them."""

    def prepare(self, password: bytes, salt: bytes, progress: Callable[[float], None]) -> None:
        """Hash, untimed, until the program is as fast as it gets, and report the progress."""

    def timed(self, password: bytes, salt: bytes, params: Params) -> Sample:
        """Hash once and return the times.

        Raises:
            WrongAnswerError: what came back is not a hash at these params.
        """

    def workers(self, count: int) -> Sequence["OutOfProcess"]:
        """That many copies of the hasher, each with its own process."""


def check_output(call: ReadyCall, output: bytes | None, *, where: str) -> bytes:
    """Return the output if it is a whole hash.

    Raises:
        WrongAnswerError: a failure token, a truncated result, or the hash of
            another setting than the one asked for. The message holds no hash.
    """
    if output is None or not output:
        raise WrongAnswerError(f"returned nothing {where}")
    # crypt(5) fails with `*0` or `*1`; no crypt string is shorter than the 13 bytes of DES.
    if output[:1] == b"*" and len(output) < 14:
        token = output[:2].decode("ascii", "replace")
        raise WrongAnswerError(f"returned the failure token {token} instead of a hash {where}")
    if not output.startswith(call.prefix):
        raise WrongAnswerError(f"hashed with another setting than the one asked for {where}")
    if len(output) != call.length:
        raise WrongAnswerError(f"returned {len(output)} bytes instead of {call.length} {where}")
    return output


def check_known_answers(hasher: Hasher) -> None:
    """Compute every known answer of a hasher.

    Raises:
        WrongAnswerError: one of them came out otherwise than published.
    """
    for answer in hasher.known_answers:
        where = f"for a known answer ({answer.source})"
        call = hasher.ready(answer.password, answer.salt, answer.params)
        if check_output(call, call.run(), where=where) != answer.output:
            raise WrongAnswerError(f"computed a wrong hash {where}")
    if isinstance(hasher, Verifier):
        for stored in hasher.stored_answers:
            where = f"of a known answer ({stored.source})"
            if not hasher.verify(stored.password, stored.stored):
                raise WrongAnswerError(f"does not accept the password {where}")
            # A library that accepts anything has not hashed.
            if hasher.verify(stored.password + b"x", stored.stored):
                raise WrongAnswerError(f"accepts another password than that {where}")
