"""How fast one machine is beside another, and whether that is more than noise. Pure."""

import math

from hashcost.compare.model import RelativeSpeed, Standing
from hashcost.core.algorithms import guess_work
from hashcost.core.measurement import Interval, Measurement, Params
from hashcost.fit.solver import Solution
from hashcost.fit.times import setting_at

_LARGEST = 1e100
"""Beyond any ratio; a damaged file may hold times that are still further apart."""


def relative_speed(baseline: Solution, here: Solution) -> RelativeSpeed:
    """Hashes here for each of the baseline's in the same time, both at the same params.

    Each interval holds the quiet time 19 times of 20, and two machines are off by chance
    independently of each other. So the distances from the ratio to its ends add up as
    squares do, on the scale of logarithms, on which a ratio is a difference (Zou and
    Donner, "Construction of confidence limits about effect measures: a general
    approach", Statistics in Medicine 27, 2008). To take the extremes of both instead
    would promise more than 95 %. Turned round, the same two give the inverse.
    """
    ratio = min(max(baseline.seconds / here.seconds, 1 / _LARGEST), _LARGEST)
    there = distances(baseline.seconds, baseline.interval)
    own = distances(here.seconds, here.interval)
    if there is None or own is None:
        return RelativeSpeed(params=here.params, ratio=ratio, low=None, high=None)
    below, above = math.hypot(there[0], own[1]), math.hypot(there[1], own[0])
    if max(below, above) > math.log(_LARGEST):
        return RelativeSpeed(params=here.params, ratio=ratio, low=None, high=None)
    return RelativeSpeed(
        params=here.params,
        ratio=ratio,
        low=ratio * math.exp(-below),
        high=ratio * math.exp(above),
    )


def standing(speed: RelativeSpeed) -> Standing:
    """Whether the machine is faster or slower, as far as the interval tells."""
    if speed.low is None or speed.high is None:
        return Standing.UNKNOWN
    if speed.low > 1:
        return Standing.FASTER
    return Standing.SLOWER if speed.high < 1 else Standing.NO_DIFFERENCE


def on_both(
    baseline: Measurement, here: Measurement, params: Params | None
) -> tuple[Solution, Solution] | None:
    """A setting that is known on both: these params, or the best of the lowest on each curve.

    The best has an interval on both, then the most work of a guess.
    """
    settings = [] if params is None else [params]
    for measurement in (baseline, here):
        settings += [curve.at(curve.lowest) for curve in measurement.fitted.curves]
    times = [(setting_at(baseline, setting), setting_at(here, setting)) for setting in settings]
    both = [(one, other) for one, other in times if one is not None and other is not None]
    return max(both, key=lambda pair: _worth(baseline.hasher, *pair), default=None)


def _worth(hasher: str, one: Solution, _other: Solution) -> tuple[float, int]:
    return guess_work(hasher, one.params) or 0.0, one.curve.memory_bytes


def distances(seconds: float, interval: Interval | None) -> tuple[float, float] | None:
    """From a time to both ends of its interval, as logarithms."""
    if interval is None or interval[0] <= 0:
        return None
    return math.log(seconds / interval[0]), math.log(interval[1] / seconds)
