"""What an expression of a Python file comes to, without running it."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from hashcost.core.errors import UnreadableInputError, printable

_LARGEST_BITS = 128
_LONGEST = 1000
MOST_PARTS = 256
"""What is put together of others is followed no further; a literal has any size."""


@dataclass(frozen=True)
class Unknown:
    """What only running the file tells, as it is written."""

    text: str


@dataclass(frozen=True)
class Reference:
    """Something of another module, by its dotted name."""

    path: str


@dataclass(frozen=True)
class ClassName:
    """A class of the same file."""

    name: str


@dataclass(frozen=True, kw_only=True)
class Call:
    """A call, or what it returns. It has further arguments where it is not ``whole``."""

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
        """An argument by its name, or by its position; none where it is not given."""
        if name in self.keywords:
            return self.keywords[name]
        if position is not None and position < len(self.arguments):
            return self.arguments[position]
        return None


Data: TypeAlias = (
    "bool | int | float | str | tuple[Value, ...] | dict[str, Value]"
    " | Reference | ClassName | Call | Unknown | None"
)


@dataclass(frozen=True)
class Value:
    """Data, the line that it is written on, and what it depends on, in words."""

    data: Data
    line: int
    whys: tuple[str, ...] = ()

    def because(self, *whys: str) -> Value:
        """The same with more that it depends on."""
        return replace(self, whys=tuple(dict.fromkeys([*self.whys, *whys])))

    @property
    def why(self) -> str:
        """What it depends on, in one line."""
        return "; ".join(self.whys)


def whole(value: Value, name: str, *, hint: str = "") -> int:
    """The whole number of a setting.

    Raises:
        UnreadableInputError: it is none, or only running the file tells.
    """
    data = value.data
    if isinstance(data, int) and not isinstance(data, bool):
        return data
    if isinstance(data, str | bool | float) or data is None:
        raise UnreadableInputError(
            f"line {value.line}: {name} is {shown(repr(data))}, which is no whole number"
        )
    raise UnreadableInputError(
        f"line {value.line}: {name} is {_described(data)}, which only running it tells{hint}"
    )


def shown(text: str) -> str:
    """A short excerpt of a file, on one line."""
    return printable(" ".join(text.split()))[:60]


def dotted(data: Data) -> str:
    """The dotted name that data stands for; empty where it has none."""
    if isinstance(data, Reference):
        return data.path
    return data.name if isinstance(data, ClassName) else ""


def binary(operator: ast.operator, left: Data, right: Data) -> Data:
    """Arithmetic of whole numbers, and texts and lists put together; within bounds."""
    if isinstance(left, int) and isinstance(right, int):
        return _arithmetic(operator, left, right)
    if isinstance(operator, ast.Add):
        if isinstance(left, str) and isinstance(right, str):
            return (left + right)[:_LONGEST]
        if isinstance(left, tuple) or isinstance(right, tuple):
            return (*_parts(left), *_parts(right))[:MOST_PARTS]
    return Unknown("")


def _arithmetic(operator: ast.operator, left: int, right: int) -> Data:
    if max(left.bit_length(), right.bit_length()) > _LARGEST_BITS:
        return Unknown("")
    if isinstance(operator, ast.Add):
        return left + right
    if isinstance(operator, ast.Sub):
        return left - right
    if isinstance(operator, ast.Mult):
        return left * right
    if isinstance(operator, ast.FloorDiv) and right:
        return left // right
    small = 0 <= right <= _LARGEST_BITS
    if isinstance(operator, ast.LShift) and small:
        return left << right
    if isinstance(operator, ast.Pow) and small and left.bit_length() * right <= _LARGEST_BITS:
        power: int = left**right
        return power
    return Unknown("")


def _parts(data: Data) -> tuple[Value, ...]:
    """What is not known is one unknown part."""
    return data[:MOST_PARTS] if isinstance(data, tuple) else (Value(Unknown("a list"), 0),)


def _described(data: Data) -> str:
    if isinstance(data, Unknown):
        return data.text or "computed"
    if isinstance(data, Call):
        return shown(f"{data.function}(...)")
    return shown(dotted(data)) or "a list"
