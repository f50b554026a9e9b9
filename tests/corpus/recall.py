"""What a scan finds of the costs in a snippet, beside what is true."""

from __future__ import annotations

import tempfile
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hashcost.core.errors import UnreadableInputError
from hashcost.core.measurement import Params
from hashcost.source_code.costs import SetCost
from hashcost.source_code.scan import scan

HERE = Path(__file__).parent
OPEN = HERE / "snippets"
KEPT_ASIDE = HERE / "kept_aside" / "snippets"
"""Snippets that nobody looks at who works on the scan."""

_NEAR = 3
"""So many lines beside the place a row may stand: a cost is set where an object is made, or
where it is told."""


@dataclass(frozen=True)
class Row:
    """A cost at a place; without params one that is not told."""

    path: str
    line: int
    hasher: str = ""
    params: Params | None = None

    def is_near(self, other: Row) -> bool:
        """Whether both are about one place."""
        return self.path == other.path and abs(self.line - other.line) <= _NEAR

    def is_found_as(self, other: Row) -> bool:
        """Whether a row of a scan says the same of the same place."""
        return (
            self.is_near(other)
            and self.params == other.params
            and (self.params is None or self.hasher == other.hasher)
        )


@dataclass(frozen=True)
class Snippet:
    """The files of a small project, and the costs that are really set in them."""

    language: str
    name: str
    files: dict[str, str]
    costs: tuple[Row, ...]


@dataclass(frozen=True)
class Score:
    """Which costs of a snippet a scan found, which it missed, and what it said besides.

    Of those missed, some are ``listed`` as unknown.
    """

    found: list[Row] = field(default_factory=list)
    missed: list[Row] = field(default_factory=list)
    listed: list[Row] = field(default_factory=list)
    besides: list[Row] = field(default_factory=list)


def snippets(folder: Path) -> Iterator[Snippet]:
    """The snippets of a folder, which has a file for each language."""
    for path in sorted(folder.glob("*.toml")):
        for each in tomllib.loads(path.read_text("utf-8")).get("snippet", ()):
            yield Snippet(
                language=path.stem,
                name=each["name"],
                files=each["files"],
                costs=tuple(map(_row, each.get("cost", ()))),
            )


def score(snippet: Snippet) -> Score:
    """Scan a snippet, and compare the rows with its costs."""
    left = list(_scanned(snippet))
    result = Score()
    for cost in snippet.costs:
        same = [each for each in left if each.is_found_as(cost)]
        nearest = min(same, key=lambda each: abs(each.line - cost.line), default=None)
        if nearest is None:
            result.missed.append(cost)
        else:
            left.remove(nearest)
            result.found.append(cost)
    for cost in result.missed:
        unknown = [each for each in left if each.params is None and each.is_near(cost)]
        result.listed.extend(unknown[:1])
        left = [each for each in left if each not in unknown[:1]]
    result.besides.extend(left)
    return result


def _scanned(snippet: Snippet) -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        for name, text in snippet.files.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        try:
            found = scan([Path(folder)])
        except UnreadableInputError:  # Nothing in it is source code.
            return
        for each in (*found.costs, *found.unknown):
            if not each.in_tests:
                params = each.params if isinstance(each, SetCost) else None
                path = each.path.relative_to(folder)
                yield Row(path.as_posix(), each.line, each.hasher, params)


def _row(cost: dict[str, Any]) -> Row:
    path, _, line = str(cost["at"]).rpartition(":")
    return Row(path, int(line), str(cost["hasher"]), cost.get("params"))
