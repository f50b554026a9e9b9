"""What `calibrate scan` shows: the check of each cost, and what was not judged."""

from msgspec.structs import replace

from hashcost.core.units import format_cost
from hashcost.render.commands.check import check_document
from hashcost.render.document import Column, Document, Severity, Table, table
from hashcost.render.wording import counted
from hashcost.verdicts.source_costs import ScanReport


def scan_document(
    report: ScanReport, *, inconclusive: Severity, failing: Severity, verbose: bool = False
) -> Document:
    """A row per cost, as in a check; below them those in tests, which are not judged.

    ``verbose`` lists every call whose cost is not known instead of counting them.
    """
    document = check_document(report, inconclusive=inconclusive, failing=failing)
    files = counted(report.files, "source file", "source files")
    left = ", ".join(f"{count:,} {reason}" for reason, count in report.skipped.items())
    return replace(
        document,
        head=(
            *(document.head if report.results else ("no cost found to judge",)),
            f"{files} read{f'; left out: {left}' if left else ''}",
        ),
        tables=(*document.tables, *_tables(report)[: 2 if verbose else 1]),
        notes=(*dict.fromkeys(document.notes), *(() if verbose else _summary(report))),
    )


def _summary(report: ScanReport) -> tuple[str, ...]:
    count = len(report.not_judged)
    if not count:
        return ()
    calls = counted(count, "call sets a cost", "calls set a cost")
    first = report.not_judged[0].place
    return (f"{calls} that the file does not tell, the first at {first}; --verbose lists them.",)


def _tables(report: ScanReport) -> tuple[Table, Table]:
    where = Column("where", flexible=True)
    return (
        table(
            report.in_tests,
            (Column("hasher"), lambda row: row.hasher),
            (Column("cost", flexible=True, pairs=True), lambda row: format_cost(row.params)),
            (where, lambda row: str(row.place)),
            title="In tests, not judged:",
        ),
        table(
            report.not_judged,
            (Column("call", flexible=True), lambda row: row.call),
            (Column("why", flexible=True), lambda row: row.why),
            (where, lambda row: str(row.place)),
            title="Set a cost that the file does not tell:",
        ),
    )
