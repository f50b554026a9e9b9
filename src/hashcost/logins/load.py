"""Hashes in several threads at once, each as fast as it can.

Nothing but the hash runs between two clock readings of a thread. Each output is checked after
its readings: whole, and the same as that of a hash that ran by itself.

A hash in another process takes what that process says; the time that questions and answers travel
lies between two hashes.
"""

import contextlib
import itertools
import math
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from hashcost.core.errors import WrongAnswerError
from hashcost.hashers.interface import ReadyCall, check_output
from hashcost.machine.clock import Clock
from hashcost.measure.sampler import undisturbed


class Span(NamedTuple):
    """When one hash began and ended, in seconds of the wall clock, and its CPU time."""

    start: float
    end: float
    cpu_seconds: float = 0.0
    """CPU seconds of the thread that called the library, or of the process that hashed for it."""

    @property
    def seconds(self) -> float:
        """How long it took."""
        return self.end - self.start


Enough: TypeAlias = Callable[[Sequence[int], float], bool]
"""Decides by the hashes that each thread has done and the seconds since the start."""


@dataclass(frozen=True, kw_only=True)
class Closed:
    """The hashes of each thread of a closed loop."""

    spans: tuple[tuple[Span, ...], ...]
    cpu_seconds: float
    wanted_cpus: float
    """CPUs that the threads used, or would have used had one been free, on average."""

    @property
    def hashes(self) -> tuple[Span, ...]:
        """Every hash of every thread."""
        return tuple(itertools.chain.from_iterable(self.spans))


def closed_loop(clock: Clock, calls: Sequence[ReadyCall], *, enough: Enough, where: str) -> Closed:
    """Run each call in its own thread, one hash after another, until there are enough.

    Every thread first hashes once, untimed; all start together, and end together when one
    fails. ``where`` ends the message of an error.

    Raises:
        WrongAnswerError: an output is not the hash that was asked for.
    """
    # One hash that runs by itself, with which all others are compared.
    expected = check_output(calls[0], calls[0].run(), where=where)
    stop = threading.Event()
    spans: list[list[Span]] = [[] for _ in calls]
    wanted = [1.0] * len(calls)
    began = cpu_began = 0.0

    def cpu_seconds() -> float:
        return clock.process_cpu() + sum(call.cpu_elsewhere() for call in calls)

    def note_start() -> None:
        nonlocal began, cpu_began
        cpu_began, began = cpu_seconds(), clock.wall()

    start_line = threading.Barrier(len(calls), action=note_start)

    def end() -> None:
        stop.set()
        start_line.abort()

    def hash_all_the_time(index: int, call: ReadyCall) -> None:
        # Looked up once, so that little besides the hash runs between two readings.
        run, read, own = call.run, clock.wall, spans[index]
        before = _wanted_seconds(clock)
        while not stop.is_set():
            cpu_before, elsewhere_before = clock.cpu(), call.cpu_elsewhere()
            start = read()
            output = run()
            ended = read()
            cpu = clock.cpu() - cpu_before
            elsewhere = call.wall_elsewhere()
            # Another process hashed: the way there and back is not part of the hash.
            if elsewhere is not None:
                start = ended - elsewhere
                cpu = call.cpu_elsewhere() - elsewhere_before
            own.append(Span(start, ended, cpu))
            _check(call, output, expected, where)
            if enough([len(others) for others in spans], ended - began):
                stop.set()
        # Of another process the system does not tell how long it queued: it wants a whole CPU.
        if own and call.wall_elsewhere() is None:
            lasted = own[-1].end - own[0].start
            wanted[index] = (_wanted_seconds(clock) - before) / (lasted or math.inf)

    def work(index: int, call: ReadyCall) -> None:
        try:
            _check(call, call.run(), expected, where)
            with contextlib.suppress(threading.BrokenBarrierError):
                start_line.wait()
                hash_all_the_time(index, call)
        except BaseException:
            end()
            raise

    with ThreadPoolExecutor(len(calls)) as pool, undisturbed():
        try:
            threads = [pool.submit(work, index, call) for index, call in enumerate(calls)]
            for thread in threads:
                thread.result()  # Whatever a library raises is raised here.
        finally:
            end()
    return Closed(
        spans=tuple(map(tuple, spans)),
        cpu_seconds=cpu_seconds() - cpu_began,
        wanted_cpus=sum(wanted),
    )


def _wanted_seconds(clock: Clock) -> float:
    """The CPU time of this thread, and what it would have had if a CPU had been free."""
    return clock.cpu() + (clock.queued() or 0.0)


def _check(call: ReadyCall, output: bytes | None, expected: bytes, where: str) -> None:
    """Refuse the output of a thread that is another than expected."""
    # Only a difference is looked at closely: this runs between two hashes.
    if output != expected:
        check_output(call, output, where=where)
        if call.repeats:
            raise WrongAnswerError(f"computed a different hash in a thread {where}")


def throughput(spans: Sequence[Sequence[Span]]) -> float:
    """Hashes a second: the sum of each thread's, from the common start to the end of its last."""
    began = min(own[0].start for own in spans)
    total = 0.0
    for own in spans:
        lasted = own[-1].end - began
        if lasted <= 0:
            return math.inf  # The clock is too coarse to tell.
        total += len(own) / lasted
    return total
