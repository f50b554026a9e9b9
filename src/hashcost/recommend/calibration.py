"""The calibration: load the hashers, time them in turn, answer, and keep the times for later."""

from collections.abc import Sequence
from functools import partial
from typing import Final

from hashcost.core.errors import UsageError
from hashcost.core.machine import TOOL, Machine, Notice, Probe
from hashcost.core.measurement import Measurement
from hashcost.core.profile import SCHEMA_VERSION, Profile, Result
from hashcost.core.progress import Progress
from hashcost.fit.slowdown import shipped_ratios
from hashcost.hashers.built_in import could_have_run
from hashcost.hashers.registry import Candidate, candidates, select
from hashcost.machine.history import Past, PastRun
from hashcost.machine.host import Host, this_host
from hashcost.machine.memory import memory_limit
from hashcost.machine.signals import clock_notices, emulation_notices, noise_notices
from hashcost.measure.core_watch import CoreWatch, StartProbe, hash_probe
from hashcost.measure.request import Request
from hashcost.measure.runner import PROBE_PASSWORD, PROBE_SALT
from hashcost.measure.session import Session, on_one_core, take_turns, warm_up
from hashcost.recommend.huge_pages import page_notices
from hashcost.recommend.recommendation import recommendation

_USUAL_BUDGET: Final = 15.0
"""Wall time in seconds: a quiet machine needs at most two, a machine with a load of four eight."""
_HASHES_EACH: Final = 12
"""Hashes of the target's length that the budget has room for, for each hasher."""


def calibrate(
    request: Request | None = None,
    *,
    progress: Progress | None = None,
    host: Host | None = None,
    pool: Sequence[Candidate] | None = None,
    probe: StartProbe | None = None,
) -> Profile:
    """Find the cost that makes one hash take the target on this machine.

    Args:
        request: The hashers, target and limits; by default, the default hashers for 250 ms.
        progress: Called between samples with the phase and the share that is done.
        host: Another system than the running one, for tests.
        pool: The hashers that may be measured; by default, the registered ones.
        probe: Starts the probe of the core; by default, three short hashes.

    Returns:
        The profile, with a `Failure` for each hasher that cannot be run or solved.

    Raises:
        UsageError: the request or a name in it is wrong.
    """
    request = request or Request()
    request.check()
    host = host or this_host()
    if pool is None:
        pool = candidates()
    began = host.clock.wall()
    machine = host.describe()
    past = host.history.past(machine.context, could_have_run)
    watch = CoreWatch(
        clock=host.clock,
        start_probe=probe or partial(hash_probe, pool=pool),
        past_levels=past.levels,
        shipped=partial(shipped_ratios, machine),
    )
    sessions, asked = _loaded(request, host, machine, pool, past, watch)
    signals = _time(request, sessions, watch, host, progress)
    timed = []
    results = []
    for session in sessions:
        measurement, row = answered(session)
        if measurement is not None:
            timed.append(measurement)
        if session.candidate.label in asked:
            results.append(row)
    own = (*emulation_notices(machine), *clock_notices(machine))
    signals = (*own, *signals, *page_notices(machine, timed))
    signals = (*signals, *_history_notices(past))
    if not request.sweep_plans:  # A sweep's costs are not those that a target asks for.
        signals = (*signals, *_remember(sessions, watch, host, machine, past))
    return Profile(
        schema=SCHEMA_VERSION,
        tool=TOOL,
        created=host.date(),
        machine=machine,
        probe=Probe(password_bytes=len(PROBE_PASSWORD), salt_bytes=len(PROBE_SALT)),
        target_seconds=request.target_seconds,
        duration_seconds=host.clock.wall() - began,
        measurements=tuple(timed),
        results=tuple(results),
        warnings=signals,
    )


def _loaded(
    request: Request,
    host: Host,
    machine: Machine,
    pool: Sequence[Candidate],
    past: Past,
    watch: CoreWatch,
) -> tuple[list[Session], set[str]]:
    """A session for each hasher, with its known answers computed, and the labels asked for."""
    every = request.every_implementation
    chosen = select(request.hashers, every_implementation=every, available=pool)
    labels = {candidate.label for candidate in pool}
    also = [name for name in request.also if name in labels]
    groups = list(chosen)
    if also:
        groups += select(also, every_implementation=False, available=pool)
    limit = memory_limit(host, request.memory_bytes)
    # The implementation that stands in for an unavailable one may be named as well.
    by_label: dict[str, Session] = {}
    asked = set()
    for number, group in enumerate(groups):
        session = Session(
            candidates=group,
            request=request,
            machine=machine,
            memory_limit=limit,
            readings=watch,
            past=past,
            warm_pages=host.warm_pages,
        )
        # Only a session knows which of its candidates loads.
        session.load(host.clock)
        by_label.setdefault(session.candidate.label, session)
        if number < len(chosen):
            asked.add(session.candidate.label)
    sessions = list(by_label.values())
    # A hasher that could not be loaded has an error of its own.
    has_lanes = any(
        session.error is not None or "parallelism" in session.lowest for session in sessions
    )
    if request.parallelism is not None and not has_lanes:
        raise UsageError("--parallelism applies only to argon2id; add argon2id or leave it out")
    return sessions, asked


def _time(
    request: Request,
    sessions: Sequence[Session],
    watch: CoreWatch,
    host: Host,
    progress: Progress | None,
) -> tuple[Notice, ...]:
    """Time the hashers within the budget, and report how noisy the machine was."""
    # Before anything is counted: the first hash of a library loads it.
    warm_up(sessions, progress)
    before = host.counters()
    budget = request.budget_seconds
    if budget is None:
        budget = max(_USUAL_BUDGET, _HASHES_EACH * request.target_seconds * len(sessions))
    watch.start()
    with on_one_core(sessions, host):
        for session in sessions:
            session.begin()
        take_turns(sessions, watch, budget, progress)
    return noise_notices(
        before,
        host.counters(),
        [session.samples for session in sessions if session.samples],
        clock_measures_cpu=host.clock.measures_cpu,
    )


def answered(session: Session) -> tuple[Measurement | None, Result]:
    """The measurement of a session, if any, and its answer or failure."""
    measurement = session.measurement()
    if measurement is None:
        return None, session.failure()
    return measurement, recommendation(measurement, session.request.target_seconds, session.floors)


def _history_notices(past: Past) -> tuple[Notice, ...]:
    """Tell of files of earlier runs that were damaged."""
    if not past.damaged:
        return ()
    message, advice = "a damaged file of an earlier run is not used", "it now ends in .damaged"
    if past.damaged > 1:
        message = f"{past.damaged} damaged files of earlier runs are not used"
        advice = "they now end in .damaged"
    return (Notice(code="history", message=message, advice=advice),)


def _remember(
    sessions: Sequence[Session], watch: CoreWatch, host: Host, machine: Machine, past: Past
) -> tuple[Notice, ...]:
    """Keep the times for later runs; note if that fails, or if this is the first run."""
    # A file of past runs may be shared by machines that nothing tells apart.
    if machine.context is None:
        return ()
    level = watch.level
    problem = host.history.add(
        PastRun(
            context=machine.context,
            probe=watch.name,
            level=None if level is None else level.own,
            timed={one.key: one.timed for one in sessions if one.timed is not None},
        )
    )
    notices = []
    if problem:
        # The path stays out of profiles, since it may hold the user's name.
        message = f"this run is not kept for later ones (state folder: {problem})"
        advice = "set XDG_STATE_HOME to a folder of your own"
        notices.append(Notice(code="not-kept", message=message, advice=advice))
    if host.history.path is not None and not past.runs and watch.name is not None:
        message = "no earlier run on this machine is known"
        if not problem:
            message = "this is the first run on this machine; the next ones know it better"
        notices.append(Notice(code="first-run", message=message))
    return tuple(notices)
