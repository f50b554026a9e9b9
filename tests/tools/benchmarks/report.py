"""What a benchmark found, as values and as aligned plain text."""

import datetime as dt
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass

from hashcost.machine.host import this_host

_FIGURE = re.compile(r"(?:[±<≤$+-]?[ \d].*)?")
"""A cell that is set to the right; a column is if all its cells are."""


@dataclass(frozen=True)
class Table:
    """Rows of text under headings."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()

    def text(self) -> str:
        """The table with its columns aligned: words left, figures right."""
        columns = [*zip(self.columns, *self.rows, strict=True)]
        aligned = [
            [cell.rjust(width) if figures else cell.ljust(width) for cell in column]
            for column in columns
            for width in [max(map(len, column))]
            for figures in [all(map(_FIGURE.fullmatch, column[1:]))]
        ]
        lines = ("  ".join(line).rstrip() for line in zip(*aligned, strict=True))
        return "\n".join([self.title, *lines, *(f"  {note}" for note in self.notes)])


@dataclass(frozen=True)
class Report:
    """The tables of one benchmark."""

    tables: Sequence[Table]

    def text(self) -> str:
        """All tables, an empty line between them."""
        return "\n\n".join(table.text() for table in self.tables)


def verdict(*, met: bool) -> str:
    """The word beside a limit."""
    return "met" if met else "not met"


def percent(fraction: float) -> str:
    """A share or a width, without a sign."""
    return f"{fraction * 100:.1f} %"


def change(fraction: float) -> str:
    """How far something moved, with its sign."""
    return f"{fraction * 100:+.1f} %"


def cpu_count() -> int:
    """Count the CPUs that this process may use."""
    return len(os.sched_getaffinity(0))


def machine() -> dict[str, object]:
    """Describe where and when the figures were measured."""
    host = this_host().describe()
    return {
        "cpu": host.cpu_model,
        "cores": cpu_count(),
        "python": host.python,
        "openssl": host.openssl,
        "kernel": host.kernel,
        "date": f"{dt.datetime.now(dt.UTC):%Y-%m-%d %H:%M} UTC",
        "load": os.getloadavg()[0],
    }


def head(facts: dict[str, object]) -> str:
    """Put the facts of `machine` on one line, and a second one if it is not quiet."""
    line = ", ".join(str(facts[name]) for name in ("cpu", "python", "openssl", "date"))
    load = facts["load"]
    if isinstance(load, float) and load > 0.3:
        line += f"\nload {load:.1f} before the start: what is called quiet below may not be"
    return line
