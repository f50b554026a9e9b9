"""The highest cost that holds a rate of logins with a tail: foreseen, then held for real."""

import math
import random
from collections.abc import Callable, Sequence
from typing import Final

from hashcost.core.capacity import Capacity, Demand, LoadRun
from hashcost.core.cost_expressions import Cost
from hashcost.core.errors import HashcostError, InconclusiveError, UnreachableError, UsageError
from hashcost.core.profile import Profile, Recommendation
from hashcost.core.progress import Advance, Progress, within
from hashcost.core.units import format_duration, format_rate, format_setting
from hashcost.fit.order_statistics import FEWEST_FOR_SURE_TAIL, FEWEST_FOR_TAIL, quantile
from hashcost.hashers.registry import Candidate
from hashcost.logins.capacity import Bench, measure_levels, service_of, thread_counts, workers
from hashcost.logins.load import open_loop
from hashcost.logins.queue_simulation import schedule
from hashcost.logins.sizing import LONGEST_TARGET, SHORTEST_TARGET, Search
from hashcost.machine.clock import Clock
from hashcost.machine.host import Host
from hashcost.machine.memory import memory_for_each
from hashcost.measure.runner import ready_calls
from hashcost.recommend.one_hasher import (
    Subject,
    answer_or_lowest,
    naming,
    solved_profile,
    subject_at,
    subject_of,
)

DEFAULT_RUN_SECONDS: Final = 20.0
LONGEST_RUN_SECONDS: Final = 600.0

_MOST_RUNS: Final = 3
_MOST_ARRIVALS: Final = 100_000
_FIRST_AIM: Final = 0.6
"""A hash is first solved for this share of what it may take at most."""
_LEVEL_SECONDS: Final = 2.0
"""For each number of threads; the run that follows is what decides."""
_PATIENCE: Final = 10.0
"""Limits that a login may wait for a worker before its run is given up."""
_PATIENCE_SECONDS: Final = 2.0


def meet_demand(
    cost: Cost,
    demand: Demand,
    *,
    origin: Profile | None = None,
    seconds: float = DEFAULT_RUN_SECONDS,
    budget: float | None = None,
    memory_total: int | None = None,
    progress: Progress | None = None,
    host: Host | None = None,
    pool: Sequence[Candidate] | None = None,
    chance: random.Random | None = None,
) -> Capacity:
    """Find the highest cost that holds so many logins a second with this tail.

    A simulated queue picks the cost, and real hashes at random moments confirm it; a
    run that fails leads to a lower cost, three times at most.

    A run lasts ``seconds``, or longer where fewer than 59 logins arrive in it. ``origin``,
    ``budget`` and ``memory_total`` are as in `measure_capacity`; ``chance``, when logins
    arrive, is for tests.

    Raises:
        HashcostError: the demand cannot be tried, or the hasher cannot run.
    """
    arrivals, lasts = _size(demand, seconds)
    if cost.params is not None:
        raise UsageError("--logins finds the highest cost; name the hasher without a cost")
    bench = Bench.of(host, memory_total)
    host, cpus = bench.host, bench.cpus
    memory = memory_for_each(host, 2 * cpus)
    if bench.shared is not None and memory_total is not None:
        memory = bench.shared.hash_bytes
    within(progress, "finding the cost")(0.0)
    target = _FIRST_AIM * min(demand.p95_seconds, cpus / demand.logins_per_second)
    target = min(max(target, SHORTEST_TARGET), LONGEST_TARGET)
    profile = solved_profile(cost, target, origin, memory=memory, host=host, pool=pool)
    base = answer_or_lowest(profile)
    subject = subject_at(profile.measurements[0].label, base.params, base.seconds, pool)
    before = host.counters()
    levels, skipped = measure_levels(
        subject,
        [threads for threads in thread_counts(cpus) if threads <= cpus],
        budget=_LEVEL_SECONDS if budget is None else budget,
        host=host,
        advance=within(progress, "hashing in threads", 0.05, 0.2),
    )
    chosen = workers(levels, cpus)
    search = Search(
        demand=demand,
        cost=cost,
        cpus=cpus,
        memory=memory,
        host=host,
        pool=pool,
        profile=profile,
        base=base,
        served=service_of(levels, chosen),
        renews=origin is None,
    )
    chance = chance or random.Random()

    def run_at(row: Recommendation) -> LoadRun:
        due = schedule(arrivals, lasts, chance)
        subject = subject_of(row, pool)
        return run_load(subject, demand, threads=chosen.threads, due=due, clock=host.clock)

    runs: list[LoadRun] = []
    error: HashcostError | None = None
    held: Recommendation | None = None
    try:
        held = _settle(search, run_at, runs, within(progress, "trying a cost with logins", 0.2))
    except (UnreachableError, InconclusiveError) as caught:
        error = caught
    return bench.found(
        subject,
        levels,
        before,
        (*skipped, *(() if held is None else search.remarks(held))),
        params=held and held.params,
        memory_bytes=held and held.memory_bytes,
        demand=demand,
        runs=tuple(runs),
        error=error and str(error),
        code=error and error.code,
    )


def run_load(
    subject: Subject,
    demand: Demand,
    *,
    threads: int,
    due: Sequence[float],
    clock: Clock,
) -> LoadRun:
    """Hash logins that are due at these seconds, and see whether the demand is met."""
    hasher, params = subject.hasher, subject.params
    with naming(subject.label):
        opened = open_loop(
            clock,
            ready_calls(hasher, params, threads),
            due,
            patience_seconds=max(_PATIENCE * demand.p95_seconds, _PATIENCE_SECONDS),
            where=f"at {format_setting(params)}",
        )
    responses = tuple(login.response_seconds for login in opened.served)
    lasted = max(login.end for login in opened.served) - opened.began
    hashing = sum(login.end - login.start for login in opened.served)
    p95 = quantile(responses, 0.95)
    return LoadRun(
        params=params,
        workers=threads,
        arrivals=len(due),
        served=len(responses),
        duration_seconds=lasted,
        logins_per_second=len(responses) / lasted if lasted > 0 else math.inf,
        p50_seconds=quantile(responses, 0.5),
        p95_seconds=p95,
        p95_is_rough=len(responses) < FEWEST_FOR_SURE_TAIL,
        max_seconds=max(responses),
        utilisation=hashing / (threads * lasted) if lasted > 0 else 0.0,
        held=len(responses) == len(due) and p95 <= demand.p95_seconds,
        response_seconds=responses,
    )


def _settle(
    search: Search,
    run_at: Callable[[Recommendation], LoadRun],
    runs: list[LoadRun],
    advance: Advance,
) -> Recommendation:
    """The highest cost that a run has held; every run is added to ``runs``.

    One that fails is followed by a lower cost, one that was far from the limit by a
    higher one.
    """
    held: Recommendation | None = None
    candidate: Recommendation | None = search.first()
    while candidate is not None and len(runs) < _MOST_RUNS:
        advance(len(runs) / _MOST_RUNS)
        run = run_at(candidate)
        runs.append(run)
        if run.held:
            held = candidate
            failed = any(not earlier.held for earlier in runs)
            candidate = None if failed else search.above(held, run)
        elif held is not None:
            break
        else:
            candidate = search.below(candidate, run)
    if held is None:
        tried = ", ".join(
            f"{format_setting(run.params)} {format_duration(run.p95_seconds)}" for run in runs
        )
        raise InconclusiveError(
            f"{len(runs)} runs at lower and lower costs had a p95 above"
            f" {format_duration(search.demand.p95_seconds)} ({tried}); measure again when the"
            " machine is quieter"
        )
    return held


def _size(demand: Demand, seconds: float) -> tuple[int, float]:
    """How many logins arrive in a run, and within how many seconds."""
    if seconds > LONGEST_RUN_SECONDS:
        raise UsageError(f"--duration must be at most {format_duration(LONGEST_RUN_SECONDS)}")
    rate = demand.logins_per_second
    wanted = max(math.ceil(rate * seconds), FEWEST_FOR_SURE_TAIL)
    arrivals = min(wanted, math.floor(rate * LONGEST_RUN_SECONDS), _MOST_ARRIVALS)
    if arrivals < FEWEST_FOR_TAIL:
        raise UsageError(
            f"--logins: at {format_rate(rate)} fewer than {FEWEST_FOR_TAIL} arrive in the"
            f" {format_duration(LONGEST_RUN_SECONDS)} of the longest run; any cost that hashes"
            f" faster than --p95 will do"
        )
    return arrivals, arrivals / rate
