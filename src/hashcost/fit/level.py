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
from hashcost.fit.order_statistics import REACH, quantile
from hashcost.fit.slowdown import KNEE, own_latency

Probes = tuple[float, ...]
"""Logarithms of the probes' seconds (throughput, latency, memory), or of ratios to latency."""

WANDER: Final = 0.024
"""Error of a level however well it is known, in logarithms: the CPU's clock wanders. Levels of 250
readings err by 0.01 to 0.04 (`probes-*`, `everything-*`), medians of 15 logins scatter by 0.022
(`python -m tests.tools.benchmarks.login`, AMD 26 2)."""
FIRST: Final = 0.05
"""Error of the level of one earlier run, in logarithms (first runs on `probes-1`, `-cpu`,
`-memory`)."""
_OF_SPREAD: Final = 0.5
"""Error of a run's own level, as a share of the range that holds the middle 80 % of its latency
readings: in runs of 40 to 100 readings 0.2 to 0.7 (`probes-*`, `everything-*`)."""
_AROUND: Final = 3
"""Readings to either side over which the latency-bound probe is averaged (linear hashers on
`probes-*`, `everything-*`: 95 % within 5 % instead of 6; at 5, memory-hard ones lose as much)."""
_LOW: Final = 0.08
"""Quantile of the throughput ratio that stands for a quiet core."""
_LEVEL: Final = 0.7
"""Quantile of the latency-bound probe, corrected for sharing, that stands for a quiet core. The
correction is never negative, so the median is too quick (`probes-*`, `everything-1`: at 0.4 all
quiet times come out 4 % too short)."""
_MOST_SLOWED: Final = (1.0, 0.25, 0.55)
"""Most that sharing raises the probes' times, in logarithms, with some of the clock's wander
(`probes-*`: 0.8, 0.1 and 0.35)."""
_HALF_SHARED: Final = 0.35
"""Rise of the throughput ratio, in logarithms, from which on memory must have slowed, too
(`sha-off-1`: 0.46 without)."""
_TOGETHER: Final = 0.12
"""Least rise of the memory ratio then, as a share of throughput's (`probes-*`: median a third)."""
_QUIET_AND_SHARED: Final = 0.5
"""Spread of the throughput ratio, in logarithms, that shows a core both quiet and shared
(`probes-*`, `everything-2`: half of the stretches of 100 readings spread further)."""
_STEADY: Final = 0.035
"""Range of the middle half of the throughput ratio, in logarithms, up to which nobody shares a
core: 0.025 in the median of `everything-4`, and 86 % of its stretches range no further. If a core
is shared all the time, hardly any stretch of 40 readings ranges as little: none of `probes-1` and
`everything-2`, 2 % of `probes-cpu` and 7 % of `probes-memory`."""
WINDOW: Final = 10
"""Earlier runs that count, the latest ones: as many narrow the interval to the clock's wander."""
_RESTS: Final = 3.0
"""Seconds within which a neighbour rests (`probes-*`, `everything-*`: in at least 93 % of all
stretches as long, the low quantile of the throughput ratio is the quiet one; in 2 s, 71 %)."""


@dataclass(frozen=True, kw_only=True)
class Level:
    """The times of the probes on a quiet core, with their standard error."""

    quiet: Probes
    error: float
    may_be_shared: bool = False
    """Whether the core may have been shared throughout the run, and nothing else tells."""
    own: Probes
    """The level by this run only, kept for later ones."""
    waited: float = 0.0
    """How much of the time threads may have waited for other processes, in logarithms."""

    def slowdown(self, readings: Sequence[Reading]) -> Probes:
        """How much longer the probes took in these readings, on average.

        No reading counts for more than a neighbour can do: the rest is an interrupted probe.
        """
        slowdowns = []
        columns = zip(*(reading.seconds for reading in readings), strict=True)
        # A level of two probes says nothing of a third that was read.
        for times, quiet, most in zip(columns, self.quiet, _MOST_SLOWED, strict=False):
            rises = [min(math.log(time) - quiet, most) for time in times]
            slowdowns.append(math.fsum(rises) / len(rises))
        return tuple(slowdowns)


def seconds_until_rest(readings: Sequence[Reading]) -> float:
    """Seconds of further readings until any neighbour has rested during some of them."""
    if not readings:
        return _RESTS
    watched = readings[-1].at_seconds - readings[0].at_seconds
    return max(_RESTS - watched, 0.0)


def smoothed(readings: Sequence[Reading]) -> list[Reading]:
    """Replace the times of two probes by what the readings around them say.

    The latency-bound one follows the CPU's clock, which changes slowly: it becomes the mean of
    all but the longest and the shortest. The one bound by memory becomes the median of three.
    """
    latency = [reading.latency_seconds for reading in readings]
    # No probe takes no time: 0 stands for one that is missing.
    memory = [reading.memory_seconds or 0.0 for reading in readings]
    smooth = []
    for at, reading in enumerate(readings):
        first = max(at - _AROUND, 0)
        around = sorted(latency[first : at + _AROUND + 1])
        # Of one reading or two, none lies between the longest and the shortest.
        latency_seconds = fmean(around[1:-1] or around)
        memory_seconds = median(memory[max(at - 1, 0) : at + 2])
        smooth.append(
            replace(
                reading, latency_seconds=latency_seconds, memory_seconds=memory_seconds or None
            )
        )
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
    # Only probes that every reading has can be compared, and only with runs that had them.
    count = min(map(len, probes))
    past = [times[:count] for times in earlier if len(times) >= count]
    ratios = [ratios_of(times[:count]) for times in probes]
    low = quiet_ratios(ratios)
    expected = _expected_ratios(past, shipped and shipped[: count - 1])
    own_error = _own_error(probes)
    if expected is None or not _fits_neighbour(expected, ratios):
        own = _own_level(probes, ratios, low)
        may_be_shared = _may_be_shared(readings, ratios)
        return Level(quiet=own, error=own_error, may_be_shared=may_be_shared, own=own)
    quiet = _quiet_here(expected, low)
    own = _own_level(probes, ratios, quiet)
    if not past:
        return Level(quiet=own, error=own_error, own=own)
    return _joined(own, own_error, past, quiet)


def _quiet_here(expected: Probes, low: Probes) -> Probes:
    """The expected quiet ratios, each lowered to that of this run if it is clearly lower."""
    ratios = list(expected)
    for column, lowest in enumerate(low):
        # Only a quiet core lowers a ratio.
        if lowest < ratios[column] - 2 * WANDER:
            ratios[column] = lowest
    return tuple(ratios)


def _own_level(probes: Sequence[Probes], ratios: Sequence[Probes], quiet: Probes) -> Probes:
    """The level by this run only, on a core with these quiet ratios."""
    corrected = []
    for times, ratio in zip(probes, ratios, strict=True):
        _, latency, *_ = times
        corrected.append(latency - own_latency(_rises(ratio, quiet)))
    return _probes(quantile(corrected, _LEVEL), quiet)


def _own_error(probes: Sequence[Probes]) -> float:
    """The error of a run's own level: the quiet one lies anywhere among its readings."""
    latency = [times[1] for times in probes]
    spread = quantile(latency, 0.9) - quantile(latency, 0.1)
    return math.hypot(WANDER, _OF_SPREAD * spread)


def _may_be_shared(readings: Sequence[Reading], ratios: Sequence[Probes]) -> bool:
    """Whether no reading may be of a quiet core; a shared one is unsteady, and rests at times."""
    throughput = [ratio[0] for ratio in ratios]
    middle = quantile(throughput, 0.75) - quantile(throughput, 0.25)
    if middle <= _STEADY:
        return False
    spread = quantile(throughput, 1 - _LOW) - quantile(throughput, _LOW)
    if spread >= _QUIET_AND_SHARED:
        return False
    return seconds_until_rest(readings) > 0


def _joined(own: Probes, own_error: float, past: Sequence[Probes], ratios: Probes) -> Level:
    """The level by this run and by earlier ones, each weighed by the inverse of its variance.

    Load makes some levels too slow, a wandering clock some too quick: their median stands. If it
    is further off than the errors allow, the CPU's clock has changed, and this run's own stands.
    """
    _, latency_here, *_ = own
    recent = [times[1] for times in past[-WINDOW:]]
    usual = quantile(recent, 0.5)
    usual_error = math.hypot(WANDER, FIRST / math.sqrt(len(recent)))
    offset = latency_here - usual
    # The error of a difference.
    error_of_both = math.hypot(usual_error, own_error)
    if abs(offset) > REACH * error_of_both:
        return Level(quiet=own, error=own_error, own=own)
    # The variance of the usual level over that of both is the weight of this run's own.
    own_share = (usual_error / error_of_both) ** 2
    latency = usual + own_share * offset
    error = usual_error * own_error / error_of_both
    return Level(quiet=_probes(latency, ratios), error=error, own=own)


def quiet_ratios(ratios: Sequence[Probes]) -> Probes:
    """The ratios on a quiet core, from readings of which some were taken on one."""
    low = quantile([throughput for throughput, *_ in ratios], _LOW)
    unshared = [ratio for ratio in ratios if ratio[0] <= low + KNEE]
    _, *memory = _medians(unshared)
    return low, *memory


def ratios_of(probes: Probes) -> Probes:
    """The logarithms of throughput and memory, each as a ratio to latency."""
    throughput, latency, *memory = probes
    return tuple(time - latency for time in (throughput, *memory))


def _probes(latency: float, ratios: Probes) -> Probes:
    """The three probes, from latency and the ratios to it."""
    throughput, *memory = (latency + ratio for ratio in ratios)
    return throughput, latency, *memory


def _medians(rows: Sequence[Probes]) -> Probes:
    """The median of each column."""
    return tuple(quantile(values, 0.5) for values in zip(*rows, strict=True))


def _rises(ratios: Probes, quiet: Probes) -> list[float]:
    """How far each ratio lies above its quiet value."""
    return [ratio - base for ratio, base in zip(ratios, quiet, strict=True)]


def _expected_ratios(past: Sequence[Probes], shipped: Probes | None) -> Probes | None:
    """The quiet ratios by earlier runs and the CPU model; a shared core only raises a ratio."""
    ratios = [ratios_of(times) for times in past]
    if shipped:
        ratios.append(shipped)
    if not ratios:
        return None
    return _medians(ratios)


def _fits_neighbour(expected: Probes, ratios: Sequence[Probes]) -> bool:
    """Whether a neighbour on a core with the expected quiet ratios explains the readings."""
    most_throughput, _, most_memory = _MOST_SLOWED
    # Without the memory probe, ``memory`` is empty.
    throughput, *memory = _rises(_medians(ratios), expected)
    if throughput > most_throughput:
        return False
    for rise in memory:
        if rise > most_memory:
            return False
        # Hidden SHA instructions slow throughput and leave memory as it was.
        if throughput >= _HALF_SHARED and rise <= _TOGETHER * throughput:
            return False
    return True
