"""What a sweep says, part by part. Pure."""

from __future__ import annotations

from hashcost.core.units import format_cost, format_duration
from hashcost.render.commands.sweep import sweep_document, sweep_notes
from hashcost.render.machine_line import machine_line, processors
from hashcost.render.plot.chart import Curves
from hashcost.render.plot.sweep import sweep_figure
from hashcost.render.report.curves import in_words
from hashcost.render.report.origin import cautions, measured_part, raw_part
from hashcost.render.report.page import Part, Picture, Section
from hashcost.render.wording import asked
from hashcost.sweep.model import Sweep
from hashcost.sweep.target import answer_of


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
        summary=(_answers(sweep), *sweep_notes(sweep, with_target=False)),
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
            parts.append(f"there is no cost of {name}")
            continue
        by_fit = answer.curve.knob is not None
        most = "" if by_fit else ", the most memory that was timed within it"
        fit = " by the fit" if by_fit else ""
        takes = f"which takes {format_duration(answer.seconds)}{fit}"
        parts.append(f"use {name} with {format_cost(answer.params)}{most}, {takes}")
    if not parts:
        return f"On {where}, no hasher was timed."
    return f"On {where}, for one hash in {asked(sweep.target_seconds)}, {'; '.join(parts)}."
