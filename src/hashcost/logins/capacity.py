"""How many logins a second one machine can take: hashes in many threads, and a simulated queue."""

import contextlib
import datetime as dt
import math
import statistics
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Final

import msgspec
from msgspec.structs import replace

from hashcost.core.cost_expressions import Cost, complete
from hashcost.core.errors import (
    HashcostError,
    UnavailableError,
    UnreachableError,
    UsageError,
    lacking_resource,
)
from hashcost.core.machine import TOOL, Machine, Notice, Probe, Tool
from hashcost.core.measurement import Count, Params
from hashcost.core.profile import Concurrency, Profile, Recommendation
from hashcost.core.progress import Progress, Stage
from hashcost.core.units import (
    DEFAULT_TARGET_SECONDS,
    LONGEST_TARGET_SECONDS,
    format_bytes,
    format_duration,
    format_long,
    format_rate,
    format_setting,
)
from hashcost.fit.order_statistics import FEWEST_FOR_SURE_TAIL, FEWEST_FOR_TAIL, quantile
from hashcost.fit.solver import Solution
from hashcost.fit.times import foreseen_seconds, setting_at
from hashcost.hashers.interface import Elsewhere, Hasher, check_known_answers
from hashcost.hashers.registry import Candidate, candidates, load_first, one_line, select
from hashcost.logins.load import closed_loop, throughput
from hashcost.logins.queue_simulation import Service, highest_scale, simulate
from hashcost.machine.clock import Clock
from hashcost.machine.facts import whole_cpus
from hashcost.machine.host import Host, this_host
from hashcost.machine.memory import concurrency, limited, memory_for_each, memory_limit
from hashcost.machine.signals import noise_notices
from hashcost.measure.effort import FAST
from hashcost.measure.runner import PROBE_PASSWORD, PROBE_SALT, ready_calls
from hashcost.recommend.calibration import Request, calibrate
from hashcost.recommend.recommendation import (
    lowest_setting,
    only_measurement,
    recommendation,
    recommended_row,
    solve_again,
)
from hashcost.recommend.saved import labels_in, rows_named
from hashcost.strength.appraisal import floors_of
from hashcost.strength.policies.catalogue import load_policy


class Level(msgspec.Struct, frozen=True, kw_only=True):
    """The throughput and latency of this many threads that only hash, at one cost."""

    params: Params
    threads: int
    hashes: int
    """The number of hashes behind the figures."""
    duration_seconds: float
    logins_per_second: float
    """Hashes a second of the whole machine, as busy as it was."""
    quiet_logins_per_second: float
    """The figure if no other process wanted a CPU."""
    p50_seconds: float
    p95_seconds: float | None
    """`None` if fewer than 20 hashes were timed."""
    p95_is_rough: bool
    """Whether fewer than 59 were: the true one may lie beyond the slowest of them."""
    memory_bytes: Count
    """Bytes of all hashes in flight."""
    cpu_seconds: float
    """CPU seconds of all threads."""
    latency_seconds: tuple[float, ...]
    """The wall time of every hash, in the order in which they ended."""
    quiet_seconds: tuple[float, ...]
    """The figure if no other process wanted a CPU."""

    @property
    def waiting(self) -> float:
        """The share of the time that other processes made the threads wait."""
        return max(0.0, 1 - self.logins_per_second / self.quiet_logins_per_second)


class Prediction(msgspec.Struct, frozen=True, kw_only=True):
    """Waits of logins that arrive at random, queueing included; simulated, not run.

    ``load`` is the share of what the ``workers`` can do at most.
    """

    params: Params
    load: float
    workers: int
    arrivals_per_second: float
    p50_seconds: float
    p95_seconds: float


class Demand(msgspec.Struct, frozen=True, kw_only=True):
    """The logins a second to serve, and the time that 95 of 100 may take."""

    logins_per_second: float
    p95_seconds: float


class Capacity(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="capacity"):
    """How many logins a second one machine can take with one hasher.

    Without a demand: at ``params``, by the levels. With one: ``params`` is the highest cost that
    is predicted to hold it, by levels at a cost near it.
    """

    schema: int
    """Version of the JSON."""
    tool: Tool
    created: dt.datetime
    machine: Machine
    probe: Probe
    hasher: str
    implementation: str
    implementation_version: str
    params: Params
    memory_bytes: Count
    """Memory of one hash at ``params``."""
    cpus: int
    """That this process may use: its affinity, and its control group's limit rounded up."""
    duration_seconds: float
    levels: tuple[Level, ...]
    concurrency: Concurrency | None = None
    """The limit for concurrent hashes; None if the memory is unknown."""
    prediction: Prediction
    demand: Demand | None = None
    warnings: tuple[Notice, ...] = ()


_ESTIMATE_SECONDS: Final = 0.02
"""The target of the quick calibration that predicts the time of a given cost."""

_POLICY: Final = "owasp"
"""The policy whose minimum every recommended cost meets."""
_CURE: Final = "ask for fewer --logins or a longer --p95, or share them between more machines"
LOAD: Final = 0.7
"""Share of the most that a server may plan with; beyond it queues grow steeply."""
_AIM: Final = 0.9
"""Share of the wanted p95 that a cost is chosen for, because the prediction is imprecise."""
_FIRST_TARGET: Final = 0.6
"""A hash is first solved for this share of the longest that it may take."""
_SHORTEST_TARGET: Final = 1e-4

_WANTED_HASHES: Final = 60
_WANTED_SECONDS: Final = 2.0
"""A quick hash is repeated for this time, or until there are very many."""
_VERY_MANY_HASHES: Final = 4000
_FEWEST_EACH: Final = 2
_BUDGETED_HASHES: Final = 24
"""Hashes of one thread: at 250 ms they take six seconds."""
_BUDGET_RANGE: Final = (3.0, 10.0)

_AS_GOOD: Final = 0.8
"""There is a worker for each CPU if they do at least this share of the most."""
_GROWS: Final = 1.3
"""Two CPUs do at least this much more than one, unless a library holds Python's lock."""


def measure_capacity(
    cost: Cost,
    *,
    target: float | None = None,
    demand: Demand | None = None,
    origin: Profile | None = None,
    budget: float | None = None,
    memory_total: int | None = None,
    progress: Progress | None = None,
    host: Host | None = None,
    pool: Sequence[Candidate] | None = None,
) -> Capacity:
    """Hash in 1, 2 and more threads, up to twice the CPUs, and predict how logins fare.

    Without a cost, it is solved for the ``target`` or taken from the profile ``origin``; with a
    ``demand``, it is the highest that a simulated queue says holds it. ``budget`` is the seconds
    for each number of threads; ``memory_total`` the bytes for the process with all its hashes,
    by default what this one may come to hold.

    Raises:
        HashcostError: the cost is wrong, the hasher cannot run, or no cost fits.
    """
    host, shared = host or this_host(), None
    began, machine = host.clock.wall(), host.describe()
    cpus = whole_cpus(machine)
    if memory_total is not None or host.available_memory() is not None:
        shared = concurrency(host, asked=memory_total)
        host = host if memory_total is None else limited(host, shared)
    memory = memory_for_each(host, 2 * cpus)
    run = partial(calibrate, progress=progress, host=host, pool=pool)
    profile: Profile | None = None
    if cost.params is not None:
        if demand is not None:
            raise UsageError("--logins finds the highest cost; name the hasher without a cost")
        if target is not None or origin is not None:
            option = "--from" if target is None else "--target"
            raise UsageError(
                f"{option} does not apply when a cost is given; leave one of them out"
            )
        hasher, params = _loaded(cost, pool)
        expected = _expected_seconds(hasher, params, host, run)
    else:
        if demand is not None:
            longest = min(demand.p95_seconds, cpus / demand.logins_per_second)
            target = min(max(_FIRST_TARGET * longest, _SHORTEST_TARGET), LONGEST_TARGET_SECONDS)
            if shared is not None and memory_total is not None:
                memory = shared.room_bytes // shared.at_once
        profile = _solved_profile(cost, target, origin, memory=memory, host=host, run=run)
        if demand is None:
            recommended_row(profile.results[0])  # The lowest cost is no answer to a target.
        near, solved = _answer_or_lowest(profile), profile.measurements[0]
        cost = Cost(hasher=solved.hasher, implementation=solved.implementation, params=near.params)
        (hasher, params), expected = _loaded(cost, pool), near.seconds
    before = host.counters()
    usable = cpus if machine.cpu_limit is None else min(cpus, machine.cpu_limit.cpus)
    levels, notices = _measured_levels(
        hasher, params, expected, thread_counts(cpus), usable, budget, host, progress
    )
    busy = workers(levels, cpus)
    service = Service(workers=busy.threads, hash_seconds=busy.quiet_seconds)
    if demand is None or profile is None:
        memory_bytes = hasher.memory_bytes(params)
        prediction = _predicted(service, params, LOAD * busy.quiet_logins_per_second, LOAD)
    else:
        row = _highest_cost(profile, service, demand, shared)
        params, memory_bytes = row.params, row.memory_bytes
        scale = row.time_seconds / _answer_or_lowest(profile).seconds
        rate = demand.logins_per_second
        load = rate * scale / busy.quiet_logins_per_second
        prediction = _predicted(service.scaled(scale), params, rate, load)
    return Capacity(
        schema=1,
        tool=TOOL,
        created=host.date(),
        machine=machine,
        probe=Probe(password_bytes=len(PROBE_PASSWORD), salt_bytes=len(PROBE_SALT)),
        hasher=hasher.name,
        implementation=hasher.implementation,
        implementation_version=hasher.version,
        params=params,
        memory_bytes=memory_bytes,
        cpus=cpus,
        duration_seconds=host.clock.wall() - began,
        levels=levels,
        concurrency=shared and replace(shared, at_once=busy.threads),
        demand=demand,
        prediction=prediction,
        warnings=(
            *notices,
            *lock_notices(levels, cpus),
            *noise_notices(before, host.counters(), ()),
        ),
    )


def measure_level(
    hasher: Hasher, params: Params, *, threads: int, cpus: float, seconds: float, clock: Clock
) -> Level:
    """Hash in this many threads without a pause, for at most about this long.

    Each does two hashes at least; a quick hash ends sooner. On a quiet machine, the threads use
    the CPU time of these hashes on as many of the ``cpus`` as they wanted.
    """
    closed = closed_loop(
        clock,
        ready_calls(hasher, params, threads),
        enough=lambda counts, elapsed: is_enough(counts, elapsed, seconds),
        where=f"at {format_setting(params)}",
    )
    hashes = sorted(closed.hashes, key=lambda span: span.end)
    latencies = tuple(span.seconds for span in hashes)
    began, ended = min(span.start for span in hashes), hashes[-1].end
    lanes, own = hasher.threads(params), [span.cpu_seconds for span in hashes]
    wanted = float(threads * lanes)
    if lanes == 1 and not isinstance(hasher, Elsewhere):  # Only our own threads are watched.
        wanted = closed.wanted_cpus
    quiet_rate = min(wanted, cpus) * len(hashes) / closed.cpu_seconds
    shape = own if lanes == 1 and all(own) else latencies
    scale = threads / quiet_rate / statistics.fmean(shape)
    return Level(
        params=params,
        threads=threads,
        hashes=len(hashes),
        duration_seconds=ended - began,
        logins_per_second=throughput(closed.spans),
        quiet_logins_per_second=quiet_rate,
        p50_seconds=quantile(latencies, 0.5),
        p95_seconds=quantile(latencies, 0.95) if len(latencies) >= FEWEST_FOR_TAIL else None,
        p95_is_rough=len(latencies) < FEWEST_FOR_SURE_TAIL,
        memory_bytes=threads * hasher.memory_bytes(params),
        cpu_seconds=closed.cpu_seconds,
        latency_seconds=latencies,
        quiet_seconds=tuple(scale * seconds for seconds in shape),
    )


def is_enough(counts: Sequence[int], elapsed: float, budget: float) -> bool:
    """Whether the threads, with these counts of hashes, have done enough or used up the budget."""
    if min(counts) < _FEWEST_EACH:
        return False
    if elapsed >= budget or sum(counts) >= _VERY_MANY_HASHES:
        return True
    return sum(counts) >= _WANTED_HASHES and elapsed >= _WANTED_SECONDS


def thread_counts(cpus: int) -> tuple[int, ...]:
    """The numbers of threads to measure: up to the CPUs, and twice as many to see the queue."""
    doublings = (1 << step for step in range(cpus.bit_length()))
    return (*(threads for threads in doublings if threads < cpus), cpus, 2 * cpus)


def workers(levels: Sequence[Level], cpus: int) -> Level:
    """The level with as many workers as there are CPUs, or fewer if more do less."""
    within_cpus = [level for level in levels if level.threads <= cpus]
    most = max(level.quiet_logins_per_second for level in within_cpus)
    good = [level for level in within_cpus if level.quiet_logins_per_second >= _AS_GOOD * most]
    return max(good, key=lambda level: level.threads)


def lock_notices(levels: Sequence[Level], cpus: int) -> Iterator[Notice]:
    """Say that a library holds Python's lock, if more threads want no more CPUs."""
    alone, *others = [level for level in levels if level.threads <= cpus]
    rate = alone.quiet_logins_per_second
    if others and all(level.quiet_logins_per_second < _GROWS * rate for level in others):
        yield Notice(
            code="lock",
            message="extra threads add no throughput although CPUs are idle: the library holds"
            " Python's GIL while it hashes",
            advice="serve logins from several processes, one per CPU; each then does what one"
            f" thread does here, {format_rate(rate)}",
        )


def _expected_seconds(
    hasher: Hasher, params: Params, host: Host, run: Callable[[Request], Profile]
) -> float:
    """Estimate the time of a hash at a given cost.

    Raises:
        UsageError: it takes too long.
    """
    label = _label(hasher)
    # Whoever names a cost allows its memory, where the system does not tell what it has.
    memory = None if memory_limit(host, None) is not None else hasher.memory_bytes(params)
    request = Request(
        target_seconds=_ESTIMATE_SECONDS, hashers=(label,), effort=FAST, memory_bytes=memory
    )
    near = only_measurement(run(request))
    with _naming(label):
        expected = foreseen_seconds(near, params)
    if expected > LONGEST_TARGET_SECONDS:
        raise UsageError(
            f"{label} {format_setting(params)} takes about {format_long(expected)} a"
            f" hash; name a cost that takes at most {format_duration(LONGEST_TARGET_SECONDS)}"
        )
    return expected


def _solved_profile(
    cost: Cost,
    target: float | None,
    origin: Profile | None,
    *,
    memory: int | None,
    host: Host,
    run: Callable[[Request], Profile],
) -> Profile:
    """A profile of only this hasher, solved for a target; measured now or read from another.

    A hash that is measured now takes at most this ``memory``.
    """
    if origin is None:
        seconds = DEFAULT_TARGET_SECONDS if target is None else target
        free = host.available_memory()
        if memory is not None and free is not None:
            memory = min(memory, free)
        request = Request(
            target_seconds=seconds,
            hashers=(cost.label,),
            memory_bytes=memory,
            policies=(load_policy(_POLICY),),
        )
        return run(request)
    rows = rows_named(origin, cost.label)
    if not rows:
        labels = ", ".join(labels_in(origin))
        raise UsageError(f"--from: {cost.label} is not in the profile; name one of {labels}")
    alone = origin.only(rows[0])
    seconds = origin.target_seconds if target is None else target
    return solve_again(alone, seconds, (load_policy(_POLICY),))


def _answer_or_lowest(profile: Profile) -> Solution:
    """The recommended setting of a profile of one hasher, or its lowest one."""
    measurement, row = only_measurement(profile), profile.results[0]
    answer = setting_at(measurement, row.params) if isinstance(row, Recommendation) else None
    return answer or lowest_setting(measurement)


@contextlib.contextmanager
def _naming(label: str) -> Iterator[None]:
    """Name the hasher in every error; a library may raise anything at all."""
    try:
        yield
    except HashcostError as error:
        raise type(error)(f"{label}: {error}") from error
    except (Exception, SystemExit) as error:
        if isinstance(error, RuntimeError) and lacking_resource(error):
            # The thread that does not start is ours, not the library's.
            raise
        raise UnavailableError(f"{label}: failed: {one_line(error)}") from error


def _label(hasher: Hasher) -> str:
    return f"{hasher.name}@{hasher.implementation}"


def _loaded(cost: Cost, pool: Sequence[Candidate] | None) -> tuple[Hasher, Params]:
    """The first implementation that loads and computes its known answers."""
    pool = candidates() if pool is None else pool
    [implementations] = select([cost.label], every_implementation=False, available=pool)
    with _naming(cost.label):
        candidate, hasher = load_first(implementations)
    with _naming(candidate.label):
        check_known_answers(hasher)
    return hasher, complete(cost, hasher.knobs, hasher.lowest)


def _measured_levels(
    hasher: Hasher,
    params: Params,
    expected: float,
    counts: Sequence[int],
    cpus: float,
    budget: float | None,
    host: Host,
    progress: Progress | None,
) -> tuple[tuple[Level, ...], tuple[Notice, ...]]:
    """Measure each number of threads that there is memory for.

    Raises:
        UnreachableError: there is no memory for a single hash.
        WrongAnswerError: a thread computed something else than the hash.
    """
    label, size = _label(hasher), hasher.memory_bytes(params)
    available = host.available_memory()
    free = math.inf if available is None else available
    fitting = [threads for threads in counts if threads * size <= free]
    if available is not None and not fitting:
        raise UnreachableError(
            f"{label}: one hash takes {format_bytes(size)} but only"
            f" {format_bytes(available)} are left; name a lower cost"
        )
    if budget is None:
        least, most = _BUDGET_RANGE
        budget = min(max(_BUDGETED_HASHES * expected, least), most)
    levels: list[Level] = []
    lasts = [
        min(budget, max(_WANTED_SECONDS, _WANTED_HASHES * expected / min(threads, cpus)))
        for threads in fitting
    ]
    for threads in fitting:
        if progress is not None:
            done, left = sum(lasts[: len(levels)]), sum(lasts[len(levels) :])
            fraction = done / (done + left)
            progress(Stage(phase="hashing in threads", fraction=fraction, seconds_left=left))
        with _naming(label):
            level = measure_level(
                hasher, params, threads=threads, cpus=cpus, seconds=budget, clock=host.clock
            )
        levels.append(level)
    if available is None or len(fitting) == len(counts):
        return tuple(levels), ()
    needed = format_bytes(counts[-1] * size)
    notice = Notice(
        code="memory",
        message=f"{counts[-1]} logins at once take {needed} and {format_bytes(available)} are"
        f" left: no more than {fitting[-1]} were tried",
        advice="limit concurrent hashes to what fits, or choose a cost that uses less memory",
    )
    return tuple(levels), (notice,)


def _predicted(service: Service, params: Params, rate: float, load: float) -> Prediction:
    outcome = simulate(service, rate)
    return Prediction(
        params=params,
        load=load,
        workers=service.workers,
        arrivals_per_second=rate,
        p50_seconds=outcome.p50_seconds,
        p95_seconds=outcome.p95_seconds,
    )


def _highest_cost(
    profile: Profile, service: Service, demand: Demand, shared: Concurrency | None
) -> Recommendation:
    """The highest cost that should hold the demand, from hashes at the profile's cost.

    Raises:
        UnreachableError: no cost at the policy's minimum holds it, or its hashes do not fit the
            memory.
    """
    measurement, near = only_measurement(profile), _answer_or_lowest(profile)
    rate, p95 = demand.logins_per_second, demand.p95_seconds
    seconds = highest_scale(service, rate, _AIM * p95) * near.seconds
    # The latencies were measured under the quota; the scale is of the time that a hash runs.
    unstopped = replace(measurement, cpu_limit=None)
    floors = floors_of((load_policy(_POLICY),), measurement.hasher)
    row = recommendation(unstopped, min(seconds, LONGEST_TARGET_SECONDS), floors)
    if isinstance(row, Recommendation):
        if floors is not None and not floors.is_met(row.params):
            raise UnreachableError(
                f"{row.label}: no cost at the minimum of {_POLICY} holds {format_rate(rate)} with"
                f" this p95 (predicted); {format_setting(row.params)} would; {_CURE}"
            )
        if shared is not None and row.memory_bytes * service.workers > shared.room_bytes:
            raise UnreachableError(
                f"{row.label}: {service.workers} hashes at {format_setting(row.params)} take more"
                f" than {format_bytes(shared.room_bytes)}; measure without --from"
            )
        return row
    workers = "1 worker does" if service.workers == 1 else f"{service.workers} workers do"
    raise UnreachableError(
        f"{measurement.label}: even at {format_setting(lowest_setting(measurement).params)}"
        f" {workers} not hold {format_rate(rate)} with this p95 (predicted); {_CURE}"
    )
