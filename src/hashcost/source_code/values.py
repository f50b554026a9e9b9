"""What an expression of a source text comes to, without running it."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Final, TypeAlias

from hashcost.core.errors import UntoldError
from hashcost.core.text import printable

LARGEST_BITS = 62
"""No cost is a larger number, and what comes to one is not followed."""
ALTERNATIVES: Final = 8
"""Values that one expression is followed into at most."""
_LONGEST = 1000
MOST_PARTS = 256
"""Lists that are put together are followed up to here; a literal may have any size."""
SPREAD = "**"
"""The key under which a mapping holds what is spread into it and not known."""


@dataclass(frozen=True)
class Unknown:
    """What the file does not tell, as it is written, or why."""

    text: str


@dataclass(frozen=True)
class Unset(Unknown):
    """A variable of the environment for which the file has no default."""


@dataclass(frozen=True)
class Prefix(Unknown):
    """A text of which only the beginning is known."""


@dataclass(frozen=True)
class Function(Unknown):
    """A function written in place; ``sets`` are the keys that its body gives values."""

    sets: Mapping[str, Value]


@dataclass(frozen=True)
class DottedName:
    """What a name stands for: something of another file, or a class or function of this one."""

    path: str


@dataclass(frozen=True, kw_only=True)
class Call:
    """A call, or what it returns. If it is not ``whole``, it has more arguments."""

    function: str
    arguments: tuple[Value, ...]
    keywords: Mapping[str, Value]
    line: int
    whole: bool = True

    @property
    def name(self) -> str:
        """The last part of the function's dotted name."""
        return self.function.rpartition(".")[2]

    def argument(self, name: str, position: int | None = None) -> Value | None:
        """An argument by its name or its position; ``None`` if it is not given."""
        if name in self.keywords:
            return self.keywords[name]
        if position is not None and position < len(self.arguments):
            return self.arguments[position]
        return None


Data: TypeAlias = (
    "bool | int | float | str | tuple[Value, ...] | dict[str, Value]"
    " | DottedName | Call | Unknown | None"
)


@dataclass(frozen=True)
class Value:
    """Data, the line that it is written on, and what it depends on, in words."""

    data: Data
    line: int
    whys: tuple[str, ...] = ()

    def because(self, *whys: str) -> Value:
        """The same, depending on more."""
        return replace(self, whys=tuple(dict.fromkeys([*self.whys, *whys])))

    @property
    def why(self) -> str:
        """What it depends on, in one line."""
        return "; ".join(self.whys)

    @property
    def is_empty(self) -> bool:
        """Whether ``or`` goes on to what follows."""
        return isinstance(self.data, Unset) or not self.data


def whole(value: Value, name: str, *, hint: str = "") -> int:
    """The whole number of a setting.

    Raises:
        UnreadableInputError: it is no whole number, or only running the file tells.
    """
    number = number_of(value.data)
    if number is not None:
        return number
    if isinstance(value.data, str | bool | float) or value.data is None:
        raise UntoldError(
            value.line, f"{name} is {described(value.data)}, which is not a whole number"
        )
    raise UntoldError(
        value.line, f"{name} is {described(value.data)}, known only at run time{hint}"
    )


def number_of(data: Data) -> int | None:
    """A whole number, if data is one."""
    return data if isinstance(data, int) and not isinstance(data, bool) else None


def shown(text: str) -> str:
    """A short excerpt of a file, on one line."""
    return printable(" ".join(text[:_LONGEST].split()))[:60]


def described(data: Data) -> str:
    """Data as a message shows it."""
    if isinstance(data, Unknown):
        return data.text or "computed"
    if isinstance(data, Call):
        return shown(f"{data.function}(...)")
    if isinstance(data, tuple | dict):
        return "a list"
    return shown(dotted(data) or repr(data))


def dotted(data: Data) -> str:
    """The dotted name that data stands for; empty if it has none."""
    return data.path if isinstance(data, DottedName) else ""


def combined(operator: ast.operator, left: Data, right: Data) -> Data:
    """Arithmetic of whole numbers, within bounds; texts and lists put together.

    ``Unknown`` without a text if it comes to nothing that is known.
    """
    if isinstance(left, int) and isinstance(right, int):
        number = _arithmetic(operator, left, right)
        known = number is not None and number.bit_length() <= LARGEST_BITS
        return number if known else Unknown("")
    if isinstance(operator, ast.Add):
        if isinstance(left, str) and isinstance(right, str):
            return (left + right)[:_LONGEST]
        if isinstance(left, str) and number_of(right) is not None:
            return f"{left}{right}"[:_LONGEST]
        if isinstance(left, str):
            return Prefix(left)
        if isinstance(left, Prefix):
            return left
        if isinstance(left, tuple) or isinstance(right, tuple):
            return (*_parts(left), *_parts(right))[:MOST_PARTS]
    return Unknown("")


def _arithmetic(operator: ast.operator, left: int, right: int) -> int | None:
    small = 0 <= right <= LARGEST_BITS
    match operator:
        case ast.Add():
            return left + right
        case ast.Sub():
            return left - right
        case ast.Mult():
            return left * right
        case ast.FloorDiv() if right:
            return left // right
        case ast.LShift() if small:
            return left << right
        case ast.Pow() if small and left.bit_length() * right <= 2 * LARGEST_BITS:
            return int(left**right)
    return None


def _parts(data: Data) -> tuple[Value, ...]:
    """The parts of a list; anything else is one unknown part."""
    return data[:MOST_PARTS] if isinstance(data, tuple) else (Value(Unknown("a list"), 0),)


_UNTOLD: Final = (Unknown, DottedName, Call)
"""What only running the program tells."""


def combinations(lists: Sequence[Sequence[Value]]) -> list[tuple[Value, ...]]:
    """One of each, in every way; where that is too many, one that is not known for several."""
    number = 1
    for each in lists:
        number = min(number * len(each), ALTERNATIVES + 1)
    if number > ALTERNATIVES:
        return [tuple(each[0] if len(each) == 1 else several(each) for each in lists)]
    return list(product(*lists))


def first_given(values: Sequence[Value]) -> Value:
    """The first that is something, and the last if a running program decides."""
    last = values[-1]
    for each in values:
        if each is last or not (each.is_empty or isinstance(each.data, _UNTOLD)):
            break
    told = [each for each in values[: values.index(each) + 1] if each is not last]
    reasons = whys(told)
    reasons += [
        f"unless {described(one.data)} is set"
        for one in told
        if isinstance(one.data, _UNTOLD) and not isinstance(one.data, Unset)
    ]
    return replace(each, whys=()).because(*reasons, *each.whys)


def item(data: Data, key: Data) -> Value | None:
    """An item of a list or a mapping, if it is told."""
    if isinstance(data, dict) and isinstance(key, str):
        return data.get(key)
    if isinstance(data, tuple) and isinstance(key, int) and 0 <= key < len(data):
        return data[key]
    return None


def several(values: Sequence[Value]) -> Value:
    """What is not known because it may be any of too many values."""
    return Value(Unknown("one of several values"), values[-1].line)


def whys(values: Sequence[Value]) -> list[str]:
    """What any of several values depends on."""
    return [why for value in values for why in value.whys]
