"""Costs in YAML where one setting names the algorithm and others its cost."""

from bisect import bisect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from hashcost.apps.files.yaml_file import Scalar, values
from hashcost.apps.interface import Found, joined
from hashcost.core.errors import at_line

Number: TypeAlias = Callable[[Scalar], int]
"""A param from what is written."""

SEAM: Final = "--- # the next file"
"""The line between two files that are read as one."""

_LARGEST_LOG2 = 62


def log2(value: Scalar) -> int:
    """Two to the power that is written.

    Raises:
        UnreadableInputError: it is not a number, or too large.
    """
    exponent = value.number()
    if exponent > _LARGEST_LOG2:
        raise at_line(
            value.line,
            f"{value.name} is {exponent}, which is beyond any cost; it is the logarithm",
        )
    return 1 << exponent


def of_first_document(text: str) -> tuple[Scalar, ...]:
    """Every value in a file; only those of the first document that sets anything win.

    Behind `SEAM` another file begins.
    """
    found = values(text)
    seams = [number for number, line in enumerate(text.splitlines(), 1) if line == SEAM]
    first: dict[int, int] = {}
    for each in found:
        first.setdefault(bisect(seams, each.line), each.document)
    return tuple(
        each
        if each.document == first[bisect(seams, each.line)]
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
    found: Sequence[Scalar],
    hasher: str,
    keys: Mapping[str, str],
    numbers: Mapping[str, Number],
    *,
    used: bool,
    because: str = "",
    at: int | None = None,
) -> tuple[Found, ...]:
    """What the file sets for one hasher, as one cost, after each value that it overrides.

    ``keys`` are the dotted names of its params, and ``numbers`` how some of them are read.
    ``used`` says whether the application uses this hasher, and ``because`` why. If it
    does and sets no cost, the line that names the hasher (``at``) stands for its default.
    """

    def cost(values: Mapping[str, Scalar], why: str, *, wins: bool) -> Found:
        return Found(
            hasher=hasher,
            params={
                param: numbers.get(param, Scalar.number)(value) for param, value in values.items()
            },
            line=min(value.line for value in values.values()),
            wins=wins,
            why=joined(*(value.why for value in values.values()), why),
            written=", ".join(value.written for value in values.values() if value.written),
        )

    lost, won = [], {}
    for param, name in keys.items():
        for value in named(found, name):
            if value.wins:
                won[param] = value
            else:
                lost.append(cost({param: value}, "", wins=False))
    if won:
        return (*lost, cost(won, because, wins=used))
    if used and at is not None:
        return (*lost, Found(hasher=hasher, params={}, line=at, why=because))
    return tuple(lost)
