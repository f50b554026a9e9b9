"""Every cost in the source code of a folder."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from hashcost.core.progress import Advance, Progress, within
from hashcost.source_code.files import (
    LeftOut,
    NotReadError,
    SourceFile,
    Unread,
    content_of,
    may_hold,
    sources,
)
from hashcost.source_code.parsed_file import check_installed
from hashcost.source_code.project.defaults import with_settings
from hashcost.source_code.reading import SetCost, Setting
from hashcost.source_code.workers import Failed, Job, read_all

_Found = TypeVar("_Found", bound=Setting)


@dataclass(frozen=True, kw_only=True)
class Scanned:
    """What the source code of a folder holds, in the order of its files."""

    files: int
    """How many were looked at."""
    parsed: int
    """How many of them might have held a cost."""
    costs: tuple[SetCost, ...]
    unknown: tuple[Setting, ...]
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
    left_out = LeftOut()
    found = list(
        sources(paths, exclude=exclude, include_vendored=include_vendored, left_out=left_out)
    )
    costs: list[SetCost] = []
    unknown: list[Setting] = []
    jobs = _jobs(found, left_out, within(progress, "reading source"))
    answers = dict(read_all(jobs, project=[str(each.path) for each in found if not each.in_tests]))
    for number, matches in sorted(answers.items()):
        source = found[number]
        if isinstance(matches, Failed):
            left_out.miss("not understood", source.path, matches.why, in_tests=source.in_tests)
            continue
        costs += (_placed(each, source) for each in matches.costs)
        unknown += (_placed(each, source) for each in matches.unknown)
    settled = with_settings(costs, unknown)
    return Scanned(
        files=len(found),
        parsed=len(answers),
        costs=settled.costs,
        unknown=(*settled.unknown, *map(_unread, left_out.unread)),
        skipped=dict(sorted(left_out.counts.items())),
    )


def _unread(each: Unread) -> Setting:
    """A whole file or folder whose costs are not known."""
    return Setting(line=0, call="", why=each.why, path=each.path, in_tests=each.in_tests)


def _placed(found: _Found, source: SourceFile) -> _Found:
    return replace(found, path=source.path, in_tests=source.in_tests or found.in_tests)


def _jobs(found: Sequence[SourceFile], left_out: LeftOut, advance: Advance) -> Iterator[Job]:
    """The texts that may hold a cost, by a search that is quick."""
    for number, source in enumerate(found):
        advance((number + 1) / len(found))
        try:
            content = content_of(source.path)
        except NotReadError as error:
            if may_hold(source):
                left_out.miss(error.reason, source.path, str(error), in_tests=source.in_tests)
            else:
                left_out.count(error.reason)
            continue
        if source.language.may_hold(content):
            yield Job(
                number=number,
                text=content.decode(errors="replace"),
                language=source.language.language,
                grammar=source.grammar,
                path=str(source.path),
            )
