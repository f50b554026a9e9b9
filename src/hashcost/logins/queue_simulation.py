"""Simulate the queue of logins that arrive at random. Pure.

Workers serve in the order of arrival; what each login takes is drawn from hashes that were
measured with all workers busy. All simulations share their draws (common random numbers), so
that two of them differ by their arguments and not by chance.
"""

import functools
import heapq
import random
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Final

from hashcost.fit.order_statistics import quantile

LOGINS: Final = 100_000
"""Chance then moves the 95th percentile by about 2 %."""
_TRIAL_LOGINS: Final = 30_000
"""For each step of a search."""
_WARM_UP: Final = 0.05
"""Share of the logins that are not counted: the queue starts empty."""
_SEED: Final = 20261120
_HALVINGS: Final = 12
_MOST_LOAD: Final = 0.98
"""Beyond this the length of the queue is pure chance, and no search goes there."""


@dataclass(frozen=True, kw_only=True)
class Service:
    """Workers that serve at once, and measured hashes, in seconds."""

    workers: int
    hash_seconds: tuple[float, ...]

    @property
    def most_per_second(self) -> float:
        """Logins a second if no worker ever waits."""
        return self.workers / fmean(self.hash_seconds)

    def scaled(self, factor: float) -> "Service":
        """Hashes at a cost that takes this many times as long."""
        return replace(self, hash_seconds=tuple(s * factor for s in self.hash_seconds))


def simulate(service: Service, arrivals_per_second: float, *, logins: int = LOGINS) -> list[float]:
    """Let logins arrive at random (Poisson) at this rate.

    Returns:
        The seconds from each login's arrival to its end.
    """
    # A heap of the times at which the workers become free: the earliest takes the next login.
    free = [0.0] * service.workers
    responses = []
    now = 0.0
    hash_seconds = service.hash_seconds
    for gap, pick in _draws(logins):
        now += gap / arrivals_per_second
        start = max(now, free[0])
        end = start + hash_seconds[int(pick * len(hash_seconds))]
        heapq.heapreplace(free, end)
        responses.append(end - now)
    # The first logins found all workers free.
    return responses[int(logins * _WARM_UP) :]


def highest_scale(service: Service, arrivals_per_second: float, p95_seconds: float) -> float:
    """The factor by which hashes may take longer, or must take less, for this tail and rate."""

    def holds(scale: float) -> bool:
        responses = simulate(service.scaled(scale), arrivals_per_second, logins=_TRIAL_LOGINS)
        return quantile(responses, 0.95) <= p95_seconds

    # Longer hashes make each login wait longer, so the search halves the range.
    low = 0.0
    high = min(
        _MOST_LOAD * service.most_per_second / arrivals_per_second,
        p95_seconds / quantile(service.hash_seconds, 0.95),
    )
    # The longest that can be asked about is enough, so there is nothing to search.
    if holds(high):
        return high
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if holds(middle):
            low = middle
        else:
            high = middle
    return low


@functools.lru_cache(maxsize=4)
def _draws(logins: int) -> tuple[tuple[float, float], ...]:
    """Gaps between arrivals at one a second, each with a number that picks a hash."""
    chance = random.Random(_SEED)
    return tuple((chance.expovariate(1.0), chance.random()) for _ in range(logins))
