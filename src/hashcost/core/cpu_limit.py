"""The CPU quota of a control group, and the wait of a login under it. Pure."""

import math
from functools import lru_cache
from typing import Annotated, Final, TypeAlias

import msgspec

from hashcost.core.units import format_duration

_Seconds: TypeAlias = Annotated[float, msgspec.Meta(ge=1e-6, le=1e6)]
_USUAL_PERIOD: Final = 0.1
# Number of starts, spread evenly over a period, that the median is taken over.
_STARTS: Final = 201
# Multiples of it, without their whole parts, are spread evenly, whatever their number.
_GOLDEN: Final = (math.sqrt(5) - 1) / 2
_HALVINGS: Final = 30


class CpuLimit(msgspec.Struct, frozen=True, kw_only=True):
    """The CPU time that a control group may use in each period, on all CPUs together."""

    quota_seconds: _Seconds
    period_seconds: _Seconds
    burst_seconds: Annotated[float, msgspec.Meta(ge=0, le=1e6)] = 0.0
    """Unused quota that it may save for later periods."""
    threads: Annotated[int, msgspec.Meta(ge=1, le=2**24)] = 1
    """Threads of one hash that use it up together."""

    @property
    def cpus(self) -> float:
        """The CPUs that the group may use on average."""
        return round(self.quota_seconds / self.period_seconds, 6)

    def __str__(self) -> str:
        """For example ``0.5 CPUs``; a period or burst that is unusual is added."""
        text = f"{self.cpus:g} CPUs"
        if self.period_seconds != _USUAL_PERIOD:
            text += f" in periods of {format_duration(self.period_seconds)}"
        if self.burst_seconds:
            text += f" with bursts of {format_duration(self.burst_seconds)}"
        return text

    def wall_seconds(self, seconds: float, start: float) -> float:
        """Wall time of a hash that runs for ``seconds`` and begins ``start`` into a period.

        The group is idle before, so its burst is saved up.
        """
        # Threads that run at once use the quota up that much faster.
        period, quota = self.period_seconds, self.quota_seconds / self.threads
        saved = quota + self.burst_seconds / self.threads
        # In the first period it runs to the end of that, or of what was saved.
        first = min(saved, period - start)
        rest = seconds - first
        if rest <= 0 or self.threads <= self.cpus:
            return seconds
        # The second period begins with its quota and what the first left, up to the burst.
        pool = min(saved - first + quota, saved)
        # Neither its length nor the quota lets it do the rest in fewer periods.
        periods = max(math.ceil(rest / period), math.ceil((rest - pool) / quota) + 1)
        run_before = 0.0
        if periods > 1:
            run_before = min((periods - 1) * period, pool + (periods - 2) * quota)
        return period - start + (periods - 1) * period + rest - run_before

    def waits(self, seconds: float, error: float = 0.0) -> float:
        """The wait of a login for a hash that runs for ``seconds``: the median over its start.

        With an ``error``, also over times that lie so far from it on both sides, as a share.
        """
        times = (seconds * (1 + error * (2 * (_GOLDEN * at % 1) - 1)) for at in range(_STARTS))
        starts = (self.period_seconds * (at + 0.5) / _STARTS for at in range(_STARTS))
        import statistics  # Few machines have a quota.

        return statistics.median(map(self.wall_seconds, times, starts))

    def fitting(self, target_seconds: float, error: float = 0.0) -> float:
        """How long a hash may run so that a login waits no longer than the target.

        A little more CPU time may take a whole period more, so the ``error`` of the time counts.
        """
        return _fitting(self, target_seconds, error)


@lru_cache(maxsize=256)
def _fitting(limit: CpuLimit, target_seconds: float, error: float) -> float:
    # Waits grow in steps, so that no formula gives the time: it is found by halves.
    low, high = 0.0, target_seconds
    if limit.waits(high, error) <= target_seconds:
        return high
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        # A hash that takes a little more or less than measured must fit as well.
        if max(limit.waits(middle), limit.waits(middle, error)) <= target_seconds:
            low = middle
        else:
            high = middle
    return low


def format_wait(seconds: float, limit: CpuLimit | None) -> str:
    """For example ``98 ms; 74 ms of CPU at 0.5 CPUs``; only the time if no limit stops it."""
    text = format_duration(seconds)
    if limit is None:
        return text
    wait = limit.waits(seconds)
    if wait == seconds:
        return text
    where = "of CPU"
    if limit.threads > 1:
        where = f"in {limit.threads} threads"
    return f"{format_duration(wait)}; {text} {where} at {limit}"
