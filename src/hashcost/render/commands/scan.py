"""What `calibrate scan` shows: the check of each cost, and those that tests set."""

from msgspec.structs import replace

from hashcost.core.units import format_setting
from hashcost.render.document import Column, Document, table
from hashcost.render.wording import counted
from hashcost.verdicts.source_costs import ScanReport


def scan_document(document: Document, report: ScanReport) -> Document:
    """The document of a check with how much was read, and below it the costs in tests."""
    files = counted(report.files, "source file", "source files")
    left = ", ".join(f"{count:,} {reason}" for reason, count in report.skipped.items())
    in_tests = table(
        report.in_tests,
        (Column("hasher"), lambda row: row.hasher),
        (Column("cost", flexible=True), lambda row: format_setting(row.params)),
        (Column("where", flexible=True, below=True), lambda row: str(row.place)),
        title="In tests, not judged:",
    )
    return replace(
        document,
        head=(
            *(document.head if report.results else ("no cost found",)),
            f"{files} read{f'; left out: {left}' if left else ''}",
        ),
        tables=(*document.tables, in_tests),
        notes=tuple(dict.fromkeys(document.notes)),
        value=report,
    )
