"""The values that an expression of a source text may have, without running it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Self, TypeAlias

from hashcost.core.errors import UndeterminedError
from hashcost.core.text import either, printable
from hashcost.stored.formats.registry import read
from hashcost.stored.named import named_in

LARGEST_BITS: Final = 62
"""Largest number that is followed; no cost is larger. A line that squares a number doubles its
bits: forty lines would fill the memory."""
MOST_JOINED: Final = 1000
"""Characters of a text, or parts of a list, that are put together; a literal may have any length.
A line that adds a text to itself doubles it: forty lines would fill the memory."""
SPREAD: Final = "**"
"""The key under which a mapping holds what is spread into it and not known."""


_UNLESS: Final = "unless the environment sets "


@dataclass(frozen=True)
class Unknown:
    """An unknown value: its text as it is written, or why it is unknown."""

    text: str


@dataclass(frozen=True)
class Unset(Unknown):
    """A variable of the environment for which the file has no default."""


@dataclass(frozen=True)
class Prefix(Unknown):
    """A text of which only the beginning is known."""


@dataclass(frozen=True)
class Passed(Unknown):
    """A value that the callers of a function give it."""


@dataclass(frozen=True)
class Function(Unknown):
    """A function written in place."""


@dataclass(frozen=True)
class DottedName:
    """A name of something in another file, or of a class or function of this one."""

    path: str


@dataclass(frozen=True)
class Call:
    """A call, or what it returns. If it is not ``whole``, it has more arguments."""

    function: str
    arguments: tuple[Value, ...]
    keywords: Mapping[str, Value]
    line: int
    whole: bool = True

    @classmethod
    def with_one(cls, value: Value) -> Call:
        """Make a call of nothing in particular, with one argument."""
        return cls("", (value,), {}, value.line)

    @property
    def name(self) -> str:
        """The last part of the function's dotted name."""
        return self.function.rpartition(".")[2]

    def argument(self, name: str, position: int) -> Value | None:
        """Find an argument by its name or its position; ``None`` if it is not given."""
        if name in self.keywords:
            return self.keywords[name]
        if position < len(self.arguments):
            return self.arguments[position]
        return None


Data: TypeAlias = (
    "bool | int | float | str | tuple[Value, ...] | dict[str, Value]"
    " | DottedName | Call | Unknown | None"
)


class Reason(str):
    """Words that say why, with the value that they tell of.

    ``variable`` is the variable of the environment that may set another value, and ``line`` the
    line of a condition that production does not meet.
    """

    __slots__ = ("line", "variable")
    line: int
    variable: str

    def __new__(cls, words: str, *, variable: str = "", line: int = 0) -> Self:
        """Make the words from parts that are also kept."""
        reason = super().__new__(cls, words)
        reason.variable = variable
        reason.line = line
        return reason


def variable_of(reasons: Iterable[str]) -> str:
    """Name the first variable of the environment that reasons tell of; empty if none does."""
    for reason in reasons:
        if isinstance(reason, Reason) and reason.variable:
            return reason.variable
    return ""


def unless_environment_sets(variable: str) -> Reason:
    """Say that a variable of the environment may set another value."""
    return Reason(f"{_UNLESS}{variable}", variable=variable)


def in_one(reasons: Sequence[str]) -> list[str]:
    """Say of several variables of the environment at once that they may set other values."""
    variables: list[str] = []
    said: list[str] = []
    first = 0
    for reason in reasons:
        variable = variable_of([reason])
        if not variable or reason != f"{_UNLESS}{variable}":
            said.append(reason)
            continue
        if not variables:
            first = len(said)
        if variable not in variables:
            variables.append(variable)
    if variables:
        said.insert(first, unless_environment_sets(either(variables)))
    return said


@dataclass(frozen=True)
class Value:
    """Data, the line that it is written on, and in words what it depends on."""

    data: Data
    line: int
    whys: tuple[str, ...] = ()

    def because(self, *whys: str) -> Value:
        """Say what else it depends on."""
        return replace(self, whys=tuple(dict.fromkeys([*self.whys, *whys])))

    @property
    def why(self) -> str:
        """The things that it depends on, in one line."""
        return "; ".join(self.whys)


def unless_set(values: Iterable[Value]) -> Value | None:
    """Take the value that a name has unless the environment gives it another.

    Return ``None`` if the environment gives it none, or other values differ.
    """
    whys: list[str] = []
    fixed = []
    for value in values:
        if isinstance(value.data, Unset):
            whys += value.whys
        else:
            fixed.append(value)
    if not whys or not fixed or any(value.data != fixed[0].data for value in fixed):
        return None
    return fixed[0].because(*whys)


def unless_given(data: Data) -> str:
    """Say that unknown data, if there is any, counts instead."""
    if isinstance(data, Passed):
        return f"unless the caller gives {data.text}"
    return f"unless {described(data)} is set"


def whole(value: Value, name: str) -> int:
    """Take the whole number of a setting.

    Raises:
        UnreadableInputError: it is not a whole number, or is known only at run time.
    """
    number = number_of(value.data)
    if number is not None:
        return number
    if isinstance(value.data, str | bool | float) or value.data is None:
        why = "which is not a whole number"
    else:
        why = "known only at run time"
    raise UndeterminedError(value.line, f"{name} is {described(value.data)}, {why}")


def number_of(data: Data) -> int | None:
    """Take a whole number, if data is one."""
    # To Python, True is an int.
    if isinstance(data, int) and not isinstance(data, bool):
        return data
    return None


# crypt(5): what follows the mark and the cost, where nothing but a salt can be.
_SALT_OF_CRYPT: Final = re.compile(
    r"\$(?:2[abxy]?\$[0-9]{2}|(?:1|5|6|apr1)(?:\$rounds=[0-9]{1,9})?)\$(?!rounds=)[./0-9A-Za-z]{4}"
)


def shown(text: str) -> str:
    """Shorten an excerpt of a file to one line; one with a stored hash is not shown."""
    # Blanks may be most of a text: more is looked at than is shown.
    excerpt = text[:1000]
    if any(named_in(excerpt.encode(errors="replace"), read)):
        return "a text with a stored hash"
    if _SALT_OF_CRYPT.search(excerpt):
        return "a text with a salt in it"
    line = printable(" ".join(excerpt.split()))
    if len(line) > 60:
        line = f"{line[:59].rstrip()}…"
    return line


def described(data: Data) -> str:
    """Say in a message what data is."""
    if isinstance(data, Passed):
        return f"{data.text}, as the caller says"
    if isinstance(data, Function):
        return "a function"
    if isinstance(data, Unknown):
        return data.text or "computed"
    if isinstance(data, Call):
        return shown(f"{data.function}(...)")
    if isinstance(data, tuple | dict):
        return "a list"
    return shown(dotted(data) or repr(data))


def dotted(data: Data) -> str:
    """Return the dotted name that data refers to; empty if it is not a name."""
    if isinstance(data, DottedName):
        return data.path
    return ""


def plain(data: Data) -> object:
    """Take data without the lines and the reasons in it, to compare it."""
    if isinstance(data, dict):
        return {name: plain(value.data) for name, value in data.items()}
    if isinstance(data, tuple):
        return [plain(value.data) for value in data]
    if isinstance(data, Call):
        return [data.function, plain(data.arguments), plain(dict(data.keywords))]
    return data


def is_told(data: Data) -> bool:
    """Tell whether a value is known, or an object with all that its constructor is given."""
    if not isinstance(data, Call):
        return is_resolved(data)
    given = (*data.arguments, *data.keywords.values())
    is_class = data.whole and data.name[:1].isupper()
    return is_class and bool(given) and all(is_resolved(value.data) for value in given)


def is_passed_on(name: str) -> bool:
    """Tell whether a name has a meaning in other files: a library's, or a language's constant."""
    return "." in name or name.isupper()


def is_resolved(data: Data) -> bool:
    """Tell whether the value is known without running the program."""
    return not isinstance(data, Unknown | DottedName | Call)


def combined(operator: ast.operator, left: Data, right: Data) -> Data:
    """Do arithmetic on whole numbers, within bounds, and concatenate texts and lists.

    Return ``Unknown`` without a text if the result is unknown.
    """
    if isinstance(left, int) and isinstance(right, int):
        number = _arithmetic(operator, left, right)
        if number is not None and number.bit_length() <= LARGEST_BITS:
            return number
        return Unknown("")
    if not isinstance(operator, ast.Add):
        return Unknown("")
    if isinstance(left, str):
        if isinstance(right, str) or number_of(right) is not None:
            return f"{left}{right}"[:MOST_JOINED]
        return Prefix(left)
    if isinstance(left, Prefix):
        return left
    if isinstance(left, tuple) or isinstance(right, tuple):
        return (*_parts(left), *_parts(right))[:MOST_JOINED]
    return Unknown("")


def _parts(data: Data) -> tuple[Value, ...]:
    """Take the parts of a list; other data stands for parts that are not known."""
    if isinstance(data, tuple):
        return data[:MOST_JOINED]
    return (Value(Unknown("a list"), 0),)


def _arithmetic(operator: ast.operator, left: int, right: int) -> int | None:
    match operator:
        case ast.Add():
            return left + right
        case ast.Sub():
            return left - right
        case ast.Mult():
            return left * right
        case ast.FloorDiv() if right:
            return left // right
        case ast.LShift() if 0 <= right <= LARGEST_BITS:
            return left << right
        # The bits of a power are known before it is worked out, which may take very long.
        case ast.Pow() if right >= 0 and left.bit_length() * right <= 2 * LARGEST_BITS:
            return int(left**right)
    return None
