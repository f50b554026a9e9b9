"""What to time next, for one hasher. Pure: it asks for samples and is sent them.

A plan is a generator that yields requests; whoever drives it times them, many
plans in turn, and sends each sample back. So hashers share whatever the machine
does meanwhile, and a plan can be tested without a clock.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from hashcost.core.errors import InconclusiveError, UnreachableError
from hashcost.core.model import Knob, Params, Rounding, Sample, Scale
from hashcost.fit.solver import (
    DISAGREEMENT,
    Fit,
    Floors,
    Seconds,
    Solution,
    fit,
    meeting,
    solve,
    work,
)

_ANCHOR_SAMPLES = 3
_PROBE_SECONDS = 2e-3
_GROWTH = 4

_AIM = 0.4
"""A ladder is first climbed to the step that is expected to take this share of the
target: time grows faster than memory does, and a step too far is a costly sample."""
_FAR_BEYOND = 1.15
"""A step that takes this many targets is out of reach, even if its first hash was cold."""
_MOST_ATTEMPTS = 3
_MOST_SAMPLES = 500
"""A clock that hardly moves would have patience without end."""
_FRESH_PAGES = 256
"""A mebibyte of pages more than another hash was given makes a hash a cold one."""
_MOST_TO_SETTLE = 4
_SETTLED = 0.05
"""An allocator hands out fresh pages for the first one to three hashes of a size, and
such a hash takes up to twice as long."""


@dataclass(frozen=True, kw_only=True)
class Effort:
    """How much to measure.

    ``samples`` hashes of about ``sample_seconds`` each (a quarter of the target
    where that is shorter) carry the fit; ``confirmations`` are timed at the
    solved cost; ``brackets`` says whether the step above is timed too. Of a
    hasher that climbs a ladder, ``ladder_samples`` are timed at the solved cost.
    Where these leave much open, all hashers together are sampled until they no
    longer do, or for ``patience_seconds``.
    """

    samples: int
    sample_seconds: float
    confirmations: int
    brackets: bool
    ladder_samples: int
    patience_seconds: float
    least_seconds: float = 0.0
    """All hashers together are sampled for at least this long, to cover slow drift."""


FAST: Final = Effort(
    samples=9,
    sample_seconds=5e-3,
    confirmations=1,
    brackets=False,
    ladder_samples=6,
    patience_seconds=1.5,
)
NORMAL: Final = Effort(
    samples=12,
    sample_seconds=8e-3,
    confirmations=1,
    brackets=True,
    ladder_samples=6,
    patience_seconds=5.0,
)
PRECISE: Final = Effort(
    samples=72,
    sample_seconds=10e-3,
    confirmations=5,
    brackets=True,
    ladder_samples=18,
    patience_seconds=20.0,
    least_seconds=10.0,
)


@dataclass(frozen=True, kw_only=True)
class Problem:
    """What a plan is to solve.

    ``seconds`` says which time of a sample counts; ``memory_bytes`` what params
    take; ``plans`` is how many run in turn and share the effort's least time. Of
    ``floors`` that the target does not reach, the time is found as well, and on a
    ladder that of the settings in ``visits`` and of their memory.
    """

    knobs: tuple[Knob, ...]
    lowest: Params
    target_seconds: float
    rounding: Rounding
    effort: Effort
    seconds: Seconds
    memory_bytes: Callable[[Params], int]
    plans: int = 1
    floors: Floors | None = None
    visits: tuple[Params, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Request:
    """Time one hash at ``params``; it is expected to take this long."""

    params: Params
    expected_seconds: float


Plan: TypeAlias = Generator[Request, Sample, None]


def plan(problem: Problem) -> Plan:
    """Find the cost for the target: probe, sample, solve, confirm."""
    if problem.knobs[0].scale is Scale.LADDER:
        return _LadderPlan(problem).steps()
    return _LinePlan(problem).steps()


@dataclass(eq=False)
class _Samples:
    """The samples so far, and how more of them are asked for."""

    problem: Problem
    taken: list[Sample] = field(default_factory=list)

    def time_at(self, params: Params, expected_seconds: float) -> Plan:
        """Ask for one sample."""
        self.taken.append((yield Request(params=params, expected_seconds=expected_seconds)))

    def sample(self, params: Params, expected_seconds: float, enough: Callable[[], bool]) -> Plan:
        """Ask for samples until there are enough, and for more while they tell too little."""
        effort, plans = self.problem.effort, self.problem.plans
        spent, count = 0.0, 0
        while (
            not enough()
            or spent < effort.least_seconds / plans
            or (
                spent < effort.patience_seconds / plans
                and count < _MOST_SAMPLES
                and not self._tell_of(params)
            )
        ):
            yield from self.time_at(params, expected_seconds)
            spent += self.taken[-1].wall_seconds
            count += 1

    def _tell_of(self, params: Params) -> bool:
        """Whether the samples so far leave little open at the memory of these params."""
        fixed = {knob.name for knob in self.problem.knobs if knob.scale is Scale.LADDER}
        try:
            curves = self.solved()[0].curves
        except InconclusiveError:
            return False
        return any(
            curve.is_telling and all(curve.params[name] == params[name] for name in fixed)
            for curve in curves
        )

    @property
    def last_seconds(self) -> float:
        """What the last sample took."""
        return self.problem.seconds(self.taken[-1])

    def seconds_at(self, params: Params) -> float:
        """The least that was seen at these params."""
        return min(self.problem.seconds(s) for s in self.taken if s.params == params)

    def solved(self) -> tuple[Fit, Solution | None]:
        """The fit so far, and the solution, where the target is within reach."""
        problem = self.problem
        fitted = fit(
            problem.knobs,
            problem.lowest,
            self.taken,
            seconds=problem.seconds,
            memory_bytes=problem.memory_bytes,
        )
        try:
            return fitted, solve(fitted, problem.target_seconds, problem.rounding, problem.floors)
        except UnreachableError:
            return fitted, None


class _LinePlan(_Samples):
    """A parameter whose time is a line, or doubles: sampled low, confirmed where it counts."""

    def steps(self) -> Plan:
        """Probe, sample, confirm."""
        problem, effort, knob = self.problem, self.problem.effort, self.problem.knobs[0]
        for _ in range(_ANCHOR_SAMPLES):
            yield from self.time_at(problem.lowest, 0.0)
        value = problem.lowest[knob.name]
        while (seconds := self.seconds_at(self._at(value))) < _PROBE_SECONDS:
            if value == knob.maximum:
                break
            value = _grown(knob, value)
            for _ in range(2):
                yield from self.time_at(self._at(value), seconds * _GROWTH)
        if seconds <= 0:
            return  # The clock saw no time pass; the fit says so.
        sampled = _value_near(
            knob,
            seconds / work(knob.scale, value),
            min(
                problem.target_seconds,
                max(_PROBE_SECONDS, problem.target_seconds / 4),
                effort.sample_seconds,
            ),
        )
        expected = seconds * work(knob.scale, sampled) / work(knob.scale, value)
        wanted = len(self.taken) + effort.samples
        yield from self.sample(self._at(sampled), expected, lambda: len(self.taken) >= wanted)
        yield from self._confirm()

    def _at(self, value: int) -> Params:
        return {**self.problem.lowest, self.problem.knobs[0].name: value}

    def _confirm(self) -> Plan:
        """Time the solved cost itself, and again where the model turns out wrong."""
        effort, knob = self.problem.effort, self.problem.knobs[0]
        confirmed: set[int] = set()
        while len(confirmed) < _MOST_ATTEMPTS:
            _, solution = self.solved()
            if solution is None or solution.value in confirmed:
                return
            confirmed.add(solution.value)
            wanted, taken = effort.confirmations, 0
            while taken < wanted:
                yield from self.time_at(solution.params, solution.seconds)
                taken += 1
                if (
                    taken == wanted
                    and abs(self.last_seconds / solution.seconds - 1) > DISAGREEMENT
                ):
                    wanted = max(wanted, 3)
            if knob.scale is Scale.LOG2 and effort.brackets and solution.value < knob.maximum:
                above = solution.value + 1
                yield from self.time_at(self._at(above), solution.curve.seconds(above))


class _LadderPlan(_Samples):
    """Memory in steps, each measured itself; then another parameter fills the time left."""

    def steps(self) -> Plan:
        """Climb, then sample where the climb ends.

        A floor's memory comes last, unless it may be the answer: what ends the budget
        there costs the answer nothing.
        """
        floors = self.problem.floors
        yield from self._climb()
        yield from self._visit_steps()
        if floors is not None and floors.enforced:
            yield from self._visit_floor()
        yield from self._answer()
        if floors is not None and not floors.enforced:
            yield from self._visit_floor()
            yield from self._answer()

    def _answer(self) -> Plan:
        """Sample what the samples so far lead to, until they lead nowhere else."""
        settled: list[Params] = []
        while len(settled) < _MOST_ATTEMPTS:
            _, solution = self.solved()
            if solution is None:
                return
            above = self._rung_above(solution)
            at_lowest = solution.curve.params
            if (
                above is not None
                and solution.seconds <= self.problem.target_seconds
                and not self._count(above)
                and self._count(at_lowest)
                and self._may_fit(at_lowest, above)
            ):
                yield from self._settle(above, solution.seconds)
                continue
            if self._count(solution.params) < 2:
                yield from self._settle(solution.params, solution.seconds)
                continue
            if solution.params in settled:
                return
            settled.append(solution.params)
            yield from self._fill(solution)

    def _fill(self, solution: Solution) -> Plan:
        """Sample the solved setting as often as its interval needs."""
        wanted = self.problem.effort.ladder_samples
        yield from self.sample(
            solution.params,
            solution.seconds,
            lambda: self._count_warm(solution.params) >= wanted,
        )

    def _settle(self, params: Params, expected_seconds: float) -> Plan:
        """Time a setting until two hashes in a row agree: the first pay for fresh memory."""
        yield from self.time_at(params, expected_seconds)
        for _ in range(_MOST_TO_SETTLE):
            before = self.last_seconds
            if before > self.problem.target_seconds * _FAR_BEYOND:
                return
            yield from self.time_at(params, before)
            if abs(self.last_seconds / before - 1) <= _SETTLED:
                return

    def _rung_above(self, solution: Solution) -> Params | None:
        """The next step of memory, which has to be timed before the one below is final."""
        ladder = self.problem.knobs[0]
        index = ladder.steps.index(solution.params[ladder.name]) + 1
        if index == len(ladder.steps):
            return None
        return {**self.problem.lowest, ladder.name: ladder.steps[index]}

    def _may_fit(self, below: Params, above: Params) -> bool:
        """Whether a step may meet the target, judged by the one below.

        Time grows no slower than memory does, so a step that misses the target by that
        alone is not timed: its memory would be all that it costs. Unless it is the
        answer, rounded up.
        """
        if self.problem.rounding is not Rounding.DOWN:
            return True
        growth = self.problem.memory_bytes(above) / self.problem.memory_bytes(below)
        least = self.seconds_at(below) * growth
        return least <= self.problem.target_seconds * (1 + DISAGREEMENT)

    def _visit_floor(self) -> Plan:
        """Time the memory of a floor that is not reached; nothing timed would tell of it."""
        floors, ladder = self.problem.floors, self.problem.knobs[0]
        fitted, solution = self.solved()
        if floors is None or meeting(fitted, floors):
            return
        if not floors.enforced if solution is None else floors.is_met(solution.params):
            return
        for least in floors.alternatives:
            steps = [step for step in ladder.steps if step >= least.get(ladder.name, 0)]
            if steps and floors.is_met({**self.problem.lowest, **least, ladder.name: steps[0]}):
                yield from self._visit(steps[0])
                return

    def _visit_steps(self) -> Plan:
        """Time the settings that were asked for: their memory, then each of them itself.

        A first pass takes another time than those that follow, so that the time of a
        setting is not a multiple of its memory's.
        """
        for params in self.problem.visits:
            step = params[self.problem.knobs[0].name]
            yield from self._visit(step)
            if self._count(params):
                continue
            known = (
                curve.seconds(params[curve.model.parameter])
                for curve in self.solved()[0].curves
                if curve.at(params[curve.model.parameter]) == params
            )
            yield from self._settle(params, next(known, 0.0))

    def _visit(self, step: int) -> Plan:
        """Time a step of memory that the climb did not."""
        rung = {**self.problem.lowest, self.problem.knobs[0].name: step}
        if not self._count(rung):
            highest = self.solved()[0].curves[-1]
            growth = self.problem.memory_bytes(rung) / highest.memory_bytes
            yield from self._settle(rung, highest.seconds(highest.lowest) * growth)

    def _count(self, params: Params) -> int:
        return sum(sample.params == params for sample in self.taken)

    def _count_warm(self, params: Params) -> int:
        """Hashes there that were given hardly more fresh pages than the luckiest of them."""
        faults = [sample.page_faults for sample in self.taken if sample.params == params]
        few = min(faults, default=0) + _FRESH_PAGES
        return sum(count <= few for count in faults)

    def _climb(self) -> Plan:
        """Measure steps until one fits the target and the next does not."""
        problem = self.problem
        rungs: list[Params] = [
            {**problem.lowest, problem.knobs[0].name: step} for step in problem.knobs[0].steps
        ]
        memory = [problem.memory_bytes(params) for params in rungs]
        yield from self._settle(rungs[0], 0.0)
        first = self.seconds_at(rungs[0])
        if first > problem.target_seconds or len(rungs) == 1:
            return
        rung = max(1, _rung_near(memory, first, problem.target_seconds * _AIM))
        rising = True
        while not any(sample.params == rungs[rung] for sample in self.taken):
            yield from self._settle(rungs[rung], first * memory[rung] / memory[0])
            if self.seconds_at(rungs[rung]) > problem.target_seconds:
                rising = False
                rung -= 1
            elif rising and rung + 1 < len(rungs) and self._may_fit(rungs[rung], rungs[rung + 1]):
                rung += 1


def _grown(knob: Knob, value: int) -> int:
    grown = value * _GROWTH if knob.scale is Scale.LINEAR else value + _GROWTH.bit_length() - 1
    return min(grown, knob.maximum)


def _value_near(knob: Knob, unit_seconds: float, seconds: float) -> int:
    """The legal value whose hash takes about this long, or on a log2 scale just less."""
    units = max(seconds / unit_seconds, 1.0)
    value = int(units) if knob.scale is Scale.LINEAR else int(units).bit_length() - 1
    return min(max(value, knob.minimum), knob.maximum)


def _rung_near(memory_bytes: Sequence[int], first_seconds: float, seconds: float) -> int:
    """The highest rung expected to take at most this long, if time grew as memory does."""
    expected = [first_seconds * memory / memory_bytes[0] for memory in memory_bytes]
    return max(
        (index for index, guess in enumerate(expected) if guess <= seconds),
        default=0,
    )
