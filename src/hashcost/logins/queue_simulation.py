"""How long logins wait when they arrive at random: a queue, simulated. Pure.

So many workers serve in the order of arrival. How fast each of them is depends on how
many are at work, as it does on a real machine whose cores share caches, memory and
power; so every hash in service advances on one common scale of work, at the speed
that goes with the number that is busy. No formula assumes how service times are
distributed, nor that one has nothing to do with the next: what is drawn are stretches
of those that were measured, for a machine is slow for seconds at a time, and that is
when queues build.

All runs share their draws (common random numbers), so that two of them differ by what
was asked and not by chance.
"""

from __future__ import annotations

import functools
import heapq
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Final

from hashcost.fit.order_statistics import quantile

LOGINS: Final = 100_000
"""Simulated for a prediction: enough that chance moves its 95th percentile by about 2 %."""
_TRIAL_LOGINS: Final = 30_000
"""Simulated for each step of a search."""
_WARM_UP: Final = 0.05
"""Share of the logins that are left aside: the queue starts empty."""
_STRETCHES: Final = 4
"""In how many stretches, on average, as many hashes as were measured are drawn from them."""
_SEED: Final = 20261120
_HALVINGS: Final = 12
_MOST_SERVERS: Final = 20_000
_MOST_RAISED: Final = 0.98
"""Of what the workers can do at most, a search goes no further than this: beyond it the
queue's length is chance alone."""


@dataclass(frozen=True, kw_only=True)
class Service:
    """What one hash takes, in seconds, by how many are at work: ``seconds[0]`` when alone.

    There are as many workers as figures. ``factors`` are measured hashes as multiples
    of their median, in the order in which they ended: they say how single ones vary.
    """

    seconds: tuple[float, ...]
    factors: tuple[float, ...] = (1.0,)

    @property
    def servers(self) -> int:
        """Workers that serve at once."""
        return len(self.seconds)

    @property
    def most_per_second(self) -> float:
        """Logins that the workers finish in a second when none of them ever waits."""
        return self.servers / (self.seconds[-1] * sum(self.factors) / len(self.factors))

    def scaled(self, factor: float) -> Service:
        """A cost that takes this many times as long."""
        return replace(self, seconds=tuple(s * factor for s in self.seconds))

    def grown(self, servers: int) -> Service:
        """So many workers, each as fast as when all of these are busy, at best."""
        more = (self.seconds[-1],) * (servers - self.servers)
        return replace(self, seconds=(self.seconds + more)[:servers])


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """How logins fared, in seconds from arrival; ``utilisation`` is the workers' busy share."""

    p50_seconds: float
    p95_seconds: float
    mean_wait_seconds: float
    utilisation: float


def service(
    medians: Mapping[int, float], servers: int, factors: Sequence[float] = (1.0,)
) -> Service:
    """The service times of so many workers from medians measured at some numbers of them.

    Between two measured numbers a line is drawn; below the lowest and above the highest
    the nearest holds. A hash does not take longer when fewer are at work: where noise
    says so, the later figure counts.
    """
    known = sorted(medians)
    seconds = [_between(known, medians, busy) for busy in range(1, servers + 1)]
    falling = list(accumulate(reversed(seconds), min))
    return Service(seconds=tuple(reversed(falling)), factors=tuple(factors))


def simulate(served: Service, arrivals_per_second: float, *, logins: int = LOGINS) -> Outcome:
    """Let logins arrive at random (Poisson) at this rate; the same draws each time."""
    gaps, picks = _draws(logins)
    arrivals = list(accumulate(gap / arrivals_per_second for gap in gaps))
    works = _stretches(served.factors, picks)
    waits, responses, busy_seconds, elapsed = _run(served.seconds, arrivals, works)
    first = int(len(arrivals) * _WARM_UP)
    counted = responses[first:]
    return Outcome(
        p50_seconds=quantile(counted, 0.5),
        p95_seconds=quantile(counted, 0.95),
        mean_wait_seconds=sum(waits[first:]) / len(counted),
        utilisation=busy_seconds / (served.servers * elapsed),
    )


def works_like(served: Service, count: int, chance: random.Random) -> list[float]:
    """What so many logins in a row take, as multiples of the median, by those measured."""
    return _stretches(served.factors, [chance.random() for _ in range(count)])


def respond(served: Service, arrivals: Sequence[float], works: Sequence[float]) -> list[float]:
    """The responses, in seconds, of logins that arrive at these moments and take so much work."""
    return _run(served.seconds, arrivals, works)[1]


def highest_scale(served: Service, arrivals_per_second: float, p95_seconds: float) -> float:
    """By which factor a hash may take longer, or must take less, for this tail at this rate."""
    highest = _MOST_RAISED * served.most_per_second / arrivals_per_second
    alone = served.seconds[0] * quantile(served.factors, 0.95)
    highest = min(highest, p95_seconds / alone)
    return _highest(
        lambda scale: _holds(served.scaled(scale), arrivals_per_second, p95_seconds), highest
    )


def highest_rate(served: Service, p95_seconds: float) -> float:
    """Arrivals a second that keep this tail; zero if a single hash takes longer."""
    return _highest(
        lambda rate: _holds(served, rate, p95_seconds), _MOST_RAISED * served.most_per_second
    )


def fewest_servers(served: Service, arrivals_per_second: float, p95_seconds: float) -> int | None:
    """Workers that keep this tail at this rate, were each as fast; none if no number does."""
    slowest = served.grown(1).scaled(served.seconds[-1] / served.seconds[0])
    low = int(arrivals_per_second / slowest.most_per_second)
    if served.seconds[-1] * quantile(served.factors, 0.95) > p95_seconds or low > _MOST_SERVERS:
        return None

    def holds(servers: int) -> bool:
        return _holds(slowest.grown(servers), arrivals_per_second, p95_seconds)

    high = max(low + 1, 1)
    while not holds(high):
        low, high = high, high + max(1, high // 4)
        if high > _MOST_SERVERS:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def schedule(logins: int, seconds: float, chance: random.Random) -> tuple[float, ...]:
    """So many moments within these seconds, at random and in order.

    That is a Poisson process of which the number of arrivals is known: the rate is
    kept exactly, and only when they come is chance.
    """
    return tuple(sorted(chance.uniform(0, seconds) for _ in range(logins)))


def _holds(served: Service, arrivals_per_second: float, p95_seconds: float) -> bool:
    outcome = simulate(served, arrivals_per_second, logins=_TRIAL_LOGINS)
    return outcome.p95_seconds <= p95_seconds


def _highest(holds: Callable[[float], bool], highest: float) -> float:
    """The highest value up to ``highest`` that holds, where all lower ones do; else zero."""
    if holds(highest):
        return highest
    low, high = 0.0, highest
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def _between(known: Sequence[int], medians: Mapping[int, float], busy: int) -> float:
    below = max((level for level in known if level <= busy), default=known[0])
    above = min((level for level in known if level >= busy), default=known[-1])
    if below >= above:
        return medians[below]
    share = (busy - below) / (above - below)
    return medians[below] * (1 - share) + medians[above] * share


def _stretches(factors: Sequence[float], picks: Sequence[float]) -> list[float]:
    """Measured hashes, one for each pick: mostly the next one, at times one from anywhere.

    The stationary bootstrap (Politis and Romano, Journal of the American Statistical
    Association 89, 1994): stretches of random length, the measured ones taken as a circle.
    """
    size = len(factors)
    anew = min(_STRETCHES / size, 1.0)
    place, found = 0, []
    for pick in picks:
        place = int(pick / anew * size) if pick < anew else (place + 1) % size
        found.append(factors[min(place, size - 1)])
    return found


@functools.lru_cache(maxsize=4)
def _draws(logins: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Gaps between arrivals at one a second, and a number that picks what each login takes."""
    chance = random.Random(_SEED)
    gaps = tuple(chance.expovariate(1.0) for _ in range(logins))
    return gaps, tuple(chance.random() for _ in range(logins))


def _run(
    seconds: Sequence[float], arrivals: Sequence[float], works: Sequence[float]
) -> tuple[list[float], list[float], float, float]:
    """Waits and responses in seconds, the workers' busy seconds, and when the last one left.

    ``progress`` is the work that a hash in service since the beginning would have done.
    All in service advance alike, so each one leaves at a progress known when it
    enters, and the next to leave is the least in a heap.
    """
    servers = len(seconds)
    waits = [0.0] * len(arrivals)
    responses = [0.0] * len(arrivals)
    in_service: list[tuple[float, int]] = []
    now = progress = busy_seconds = 0.0
    queued = 0
    """The login that enters next."""

    def leave_until(moment: float, arrived: int) -> None:
        nonlocal now, progress, busy_seconds, queued
        while in_service:
            busy = len(in_service)
            leaves_at, login = in_service[0]
            takes = (leaves_at - progress) * seconds[busy - 1]
            if now + takes > moment:
                break
            now += takes
            busy_seconds += takes * busy
            progress = leaves_at
            responses[login] = now - arrivals[login]
            if queued < arrived:
                waits[queued] = now - arrivals[queued]
                heapq.heapreplace(in_service, (progress + works[queued], queued))
                queued += 1
            else:
                heapq.heappop(in_service)

    for login, moment in enumerate(arrivals):
        leave_until(moment, login)
        if in_service:
            busy = len(in_service)
            busy_seconds += (moment - now) * busy
            progress += (moment - now) / seconds[busy - 1]
        now = moment
        if len(in_service) < servers:
            heapq.heappush(in_service, (progress + works[login], login))
            queued = login + 1
    leave_until(float("inf"), len(arrivals))
    return waits, responses, busy_seconds, now
