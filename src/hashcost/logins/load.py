"""Hashes in several threads at once: each as fast as it can, or as logins come in.

Nothing but the hash stands between two clock readings of a thread. Each output is
looked at after its readings: whole, and the same as that of a hash that ran alone.

A hash in another process takes what that process says. Closed loops ask ahead, so that it
hashes without a pause, however long questions and answers are on their way.
"""

import contextlib
import itertools
import math
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeAlias

from hashcost.core.errors import WrongAnswerError
from hashcost.hashers.interface import ReadyCall, check_output
from hashcost.machine.clock import Clock
from hashcost.measure.sampler import undisturbed

_LEAD_SECONDS: Final = 0.02
"""Before the first login is due, so that every worker stands ready."""
_LEAST_AHEAD: Final = 2
"""Hashes that are asked for ahead; one would do if what is on its way were never held up."""
_MOST_AHEAD: Final = 100
_PATIENCE_SECONDS: Final = 2.0
"""How long an interrupted run waits for hashes to end; no hash can be stopped half-way."""


class Span(NamedTuple):
    """When one hash began and ended, in seconds of the wall clock."""

    start: float
    end: float

    @property
    def seconds(self) -> float:
        """How long it took."""
        return self.end - self.start


class Served(NamedTuple):
    """One login: when it was due, and when its hash began and ended."""

    due: float
    start: float
    end: float

    @property
    def response_seconds(self) -> float:
        """From the moment it was due, the wait for a worker included."""
        return self.end - self.due


Enough: TypeAlias = Callable[[Sequence[int], float], bool]
"""Told how many hashes each thread has done and the seconds since the start."""


@dataclass(frozen=True, kw_only=True)
class Closed:
    """What each thread of a closed loop did."""

    spans: tuple[tuple[Span, ...], ...]
    cpu_seconds: float
    queued_seconds: float | None
    """Of all threads together, waiting for a CPU; none where the system does not tell."""

    @property
    def hashes(self) -> tuple[Span, ...]:
        """Every hash of every thread."""
        return tuple(itertools.chain.from_iterable(self.spans))


@dataclass(frozen=True, kw_only=True)
class Opened:
    """The logins of an open loop that were served, in the order they were due."""

    began: float
    """When the schedule started."""
    served: tuple[Served, ...]


@dataclass(eq=False)
class _Crew:
    """Threads that start together, and end together when one fails or the user has enough."""

    clock: Clock
    calls: Sequence[ReadyCall]
    where: str
    stop: threading.Event = field(default_factory=threading.Event)
    began: float = 0.0
    cpu_began: float = 0.0
    errors: list[BaseException] = field(default_factory=list)
    _expected: bytes = b""
    _start: threading.Barrier = field(init=False)

    ahead: list[int] = field(default_factory=list)
    """How many hashes each thread asks for before it waits for the first."""

    def __post_init__(self) -> None:
        self._start = threading.Barrier(len(self.calls), action=self._note_start)
        self.ahead = [0] * len(self.calls)

    def run(self, work: Callable[[int, ReadyCall], None]) -> None:
        """Let every thread hash once, untimed, and then do its work."""
        self._expected = check_output(self.calls[0], self.calls[0].run(), where=self.where)
        threads = [
            threading.Thread(target=self._do, args=(work, index, call), daemon=True)
            for index, call in enumerate(self.calls)
        ]
        try:
            with undisturbed():
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join()
        finally:
            self._end()
            for thread in threads:
                if thread.ident is not None:
                    thread.join(_PATIENCE_SECONDS / len(threads))
        if self.errors:
            raise self.errors[0]

    def check(self, call: ReadyCall, output: bytes | None) -> None:
        """See that an output is the hash that was asked for.

        Raises:
            WrongAnswerError: it is not.
        """
        if output != self._expected:
            check_output(call, output, where=self.where)
            if not call.repeats:
                return
            raise WrongAnswerError(f"computed a different hash in a thread {self.where}")

    def _do(self, work: Callable[[int, ReadyCall], None], index: int, call: ReadyCall) -> None:
        try:
            self.ahead[index] = self._warm_up(call)
            with contextlib.suppress(threading.BrokenBarrierError):
                self._start.wait()
                work(index, call)
        except BaseException as error:
            # Whatever a library raises is raised again where the run was asked for.
            self.errors.append(error)
            self._end()

    def _warm_up(self, call: ReadyCall) -> int:
        """Run one hash, and tell how many to ask for so that none is waited for elsewhere."""
        began = self.clock.wall()
        self.check(call, call.run())
        took = call.wall_elsewhere()
        if not took:
            return 0
        way = max(0.0, self.clock.wall() - began - took)
        return min(_LEAST_AHEAD + math.ceil(way / took), _MOST_AHEAD)

    def _note_start(self) -> None:
        self.cpu_began = self.cpu_seconds()
        self.began = self.clock.wall()

    def cpu_seconds(self) -> float:
        """CPU time of this process and of those that hash for it."""
        return self.clock.process_cpu() + sum(call.cpu_elsewhere() for call in self.calls)

    def _end(self) -> None:
        self.stop.set()
        self._start.abort()


def closed_loop(clock: Clock, calls: Sequence[ReadyCall], *, enough: Enough, where: str) -> Closed:
    """Run each call in a thread of its own, one hash after another, until there is enough.

    ``where`` ends the message of an error.

    Raises:
        WrongAnswerError: an output is not the hash that was asked for.
    """
    crew = _Crew(clock, calls, where)
    spans: list[list[Span]] = [[] for _ in calls]
    queued: list[float | None] = [None] * len(calls)

    def work(index: int, call: ReadyCall) -> None:
        run, read, stop = call.run, clock.wall, crew.stop
        mine = spans[index]
        waited = clock.queued()
        for _ in range(crew.ahead[index]):
            call.ask()
        while not stop.is_set():
            start = read()
            output = run()
            end = read()
            elsewhere = call.wall_elsewhere()
            mine.append(Span(start if elsewhere is None else end - elsewhere, end))
            crew.check(call, output)
            if enough([len(others) for others in spans], end - crew.began):
                stop.set()
            call.ask()
        ended = clock.queued()
        queued[index] = None if waited is None or ended is None else ended - waited

    crew.run(work)
    known = [seconds for seconds in queued if seconds is not None]
    return Closed(
        spans=tuple(tuple(mine) for mine in spans),
        cpu_seconds=crew.cpu_seconds() - crew.cpu_began,
        queued_seconds=sum(known) if len(known) == len(calls) else None,
    )


def open_loop(
    clock: Clock,
    calls: Sequence[ReadyCall],
    due: Sequence[float],
    *,
    patience_seconds: float,
    where: str,
) -> Opened:
    """Serve logins that are due at these seconds from the start, in order, by a thread a call.

    The schedule waits for nobody: a login that no thread is free for stays due when it
    was. Once one is taken up later than the patience allows, the run is given up.

    Raises:
        WrongAnswerError: an output is not the hash that was asked for.
    """
    crew = _Crew(clock, calls, where)
    following: Iterator[int] = iter(range(len(due)))
    served: list[list[Served]] = [[] for _ in calls]

    def work(index: int, call: ReadyCall) -> None:
        run, read, stop = call.run, clock.wall, crew.stop
        mine, began, free = served[index], crew.began + _LEAD_SECONDS, 0.0
        # A range's iterator is advanced as a whole under Python's lock.
        for login in following:
            moment = began + due[login]
            early = moment - read()
            if stop.wait(early) if early > 0 else stop.is_set():
                return
            start = read()
            output = run()
            end = read()
            elsewhere = call.wall_elsewhere()
            if elsewhere is not None:
                # As it would go there, where nothing is on its way.
                start = max(moment, free)
                end = free = start + elsewhere
            mine.append(Served(moment, start, end))
            crew.check(call, output)
            if start - moment > patience_seconds:
                stop.set()

    crew.run(work)
    return Opened(
        began=crew.began + _LEAD_SECONDS,
        served=tuple(sorted(itertools.chain.from_iterable(served))),
    )


def throughput(spans: Sequence[Sequence[Span]]) -> float:
    """Hashes a second while every thread was at work.

    From the last thread's first start to the first thread's last end; a hash that
    reaches beyond counts with the part that lies between. Where threads that wait for
    Python's lock leave next to nothing between the two, the whole time counts.
    """
    every = [span for span in itertools.chain.from_iterable(spans) if span.seconds > 0]
    if not every:
        return math.inf
    first, last = min(span.start for span in every), max(span.end for span in every)
    opened = max(mine[0].start for mine in spans)
    closed = min(mine[-1].end for mine in spans)
    if closed - opened < (last - first) / 2:
        opened, closed = first, last
    done = (
        max(0.0, min(span.end, closed) - max(span.start, opened)) / span.seconds for span in every
    )
    return sum(done) / (closed - opened)
