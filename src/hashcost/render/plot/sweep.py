"""The picture of a sweep: time against cost, with the target and the floors."""

from __future__ import annotations

from collections.abc import Sequence

from hashcost.core.measurement import Scale
from hashcost.core.units import format_duration
from hashcost.render.machine_line import machine_line, tool_name
from hashcost.render.plot.chart import Across, Axis, Curves, Figure, Mark, Point, Series
from hashcost.render.plot.fitted import fitted_curve
from hashcost.render.plot.labels import cost_tick, time_tick
from hashcost.render.wording import floor_title
from hashcost.sweep.model import Status, Sweep, SweepRow, SweptHasher


def sweep_figure(sweep: Sweep) -> Figure:
    """A chart for each kind of cost: hashers that count the same share one."""
    kinds: dict[tuple[str, Scale], list[SweptHasher]] = {}
    for swept in sweep.hashers:
        if any(row.time_seconds for row in sweep.rows_of(swept)):
            kinds.setdefault((swept.knob.name, swept.knob.scale), []).append(swept)
    charts = [_chart(sweep, together) for together in kinds.values()]
    return Figure(
        title="Time of one hash by cost",
        charts=tuple(charts),
        caption=f"{machine_line(sweep.machine)}; {tool_name(sweep.tool)}",
    )


def _chart(sweep: Sweep, together: Sequence[SweptHasher]) -> Curves:
    knob = together[0].knob
    log2 = knob.doubles or (knob.is_ladder and knob.maximum <= 64)
    several = len(together) > 1
    wall = any(swept.threads > 1 for swept in together)
    marks = [
        Mark(
            label=floor_title(mark.policy, informative=False)
            + (f" {swept.hasher}" if several else ""),
            value=float(mark.cost),
            across=Across.VERTICAL,
            series=index,
        )
        for index, swept in enumerate(together)
        for mark in swept.floors
    ]
    return Curves(
        title=", ".join(f"{swept.label} {swept.implementation_version}" for swept in together),
        x=Axis(
            title="memory_kib, in KiB" if knob.name == "memory_kib" else knob.name,
            logarithmic=not log2,
            whole=log2,
            tick=cost_tick,
        ),
        y=Axis(
            title=f"{'wall' if wall else 'CPU'} time of one hash",
            logarithmic=True,
            tick=time_tick,
        ),
        series=tuple(_series(swept, sweep.rows_of(swept)) for swept in together),
        marks=(
            Mark(
                label=f"target {format_duration(sweep.target_seconds)}",
                value=sweep.target_seconds,
                across=Across.HORIZONTAL,
            ),
            *marks,
        ),
    )


def _series(swept: SweptHasher, rows: Sequence[SweepRow]) -> Series:
    points = tuple(
        Point(
            x=float(row.cost),
            y=row.time_seconds,
            low=row.low_seconds,
            high=row.high_seconds,
            solid=row.status is Status.MEASURED,
        )
        for row in rows
        if row.time_seconds and row.cost
    )
    first, last = (points[0].x, points[-1].x) if points else (0.0, 0.0)
    curve = fitted_curve(swept.model, swept.knob.scale, first, last)
    return Series(label=swept.label, points=points, curve=tuple(curve))
