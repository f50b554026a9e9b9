"""The sweep: a calibration of given costs, with a row for each cost."""

import math
import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, Literal

from msgspec.structs import replace

from hashcost.core.cost_expressions import parse_params
from hashcost.core.errors import UsageError, prefix_errors
from hashcost.core.measurement import (
    Count,
    ElapsedSeconds,
    HashSeconds,
    Implemented,
    Knob,
    Measurement,
    Rate,
    Sample,
)
from hashcost.core.profile import Profile
from hashcost.core.progress import Progress
from hashcost.core.units import DEFAULT_TARGET_SECONDS, format_pairs
from hashcost.fit.model import MEDIAN_ERROR, SCATTER
from hashcost.fit.order_statistics import REACH
from hashcost.fit.times import setting_at
from hashcost.hashers.registry import Candidate, candidates, select
from hashcost.machine.host import Host
from hashcost.measure.core_watch import StartProbe
from hashcost.measure.plan import FEWEST_SAMPLES, SweepPlan
from hashcost.measure.request import Request
from hashcost.measure.sweep_costs import Range, parse_asked, parse_costs, usual_costs, values_of
from hashcost.recommend.calibration import calibrate

_FOR_COSTS: Final = 0.8
"""Share of the budget that the costs are planned for, since expected times are imprecise."""


class SweepRow(Implemented, frozen=True, kw_only=True):
    """One cost of one hasher, flat, as tables need it."""

    implementation_version: str
    parameter: str
    cost: Count
    """The value of ``parameter``."""
    params: str
    """Every param, as ``n=16384 r=8 p=1``."""
    status: Literal["measured", "predicted"]
    """Predicted if timing it would have exceeded the budget or the memory limit."""
    samples: Count
    time_seconds: HashSeconds
    """One hash on a quiet core, on the hasher's clock."""
    low_seconds: HashSeconds
    high_seconds: HashSeconds
    cpu_seconds: ElapsedSeconds | None = None
    wall_seconds: ElapsedSeconds | None = None
    """Medians, not corrected for a busy core."""
    page_faults: Count | None = None
    hashes_per_second: Rate
    """The rate of one core, or of a hash in several threads."""
    fitted_seconds: HashSeconds
    residual: float | None = None
    """The difference between the time and the fit, as a fraction of the fit."""
    memory_bytes: Count


@dataclass(frozen=True, kw_only=True)
class Sweep:
    """The profile of a sweep, and a row for each cost."""

    profile: Profile
    rows: tuple[SweepRow, ...]

    def rows_of(self, measurement: Measurement) -> tuple[SweepRow, ...]:
        """The rows of one hasher, by cost."""
        return tuple(row for row in self.rows if row.label == measurement.label)


@dataclass(frozen=True, kw_only=True)
class SweepRequest:
    """The hashers and costs to sweep, and the limits."""

    hashers: Sequence[str]
    """``hasher``, ``hasher@implementation`` or ``hasher=costs``."""
    costs: str | None = None
    """The costs of hashers that are named without any, such as ``6..17`` or ``1000,50000`` or
    ``1..1000001:100000``; by default some around the target."""
    target_seconds: float = DEFAULT_TARGET_SECONDS
    """The time that the costs are chosen around."""
    budget_seconds: float = 5.0
    """Wall time after which no hash is started."""
    params: str | None = None
    """Params that are not swept, such as ``t=2,p=1``."""
    memory_bytes: int | None = None
    """Memory that one hash may take; see `hashcost.Request`."""


def sweep(
    request: SweepRequest,
    *,
    progress: Progress | None = None,
    host: Host | None = None,
    pool: Sequence[Candidate] | None = None,
    probe: StartProbe | None = None,
) -> Sweep:
    """Time hashers over a range of costs.

    Args:
        request: The hashers, their costs and the limits.
        progress: Called between samples with the phase and the share that is done.
        host: Another system than the running one, for tests.
        pool: The hashers that may be swept; by default, the registered ones.
        probe: Starts the probe of the core; see `hashcost.calibrate`.

    Raises:
        UsageError: a name, a cost or the budget is wrong.
    """
    common: tuple[Range, ...] = ()
    if request.costs is not None:
        common = parse_costs(request.costs)
    asked = [parse_asked(text, common) for text in request.hashers]
    if not asked:
        raise UsageError("name a hasher to sweep, for example sha512-crypt")
    if pool is None:
        pool = candidates()
    ranges: dict[str, tuple[Range, ...]] = {}
    sweep_plans = {}
    for name, own in asked:
        for implementations in select((name,), every_implementation=False, available=pool):
            first = implementations[0]
            # Its costs would be timed as two sweeps of one hasher.
            if first.label in sweep_plans:
                raise UsageError(f"{name} is named twice; give all its costs in one argument")
            fixed = {}
            if request.params is not None:
                with prefix_errors("--params"):
                    fixed = parse_params(first.hasher, request.params)
            # Another implementation may stand in for the preferred one.
            for implementation in implementations:
                ranges.setdefault(implementation.label, own)
            ranges[first.label] = own
            sweep_plans[first.label] = SweepPlan(
                fixed=fixed,
                choose=partial(_chosen, first.hasher, own, request.target_seconds),
                seconds=_FOR_COSTS * request.budget_seconds / len(asked),
            )
    timed = Request(
        target_seconds=request.target_seconds,
        hashers=tuple(name for name, _ in asked),
        budget_seconds=request.budget_seconds,
        memory_bytes=request.memory_bytes,
        sweep_plans=sweep_plans,
    )
    profile = calibrate(timed, progress=progress, host=host, pool=pool, probe=probe)
    rows: list[SweepRow] = []
    for measurement in profile.measurements:
        rows += _rows(measurement, ranges[measurement.label])
    return Sweep(profile=profile, rows=tuple(rows))


def _chosen(
    hasher: str,
    ranges: Sequence[Range],
    target: float,
    knob: Knob,
    expected: Callable[[int], float],
) -> Sequence[int]:
    """The costs that are asked for, or else the usual ones.

    Raises:
        UsageError: the hasher does not have one of the costs.
    """
    costs = values_of(ranges, knob)
    for cost in costs:
        if not knob.minimum <= cost <= knob.maximum:
            raise UsageError(
                f"--costs: {knob.name} of {hasher} must be {knob.minimum} to {knob.maximum},"
                f" not {cost}"
            )
        # Its cost is a power of two, which the range does not say.
        if hasher == "scrypt":
            parse_params(hasher, f"{knob.name}={cost}")
    return costs or usual_costs(knob, expected, target)


def _rows(measurement: Measurement, ranges: Sequence[Range]) -> Iterator[SweepRow]:
    """A row for each cost that was asked for, timed or not; by default, for each timed cost."""
    knob = measurement.knobs[0]
    timed: dict[int, list[Sample]] = {}
    for sample in measurement.samples:
        cost = sample.params[knob.name]
        # The plan may have timed other passes at the same memory.
        if sample.params == {**measurement.lowest, knob.name: cost}:
            timed.setdefault(cost, []).append(sample)
    costs: Sequence[int] = values_of(ranges, knob)
    if not costs:
        costs = sorted(cost for cost, samples in timed.items() if len(samples) >= FEWEST_SAMPLES)
    for cost in costs:
        row = _row(measurement, cost, timed.get(cost, []))
        if row is not None:
            yield row


def _row(measurement: Measurement, cost: int, samples: Sequence[Sample]) -> SweepRow | None:
    """The row of one cost; `None` if its time is not known."""
    knob = measurement.knobs[0]
    params = {**measurement.lowest, knob.name: cost}
    setting = setting_at(measurement, params)
    # A cost beyond what the measurement covers has no row.
    if setting is None:
        return None
    seconds = setting.seconds
    low, high = setting.curve.relative_interval
    row = SweepRow(
        hasher=measurement.hasher,
        implementation=measurement.implementation,
        implementation_version=measurement.implementation_version,
        parameter=knob.name,
        cost=cost,
        params=format_pairs(params),
        status="predicted",
        samples=0,
        time_seconds=seconds,
        low_seconds=seconds * math.exp(-_distance(low, 0.0)),
        high_seconds=seconds * math.exp(_distance(high, 0.0)),
        hashes_per_second=1 / seconds,
        fitted_seconds=seconds,
        memory_bytes=setting.curve.memory_bytes,
    )
    if not samples:
        return row
    quiet = [measurement.seconds(sample) / sample.slowdown for sample in samples]
    seconds = statistics.median(quiet)
    # The median absolute deviation of a normal distribution, times this, is its
    # standard deviation.
    deviations = [abs(time / seconds - 1) for time in quiet]
    scatter = max(1.4826 * statistics.median(deviations), SCATTER)
    reach = REACH * MEDIAN_ERROR * scatter
    own = reach / math.sqrt(len(samples))
    # A timed cost does not rest on the fit: the narrowest interval holds for it.
    intervals = [curve.relative_interval for curve in measurement.fitted.curves]
    low = max(low for low, _ in intervals)
    high = min(high for _, high in intervals)
    return replace(
        row,
        status="measured",
        samples=len(samples),
        time_seconds=seconds,
        low_seconds=seconds * math.exp(-_distance(low, own)),
        high_seconds=seconds * math.exp(_distance(high, own)),
        cpu_seconds=statistics.median(sample.cpu_seconds for sample in samples),
        wall_seconds=statistics.median(sample.wall_seconds for sample in samples),
        page_faults=statistics.median_low(sample.page_faults for sample in samples),
        hashes_per_second=1 / seconds,
        residual=seconds / setting.seconds - 1,
    )


def _distance(end: float, own_error: float) -> float:
    """The logarithm of how far an end of the interval is; independent errors add as squares do."""
    return math.hypot(math.log(end), own_error)
