"""What was timed at each cost: the curves, and their figures. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hashcost.core.measurement import Measurement
from hashcost.core.profile import Profile, Recommendation
from hashcost.core.units import format_cost, format_duration
from hashcost.fit.order_statistics import quiet_estimate
from hashcost.render.document import Column, Table, table
from hashcost.render.plot.chart import Curves
from hashcost.render.plot.profile import profile_chart, timed_at
from hashcost.render.report.page import Part, Picture

_MOST_CHARTS: Final = 40
"""For one profile: more than there are hashers, and no more than a page can show."""
_CURVES: Final = (
    "Points are the hashes that were timed: the quiet time, and the range of all at that cost."
    " The line is the model that the cost was solved by; between two steps of memory there is"
    " none."
)


def curves_part(profile: Profile, rows: Sequence[Recommendation]) -> Part | None:
    """A chart for each hasher, with its figures behind; `None` if nothing was timed."""
    # A hasher with several settings of equal time has several rows that rest on the same hashes.
    by_label = {row.label: row for row in reversed(rows)}
    shown = [
        (row, measurement)
        for row in rows
        if by_label[row.label] is row
        if (measurement := profile.measurement_of(row)) is not None
    ][:_MOST_CHARTS]
    pictures = [
        Picture(chart=chart, words=f"{in_words(chart)} {_takes(row)}")
        for row, measurement in shown
        if (chart := profile_chart(row, measurement, profile.target_seconds)) is not None
    ]
    if not pictures:
        return None
    left_out = len(by_label) - len(shown)
    return Part(
        title="Time by cost",
        paragraphs=(_CURVES,),
        pictures=tuple(pictures),
        notes=(f"{left_out} more are in the raw figures.",) if left_out else (),
        behind=(_points([measurement for _, measurement in shown]),),
    )


def _takes(row: Recommendation) -> str:
    return f"One hash at {format_cost(row.params)} takes {format_duration(row.time_seconds)}."


def in_words(chart: Curves) -> str:
    """The axes, how many costs there are, from which to which, and what is marked."""
    points = [point for series in chart.series for point in series.points]
    first = min(points, key=lambda point: point.x)
    last = max(points, key=lambda point: point.x)
    marks = ", ".join(mark.label for mark in chart.marks)
    return (
        f"{chart.y.title} by {chart.x.title}: {len(points)} costs of {chart.title}, from"
        f" {format_duration(first.y)} at {chart.x.tick(first.x)} to {format_duration(last.y)} at"
        f" {chart.x.tick(last.x)}. Marked: {marks}."
    )


def _points(measurements: Sequence[Measurement]) -> Table:
    return table(
        ((each.label, *timed) for each in measurements for timed in timed_at(each)),
        (Column("hasher"), lambda each: each[0]),
        (Column("cost", flexible=True, pairs=True), lambda each: format_cost(each[1])),
        (Column("hashes", right=True), lambda each: f"{len(each[2]):,}"),
        (Column("quiet time", right=True), lambda each: format_duration(quiet_estimate(each[2]))),
        (Column("shortest", right=True), lambda each: format_duration(min(each[2]))),
        (Column("longest", right=True), lambda each: format_duration(max(each[2]))),
        title="The figures behind the curves",
    )
