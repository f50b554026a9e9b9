"""Everything that was measured, on one page. Pure."""

from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import Final

from msgspec.structs import replace

from hashcost.compare.comparison import compare, target_of
from hashcost.compare.machines import machine_of
from hashcost.core.errors import InconclusiveError
from hashcost.core.profile import Profile, Recommendation
from hashcost.core.units import format_duration, format_list, format_setting
from hashcost.core.version import __version__
from hashcost.render.commands.compare import comparison_document
from hashcost.render.commands.recommend import recommendation_document
from hashcost.render.commands.sweep import sweep_document, sweep_notes
from hashcost.render.commands.worth import dearest_first
from hashcost.render.document import Column, Document, Row, Table, table
from hashcost.render.plot.chart import Curves
from hashcost.render.plot.compare import comparison_figure
from hashcost.render.plot.time_by_cost import sweep_figure
from hashcost.render.report.page import Page, Part, Picture, Section
from hashcost.render.report.parts import (
    capacity_part,
    cautions,
    curves_part,
    floors_part,
    guessing_part,
    in_words,
    measured_part,
    raw_part,
)
from hashcost.render.report.summary import facts, sentences
from hashcost.render.wording import asked, library, machine_line, notices, processors
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
                (Column("use this cost", flexible=True, bold=True), itemgetter(3)),
                (Column("one hash", right=True), itemgetter(4)),
                (
                    Column("target", right=True),
                    lambda each: format_duration(each[1].target_seconds),
                ),
                (Column("file"), itemgetter(0)),
                (Column("machine"), lambda each: processors(each[1].machine)),
                (Column("implementation", flexible=True), lambda each: library(each[2])),
            ),
        ),
        notes=(_FITTED,) if swept else (),
    )


def _costs(found: Profile | Sweep) -> Iterator[tuple[Recommendation | SweptHasher, str, str]]:
    """Every hasher with its cost and what that takes."""
    if isinstance(found, Profile):
        for row in dearest_first(found.recommendations):
            yield row, format_setting(row.params), format_duration(row.time_seconds)
        return
    for swept in found.hashers:
        answer = answer_of(swept, found.rows_of(swept), found.target_seconds)
        if answer is None:
            yield swept, "none meets the target", "-"
        else:
            by_fit = "" if answer.curve.knob is None else "~"
            time = f"{by_fit}{format_duration(answer.seconds)}"
            yield swept, format_setting(answer.params), time


def _side_by_side(
    measured: Sequence[tuple[str, Profile | Sweep]], policies: Sequence[Policy]
) -> Iterator[Part]:
    """What the files say together, if they have a hasher in common."""
    machines = [
        machine_of(profile, name=name, source=name)
        for name, profile in measured
        if isinstance(profile, Profile)
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


def sweep_section(sweep: Sweep, *, name: str) -> Section:
    """The whole of one sweep; ``name`` is that of its file, without a folder."""
    document = sweep_document(sweep)
    figure = sweep_figure(sweep)
    pictures = tuple(
        Picture(chart=chart, words=f"{in_words(chart)} The figures are in the tables below.")
        for chart in figure.charts
        if isinstance(chart, Curves)
    )
    return Section(
        title=machine_line(sweep.machine),
        origin=name,
        summary=(_answers(sweep), *sweep_notes(sweep)),
        cautions=cautions(sweep),
        parts=(
            *((Part(title=figure.title, pictures=pictures),) if pictures else ()),
            Part(title="Cost by cost", tables=document.tables),
            measured_part(sweep, asked_for=f"a target of {format_duration(sweep.target_seconds)}"),
            raw_part(document, name, lines_of="cost"),
        ),
    )


def _answers(sweep: Sweep) -> str:
    """The cost of each hasher for the target, in one sentence."""
    where = processors(sweep.machine)
    unique = len({swept.hasher for swept in sweep.hashers}) == len(sweep.hashers)
    parts = []
    for swept in sweep.hashers:
        name = swept.hasher if unique else swept.label
        answer = answer_of(swept, sweep.rows_of(swept), sweep.target_seconds)
        if answer is None:
            parts.append(f"{name} has no cost that meets it")
            continue
        by_fit = answer.curve.knob is not None
        most = "" if by_fit else ", the most memory that was timed within it"
        fit = " by the fit" if by_fit else ""
        takes = f"which takes {format_duration(answer.seconds)}{fit}"
        parts.append(f"use {name} {format_setting(answer.params)}{most}, {takes}")
    if not parts:
        return f"On {where}, no hasher was timed."
    return f"On {where}, for one hash in {asked(sweep.target_seconds)}, {'; '.join(parts)}."


_MARKS: Final = (
    "± is how far off the CPU time of one hash on a quiet core may be, wall what a clock on the"
    " wall said. ~ marks a time that was not measured: it takes at least that."
)
_HOW: Final = (
    "Each hasher first computes known answers: one with a wrong answer is never timed. Hashes"
    " are then timed in turn, in a fresh order each round, on the CPU's clock, so that a busy"
    " machine does not weaken the answer; the wall clock stands beside it."
)
_WHY: Final = (
    "A neighbour on the same core slows a hash down on the CPU's clock too. Two short probes tell"
    " when; hashes timed meanwhile do not count. The median of the others is the"
    " time. The ± is where the time on a quiet core lies, by order statistics and by how earlier"
    " runs on the machine differ."
)
_USE: Final = " `calibrate --from` answers another target from the JSON, without measuring again."


def profile_section(
    profile: Profile,
    *,
    name: str,
    policies: Sequence[Policy],
    devices: Sequence[Device],
    solved_again: bool,
) -> Section:
    """The whole of one profile; ``name`` is that of its file, without a folder.

    ``policies`` and ``devices`` are those that the profile was appraised by.
    """
    rows = dearest_first(profile.recommendations)
    # Logins have a part of their own.
    uncounted = [replace(row, capacity=None) for row in rows]
    document = recommendation_document(
        profile, solved_again=solved_again, policies=policies, devices=devices
    )
    parts = (
        _recommended(profile, document),
        floors_part(uncounted, policies),
        guessing_part(uncounted, devices),
        capacity_part(rows),
        curves_part(profile, rows),
        measured_part(
            profile,
            asked_for=f"one hash in {asked(profile.target_seconds, profile.rounding)}",
            how=(_HOW, _WHY),
        ),
        raw_part(document, name, lines_of="hasher", use=_USE),
    )
    return Section(
        title=machine_line(profile.machine),
        origin=name,
        facts=facts(profile, policies, devices),
        summary=sentences(profile, policies, devices, solved_again=solved_again),
        cautions=cautions(profile),
        parts=tuple(part for part in parts if part is not None),
    )


def _recommended(profile: Profile, document: Document) -> Part | None:
    table = document.tables[0]
    if not table.rows:
        return None
    of_rows = [(notice, labels) for notice, labels in notices(profile) if labels]
    said = (
        f"{format_list(labels)}: {'; '.join(filter(None, (notice.message, notice.advice)))}"
        for notice, labels in of_rows
    )
    # With the implementation last, a phone shows the cost unscrolled.
    order = sorted(
        range(len(table.columns)), key=lambda index: table.columns[index].title == "implementation"
    )
    columns = tuple(table.columns[index] for index in order)
    rows = tuple(
        Row(cells=tuple(row.cells[index] for index in order), aside=row.aside)
        for row in table.rows
    )
    moved = Table(title=table.title, columns=columns, rows=rows)
    return Part(title="What to use", tables=(moved,), notes=(*said, _MARKS))
