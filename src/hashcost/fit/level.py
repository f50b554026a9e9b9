"""Estimate the probes' times on a quiet core, from this run, earlier runs and the CPU model. Pure.

A neighbour slows the three probes together, by up to 2.0, 1.1 and 1.3 times. If they change in
another way, the CPU's clock or a library has changed, and their earlier times do not hold.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import Final

from msgspec.structs import replace

from hashcost.core.measurement import Reading
from hashcost.fit.order_statistics import quantile
from hashcost.fit.slowdown import KNEE, own_latency

Probes = tuple[float, ...]
"""Logarithms of the probes' seconds (throughput, latency, memory), or of ratios to latency."""

WANDER: Final = 0.02
"""Error of a level however many runs agree on it, in logarithms: the CPU's clock wanders."""
FIRST: Final = 0.05
"""Error of a level from one run, in logarithms (first runs on `probes-1`, `-cpu`, `-memory`)."""
_AROUND: Final = 3
"""Readings to either side over which the latency-bound probe is averaged (linear hashers on
`probes-*`, `everything-*`: 95 % within 5 % instead of 6; at 5, memory-hard ones lose as much)."""
_LOW: Final = 0.08
"""Quantile of the throughput ratio that stands for a quiet core."""
_LEVEL: Final = 0.7
"""Quantile of the latency-bound probe, corrected for sharing, that stands for a quiet core. The
correction is never negative, so the median is too quick (`probes-*`, `everything-1`: at 0.4 all
quiet times come out 4 % too short)."""
_PAST: Final = 0.5
"""Quantile of earlier runs' levels: load makes some too slow, a wandering clock some too quick."""
_QUICKER: Final = -0.08
_SLOWER: Final = 0.13
"""Change of the latency-bound probe, in logarithms, beyond which the CPU's clock has changed."""
_LOWER: Final = -0.25
"""Change of a ratio, in logarithms, below which a library has changed."""
_MOST_SHARED: Final = (0.8, 0.45)
"""Most that sharing raises the ratios, in logarithms (`probes-*`: 0.7 and 0.35)."""
_MOST_SLOWED: Final = (1.0, 0.25, 0.55)
"""Most that sharing raises the probes' times, with some of the clock's wander."""
_HALF_SHARED: Final = 0.35
"""Rise of the throughput ratio, in logarithms, from which on memory must have slowed, too."""
_TOGETHER: Final = 0.12
"""Least rise of the memory ratio then, as a share of throughput's (`probes-*`: median a third)."""
_QUIET_AND_SHARED: Final = 0.5
"""Spread of the throughput ratio, in logarithms, that shows a core both quiet and shared."""
_UNSTEADY: Final = 0.06
"""Least spread of the same on a core that is shared all the time (40 readings of `probes-*` and
`everything-2`: 0.09 to 0.2), less a third; those of a quiet core lie closer together."""
_RESTS: Final = 3.0
"""Seconds within which a neighbour rests (`probes-*`, `everything-*`: in at least 93 % of all
stretches as long, the low quantile of the throughput ratio is the quiet one; in 2 s, 71 %)."""


@dataclass(frozen=True, kw_only=True)
class Level:
    """The times of the probes on a quiet core, with their standard error."""

    quiet: Probes
    error: float
    unseen: float = 0.0
    """The share of a fully shared core that even the quietest moments of this run may hide."""
    own: Probes
    """The level by this run only, kept for later ones."""

    def slowdown(self, readings: Sequence[Reading]) -> Probes:
        """How much longer the probes took in these readings, on average.

        No reading counts for more than a neighbour can do: the rest is an interrupted probe.
        """
        return tuple(
            math.fsum(min(math.log(time) - quiet, most) for time in times) / len(times)
            for times, quiet, most in zip(
                zip(*(reading.seconds for reading in readings), strict=True),
                self.quiet,
                _MOST_SLOWED,
                strict=False,
            )
        )


def seconds_until_rest(readings: Sequence[Reading]) -> float:
    """Seconds of further readings until any neighbour has rested during some of them."""
    if not readings:
        return _RESTS
    return max(_RESTS - (readings[-1].at_seconds - readings[0].at_seconds), 0.0)


def smoothed(readings: Sequence[Reading]) -> list[Reading]:
    """Replace the times of two probes by what the readings around them say.

    The latency-bound one follows the CPU's clock, which changes slowly: it becomes the mean of
    all but the longest and the shortest. The one bound by memory becomes the median of three.
    """
    latency = [reading.latency_seconds for reading in readings]
    memory = [reading.memory_seconds or 0.0 for reading in readings]
    smooth = []
    for at, reading in enumerate(readings):
        near = sorted(latency[max(at - _AROUND, 0) : at + _AROUND + 1])
        mean, middle = fmean(near[1:-1] or near), median(memory[max(at - 1, 0) : at + 2])
        smooth.append(replace(reading, latency_seconds=mean, memory_seconds=middle or None))
    return smooth


def level_of(
    readings: Sequence[Reading], earlier: Sequence[Probes] = (), shipped: Probes | None = None
) -> Level | None:
    """Estimate the level of a run; `None` without readings.

    ``earlier`` are the levels of runs in the same context, the oldest first; ``shipped`` are the
    quiet ratios of the CPU, if it was recorded.
    """
    if not readings:
        return None
    probes = [tuple(map(math.log, reading.seconds)) for reading in readings]
    count = min(map(len, probes))
    ratios = [ratios_of(times[:count]) for times in probes]
    low = quiet_ratios(ratios)
    past = [times[:count] for times in earlier if len(times) >= count]
    expected = _expected_ratios(past, shipped and shipped[: count - 1])
    trusted = expected is not None and _fits_neighbour(expected, ratios, low)
    base = low
    if expected is not None and trusted:  # Only a quiet core lowers a ratio.
        pairs = zip(expected, low, strict=True)
        base = tuple(own if own < quiet - 2 * WANDER else quiet for quiet, own in pairs)
    own = _probes(_latency(probes, ratios, base), base)
    unseen = 0.0
    if not trusted:
        spread = quantile([throughput for throughput, *_ in ratios], 1 - _LOW) - low[0]
        if spread > _UNSTEADY and seconds_until_rest(readings) > 0:
            unseen = max(1 - spread / _QUIET_AND_SHARED, 0.0)
    level = own[1]
    if past and trusted:
        recent = [latency for _, latency, *_ in past[-20:]]
        usual, error = quantile(recent, _PAST), math.hypot(WANDER, FIRST / math.sqrt(len(recent)))
        if _QUICKER <= level - usual <= _SLOWER:
            share = error**2 / (error**2 + FIRST**2)
            level = usual + share * (level - usual)
            return Level(quiet=_probes(level, base), error=error, own=own)
    return Level(quiet=_probes(level, base), error=FIRST, unseen=unseen, own=own)


def quiet_ratios(ratios: Sequence[Probes]) -> Probes:
    """The ratios on a quiet core, from readings of which some were taken on one."""
    low = quantile([throughput for throughput, *_ in ratios], _LOW)
    unshared = [ratio for ratio in ratios if ratio[0] <= low + KNEE]
    _, *memory = zip(*unshared, strict=True)
    return low, *(quantile(values, 0.5) for values in memory)


def ratios_of(probes: Probes) -> Probes:
    """The logarithms of throughput and memory, each as a ratio to latency."""
    throughput, latency, *memory = probes
    return tuple(time - latency for time in (throughput, *memory))


def _probes(latency: float, ratios: Probes) -> Probes:
    throughput, *memory = (latency + ratio for ratio in ratios)
    return throughput, latency, *memory


def _expected_ratios(past: Sequence[Probes], shipped: Probes | None) -> Probes | None:
    """The quiet ratios by earlier runs and the CPU model; a shared core only raises a ratio."""
    ratios = [ratios_of(times) for times in past] + ([shipped] if shipped else [])
    if not ratios:
        return None
    return tuple(quantile(values, _PAST) for values in zip(*ratios, strict=True))


def _fits_neighbour(expected: Probes, ratios: Sequence[Probes], low: Probes) -> bool:
    """Whether a neighbour on a core with the expected quiet ratios explains the readings."""
    if any(own < quiet + _LOWER for own, quiet in zip(low, expected, strict=True)):
        return False
    medians = [quantile(values, 0.5) for values in zip(*ratios, strict=True)]
    throughput, *memory = (own - quiet for own, quiet in zip(medians, expected, strict=True))
    if throughput > _MOST_SHARED[0] or any(rise > _MOST_SHARED[1] for rise in memory):
        return False
    return throughput < _HALF_SHARED or all(rise > _TOGETHER * throughput for rise in memory)


def _latency(probes: Sequence[Probes], ratios: Sequence[Probes], quiet: Probes) -> float:
    """The time of the latency-bound probe on a quiet core, in logarithms."""
    corrected = [
        times[1] - own_latency([own - base for own, base in zip(ratio, quiet, strict=True)])
        for times, ratio in zip(probes, ratios, strict=True)
    ]
    return quantile(corrected, _LEVEL)
