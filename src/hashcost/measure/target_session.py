"""A hasher that is timed for a target: which samples it needs, and what they measure."""

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import msgspec

from hashcost.core.algorithms import StrengthOf, area_time, refusal
from hashcost.core.errors import InconclusiveError, UnreachableError, UsageError
from hashcost.core.measurement import Curve, Fit, Knob, Measurement, Params, Sample, SeenBy
from hashcost.core.profile import Rounding
from hashcost.core.units import format_bytes
from hashcost.fit.curves import fit
from hashcost.fit.order_statistics import FEWEST_SAMPLES
from hashcost.fit.quiet_speed import Earlier, settle, shared_speed
from hashcost.fit.solver import Floors, no_floors
from hashcost.hashers.interface import Traits
from hashcost.machine.history import Past, PastAnswer, hasher_key
from hashcost.machine.memory import known_limit
from hashcost.measure.count_plan import CountPlan
from hashcost.measure.effort import Effort
from hashcost.measure.memory_plan import MemoryPlan
from hashcost.measure.planning import PROBE_SECONDS, Problem, Request, SamplePlan
from hashcost.measure.runner import StartRunner
from hashcost.measure.session import Session

_SHARED_MEMORY_SLOWDOWN = 0.25
"""Share of CPU time that a hash in memory may lose to neighbours who leave it no time
at all. With three CPU-bound processes on two cores, waiting 0.7 of the time, scrypt took
7 %, yescrypt 13 % and argon2id 15 % more CPU time (Intel Xeon guest, 2026-11-20)."""


@dataclass(frozen=True, kw_only=True)
class Goal:
    """What is asked of every hasher."""

    target_seconds: float
    rounding: Rounding
    effort: Effort
    memory_limit: int | None
    """None if it is unknown: a memory-hard hasher then fails."""
    least_of: Callable[[str], Params | None]
    """The setting below whose memory a hasher is given none."""
    more_memory: str
    """What allows a hash more."""
    page_bytes: int | None
    parallelism: int
    strength_of: StrengthOf = area_time
    """Which of several settings a hasher is given."""
    floors_of: Callable[[str], Floors | None] = no_floors
    """What the cost of a hasher must not fall short of."""
    visits: Mapping[str, tuple[Params, ...]] = field(default_factory=dict)
    """Costs of a hasher that are timed as well, and their memory."""
    every_step: bool = False
    """Whether each step of memory below the answer is to have an answer of its own."""
    targets: tuple[float, ...] = ()
    """Others that are to have answers too."""


@dataclass(eq=False, kw_only=True)
class TargetSession(Session):
    """One hasher that is timed until the cost for a target is known."""

    goal: Goal
    plan: SamplePlan | None = None
    request: Request | None = None
    samples: list[Sample] = field(default_factory=list)
    past: Past = field(default_factory=Past)
    """What earlier runs on this machine saw."""
    own: Fit | None = None
    """What its samples alone say, once they have been fitted."""
    was_cut: bool = False
    """Whether the budget ended before the plan did."""

    @property
    def expected_seconds(self) -> float:
        """About how long the hash takes that is due."""
        return 0.0 if self.request is None else self.request.expected_seconds

    @property
    def floors(self) -> Floors | None:
        """What the cost must not fall short of."""
        return self.goal.floors_of(self.candidate.hasher)

    def load(self, start: StartRunner) -> None:
        """Start the runner, compute its known answers, and see which knobs it may turn."""
        with self.failing_alone():
            self.candidate, runner = start(self.candidates)
            runner.check()
            self.started, traits = runner, runner.traits
            self.lowest = _with_lanes(traits.lowest, self.goal.parallelism)
            self.knobs = _within_memory(
                traits,
                self.lowest,
                self.goal,
                [params[traits.knobs[0].name] for params in (*self._visits(), *self._kept())],
            )
            self.lowest = {**self.lowest, **_first_step(self.knobs)}

    def check_tradeable(self) -> None:
        """See that the hasher has memory to trade for passes.

        Raises:
            UsageError: it has not.
        """
        if self.knobs and (not self.knobs[0].is_ladder or len(self.knobs) == 1):
            raise UsageError(
                f"--tradeoff: {self.candidate.hasher} has no memory setting to trade for"
                f" passes; name scrypt or argon2id"
            )

    def begin(self) -> None:
        """Make the first request."""
        if not self.works:
            return
        with self.failing_alone():
            problem = Problem(
                knobs=self.knobs,
                lowest=self.lowest,
                target_seconds=self.goal.target_seconds,
                rounding=self.goal.rounding,
                effort=self.goal.effort,
                seconds=self.seconds,
                memory_bytes=self.runner.traits.memory_bytes,
                is_settled=lambda: self.watch.is_settled,
                has_patience=lambda: self.watch.has_patience,
                is_known=lambda: self.watch.is_known,
                settle=self.settled,
                floors=self.floors,
                strength=self.goal.strength_of(self.candidate.hasher),
                kept=self.kept,
                visits=tuple(filter(self._has_step, self._visits())),
                every_step=self.goal.every_step,
                targets=self.goal.targets,
            )
            self.plan = plan_for(problem)
            self.request = next(self.plan)
            if not self.knobs[0].is_ladder:
                self.runner.warm_up(self.request.params)

    def take(self) -> None:
        """Time the hash that is due, and make the next request."""
        request, plan, self.request = self.request, self.plan, None
        if request is None or plan is None:
            return
        with self.failing_alone():
            sample = self.sample(request.params)
            self.samples.append(sample)
            with contextlib.suppress(StopIteration):
                self.request = plan.send(sample)

    def cut(self) -> None:
        """End the plan here: the budget has no time for the hash that is due."""
        self.request, self.was_cut = None, True

    def measurement(self) -> Measurement | None:
        """What the samples say; None, with the reason as ``error``, where they say nothing."""
        if not self.works:
            return None
        found: Measurement | None = None
        with self.failing_alone():
            traits, fitted = self.runner.traits, self.fitted()
            settled = self.settled(fitted)
            self._check_tellable(settled)
            self.own = fitted
            found = Measurement(
                hasher=traits.name,
                implementation=traits.implementation,
                implementation_version=traits.version,
                clock=self.clock_name,
                threads=self.threads,
                knobs=self.knobs,
                fitted=settled,
                samples=tuple(self.samples),
                shared=shared_speed(self.samples),
                kept=self.kept,
                page_bytes=self.goal.page_bytes,
            )
        return found if self.error is None else None

    def _check_tellable(self, settled: Fit) -> None:
        """See that a time was not only read off hashes too short for a clock to tell.

        Raises:
            InconclusiveError: it was, since the budget ended so early.
        """
        ladder, seen_by = self.knobs[0].is_ladder, settled.curves[0].seen_by
        if not self.was_cut or ladder or seen_by is SeenBy.EARLIER_RUNS:
            return
        if max(map(self.seconds, self.samples)) < min(PROBE_SECONDS, self.goal.target_seconds):
            raise InconclusiveError(
                "the budget ran out before a hash was long enough to be timed; name fewer hashers"
            )

    def settled(self, fitted: Fit) -> Fit:
        """The fit at the quiet speed, by this run and those before it."""
        drift = max(self.runner.traits.drift, self._contention())
        curves = tuple(map(self._as_remembered, fitted.curves))
        past = list(map(self._earlier, curves))
        return settle(msgspec.structs.replace(fitted, curves=curves), drift, past)

    def _earlier(self, curve: Curve) -> Earlier:
        """What earlier runs know of what this one timed, and of the answer that was kept."""
        key = self.history_key(curve)
        rates, is_lasting = self.past.rates(key), self.past.is_lasting(key)
        if curve.sampled is None or curve.knob is None:
            return Earlier(rates, is_lasting)
        kept = self.kept or curve.params
        further = {*curve.step_seconds, kept[curve.knob.name]} - {curve.sampled, curve.lowest}
        steps = {value: self.past.rates(self._key(curve.at(value))) for value in further}
        return Earlier(
            rates, is_lasting, {value: found for value, found in steps.items() if found}
        )

    def _as_remembered(self, curve: Curve) -> Curve:
        """The curve, told by the setting of those timed that most earlier runs timed as well."""
        if curve.sampled is None:
            return curve
        timed = (curve.sampled, curve.lowest, *curve.step_seconds)
        best = max(timed, key=lambda value: len(self.past.rates(self._key(curve.at(value)))))
        if best == curve.sampled:
            return curve
        return msgspec.structs.replace(curve, sampled=best, relative_interval=None)

    def history_key(self, curve: Curve) -> str:
        """What the curve's time belongs to."""
        return self._key(curve.told[0])

    def _key(self, params: Params) -> str:
        return hasher_key(self.candidate.label, self.runner.traits.version, params)

    @property
    def kept(self) -> Params | None:
        """The setting that an earlier run answered, where its memory is allowed."""
        return next(filter(self._has_step, self._kept()), None)

    def _kept(self) -> tuple[Params, ...]:
        found = self.past.answer(self._key({}), self.goal.target_seconds)
        is_ours = found is not None and found.keys() == self.runner.traits.lowest.keys()
        return (found,) if found is not None and is_ours else ()

    def _has_step(self, params: Params) -> bool:
        ladder = self.knobs[0]
        return params[ladder.name] in ladder.steps

    def answer(self, params: Params) -> PastAnswer:
        """The answer, for later runs to keep."""
        target = self.goal.target_seconds
        return PastAnswer(hasher=self._key({}), target_seconds=target, params=params)

    def quiet_rates(self) -> Iterator[tuple[str, float]]:
        """What told the time of a quiet core in this run, and is known well, for later runs."""
        for curve in () if self.own is None else self.own.curves:
            if curve.seen_by is not SeenBy.THIS_RUN:
                continue
            if curve.sampled is None and curve.relative_interval is not None:
                yield self.history_key(curve), curve.told[1]
            for value in () if curve.sampled is None else (curve.lowest, *curve.step_seconds):
                if self._count_quiet(curve.at(value)) >= FEWEST_SAMPLES:
                    yield self._key(curve.at(value)), curve.seconds(value)

    def _count_quiet(self, params: Params) -> int:
        return sum(each.params == params and not each.shared for each in self.samples)

    def fitted(self) -> Fit:
        """The curves by this run's samples, with what these leave open.

        Raises:
            InconclusiveError: there are none, or the clock saw no time pass.
        """
        return fit(
            self.knobs,
            self.lowest,
            self.samples,
            seconds=self.seconds,
            memory_bytes=self.runner.traits.memory_bytes,
        )

    def _visits(self) -> tuple[Params, ...]:
        """The settings that are timed whatever the target; every other param is as in all."""
        knobs = self.runner.traits.knobs
        if not knobs[0].is_ladder:
            return ()
        names = [knob.name for knob in knobs]
        costs = self.goal.visits.get(self.candidate.hasher, ())
        found = [{name: cost[name] for name in names} for cost in costs if {*names} <= {*cost}]
        return tuple({**self.lowest, **params} for params in _unique(found))

    def _contention(self) -> float:
        """How much busy neighbours may have slowed a hash that lives in shared memory."""
        if not self.knobs[0].is_ladder or self.threads > 1 or not self.spent_wall:
            return 0.0
        return _SHARED_MEMORY_SLOWDOWN * max(0.0, 1 - self.spent_cpu / self.spent_wall)


def plan_for(problem: Problem) -> SamplePlan:
    """Find the cost for the target: probe, sample, solve, confirm."""
    climbs = problem.knobs[0].is_ladder
    return MemoryPlan(problem).steps() if climbs else CountPlan(problem).steps()


def _unique(settings: Sequence[Params]) -> list[Params]:
    """Each setting once, in their order."""
    return [params for index, params in enumerate(settings) if params not in settings[:index]]


def _with_lanes(lowest: Params, parallelism: int) -> Params:
    """The lowest params with so many lanes, where the algorithm has lanes."""
    return {**lowest, "parallelism": parallelism} if "parallelism" in lowest else lowest


def _within_memory(
    traits: Traits, lowest: Params, goal: Goal, visits: Sequence[int]
) -> tuple[Knob, ...]:
    """The knobs, with the steps of a ladder from the least to what the memory allows.

    Those to visit are among them.

    Raises:
        UnreachableError: not even the lowest step does, or the limit is unknown.
    """
    ladder, *others = traits.knobs
    if not ladder.is_ladder:
        return traits.knobs
    limit = known_limit(goal.memory_limit, f"calibrate {traits.name}")
    least = goal.least_of(traits.name) or {}
    needed = {
        step: traits.memory_bytes({**lowest, ladder.name: step})
        for step in sorted({*_from(least.get(ladder.name, 0), ladder.steps), *visits})
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
            f" {format_bytes(limit)} are allowed; {goal.more_memory}"
        )
    return (msgspec.structs.replace(ladder, steps=steps), *others)


def _from(least: int, steps: Sequence[int]) -> Sequence[int]:
    return [step for step in steps if step >= least] or steps


def _first_step(knobs: Sequence[Knob]) -> Params:
    return {knobs[0].name: knobs[0].steps[0]} if knobs[0].is_ladder else {}
