"""The picture of an audit: how many hashes have each cost, and which of them are weak."""

import itertools
import math
from collections import Counter
from collections.abc import Sequence
from typing import Final

from hashcost.core.algorithms import guess_work
from hashcost.core.cost_expressions import Cost, format_expression
from hashcost.core.profile import Verdict
from hashcost.core.units import format_percent
from hashcost.render.commands.audit import KINDS, LOGS_IN
from hashcost.render.plot.chart import Axis, Chart, Counted, Figure, Histogram, Layer, Tally, Tone
from hashcost.render.plot.ticks import count_tick, counts, doubling_edges, time_tick
from hashcost.render.plot.time_by_cost import target_mark
from hashcost.render.wording import machine_line, tool_name
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
    drawn = [bar for bar in bars if bar in most]
    timed = [group for group in audit.groups if group.time_seconds]
    hidden = sum(bar.count for bar in bars) - sum(bar.count for bar in drawn)
    untimed = audit.total - sum(group.count for group in timed)
    where = "" if audit.machine is None else f"times of {machine_line(audit.machine)}; "
    charts: list[Chart] = [_tally(audit, drawn)] if drawn else []
    notes = [f"{hidden:,} rarer ones are not drawn."] if hidden else []
    if audit.target_seconds is not None:
        if timed:
            charts.append(_times(audit.groups, timed, audit.target_seconds))
        if untimed:
            notes.append(f"{untimed:,} have no time: no hash, no cost, or not timed.")
    return Figure(
        title="Stored hashes by cost",
        charts=tuple(charts),
        caption=f"{where}{tool_name(audit.tool)}",
        notes=tuple(notes),
    )


def _bars(audit: Audit) -> list[Counted]:
    """A bar for each cost or range of costs, in the audit's order; then everything else.

    Groups that nothing tells apart, such as locks with and without a hash, share a bar.
    """
    found: Counter[tuple[str, Tone]] = Counter()

    def add(label: str, part: Sequence[Group]) -> None:
        found[label, _tone(part[0])] += sum(group.count for group in part)

    for (kind, hasher), alike in itertools.groupby(
        audit.groups, key=lambda group: (group.kind, group.hasher)
    ):
        groups = tuple(alike)
        if kind not in LOGS_IN:
            add(KINDS[kind], groups)
        elif hasher is None:
            for group in groups:
                add(group.formats[0].format, (group,))
        else:
            for part in _ranges(groups):
                add(_range(hasher, part), part)
    return [Counted(label=label, count=count, tone=tone) for (label, tone), count in found.items()]


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
    bits = _NARROWEST_BITS

    def alike(group: Group) -> tuple[Tone, int]:
        work = guess_work(group.hasher or "", group.params) or sum(group.params.values())
        return _tone(group), math.floor(math.log2(max(work, 1)) / bits)

    found: list[tuple[Group, ...]] = [(group,) for group in groups]
    while len(found) > _MOST_OF_ONE and bits <= _WIDEST_BITS:
        found = [tuple(part) for _, part in itertools.groupby(groups, key=alike)]
        bits *= 2
    return found


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
        Tone.WEAK: f"below the minimum of {policies}" if policies else "no cost to raise",
        Tone.SOUND: f"meets {policies}",
        Tone.UNSURE: "not judged",
    }
    counted = {tone: sum(bar.count for bar in bars if bar.tone is tone) for tone in meanings}
    return Tally(
        title=f"{audit.total:,} stored, by hasher and cost",
        axis=Axis(
            title="stored hashes",
            logarithmic=max(number) >= min(number) * _DECADES_APART,
            tick=count_tick,
            whole=True,
        ),
        bars=tuple(bars),
        key=tuple(
            (tone, f"{meaning}: {many:,} ({format_percent(many / audit.total)})")
            for tone, meaning in meanings.items()
            if (many := counted[tone])
        ),
        total=audit.total,
    )


def _times(groups: Sequence[Group], timed: Sequence[Group], target: float) -> Histogram:
    """Hashes by the time that one takes; the target is an edge, so no bin lies on both sides.

    What has no time and is cheaper all the same, such as a digest, is counted in the key.
    """
    edges = doubling_edges([group.time_seconds or 0.0 for group in timed], through=target)
    layers = []
    for tone, label in (
        (Tone.WEAK, "cheaper than the target asks for"),
        (Tone.SOUND, "worth the target"),
        (Tone.UNSURE, "too uncertain to tell"),
    ):
        alike = [group for group in groups if _tone_by_time(group) is tone]
        if alike:
            found = counts(((g.time_seconds, g.count) for g in alike if g.time_seconds), edges)
            many = sum(group.count for group in alike)
            without = sum(group.count for group in alike if not group.time_seconds)
            also = f", {without:,} of them without a time" if without else ""
            layers.append(Layer(label=f"{label}: {many:,}{also}", tone=tone, counts=found))
    return Histogram(
        title="by the time of one hash",
        axis=Axis(title="time of one hash", logarithmic=True, tick=time_tick),
        counted="stored hashes",
        edges=edges,
        layers=tuple(layers),
        marks=(target_mark(target),),
    )


def _tone_by_time(group: Group) -> Tone | None:
    if is_below_target(group):
        return Tone.WEAK
    if is_undecided(group):
        return Tone.UNSURE
    return Tone.SOUND if group.time_seconds else None
