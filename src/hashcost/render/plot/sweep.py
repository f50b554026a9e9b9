"""The picture of a sweep: time against cost, with the target and the floors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hashcost.core.model import Scale
from hashcost.core.units import format_duration
from hashcost.fit.solver import work
from hashcost.render.machine_line import machine_line, tool_name
from hashcost.render.plot.chart import Across, Axis, Curves, Figure, Mark, Point, Series
from hashcost.render.plot.labels import cost_tick, time_tick
from hashcost.render.wording import floor_title
from hashcost.sweep.model import Status, Sweep, SweepRow, SweptHasher

_CURVE_POINTS = 64


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
    log2 = knob.scale is Scale.LOG2 or (knob.scale is Scale.LADDER and knob.maximum <= 64)
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
    return Series(label=swept.label, points=points, curve=tuple(_curve(swept, points)))


def _curve(swept: SweptHasher, points: Sequence[Point]) -> Iterator[tuple[float, float]]:
    """The fit between the ends; on a ladder nothing lies between two steps."""
    model = swept.model
    if model is None or swept.knob.scale is Scale.LADDER or len(points) < 2:
        return
    first, last = points[0].x, points[-1].x
    for index in range(_CURVE_POINTS):
        share = index / (_CURVE_POINTS - 1)
        if swept.knob.scale is Scale.LOG2:
            x = first + (last - first) * share
            yield x, model.seconds(2.0**x)
        else:
            x = first * (last / first) ** share
            yield x, model.seconds(work(swept.knob.scale, 1) * x)
