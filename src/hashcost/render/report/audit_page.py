"""What an audit counted, on one page. Pure."""

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from hashcost.core.units import format_percent
from hashcost.core.version import __version__
from hashcost.render.boundary import shown
from hashcost.render.commands.audit import audit_document
from hashcost.render.document import Table
from hashcost.render.plot.audit import audit_figure
from hashcost.render.plot.chart import Bar, Bars, Tally
from hashcost.render.report.page import Fact, Page, Part, Picture, Section
from hashcost.render.report.parts import raw_part
from hashcost.verdicts.audit import Audit
from hashcost.worth.attackers.device import Device

_HASHES: Final = "Stored hashes by hasher and cost"


def audit_page(audit: Audit, devices: Sequence[Device], *, name: str) -> Page:
    """How many hashes are weak, in words, figures, a table and charts; ``name`` is the source."""
    document = shown(audit_document(audit, devices))
    figure = audit_figure(audit)
    bars = [_bars(chart) for chart in figure.charts if isinstance(chart, Tally)]
    pictures = tuple(
        Picture(chart=chart, words=f"{chart.title}. The figures are in the table.")
        for chart in bars
    )
    return Page(
        title="What the stored hashes are worth",
        sections=(
            Section(
                title=f"{audit.total:,} stored hashes",
                origin=name,
                facts=_facts(audit),
                summary=document.answer,
                parts=(
                    Part(
                        title=_HASHES,
                        tables=tuple(map(_titled, document.tables)),
                        pictures=pictures,
                        notes=document.notes,
                    ),
                    raw_part(document, name, lines_of="hasher and cost"),
                ),
            ),
        ),
        written_by=f"hashcost {__version__}",
    )


def _bars(chart: Tally) -> Bars:
    """How often each cost occurs, along a linear axis."""
    return Bars(
        title=chart.title,
        axis=replace(chart.axis, logarithmic=False),
        bars=tuple(Bar(label=bar.label, value=float(bar.count)) for bar in chart.bars),
    )


def _titled(table: Table) -> Table:
    """The table without its bars, which the chart draws."""
    kept = [index for index, column in enumerate(table.columns) if column.title]
    return replace(
        table,
        columns=tuple(table.columns[index] for index in kept),
        rows=tuple(
            replace(row, cells=tuple(row.cells[index] for index in kept)) for row in table.rows
        ),
    )


def _facts(audit: Audit) -> tuple[Fact, ...]:
    """How many hashes there are, and how many are below the minimum and the target."""
    weak = {
        f"below the minimum of {' or '.join(audit.policies)}": audit.below_floor,
        "cheaper than the target": audit.below_target,
    }
    if not audit.policies:
        del weak[next(iter(weak))]
    return (
        Fact(name="stored hashes", figure=f"{audit.total:,}"),
        *(
            Fact(name=about, figure=f"{many:,}", remark=_share(many, audit.total))
            for about, many in weak.items()
            if many is not None
        ),
    )


def _share(part: int, whole: int) -> str:
    return f"{format_percent(part / whole)} of all" if whole else ""
