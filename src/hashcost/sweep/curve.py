"""From samples to rows: estimates, the fit and what lies off it. Pure."""

import itertools
import math
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import msgspec

from hashcost.core.machine import Notice
from hashcost.core.measurement import CostModel, Knob, Params, Sample, work
from hashcost.core.units import format_bytes, format_duration, format_percent, format_setting
from hashcost.fit.estimate import REACH
from hashcost.fit.order_statistics import CONFIDENCE, quiet_estimate
from hashcost.fit.regression import robust
from hashcost.sweep.model import Status, SweepRow

OFF = 0.03
"""A residual beyond this is worth a sentence."""
_STEP = 0.10
"""So much more time for a MiB than at the step below is one."""
_MANY_PAGES, _FEW_PAGES = 0.5, 0.1
MEMORY = "memory_bytes"
"""What the fit of a ladder goes by, in place of the knob."""


@dataclass(frozen=True, kw_only=True)
class Points:
    """One hasher's samples, by cost and by round."""

    error: float
    """What is not known of the quiet level, as a share of every time."""
    knob: Knob
    threads: int
    memory_bytes: Callable[[int], int]
    rounds: Mapping[int, Sequence[Sequence[Sample]]]

    def best(self, cost: int) -> list[float]:
        """The quickest hash of each round, in the order of time: of those on a quiet core."""
        return best_of_rounds(self.rounds[cost], self.threads)

    def quiet(self, cost: int) -> float:
        """The time of one hash."""
        return quiet_estimate(self.best(cost))

    def work(self, cost: int) -> float:
        """What the time should grow with: on a ladder the memory."""
        if self.knob.is_ladder:
            return float(self.memory_bytes(cost))
        return work(self.knob.scale, cost)


def best_of_rounds(rounds: Sequence[Sequence[Sample]], threads: int) -> list[float]:
    """The quickest hash of each round, as on a quiet core."""

    def quiet(sample: Sample) -> float:
        return (sample.cpu_seconds if threads == 1 else sample.wall_seconds) / sample.slowdown

    return [min(map(quiet, taken)) for taken in rounds if taken]


def fit(points: Points, fixed: Params) -> CostModel | None:
    """The line that the time should be; none of fewer than two costs."""
    measured = [
        (points.work(cost), seconds)
        for cost in points.rounds
        if (seconds := points.quiet(cost)) > 0
    ]
    if len(measured) < 2:
        return None
    rows = [(work / seconds, 1 / seconds) for work, seconds in measured]
    per_unit, overhead = robust(rows, [1.0] * len(rows))
    if overhead < 0:
        (per_unit,) = robust([row[:1] for row in rows], [1.0] * len(rows))
    if per_unit <= 0:
        return None
    ladder = points.knob.is_ladder
    return CostModel(
        fixed=fixed,
        parameter=MEMORY if ladder else points.knob.name,
        scale=points.knob.scale,
        overhead_seconds=max(overhead, 0.0),
        seconds_per_unit=per_unit,
    )


def measured_row(row: SweepRow, points: Points, model: CostModel | None) -> SweepRow:
    """The row of a cost that was timed."""
    best = points.best(row.cost)
    quiet = quiet_estimate(best)
    middle = statistics.median(abs(math.log(each / quiet)) for each in best) if quiet else 0.0
    scatter = 1.4826 * middle / math.sqrt(len(best))
    reach = REACH * math.hypot(points.error, 1.25 * scatter)
    interval = math.exp(-reach), math.exp(reach)
    samples = [sample for taken in points.rounds[row.cost] for sample in taken]
    cpu = sum(sample.cpu_seconds for sample in samples)
    # A kernel accounts system time by ticks: single hashes show none or too much of it.
    share = min(1.0, sum(sample.system_seconds for sample in samples) / cpu) if cpu else 0.0
    burnt = quiet
    if points.threads > 1:
        burnt = statistics.median(sample.cpu_seconds for sample in samples)
    fitted = None if model is None else model.seconds(points.work(row.cost))
    return msgspec.structs.replace(
        row,
        status=Status.MEASURED,
        samples=len(samples),
        time_seconds=quiet,
        low_seconds=quiet * interval[0],
        high_seconds=quiet * interval[1],
        confidence=CONFIDENCE,
        relative_error=max(1 - interval[0], interval[1] - 1),
        user_seconds=burnt * (1 - share),
        system_seconds=burnt * share,
        cpu_seconds=burnt,
        wall_seconds=statistics.median(sample.wall_seconds for sample in samples),
        hashes_per_second=1 / burnt if burnt else None,
        fitted_seconds=fitted,
        residual=quiet / fitted - 1 if fitted else None,
        page_faults=round(statistics.median(sample.page_faults for sample in samples)),
    )


def predicted_row(row: SweepRow, points: Points, model: CostModel | None) -> SweepRow:
    """The row of a cost that was not timed: by the fit, on a ladder at least."""
    if not points.knob.is_ladder and model is not None:
        seconds = model.seconds(points.work(row.cost))
        return msgspec.structs.replace(
            row,
            status=Status.PREDICTED,
            time_seconds=seconds,
            cpu_seconds=seconds,
            hashes_per_second=1 / seconds,
            fitted_seconds=seconds,
        )
    below = [cost for cost in points.rounds if cost < row.cost]
    if points.knob.is_ladder and below:
        highest = max(below)
        least = points.quiet(highest) * points.work(row.cost) / points.work(highest)
        return msgspec.structs.replace(
            row,
            status=Status.PREDICTED,
            time_seconds=least,
            note="at least; times are not extrapolated across memory sizes",
        )
    return msgspec.structs.replace(
        row, status=Status.UNTIMED, note="it would exceed the budget; raise --budget"
    )


def shape(
    knob: Knob, model: CostModel | None, rows: Sequence[SweepRow], page_bytes: int | None
) -> tuple[Notice, ...]:
    """Where the curve is not the line, or the power of two, that it should be."""
    measured = [row for row in rows if row.status is Status.MEASURED]
    if knob.is_ladder:
        return tuple(_memory_steps(measured, page_bytes))
    return () if model is None else (*_overhead(knob, model, measured), *_off(knob, measured))


def _overhead(knob: Knob, model: CostModel, rows: Sequence[SweepRow]) -> Iterator[Notice]:
    """What does not depend on the cost, where it shows."""
    for first in rows[:1]:
        share = model.overhead_seconds / model.seconds(work(knob.scale, first.cost))
        if share > OFF:
            lowest = format_setting({knob.name: first.cost})
            yield Notice(
                code="overhead",
                message=f"{format_duration(model.overhead_seconds)} of each hash do not depend on"
                f" its {knob.name}: {format_percent(share)} of the time at {lowest},"
                f" and more than {format_percent(OFF)} {_until(knob, model)}",
            )


def _until(knob: Knob, model: CostModel) -> str:
    units = model.overhead_seconds * (1 - OFF) / (OFF * model.seconds_per_unit)
    if knob.doubles:
        return f"below {format_setting({knob.name: max(1, int(units)).bit_length()})}"
    return f"below {format_setting({knob.name: int(float(f'{units:.2g}'))})}"


def _off(knob: Knob, rows: Sequence[SweepRow]) -> Iterator[Notice]:
    """Costs whose interval lies off the fit by more than a little."""
    off = [row for row in rows if _lies_off(row)]
    if not off:
        return
    worst = max(off, key=lambda row: abs(row.residual or 0.0))
    residual, fitted, time = worst.residual or 0.0, worst.fitted_seconds, worst.time_seconds
    curve = "power of two" if knob.doubles else "line"
    others = f"; {len(off) - 1} other costs are off it too" if len(off) > 1 else ""
    at = format_setting({knob.name: worst.cost})
    times = f"{format_duration(time or 0.0)} against {format_duration(fitted or 0.0)}"
    yield Notice(
        code="off-the-line",
        message=f"at {at} a hash takes {format_percent(residual)}"
        f" {'more' if residual > 0 else 'less'} than the {curve} through all costs says"
        f" ({times}){others}",
    )


def _lies_off(row: SweepRow) -> bool:
    if row.residual is None or row.fitted_seconds is None or abs(row.residual) <= OFF:
        return False
    low, high = row.low_seconds, row.high_seconds
    return low is None or high is None or not low <= row.fitted_seconds <= high


def _memory_steps(rows: Sequence[SweepRow], page_bytes: int | None) -> Iterator[Notice]:
    """Steps from where a MiB takes longer than below: fresh pages, or the end of a cache."""
    for below, row in itertools.pairwise(rows):
        if not below.memory_bytes or not row.memory_bytes:
            continue
        a_mib = (row.time_seconds or 0.0) / row.memory_bytes
        growth = a_mib / ((below.time_seconds or 0.0) / below.memory_bytes) - 1
        many = _has_fresh_pages(row, _MANY_PAGES, page_bytes)
        at = f"{format_setting({row.parameter: row.cost})} ({format_bytes(row.memory_bytes)})"
        lower = format_setting({row.parameter: below.cost})
        more = f"a MiB takes {format_percent(growth)} longer than at {lower}"
        if page_bytes and many and not _has_fresh_pages(below, _FEW_PAGES, page_bytes):
            given = format_bytes((row.page_faults or 0) * page_bytes)
            system = format_duration(row.system_seconds or 0.0)
            longer = f", and {more}" if growth > 0 else ""
            yield Notice(
                code="page-faults",
                message=f"from {at} on each hash is given {given} of fresh pages, {system} of"
                f" its {format_duration(row.cpu_seconds or 0.0)}{longer}",
            )
        elif growth > _STEP and (row.low_seconds or 0.0) / row.memory_bytes > (
            (below.high_seconds or 0.0) / below.memory_bytes
        ):
            cause = ", as if a cache were full" if many is False else ""
            yield Notice(code="memory-step", message=f"at {at} {more}{cause}")


def _has_fresh_pages(row: SweepRow, share: float, page_bytes: int | None) -> bool | None:
    """Whether so much of a hash's memory is fresh pages; unknown if their size is."""
    faults = row.page_faults or 0
    if page_bytes is None:
        return None if faults else False
    return faults * page_bytes / max(row.memory_bytes or 0, page_bytes) >= share
