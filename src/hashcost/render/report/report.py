"""Everything that was measured, on one page. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from hashcost.compare.comparison import compare, target_of
from hashcost.compare.measured_machine import of_profile, of_sweep
from hashcost.core.errors import InconclusiveError
from hashcost.core.profile import Profile
from hashcost.core.units import format_cost, format_duration
from hashcost.core.version import __version__
from hashcost.render.document import Column, Row, Table
from hashcost.render.documents.compare import comparison_document
from hashcost.render.documents.worth import dearest_first
from hashcost.render.machine_line import processors
from hashcost.render.plot.compare import comparison_figure
from hashcost.render.report.page import Page, Part, Picture
from hashcost.render.report.profile import profile_section
from hashcost.render.report.sweep import sweep_section
from hashcost.sweep.model import Sweep
from hashcost.sweep.target import answer_of
from hashcost.worth.attackers.device import Device
from hashcost.worth.policies.policy import Policy

_FEWEST: Final = 2
_FITTED: Final = (
    "~ is by the fit of a sweep; of memory there is none, and the most that was timed within the"
    " target stands here."
)


def report_page(
    measured: Sequence[tuple[str, Profile | Sweep]],
    *,
    policies: Sequence[Policy] = (),
    devices: Sequence[Device] = (),
    solved_again: bool = False,
) -> Page:
    """A section for each profile and sweep, with the name of the file that it is from.

    ``policies`` and ``devices`` are those that the profiles were appraised by.
    """
    sections = tuple(
        profile_section(
            each, name=name, policies=policies, devices=devices, solved_again=solved_again
        )
        if isinstance(each, Profile)
        else sweep_section(each, name=name)
        for name, each in measured
    )
    return Page(
        title="What a password hash should cost",
        sections=sections,
        common=(
            *((_overview(measured),) if len(measured) >= _FEWEST else ()),
            *_side_by_side(measured, policies),
        ),
        written_by=f"hashcost {__version__}",
    )


def _overview(measured: Sequence[tuple[str, Profile | Sweep]]) -> Part:
    """Every cost with its file; the cost stands first, since a phone shows no more at once."""
    swept = any(isinstance(each, Sweep) for _, each in measured)
    return Part(
        title="At a glance",
        tables=(
            Table(
                columns=(
                    Column("hasher"),
                    Column("use this cost", flexible=True, bold=True, pairs=True),
                    Column("one hash", right=True),
                    Column("target", right=True),
                    Column("file"),
                    Column("machine"),
                    Column("implementation", flexible=True),
                ),
                rows=tuple(
                    Row(
                        cells=(
                            *cells,
                            format_duration(each.target_seconds),
                            name,
                            processors(each.machine),
                            library,
                        )
                    )
                    for name, each in measured
                    for library, cells in (
                        _costs(each) if isinstance(each, Profile) else _swept(each)
                    )
                ),
            ),
        ),
        notes=(_FITTED,) if swept else (),
    )


def _costs(profile: Profile) -> Iterator[tuple[str, tuple[str, str, str]]]:
    """The library of each row, and its first cells."""
    for row in dearest_first(profile.recommendations):
        library = f"{row.implementation} {row.implementation_version}"
        yield library, (row.hasher, format_cost(row.params), format_duration(row.time_seconds))


def _swept(sweep: Sweep) -> Iterator[tuple[str, tuple[str, str, str]]]:
    for swept in sweep.hashers:
        library = f"{swept.implementation} {swept.implementation_version}"
        answer = answer_of(swept, sweep.rows_of(swept), sweep.target_seconds)
        if answer is None:
            yield library, (swept.hasher, "none within the target", "-")
        else:
            time = format_duration(answer.seconds)
            time = f"~{time}" if answer.by_fit else time
            yield library, (swept.hasher, format_cost(answer.params), time)


def _side_by_side(
    measured: Sequence[tuple[str, Profile | Sweep]], policies: Sequence[Policy]
) -> Iterator[Part]:
    """What the files say together, if they have a hasher in common."""
    machines = [
        of_profile(each, name=name, source=name)
        if isinstance(each, Profile)
        else of_sweep(each, name=name, source=name)
        for name, each in measured
    ]
    if len(machines) < _FEWEST:
        return
    try:
        found = compare(
            machines,
            baseline=machines[0],
            target_seconds=target_of(machines),
            policies=policies,
        )
    except InconclusiveError:
        return
    targets = {each.target_seconds for each in machines}
    document = comparison_document(found, policies=policies, targets_differ=len(targets) > 1)
    yield Part(
        title="Side by side",
        paragraphs=document.head,
        tables=document.tables,
        pictures=tuple(
            Picture(
                chart=chart, title=chart.title, words="The same figures are in the tables above."
            )
            for chart in comparison_figure(found).charts
        ),
        notes=document.notes,
    )
