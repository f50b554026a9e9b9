"""Every cost in the source code of a folder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from hashcost.scan.files import Skipped, content_of, sources
from hashcost.scan.matching import Cost, Unknown, check_installed, matches

Progress: TypeAlias = Callable[[float], None]


@dataclass(frozen=True, kw_only=True)
class FoundCost:
    """A cost and the file that it is in."""

    path: Path
    cost: Cost
    in_tests: bool


@dataclass(frozen=True, kw_only=True)
class FoundUnknown:
    """A call whose cost the file does not tell, and the file."""

    path: Path
    unknown: Unknown
    in_tests: bool


@dataclass(frozen=True, kw_only=True)
class Scanned:
    """What the source code of a folder holds, in the order of its files."""

    files: int
    """How many were looked at."""
    parsed: int
    """How many of them might have held a cost."""
    costs: tuple[FoundCost, ...]
    unknown: tuple[FoundUnknown, ...]
    skipped: dict[str, int] = field(default_factory=dict)
    """How many files and folders were left out, by reason."""


def scan(
    paths: Sequence[Path],
    *,
    exclude: Sequence[str] = (),
    include_vendored: bool = False,
    progress: Progress | None = None,
) -> Scanned:
    """Read the source files of folders; nothing of them is run.

    Raises:
        UnavailableError: the grammars are not installed.
        UnreadableInputError: a path that is named cannot be read.
    """
    check_installed()
    skipped = Skipped()
    found = list(
        sources(paths, exclude=exclude, include_vendored=include_vendored, skipped=skipped)
    )
    costs: list[FoundCost] = []
    unknown: list[FoundUnknown] = []
    parsed = 0
    for number, source in enumerate(found, 1):
        if progress is not None:
            progress(number / len(found))
        content = content_of(source.path, skipped)
        if content is None or not source.language.may_hold(content):
            continue
        parsed += 1
        text = content.decode(errors="replace")
        try:
            matched = matches(text, source.language, grammar=source.grammar)
        except (RecursionError, RuntimeError):
            skipped.note("not understood")
            continue
        costs += [
            FoundCost(path=source.path, cost=each, in_tests=source.in_tests or each.in_tests)
            for each in matched.costs
        ]
        unknown += [
            FoundUnknown(path=source.path, unknown=each, in_tests=source.in_tests or each.in_tests)
            for each in matched.unknown
        ]
    return Scanned(
        files=len(found),
        parsed=parsed,
        costs=tuple(costs),
        unknown=tuple(unknown),
        skipped=dict(sorted(skipped.counts.items())),
    )
