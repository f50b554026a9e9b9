"""Costs in YAML where one setting names the algorithm and others its cost."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from hashcost.apps.files.yaml_file import Scalar
from hashcost.apps.interface import Found, joined
from hashcost.core.errors import UnreadableInputError

Number: TypeAlias = Callable[[Scalar], int]
"""A param from what is written."""

_LARGEST_LOG2 = 62


@dataclass(frozen=True, kw_only=True)
class Group:
    """The settings of one hasher: the dotted name of each param, and how to read it."""

    hasher: str
    keys: Mapping[str, str]
    number: Mapping[str, Number] | None = None

    def param(self, name: str, value: Scalar) -> int:
        """The param's value from what is written."""
        read = (self.number or {}).get(name, Scalar.number)
        return read(value)


def log2(value: Scalar) -> int:
    """Two to the power that is written.

    Raises:
        UnreadableInputError: it is not a number, or too large.
    """
    exponent = value.number()
    if exponent > _LARGEST_LOG2:
        raise UnreadableInputError(
            f"line {value.line}: {value.name} is {exponent}, which is beyond any cost;"
            " it is the logarithm"
        )
    return 1 << exponent


def of_first_document(found: Sequence[Scalar]) -> tuple[Scalar, ...]:
    """All of them; only those of the first document that sets anything win."""
    first = min((each.document for each in found), default=0)
    return tuple(
        each
        if each.document == first
        else replace(each, wins=False, why="only the first document is read")
        for each in found
    )


def named(found: Iterable[Scalar], name: str) -> list[Scalar]:
    """Those of a dotted name that are set, whether nested or written with dots.

    If it is written both ways, the last counts; an application may refuse such a file.
    """
    known = [each for each in found if each.name == name and not each.is_null]
    winning = [each for each in known if each.wins]
    if len(winning) < 2:
        return known
    last = winning[-1]
    again = f"line {last.line} sets it again"
    settled = {
        each: replace(each, why="written twice, which an application may refuse")
        if each is last
        else replace(each, wins=False, why=again)
        for each in winning
    }
    return [settled.get(each, each) for each in known]


def setting(found: Iterable[Scalar], name: str) -> Scalar | None:
    """The one of this name that is used."""
    return next((each for each in named(found, name) if each.wins), None)


def costs(
    found: Sequence[Scalar], group: Group, *, used: bool, because: str = "", at: int | None = None
) -> tuple[Found, ...]:
    """What the file sets for one hasher, as one cost, after each value that it overrides.

    ``used`` says whether the application uses this hasher, and ``because`` why. If it
    does and sets no cost, the line that names the hasher (``at``) stands for its default.
    """
    lost, won = [], {}
    for param, name in group.keys.items():
        for value in named(found, name):
            if value.wins:
                won[param] = value
            else:
                lost.append(_overridden(group, param, value))
    if won:
        return (
            *lost,
            Found(
                hasher=group.hasher,
                params={param: group.param(param, value) for param, value in won.items()},
                line=min(value.line for value in won.values()),
                wins=used,
                why=joined(*(value.why for value in won.values()), because),
                written=", ".join(value.written for value in won.values() if value.written),
            ),
        )
    if used and at is not None:
        return (*lost, Found(hasher=group.hasher, params={}, line=at, why=because))
    return tuple(lost)


def _overridden(group: Group, param: str, value: Scalar) -> Found:
    return Found(
        hasher=group.hasher,
        params={param: group.param(param, value)},
        line=value.line,
        wins=False,
        why=value.why,
        written=value.written,
    )
