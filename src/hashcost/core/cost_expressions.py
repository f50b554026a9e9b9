"""Costs as people type them: ``bcrypt=12``, ``argon2id=m=19456,t=2,p=1``. Pure.

An expression names a hasher, perhaps its implementation, and perhaps a cost. Only the hasher
knows whether the cost is legal: `complete` compares the two once it is loaded.
"""

import enum
import re
from collections.abc import Collection, Iterable, Sequence
from typing import Final

import msgspec

from hashcost.core.algorithms import COST_NAMES, MAXMEM, MemoryLimit, refusal
from hashcost.core.errors import OutOfRangeError, UsageError
from hashcost.core.measurement import Knob, Params
from hashcost.core.text import quoted
from hashcost.core.units import SHORT_NAMES, format_setting

_LONGEST = 200
_HASHER = re.compile(r"[A-Za-z][A-Za-z0-9_.+-]*")
# An implementation: ``hashlib``, ``node:bcryptjs`` or ``node:@node-rs/bcrypt``.
_IMPLEMENTATION = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+:/@-]*")
_COUNT = re.compile(r"[0-9]{1,200}")
# Characters that people put between a hasher and its number.
_BETWEEN: Final = "-_:/@= "

# ``scrypt:32768:8:1`` or ``bcrypt(12)``: a name, and numbers between such characters.
_NUMBERS_APART: Final = re.compile(
    r"(?P<name>[A-Za-z][\w:-]{0,40}?)(?P<numbers>(?:[-_:/=@ (,]{1,3}[0-9]{1,20}){1,3})\)?"
)

# Names that libraries give to the only knob of a hasher.
_SYNONYMS: Final = ("rounds", "iterations", "cost")
# The name of the only knob of a hasher that is not built in, until `complete` knows it.
_UNNAMED = ""

# Where a log2 of scrypt's N ends: a count has 63 bits.
_HIGHEST_LOG2: Final = 63
# Params that may be left out.
_USUAL: Final = {
    "scrypt": {"r": 8, "p": 1},
    "argon2id": {"parallelism": 1},
    "argon2i": {"parallelism": 1},
    "argon2d": {"parallelism": 1},
}
# The names of params, long and short, which no hasher has.
_PARAMS: Final = frozenset(
    name
    for names in COST_NAMES.values()
    for long in names
    for name in (long, SHORT_NAMES.get(long))
)
_EXAMPLES: Final = {
    "bcrypt": "12",
    "yescrypt": "5",
    "scrypt": "n=16384,r=8,p=1",
    "argon2id": "m=19456,t=2,p=1",
}


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """Where a cost is configured."""

    path: str
    line: int | None = None

    def __str__(self) -> str:
        """``path`` or ``path:line``."""
        return self.path if self.line is None else f"{self.path}:{self.line}"


class Apart(enum.Enum):
    """Why a stored hash is listed apart: it protects no account."""

    TESTS = "tests"
    DOCUMENTATION = "documentation"
    COMMENT = "comment"
    KNOWN_ANSWER = "known-answer"
    """A password that the program has itself is checked against it: does the library work?"""
    DUMMY = "dummy"
    """Passwords of unknown users are checked against it, as its name says."""


class Cost(msgspec.Struct, frozen=True, kw_only=True):
    """A hasher and its cost; ``params`` is `None` if only the hasher was named.

    ``memory_limit`` is the setting that bounds scrypt's memory; `None` if none is stated.
    """

    hasher: str
    implementation: str | None = None
    params: Params | None = None
    memory_limit: MemoryLimit | None = None

    @property
    def label(self) -> str:
        """``hasher`` or ``hasher@implementation``."""
        return "@".join(filter(None, (self.hasher, self.implementation)))


def parse_cost(text: str, names: Sequence[str] | None = None) -> Cost:
    """Read ``HASHER[@IMPLEMENTATION][=COST]``, or with a space in place of the first ``=``.

    A hasher with one knob takes a bare number or ``cost=``, ``rounds=`` or ``iterations=``;
    the others take ``name=value`` pairs between commas, without the usual ones if you like. The
    names of a hasher that is not built in are kept, and a bare number waits for `complete`, unless
    ``names`` has those of its params.

    Raises:
        UsageError: it is not such an expression; the message shows one.
    """
    if len(text) > _LONGEST:
        raise UsageError(f"{quoted(text)} is not a cost; write for example bcrypt=12")
    text = text.strip()
    # Many write a space in place of the first sign, as in "bcrypt 12".
    separator = "="
    if " " in text.partition("=")[0].strip():
        separator = " "
    named, equals, given = text.partition(separator)
    hasher, at, implementation = named.strip().partition("@")
    hasher = spelled(hasher, COST_NAMES)
    is_named = _HASHER.fullmatch(hasher) and hasher not in _PARAMS
    if not is_named or (at and not _IMPLEMENTATION.fullmatch(implementation)):
        meant = separated(text, COST_NAMES)
        cure = f"did you mean {meant}?" if meant else "write for example bcrypt=12"
        raise UsageError(f"{quoted(text)} does not start with the name of a hasher; {cure}")
    if names is None:
        names = COST_NAMES.get(hasher, ())
    params = None
    memory_limit = None
    if hasher == "scrypt":
        given, memory_limit = _without_limit(hasher, given, text)
    if equals and "=" in given:
        params = parse_params(hasher, given, text, names)
    elif equals:
        if len(names) > 1:
            raise UsageError(
                f"{quoted(text)} does not say which parameter it sets;"
                f" write for example {example_of(hasher)}"
            )
        only = names[0] if names else _UNNAMED
        params = {only: _count(hasher, given.strip(), text)}
    if params and names:
        params = _USUAL.get(hasher, {}) | params
        missing = [name for name in names if name not in params]
        if missing:
            raise UsageError(
                f"{quoted(text)} does not set {' and '.join(missing)};"
                f" write for example {example_of(hasher)}"
            )
        # Samples are grouped by the values, whose order must not be the typed one.
        params = {name: params[name] for name in names}
    return Cost(
        hasher=hasher,
        implementation=implementation or None,
        params=params,
        memory_limit=memory_limit,
    )


def _without_limit(hasher: str, given: str, text: str) -> tuple[str, MemoryLimit | None]:
    """Take ``maxmem=67111936`` out of a cost, with which an advised one may end."""
    pairs = given.split(",")
    for pair in pairs:
        key, _, figure = (part.strip() for part in pair.partition("="))
        if key.lower() == MAXMEM.name:
            pairs.remove(pair)
            limit = MemoryLimit(name=MAXMEM.name, allows=_count(hasher, figure, text))
            return ",".join(pairs), limit
    return given, None


def label_of(text: str) -> str:
    """The ``hasher`` or ``hasher@implementation`` that a text begins with."""
    return re.split("[= ]", text.strip(), maxsplit=1)[0]


def spelled(name: str, names: Collection[str]) -> str:
    """Find the one of ``names`` that is only spelled otherwise, as PBKDF2_SHA256 is.

    Returns:
        The name as it is, if nothing has it.
    """
    if name in names:
        return name
    letters = _letters_of(name)
    for other in names:
        if _letters_of(other) == letters:
            return other
    return name


def _letters_of(name: str) -> str:
    """The letters that stay the same, however a library or a configuration writes a name."""
    letters = re.sub("[^a-z0-9]", "", name.lower())
    # PBKDF2WithHmacSHA256 of Java: nothing else computes PBKDF2.
    if letters.startswith("pbkdf2"):
        return re.sub("(?:with)?hmac", "", letters)
    # SCRAM hashes with PBKDF2 (RFC 5802, section 2.2).
    if letters.startswith("scramsha"):
        return letters.replace("scram", "pbkdf2")
    # PASSWORD_BCRYPT is a constant of PHP.
    return letters.removeprefix("password")


def separated(text: str, hashers: Iterable[str]) -> str | None:
    """Write ``bcrypt=12`` for ``bcrypt12``, ``bcrypt-12`` or ``bcrypt(12)``.

    `None` if the text is not one of the ``hashers``, followed by as many numbers as it takes.
    """
    hashers = tuple(hashers)
    apart = _NUMBERS_APART.fullmatch(text)
    if apart is not None:
        hasher = spelled(apart["name"], hashers)
        names = COST_NAMES.get(hasher, (_UNNAMED,))
        numbers = re.findall("[0-9]+", apart["numbers"])
        if hasher in hashers and len(numbers) == len(names) == 1:
            return f"{hasher}={numbers[0]}"
        # Libraries take Argon2's numbers in several orders, and scrypt's in only one.
        if hasher == "scrypt" and len(numbers) == len(names):
            return f"{hasher}=" + ",".join(map("=".join, zip(names, numbers, strict=True)))
    # The longest first: pbkdf2-sha512 also begins with the name of a hasher called pbkdf2.
    for hasher in sorted(hashers, key=len, reverse=True):
        rest = text.lower().removeprefix(hasher.lower())
        number = rest.lstrip(_BETWEEN)
        takes_one = len(COST_NAMES.get(hasher, (_UNNAMED,))) == 1
        if rest != text.lower() and takes_one and _COUNT.fullmatch(number):
            return f"{hasher}={number}"
    return None


def parse_params(
    hasher: str, given: str, text: str | None = None, names: Sequence[str] | None = None
) -> Params:
    """Read ``t=2,p=1``: some params of a hasher, by their own names or the short ones.

    ``names`` are those of its params; by default, those of the built-in hasher.

    Raises:
        UsageError: it is not such a list, or the hasher has another param.
    """
    text = given if text is None else text
    if names is None:
        names = COST_NAMES.get(hasher, ())
    spellings = {name: long for long in names for name in (SHORT_NAMES.get(long, long), long)}
    if len(names) == 1:
        spellings |= dict.fromkeys(_SYNONYMS, names[0])
    params = {}
    for pair in given.split(","):
        key, equals, figure = (part.strip() for part in pair.partition("="))
        if not equals:
            raise UsageError(
                f"{quoted(pair)} in {quoted(text)} is not name=value;"
                f" write for example {example_of(hasher)}"
            )
        value = _count(hasher, figure, text)
        # Only its own package knows the params of a hasher that is not built in.
        name: str | None = key
        if spellings:
            name = spellings.get(key.lower())
        if not name or not _HASHER.fullmatch(name):
            problem = f"{quoted(text)} sets an unknown parameter {quoted(key)}"
            if spellings:
                problem += f"; use {', '.join(spellings)}"
            raise UsageError(problem)
        if name in params:
            raise UsageError(f"{quoted(text)} sets {name} twice; remove one")
        if (hasher, name) == ("scrypt", "n"):
            _check_power_of_two(value)
        params[name] = value
    return params


def complete(cost: Cost, knobs: Sequence[Knob], lowest: Params) -> Params:
    """Put the params of a cost in the hasher's own order, each checked against its range.

    ``knobs`` and ``lowest`` are the hasher's; a param that is not given and no knob is as in
    ``lowest``.

    Raises:
        UsageError: a param is unknown or missing.
        OutOfRangeError: it is out of range, or does not go with the others.
    """
    long_names = {short: name for name, short in SHORT_NAMES.items() if name in lowest}
    given = {long_names.get(name, name): value for name, value in (cost.params or {}).items()}
    names = [knob.name for knob in knobs]
    if _UNNAMED in given:
        if len(names) != 1:
            raise UsageError(
                f"{cost.label} takes more than one number; name them: {', '.join(names)}"
            )
        given = {names[0]: given[_UNNAMED]}
    for name in given:
        if name not in lowest:
            raise UsageError(
                f"{cost.label} has no parameter {quoted(name)}; use {', '.join(lowest) or 'none'}"
            )
    for knob in knobs:
        name = SHORT_NAMES.get(knob.name, knob.name)
        if knob.name not in given:
            raise UsageError(f"{cost.label} also needs {name}; add it")
        if not knob.minimum <= given[knob.name] <= knob.maximum:
            raise OutOfRangeError(
                f"{cost.label} takes {name} from {knob.minimum} to {knob.maximum},"
                f" not {given[knob.name]}"
            )
    whole = lowest | given
    why = refusal(cost.hasher, whole)
    if why:
        raise OutOfRangeError(f"{cost.label} does not accept {format_setting(whole)}: {why}")
    return whole


def example_of(hasher: str, implementation: str | None = None) -> str:
    """Write a cost of a hasher, to show how: ``bcrypt=12``."""
    example = _EXAMPLES.get(hasher, "NUMBER")
    # The other known ones count iterations or rounds.
    if hasher in COST_NAMES and hasher not in _EXAMPLES:
        example = "600000"
    return f"{Cost(hasher=hasher, implementation=implementation).label}={example}"


def _check_power_of_two(n: int) -> None:
    """Refuse an ``n`` that scrypt does not accept, or that is its logarithm."""
    # Only a power of two has no bit in common with its predecessor (RFC 7914, section 2).
    if not n & (n - 1):
        return
    cure = f"the next lower one is {1 << n.bit_length() - 1}"
    # Nobody hashes at so low an n, but many libraries take its logarithm.
    if n < _HIGHEST_LOG2:
        cure = f"n={n} looks like log2 N: write n={1 << n}"
    raise OutOfRangeError(f"scrypt's n must be a power of two, not {n}; {cure}")


def _count(hasher: str, figure: str, text: str) -> int:
    value = 0
    if _COUNT.fullmatch(figure):
        value = int(figure)
    # Files and libraries hold it in 64 bits with a sign.
    if not 0 < value < 2**63:
        raise UsageError(
            f"{quoted(figure)} in {quoted(text)} is not a whole number from 1 to 2^63 - 1;"
            f" write for example {example_of(hasher)}"
        )
    return value
