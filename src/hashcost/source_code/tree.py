"""Every cost in the source code of a folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from hashcost.source_code.files import Skipped, SourceFile, content_of, sources
from hashcost.source_code.matching import Matches, SetCost, UntoldCost
from hashcost.source_code.parsed_file import check_installed
from hashcost.source_code.workers import Job, read_all

Progress: TypeAlias = Callable[[float], None]


@dataclass(frozen=True, kw_only=True)
class FoundCost:
    """A cost and the file that it is in."""

    path: Path
    cost: SetCost
    in_tests: bool


@dataclass(frozen=True, kw_only=True)
class FoundUnknown:
    """A call whose cost the file does not tell, and the file."""

    path: Path
    unknown: UntoldCost
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
    answers: dict[int, Matches] = {}
    parsed = 0
    for number, matches in read_all(_jobs(found, skipped, progress)):
        parsed += 1
        if matches is None:
            skipped.note("not understood")
        else:
            answers[number] = matches
    costs = [
        FoundCost(path=source.path, cost=cost, in_tests=source.in_tests or cost.in_tests)
        for number, source in enumerate(found)
        for cost in (answers[number].costs if number in answers else ())
    ]
    unknown = [
        FoundUnknown(path=source.path, unknown=each, in_tests=source.in_tests or each.in_tests)
        for number, source in enumerate(found)
        for each in (answers[number].unknown if number in answers else ())
    ]
    return Scanned(
        files=len(found),
        parsed=parsed,
        costs=tuple(costs),
        unknown=tuple(unknown),
        skipped=dict(sorted(skipped.counts.items())),
    )


def _jobs(
    found: Sequence[SourceFile], skipped: Skipped, progress: Progress | None
) -> Iterator[Job]:
    """The texts that may hold a cost, by a search that is quick."""
    for number, source in enumerate(found):
        if progress is not None:
            progress((number + 1) / len(found))
        content = content_of(source.path, skipped)
        if content is not None and source.language.may_hold(content):
            yield Job(
                number=number,
                text=content.decode(errors="replace"),
                language=source.language.language,
                grammar=source.grammar,
            )
