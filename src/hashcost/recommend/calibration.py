"""The calibration: known answers, probe, fit, solve, confirm, all hashers in turn."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

from hashcost.core.errors import UsageError
from hashcost.core.machine import TOOL, Notice, Probe
from hashcost.core.measurement import Measurement, Params
from hashcost.core.profile import SCHEMA_VERSION, Profile, Result, Rounding
from hashcost.core.progress import Progress
from hashcost.core.units import DEFAULT_TARGET_SECONDS, check_target
from hashcost.fit.slowdown import shipped_ratios
from hashcost.hashers.registry import Candidate, candidates, select
from hashcost.machine.clock import Clock
from hashcost.machine.history import History, Past, PastRun
from hashcost.machine.host import Host, this_host
from hashcost.machine.memory import memory_limit
from hashcost.machine.signals import noise_notices
from hashcost.measure.core_watch import CoreWatch, StartProbe, hash_probe
from hashcost.measure.effort import NORMAL, Effort
from hashcost.measure.meter import Meter
from hashcost.measure.plan import Tour
from hashcost.measure.runner import PROBE_PASSWORD, PROBE_SALT, StartRunner, by_candidate
from hashcost.measure.session import drive, on_one_core, warm_up
from hashcost.measure.target_session import Goal, TargetSession
from hashcost.recommend.recommendation import recommendation
from hashcost.worth.appraisal import floors_of
from hashcost.worth.policies.catalogue import least_listed
from hashcost.worth.policies.policy import Policy

_USUAL_BUDGET: Final = 15.0
"""Seconds: a quiet machine needs two at most, one with four times as much to do eight."""
_HASHES_EACH: Final = 12
"""How many hashes that take the target the budget has room for, of each hasher."""
_MOST_LANES = 2**24 - 1
"""RFC 9106 section 3.1."""


def calibrate(
    target: float = DEFAULT_TARGET_SECONDS,
    hashers: Sequence[str] = (),
    *,
    every_implementation: bool = False,
    effort: Effort = NORMAL,
    budget: float | None = None,
    progress: Progress | None = None,
    host: Host | None = None,
    memory: int | None = None,
    parallelism: int | None = None,
    also: Sequence[str] = (),
    policies: Sequence[Policy] = (),
    enforce: bool = False,
    visits: Mapping[str, tuple[Params, ...]] | None = None,
    tours: Mapping[str, Tour] | None = None,
    pool: Sequence[Candidate] | None = None,
    start: StartRunner | None = None,
    probe: StartProbe | None = None,
) -> Profile:
    """Find the cost that makes one hash take ``target`` seconds on this machine.

    Args:
        target: Seconds that one hash may take, above 0 and at most 60.
        hashers: Names, ``hasher`` or ``hasher@implementation``; none means the
            defaults.
        every_implementation: Every implementation instead of the preferred one.
        effort: How much to measure: `hashcost.FAST`, ``NORMAL`` or ``PRECISE``.
        budget: Seconds of wall time beyond which no further hash is started; by
            default fifteen, or more where hashes take long.
        progress: Called between samples with the phase and what is done.
        host: Another system than the running one, for tests.
        memory: Bytes that one hash may take; by default a quarter of what the
            machine has free, within its control group's limit. If the system tells
            neither that nor how much it has, memory-hard hashers need it.
        parallelism: Lanes of argon2id, one by default.
        also: Further names to measure, without an answer of their own: what other commands
            need of a profile. One that is not available is left out.
        policies: Whose floors are timed where the target does not reach them; see
            `hashcost.appraise`.
        enforce: Whether a cost below their floors is raised to them, beyond the target.
        visits: Costs of memory-hard hashers, by hasher, that are timed as well.
        tours: What is timed in place of what the target asks for, by the label of the hasher.
        pool: What may be measured; by default, the registered hashers.
        start: Starts what hashes; by default, libraries in this process.
        probe: Starts what tells whether the core is shared; by default, two short hashes.

    Returns:
        The profile that the command renders. A hasher that cannot be run or
        solved is in it as a `Failure`.

    Raises:
        UsageError: the target, the budget or a name is wrong.
    """
    check_target(target)
    if budget is not None and not budget > 0:
        raise UsageError("--budget must be above zero")
    host = host or this_host()
    clock, machine = host.clock, host.describe()
    started = clock.wall()
    context = machine.context
    past = host.history.past(context, host.now())
    pool = candidates() if pool is None else pool
    chosen = select(hashers, every_implementation=every_implementation, available=pool)
    further = [name for name in also if any(each.label == name for each in pool)]
    beside = select(further, every_implementation=False, available=pool) if further else ()
    if budget is None:
        budget = max(_USUAL_BUDGET, _HASHES_EACH * target * (len(chosen) + len(beside)))
    watch = CoreWatch(
        clock=clock,
        start_probe=probe or partial(hash_probe, pool=pool),
        past_levels=past.levels,
        shipped_ratios=partial(shipped_ratios, machine),
    )
    goal = Goal(
        target_seconds=target,
        effort=effort,
        memory_limit=memory_limit(host, memory),
        # Less memory than any policy lists is only for those who ask for less.
        least_of=least_listed if memory is None else lambda _: None,
        page_bytes=machine.page_bytes,
        parallelism=_lanes(parallelism),
        floors_of=floors_of(policies, enforced=enforce),
        visits=visits or {},
    )
    sessions = [
        TargetSession(
            candidates=each,
            goal=goal,
            watch=watch,
            past=past,
            tour=(tours or {}).get(each[0].label),
        )
        for each in (*chosen, *beside)
    ]
    for session in sessions:
        session.load(start or by_candidate(clock))
    asked = {each.candidate.label for each in sessions[: len(chosen)]}
    # One that was named may stand in for another that was.
    by_label: dict[str, TargetSession] = {}
    for session in sessions:
        by_label.setdefault(session.candidate.label, session)
    sessions = list(by_label.values())
    # One that could not be loaded speaks for itself.
    if parallelism is not None and not any(
        each.error is not None or "parallelism" in each.lowest for each in sessions
    ):
        raise UsageError("--parallelism applies only to argon2id; add argon2id or leave it out")
    warm_up(sessions, progress)
    watch.start()
    before, timing_began = host.counters(), clock.wall()
    meter = Meter(progress, sessions, watch, budget)
    with on_one_core(sessions, host):
        _time(sessions, clock, timing_began + budget, meter)
    after = host.counters()

    found = [answered(each) for each in sessions]
    if context is not None and not tours:
        level = watch.level
        host.history.add(
            PastRun(
                ended=host.now(),
                context=context,
                probe=watch.name,
                level=None if level is None else level.own,
                timed={each.key: each.timed for each in sessions if each.timed is not None},
            )
        )
    return Profile(
        schema=SCHEMA_VERSION,
        tool=TOOL,
        created=host.date(),
        machine=machine,
        probe=Probe(password_bytes=len(PROBE_PASSWORD), salt_bytes=len(PROBE_SALT)),
        target_seconds=target,
        rounding=Rounding.DOWN,
        duration_seconds=clock.wall() - started,
        measurements=tuple(each for each, _ in found if each is not None),
        results=tuple(
            row
            for session, (_, rows) in zip(sessions, found, strict=True)
            if session.candidate.label in asked
            for row in rows
        ),
        warnings=(
            *noise_notices(
                before,
                after,
                [each.samples for each in sessions if each.samples],
                clock_measures_cpu=clock.measures_cpu,
            ),
            *(() if context is None or tours else _first_run(host.history, past, watch)),
        ),
    )


def _time(sessions: Sequence[TargetSession], clock: Clock, deadline: float, meter: Meter) -> None:
    """Time one hash of each unfinished session per round."""
    for session in sessions:
        session.begin()
    drive(
        lambda _: [session for session in sessions if session.request is not None],
        sessions,
        clock=clock,
        deadline=deadline,
        told=meter.tell,
    )


def _first_run(history: History, past: Past, watch: CoreWatch) -> tuple[Notice, ...]:
    """Says that nothing but this run tells how quick the machine is."""
    if history.path is None or past.runs or watch.name is None:
        return ()
    return (
        Notice(
            code="first-run",
            message="this is the first run on this machine; the next ones know it better",
        ),
    )


def answered(
    session: TargetSession,
) -> tuple[Measurement | None, tuple[Result, ...]]:
    """What a session measured, and the answers to its goal."""
    measurement, goal = session.measurement(), session.goal
    if measurement is None:
        return None, (session.failure(),)
    row = recommendation(measurement, goal.target_seconds, Rounding.DOWN, session.floors)
    return measurement, (row,)


def _lanes(asked: int | None) -> int:
    """Number of argon2id lanes.

    Raises:
        UsageError: the algorithm has not so many.
    """
    if asked is not None and not 1 <= asked <= _MOST_LANES:
        raise UsageError(f"--parallelism: it must be 1 to {_MOST_LANES}")
    return asked or 1
