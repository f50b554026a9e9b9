"""How many logins a second one machine can take, measured by hashing in many threads."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from hashcost.core.capacity import (
    CAPACITY_SCHEMA_VERSION,
    Capacity,
    Concurrency,
    Level,
    Prediction,
)
from hashcost.core.cost_expressions import Cost
from hashcost.core.errors import UnreachableError, UsageError
from hashcost.core.machine import Machine, Notice, Probe
from hashcost.core.measurement import Params
from hashcost.core.profile import Failure, Profile, Result
from hashcost.core.progress import Advance, Progress, within
from hashcost.core.targets import check_target
from hashcost.core.tool import TOOL
from hashcost.core.units import (
    format_bytes,
    format_duration,
    format_duration_up,
    format_percent,
    format_rate,
    format_setting,
)
from hashcost.fit.order_statistics import FEWEST_FOR_SURE_TAIL, FEWEST_FOR_TAIL, quantile
from hashcost.hashers.interface import Hasher
from hashcost.hashers.registry import Candidate
from hashcost.logins.load import closed_loop, throughput
from hashcost.logins.queue_simulation import Service, service, simulate
from hashcost.machine.clock import Clock
from hashcost.machine.facts import whole_cpus
from hashcost.machine.host import Host, this_host
from hashcost.machine.memory import concurrency, limited, memory_for_each
from hashcost.machine.signals import Counters, noise_notices
from hashcost.measure.runner import PROBE_PASSWORD, PROBE_SALT, ready_calls
from hashcost.recommend.one_hasher import (
    Subject,
    given_subject,
    naming,
    recommended_row,
    solved_profile,
    subject_of,
)

LOAD: Final = 0.7
"""The share of the most that a server may plan with; beyond it queues grow steeply."""

_WANTED_HASHES: Final = 60
_WANTED_SECONDS: Final = 2.0
"""A quick hash is repeated for so long, or until there are very many."""
_VERY_MANY_HASHES: Final = 4000
_FEWEST_EACH: Final = 2
_BUDGETED_HASHES: Final = 24
"""Of one thread: at 250 ms they take six seconds."""
_BUDGET_RANGE: Final = (3.0, 10.0)
_ROW_SECONDS: Final = 1.0
"""Of each row of a recommendation, where capacity is asked for beside it."""
_EVERY_COUNT: Final = 4
"""Up to so many CPUs every number of threads is measured, beyond that each doubling."""

_OVERRUN: Final = 1.5
"""So many times a budget that was asked for may pass, since each thread hashes twice."""
_AS_GOOD: Final = 0.8
"""A worker for each CPU is taken as long as they do at least this share of the most."""
_GROWS: Final = 1.3
"""Two CPUs or more do at least this much more than one, where a library lets them."""
_BUSY: Final = 0.10
"""Share of the threads' time spent queueing for a CPU that is worth a word."""


@dataclass(frozen=True, kw_only=True)
class Bench:
    """The machine that hashes run on, since when, and the memory that they share."""

    host: Host
    """With no more memory than was asked for."""
    machine: Machine
    cpus: int
    started: float
    shared: Concurrency | None
    """None if it is unknown."""

    @classmethod
    def of(cls, host: Host | None, memory_total: int | None) -> Bench:
        """The running system or another one, with this much memory for the whole process.

        Raises:
            UsageError: the memory does not suffice.
        """
        host = host or this_host()
        started, machine, shared = host.clock.wall(), host.describe(), None
        if memory_total is not None or host.available_memory() is not None:
            shared = concurrency(host, asked=memory_total)
            host = host if memory_total is None else limited(host, shared)
        return cls(
            host=host, machine=machine, cpus=whole_cpus(machine), started=started, shared=shared
        )

    def found(
        self,
        subject: Subject,
        levels: tuple[Level, ...],
        before: Counters,
        notices: Iterable[Notice],
        **found: Any,
    ) -> Capacity:
        """What was found, with where and when, and what speaks against it."""
        at_once = workers(levels, self.cpus).threads
        return Capacity(
            schema=CAPACITY_SCHEMA_VERSION,
            tool=TOOL,
            created=self.host.date(),
            machine=self.machine,
            probe=Probe(password_bytes=len(PROBE_PASSWORD), salt_bytes=len(PROBE_SALT)),
            hasher=subject.hasher.name,
            implementation=subject.hasher.implementation,
            implementation_version=subject.hasher.version,
            cpus=self.cpus,
            duration_seconds=self.host.clock.wall() - self.started,
            levels=levels,
            concurrency=self.shared and msgspec.structs.replace(self.shared, at_once=at_once),
            warnings=(
                *notices,
                *doubts(levels, self.cpus),
                *noise_notices(before, self.host.counters(), ()),
            ),
            **found,
        )


def measure_capacity(
    cost: Cost,
    *,
    target: float | None = None,
    origin: Profile | None = None,
    budget: float | None = None,
    memory_total: int | None = None,
    progress: Progress | None = None,
    host: Host | None = None,
    pool: Sequence[Candidate] | None = None,
) -> Capacity:
    """Hash in 1, 2 and more threads, up to twice as many as there are CPUs.

    A hasher without a cost has it solved first, for the ``target`` or from the profile
    ``origin``. ``budget`` is the seconds for each number of threads, by default three to
    ten, as the hash is quick or slow; ``memory_total`` the bytes for the process with all
    its hashes, by default what this one may come to hold.

    Raises:
        HashcostError: the cost is wrong, the hasher cannot run, or no cost fits.
    """
    within(progress, "finding the cost")(0.0)
    bench = Bench.of(host, memory_total)
    host, cpus = bench.host, bench.cpus
    if target is not None:
        check_target(target)
    if cost.params is None:
        profile = solved_profile(
            cost, target, origin, memory=memory_for_each(host, 2 * cpus), host=host, pool=pool
        )
        subject = subject_of(recommended_row(profile.results[0]), pool)
    elif target is None and origin is None:
        subject = given_subject(cost, host=host, pool=pool)
    else:
        option = "--from" if target is None else "--target"
        raise UsageError(
            f"{option} does not apply when a cost is given; leave it out, or find the cost with"
            f" `calibrate capacity {cost.label} {option} {'40ms' if target else 'PROFILE'}`"
        )
    before = host.counters()
    levels, skipped = measure_levels(
        subject,
        thread_counts(cpus),
        budget=budget,
        host=host,
        advance=within(progress, "hashing in threads", 0.1),
    )
    return bench.found(
        subject,
        levels,
        before,
        skipped,
        params=subject.params,
        memory_bytes=subject.memory_bytes,
        prediction=predict(levels, cpus),
    )


def with_capacity(
    profile: Profile,
    *,
    progress: Progress | None = None,
    host: Host | None = None,
    pool: Sequence[Candidate] | None = None,
) -> Profile:
    """The profile with what the whole machine gets done at each recommended cost.

    As many threads hash as there are CPUs, for about a second each row; a row whose
    memory does not suffice for that many is left as it is.
    """
    advance = within(progress, "counting logins")
    host = host or this_host()
    cpus = whole_cpus(profile.machine)
    rows: list[Result] = []
    for done, row in enumerate(profile.results):
        advance(done / len(profile.results))
        free = host.available_memory()
        if isinstance(row, Failure) or (free is not None and cpus * row.memory_bytes > free):
            rows.append(row)
            continue
        with naming(row.label):
            level = measure_level(
                subject_of(row, pool).hasher,
                row.params,
                threads=cpus,
                seconds=_ROW_SECONDS,
                clock=host.clock,
            )
        rows.append(msgspec.structs.replace(row, capacity=level))
    return msgspec.structs.replace(profile, results=tuple(rows))


def measure_level(
    hasher: Hasher,
    params: Params,
    *,
    threads: int,
    seconds: float,
    clock: Clock,
) -> Level:
    """What so many threads get done that hash all the time, for at most about this long.

    Each does two hashes at least; of a quick hash there are enough sooner.
    """
    closed = closed_loop(
        clock,
        ready_calls(hasher, params, threads),
        enough=lambda counts, elapsed: is_enough(counts, elapsed, seconds),
        where=f"at {format_setting(params)}",
    )
    latencies = tuple(span.seconds for span in sorted(closed.hashes, key=lambda span: span.end))
    began = min(span.start for span in closed.hashes)
    lasted = max(span.end for span in closed.hashes) - began
    return Level(
        params=params,
        threads=threads,
        hashes=len(latencies),
        duration_seconds=lasted,
        logins_per_second=throughput(closed.spans),
        p50_seconds=quantile(latencies, 0.5),
        p95_seconds=quantile(latencies, 0.95) if len(latencies) >= FEWEST_FOR_TAIL else None,
        p95_is_rough=len(latencies) < FEWEST_FOR_SURE_TAIL,
        memory_bytes=threads * hasher.memory_bytes(params),
        cpu_seconds=closed.cpu_seconds,
        queued_seconds=closed.queued_seconds,
        latency_seconds=latencies,
    )


def is_enough(counts: Sequence[int], elapsed: float, budget: float) -> bool:
    """Whether a level rests on enough hashes, or has used its time up.

    ``counts`` are the hashes of each thread; every one does two at least.
    """
    if min(counts) < _FEWEST_EACH:
        return False
    if elapsed >= budget or sum(counts) >= _VERY_MANY_HASHES:
        return True
    return sum(counts) >= _WANTED_HASHES and elapsed >= _WANTED_SECONDS


def thread_counts(cpus: int) -> tuple[int, ...]:
    """How many threads to measure: up to the CPUs, and twice as many to see the queue build."""
    if cpus <= _EVERY_COUNT:
        return (*range(1, cpus + 1), 2 * cpus)
    doublings = (1 << step for step in range(cpus.bit_length()))
    return (*(threads for threads in doublings if threads < cpus), cpus, 2 * cpus)


def measure_levels(
    subject: Subject,
    counts: Sequence[int],
    *,
    budget: float | None,
    host: Host,
    advance: Advance,
) -> tuple[tuple[Level, ...], tuple[Notice, ...]]:
    """A level for each number of threads that there is memory for, and what was left out.

    Raises:
        UnreachableError: there is no memory for a single hash.
        WrongAnswerError: a thread computed something else than the hash.
    """
    fitting, notices = _within_memory(subject, counts, host.available_memory())
    if budget is None:
        least, most = _BUDGET_RANGE
        budget = min(max(_BUDGETED_HASHES * subject.expected_seconds, least), most)
    else:
        fitting, others = _within_budget(subject, fitting, budget, whole_cpus(host.describe()))
        notices = (*notices, *others)
    levels = []
    for done, threads in enumerate(fitting):
        advance(done / len(fitting))
        with naming(subject.label):
            level = measure_level(
                subject.hasher,
                subject.params,
                threads=threads,
                seconds=budget,
                clock=host.clock,
            )
        levels.append(level)
    return tuple(levels), notices


def predict(levels: Sequence[Level], cpus: int) -> Prediction:
    """How logins fare that come at random, at 70 % of what the workers can do at most."""
    chosen = workers(levels, cpus)
    arrivals = LOAD * chosen.logins_per_second
    outcome = simulate(service_of(levels, chosen), arrivals)
    return Prediction(
        load=LOAD,
        workers=chosen.threads,
        arrivals_per_second=arrivals,
        p50_seconds=outcome.p50_seconds,
        p95_seconds=outcome.p95_seconds,
        utilisation=outcome.utilisation,
    )


def workers(levels: Sequence[Level], cpus: int) -> Level:
    """The level with as many workers as there are CPUs, or fewer where more do less."""
    within = [level for level in levels if level.threads <= cpus]
    most = max(level.logins_per_second for level in within)
    good = [level for level in within if level.logins_per_second >= _AS_GOOD * most]
    return max(good, key=lambda level: level.threads)


def service_of(levels: Sequence[Level], chosen: Level) -> Service:
    """The service times that these levels show, for as many workers as one of them has."""
    return service(
        {level.threads: level.p50_seconds for level in levels},
        chosen.threads,
        [seconds / chosen.p50_seconds for seconds in chosen.latency_seconds],
    )


def doubts(levels: Sequence[Level], cpus: int) -> tuple[Notice, ...]:
    """What kept the threads from doing more: Python's lock, or other processes."""
    within = [level for level in levels if level.threads <= cpus]
    if _is_locked(within):
        notice = Notice(
            code="lock",
            message="extra threads add no throughput although CPUs are idle: the library holds"
            " Python's GIL while it hashes",
            advice="serve logins from several processes, one per CPU; each then does what one"
            f" thread does here, {format_rate(within[0].logins_per_second)}",
        )
    elif (queueing := max(map(_queued_share, within))) > _BUSY:
        notice = Notice(
            code="busy",
            message="other processes wanted the same CPUs: the threads spent"
            f" {format_percent(queueing)} of their time waiting for one",
            advice="the figures are what those processes leave; measure when they are idle to"
            " see what the machine can do",
        )
    else:
        return ()
    return (notice,)


def _within_memory(
    subject: Subject, counts: Sequence[int], available: int | None
) -> tuple[tuple[int, ...], tuple[Notice, ...]]:
    """The numbers of threads whose hashes find room together, and a word on the others."""
    if available is None:
        return tuple(counts), ()
    fitting = tuple(count for count in counts if count * subject.memory_bytes <= available)
    if not fitting:
        raise UnreachableError(
            f"{subject.label}: one hash takes {format_bytes(subject.memory_bytes)} but only"
            f" {format_bytes(available)} are left; name a lower cost"
        )
    if fitting == tuple(counts):
        return fitting, ()
    most = counts[-1]
    return fitting, (
        Notice(
            code="memory",
            message=f"{most} logins at once take {format_bytes(most * subject.memory_bytes)} and"
            f" {format_bytes(available)} are left: no more than {fitting[-1]} were tried",
            advice="limit concurrent hashes to what fits, or choose a cost that uses less memory",
        ),
    )


def _within_budget(
    subject: Subject, counts: Sequence[int], budget: float, cpus: int
) -> tuple[tuple[int, ...], tuple[Notice, ...]]:
    """The numbers of threads whose fewest hashes do not overrun a budget by far.

    The first is never left out.
    """

    def least_seconds(threads: int) -> float:
        return _FEWEST_EACH * subject.expected_seconds * max(1.0, threads / cpus)

    first, *others = counts
    fitting = (first, *(each for each in others if least_seconds(each) <= _OVERRUN * budget))
    if fitting == tuple(counts):
        return fitting, ()
    most = counts[-1]
    wanted = format_duration_up(least_seconds(most)).replace(" ", "")
    return fitting, (
        Notice(
            code="budget",
            message=f"{most} logins at once take more than the budget of"
            f" {format_duration(budget)}: no more than {fitting[-1]} were tried",
            advice=f"give --budget {wanted}, or choose a lower cost",
        ),
    )


def _is_locked(levels: Sequence[Level]) -> bool:
    """Whether several threads did no more than one, and were not kept from it by others.

    Of threads that wait for a lock one burns CPU time at a time, and none queues for a CPU.
    """
    alone, *others = levels
    most = max((level.logins_per_second for level in others), default=None)
    if most is None or most >= _GROWS * alone.logins_per_second:
        return False
    most_burning = max(level.cpu_seconds / max(level.duration_seconds, 1e-9) for level in others)
    return most_burning < _GROWS and max(map(_queued_share, others)) <= _BUSY


def _queued_share(level: Level) -> float:
    """Of the threads' time, the share that they waited for a CPU."""
    if level.queued_seconds is None or not level.duration_seconds:
        return 0.0
    return level.queued_seconds / (level.threads * level.duration_seconds)
