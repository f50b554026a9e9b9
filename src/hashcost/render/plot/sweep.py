"""The picture of a sweep: time against cost, with the target and the floors."""

from __future__ import annotations

from collections.abc import Sequence

from hashcost.core.measurement import Scale
from hashcost.render.machine_line import machine_line, tool_name
from hashcost.render.plot.chart import Curves, Figure, Mark, Point, Series
from hashcost.render.plot.time_by_cost import cost_axis, fitted_curve, target_mark, time_axis
from hashcost.render.wording import floor_title
from hashcost.sweep.model import Status, Sweep, SweepRow, SweptHasher


def sweep_figure(sweep: Sweep) -> Figure:
    """A chart for each kind of cost: hashers that count the same share one."""
    kinds: dict[tuple[str, Scale], list[SweptHasher]] = {}
    for swept in sweep.hashers:
        if any(row.time_seconds for row in sweep.rows_of(swept)):
            kinds.setdefault((swept.knob.name, swept.knob.scale), []).append(swept)
    return Figure(
        title="Time of one hash by cost",
        charts=tuple(_chart(sweep, together) for together in kinds.values()),
        caption=f"{machine_line(sweep.machine)}; {tool_name(sweep.tool)}",
    )


def _chart(sweep: Sweep, together: Sequence[SweptHasher]) -> Curves:
    several = len(together) > 1
    return Curves(
        title=", ".join(f"{swept.label} {swept.implementation_version}" for swept in together),
        x=cost_axis(together[0].knob),
        y=time_axis(wall=any(swept.threads > 1 for swept in together)),
        series=tuple(_series(swept, sweep.rows_of(swept)) for swept in together),
        marks=(
            target_mark(sweep.target_seconds, horizontal=True),
            *(
                Mark(
                    label=floor_title(mark.policy, informative=False)
                    + (f" {swept.hasher}" if several else ""),
                    value=float(mark.cost),
                    series=index,
                )
                for index, swept in enumerate(together)
                for mark in swept.floors
            ),
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
