"""The parts of one check: costs that are named, those of applications, those in source code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hashcost.cli.check_run import CheckRun
from hashcost.render.commands.check import check_document
from hashcost.verdicts.judgement import CheckReport, Configured, Judgement

if TYPE_CHECKING:
    from hashcost.render.document import Document
    from hashcost.verdicts.app_costs import Held


@dataclass(frozen=True, kw_only=True)
class Part:
    """Costs that stand in one kind of place, and what is found where there is none."""

    held: tuple[Held, ...] = ()
    on_unknown: str = "fail"
    """``pass`` or ``fail``, unless the user says which, where no cost is told."""

    @property
    def costs(self) -> tuple[Configured, ...]:
        """What is to be judged."""
        return tuple(each for each in self.held if isinstance(each, Configured))

    def results(self, judged: Sequence[Judgement]) -> tuple[Judgement, ...]:
        """What is found in the place, with the judgements of its costs."""
        rest = iter(judged)
        return tuple(next(rest) if isinstance(each, Configured) else each for each in self.held)

    def told(self, document: Document, report: CheckReport) -> Document:
        """The document of a report, with what else is to be said of the place."""
        return document


def completed(run: CheckRun, held: Sequence[Held]) -> Part:
    """A part of these costs, with every param."""
    whole = iter(run.completed([each for each in held if isinstance(each, Configured)]))
    return Part(held=tuple(next(whole) if isinstance(each, Configured) else each for each in held))


def conclude(run: CheckRun, parts: Sequence[Part]) -> int:
    """Judge the costs of all parts at once, write one report, and return the exit code."""
    measured, judged, notices = run.check([cost for part in parts for cost in part.costs])
    rest = iter(judged)
    found = [(part, part.results([next(rest) for _ in part.costs])) for part in parts]
    report = run.report(measured, tuple(row for _, rows in found for row in rows), notices)
    severities = [run.severity(row, part.on_unknown) for part, rows in found for row in rows]
    document = check_document(report, severities)
    for part in parts:
        document = part.told(document, report)
    run.write(document, notices)
    codes = [run.code(rows, part.on_unknown) for part, rows in found]
    return run.end(document, codes, notices)
