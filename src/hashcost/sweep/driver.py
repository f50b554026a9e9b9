"""The sweep: every cost of every hasher in rounds, within a budget."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from hashcost.core.errors import UsageError
from hashcost.core.machine import TOOL, Notice, Probe
from hashcost.core.profile import Failure
from hashcost.core.progress import Progress, Stage
from hashcost.core.units import DEFAULT_TARGET_SECONDS, check_target, format_list, format_setting
from hashcost.hashers.registry import Candidate, candidates, select
from hashcost.machine.clock import Clock
from hashcost.machine.host import Host, this_host
from hashcost.machine.memory import memory_limit
from hashcost.machine.signals import noise_notices
from hashcost.measure import sampler
from hashcost.measure.core_watch import CoreWatch, StartProbe, hash_probe
from hashcost.measure.runner import PROBE_PASSWORD, PROBE_SALT, StartRunner, by_candidate
from hashcost.measure.session import drive, on_one_core, slowdown, warm_up
from hashcost.sweep import effort
from hashcost.sweep.costs import Asked, parse_asked, parse_costs
from hashcost.sweep.effort import Item
from hashcost.sweep.model import SWEEP_SCHEMA_VERSION, Status, Sweep
from hashcost.sweep.session import SweepGoal, SweepSession
from hashcost.worth.policies.policy import Policy

DEFAULT_BUDGET_SECONDS: Final = 5.0
_CLIMBING = 0.6
"""Share of the budget that steps of memory are climbed with at most."""


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
    pool: Sequence[Candidate] | None = None,
    start: StartRunner | None = None,
    probe: StartProbe | None = None,
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
        progress: Called between samples with the phase and what is done.
        host: Another system than the running one, for tests.
        pool: What may be swept; by default, the registered hashers.
        start: Starts what hashes; by default, libraries in this process.
        probe: Starts what tells whether the core is shared; by default, two short hashes.

    Raises:
        UsageError: a name, a cost or the budget is wrong.
    """
    check_target(target)
    if not budget > 0:
        raise UsageError("--budget must be above zero")
    common = () if costs is None else parse_costs(costs)
    asked = [parse_asked(each, common) for each in hashers]
    host = host or this_host()
    clock, machine = host.clock, host.describe()
    started = clock.wall()
    goal = SweepGoal(
        target_seconds=target,
        budget_seconds=budget,
        memory_limit=memory_limit(host, memory),
        page_bytes=machine.page_bytes,
        params=params,
        policies=policies,
    )
    past = host.history.past(machine.context, host.now())
    pool = candidates() if pool is None else pool
    probe = probe or partial(hash_probe, pool=pool)
    watch = CoreWatch(clock=clock, start_probe=probe, past_levels=past.levels)
    sessions = _sessions(asked, goal, watch, pool)
    before = host.counters()
    with sampler.undisturbed():
        for session in sessions:
            session.begin(start or by_candidate(clock), clock)
        began = clock.wall()
        warm_up(sessions, progress)
        deadline = started + budget + clock.wall() - began
        watch.start()
    with on_one_core(sessions, host):
        with sampler.undisturbed():
            for session in sessions:
                session.probe()
            share = budget * _CLIMBING / len(sessions)
            for session in sessions:
                session.climb(share)
        items = _items(sessions, deadline - clock.wall())
        if announce is not None:
            announce(_estimate(sessions, items, clock.wall() - started, budget))
        rounds = _time(sessions, items, clock, deadline, progress)
    after = host.counters()
    results = [session.result() for session in sessions]
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
            *_few_rounds(sessions),
        ),
    )


def _sessions(
    asked: Sequence[Asked], goal: SweepGoal, watch: CoreWatch, pool: Sequence[Candidate]
) -> list[SweepSession]:
    """A session for each hasher that was named, each once."""
    found: dict[str, SweepSession] = {}
    for each in asked:
        for implementations in select((each.name,), every_implementation=False, available=pool):
            if implementations[0].label in found:
                raise UsageError(f"{each.name} is named twice; give all its costs in one argument")
            found[implementations[0].label] = SweepSession(
                candidates=implementations, costs=each.costs, goal=goal, watch=watch
            )
    if not found:
        raise UsageError("name a hasher to sweep, for example sha512-crypt")
    return list(found.values())


def _items(sessions: Sequence[SweepSession], seconds: float) -> tuple[Item, ...]:
    """What is timed in each round: what fits, and what the fits need beside it."""
    wanted = [item for place, session in enumerate(sessions) for item in session.items(place)]
    kept = effort.admitted(wanted, seconds / slowdown(sessions))
    anchors = [
        item for place, session in enumerate(sessions) for item in session.anchors(place, kept)
    ]
    return (*kept, *anchors)


def _estimate(
    sessions: Sequence[SweepSession], items: Sequence[Item], spent: float, budget: float
) -> Estimate:
    timeable = {
        (place, item.cost)
        for place, session in enumerate(sessions)
        for item in session.items(place)
    }
    measured = timeable & {(item.hasher, item.cost) for item in items}
    pending = sum(
        row.status is Status.PREDICTED for session in sessions for row in session.rows.values()
    )
    return Estimate(
        seconds=spent + effort.expected_seconds(items, max(0.0, budget - spent)),
        measured=len(measured),
        predicted=pending - len(measured),
    )


@dataclass(frozen=True)
class _Turn:
    """One hash of a round."""

    expected_seconds: float
    take: Callable[[], None]

    def cut(self) -> None:
        """Leave it out; another round may have time for it."""


def _time(
    sessions: Sequence[SweepSession],
    items: Sequence[Item],
    clock: Clock,
    deadline: float,
    progress: Progress | None,
) -> int:
    """Time round after round until all is known well enough.

    A round that no longer fits is done with only those costs that are not, and do.
    """
    ahead = effort.expected_seconds(items, max(0.0, deadline - clock.wall()))
    began = clock.wall()
    current = list(items)

    def due(done: int) -> list[_Turn]:
        nonlocal current
        if done:
            current = [item for item in current if item.cost in sessions[item.hasher].rounds]
            if all(sessions[item.hasher].is_settled(item.cost) for item in current):
                return []
        if done == effort.MOST_ROUNDS:
            return []
        left = (deadline - clock.wall()) / slowdown(sessions)
        if sum(item.round_seconds for item in current) > left:
            current = _fitting(sessions, current, left)
        return [
            _Turn(item.expected_seconds, partial(sessions[item.hasher].take, item.cost, done))
            for item in current
            for _ in range(item.repeats)
        ]

    def told() -> None:
        if progress is None:
            return
        elapsed, is_over = clock.wall() - began, clock.wall() - began >= ahead
        whole = max(deadline - began if is_over else ahead, elapsed, 1e-9)
        progress(
            Stage(
                phase="timing hashes until they agree" if is_over else "timing hashes",
                fraction=elapsed / whole,
                seconds_left=whole - elapsed,
                may_end_sooner=is_over,
            )
        )

    return drive(due, sessions, clock=clock, deadline=deadline, told=told)


def _fitting(
    sessions: Sequence[SweepSession], items: Sequence[Item], seconds: float
) -> list[Item]:
    """Those that still need a round and have the time for one, the cheapest first."""
    kept = []
    for item in sorted(items, key=lambda each: each.round_seconds):
        rounds = sessions[item.hasher].rounds.get(item.cost, ())
        needed = not rounds or not sessions[item.hasher].is_settled(item.cost)
        if needed and item.round_seconds <= seconds:
            seconds -= item.round_seconds
            kept.append(item)
    return kept


def _few_rounds(sessions: Sequence[SweepSession]) -> list[Notice]:
    """Costs whose error is not known, because the budget ended before six rounds."""
    few = [
        format_setting({session.knob.name: cost})
        for session in sessions
        for cost, rounds in session.rounds.items()
        if cost in session.rows and len(rounds) < effort.FEWEST_ROUNDS
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
