"""What a sweep says, part by part. Pure."""

from __future__ import annotations

from hashcost.core.units import format_cost, format_duration
from hashcost.render.documents.sweep import sweep_document, sweep_notes
from hashcost.render.machine_line import machine_line, processors
from hashcost.render.plot.chart import Chart, Curves
from hashcost.render.plot.sweep import sweep_figure
from hashcost.render.report.origin import cautions, measured_part, raw_part
from hashcost.render.report.page import Part, Picture, Section
from hashcost.render.wording import asked
from hashcost.sweep.model import Sweep
from hashcost.sweep.target import answer_of


def sweep_section(sweep: Sweep, *, name: str) -> Section:
    """The whole of one sweep; ``name`` is that of its file, without a folder."""
    document = sweep_document(sweep)
    figure = sweep_figure(sweep)
    return Section(
        title=machine_line(sweep.machine),
        origin=name,
        summary=(_answers(sweep), *sweep_notes(sweep, with_target=False)),
        cautions=cautions(sweep),
        parts=(
            *(
                (
                    Part(
                        title=figure.title,
                        pictures=tuple(
                            Picture(chart=chart, title=chart.title, words=_in_words(chart))
                            for chart in figure.charts
                        ),
                    ),
                )
                if figure.charts
                else ()
            ),
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
        time = format_duration(answer.seconds)
        parts.append(
            f"use {name} with {format_cost(answer.params)}"
            + (
                f", which takes {time} by the fit"
                if answer.by_fit
                else f", the most memory that was timed within it, which takes {time}"
            )
        )
    if not parts:
        return f"On {where}, no hasher was timed."
    return f"On {where}, for one hash in {asked(sweep.target_seconds)}, {'; '.join(parts)}."


def _in_words(chart: Chart) -> str:
    if not isinstance(chart, Curves):
        return chart.title
    count = sum(len(series.points) for series in chart.series)
    marks = ", ".join(mark.label for mark in chart.marks)
    return (
        f"{chart.y.title} by {chart.x.title}: {count} costs of {chart.title}. Marked: {marks}."
        " The figures are in the tables below."
    )
