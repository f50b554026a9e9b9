"""Every cost in the source code of a folder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from hashcost.core.progress import Advance, Progress, within
from hashcost.source_code.files import SourceFile, content_of, sources
from hashcost.source_code.matching import SetCost, UntoldCost
from hashcost.source_code.parsed_file import check_installed
from hashcost.source_code.workers import Job, read_all


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
    skipped: Counter[str] = Counter()
    found = list(
        sources(paths, exclude=exclude, include_vendored=include_vendored, skipped=skipped)
    )
    costs: list[FoundCost] = []
    unknown: list[FoundUnknown] = []
    answers = dict(read_all(_jobs(found, skipped, within(progress, "reading source"))))
    for number, matches in sorted(answers.items()):
        path, in_tests = found[number].path, found[number].in_tests
        if matches is None:
            skipped["not understood"] += 1
            continue
        costs += (
            FoundCost(path=path, cost=each, in_tests=in_tests or each.in_tests)
            for each in matches.costs
        )
        unknown += (
            FoundUnknown(path=path, unknown=each, in_tests=in_tests or each.in_tests)
            for each in matches.unknown
        )
    return Scanned(
        files=len(found),
        parsed=len(answers),
        costs=tuple(costs),
        unknown=tuple(unknown),
        skipped=dict(sorted(skipped.items())),
    )


def _jobs(found: Sequence[SourceFile], skipped: Counter[str], advance: Advance) -> Iterator[Job]:
    """The texts that may hold a cost, by a search that is quick."""
    for number, source in enumerate(found):
        advance((number + 1) / len(found))
        content = content_of(source.path, skipped)
        if content is not None and source.language.may_hold(content):
            yield Job(
                number=number,
                text=content.decode(errors="replace"),
                language=source.language.language,
                grammar=source.grammar,
            )
