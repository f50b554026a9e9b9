"""The calibration: known answers, probe, fit, solve, confirm, all hashers in turn."""

from __future__ import annotations

import contextlib
import datetime as dt
import math
import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeAlias

import msgspec

from hashcost import __version__
from hashcost.errors import HashcostError, UnavailableError, UsageError
from hashcost.hashers.interface import Hasher, ReadyCall, check_known_answers
from hashcost.hashers.registry import Candidate, candidates, one_line, select
from hashcost.model import (
    SCHEMA_VERSION,
    Failure,
    Notice,
    Params,
    Probe,
    Profile,
    Recommendation,
    Result,
    Rounding,
    Sample,
    Tool,
)
from hashcost.planning import NORMAL, Effort, Plan, Request, plan
from hashcost.recommendation import recommend
from hashcost.solver import fit, widen
from hashcost.timing import history, sampler
from hashcost.timing.clock import Clock, system_clock
from hashcost.timing.machine import describe_machine
from hashcost.timing.signals import judge, read_counters, wander

DEFAULT_TARGET_SECONDS: Final = 0.25
LONGEST_TARGET_SECONDS: Final = 60.0

PROBE_PASSWORD: Final = b"probe-pass12"
"""Twelve bytes: the time of sha*crypt grows with the password's length."""
PROBE_SALT: Final = b"abcdefghIJKLMOPQ"

_TELLING_WIDTH = 0.15
"""A run whose own samples leave more open than this says little about the machine."""

_WARM_UP_BYTES = 1 << 20
"""From this much memory on, the first hash at new params pays for fresh pages."""

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
    clock: Clock | None = None,
    history_path: Path | None = None,
) -> Profile:
    """Find the cost that makes one hash take ``target`` seconds on this machine.

    Args:
        target: Seconds that one hash may take, above 0 and at most 60.
        hashers: Names, ``hasher`` or ``hasher@implementation``; none means the
            default five.
        every_implementation: Every implementation instead of the preferred one.
        rounding: Which legal cost stands for a target between two.
        effort: How much to measure: `hashcost.FAST`, ``NORMAL`` or ``PRECISE``.
        budget: Seconds of wall time beyond which no further hash is started; by
            default ten, or six hashes of the target for each hasher if that is more.
        progress: Called between samples with the fraction done.
        clock: Another pair of clocks, for tests.
        history_path: File of past runs on this machine, read for the interval
            and added to; none keeps no history.

    Returns:
        The profile that the command renders. A hasher that cannot be run or
        solved is in it as a `Failure`.

    Raises:
        UsageError: the target, the budget or a name is wrong.
    """
    check_target(target)
    if budget is not None and not budget > 0:
        raise UsageError("--budget: it must be above zero")
    clock = clock or system_clock()
    started = clock.wall()
    chosen = select(hashers, every_implementation=every_implementation, available=candidates())
    if budget is None:
        budget = max(10.0, 6 * target * len(chosen))
    tasks = [_Task(candidate) for candidate in chosen]
    for task in tasks:
        task.start(target, rounding, effort, len(tasks))
    before = read_counters()
    _drive(tasks, clock, started + budget, _Meter(progress, target, effort, len(tasks)))
    after = read_counters()

    machine = describe_machine()
    sampled = [task.samples for task in tasks if task.samples]
    known = history.load(history_path)
    now = time.time()

    def past(label: str, version: str) -> tuple[float, ...]:
        return history.recent(known, history.key(label, version, machine), now)

    results = tuple(
        task.result(target, rounding, drift=wander(sampled) or 0.0, past=past) for task in tasks
    )
    history.record(
        history_path,
        {
            history.key(row.label, row.implementation_version, machine): row.model.seconds_per_unit
            for task, row in zip(tasks, results, strict=True)
            if isinstance(row, Recommendation) and task.teaches
        },
        now,
    )
    return Profile(
        schema=SCHEMA_VERSION,
        tool=Tool(name="hashcost", version=__version__),
        created=dt.datetime.fromtimestamp(int(now), dt.UTC),
        machine=machine,
        clock=clock.name,
        probe=Probe(password_bytes=len(PROBE_PASSWORD), salt_bytes=len(PROBE_SALT)),
        target_seconds=target,
        rounding=rounding,
        duration_seconds=clock.wall() - started,
        results=results,
        warnings=judge(before, after, sampled, clock_measures_cpu=clock.measures_cpu),
    )


def check_target(seconds: float) -> None:
    """Refuse a target that no one can mean.

    Raises:
        UsageError: it is not above zero, or longer than a minute.
    """
    if not 0 < seconds <= LONGEST_TARGET_SECONDS:
        raise UsageError(f"--target: it must be above 0 and at most {LONGEST_TARGET_SECONDS:g} s")


@dataclass(eq=False)
class _Task:
    """One hasher on its way from a name to a result.

    Whatever goes wrong with it ends as its ``error`` and leaves the others alone.
    """

    candidate: Candidate
    hasher: Hasher | None = None
    plan: Plan | None = None
    request: Request | None = None
    samples: list[Sample] = field(default_factory=list)
    error: HashcostError | None = None
    cut: bool = False
    """Whether the budget ended before the plan did."""
    teaches: bool = False
    """Whether later runs may be judged by this one: by itself it knew its answer well."""

    def start(self, target: float, rounding: Rounding, effort: Effort, plans: int) -> None:
        """Load the hasher, compute its known answers, and make the first request."""
        with self._failing_alone():
            self.hasher = self.candidate.load()
            check_known_answers(self.hasher)
            self.plan = plan(self.hasher.knobs[0], target, rounding, effort, plans)
            self.request = next(self.plan)
            self._ready().run()

    def take(self, clock: Clock) -> None:
        """Time the hash that is asked for, and make the next request."""
        request, following = self.request, self.plan
        if request is None or following is None:
            return
        with self._failing_alone():
            call = self._ready()
            if self._needs_warm_up(request.params):
                call.run()
            sample = sampler.take(clock, call, request.params)
            self.samples.append(sample)
            try:
                self.request = following.send(sample)
            except StopIteration:
                self.request = None

    def result(
        self,
        target: float,
        rounding: Rounding,
        *,
        drift: float,
        past: Callable[[str, str], tuple[float, ...]],
    ) -> Result:
        """The recommendation that the samples support, or why there is none.

        ``drift`` is what the machine was seen to wander by; ``past`` gives earlier
        runs' seconds per unit for a label and a version.
        """
        if self.hasher is not None and self.error is None:
            hasher = self.hasher
            try:
                alone = fit(hasher.knobs[0], self.samples)
                low, high = alone.relative_interval or (0.0, math.inf)
                self.teaches = high - low <= _TELLING_WIDTH
                fitted = widen(
                    alone,
                    max(hasher.drift, drift),
                    past(self.candidate.label, hasher.version),
                )
                row = recommend(
                    hasher=hasher.name,
                    implementation=hasher.implementation,
                    version=hasher.version,
                    memory_bytes=hasher.memory_bytes(self.samples[-1].params),
                    fitted=fitted,
                    target_seconds=target,
                    rounding=rounding,
                    samples=self.samples,
                )
                return self._with_cut(row)
            except HashcostError as failed:
                self.error = failed
        error = self.error or UnavailableError("was not loaded")
        return Failure(
            hasher=self.candidate.hasher,
            implementation=self.candidate.implementation,
            code=error.code,
            error=str(error),
        )

    def _with_cut(self, row: Result) -> Result:
        """The row, saying so when the budget ended before its plan did."""
        if not self.cut or not isinstance(row, Recommendation) or row.confirmed:
            return row
        notice = Notice(
            code="budget",
            message="the budget ended before a hash was timed at this cost",
            advice="raise --budget",
        )
        return msgspec.structs.replace(row, warnings=(*row.warnings, notice))

    def _ready(self) -> ReadyCall:
        if self.hasher is None or self.request is None:
            raise UnavailableError("was not loaded")
        return self.hasher.ready(PROBE_PASSWORD, PROBE_SALT, self.request.params)

    def _needs_warm_up(self, params: Params) -> bool:
        """Whether the first hash at these params would pay for fresh memory."""
        return (
            self.hasher is not None
            and self.hasher.memory_bytes(params) >= _WARM_UP_BYTES
            and not any(sample.params == params for sample in self.samples)
        )

    @contextlib.contextmanager
    def _failing_alone(self) -> Iterator[None]:
        try:
            yield
        except HashcostError as error:
            self.error, self.request = error, None
        except Exception as error:
            # A hashing library may raise anything at all.
            self.error = UnavailableError(f"failed: {one_line(error)}")
            self.error.__cause__ = error
            self.request = None


def _drive(tasks: Sequence[_Task], clock: Clock, deadline: float, meter: _Meter) -> None:
    """Time one hash of each unfinished task per round, in a fresh order each round."""
    order = list(tasks)
    shuffle = random.Random().shuffle
    slowdown = 1.0
    with sampler.undisturbed():
        while any(task.request for task in order):
            shuffle(order)
            for task in order:
                if task.request is None:
                    continue
                if clock.wall() + task.request.expected_seconds * slowdown > deadline:
                    task.request, task.cut = None, True
                    continue
                task.take(clock)
                if task.samples:
                    sample = task.samples[-1]
                    slowdown = max(1.0, sample.wall_seconds / max(sample.cpu_seconds, 1e-9))
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
