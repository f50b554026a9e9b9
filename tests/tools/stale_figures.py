"""List the shipped figures that nobody has looked at for a year.

``python -m tests.tools.stale_figures [--older-than DAYS]``: one line each, the oldest first, with
the day, what the file calls it, the file and the place in it.

``checked`` is the day on which a source was read, ``measured`` that of a measurement, and
``date`` the day on which somebody else published the figure: a policy that is old and still
in force is listed too, and looking whether it is takes a minute.
"""

from __future__ import annotations

import argparse
import datetime as dt
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

ROOT: Final = Path(__file__).parents[2] / "src" / "hashcost"
DAYS: Final = ("checked", "measured", "date")
_YEAR: Final = 365


class Dated(NamedTuple):
    """A day in a data file, and where it stands."""

    day: dt.date
    called: str
    file: str
    place: str


def dated(table: Any, file: str, place: str = "") -> Iterator[Dated]:
    """Every day in a table and in the tables within it."""
    if isinstance(table, list):
        for number, part in enumerate(table):
            yield from dated(part, file, f"{place}[{number}]")
    elif isinstance(table, dict):
        for key, value in table.items():
            if key in DAYS and isinstance(value, dt.date):
                yield Dated(value, key, file, place)
            else:
                yield from dated(value, file, f"{place}.{key}".removeprefix("."))


def shipped() -> Iterator[Dated]:
    """Every day in the data that is shipped."""
    for path in ROOT.rglob("*.toml"):
        yield from dated(tomllib.loads(path.read_text("utf-8")), str(path.relative_to(ROOT)))


def main() -> None:
    """Print what is old."""
    parser = argparse.ArgumentParser(prog="python -m tests.tools.stale_figures")
    parser.add_argument("--older-than", type=int, default=_YEAR, metavar="DAYS")
    limit = dt.datetime.now(dt.UTC).date() - dt.timedelta(days=parser.parse_args().older_than)
    for figure in sorted(shipped()):
        if figure.day < limit:
            print(f"{figure.day}  {figure.called:8}  {figure.file}  {figure.place}".rstrip())


if __name__ == "__main__":
    main()
