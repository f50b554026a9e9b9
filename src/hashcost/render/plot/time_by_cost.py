"""Charts of time by cost, of a profile and of a sweep, and of what guessing costs. Pure."""

from collections.abc import Iterator, Sequence

from hashcost.core.measurement import CostModel, Knob, Measurement, Params, Scale, work
from hashcost.core.profile import Recommendation
from hashcost.core.units import format_duration, format_money, format_setting
from hashcost.fit.order_statistics import quiet_estimate
from hashcost.render.commands.worth import priced
from hashcost.render.plot.chart import Axis, Bar, Bars, Curves, Figure, Mark, Point, Series
from hashcost.render.plot.ticks import cost_tick, time_tick
from hashcost.render.wording import floor_title, gathered, machine_line, tool_name
from hashcost.sweep.model import Status, Sweep, SweepRow, SweptHasher
from hashcost.worth.attackers.device import Device

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
        charts=tuple(_swept_chart(sweep, together) for together in kinds.values()),
        caption=f"{machine_line(sweep.machine)}; {tool_name(sweep.tool)}",
    )


def _swept_chart(sweep: Sweep, together: Sequence[SweptHasher]) -> Curves:
    several = len(together) > 1
    return Curves(
        title=", ".join(f"{swept.label} {swept.implementation_version}" for swept in together),
        x=cost_axis(together[0].knob),
        y=time_axis(wall=any(swept.threads > 1 for swept in together)),
        series=tuple(_swept_series(swept, sweep.rows_of(swept)) for swept in together),
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


def _swept_series(swept: SweptHasher, rows: Sequence[SweepRow]) -> Series:
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


def profile_chart(
    row: Recommendation, measurement: Measurement, target_seconds: float
) -> Curves | None:
    """The quiet time and the range at each cost, the model, target, cost and floors.

    `None` if nothing was timed.
    """
    knob = row.knobs[0]
    x = cost_axis(knob)
    cost = row.params[knob.name]
    series = tuple(_series(row, measurement, knob.name))
    if not series:
        return None
    return Curves(
        title=f"{row.label} {row.implementation_version}",
        x=x,
        y=time_axis(wall=row.threads > 1),
        series=series,
        marks=(
            target_mark(target_seconds, horizontal=True),
            Mark(label=f"use {format_setting({knob.name: cost})}", value=float(cost), series=0),
            *(
                mark
                for mark in _floors(row, knob.name)
                if mark.value > 0 and not (x.whole and mark.value > STEPS_COUNTED)
            ),
        ),
    )


def timed_at(measurement: Measurement) -> Iterator[tuple[Params, tuple[float, ...]]]:
    """Every cost that was timed, the lowest first, and its hashes in seconds."""
    by_cost = gathered((tuple(each.params.values()), each) for each in measurement.samples)
    for _, together in sorted(by_cost.items()):
        yield together[0].params, tuple(map(measurement.seconds, together))


def price_chart(rows: Sequence[Recommendation], device: Device) -> Bars | None:
    """What 2³² guesses on a device cost, a bar for each hasher; `None` if no rent is known.

    The axis is linear: the lengths are compared, and each bar has its figure beside it.
    """
    known = [
        (row, price.dollars_per_2_32_guesses)
        for row, price in priced(rows, device)
        if price.dollars_per_2_32_guesses
    ]
    if len(known) < 2:
        return None
    several = len({row.hasher for row, _ in known}) < len(known)
    return Bars(
        title=f"2³² guesses on one {device.title}",
        axis=Axis(
            title="dollars for 2³² guesses",
            tick=lambda value: f"${format_money(value).removesuffix('.00')}",
        ),
        bars=tuple(
            Bar(label=row.label if several else row.hasher, value=each) for row, each in known
        ),
    )


def _series(row: Recommendation, measurement: Measurement, name: str) -> Iterator[Series]:
    """The points by what the other params are, such as passes; the row's own has the curve."""
    together = gathered(
        (format_setting({key: value for key, value in params.items() if key != name}), point)
        for params, seconds in timed_at(measurement)
        if (point := _point(params[name], seconds)).y > 0 and min(seconds) > 0
    )
    model = row.model if row.model.parameter == name else None
    for others, points in together.items():
        costs = [point.x for point in points]
        last = max(*costs, float(row.params[name]))
        curve = tuple(fitted_curve(model, row.model.scale, min(costs), last))
        yield Series(label=others or row.label, points=tuple(points), curve=curve, joined=False)


def _point(cost: int, seconds: Sequence[float]) -> Point:
    time = quiet_estimate(seconds)
    return Point(x=float(cost), y=time, low=min(seconds), high=max(seconds))


def _floors(row: Recommendation, name: str) -> Iterator[Mark]:
    """A floor stands at its cost; one that differs in more than that, at its time."""
    for check in row.floors:
        if check.params is None:
            continue
        label = floor_title(check.policy, informative=check.informative)
        others = {
            key: value
            for key, value in check.params.items()
            if key not in (name, "parallelism") and value != row.params.get(key)
        }
        if name in check.params and not others:
            yield Mark(label=label, value=float(check.params[name]))
        elif check.time_seconds is not None:
            yield Mark(label=label, value=check.time_seconds, horizontal=True)
