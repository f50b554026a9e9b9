"""Reads a table of costs and times, in whatever form it was published. Pure."""

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from hashcost.core.errors import UnreadableInputError, UsageError
from hashcost.core.quoting import quoted
from hashcost.core.units import parse_duration

_MOST_ROWS: Final = 10_000
_SHORTEST: Final = 1e-12
_LONGEST: Final = 1e9
"""Seconds, as in a file of ours."""
_UNITS: Final = {
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), 1.0),
    **dict.fromkeys(("ms", "msec", "millis", "millisecond", "milliseconds"), 1e-3),
    **dict.fromkeys(("us", "µs", "μs", "usec", "microsecond", "microseconds"), 1e-6),
    **dict.fromkeys(("ns", "nsec", "nanosecond", "nanoseconds"), 1e-9),
}
_COSTS: Final = (
    "cost",
    "rounds",
    "iterations",
    "iteration",
    "count",
    "value",
    "n",
    "factor",
    "memory",
    "work",
)
_TIMES: Final = ("time", "cpu", "wall", "real", "elapsed", "duration", "total")
_NOT_THE_TIME: Final = frozenset(
    {"low", "high", "error", "user", "system", "sys", "fitted", "target", "overhead", "std", "min"}
)
_DIGITS = re.compile(r"[0-9]{1,3}(?:[ _',.\u00a0\u2009\u202f][0-9]{3})+|[0-9]+")
_DIGIT = re.compile("[0-9]")
_HEAD_WORD = re.compile(r"[a-zµμ]+")


@dataclass(frozen=True, kw_only=True)
class Measured:
    """A cost and the seconds that a hash took, on whatever machine."""

    cost: int
    seconds: float
    hasher: str | None = None


@dataclass(frozen=True, kw_only=True)
class PublishedTable:
    """The rows of a table, with the names of the columns that they were read from."""

    rows: tuple[Measured, ...]
    cost_column: str
    time_column: str
    headed: bool
    """Whether it had a header; without one costs and seconds were assumed."""


@dataclass(frozen=True, kw_only=True)
class _Columns:
    cost: int
    time: int
    unit: float | None
    hasher: int | None = None
    status: int | None = None


def read_table(text: str, *, name: str) -> PublishedTable:
    """Read columns of costs and times between commas, semicolons, tabs or bars.

    A line that starts with ``#`` is a comment. The header tells which column is the
    cost and which the time, and its unit, unless each time has its own. Of a sweep's
    CSV the rows that were measured are taken.

    Raises:
        UnreadableInputError: it is no such table; the message names the line.
    """
    lines = [
        (number, line.strip())
        for number, line in enumerate(text.lstrip("\ufeff").splitlines(), 1)
        if line.strip() and not line.lstrip().startswith("#")
    ]
    if len(lines) > _MOST_ROWS:
        raise UnreadableInputError(f"{name} has more than {_MOST_ROWS} lines; shorten it")
    delimiter = _delimiter(lines[0][1]) if lines else ","
    grid = [(number, _cells(line, delimiter, f"{name}:{number}")) for number, line in lines]
    grid = [(number, cells) for number, cells in grid if cells and not _is_rule(cells)]
    if not grid:
        raise UnreadableInputError(f"{name} is empty; it needs columns cost, seconds")
    header = [cell.strip().lower() for cell in grid[0][1]]
    headed = not any(_DIGIT.match(cell) for cell in header)
    columns = _columns(header, name) if headed else _Columns(cost=0, time=1, unit=1.0)
    body = grid[1:] if headed else grid
    rows = tuple(_rows(body, columns, decimal_comma=delimiter in ";\t|", name=name))
    return PublishedTable(
        rows=rows,
        cost_column=grid[0][1][columns.cost].strip() if headed else "cost",
        time_column=grid[0][1][columns.time].strip() if headed else "seconds",
        headed=headed,
    )


def _delimiter(line: str) -> str:
    found = next((each for each in "\t;|" if each in line), None)
    return found or ("," if "," in line else " ")


def _cells(line: str, delimiter: str, where: str) -> list[str]:
    if delimiter == " ":
        return line.split()
    if delimiter == "|":
        line = line.strip("|")
    try:
        return [cell.strip() for cell in next(csv.reader([line], delimiter=delimiter), [])]
    except csv.Error as error:
        raise UnreadableInputError(f"{where}: it cannot be read: {error}") from error


def _is_rule(cells: Sequence[str]) -> bool:
    """The line below the header of a Markdown table."""
    return all(cell and not cell.strip("-: ") for cell in cells)


def _columns(header: Sequence[str], name: str) -> _Columns:
    words = [_HEAD_WORD.findall(title) for title in header]
    times = [index for index, each in enumerate(words) if _is_time(each)]
    costs = [
        index
        for index, each in enumerate(words)
        if index not in times and any(word in _COSTS for word in each)
    ]
    if not costs or not times:
        missing = "cost" if not costs else "time"
        wanted = "cost, rounds or iterations" if not costs else "seconds or ms"
        raise UnreadableInputError(
            f"{name} has no column for the {missing}; call it {wanted}, not"
            f" {_quoted(', '.join(header))}"
        )
    cost = min(costs, key=lambda index: _COSTS.index(_first(words[index], _COSTS)))
    time = min(
        times,
        key=lambda index: (
            words[index] != ["time", "seconds"],
            "cpu" not in words[index],
            "time" not in words[index],
        ),
    )
    unit = next((_UNITS[word] for word in words[time] if word in _UNITS), None)
    return _Columns(
        cost=cost,
        time=time,
        unit=unit,
        hasher=next((i for i, title in enumerate(header) if title in ("hasher", "hash")), None),
        status=header.index("status") if "status" in header else None,
    )


def _is_time(words: Sequence[str]) -> bool:
    named = any(word in _UNITS or word in _TIMES for word in words)
    return named and "per" not in words and not _NOT_THE_TIME.intersection(words)


def _first(words: Sequence[str], known: Sequence[str]) -> str:
    return next(word for word in words if word in known)


def _rows(
    grid: Sequence[tuple[int, Sequence[str]]],
    columns: _Columns,
    *,
    decimal_comma: bool,
    name: str,
) -> Iterator[Measured]:
    last = max(columns.cost, columns.time, columns.hasher or 0, columns.status or 0)
    for number, cells in grid:
        if len(cells) <= last:
            raise UnreadableInputError(f"{name}:{number}: too few columns; add the missing value")
        if columns.status is not None and cells[columns.status] not in ("measured", ""):
            continue
        where = f"{name}:{number}"
        yield Measured(
            cost=_cost(cells[columns.cost], where),
            seconds=_seconds(
                cells[columns.time], columns.unit, where, decimal_comma=decimal_comma
            ),
            hasher=None if columns.hasher is None else cells[columns.hasher],
        )


def _cost(cell: str, where: str) -> int:
    if _DIGITS.fullmatch(cell) and len(cell) <= 24:
        cost = int(re.sub("[^0-9]", "", cell))
        if 0 < cost < 2**63:
            return cost
    raise UnreadableInputError(
        f"{where}: {_quoted(cell)} is not a cost; write a whole number above zero"
    )


def _seconds(cell: str, unit: float | None, where: str, *, decimal_comma: bool) -> float:
    figure = cell.replace(",", ".") if decimal_comma else cell
    try:
        seconds = float(figure) if unit is not None else parse_duration(figure)
    except UsageError as error:
        raise UnreadableInputError(
            f"{where}: {error}; or name the column seconds or ms"
        ) from error
    except ValueError:
        try:
            seconds, unit = parse_duration(figure), 1.0
        except UsageError:
            raise UnreadableInputError(
                f"{where}: {_quoted(cell)} is not a time; write for example 40ms"
            ) from None
    seconds *= unit or 1.0
    if not seconds > 0:
        raise UnreadableInputError(
            f"{where}: {_quoted(cell)} is not a time above zero; write for example 40ms"
        )
    if not _SHORTEST <= seconds <= _LONGEST:
        raise UnreadableInputError(
            f"{where}: {_quoted(cell)} is not a plausible time; write for example 40ms"
        )
    return seconds


def _quoted(text: str) -> str:
    return quoted(text, 40)
