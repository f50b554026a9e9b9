"""Everything that was measured, on one page. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from hashcost import __version__
from hashcost.attackers.device import Device
from hashcost.comparing.comparison import compare, target_of
from hashcost.comparing.measurement import of_profile, of_sweep
from hashcost.errors import InconclusiveError
from hashcost.model import Profile
from hashcost.policies.policy import Policy
from hashcost.render.compare import comparison_document
from hashcost.render.document import Column, Row, Table
from hashcost.render.plot.compare import comparison_figure
from hashcost.render.recommendation import processors
from hashcost.render.report.page import Page, Part, Picture
from hashcost.render.report.profile import profile_section
from hashcost.render.report.sweep import sweep_section
from hashcost.render.worth import dearest_first
from hashcost.sweeping.model import Sweep
from hashcost.units import format_cost, format_duration

_FEWEST: Final = 2


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
    profiles = [(name, each) for name, each in measured if isinstance(each, Profile)]
    return Page(
        title="What a password hash should cost",
        sections=sections,
        common=(
            *((_overview(profiles),) if len(profiles) > 1 else ()),
            *_side_by_side(measured, policies),
        ),
        written_by=f"hashcost {__version__}",
    )


def _overview(profiles: Sequence[tuple[str, Profile]]) -> Part:
    return Part(
        title="At a glance",
        tables=(
            Table(
                columns=(
                    Column(title="file"),
                    Column(title="machine"),
                    Column(title="target", right=True),
                    Column(title="hasher"),
                    Column(title="use this cost", flexible=True, bold=True, pairs=True),
                    Column(title="one hash", right=True),
                ),
                rows=tuple(
                    Row(
                        cells=(
                            name,
                            processors(profile.machine),
                            format_duration(profile.target_seconds),
                            row.label,
                            format_cost(row.params),
                            format_duration(row.time_seconds),
                        )
                    )
                    for name, profile in profiles
                    for row in dearest_first(profile.recommendations)
                ),
            ),
        ),
    )


def _side_by_side(
    measured: Sequence[tuple[str, Profile | Sweep]], policies: Sequence[Policy]
) -> Iterator[Part]:
    """What the files say together; nothing where none of their hashers is the same."""
    measurements = [
        of_profile(each, name=name, source=name)
        if isinstance(each, Profile)
        else of_sweep(each, name=name, source=name)
        for name, each in measured
    ]
    if len(measurements) < _FEWEST:
        return
    try:
        found = compare(
            measurements,
            baseline=measurements[0],
            target_seconds=target_of(measurements),
            policies=policies,
        )
    except InconclusiveError:
        return
    document = comparison_document(found, policies=policies)
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
