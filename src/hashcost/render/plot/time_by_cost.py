"""What charts of time by cost have in common, and the picture of a sweep. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hashcost.core.measurement import CostModel, Knob, Scale, work
from hashcost.core.units import format_duration
from hashcost.render.plot.chart import Axis, Curves, Figure, Mark, Point, Series
from hashcost.render.plot.ticks import cost_tick, time_tick
from hashcost.render.wording import floor_title, gathered, machine_line, tool_name
from hashcost.sweep.model import Status, Sweep, SweepRow, SweptHasher

STEPS_COUNTED = 64
"""A ladder whose highest step is no more than this counts its steps, as yescrypt's does."""
_POINTS = 64


def cost_axis(knob: Knob) -> Axis:
    """An axis of whole steps if the cost doubles or counts steps, else a logarithmic one."""
    counts_steps = knob.doubles or (knob.is_ladder and knob.maximum <= STEPS_COUNTED)
    return Axis(
        title="memory_kib, in KiB" if knob.name == "memory_kib" else knob.name,
        logarithmic=not counts_steps,
        whole=counts_steps,
        tick=cost_tick,
    )


def time_axis(*, wall: bool) -> Axis:
    """The axis of the time of one hash."""
    title = f"{'wall' if wall else 'CPU'} time of one hash"
    return Axis(title=title, logarithmic=True, tick=time_tick)


def target_mark(seconds: float, *, horizontal: bool = False) -> Mark:
    """The line of the target."""
    label = f"target {format_duration(seconds)}"
    return Mark(label=label, value=seconds, horizontal=horizontal)


def fitted_curve(
    model: CostModel | None, scale: Scale, first: float, last: float
) -> Iterator[tuple[float, float]]:
    """The fit between two costs; on a ladder nothing lies between two steps."""
    if model is None or scale is Scale.LADDER or last <= first:
        return
    for index in range(_POINTS):
        share = index / (_POINTS - 1)
        if scale is Scale.LOG2:
            x = first + (last - first) * share
            yield x, model.seconds(2.0**x)
        else:
            x = first * (last / first) ** share
            yield x, model.seconds(work(scale, 1) * x)


def sweep_figure(sweep: Sweep) -> Figure:
    """A chart for each kind of cost: hashers that count the same share one."""
    kinds = gathered(
        ((swept.knob.name, swept.knob.scale), swept)
        for swept in sweep.hashers
        if any(row.time_seconds for row in sweep.rows_of(swept))
    )
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
