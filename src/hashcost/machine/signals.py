"""How quiet the machine was, told from counters around the samples. Pure."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from hashcost.core.measurement import Sample
from hashcost.core.origin import Notice
from hashcost.core.units import format_duration, format_percent

_BUSY = 0.10
"""Share of wall time spent waiting that is worth a word."""
_STOLEN = 0.02
_UNSTEADY = 0.05
_TELLING_SECONDS = 5e-4
"""Shorter hashes vary by themselves."""


@dataclass(frozen=True, kw_only=True)
class Counters:
    """Running totals of the system; ``None`` if it has no such counter."""

    wall_seconds: float
    run_queue_seconds: float | None = None
    """Time that the thread waited for a CPU."""
    stolen_share_ticks: tuple[int, int] | None = None
    """Stolen and all CPU ticks of the machine."""
    throttled_seconds: float | None = None


def noise_notices(
    before: Counters,
    after: Counters,
    samples: Sequence[Sequence[Sample]],
    *,
    clock_measures_cpu: bool = True,
) -> tuple[Notice, ...]:
    """What was wrong with the machine while these samples were taken.

    ``samples`` are those of each hasher. Each notice gives a figure, the cause
    and the cure; a quiet machine gives none.
    """
    elapsed = after.wall_seconds - before.wall_seconds
    notices = []
    if not clock_measures_cpu:
        notices.append(
            Notice(
                code="coarse-clock",
                message="this system has no CPU clock fine enough; costs are solved on wall time",
                advice="nothing else may run meanwhile, or the costs come out too low",
            )
        )
    throttled = _delta(before.throttled_seconds, after.throttled_seconds)
    if throttled:
        notices.append(
            Notice(
                code="throttled",
                message=f"the control group's CPU quota stopped the run for"
                f" {format_duration(throttled)}",
                advice="logins meet the same stops: raise the quota (cpu.max, Kubernetes"
                " limits) or expect longer wall times",
            )
        )
    notices += _waiting(before, after, samples, elapsed)
    stolen = _stolen_share(before, after)
    if stolen is not None and stolen > _STOLEN:
        notices.append(
            Notice(
                code="steal",
                message=f"the hypervisor gave {format_percent(stolen)} of this machine's CPU"
                " time to others",
                advice="measure again at another hour, or on the instance type that serves logins",
            )
        )
    unsteady = wander(samples)
    if unsteady is not None and unsteady > _UNSTEADY:
        notices.append(
            Notice(
                code="unsteady",
                message=f"the CPU's own speed changed by {format_percent(unsteady)} during the"
                " run (clock frequency, or neighbours on the same chip)",
                advice="measure again at another time; --precise sees more of it",
            )
        )
    return tuple(notices)


def wander(samples: Sequence[Sequence[Sample]]) -> float | None:
    """How far the machine's own speed moved during the run, as a fraction.

    The quickest hash of the first, the middle and the last third of each hasher's
    main samples tells how fast the machine was then; hashers are timed in turn, so
    the median over them is the machine's doing. None below six telling samples.
    """
    moves = []
    for taken in samples:
        main = _main_samples(taken)
        if len(main) >= 6 and min(main) >= _TELLING_SECONDS:
            third = len(main) / 3
            quickest = [min(main[round(i * third) : round((i + 1) * third)]) for i in range(3)]
            moves.append(max(quickest) / min(quickest) - 1)
    return statistics.median(moves) if moves else None


def _main_samples(taken: Sequence[Sample]) -> list[float]:
    """CPU seconds, in the order of time, of the params that were sampled most."""
    by_params: dict[tuple[tuple[str, int], ...], list[float]] = {}
    for sample in taken:
        by_params.setdefault(tuple(sample.params.items()), []).append(sample.cpu_seconds)
    return max(by_params.values(), key=len, default=[])


def _waiting(
    before: Counters, after: Counters, samples: Sequence[Sequence[Sample]], elapsed: float
) -> list[Notice]:
    """Other processes wanted the same CPUs: wall time beyond CPU time."""
    cpu = sum(sample.cpu_seconds for taken in samples for sample in taken)
    wall = sum(sample.wall_seconds for taken in samples for sample in taken)
    if not cpu or wall / cpu - 1 <= _BUSY:
        return []
    figures = [f"one hash took {wall / cpu:.1f} times its CPU time"]
    queued = _delta(before.run_queue_seconds, after.run_queue_seconds)
    if queued is not None and elapsed:
        figures.append(f"{format_percent(min(queued / elapsed, 1))} of the run was spent queueing")
    return [
        Notice(
            code="busy",
            message=f"other processes wanted the same CPUs: {', '.join(figures)}",
            advice="costs are solved on CPU time and hold; a login on this machine takes the"
            " longer wall time while it is this busy",
        )
    ]


def _stolen_share(before: Counters, after: Counters) -> float | None:
    if before.stolen_share_ticks is None or after.stolen_share_ticks is None:
        return None
    stolen = after.stolen_share_ticks[0] - before.stolen_share_ticks[0]
    total = after.stolen_share_ticks[1] - before.stolen_share_ticks[1]
    return stolen / total if total > 0 else None


def _delta(before: float | None, after: float | None) -> float | None:
    return None if before is None or after is None else after - before
