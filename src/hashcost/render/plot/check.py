"""The picture of a check: the times of the hashes that each cost was judged by."""

import datetime as dt
from collections.abc import Callable, Sequence

from hashcost.core.units import format_duration, format_list, format_setting
from hashcost.render.plot.chart import Axis, Figure, Histogram, Layer, Mark, Span, Tone
from hashcost.render.plot.ticks import (
    counts,
    doubling_edges,
    even_edges,
    fine_time_tick,
    is_wide,
    time_tick,
)
from hashcost.render.wording import counted, machine_line, tool_name
from hashcost.verdicts.judgement import CheckReport, Judgement, Outcome
from hashcost.verdicts.sample_times import Distribution

_MOST_CHARTS = 6
_MOST_VALUES = 4


def check_figure(report: CheckReport, distributions: Sequence[Distribution | None]) -> Figure:
    """A histogram for each cost, in the order of the table.

    ``distributions`` are the times behind each of the report's results, in their order.
    """
    order = list(Outcome)
    pairs = sorted(
        zip(report.results, distributions, strict=True),
        key=lambda pair: order.index(pair[0].outcome),
    )
    drawn = [(row, times) for row, times in pairs if times is not None]
    untimed = len(pairs) - len(drawn)
    more = len(drawn) - _MOST_CHARTS
    how = "timed" if report.live else f"measured {report.measured.astimezone(dt.UTC):%Y-%m-%d}"
    return Figure(
        title="Time of one hash at the configured costs",
        charts=tuple(_chart(report, row, times) for row, times in drawn[:_MOST_CHARTS]),
        caption=f"{how} on {machine_line(report.machine)}; {tool_name(report.tool)}",
        notes=tuple(
            f"{counted(count, 'more cost is', 'more costs are')} not drawn{why}"
            for count, why in (
                (more, ", which the table has."),
                (untimed, ": no hash tells its time."),
            )
            if count > 0
        ),
    )


def _chart(report: CheckReport, row: Judgement, times: Distribution) -> Histogram:
    values = [*times.timed, *times.scaled]
    target, tolerance = report.target_seconds, report.tolerance
    lines = {"judged": row.time_seconds, "target": target, "--max": report.longest_seconds}
    marks = tuple(
        Mark(label=f"{name} {format_duration(value)}", value=value)
        for name, value in lines.items()
        if value is not None
    )
    # Where the time on a quiet core lies, and what is left around the target.
    stretches = {
        "quiet core, 95 %": row.interval_seconds,
        "tolerated": (target * (1 - tolerance), target * (1 + tolerance)) if tolerance else None,
    }
    spans = tuple(
        Span(label=f"{name}: {' to '.join(map(format_duration, ends))}", low=ends[0], high=ends[1])
        for name, ends in stretches.items()
        if ends is not None
    )
    wide = is_wide(values)
    tick: Callable[[float], str] = time_tick
    if wide:
        edges = doubling_edges(values, through=row.time_seconds or min(values))
    else:
        ends = (end for span in spans for end in (span.low, span.high))
        edges = even_edges(values, [*ends, *(mark.value for mark in marks)])
        tick = fine_time_tick(edges[-1], edges[1] - edges[0])
    scaled = _scaled(times) if times.scaled else ""
    layers = [
        Layer(label=label, tone=tone, counts=counts(((each, 1) for each in found), edges))
        for label, tone, found in (
            ("timed at this cost", Tone.SOUND, times.timed),
            (scaled, Tone.UNSURE, times.scaled),
        )
        if found
    ]
    version = f" {times.implementation_version}" if times.implementation_version else ""
    return Histogram(
        title=f"{row.hasher}@{row.implementation}{version}, {format_setting(row.params)}:"
        f" {row.outcome.word}",
        axis=Axis(
            title=f"{'CPU' if times.threads == 1 else 'wall'} time of one hash"
            + ("" if times.timed else f", {scaled}"),
            logarithmic=wide,
            tick=tick,
        ),
        counted="hashes",
        edges=edges,
        layers=tuple(layers),
        marks=marks,
        spans=spans,
    )


def _scaled(times: Distribution) -> str:
    """At which costs the hashes were timed that are not of this one."""
    values = [str(value) for value in times.scaled_from]
    shown = f"{values[0]} to {values[-1]}" if len(values) > _MOST_VALUES else format_list(values)
    return f"scaled from {times.parameter} {shown}"
