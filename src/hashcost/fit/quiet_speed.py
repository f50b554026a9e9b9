"""The speed of a quiet core: which samples saw it, and what earlier runs add. Pure.

A stranger on the other hyperthread of a core slows hashes that keep its execution units
busy, on the CPU clock too. Code that waits for its own results hardly notices. So the
ratio of two short probes, one of either kind, tells whether the core was shared.
"""

import math
import statistics
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import msgspec

from hashcost.core.measurement import Curve, Fit, Interval, Reading, Sample, SeenBy, SharedSpeed

SHARED_RATIO = 1.12
"""Above this many times the quiet ratio, the core is shared. Quiet readings reach 1.08
(tests/tools/benchmarks/recordings)."""
SURELY_SHARED_RATIO = 1.2
"""Shared readings begin here; what lies below does not tell that both speeds were seen."""
FEWEST_READINGS = 8
"""Fewer do not tell the quick ones from the slow."""
AGREE = 0.06
"""Runs on a quiet core lie within this of their median."""
_FLUKES = 0.03
"""A share of the readings that may be flukes of the clock."""
_STRAY = 0.1
"""A share of earlier runs whose ratio may be too low."""
_JUST_AFTER = 1e-3
"""Seconds within which a reading follows a hash that was long enough for one."""
_NEW_CHAPTER = 3
"""So many runs in a row that agree with each other, and not with those before, begin anew."""
_OWN_WEIGHT = 0.25
"""What a run counts at least beside those before it: speed wanders over hours."""
WANDER = 0.01
"""Relative standard error that no number of runs takes away."""
_TELLING_WIDTH = 0.15
"""Earlier runs know better than a run whose own samples leave more open than this."""
_USUAL = 4
"""So many runs the usual spread counts as."""
_FEWEST_SHARED = 3
MOST_SLOWED = 1.75
"""A shared core makes a hash take at most about so many times as long: in recordings 1.7."""


def quiet_ratio(readings: Sequence[Reading], known: float | None = None) -> float | None:
    """The probes' ratio on a quiet core; ``None`` if nothing tells.

    That of earlier runs, unless this one saw a lower: nothing but quiet lowers it.
    """
    own = _lowest_cluster(sorted(each.ratio for each in readings))
    return own if known is None or (own or known) < known * (1 - AGREE) else known


def known_ratio(past: Sequence[float]) -> float | None:
    """The quiet ratio by those of earlier runs; ``None`` without any.

    The lower ones tell: a run that only saw a shared core has a higher one.
    """
    if not past:
        return None
    low = sorted(past)[int(len(past) * _STRAY)]
    return statistics.median(each for each in past if low <= each <= low * (1 + AGREE))


def _lowest_cluster(ratios: Sequence[float]) -> float | None:
    """The middle of the lowest ratios that lie close together; of few, or a few flukes, none."""
    ends = [bisect_right(ratios, ratio * SHARED_RATIO) for ratio in ratios]
    needed = max(FEWEST_READINGS, _FLUKES * len(ratios))
    lowest = next((i for i, end in enumerate(ends) if end - i >= needed), None)
    if lowest is None:
        return None
    start = max(range(lowest, ends[lowest]), key=lambda i: ends[i] - i)
    return statistics.median(ratios[start : ends[start]])


def visits_agree(quick: Sequence[Reading]) -> bool:
    """Whether the earlier and the later of the readings on a quiet core are as quick."""
    half = len(quick) // 2
    early, late = (
        statistics.median(each.throughput_seconds for each in part)
        for part in (quick[:half], quick[half:])
    )
    return abs(late / early - 1) <= AGREE


def marked(
    samples: Sequence[Sample], readings: Sequence[Reading], quiet: float | None
) -> tuple[Sample, ...]:
    """The samples, each with whether the core was shared around it.

    The last reading before it tells, and those until just after it.
    """
    if quiet is None or not readings:
        return tuple(samples)
    times = [each.at_seconds for each in readings]
    shared = [each.ratio > quiet * SHARED_RATIO for each in readings]
    found = []
    for sample in samples:
        before = max(bisect_right(times, sample.at_seconds) - 1, 0)
        after = bisect_right(times, sample.at_seconds + sample.wall_seconds + _JUST_AFTER)
        found.append(msgspec.structs.replace(sample, shared=any(shared[before : max(after, 1)])))
    return tuple(found)


def shared_speed(samples: Sequence[Sample]) -> SharedSpeed | None:
    """What sharing the core does to a hasher; ``None`` if it was hardly seen.

    Both speeds are told by the setting that was sampled most.
    """
    settings: dict[tuple[tuple[str, int], ...], list[Sample]] = {}
    for sample in samples:
        settings.setdefault(tuple(sample.params.items()), []).append(sample)
    there = max(settings.values(), key=len, default=[])
    slow = [sample.cpu_seconds for sample in there if sample.shared]
    quick = [sample.cpu_seconds for sample in there if sample.shared is False]
    if min(len(slow), len(quick)) < _FEWEST_SHARED:
        return None
    factor = statistics.median(slow) / statistics.median(quick)
    return SharedSpeed(factor=max(factor, 1.0), share=len(slow) / len(there))


def agreeing(rates: Sequence[float], *, lasting: bool = True) -> list[float]:
    """Those of the runs, the oldest first, that tell how quick the machine is now.

    Most of them decide; of as many, the quicker, since nothing makes a hash quicker than
    it is. The last few decide if they agree with each other and not with the rest, unless
    all were made within too short a time for a change to be ``lasting``.
    """
    cluster, recent = _cluster(rates), rates[-_NEW_CHAPTER:]
    if lasting and len(rates) > _NEW_CHAPTER and not {*recent} & {*cluster}:
        chapter = _cluster(recent)
        return chapter if len(chapter) == _NEW_CHAPTER else cluster
    return cluster


def _cluster(rates: Sequence[float]) -> list[float]:
    """The most runs that lie close to one of them; of as many, the quickest."""
    return max(
        ([each for each in rates if abs(each / middle - 1) <= AGREE] for middle in sorted(rates)),
        key=len,
        default=[],
    )


@dataclass(frozen=True)
class Earlier:
    """What told the time of a curve in earlier runs, the oldest first."""

    rates: Sequence[float] = ()
    lasting: bool = True
    """Whether the last of them lie so far apart that a neighbour did not make them alike."""
    steps: Mapping[int, Sequence[float]] = field(default_factory=dict)
    """What whole hashes took at other values of the curve, further passes through its memory."""


def settle(fitted: Fit, drift: float, past: Sequence[Earlier]) -> Fit:
    """The fit at the quiet speed, by this run and those before it.

    Args:
        fitted: What this run's samples say.
        drift: 95 % of the runs on a quiet machine lie within this of their median.
        past: For each curve, the earlier runs.
    """
    curves = tuple(
        _with_steps(_settled(curve, drift / 2, earlier), earlier.steps)
        for curve, earlier in zip(fitted.curves, past, strict=True)
    )
    return msgspec.structs.replace(fitted, curves=curves)


def scaled(curve: Curve, factor: float) -> Curve:
    """The curve of a hash that takes so many times as long at every cost."""
    return msgspec.structs.replace(
        curve,
        model=msgspec.structs.replace(
            curve.model,
            overhead_seconds=curve.model.overhead_seconds * factor,
            seconds_per_unit=curve.model.seconds_per_unit * factor,
        ),
        step_seconds={value: each * factor for value, each in curve.step_seconds.items()},
    )


def _settled(curve: Curve, spread: float, past: Earlier) -> Curve:
    own, rates = curve.told[1], past.rates
    is_quiet = curve.seen_by is SeenBy.THIS_RUN and (not rates or _tells(curve))
    runs = agreeing([*rates, own] if is_quiet else rates, lasting=past.lasting)
    if not runs:
        return _widened(_slowed(curve), spread)
    rate = statistics.median(runs)
    apart = own / rate - 1
    if is_quiet and -AGREE <= apart <= AGREE:
        if own in runs:
            runs.remove(own)  # Once: an earlier run may have been exactly as quick.
        return _pooled(curve, spread, runs)
    if is_quiet and apart < 0:
        return _widened(curve, spread)  # Nothing makes a hash quicker than it is.
    told = msgspec.structs.replace(
        scaled(curve, rate / own),
        seen_by=SeenBy.EARLIER_RUNS,
        earlier_runs=len(runs),
        relative_interval=(1.0, 1.0),
    )
    apart = _spread(runs, spread) * math.sqrt(1 + 1 / len(runs))
    return _widened(told, math.hypot(apart, WANDER))


def _with_steps(curve: Curve, earlier: Mapping[int, Sequence[float]]) -> Curve:
    """The curve, where earlier runs know what further passes take."""
    known = dict(curve.step_seconds)
    for value, rates in earlier.items():
        own = curve.step_seconds.get(value)
        agreed = statistics.median(agreeing(rates if own is None else [*rates, own]))
        known[value] = agreed if own is None or own >= agreed * (1 - AGREE) else own
    return msgspec.structs.replace(curve, step_seconds=known)


def _slowed(curve: Curve) -> Curve:
    """The curve of a hash that a shared core slowed: nobody knows by how much."""
    if curve.relative_interval is None:
        return curve
    low, high = curve.relative_interval
    return msgspec.structs.replace(curve, relative_interval=(min(low, 1 / MOST_SLOWED), high))


def _tells(curve: Curve) -> bool:
    """Whether its samples leave little open."""
    interval = curve.relative_interval
    return interval is not None and interval[1] - interval[0] <= _TELLING_WIDTH


def _pooled(curve: Curve, spread: float, earlier: Sequence[float]) -> Curve:
    """This run and those that agree with it, as one estimate."""
    if not earlier:
        return _widened(curve, spread)
    own, count = curve.told[1], len(earlier)
    weight = max(1 / (count + 1), _OWN_WEIGHT)
    factor = (statistics.median(earlier) / own) ** (1 - weight)
    apart = _spread([*earlier, own], spread) * math.hypot(weight, (1 - weight) / math.sqrt(count))
    pooled = msgspec.structs.replace(scaled(curve, factor), earlier_runs=count)
    return _widened(pooled, math.hypot(apart, WANDER), weight)


def _spread(rates: Sequence[float], usual: float) -> float:
    """The standard deviation of runs; where these are few, the usual one weighs in."""
    middle = statistics.median(rates)
    own = 1.4826 * statistics.median(abs(each / middle - 1) for each in rates)
    return math.sqrt((_USUAL * usual**2 + len(rates) * own**2) / (_USUAL + len(rates)))


def widened(interval: Interval | None, apart: float, weight: float = 1.0) -> Interval | None:
    """The interval of one run, with what runs lie apart added as an independent error.

    ``interval`` is in factors of the time, ``apart`` a relative standard deviation, and
    ``weight`` the share of the estimate that is this run's.
    """
    if interval is None:
        return None
    low = 1 - math.hypot((1 - interval[0]) * weight, 2 * apart)
    high = 1 + math.hypot((interval[1] - 1) * weight, 2 * apart)
    return max(low, 0.0), high


def _widened(curve: Curve, apart: float, weight: float = 1.0) -> Curve:
    interval = widened(curve.relative_interval, apart, weight)
    return msgspec.structs.replace(curve, relative_interval=interval)
