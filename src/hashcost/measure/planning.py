"""What to time next, for one hasher. Pure: a plan asks for samples and is sent them.

A plan is a generator that yields requests; whoever drives it times them, many
plans in turn, and sends each sample back. So hashers share whatever the machine
does meanwhile, and a plan can be tested without a clock.
"""

import math
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias, TypeVar

from hashcost.core.algorithms import Strength
from hashcost.core.errors import UnreachableError
from hashcost.core.measurement import Fit, Knob, Params, Sample
from hashcost.core.profile import Rounding
from hashcost.fit.curves import DISAGREEMENT, Seconds, counting, fit
from hashcost.fit.solver import BY_MEMORY, Floors, Solution, solve
from hashcost.measure.effort import Effort

PROBE_SECONDS: Final = 2e-3
"""From here on the time of one hash can be told by its clock."""
GROWTH: Final = 4
MOST_ATTEMPTS: Final = 3
"""Answers that are confirmed before the last one stands."""

_BESIDE = 4
_MOST_COLD = 3
"""An allocator may hand out fresh pages each time: so many times what is wanted will do."""
_MOST_SAMPLES = 10_000
"""A clock that hardly moves would have patience without end."""
PlanResult = TypeVar("PlanResult")
"""What a plan finds out."""


@dataclass(frozen=True, kw_only=True)
class Problem:
    """What a plan is to solve.

    ``seconds`` says which time of a sample counts; ``memory_bytes`` what params take;
    ``is_settled`` whether the core was watched for long enough, ``has_patience`` whether it
    may be watched on, and ``is_known`` whether earlier runs tell when it is quiet; ``settle``
    what earlier runs make of the fit, and ``kept`` what they answered. Of ``floors`` that the
    target does not reach, the time is found as well, and on a ladder that of the settings in
    ``visits`` and of their memory. ``every_step`` asks for an answer at each step of memory
    below the one that is solved for, too, and ``targets`` are others that are to be answered.
    """

    knobs: tuple[Knob, ...]
    lowest: Params
    target_seconds: float
    rounding: Rounding
    effort: Effort
    seconds: Seconds
    memory_bytes: Callable[[Params], int]
    is_settled: Callable[[], bool] = lambda: True
    has_patience: Callable[[], bool] = lambda: True
    is_known: Callable[[], bool] = lambda: False
    settle: Callable[[Fit], Fit] = lambda fitted: fitted
    floors: Floors | None = None
    strength: Strength = BY_MEMORY
    kept: Params | None = None
    visits: tuple[Params, ...] = ()
    every_step: bool = False
    targets: tuple[float, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Request:
    """Time one hash at ``params``; it is expected to take this long."""

    params: Params
    expected_seconds: float
    later_seconds: float = 0.0
    """About how long what is asked for after it takes."""
    waits: bool = False
    """Whether it is asked for only because the core was not seen quiet."""


SamplePlan: TypeAlias = Generator[Request, Sample, None]


def growth(
    knob: Knob, lowest: Params, seconds: Seconds, *, first: int
) -> Generator[Request, Sample, dict[int, float]]:
    """Find a cost whose hash takes long enough to be timed, from the lowest up.

    The lowest is timed ``first`` times, and each cost above twice. On a ladder of
    memory nothing follows from one step for the next, so only the lowest is.

    Returns:
        The least that a hash took at each cost, in seconds.
    """
    value, known = lowest[knob.name], dict[int, float]()
    expected, times = 0.0, first
    while True:
        params = {**lowest, knob.name: value}
        known[value] = math.inf
        for _ in range(times):
            sample = yield Request(params=params, expected_seconds=expected)
            known[value] = min(known[value], seconds(sample))
        if knob.is_ladder or known[value] >= PROBE_SECONDS or value == knob.maximum:
            return known
        expected, times = known[value] * GROWTH, 2
        grown = value + GROWTH.bit_length() - 1 if knob.doubles else value * GROWTH
        value = min(grown, knob.maximum)


@dataclass(eq=False)
class Samples:
    """The samples so far, and how more of them are asked for."""

    problem: Problem
    taken: list[Sample] = field(default_factory=list)
    later_seconds: float = 0.0
    """About how long what follows the present stage takes."""

    def time_at(
        self,
        params: Params,
        expected_seconds: float,
        *,
        further: int = 0,
        waits: bool = False,
    ) -> SamplePlan:
        """Ask for one sample; so many ``further`` ones like it follow."""
        request = Request(
            params=params,
            expected_seconds=expected_seconds,
            later_seconds=further * expected_seconds + self.later_seconds,
            waits=waits,
        )
        self.taken.append((yield request))

    def time_plausibly(self, params: Params, expected_seconds: float) -> SamplePlan:
        """Ask for one sample, and for two more if it is not what was expected."""
        yield from self.time_at(params, expected_seconds)
        if abs(self.last_seconds / expected_seconds - 1) > DISAGREEMENT:
            yield from self.time_at(params, expected_seconds)
            yield from self.time_at(params, expected_seconds)

    def sample(
        self,
        params: Params,
        expected_seconds: float,
        wanted: int,
        count: Callable[[Sequence[Sample]], int] = len,
        beside: Params | None = None,
        *,
        waits: bool = True,
    ) -> SamplePlan:
        """Ask for samples until as many as wanted count on a quiet core, and the core is known.

        When patience ends, or where a quiet core is not waited for, those on a shared core
        have to do. Now and then one is taken ``beside``, at a cost that takes less.
        """
        there = [sample for sample in self.taken if sample.params == params]
        for index in range(_MOST_SAMPLES):
            lacking = wanted - count(there)
            if self.problem.is_settled():
                quick = [sample for sample in counting(there) if not sample.shared]
                if count(quick) >= wanted:
                    return
            enough = lacking <= 0 or len(there) >= wanted * _MOST_COLD
            if enough and not (waits and self.problem.has_patience()):
                return
            further, late = max(lacking - 1, 0), lacking <= 0
            yield from self.time_at(params, expected_seconds, further=further, waits=late)
            there.append(self.taken[-1])
            if beside is not None and index % _BESIDE == 0:
                short = self.seconds_at(beside)
                yield from self.time_at(beside, short, further=further, waits=late)

    def recorded(
        self, plan: Generator[Request, Sample, PlanResult]
    ) -> Generator[Request, Sample, PlanResult]:
        """Follow another plan, and keep its samples."""
        try:
            request = next(plan)
            while True:
                sample = yield replace(request, later_seconds=self.later_seconds)
                self.taken.append(sample)
                request = plan.send(sample)
        except StopIteration as done:
            found: PlanResult = done.value
            return found

    @property
    def last_seconds(self) -> float:
        """What the last sample took."""
        return self.problem.seconds(self.taken[-1])

    def seconds_at(self, params: Params) -> float:
        """The least that was seen at these params."""
        return min(self.problem.seconds(s) for s in self.taken if s.params == params)

    def solved(self, target_seconds: float | None = None) -> tuple[Fit, Solution | None]:
        """The fit so far, and the solution for the target, where it is within reach."""
        problem = self.problem
        fitted = problem.settle(
            fit(
                problem.knobs,
                problem.lowest,
                self.taken,
                seconds=problem.seconds,
                memory_bytes=problem.memory_bytes,
            )
        )
        try:
            return fitted, solve(
                fitted,
                target_seconds or problem.target_seconds,
                problem.rounding,
                problem.floors,
                problem.strength,
                problem.kept,
            )
        except UnreachableError:
            return fitted, None
