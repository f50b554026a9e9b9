"""The sweep: every cost of every hasher in rounds, within a budget."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from hashcost.core.errors import UsageError
from hashcost.core.model import Failure, Notice, Probe
from hashcost.core.targets import DEFAULT_TARGET_SECONDS, check_target
from hashcost.core.tool import TOOL
from hashcost.core.units import format_list
from hashcost.hashers.out_of_range import ask as ask_library
from hashcost.hashers.registry import candidates, select
from hashcost.machine.clock import Clock
from hashcost.machine.host import Host, this_host
from hashcost.machine.memory import memory_limit
from hashcost.machine.signals import noise_notices
from hashcost.measure import sampler
from hashcost.measure.runner import PROBE_PASSWORD, PROBE_SALT
from hashcost.sweep import effort
from hashcost.sweep.costs import Asked, parse_asked, parse_costs
from hashcost.sweep.effort import Item
from hashcost.sweep.model import SWEEP_SCHEMA_VERSION, Status, Sweep
from hashcost.sweep.track import Ask, Plan, Track
from hashcost.worth.policies.policy import Policy

DEFAULT_BUDGET_SECONDS: Final = 5.0
_CLIMBING = 0.6
"""Share of the budget that steps of memory are climbed with at most."""

Progress: TypeAlias = Callable[[float], None]
"""Told, between samples only, which fraction of the work is done."""


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """What lies ahead, once a few hashes have told how long they take."""

    seconds: float
    measured: int
    """Costs that will be timed."""
    predicted: int
    """Costs that would burst the budget."""


def sweep(
    hashers: Sequence[str],
    *,
    costs: str | None = None,
    target: float = DEFAULT_TARGET_SECONDS,
    budget: float = DEFAULT_BUDGET_SECONDS,
    params: str | None = None,
    memory: int | None = None,
    policies: Sequence[Policy] = (),
    announce: Callable[[Estimate], None] | None = None,
    progress: Progress | None = None,
    host: Host | None = None,
    ask: Ask = ask_library,
) -> Sweep:
    """Time hashers over a range of costs.

    Args:
        hashers: ``hasher``, ``hasher@implementation`` or ``hasher=costs``.
        costs: The costs of those that are named without any, such as ``6..17`` or
            ``1000,50000`` or ``1..1000001:100000``; by default some around the target.
        target: Seconds that the reader aims at.
        budget: Seconds of wall time beyond which no further hash is started.
        params: Other params than the one that is swept, such as ``t=2,p=1``.
        memory: Bytes that one hash may take; by default a quarter of what is free.
        policies: Whose floors are marked.
        announce: Told once how long it will take.
        progress: Called between samples with the fraction done.
        host: Another system than the running one, for tests.
        ask: How a library is asked about a cost outside its range, for tests.

    Raises:
        UsageError: a name, a cost or the budget is wrong.
    """
    check_target(target)
    if not budget > 0:
        raise UsageError("--budget: it must be above zero")
    common = () if costs is None else parse_costs(costs)
    asked = [parse_asked(each, common) for each in hashers]
    host = host or this_host()
    clock, machine = host.clock, host.describe()
    started = clock.wall()
    plan = Plan(
        target_seconds=target,
        budget_seconds=budget,
        memory_limit=memory_limit(host, memory),
        page_bytes=machine.page_bytes,
        params=params,
        policies=policies,
        ask=ask,
    )
    tracks = _tracks(asked, plan)
    before = host.counters()
    with sampler.undisturbed():
        for track in tracks:
            track.start(clock)
        for track in tracks:
            track.probe(clock)
        share = budget * _CLIMBING / len(tracks)
        for track in tracks:
            track.climb(clock, share)
        items = _items(tracks, started + budget - clock.wall())
        if announce is not None:
            announce(_estimate(tracks, items, clock.wall() - started, budget))
        rounds = _drive(tracks, items, clock, started + budget, progress)
    after = host.counters()
    results = [track.result(clock) for track in tracks]
    found = [each for each in results if not isinstance(each, Failure)]
    return Sweep(
        schema=SWEEP_SCHEMA_VERSION,
        tool=TOOL,
        created=host.date(),
        machine=machine,
        probe=Probe(password_bytes=len(PROBE_PASSWORD), salt_bytes=len(PROBE_SALT)),
        target_seconds=target,
        budget_seconds=budget,
        duration_seconds=clock.wall() - started,
        rounds=rounds,
        rows=tuple(row for _, rows in found for row in rows),
        hashers=tuple(swept for swept, _ in found),
        failures=tuple(each for each in results if isinstance(each, Failure)),
        warnings=(
            *noise_notices(
                before,
                after,
                [swept.samples for swept, _ in found if swept.samples],
                clock_measures_cpu=clock.measures_cpu,
            ),
            *_few_rounds(tracks),
        ),
    )


def _tracks(asked: Sequence[Asked], plan: Plan) -> list[Track]:
    """A track for each hasher that was named, each once."""
    pool = candidates()
    found: dict[str, Track] = {}
    for each in asked:
        (stand_ins,) = select((each.name,), every_implementation=False, available=pool)
        if stand_ins[0].label in found:
            raise UsageError(f"{each.name} is named twice; give all its costs at once")
        found[stand_ins[0].label] = Track(stand_ins, each.costs, plan)
    if not found:
        raise UsageError("name a hasher to sweep, for example sha512-crypt")
    return list(found.values())


def _items(tracks: Sequence[Track], seconds: float) -> tuple[Item, ...]:
    """What is timed in each round: what fits, and what the fits need beside it."""
    wall = sum(track.spent_wall for track in tracks)
    cpu = sum(track.spent_cpu for track in tracks)
    slowdown = max(1.0, wall / cpu) if cpu else 1.0
    wanted = [item for place, track in enumerate(tracks) for item in track.items(place)]
    kept = effort.admitted(wanted, seconds / slowdown)
    anchors = [item for place, track in enumerate(tracks) for item in track.anchors(place, kept)]
    return (*kept, *anchors)


def _estimate(
    tracks: Sequence[Track], items: Sequence[Item], spent: float, budget: float
) -> Estimate:
    timeable = {
        (place, item.cost) for place, track in enumerate(tracks) for item in track.items(place)
    }
    measured = timeable & {(item.hasher, item.cost) for item in items}
    pending = sum(
        row.status is Status.PREDICTED for track in tracks for row in track.rows.values()
    )
    return Estimate(
        seconds=spent + effort.expected_seconds(items, max(0.0, budget - spent)),
        measured=len(measured),
        predicted=pending - len(measured),
    )


def _drive(
    tracks: Sequence[Track],
    items: Sequence[Item],
    clock: Clock,
    deadline: float,
    progress: Progress | None,
) -> int:
    """Time round after round, each in a fresh order, until all is known well enough.

    A round that no longer fits is done with those costs alone that are not, and do.
    """
    shuffle = random.Random().shuffle
    done = 0
    ahead = effort.expected_seconds(items, max(0.0, deadline - clock.wall()))
    began = clock.wall()
    current = list(items)
    slowdown = _slowdown(tracks)
    while done < effort.MOST_ROUNDS:
        left = deadline - clock.wall()
        slowdown = _slowdown(tracks)
        if sum(item.round_seconds for item in current) * slowdown > left:
            current = _fitting(tracks, current, left / slowdown)
        if not current:
            break
        order = [item for item in current for _ in range(item.repeats)]
        shuffle(order)
        for item in order:
            if clock.wall() + item.expected_seconds * slowdown > deadline:
                continue
            tracks[item.hasher].sample(clock, item.cost, done)
            if progress is not None:
                progress(min((clock.wall() - began) / max(ahead, 1e-9), 0.99))
        done += 1
        current = [item for item in current if item.cost in tracks[item.hasher].rounds]
        if all(tracks[item.hasher].is_settled(item.cost) for item in current):
            break
    return done


def _fitting(tracks: Sequence[Track], items: Sequence[Item], seconds: float) -> list[Item]:
    """Those that still need a round and have the time for one, the cheapest first."""
    kept = []
    for item in sorted(items, key=lambda each: each.round_seconds):
        rounds = tracks[item.hasher].rounds.get(item.cost, ())
        needed = not rounds or not tracks[item.hasher].is_settled(item.cost)
        if needed and item.round_seconds <= seconds:
            seconds -= item.round_seconds
            kept.append(item)
    return kept


def _slowdown(tracks: Sequence[Track]) -> float:
    """Wall time per CPU time so far: busy neighbours make a round longer."""
    cpu = sum(track.spent_cpu for track in tracks)
    return max(1.0, sum(track.spent_wall for track in tracks) / cpu) if cpu else 1.0


def _few_rounds(tracks: Sequence[Track]) -> list[Notice]:
    """Costs whose error is not known, because the budget ended before six rounds."""
    few = [
        f"{track.knob.name} {cost}"
        for track in tracks
        for cost, rounds in track.rounds.items()
        if cost in track.rows and len(rounds) < effort.FEWEST_ROUNDS
    ]
    if not few:
        return []
    return [
        Notice(
            code="few-samples",
            message=f"the error at {format_list(few[:5])} is unknown: fewer than"
            f" {effort.FEWEST_ROUNDS} rounds fitted the budget",
            advice="raise --budget",
        )
    ]
