"""The pictures of a profile: time against cost for each hasher, and what guessing costs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hashcost.core.measurement import Measurement, Params
from hashcost.core.profile import Recommendation
from hashcost.core.units import format_cost, format_money
from hashcost.fit.order_statistics import quiet_estimate
from hashcost.render.commands.worth import priced
from hashcost.render.plot.chart import Axis, Bar, Bars, Curves, Mark, Point, Series
from hashcost.render.plot.time_by_cost import (
    STEPS_COUNTED,
    cost_axis,
    fitted_curve,
    target_mark,
    time_axis,
)
from hashcost.render.wording import floor_title, gathered
from hashcost.worth.attackers.device import Device

_DECADES = 30.0
"""Bars that differ by more than this are drawn on a logarithmic axis."""


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
            Mark(label=f"use {knob.name} {cost}", value=float(cost), series=0),
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

    The axis is linear, as an honest length needs, unless the shortest bar would vanish.
    """
    known = [
        (row, price.dollars_per_2_32_guesses)
        for row, price in priced(rows, device)
        if price.dollars_per_2_32_guesses
    ]
    if len(known) < 2:
        return None
    several = len({row.hasher for row, _ in known}) < len(known)
    dollars = [each for _, each in known]
    return Bars(
        title=f"2³² guesses on one {device.title}",
        axis=Axis(
            title="dollars for 2³² guesses",
            logarithmic=max(dollars) > _DECADES * min(dollars),
            tick=lambda value: f"${format_money(value).removesuffix('.00')}",
        ),
        bars=tuple(
            Bar(label=row.label if several else row.hasher, value=each) for row, each in known
        ),
    )


def _series(row: Recommendation, measurement: Measurement, name: str) -> Iterator[Series]:
    """The points by what the other params are, such as passes; the row's own has the curve."""
    together = gathered(
        (format_cost({key: value for key, value in params.items() if key != name}), point)
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
