"""Everything that was measured, on one page. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from hashcost import __version__
from hashcost.attackers.device import Device
from hashcost.model import Profile
from hashcost.policies.policy import Policy
from hashcost.render.document import Column, Row, Table
from hashcost.render.recommendation import processors
from hashcost.render.report.page import Page, Part
from hashcost.render.report.profile import profile_section
from hashcost.render.report.sweep import sweep_section
from hashcost.render.worth import dearest_first
from hashcost.sweeping.model import Sweep
from hashcost.units import format_cost, format_duration


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
        # Where tables that set profiles against each other belong, before any of them alone.
        common=(_overview(profiles),) if len(profiles) > 1 else (),
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
