"""The calibration: known answers, probe, fit, solve, confirm, all hashers in turn."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, TypeAlias

from hashcost.core.errors import UsageError
from hashcost.core.model import (
    SCHEMA_VERSION,
    Params,
    Probe,
    Profile,
    Recommendation,
    Rounding,
    Sample,
)
from hashcost.core.targets import DEFAULT_TARGET_SECONDS, check_target
from hashcost.core.tool import TOOL
from hashcost.hashers.registry import candidates, select
from hashcost.machine import history
from hashcost.machine.clock import Clock
from hashcost.machine.host import Host, this_host
from hashcost.machine.memory import memory_limit
from hashcost.machine.signals import noise_notices, wander
from hashcost.measure import sampler
from hashcost.measure.planning import NORMAL, Effort
from hashcost.measure.task import PROBE_PASSWORD, PROBE_SALT, Ask, Task
from hashcost.worth.appraisal import floors_of
from hashcost.worth.policies.policy import Policy

_USUAL_BUDGET: Final = 15.0
"""Seconds: a quiet machine needs two at most, one with four times as much to do eight."""
_MOST_LANES = 2**24 - 1
"""RFC 9106 section 3.1."""

Progress: TypeAlias = Callable[[float], None]
"""Told, between samples only, which fraction of the work is done."""


def calibrate(
    target: float = DEFAULT_TARGET_SECONDS,
    hashers: Sequence[str] = (),
    *,
    every_implementation: bool = False,
    rounding: Rounding = Rounding.DOWN,
    effort: Effort = NORMAL,
    budget: float | None = None,
    progress: Progress | None = None,
    host: Host | None = None,
    history_path: Path | None = None,
    memory: int | None = None,
    parallelism: int | None = None,
    tradeoff: bool = False,
    policies: Sequence[Policy] = (),
    enforce: bool = False,
    visits: Mapping[str, tuple[Params, ...]] | None = None,
) -> Profile:
    """Find the cost that makes one hash take ``target`` seconds on this machine.

    Args:
        target: Seconds that one hash may take, above 0 and at most 60.
        hashers: Names, ``hasher`` or ``hasher@implementation``; none means the
            defaults.
        every_implementation: Every implementation instead of the preferred one.
        rounding: Which legal cost stands for a target between two.
        effort: How much to measure: `hashcost.FAST`, ``NORMAL`` or ``PRECISE``.
        budget: Seconds of wall time beyond which no further hash is started; by
            default fifteen, or twelve hashes of the target for each hasher if that is more.
        progress: Called between samples with the fraction done.
        host: Another system than the running one, for tests.
        history_path: File of past runs on this machine, read for the interval
            and added to; none keeps no history.
        memory: Bytes that one hash may take; by default a quarter of what the
            machine has free, within its control group's limit. If the system tells
            neither that nor how much it has, memory-hard hashers need it.
        parallelism: Lanes of argon2id, one by default.
        tradeoff: A row for each step of memory that the target leaves room for,
            instead of the one with the most; of a single hasher that climbs a ladder.
        policies: Whose floors are timed where the target does not reach them; see
            `hashcost.appraise`.
        enforce: Whether a cost below their floors is raised to them, beyond the target.
        visits: Costs of memory-hard hashers, by hasher, that are timed as well.

    Returns:
        The profile that the command renders. A hasher that cannot be run or
        solved is in it as a `Failure`.

    Raises:
        UsageError: the target, the budget or a name is wrong.
    """
    check_target(target)
    if budget is not None and not budget > 0:
        raise UsageError("--budget: it must be above zero")
    host = host or this_host()
    clock, machine = host.clock, host.describe()
    started = clock.wall()
    chosen = select(hashers, every_implementation=every_implementation, available=candidates())
    if budget is None:
        budget = effort.least_seconds + max(_USUAL_BUDGET, 12 * target * len(chosen))
    # What is left of it is for the hashes that confirm the answers.
    effort = replace(effort, patience_seconds=min(effort.patience_seconds, budget / 3))
    ask = Ask(
        target_seconds=target,
        rounding=rounding,
        effort=effort,
        memory_limit=memory_limit(host, memory),
        page_bytes=machine.page_bytes,
        parallelism=_lanes(parallelism),
        # A trade-off shows every step of memory, whatever a policy prefers.
        floors_of=floors_of(() if tradeoff else policies, enforced=enforce),
        visits=visits or {},
    )
    if tradeoff and enforce:
        raise UsageError("--tradeoff and --enforce exclude each other; choose one")
    if tradeoff and len(chosen) != 1:
        raise UsageError("--tradeoff: name one hasher, scrypt or argon2id")
    tasks = [Task(stand_ins, ask) for stand_ins in chosen]
    for task in tasks:
        task.load()
    # One that was named may stand in for another that was.
    tasks = list({task.candidate.label: task for task in reversed(tasks)}.values())[::-1]
    # One that could not be loaded speaks for itself.
    if parallelism is not None and not any(
        task.error is not None or "parallelism" in task.lowest for task in tasks
    ):
        raise UsageError("--parallelism: none of these hashers has lanes; argon2id has")
    if tradeoff:
        tasks[0].check_tradeable()
    before = host.counters()
    meter = _Meter(progress, target, effort, len(tasks))
    _drive(tasks, clock, started + budget, meter)
    if tradeoff:
        lower = tasks[0].lower_steps()
        _drive(lower, clock, started + budget, meter)
        tasks = [*lower, *tasks]
    after = host.counters()

    sampled = [task.samples for task in tasks if task.samples]
    known = history.load(history_path)
    now = host.now()

    def past(label: str, version: str, fixed: Params) -> tuple[float, ...]:
        return history.recent(known, history.key(label, version, machine, fixed), now)

    results = tuple(
        task.result(drift=wander(sampled) or 0.0, past=past, clock=clock) for task in tasks
    )
    if tradeoff and any(isinstance(row, Recommendation) for row in results):
        # A step of memory that leaves no room for a pass is no row.
        kept = [isinstance(row, Recommendation) for row in results]
        tasks = list(itertools.compress(tasks, kept))
        results = tuple(itertools.compress(results, kept))
    history.record(
        history_path,
        {
            history.key(
                row.label, row.implementation_version, machine, row.model.fixed
            ): row.model.seconds_per_unit
            for task, row in zip(tasks, results, strict=True)
            if isinstance(row, Recommendation) and task.teaches
        },
        now,
    )
    return Profile(
        schema=SCHEMA_VERSION,
        tool=TOOL,
        created=host.date(),
        machine=machine,
        probe=Probe(password_bytes=len(PROBE_PASSWORD), salt_bytes=len(PROBE_SALT)),
        target_seconds=target,
        rounding=rounding,
        duration_seconds=clock.wall() - started,
        results=results,
        warnings=noise_notices(before, after, sampled, clock_measures_cpu=clock.measures_cpu),
    )


def _lanes(asked: int | None) -> int:
    """Lanes of argon2id.

    Raises:
        UsageError: the algorithm has not so many.
    """
    if asked is not None and not 1 <= asked <= _MOST_LANES:
        raise UsageError(f"--parallelism: it must be 1 to {_MOST_LANES}")
    return asked or 1


def _drive(tasks: Sequence[Task], clock: Clock, deadline: float, meter: _Meter) -> None:
    """Time one hash of each unfinished task per round, in a fresh order each round."""
    for task in tasks:
        task.start(len(tasks))
    order = list(tasks)
    shuffle = random.Random().shuffle
    cpu = wall = 0.0
    with sampler.undisturbed():
        while any(task.request for task in order):
            shuffle(order)
            for task in order:
                if task.request is None:
                    continue
                slowdown = max(1.0, wall / cpu) if cpu else 1.0
                if clock.wall() + task.request.expected_seconds * slowdown > deadline:
                    task.request, task.cut = None, True
                    continue
                sample = task.take(clock)
                if sample is not None:
                    cpu += sample.cpu_seconds
                    wall += sample.wall_seconds
                    meter.add(sample)


class _Meter:
    """Turns time spent into the fraction of the work that is done."""

    def __init__(self, report: Progress | None, target: float, effort: Effort, rows: int) -> None:
        self._report = report
        sampling = effort.samples * min(target / 4, effort.sample_seconds) * rows
        confirming = effort.confirmations * target * rows
        self._total = max(sampling, effort.least_seconds) + confirming
        self._spent = 0.0

    def add(self, sample: Sample) -> None:
        """Count one sample and report."""
        if self._report is not None:
            self._spent += sample.cpu_seconds
            self._report(min(self._spent / self._total, 0.99))
