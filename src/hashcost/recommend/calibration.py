"""The calibration: known answers, probe, fit, solve, confirm, all hashers in turn."""

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

import msgspec

from hashcost.core.algorithms import StrengthOf, area_time
from hashcost.core.errors import UsageError
from hashcost.core.machine import TOOL, Notice, Probe
from hashcost.core.measurement import Measurement, Params
from hashcost.core.profile import SCHEMA_VERSION, Profile, Recommendation, Result, Rounding
from hashcost.core.progress import Progress
from hashcost.core.units import DEFAULT_TARGET_SECONDS, check_target
from hashcost.hashers.registry import Candidate, candidates, select
from hashcost.machine.clock import Clock
from hashcost.machine.history import History, Past, PastRun, machine_key
from hashcost.machine.host import Host, this_host
from hashcost.machine.memory import concurrency, memory_limit
from hashcost.machine.signals import noise_notices
from hashcost.measure.core_watch import CoreWatch, StartProbe, hash_probe
from hashcost.measure.effort import NORMAL, Effort
from hashcost.measure.meter import Meter
from hashcost.measure.runner import PROBE_PASSWORD, PROBE_SALT, StartRunner, by_candidate
from hashcost.measure.session import drive, on_one_core, warm_up
from hashcost.measure.target_session import Goal, TargetSession
from hashcost.recommend.recommendation import CUT_SHORT, every_step, recommendation
from hashcost.worth.appraisal import floors_of
from hashcost.worth.policies.catalogue import least_listed, listed_costs
from hashcost.worth.policies.policy import Policy

_USUAL_BUDGET: Final = 15.0
"""Seconds: a quiet machine needs two at most, one with four times as much to do eight."""
_FEW: Final = (12, 24)
_MANY: Final = (108, 72)
"""How many hashes that take the target the budget has room for, of each hasher, and how many
of them a quiet core is waited for: of a run that answers one target, and of one that answers
many, or one at each step of memory.
"""
_STEP: Final = 4 ** (1 / 8)
"""Between two targets that are a sixth apart, the same steps of memory answer."""
_LOWEST: Final = 1 / 4
_HIGHEST: Final = 5 / 2
"""Shares of the target between which a profile answers others."""
_MOST_LANES = 2**24 - 1
"""RFC 9106 section 3.1."""


def calibrate(
    target: float = DEFAULT_TARGET_SECONDS,
    hashers: Sequence[str] = (),
    *,
    every_implementation: bool = False,
    rounding: Rounding = Rounding.DOWN,
    effort: Effort = NORMAL,
    budget: float | None = None,
    progress: Progress | None = None,
    host: Host | None = None,
    memory: int | None = None,
    at_once: int | None = None,
    memory_total: int | None = None,
    parallelism: int | None = None,
    tradeoff: bool = False,
    lower_targets: bool = False,
    higher_targets: bool = False,
    also: Sequence[str] = (),
    policies: Sequence[Policy] = (),
    enforce: bool = False,
    strength_of: StrengthOf = area_time,
    visits: Mapping[str, tuple[Params, ...]] | None = None,
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
        rounding: How to round when the target falls between two costs.
        effort: How much to measure: `hashcost.FAST`, ``NORMAL`` or ``PRECISE``.
        budget: Seconds of wall time beyond which no further hash is started; by
            default twenty, or more where hashes take long or many settings are timed.
        progress: Called between samples with the phase and what is done.
        host: Another system than the running one, for tests.
        memory: Bytes that one hash may take; by default a quarter of what the
            machine has free, within its control group's limit. If the system tells
            neither that nor how much it has, memory-hard hashers need it.
        at_once: Hashes that have room at once, by default as many as there are CPUs.
        memory_total: Bytes for all of them and their process; by default what this
            process may come to hold. Neither is asked for by default.
        parallelism: Lanes of argon2id, one by default.
        tradeoff: A row for each step of memory that the target leaves room for,
            instead of the one with the most; of a single hasher that climbs a ladder.
        lower_targets: Time memory-hard hashers for targets down to a quarter, too, and at the
            costs that policies list: what a profile needs to answer them.
        higher_targets: The same for targets up to two and a half times as long, but not
            beyond 250 ms.
        also: Further names to measure, without an answer of their own: what other commands
            need of a profile. One that is not available is left out.
        policies: Whose floors are timed where the target does not reach them; see
            `hashcost.appraise`.
        strength_of: Which of a memory-hard hasher's settings it is given: by default, the one
            with the highest area-time cost.
        enforce: Whether a cost below their floors is raised to them, beyond the target.
        visits: Costs of memory-hard hashers, by hasher, that are timed as well.
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
    past = host.history.past(machine, host.now())
    pool = candidates() if pool is None else pool
    chosen = select(hashers, every_implementation=every_implementation, available=pool)
    further = [name for name in also if any(each.label == name for each in pool)]
    beside = select(further, every_implementation=False, available=pool) if further else ()
    hashes_each, patient_hashes = _MANY if lower_targets or tradeoff else _FEW
    if budget is None:
        hashing = hashes_each * target * (len(chosen) + len(beside))
        budget = effort.patience_seconds + max(_USUAL_BUDGET, hashing)
    watch = CoreWatch(
        clock=clock,
        start_probe=probe or partial(hash_probe, pool=pool),
        past_ratios=past.ratios,
        spread_seconds=effort.spread_seconds,
        blind_seconds=effort.blind_seconds,
        # Long hashes take a while even on a quiet core. What is left of the budget is for
        # those that confirm the answers.
        patience_seconds=min(max(effort.patience_seconds, patient_hashes * target), budget / 3),
    )
    shared, limit, more_memory = None, memory_limit(host, memory), "raise --memory"
    if at_once is not None or memory_total is not None:
        shared = concurrency(host, at_once, memory_total)
        limit = shared.hash_bytes if memory is None else min(shared.hash_bytes, memory)
        more_memory = "raise --memory-total, or lower --at-once"
    goal = Goal(
        target_seconds=target,
        rounding=rounding,
        effort=effort,
        memory_limit=limit,
        more_memory=more_memory,
        # Less memory than any policy lists is only for those who ask for less.
        least_of=least_listed if memory is None else lambda _: None,
        page_bytes=machine.page_bytes,
        parallelism=_lanes(parallelism),
        floors_of=floors_of(policies, enforced=enforce),
        strength_of=strength_of,
        visits={**(listed_costs() if lower_targets else {}), **(visits or {})},
        every_step=tradeoff,
        targets=_others(target, lower=lower_targets, higher=higher_targets),
    )
    if tradeoff and enforce:
        raise UsageError("--tradeoff and --enforce cannot be combined; choose one")
    if tradeoff and len(chosen) != 1:
        raise UsageError("--tradeoff: name one hasher, scrypt or argon2id")
    sessions = [
        TargetSession(candidates=each, goal=goal, watch=watch, past=past)
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
    if tradeoff:
        sessions[0].check_tradeable()
    warm_up(sessions, progress)
    watch.start()
    before, timing_began = host.counters(), clock.wall()
    meter = Meter(progress, sessions, watch, budget)
    with on_one_core(sessions, host):
        _time(sessions, clock, timing_began + budget, meter)
    after = host.counters()

    found = [answered(each) for each in sessions]
    key = machine_key(machine)
    if key is not None:
        host.history.add(
            PastRun(
                ended=host.now(),
                machine=key,
                probe=watch.name,
                quiet_ratio=watch.own_ratio,
                seconds_per_unit=dict(rate for each in sessions for rate in each.quiet_rates()),
                answers=tuple(
                    session.answer(measurement.kept)
                    for session, (measurement, _) in zip(sessions, found, strict=True)
                    if measurement is not None and measurement.kept is not None
                ),
            )
        )
    return Profile(
        schema=SCHEMA_VERSION,
        tool=TOOL,
        created=host.date(),
        machine=machine,
        probe=Probe(password_bytes=len(PROBE_PASSWORD), salt_bytes=len(PROBE_SALT)),
        target_seconds=target,
        rounding=rounding,
        duration_seconds=clock.wall() - started,
        measurements=tuple(each for each, _ in found if each is not None),
        results=tuple(
            row
            for session, (_, rows) in zip(sessions, found, strict=True)
            if session.candidate.label in asked
            for row in rows
        ),
        concurrency=shared,
        warnings=(
            *noise_notices(
                before,
                after,
                [each.samples for each in sessions if each.samples],
                clock_measures_cpu=clock.measures_cpu,
            ),
            *(() if key is None else _first_run(host.history, past, watch)),
        ),
    )


def _others(target: float, *, lower: bool, higher: bool) -> tuple[float, ...]:
    """The targets to answer beside a target, the nearest first."""
    highest = min(_HIGHEST * target, DEFAULT_TARGET_SECONDS)
    count = math.ceil(math.log(1 / _LOWEST, _STEP) - 1e-9)
    below = tuple(target * _STEP**-step for step in range(1, count + 1)) if lower else ()
    if not higher or highest <= target:
        return below
    count = math.ceil(math.log(highest / target, _STEP) - 1e-9)
    return *below, *(min(target * _STEP**step, highest) for step in range(1, count + 1))


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
            message="this is the first run on this machine, so it cannot know whether the core"
            " was quiet",
            advice="run it again: two runs that agree are enough",
        ),
    )


def answered(session: TargetSession) -> tuple[Measurement | None, tuple[Result, ...]]:
    """What a session measured, and the answers to its goal."""
    session.samples = list(session.watch.marked(session.samples))
    measurement, goal = session.measurement(), session.goal
    if measurement is None:
        return None, (session.failure(),)
    target, rounding = goal.target_seconds, goal.rounding
    chosen = recommendation(measurement, target, rounding, session.floors, goal.strength_of)
    rows = every_step(measurement, target, rounding) if goal.every_step else (chosen,)
    if measurement.climbs and isinstance(chosen, Recommendation) and chosen.raised_from is None:
        measurement = msgspec.structs.replace(measurement, kept=chosen.params)
    return measurement, tuple(_explained(row, session) for row in rows)


def _explained(row: Result, session: TargetSession) -> Result:
    """The row, which says so if the budget ended before a hash at its cost."""
    if not isinstance(row, Recommendation) or not session.was_cut or row.confirmed:
        return row
    notice = Notice(
        code=CUT_SHORT,
        message="a hash at this cost did not fit into the budget, so none was timed",
        advice="measure fewer hashers at once, or lower --target",
    )
    return msgspec.structs.replace(row, warnings=(*row.warnings, notice))


def _lanes(asked: int | None) -> int:
    """Number of argon2id lanes.

    Raises:
        UsageError: the algorithm has not so many.
    """
    if asked is not None and not 1 <= asked <= _MOST_LANES:
        raise UsageError(f"--parallelism: it must be 1 to {_MOST_LANES}")
    return asked or 1
