"""How quiet the machine was, by counters around the samples. Pure."""

import itertools
from collections.abc import Sequence
from typing import Final

import msgspec

from hashcost.core.machine import Machine, Notice
from hashcost.core.measurement import Sample
from hashcost.core.profile import EMULATED, SLOW_CLOCK
from hashcost.core.units import format_percent
from hashcost.machine.control_group import GroupUse

# Share of wall time spent waiting that is worth a notice.
_BUSY = 0.10
_STOLEN = 0.02

BUSY: Final = "busy"
"""Code of the notice that other processes wanted the same CPUs."""
BUSY_THREADS: Final = "busy-threads"
"""Code of the same notice where hashes of several threads were timed, by the wall clock."""
CORRECTED: Final = frozenset({BUSY, "steal"})
"""Notices of disturbances that the probes around each hash correct for."""


class Counters(msgspec.Struct, frozen=True, kw_only=True):
    """Running totals of the system; ``None`` for a counter that it lacks."""

    wall_seconds: float
    run_queue_seconds: float | None = None
    """Time that the thread waited for a CPU."""
    stolen_and_all: tuple[float, float] | None = None
    """CPU time of the machine in seconds: what other guests got, and all."""
    groups: tuple[GroupUse, ...] = ()
    """The control groups with a quota, the innermost first."""


def emulation_notices(machine: Machine) -> tuple[Notice, ...]:
    """Warn of an emulator: its hashes take many times as long as those of the CPU."""
    if not machine.emulated_on:
        return ()
    message = (
        f"this {machine.architecture} process is emulated on {machine.emulated_on}, so the times"
        " are the emulator's"
    )
    advice = "measure with a Python for the CPU's own architecture"
    return (Notice(code=EMULATED, message=message, advice=advice),)


def clock_notices(machine: Machine) -> tuple[Notice, ...]:
    """Tell of what holds the CPU's clock down: a service may run without it."""
    brakes = machine.power.brakes
    if not brakes:
        return ()
    message = f"the CPU is slower than it can be: {', '.join(brakes)}"
    return (Notice(code=SLOW_CLOCK, message=message, advice="measure as the service will run"),)


def noise_notices(
    before: Counters,
    after: Counters,
    samples: Sequence[Sequence[Sample]],
    *,
    clock_measures_cpu: bool = True,
) -> tuple[Notice, ...]:
    """Say what disturbed the machine while these samples were taken.

    Each notice gives a figure, the cause and the cure; a quiet machine yields no notices.

    Args:
        before: the counters before the first sample.
        after: the counters after the last.
        samples: the samples of each hasher.
        clock_measures_cpu: whether their CPU time is not wall time.
    """
    notices = []
    if not clock_measures_cpu:
        notices.append(
            Notice(
                code="coarse-clock",
                message="this system has no precise CPU clock, so costs are solved for wall time",
                advice="run nothing else at the same time, or the costs come out too low",
            )
        )
    # Other processes wanted the same CPUs: wall time beyond CPU time. Where the group's tasks used
    # a quota up, they would have waited as long without any others.
    waiting = _wall_per_cpu(samples)
    if waiting - 1 > _BUSY and not _is_used_up(before, after):
        code = BUSY
        advice = (
            "costs are solved for CPU time and remain valid; a login takes the longer wall time"
            " while the machine is this busy"
        )
        # Threads wait for each other, so the time of several is wall time.
        if _has_several_threads(samples):
            code = BUSY_THREADS
            advice = (
                "hashes of several threads seem slower and get too low a cost: measure when it is"
                " quiet"
            )
        notices.append(
            Notice(
                code=code,
                message="other processes or guests wanted the same CPUs: one hash took"
                f" {waiting:.1f} times its CPU time{_queued(before, after)}",
                advice=advice,
            )
        )
    stolen = _stolen_share(before, after)
    if stolen > _STOLEN:
        share = format_percent(stolen)
        notices.append(
            Notice(
                code="steal",
                message=f"the hypervisor gave {share} of this machine's CPU time to others",
                advice="measure again at another time, or on the instance type that serves logins",
            )
        )
    return tuple(notices)


def _has_several_threads(samples: Sequence[Sequence[Sample]]) -> bool:
    taken = itertools.chain.from_iterable(samples)
    return any(sample.params.get("parallelism", 1) > 1 for sample in taken)


def _wall_per_cpu(samples: Sequence[Sequence[Sample]]) -> float:
    """Wall time of all hashes for each second of CPU time; 1 without any."""
    taken = list(itertools.chain.from_iterable(samples))
    cpu = sum(sample.cpu_seconds for sample in taken)
    if not cpu:
        return 1.0
    return sum(sample.wall_seconds for sample in taken) / cpu


def _queued(before: Counters, after: Counters) -> str:
    """The share of the run that the thread waited for a CPU; empty if it is unknown."""
    earlier, later = before.run_queue_seconds, after.run_queue_seconds
    elapsed = after.wall_seconds - before.wall_seconds
    if earlier is None or later is None or not elapsed:
        return ""
    share = min((later - earlier) / elapsed, 1)
    return f", {format_percent(share)} of the run was spent waiting for a CPU"


def _is_used_up(before: Counters, after: Counters) -> bool:
    """Whether the quota of any group let its tasks run no longer."""
    elapsed = after.wall_seconds - before.wall_seconds
    # A process that was moved meanwhile has other groups.
    groups = zip(before.groups, after.groups, strict=False)
    return any(_used_all(earlier, later, elapsed) for earlier, later in groups)


def _used_all(earlier: GroupUse, later: GroupUse, elapsed: float) -> bool:
    """Whether the quota of a group let its tasks run no longer; true if that is unknown.

    The kernel's own figure, ``throttled_usec``, does not help: it adds up the CPUs, and Linux 6.18
    counted 0.09 s where a quota of 0.5 CPUs had stopped a single busy task for 1.04 s.
    """
    if earlier.cpu_seconds is None or later.cpu_seconds is None:
        return True
    # A run that begins and ends within periods may get the quota of one less.
    limit = earlier.limit
    allowed = (elapsed - limit.period_seconds) * limit.cpus
    return later.cpu_seconds - earlier.cpu_seconds >= (1 - _BUSY) * allowed


def _stolen_share(before: Counters, after: Counters) -> float:
    """The share of CPU time that other guests got; 0 if it is unknown."""
    if before.stolen_and_all is None or after.stolen_and_all is None:
        return 0.0
    stolen_before, all_before = before.stolen_and_all
    stolen_after, all_after = after.stolen_and_all
    if all_after <= all_before:
        return 0.0
    return (stolen_after - stolen_before) / (all_after - all_before)
