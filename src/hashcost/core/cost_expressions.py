"""Costs as people type them: ``bcrypt=12``, ``argon2id=m=19456,t=2,p=1``. Pure.

An expression names a hasher, perhaps its implementation, and perhaps a cost in the
terms that configurations have it in. Whether the cost is legal is known to the hasher
alone: `complete` compares the two once it is loaded.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import msgspec

from hashcost.core.algorithms import refusal
from hashcost.core.errors import UsageError
from hashcost.core.measurement import Knob, Params
from hashcost.core.text import quoted
from hashcost.core.units import SHORT_NAMES, format_setting

_LONGEST = 200
_HIGHEST = 2**63
HIGHEST_LOG2: Final = 62
"""Of a cost that stands for two to its power."""
_HASHER = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]*")
_IMPLEMENTATION = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+:/@-]*")
"""Such as ``hashlib``, ``node:bcryptjs`` or ``node:@node-rs/bcrypt``."""
_COUNT = re.compile(r"[0-9]+")

_WORDS = ("rounds", "iterations", "cost")
"""What libraries call the one knob that a hasher has."""

_ALONE = ""
"""Stands for the one knob of a hasher that only its package knows."""


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """Where a cost is configured."""

    path: str
    line: int | None = None

    def __str__(self) -> str:
        """``path`` or ``path:line``."""
        return self.path if self.line is None else f"{self.path}:{self.line}"


@dataclass(frozen=True, kw_only=True)
class Cost:
    """A hasher and a cost of it; ``params`` are none where only the hasher was named."""

    hasher: str
    implementation: str | None = None
    params: Params | None = None

    @property
    def label(self) -> str:
        """``hasher`` or ``hasher@implementation``."""
        return (
            self.hasher if self.implementation is None else f"{self.hasher}@{self.implementation}"
        )


@dataclass(frozen=True, kw_only=True)
class _Terms:
    """What the params of a hasher are called, and what they usually are.

    ``names`` gives each param with its spellings, the shortest first; ``usual`` the
    values that may be left out. A ``logarithm`` is another way to give a param.
    """

    names: Mapping[str, tuple[str, ...]]
    usual: Mapping[str, int]
    example: str
    logarithm: tuple[str, str] | None = None

    @property
    def alone(self) -> str | None:
        """The param that a bare number is of."""
        return next(iter(self.names)) if len(self.names) == 1 else None

    def param(self, key: str) -> str | None:
        """The param that a spelling means."""
        return next((name for name, spellings in self.names.items() if key in spellings), None)

    def known(self) -> str:
        """The spellings, for a message."""
        spelt = [" or ".join(spellings) for spellings in self.names.values()]
        if self.logarithm is not None:
            spelt.append(f"{self.logarithm[0]} (the log2 of {self.logarithm[1]})")
        return ", ".join(spelt)


def _single(param: str, example: str) -> _Terms:
    """One knob, which any of the usual words names."""
    return _Terms(
        names={param: (param, *(word for word in _WORDS if word != param))},
        usual={},
        example=example,
    )


_TERMS: Final[dict[str, _Terms]] = {
    "sha512-crypt": _single("rounds", "sha512-crypt=100000"),
    "sha256-crypt": _single("rounds", "sha256-crypt=100000"),
    "pbkdf2-sha1": _single("iterations", "pbkdf2-sha1=1400000"),
    "pbkdf2-sha256": _single("iterations", "pbkdf2-sha256=600000"),
    "pbkdf2-sha512": _single("iterations", "pbkdf2-sha512=220000"),
    "bcrypt": _single("cost", "bcrypt=12"),
    "yescrypt": _single("cost", "yescrypt=5"),
    "scrypt": _Terms(
        names={"n": ("n", "N"), "r": ("r",), "p": ("p",)},
        usual={"r": 8, "p": 1},
        example="scrypt=n=16384,r=8,p=1",
        logarithm=("ln", "n"),
    ),
    "argon2id": _Terms(
        names={
            name: (SHORT_NAMES[name], name) for name in ("memory_kib", "time_cost", "parallelism")
        },
        usual={"parallelism": 1},
        example="argon2id=m=19456,t=2,p=1",
    ),
}


def parse_cost(text: str) -> Cost:
    """Read ``HASHER[@IMPLEMENTATION][=COST]``, or with a space in place of the first ``=``.

    A hasher with one knob takes a bare number or ``cost=``, ``rounds=`` or
    ``iterations=``; the others ``name=value`` pairs between commas, in which what is
    usual may be left out. Of a hasher that is not built in the names are kept as they
    are, and a bare number waits for `complete`.

    Raises:
        UsageError: it is no such expression; the message shows one.
    """
    if len(text) > _LONGEST:
        raise UsageError(f"{quoted(text)} is not a cost; write for example bcrypt=12")
    named, equals, given = _parts(text.strip())
    hasher, at, implementation = named.strip().partition("@")
    if not _HASHER.fullmatch(hasher) or (at and not _IMPLEMENTATION.fullmatch(implementation)):
        raise UsageError(
            f"{quoted(text)} does not start with the name of a hasher; write for example bcrypt=12"
        )
    return Cost(
        hasher=hasher,
        implementation=implementation if at else None,
        params=_params(hasher, given, text) if equals else None,
    )


def _parts(text: str) -> tuple[str, str, str]:
    """A hasher, what stands between, and its cost."""
    named = text.partition("=")[0].strip()
    return text.partition(" " if " " in named else "=")


def parse_params(hasher: str, text: str) -> Params:
    """Read ``t=2,p=1``: some params of a hasher, in any of their spellings.

    Raises:
        UsageError: it is no such list, or the hasher has no such param.
    """
    return _pairs(hasher, text, text)


def format_expression(cost: Cost) -> str:
    """Write a cost as `parse_cost` reads it, each param by its shortest name."""
    if cost.params is None:
        return cost.label
    terms = _TERMS.get(cost.hasher)
    if len(cost.params) == 1 and (terms is None or terms.alone is not None):
        [(name, value)] = cost.params.items()
        alone = terms is not None or name == _ALONE
        return f"{cost.label}={value}" if alone else f"{cost.label}={name}={value}"
    return f"{cost.label}={format_setting(cost.params)}"


def complete(cost: Cost, knobs: Sequence[Knob], lowest: Params) -> Params:
    """The params of a cost in the hasher's own order, each checked against its range.

    ``knobs`` and ``lowest`` are the hasher's; what is not given is as in ``lowest``,
    but for the knobs themselves.

    Raises:
        UsageError: a param is none of the hasher's, is missing or out of range, or does
            not go with the others.
    """
    long_names = {short: name for name, short in SHORT_NAMES.items() if name in lowest}
    given = {
        name if name in lowest else long_names.get(name, name): value
        for name, value in (cost.params or {}).items()
    }
    names = [knob.name for knob in knobs]
    if _ALONE in given:
        if len(names) != 1:
            raise UsageError(
                f"{cost.label} takes more than one number; name them: {', '.join(names)}"
            )
        given = {names[0]: given[_ALONE]}
    for name in given:
        if name not in lowest:
            raise UsageError(
                f"{cost.label} has no parameter {quoted(name)}; use {', '.join(lowest) or 'none'}"
            )
    for knob in knobs:
        if knob.name not in given:
            raise UsageError(
                f"{cost.label} also needs {SHORT_NAMES.get(knob.name, knob.name)}; add it"
            )
        if not knob.minimum <= given[knob.name] <= knob.maximum:
            raise UsageError(
                f"{cost.label} takes {SHORT_NAMES.get(knob.name, knob.name)} from"
                f" {knob.minimum} to"
                f" {knob.maximum}, not {given[knob.name]}"
            )
    whole = {name: given.get(name, value) for name, value in lowest.items()}
    why = refusal(cost.hasher, whole)
    if why:
        raise UsageError(f"{cost.label} does not accept {format_setting(whole)}: {why}")
    return whole


def _params(hasher: str, given: str, text: str) -> Params:
    terms = _TERMS.get(hasher)
    example = f"{hasher}=NUMBER" if terms is None else terms.example
    if "=" not in given:
        alone = _ALONE if terms is None else terms.alone
        if alone is None:
            raise UsageError(
                f"{quoted(text)} does not say which parameter it sets; write for example {example}"
            )
        return {alone: _count(given, text, example)}
    params = _pairs(hasher, given, text)
    return params if terms is None else _with_usual(params, terms, text)


def _pairs(hasher: str, given: str, text: str) -> Params:
    """The params of ``name=value`` pairs, and no others."""
    terms = _TERMS.get(hasher)
    example = f"{hasher}=NUMBER" if terms is None else terms.example
    logarithm, power = (terms.logarithm if terms is not None else None) or (None, None)
    params: Params = {}
    for pair in given.split(","):
        key, equals, figure = (part.strip() for part in pair.partition("="))
        if not equals:
            raise UsageError(
                f"{quoted(pair)} in {quoted(text)} is not name=value; write for example {example}"
            )
        value = _count(figure, text, example)
        if key == logarithm and value > HIGHEST_LOG2:
            raise UsageError(f"{quoted(text)} is too high; write {key}={HIGHEST_LOG2} or less")
        if key == logarithm:
            key, value = str(power), 1 << value
        name = key if terms is None else terms.param(key)
        if not name or not _HASHER.fullmatch(name):
            known = "" if terms is None else f"; use {terms.known()}"
            raise UsageError(f"{quoted(text)} sets an unknown parameter {quoted(key)}{known}")
        if name in params:
            raise UsageError(f"{quoted(text)} sets {name} twice; remove one")
        if name == power and value & (value - 1):
            raise UsageError(
                f"{quoted(text)}: {name} must be a power of two;"
                f" the next lower one is {1 << value.bit_length() - 1}"
            )
        params[name] = value
    return params


def _with_usual(params: Params, terms: _Terms, text: str) -> Params:
    """All params of a hasher in its order, what is usual filled in."""
    whole = {**terms.usual, **params}
    missing = [name for name in terms.names if name not in whole]
    if missing:
        raise UsageError(
            f"{quoted(text)} does not set {' and '.join(missing)}; write for example"
            f" {terms.example}"
        )
    return {name: whole[name] for name in terms.names}


def _count(figure: str, text: str, example: str) -> int:
    if not _COUNT.fullmatch(figure.strip()):
        raise UsageError(
            f"{quoted(figure)} in {quoted(text)} is not a whole number above zero;"
            f" write for example {example}"
        )
    value = int(figure)
    if not value:
        raise UsageError(f"{quoted(text)} sets zero; write for example {example}")
    if value >= _HIGHEST:
        raise UsageError(f"{quoted(text)} is higher than any cost; write for example {example}")
    return value
