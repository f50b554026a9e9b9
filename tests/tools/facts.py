"""``python -m tests.tools.facts [--fail]``: the ten facts whose sources were read longest ago.

A fact is a table of the package's data that says when its source was ``checked``, or when it was
``measured``. With ``--fail`` it ends with 1 if one is older than a year.
"""

import argparse
import datetime as dt
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

DATA: Final = Path(__file__).parents[2] / "src/hashcost"
SHOWN: Final = 10
OLDEST_DAYS: Final = 365


class Fact(NamedTuple):
    """A fact: the day of its source, its file and where it is there, and the source."""

    day: dt.date
    file: str
    place: str
    source: str


def facts(folder: Path = DATA) -> list[Fact]:
    """Find all facts below a folder that have a day, the oldest first."""
    found: list[Fact] = []
    for path in folder.rglob("*.toml"):
        name = str(path.relative_to(folder))
        found += _in_table(tomllib.loads(path.read_text("utf-8")), name, "")
    return sorted(found)


def _in_table(table: dict[str, Any], file: str, place: str) -> Iterator[Fact]:
    day = table.get("checked", table.get("measured"))
    if isinstance(day, dt.date):
        source = table.get("source", "; ".join(table.get("sources", ())))
        yield Fact(day, file, place or "the whole file", " ".join(source.split()))
    for key, value in table.items():
        inner = value if isinstance(value, list) else [value]
        for item in inner:
            if isinstance(item, dict):
                yield from _in_table(item, file, f"{place}.{key}".removeprefix("."))


def main(arguments: list[str], today: dt.date) -> int:
    """Print the oldest facts; the exit code is 1 if one is too old and that is to fail."""
    parser = argparse.ArgumentParser(prog="python -m tests.tools.facts", description=__doc__)
    parser.add_argument("--fail", action="store_true", help="end with 1 if one is too old")
    asked = parser.parse_args(arguments)
    oldest = facts()[:SHOWN]
    for fact in oldest:
        age = (today - fact.day).days
        print(f"{fact.day} ({age} days) {fact.file}: {fact.place}: {fact.source[:160]}")
    is_too_old = (today - oldest[0].day).days > OLDEST_DAYS
    if is_too_old:
        print(
            f"a source was read more than {OLDEST_DAYS} days ago: read it again, and set its day"
        )
    return int(is_too_old and asked.fail)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], dt.datetime.now(dt.UTC).date()))
