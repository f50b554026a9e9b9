"""What charts of time by cost have in common. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from hashcost.core.measurement import CostModel, Knob, Scale, work
from hashcost.core.units import format_duration
from hashcost.render.plot.chart import Axis, Mark
from hashcost.render.plot.ticks import cost_tick, time_tick

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
