"""The picture of an audit: how many hashes have each cost, and which of them are weak."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from typing import Final

from hashcost.core.algorithms import guess_work
from hashcost.core.cost_expressions import Cost, format_expression
from hashcost.core.profile import Verdict
from hashcost.core.units import format_duration, format_percent
from hashcost.render.documents.audit import KINDS, LOGS_IN
from hashcost.render.machine_line import machine_line, tool_name
from hashcost.render.plot.bins import counts, doubling_edges
from hashcost.render.plot.chart import (
    Across,
    Axis,
    Counted,
    Figure,
    Histogram,
    Layer,
    Mark,
    Tally,
    Tone,
)
from hashcost.render.plot.labels import count_tick, time_tick
from hashcost.verdicts.audit import Audit, Group, is_below_floor, is_below_target, is_undecided

_MOST_BARS = 24
_MOST_OF_ONE = 8
"""Bars of one hasher; more costs are drawn as ranges."""
_NARROWEST_BITS, _WIDEST_BITS = 0.125, 64
"""Width of such a range, as a power of two of the work."""
_DECADES_APART = 100
"""From so many times the rarest on, counts stand on a logarithmic axis."""
_JUDGED: Final = frozenset({Verdict.MET, Verdict.EQUAL_WORK, Verdict.SHORT, Verdict.NOT_APPROVED})


def audit_figure(audit: Audit) -> Figure:
    """How often each cost occurs; with a target, also how long a hash takes at it."""
    bars = _bars(audit)
    most = sorted(bars, key=lambda bar: -bar.count)[:_MOST_BARS]
    drawn = [bar for bar in bars if bar in most][:_MOST_BARS]
    timed = [group for group in audit.groups if group.time_seconds]
    hidden = sum(bar.count for bar in bars) - sum(bar.count for bar in drawn)
    untimed = audit.total - sum(group.count for group in timed)
    about_time = audit.target_seconds is not None
    where = "" if audit.machine is None else f"times of {machine_line(audit.machine)}; "
    return Figure(
        title="Stored hashes by cost",
        charts=(
            *((_tally(audit, drawn),) if drawn else ()),
            *(
                (_times(audit.groups, timed, audit.target_seconds),)
                if timed and audit.target_seconds is not None
                else ()
            ),
        ),
        caption=f"{where}{tool_name(audit.tool)}",
        notes=(
            *((f"{hidden:,} rarer ones are not drawn.",) if hidden else ()),
            *(
                (f"{untimed:,} have no time: no hash, no cost, or not timed.",)
                if untimed and about_time
                else ()
            ),
        ),
    )


def _bars(audit: Audit) -> list[Counted]:
    """A bar for each cost or range of costs, in the audit's order; then everything else."""
    bars = []
    for (kind, hasher), alike in itertools.groupby(
        audit.groups, key=lambda group: (group.kind, group.hasher)
    ):
        groups = tuple(alike)
        if kind not in LOGS_IN:
            bars.append(_counted(KINDS[kind], groups))
        elif hasher is None:
            bars += [_counted(group.formats[0].format, (group,)) for group in groups]
        else:
            bars += [_counted(_range(hasher, part), part) for part in _ranges(groups)]
    return _together(bars)


def _together(bars: Iterable[Counted]) -> list[Counted]:
    """One bar for those that nothing tells apart, such as locks with and without a hash."""
    found: dict[tuple[str, Tone], int] = {}
    for bar in bars:
        found[bar.label, bar.tone] = found.get((bar.label, bar.tone), 0) + bar.count
    return [Counted(label=label, count=count, tone=tone) for (label, tone), count in found.items()]


def _counted(label: str, groups: Sequence[Group]) -> Counted:
    return Counted(label=label, count=sum(group.count for group in groups), tone=_tone(groups[0]))


def _tone(group: Group) -> Tone:
    """How a group stands to the floors; a policy that only tells what is usual sets none."""
    if is_below_floor(group):
        return Tone.WEAK
    judged = any(check.verdict in _JUDGED and not check.informative for check in group.floors)
    return Tone.SOUND if judged else Tone.UNSURE


def _ranges(groups: Sequence[Group]) -> list[tuple[Group, ...]]:
    """Groups of one hasher, from the lowest cost; where they are many, those of like cost.

    No range holds both weak costs and others.
    """
    if len(groups) <= _MOST_OF_ONE:
        return [(group,) for group in groups]
    bits = _NARROWEST_BITS
    while True:
        found = _by_work(groups, bits)
        bits *= 2
        if len(found) <= _MOST_OF_ONE or bits > _WIDEST_BITS:
            return found


def _by_work(groups: Sequence[Group], bits: float) -> list[tuple[Group, ...]]:
    """Neighbours together whose work is of one class, each so many powers of two wide."""

    def alike(group: Group) -> tuple[Tone, int]:
        work = guess_work(group.hasher or "", group.params) or sum(group.params.values())
        return _tone(group), math.floor(math.log2(max(work, 1)) / bits)

    return [tuple(part) for _, part in itertools.groupby(groups, key=alike)]


def _range(hasher: str, groups: Sequence[Group]) -> str:
    """``bcrypt=10``, ``pbkdf2-sha256=29000 to 36000``; only the name if no cost is stored."""
    first, last = groups[0].params, groups[-1].params
    if not first or not last:
        return hasher
    label = format_expression(Cost(hasher=hasher, params=first))
    if first == last:
        return label
    end = format_expression(Cost(hasher=hasher, params=last)).removeprefix(f"{hasher}=")
    return f"{label} to {end}"


def _tally(audit: Audit, bars: Sequence[Counted]) -> Tally:
    number = [bar.count for bar in bars]
    policies = " or ".join(audit.policies)
    meanings = {
        Tone.WEAK: f"below the floor of {policies}" if policies else "no cost to raise",
        Tone.SOUND: f"meets {policies}",
        Tone.UNSURE: "not judged",
    }
    key = []
    for tone, meaning in meanings.items():
        many = sum(bar.count for bar in bars if bar.tone is tone)
        if many:
            key.append((tone, f"{meaning}: {many:,} ({format_percent(many / audit.total)})"))
    return Tally(
        title=f"{audit.total:,} stored, by hasher and cost",
        axis=Axis(
            title="stored hashes",
            logarithmic=max(number) >= min(number) * _DECADES_APART,
            tick=count_tick,
            whole=True,
        ),
        bars=tuple(bars),
        key=tuple(key),
        total=audit.total,
    )


def _times(groups: Sequence[Group], timed: Sequence[Group], target: float) -> Histogram:
    """Hashes by the time that one takes; the target is an edge, so no bin lies on both sides.

    What has no time and is cheaper all the same, such as a digest, is counted in the key.
    """
    edges = doubling_edges([group.time_seconds or 0.0 for group in timed], through=target)
    kinds = {
        Tone.WEAK: "cheaper than the target asks for",
        Tone.SOUND: "worth the target",
        Tone.UNSURE: "not timed well enough to tell",
    }
    layers = []
    for tone, label in kinds.items():
        drawn = [group for group in timed if _timed_tone(group) is tone]
        undrawn = [
            group for group in groups if group not in timed and _untimed_tone(group) is tone
        ]
        if drawn or undrawn:
            found = counts(((group.time_seconds or 0.0, group.count) for group in drawn), edges)
            without = sum(group.count for group in undrawn)
            many = sum(group.count for group in drawn) + without
            also = f", {without:,} of them without a time" if without else ""
            layers.append(Layer(label=f"{label}: {many:,}{also}", tone=tone, counts=found))
    return Histogram(
        title="by the time of one hash",
        axis=Axis(title="time of one hash", logarithmic=True, tick=time_tick),
        counted="stored hashes",
        edges=edges,
        layers=tuple(layers),
        marks=(
            Mark(
                label=f"target {format_duration(target)}",
                value=target,
                across=Across.VERTICAL,
            ),
        ),
    )


def _untimed_tone(group: Group) -> Tone | None:
    """How a hash without a time stands to the target; `None` for anything but a password hash."""
    return _timed_tone(group) if is_below_target(group) or is_undecided(group) else None


def _timed_tone(group: Group) -> Tone:
    if is_below_target(group):
        return Tone.WEAK
    return Tone.UNSURE if is_undecided(group) else Tone.SOUND
