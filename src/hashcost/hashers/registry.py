"""The registered hashers, those that a name means, and why one is missing."""

import contextlib
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pkgutil import resolve_name
from typing import Any, Final

import msgspec

from hashcost.core.algorithms import COST_NAMES, same_work
from hashcost.core.cost_expressions import separated
from hashcost.core.errors import HashcostError, UnavailableError, UnknownNameError
from hashcost.core.text import either, hint, printable, quoted
from hashcost.hashers.interface import Hasher

ENTRY_POINT_GROUP: Final = "hashcost.hashers"
"""The entry points by which other packages add hashers."""

BUILT_IN: Final = {
    "sha512-crypt@libcrypt": "hashcost.hashers.sha2_crypt:sha512_libcrypt",
    "sha512-crypt@passlib": "hashcost.hashers.sha2_crypt:sha512_passlib",
    "sha256-crypt@libcrypt": "hashcost.hashers.sha2_crypt:sha256_libcrypt",
    "sha256-crypt@passlib": "hashcost.hashers.sha2_crypt:sha256_passlib",
    "pbkdf2-sha1@hashlib": "hashcost.hashers.pbkdf2:sha1_hashlib",
    "pbkdf2-sha1@cryptography": "hashcost.hashers.pbkdf2:sha1_cryptography",
    "pbkdf2-sha256@hashlib": "hashcost.hashers.pbkdf2:sha256_hashlib",
    "pbkdf2-sha256@cryptography": "hashcost.hashers.pbkdf2:sha256_cryptography",
    "pbkdf2-sha512@hashlib": "hashcost.hashers.pbkdf2:sha512_hashlib",
    "pbkdf2-sha512@cryptography": "hashcost.hashers.pbkdf2:sha512_cryptography",
    "bcrypt@bcrypt": "hashcost.hashers.bcrypt:by_package",
    "bcrypt@libcrypt": "hashcost.hashers.bcrypt:by_libcrypt",
    "scrypt@hashlib": "hashcost.hashers.scrypt:by_hashlib",
    "scrypt@cryptography": "hashcost.hashers.scrypt:by_cryptography",
    "scrypt@libcrypt": "hashcost.hashers.scrypt:by_libcrypt",
    "argon2id@argon2-cffi": "hashcost.hashers.argon2:by_argon2_cffi",
    "argon2id@cryptography": "hashcost.hashers.argon2:by_cryptography",
    "yescrypt@libcrypt": "hashcost.hashers.yescrypt:by_libcrypt",
}
"""The built-in hashers: the module of each, and the function in it that makes the hasher."""

# The order of the known algorithms; others follow by name.
_ORDER: Final = tuple(COST_NAMES)

DEFAULT_HASHERS: Final = tuple(name for name in _ORDER if name != "sha256-crypt")
"""The hashers that run when no name is given."""

# The implementation that stands for a hasher: the one most applications use first.
_PREFERENCE: Final = ("bcrypt", "argon2-cffi", "hashlib", "libcrypt", "cryptography", "passlib")


class Candidate(msgspec.Struct, frozen=True):
    """A hasher by name; nothing of it is imported or started before `load`."""

    hasher: str
    implementation: str
    build: Callable[[], Hasher]
    """Imports and makes the hasher."""
    only_by_label: bool = False
    """Whether only its full name selects it, since only this library of a runtime was named."""
    is_remote: bool = False
    """Whether it runs on another machine."""

    @property
    def label(self) -> str:
        """``hasher@implementation``."""
        return f"{self.hasher}@{self.implementation}"

    @property
    def runtime(self) -> str:
        """The runtime that the implementation runs in; empty for this Python."""
        runtime, colon, _ = self.implementation.partition(":")
        return runtime if colon else ""

    def is_called(self, name: str) -> bool:
        """Whether a name that a user gives selects it."""
        if self.only_by_label:
            return name == self.label
        return name in (self.label, self.hasher)

    def load(self) -> Hasher:
        """Import and build the hasher.

        Raises:
            UnavailableError: its library is missing, broken or too old.
        """
        try:
            hasher = self.build()
            claimed = f"{hasher.name}@{hasher.implementation}"
            # All that a row is made of, so that only the row of a hasher that lacks it is lost.
            _ = (hasher.version, hasher.knobs[0], hasher.lowest)
            _ = (hasher.memory_bytes, hasher.threads, hasher.ready)
            answers = (*hasher.known_answers, *getattr(hasher, "stored_answers", ()))
        except HashcostError:
            raise
        except ModuleNotFoundError as error:
            # A package that is there may be too old to have the module in it.
            missing, dot, _ = (error.name or str(error)).partition(".")
            if dot and sys.modules.get(missing) is not None:
                raise UnavailableError(f"does not load: {one_line(error)}") from error
            raise UnavailableError(
                f"the Python package that has {missing} is not installed"
            ) from error
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            # A third party's hasher may fail in any way, and loses only its own row.
            raise UnavailableError(f"does not load: {one_line(error)}") from error
        if claimed != self.label:
            raise UnavailableError(f"is registered under this name but calls itself {claimed}")
        if any(not knob.doubles and knob.minimum < 1 for knob in hasher.knobs):
            raise UnavailableError("has a knob that starts below 1: no work takes no time")
        if not answers:
            raise UnavailableError("has no known answer to be checked by")
        return hasher


def candidates() -> tuple[Candidate, ...]:
    """Return every registered hasher: known algorithms first, preferred implementation first.

    A built-in one keeps its name, and of two packages that claim a name the first has it.
    """
    by_label: dict[str, Candidate] = {}
    built_in: list[tuple[str, Callable[[], Any]]]
    built_in = [(label, partial(resolve_name, name)) for label, name in BUILT_IN.items()]
    for label, load in (*built_in, *installed()):
        hasher, _, implementation = label.partition("@")
        # A colon is for the libraries of a runtime.
        if hasher and implementation and ":" not in implementation:
            build = partial(_built, load)
            by_label.setdefault(label, Candidate(hasher, implementation, build))
    return tuple(sorted(by_label.values(), key=_rank))


def _rank(candidate: Candidate) -> tuple[int, str, int, str]:
    """Unknown names come after the known ones, in the order of the alphabet."""
    hasher, implementation = candidate.hasher, candidate.implementation
    by_hasher = _place_in(_ORDER, hasher)
    by_implementation = _place_in(_PREFERENCE, implementation)
    return by_hasher, hasher, by_implementation, implementation


def _place_in(names: Sequence[str], name: str) -> int:
    if name in names:
        return names.index(name)
    return len(names)


def installed() -> Iterator[tuple[str, Callable[[], Any]]]:
    """Find the hashers of other packages: the name of each entry point, and what imports it."""
    from importlib.metadata import distributions  # It takes 20 ms to import.

    for distribution in distributions():
        # A package with a damaged file loses only its own hashers.
        with contextlib.suppress(Exception):
            for point in distribution.entry_points.select(group=ENTRY_POINT_GROUP):
                yield point.name, point.load


def _built(load: Callable[[], Any]) -> Hasher:
    factory = load()
    hasher: Hasher = factory()
    return hasher


def select(
    names: Sequence[str], *, every_implementation: bool, available: Iterable[Candidate]
) -> tuple[tuple[Candidate, ...], ...]:
    """Return the hashers that the names mean, in the order asked for, each once.

    A name is ``hasher`` or ``hasher@implementation``; no name means the default
    hashers, or all of them with ``every_implementation``. Each comes with the
    implementations that may replace it, the preferred one first, if the hasher was
    named without one; every runtime has its own.

    Raises:
        UnknownNameError: a name is unknown; the message offers a near one.
    """
    pool = tuple(available)
    # Which hashers there are depends on the pool: a runtime has others.
    if not names:
        names = tuple(dict.fromkeys(candidate.hasher for candidate in pool))
        if not every_implementation:
            names = tuple(name for name in names if name in DEFAULT_HASHERS)
    chosen: dict[str, tuple[Candidate, ...]] = {}
    for name in names:
        matches = [candidate for candidate in pool if candidate.is_called(name)]
        if not matches:
            raise UnknownNameError(_unknown(name, pool), name)
        # Each implementation is a row of its own, which no other may replace.
        if every_implementation:
            for candidate in matches:
                chosen.setdefault(candidate.label, (candidate,))
            continue
        # Libraries of one runtime may replace each other; another runtime is another answer.
        by_runtime: dict[str, list[Candidate]] = {}
        for candidate in matches:
            by_runtime.setdefault(candidate.runtime, []).append(candidate)
        for alike in by_runtime.values():
            chosen.setdefault(alike[0].label, tuple(alike))
    return tuple(chosen.values())


def load_first(candidates: Sequence[Candidate]) -> tuple[Candidate, Hasher]:
    """Load the first implementation that is available.

    Raises:
        UnavailableError: none does; the message is that of the first.
    """
    reasons = []
    for candidate in candidates:
        try:
            return candidate, candidate.load()
        except UnavailableError as error:
            reasons.append(error)
    raise reasons[0]


def one_line(error: BaseException) -> str:
    """Return an exception's text on one line, or its type if it has no text."""
    text = ""
    # The class of a library may fail even here.
    with contextlib.suppress(Exception):
        text = printable(str(error))[:200]
    return text or type(error).__name__


def _unknown(name: str, pool: Sequence[Candidate]) -> str:
    hasher, at, implementation = name.partition("@")
    hashers = list(dict.fromkeys(candidate.hasher for candidate in pool))
    if at and hasher in hashers:
        labels = [candidate.label for candidate in pool if candidate.hasher == hasher]
        return (
            f"no implementation {quoted(implementation, 60)} of {hasher}; choose {either(labels)}"
        )
    twin = same_work(hasher)
    if twin:
        return f"hashcost does not time {hasher}; name {twin}, whose iterations take the same work"
    cost = separated(name, hashers)
    if cost is not None:
        return f"unknown hasher {quoted(name, 60)}; did you mean {cost}?"
    cure = hint(hasher, hashers, "`calibrate list hashers` lists them")
    return f"unknown hasher {quoted(name, 60)}; {cure}"
