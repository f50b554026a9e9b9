"""Throughput and latency by the number of threads that hash: measured, and what they tell."""

import statistics
from collections.abc import Sequence
from typing import Final

from hashcost.core.errors import UnreachableError
from hashcost.core.machine import Notice
from hashcost.core.measurement import Params
from hashcost.core.progress import Progress, Stage
from hashcost.core.units import format_bytes, format_rate, format_setting
from hashcost.fit.order_statistics import FEWEST_FOR_SURE_TAIL, FEWEST_FOR_TAIL, quantile
from hashcost.hashers.interface import Hasher
from hashcost.logins.costs import HashedCost, label_of, naming
from hashcost.logins.load import closed_loop, throughput
from hashcost.logins.model import ThreadLevel
from hashcost.machine.clock import Clock
from hashcost.machine.host import Host
from hashcost.measure.runner import runner_of

_WANTED_HASHES: Final = 60
_WANTED_SECONDS: Final = 2.0
"""A quick hash is repeated for this time, or until there are very many."""
_VERY_MANY_HASHES: Final = 4000
_FEWEST_EACH: Final = 2
"""Hashes of each thread: one tells nothing of how it shares the CPUs."""
_BUDGETED_HASHES: Final = 24
"""Hashes of one thread: at 250 ms they take six seconds."""
_SHORTEST_BUDGET: Final = 3.0
_LONGEST_BUDGET: Final = 10.0
"""Seconds for one number of threads, however long a hash takes: a person waits."""

_AS_GOOD: Final = 0.8
"""There is a worker for each CPU if they do at least this share of the most."""
_GROWS: Final = 1.3
"""Two CPUs do at least this much more than one, unless a library holds Python's lock."""


def measure_level(
    hasher: Hasher, params: Params, *, threads: int, cpus: float, seconds: float, clock: Clock
) -> ThreadLevel:
    """Hash in this many threads without a pause, for at most about this long.

    Each thread does two hashes at least; a quick hash ends sooner. On a quiet machine, the threads
    use the CPU time of these hashes on as many of the ``cpus`` as they wanted.
    """
    closed = closed_loop(
        clock,
        runner_of(hasher, clock).ready_calls(params, threads),
        enough=lambda counts, elapsed: is_enough(counts, elapsed, seconds),
        where=f"at {format_setting(params)}",
    )
    hashes = sorted(closed.hashes, key=lambda span: span.end)
    latencies = tuple(span.seconds for span in hashes)
    began = min(span.start for span in hashes)
    lanes = hasher.threads(params)
    wanted_cpus = float(threads * lanes)
    # A thread's own clock misses the other lanes of its hash.
    if lanes == 1:
        wanted_cpus = closed.wanted_cpus
    quiet_rate = min(wanted_cpus, cpus) * len(hashes) / closed.cpu_seconds
    # CPU time leaves out what neighbours took, but not of other lanes.
    shape = [span.cpu_seconds for span in hashes]
    if lanes > 1 or not all(shape):
        shape = list(latencies)
    # By Little's law, so many threads at this rate take this long on average.
    scale = threads / quiet_rate / statistics.fmean(shape)
    p95 = None
    if len(latencies) >= FEWEST_FOR_TAIL:
        p95 = quantile(latencies, 0.95)
    return ThreadLevel(
        params=params,
        threads=threads,
        hashes=len(hashes),
        duration_seconds=hashes[-1].end - began,
        logins_per_second=throughput(closed.spans),
        quiet_logins_per_second=quiet_rate,
        p50_seconds=quantile(latencies, 0.5),
        p95_seconds=p95,
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
    hashes = sum(counts)
    if elapsed >= budget or hashes >= _VERY_MANY_HASHES:
        return True
    return hashes >= _WANTED_HASHES and elapsed >= _WANTED_SECONDS


def thread_counts(cpus: int) -> tuple[int, ...]:
    """The numbers of threads to measure: up to the CPUs, and twice as many to see the queue."""
    counts = []
    threads = 1
    while threads < cpus:
        counts.append(threads)
        threads *= 2
    return (*counts, cpus, 2 * cpus)


def measured_levels(
    hashed: HashedCost,
    counts: Sequence[int],
    cpus: float,
    budget: float | None,
    host: Host,
    progress: Progress | None,
) -> tuple[tuple[ThreadLevel, ...], tuple[Notice, ...]]:
    """Measure each number of threads that there is memory for.

    ``budget`` is in seconds for each level; by default it follows the time of a hash.

    Raises:
        UnreachableError: there is no memory for a single hash.
        WrongAnswerError: a thread computed something else than the hash.
    """
    hasher, seconds = hashed.hasher, hashed.expected_seconds
    fitting, notices = _fitting(hasher, hashed.params, counts, host.available_memory())
    if budget is None:
        budget = min(max(_BUDGETED_HASHES * seconds, _SHORTEST_BUDGET), _LONGEST_BUDGET)
    foreseen = []
    # About how long each level will take, for the progress.
    for threads in fitting:
        busy = _WANTED_HASHES * seconds / min(threads, cpus)
        foreseen.append(min(budget, max(_WANTED_SECONDS, busy)))
    levels = []
    for index, threads in enumerate(fitting):
        if progress is not None:
            done = sum(foreseen[:index])
            left = sum(foreseen[index:])
            fraction = done / (done + left)
            progress(Stage(phase="hashing in threads", fraction=fraction, seconds_left=left))
        with naming(label_of(hasher)):
            level = measure_level(
                hasher, hashed.params, threads=threads, cpus=cpus, seconds=budget, clock=host.clock
            )
        levels.append(level)
    return tuple(levels), notices


def _fitting(
    hasher: Hasher, params: Params, counts: Sequence[int], available: int | None
) -> tuple[Sequence[int], tuple[Notice, ...]]:
    """The numbers of threads that the ``available`` bytes hold, and a notice if not all."""
    if available is None:
        return counts, ()
    # All threads hash at once, each in memory of its own.
    size = hasher.memory_bytes(params)
    fitting = [threads for threads in counts if threads * size <= available]
    if not fitting:
        raise UnreachableError(
            f"{label_of(hasher)}: one hash takes {format_bytes(size)} but only"
            f" {format_bytes(available)} are left; name a lower cost"
        )
    if len(fitting) == len(counts):
        return fitting, ()
    most = counts[-1]
    notice = Notice(
        code="memory",
        message=f"{most} logins at once take {format_bytes(most * size)} and"
        f" {format_bytes(available)} are left: no more than {fitting[-1]} were tried",
        advice="limit concurrent hashes to what fits, or choose a cost that uses less memory",
    )
    return fitting, (notice,)


def workers(levels: Sequence[ThreadLevel], cpus: int) -> ThreadLevel:
    """The level with as many workers as there are CPUs, or fewer if more do less."""
    within_cpus = [level for level in levels if level.threads <= cpus]
    # More threads than CPUs only make a queue.
    most = max(level.quiet_logins_per_second for level in within_cpus)
    good = [level for level in within_cpus if level.quiet_logins_per_second >= _AS_GOOD * most]
    return max(good, key=lambda level: level.threads)


def lock_notices(levels: Sequence[ThreadLevel], cpus: int, lanes: int) -> tuple[Notice, ...]:
    """Say that a library holds Python's lock, if more threads want no more CPUs.

    One hash runs as many ``lanes`` at once.
    """
    first, *others = [level for level in levels if level.threads <= cpus]
    # Its lanes leave no CPU idle that another thread could take.
    if first.threads * lanes >= cpus:
        return ()
    rate = first.quiet_logins_per_second
    if not others or any(level.quiet_logins_per_second >= _GROWS * rate for level in others):
        return ()
    notice = Notice(
        code="lock",
        message="extra threads add no throughput although CPUs are idle: the library holds"
        " Python's GIL while it hashes",
        advice="serve logins from several processes, one per CPU; each then does what one"
        f" thread does here, {format_rate(rate)}",
    )
    return (notice,)
