"""A hasher that is timed for a target: which samples it needs, and what they measure."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import msgspec

from hashcost.core.algorithms import refusal
from hashcost.core.errors import InconclusiveError, UnreachableError, UsageError
from hashcost.core.measurement import Knob, Measurement, Params, Sample
from hashcost.core.units import format_bytes
from hashcost.fit.estimate import Estimate, Shape, Timed, estimate
from hashcost.fit.level import Level
from hashcost.fit.slowdown import Sensitivity, sensitivity_of
from hashcost.fit.solver import Floors, Solution, answer
from hashcost.hashers.interface import Traits
from hashcost.machine.history import Past, hasher_key
from hashcost.machine.memory import known_limit
from hashcost.measure.effort import Effort
from hashcost.measure.plan import SHORT_SECONDS, NextHash, Plan, SamplePlan, Tour
from hashcost.measure.runner import StartRunner
from hashcost.measure.session import Session

_IN_THREADS = Level(quiet=(), error=0.1, own=())
"""No probe on one core tells how busy several are."""


@dataclass(frozen=True, kw_only=True)
class Goal:
    """What is asked of every hasher."""

    target_seconds: float
    effort: Effort
    memory_limit: int | None
    """None if it is unknown: a memory-hard hasher then fails."""
    least_of: Callable[[str], Params | None]
    """The setting below whose memory a hasher is given none."""
    page_bytes: int | None
    parallelism: int
    floors_of: Callable[[str], Floors | None] = lambda _: None
    """The minimums of a hasher: what meets them goes first among the settings that fit."""
    enforce: bool = False
    """Whether the minimums go before the target."""
    visits: Mapping[str, tuple[Params, ...]] = field(default_factory=dict)
    """Costs of a memory-hard hasher that are timed as well."""


@dataclass(eq=False, kw_only=True)
class TargetSession(Session):
    """One hasher that is timed until the cost for a target is known."""

    goal: Goal
    tour: Tour | None = None
    """The costs that are timed in place of those that the target asks for."""
    plan: SamplePlan | None = None
    due: NextHash | None = None
    samples: list[Sample] = field(default_factory=list)
    past: Past = field(default_factory=Past)
    """What earlier runs in this context saw."""
    timed: Timed | None = None
    """What this run leaves for later ones."""
    was_cut: bool = False
    """Whether the budget ended before the plan did."""

    @property
    def expected_seconds(self) -> float:
        """About how long the hash takes that is due."""
        return 0.0 if self.due is None else self.due.expected_seconds

    @property
    def floors(self) -> Floors | None:
        """What the cost must not fall short of."""
        return self.goal.floors_of(self.candidate.hasher)

    @property
    def key(self) -> str:
        """What its times belong to in the history."""
        version = self.runner.traits.version
        return hasher_key(self.candidate.label, version, self.lowest.get("parallelism", 1))

    @property
    def shape(self) -> Shape:
        """What its time depends on."""
        return Shape(
            knobs=self.knobs, lowest=self.lowest, memory_bytes=self.runner.traits.memory_bytes
        )

    @property
    def sensitivity(self) -> Sensitivity:
        """How it slows on a busy core."""
        return sensitivity_of(self.candidate.hasher, self.candidate.implementation)

    def load(self, start: StartRunner) -> None:
        """Start the runner, compute its known answers, and see which knobs it may turn."""
        with self.failing_alone():
            self.candidate, runner = start(self.candidates)
            runner.check()
            self.started, traits = runner, runner.traits
            self.lowest = _with_lanes(traits.lowest, self.goal.parallelism)
            for name, value in self.tour.fixed.items() if self.tour is not None else ():
                if name == traits.knobs[0].name:
                    raise UsageError(f"--params: {name} is what --costs sets; leave it out")
                self.lowest = {**self.lowest, name: value}
            self.knobs = _within_memory(traits, self.lowest, self.goal)
            self.lowest = {**self.lowest, **_first_step(self.knobs)}

    def begin(self) -> None:
        """Ask the plan for its first hash."""
        if not self.works:
            return
        with self.failing_alone():
            self.plan = Plan(
                shape=self.shape,
                target_seconds=self.goal.target_seconds,
                effort=self.goal.effort,
                seconds=self.seconds,
                page_bytes=self.goal.page_bytes or 0,
                solve=self._solved,
                also=self._visits(),
                rungs=self._rungs(),
                tour=self.tour,
                memory_limit=self.goal.memory_limit,
                taken=self.samples,
            ).steps()
            self.due = next(self.plan)
            if not self.knobs[0].is_ladder:
                self.runner.warm_up(self.due.params)

    def take(self) -> None:
        """Time the hash that is due, and ask for the next."""
        due, plan, self.due = self.due, self.plan, None
        if due is None or plan is None:
            return
        with self.failing_alone():
            sample = self.sample(due.params)
            with contextlib.suppress(StopIteration):
                self.due = plan.send(sample)

    def cut(self) -> None:
        """End the plan here: the budget has no time for the hash that is due."""
        self.due, self.was_cut = None, True

    def measurement(self) -> Measurement | None:
        """What the samples say; None, with the reason as ``error``, where they say nothing."""
        found: Measurement | None = None
        if not self.works:
            return None
        with self.failing_alone():
            traits, result = self.runner.traits, self._estimate(self.samples)
            self.timed = result.timed
            self._check_tellable(result)
            found = Measurement(
                hasher=traits.name,
                implementation=traits.implementation,
                implementation_version=traits.version,
                clock=self.clock_name,
                threads=self.threads,
                knobs=self.knobs,
                fitted=result.fitted,
                samples=self._corrected(self.samples),
                shared_factor=result.shared_factor,
                earlier_runs=result.earlier_runs,
                doubt=result.doubt,
                page_bytes=self.goal.page_bytes,
            )
        return found if self.error is None else None

    def _check_tellable(self, result: Estimate) -> None:
        """See that a time was not only read off hashes too short for a clock to tell.

        Raises:
            InconclusiveError: it was, since the budget ended so early.
        """
        longest = max(map(self.seconds, self.samples))
        short = longest < min(SHORT_SECONDS, self.goal.target_seconds) / 4
        if short and self.was_cut and not self.knobs[0].is_ladder and not result.earlier_runs:
            raise InconclusiveError(
                "the budget ran out before a hash was long enough to be timed; name fewer hashers"
            )

    def _estimate(self, samples: Sequence[Sample]) -> Estimate:
        return estimate(
            self.shape,
            self._corrected(samples),
            seconds=self.seconds,
            level=_IN_THREADS if self.threads > 1 else self.watch.level,
            sensitivity=self.sensitivity,
            earlier=self.past.timed(self.key),
            page_bytes=self.goal.page_bytes,
        )

    def _corrected(self, samples: Sequence[Sample]) -> tuple[Sample, ...]:
        level = None if self.threads > 1 else self.watch.level
        return self.watch.corrected(samples, self.sensitivity, level)

    def _solved(self, samples: Sequence[Sample]) -> Solution | None:
        """What the samples so far answer; None if nothing fits the target."""
        hasher, target = self.candidate.hasher, self.goal.target_seconds
        try:
            solved = answer(hasher, self._estimate(samples).fitted, target, self.floors)
        except InconclusiveError:
            return None
        return (solved.required if self.goal.enforce else None) or solved.fitting

    def _rungs(self) -> tuple[Params, ...]:
        """Every step of memory that is allowed, also those that no policy lists."""
        ladder, limit = self.runner.traits.knobs[0], self.goal.memory_limit
        every = [{**self.lowest, ladder.name: step} for step in ladder.steps]
        return tuple(
            params
            for params in every
            if limit is not None
            and self.shape.memory_bytes(params) <= limit
            and not refusal(self.candidate.hasher, params)
        )

    def _visits(self) -> tuple[Params, ...]:
        """The settings that are timed whatever the target, where the memory allows them."""
        names = [knob.name for knob in self.knobs]
        limit = self.goal.memory_limit
        if not self.knobs[0].is_ladder or limit is None:
            return ()
        found: list[Params] = []
        for cost in self.goal.visits.get(self.candidate.hasher, ()):
            if {*names} <= {*cost}:
                params = {**self.lowest, **{name: cost[name] for name in names}}
                if params not in found and self.shape.memory_bytes(params) <= limit:
                    found.append(params)
        return tuple(found)


def _with_lanes(lowest: Params, parallelism: int) -> Params:
    """The lowest params with so many lanes, where the algorithm has lanes."""
    return {**lowest, "parallelism": parallelism} if "parallelism" in lowest else lowest


def _within_memory(traits: Traits, lowest: Params, goal: Goal) -> tuple[Knob, ...]:
    """The knobs, with the steps of a ladder from the least to what the memory allows.

    Raises:
        UnreachableError: not even the lowest step does, or the limit is unknown.
    """
    ladder, *others = traits.knobs
    if not ladder.is_ladder:
        return traits.knobs
    limit = known_limit(goal.memory_limit, f"calibrate {traits.name}")
    least = (goal.least_of(traits.name) or {}).get(ladder.name, 0)
    needed = {
        step: traits.memory_bytes({**lowest, ladder.name: step})
        for step in [step for step in ladder.steps if step >= least] or ladder.steps
        if ladder.minimum <= step <= ladder.maximum
        and not refusal(traits.name, {**lowest, ladder.name: step})
    }
    if not needed:
        raise UnreachableError(
            f"no memory setting has room for {lowest['parallelism']} lanes; lower --parallelism"
        )
    steps = tuple(step for step, memory in needed.items() if memory <= limit)
    if not steps:
        raise UnreachableError(
            f"its lowest memory is {format_bytes(min(needed.values()))} but only"
            f" {format_bytes(limit)} are allowed; raise --memory"
        )
    return (msgspec.structs.replace(ladder, steps=steps), *others)


def _first_step(knobs: Sequence[Knob]) -> Params:
    return {knobs[0].name: knobs[0].steps[0]} if knobs[0].is_ladder else {}
