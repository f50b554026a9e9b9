"""The part of a check that is in source code."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from hashcost.cli.check_parts import Part
from hashcost.cli.check_run import CheckRun, shown
from hashcost.cli.progress import progress_bar
from hashcost.render.commands.check import scan_document
from hashcost.render.document import Document
from hashcost.source_code.scan import Scanned, scan
from hashcost.verdicts.check import check_one
from hashcost.verdicts.judgement import CheckReport, Configured, Judgement
from hashcost.verdicts.source_costs import ScanReport, Sorted, everywhere, sort


@dataclass(frozen=True, kw_only=True)
class SourceCode(Part):
    """Costs in source code: each is judged once, wherever it stands."""

    on_unknown: str = "pass"
    run: CheckRun
    sorted_: Sorted
    scanned: Scanned

    @property
    def costs(self) -> tuple[Configured, ...]:
        """Each cost once."""
        return self.sorted_.distinct

    def results(self, judged: Sequence[Judgement]) -> tuple[Judgement, ...]:
        """Judge each cost at every place that has it, and list what has none."""
        return everywhere(
            self.sorted_, judged, lambda cost: check_one(cost, None, self.run.standard)
        )

    def told(self, document: Document, report: CheckReport) -> Document:
        """Add to the document of a report how much was read and what tests set."""
        scanned = ScanReport(
            **msgspec.structs.asdict(report),
            files=self.scanned.files,
            parsed=self.scanned.parsed,
            in_tests=self.sorted_.in_tests,
            skipped=self.scanned.skipped,
        )
        return scan_document(document, scanned)


def source_code(
    run: CheckRun,
    paths: Sequence[Path],
    *,
    exclude: Sequence[str] = (),
    include_tests: bool = False,
    include_vendored: bool = False,
) -> SourceCode:
    """Find the costs in the source code of folders and files; nothing of it is run."""
    with progress_bar(quiet=run.given["out"].quiet) as progress:
        scanned = scan(
            paths, exclude=exclude, include_vendored=include_vendored, progress=progress
        )
    sorted_ = sort(
        scanned, lambda cost: run.completed((cost,))[0], shown, include_tests=include_tests
    )
    return SourceCode(run=run, scanned=scanned, sorted_=sorted_)
