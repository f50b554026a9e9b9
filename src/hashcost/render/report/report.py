"""Everything that was measured, on one page. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import Final

from hashcost.compare.comparison import compare, target_of
from hashcost.compare.measured_machine import of_profile, of_sweep
from hashcost.core.errors import InconclusiveError
from hashcost.core.profile import Profile, Recommendation
from hashcost.core.units import format_cost, format_duration
from hashcost.core.version import __version__
from hashcost.render.commands.compare import comparison_document
from hashcost.render.commands.worth import dearest_first
from hashcost.render.document import Column, table
from hashcost.render.machine_line import processors
from hashcost.render.plot.compare import comparison_figure
from hashcost.render.report.page import Page, Part, Picture
from hashcost.render.report.profile import profile_section
from hashcost.render.report.sweep import sweep_section
from hashcost.sweep.model import Sweep, SweptHasher
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
            table(
                ((name, found, *cost) for name, found in measured for cost in _costs(found)),
                (Column("hasher"), lambda each: each[2].hasher),
                (Column("use this cost", flexible=True, bold=True, pairs=True), itemgetter(3)),
                (Column("one hash", right=True), itemgetter(4)),
                (
                    Column("target", right=True),
                    lambda each: format_duration(each[1].target_seconds),
                ),
                (Column("file"), itemgetter(0)),
                (Column("machine"), lambda each: processors(each[1].machine)),
                (
                    Column("implementation", flexible=True),
                    lambda each: f"{each[2].implementation} {each[2].implementation_version}",
                ),
            ),
        ),
        notes=(_FITTED,) if swept else (),
    )


def _costs(found: Profile | Sweep) -> Iterator[tuple[Recommendation | SweptHasher, str, str]]:
    """Every hasher with its cost and what that takes."""
    if isinstance(found, Profile):
        for row in dearest_first(found.recommendations):
            yield row, format_cost(row.params), format_duration(row.time_seconds)
        return
    for swept in found.hashers:
        answer = answer_of(swept, found.rows_of(swept), found.target_seconds)
        if answer is None:
            yield swept, "none within the target", "-"
        else:
            by_fit = "" if answer.curve.knob is None else "~"
            time = f"{by_fit}{format_duration(answer.seconds)}"
            yield swept, format_cost(answer.params), time


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
    target = target_of(machines)
    try:
        found = compare(machines, baseline=machines[0], target_seconds=target, policies=policies)
    except InconclusiveError:
        return
    targets = {each.target_seconds for each in machines}
    document = comparison_document(found, policies=policies, targets_differ=len(targets) > 1)
    yield Part(
        title="Side by side",
        paragraphs=document.head,
        tables=document.tables,
        pictures=tuple(
            Picture(chart=chart, words="The same figures are in the tables above.")
            for chart in comparison_figure(found).charts
        ),
        notes=document.notes,
    )
