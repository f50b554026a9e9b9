"""What the probes take on a quiet core, by this run, by earlier ones and by the CPU's model. Pure.

A neighbour slows the three probes together: by up to 2.0, 1.1 and 1.3 times. Where they do
something else, the CPU's clock or a library has changed, and what was known of them is void.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from hashcost.core.measurement import Reading
from hashcost.fit.order_statistics import quantile
from hashcost.fit.slowdown import FULL, Shipped, own_latency

Probes = tuple[float, ...]
"""One figure for each probe, as logarithms of seconds: throughput, latency, memory."""

WANDER: Final = 0.02
"""What is not known of a level that any number of runs know: the clock wanders."""
FIRST: Final = 0.05
"""The error of a level where only one run tells: first runs on `probes-1`, `-cpu`, `-memory`."""
_LOW: Final = 0.08
"""The quantile of throughput beside latency that stands for a quiet core."""
_UNSHARED: Final = 0.15
"""Readings whose ratio is no further above it are of a core that nobody shared."""
_LEVEL: Final = 0.7
"""The quantile of the latency-bound probe, what sharing does to it taken away, that stands for a
quiet core: what is taken away is never less than nothing, so the middle is too quick (`probes-*`,
`everything-1`: at 0.4 all quiet times come out 4 % too short)."""
_PAST: Final = 0.4
"""The quantile of earlier runs' levels: load makes some of them too slow, nothing too quick."""
_QUICKER: Final = -0.08
_SLOWER: Final = 0.13
"""Of the latency-bound probe: beyond these, not a neighbour but another clock."""
_LOWER: Final = -0.25
"""Ratios that are lower by more are of another library. Those of a run are lower by 0.08 than
those of a recording, whose large hashes empty the caches (`everything-1`)."""
_MOST_SHARED: Final = (0.8, 0.45)
"""What ratios reach on a shared core, beside their quiet ones (`probes-*`: 0.7 and 0.35)."""
_HALF_SHARED: Final = 0.35
_TOGETHER: Final = 0.12
"""On a core that is shared as much, memory slows by this share of throughput at least
(`probes-*`: by a third in the middle)."""
_BOTH_SEEN: Final = 0.5
"""A run whose ratios differ by so much saw the core quiet and shared."""


@dataclass(frozen=True, kw_only=True)
class Level:
    """What the probes take on a quiet core, and how well that is known."""

    quiet: Probes
    error: float
    unseen: float = 0.0
    """The share of a fully shared core that this run's quietest moments may hide."""
    own: Probes
    """What this run says by itself, for later ones."""

    def slowdown(self, readings: Sequence[Reading]) -> Probes:
        """How much longer than that the probes took, on average over these readings."""
        seconds = [reading.seconds for reading in readings]
        means = [math.log(math.fsum(each) / len(seconds)) for each in zip(*seconds, strict=True)]
        return tuple(mean - quiet for mean, quiet in zip(means, self.quiet, strict=True))


def level_of(
    readings: Sequence[Reading],
    earlier: Sequence[Probes] = (),
    shipped: Shipped | None = None,
) -> Level | None:
    """The level of a run; None without readings.

    ``earlier`` are the levels of runs in the same context, the oldest first.
    """
    shipped = shipped or Shipped()
    if not readings:
        return None
    probes = [tuple(map(math.log, reading.seconds)) for reading in readings]
    count = min(map(len, probes))
    ratios = [ratios_of(each[:count]) for each in probes]
    low = quiet_ratios(ratios)
    past = [each[:count] for each in earlier if len(each) >= count]
    known = _known_ratios(past, shipped.ratios and shipped.ratios[: count - 1])
    trusted = known is not None and _may_be(known, ratios, low)
    base = low
    if known is not None and trusted:  # Nothing but a quiet core lowers a ratio.
        pairs = zip(known, low, strict=True)
        base = tuple(own if own < quiet + _QUICKER else quiet for quiet, own in pairs)
    own = _probes(_latency(probes, ratios, base), base)
    unseen = 0.0
    if not trusted:
        seen = quantile([each[0] for each in ratios], 1 - _LOW) - low[0]
        unseen = min(max(1 - seen / _BOTH_SEEN, 0.0), 1.0)
        if shipped.lowest is not None:
            unseen = min(unseen, max(low[0] - shipped.lowest, 0.0) / (FULL[0] - FULL[1]))
    level = own[1]
    if past and trusted:
        recent = [each[1] for each in past[-20:]]
        usual, error = quantile(recent, _PAST), math.hypot(WANDER, FIRST / math.sqrt(len(recent)))
        if _QUICKER <= level - usual <= _SLOWER:
            share = error**2 / (error**2 + FIRST**2)
            level = usual + share * (level - usual)
            return Level(quiet=_probes(level, base), error=error, own=own)
    return Level(quiet=_probes(level, base), error=FIRST, unseen=unseen, own=own)


def quiet_ratios(ratios: Sequence[Probes]) -> Probes:
    """The ratios on a quiet core, by readings of which some were on one."""
    low = quantile([each[0] for each in ratios], _LOW)
    unshared = [each for each in ratios if each[0] <= low + _UNSHARED]
    return low, *(quantile(each, 0.5) for each in [*zip(*unshared, strict=True)][1:])


def ratios_of(probes: Probes) -> Probes:
    """Throughput and memory beside latency."""
    return tuple(each - probes[1] for index, each in enumerate(probes) if index != 1)


def _probes(latency: float, ratios: Probes) -> Probes:
    throughput, *memory = (latency + ratio for ratio in ratios)
    return throughput, latency, *memory


def _known_ratios(past: Sequence[Probes], shipped: Probes | None) -> Probes | None:
    """The lower ones tell: a run that only saw a shared core has higher ones."""
    known = [ratios_of(each) for each in past] + ([shipped] if shipped else [])
    if not known:
        return None
    return tuple(quantile(each, _PAST) for each in zip(*known, strict=True))


def _may_be(known: Probes, ratios: Sequence[Probes], low: Probes) -> bool:
    """Whether a neighbour on a core with these quiet ratios makes what was read."""
    if any(own < quiet + _LOWER for own, quiet in zip(low, known, strict=True)):
        return False
    middle = [quantile(each, 0.5) for each in zip(*ratios, strict=True)]
    throughput, *memory = (usual - quiet for usual, quiet in zip(middle, known, strict=True))
    if throughput > _MOST_SHARED[0] or any(each > _MOST_SHARED[1] for each in memory):
        return False
    return throughput < _HALF_SHARED or all(each > _TOGETHER * throughput for each in memory)


def _latency(probes: Sequence[Probes], ratios: Sequence[Probes], quiet: Probes) -> float:
    """What the latency-bound probe takes on a quiet core, by these readings."""
    return quantile(
        [
            each[1] - own_latency([a - b for a, b in zip(beside, quiet, strict=True)])
            for each, beside in zip(probes, ratios, strict=True)
        ],
        _LEVEL,
    )
