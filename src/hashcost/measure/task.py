"""One hasher on its way from a name to a result: loaded, checked, timed, solved."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import msgspec

from hashcost.core.algorithms import refusal
from hashcost.core.errors import (
    HashcostError,
    UnavailableError,
    UnreachableError,
    UsageError,
    printable,
)
from hashcost.core.model import (
    Failure,
    Knob,
    Notice,
    Params,
    Recommendation,
    Result,
    Rounding,
    Sample,
    Scale,
)
from hashcost.core.units import format_bytes
from hashcost.fit.solver import (
    Fit,
    Floors,
    Seconds,
    cpu_seconds,
    fit,
    no_floors,
    solve,
    wall_seconds,
    widen,
)
from hashcost.hashers.interface import Hasher, ReadyCall, check_known_answers
from hashcost.hashers.registry import Candidate, load_first, one_line
from hashcost.machine.clock import Clock
from hashcost.machine.memory import known_limit
from hashcost.measure import sampler
from hashcost.measure.planning import Effort, Plan, Problem, Request, plan
from hashcost.recommend.recommendation import by_earlier_runs, recommend

PROBE_PASSWORD: Final = b"probe-pass12"
"""Twelve bytes: the time of sha*crypt grows with the password's length."""
PROBE_SALT: Final = b"abcdefghIJKLMOPQ"

_SHARED_MEMORY_SLOWDOWN = 0.25
"""Share of CPU time that a hash in memory may lose to neighbours who leave it no time
at all. With three CPU-bound processes on two cores, waiting 0.7 of the time, scrypt took
7 %, yescrypt 13 % and argon2id 15 % more CPU time (Intel Xeon guest, 2026-11-20)."""


@dataclass(frozen=True, kw_only=True)
class Ask:
    """What the caller asks of every hasher."""

    target_seconds: float
    rounding: Rounding
    effort: Effort
    memory_limit: int | None
    """``None`` if it is unknown: a memory-hard hasher then fails."""
    page_bytes: int | None
    parallelism: int
    floors_of: Callable[[str], Floors | None] = no_floors
    """What the cost of a hasher must not fall short of."""
    visits: Mapping[str, tuple[Params, ...]] = field(default_factory=dict)
    """Costs of a hasher whose memory is timed as well."""


@dataclass(eq=False)
class Task:
    """One hasher on its way from a name to a result.

    Whatever goes wrong with it ends as its ``error`` and leaves the others alone.
    """

    candidates: tuple[Candidate, ...]
    """The implementations that may run it, the preferred one first."""
    ask: Ask
    candidate: Candidate = field(init=False)
    hasher: Hasher | None = None
    knobs: tuple[Knob, ...] = ()
    lowest: Params = field(default_factory=dict)
    plan: Plan | None = None
    request: Request | None = None
    samples: list[Sample] = field(default_factory=list)
    error: HashcostError | None = None
    cut: bool = False
    """Whether the budget ended before the plan did."""
    teaches: bool = False
    """Whether later runs may be judged by this one: by itself it knew its answer well."""

    def __post_init__(self) -> None:
        self.candidate = self.candidates[0]

    @property
    def floors(self) -> Floors | None:
        """What the cost must not fall short of."""
        return self.ask.floors_of(self.candidate.hasher)

    @property
    def threads(self) -> int:
        """Threads that one hash runs in."""
        return 1 if self.hasher is None else self.hasher.threads(self.lowest)

    @property
    def seconds(self) -> Seconds:
        """The time that counts: of a hash in several threads no CPU clock tells the time."""
        return cpu_seconds if self.threads == 1 else wall_seconds

    def load(self) -> None:
        """Load the hasher, compute its known answers, and see which knobs it may turn."""
        with self._failing_alone():
            self.candidate, hasher = load_first(self.candidates)
            check_known_answers(hasher)
            self.hasher = hasher
            self.lowest = _with_lanes(hasher.lowest, self.ask.parallelism)
            self.knobs = _within_memory(
                hasher,
                self.lowest,
                self.ask.memory_limit,
                [params[hasher.knobs[0].name] for params in self._visits()],
            )
            self.lowest = {**self.lowest, **_first_step(self.knobs)}

    def check_tradeable(self) -> None:
        """See that the hasher has memory to trade for passes.

        Raises:
            UsageError: it has not.
        """
        if self.knobs and (self.knobs[0].scale is not Scale.LADDER or len(self.knobs) == 1):
            raise UsageError(
                f"--tradeoff: {self.candidate.hasher} has no memory to trade for passes"
            )

    def lower_steps(self) -> list[Task]:
        """A task for each step of memory below the one that this task has solved for."""
        if self.hasher is None or self.error is not None or not self.samples:
            return []
        ladder, *others = self.knobs
        try:
            solution = solve(self._fit(self.hasher), self.ask.target_seconds, self.ask.rounding)
        except UnreachableError:
            return []
        solved = solution.params[ladder.name]
        return [
            replace(
                self,
                candidates=(self.candidate,),
                knobs=(msgspec.structs.replace(ladder, steps=(step,)), *others),
                lowest={**self.lowest, ladder.name: step},
                samples=[],
            )
            for step in ladder.steps
            if step < solved
        ]

    def start(self, plans: int) -> None:
        """Make the first request."""
        if self.hasher is None or self.error is not None:
            return
        with self._failing_alone():
            self.plan = plan(
                Problem(
                    knobs=self.knobs,
                    lowest=self.lowest,
                    target_seconds=self.ask.target_seconds,
                    rounding=self.ask.rounding,
                    effort=self.ask.effort,
                    seconds=self.seconds,
                    memory_bytes=self.hasher.memory_bytes,
                    plans=plans,
                    floors=self.floors,
                    visits=tuple(
                        params
                        for params in self._visits()
                        if params[self.knobs[0].name] in self.knobs[0].steps
                    ),
                )
            )
            self.request = next(self.plan)
            if self.knobs[0].scale is not Scale.LADDER:
                self._ready().run()

    def _visits(self) -> tuple[Params, ...]:
        """The settings that are timed whatever the target; every other param is as in all."""
        if self.hasher is None or self.hasher.knobs[0].scale is not Scale.LADDER:
            return ()
        names = [knob.name for knob in self.hasher.knobs]
        costs = self.ask.visits.get(self.candidate.hasher, ())
        found = [{name: cost[name] for name in names} for cost in costs if {*names} <= {*cost}]
        return tuple({**self.lowest, **params} for params in _unique(found))

    def take(self, clock: Clock) -> Sample | None:
        """Time the hash that is asked for, and make the next request; none if it fails."""
        request, following = self.request, self.plan
        if request is None or following is None:
            return None
        sample = None
        with self._failing_alone():
            sample = sampler.take(clock, self._ready(), request.params, threads=self.threads)
            self.samples.append(sample)
            try:
                self.request = following.send(sample)
            except StopIteration:
                self.request = None
        return sample

    def result(
        self,
        *,
        drift: float,
        past: Callable[[str, str, Params], tuple[float, ...]],
        clock: Clock,
    ) -> Result:
        """The recommendation that the samples support, or why there is none.

        ``drift`` is what the machine was seen to wander by; ``past`` gives earlier
        runs' seconds per unit for a label, a version and the params held fixed.
        """
        hasher = self.hasher
        if hasher is not None and self.error is None:
            with self._failing_alone():
                alone = self._fit(hasher)
                fitted = widen(
                    alone,
                    max(hasher.drift, drift, self._contention()),
                    lambda model: past(self.candidate.label, hasher.version, model.fixed),
                )
                row = recommend(
                    hasher=hasher.name,
                    implementation=hasher.implementation,
                    version=hasher.version,
                    clock=clock.name if self.threads == 1 else "perf_counter",
                    threads=self.threads,
                    knobs=self.knobs,
                    fitted=fitted,
                    target_seconds=self.ask.target_seconds,
                    rounding=self.ask.rounding,
                    samples=self.samples,
                    floors=self.floors,
                    page_bytes=self.ask.page_bytes,
                )
                self.teaches = any(
                    isinstance(row, Recommendation)
                    and curve.model == row.model
                    and curve.is_telling
                    for curve in alone.curves
                )
                return self._with_cut(by_earlier_runs(row) if self.teaches else row)
        error = self.error or UnavailableError("was not loaded")
        return Failure(
            hasher=self.candidate.hasher,
            implementation=self.candidate.implementation,
            code=error.code,
            error=printable(str(error)),
        )

    def _fit(self, hasher: Hasher) -> Fit:
        return fit(
            self.knobs,
            self.lowest,
            self.samples,
            seconds=self.seconds,
            memory_bytes=hasher.memory_bytes,
        )

    def _contention(self) -> float:
        """How much busy neighbours may have slowed a hash that lives in shared memory."""
        if self.knobs[0].scale is not Scale.LADDER or self.threads > 1:
            return 0.0
        cpu = sum(sample.cpu_seconds for sample in self.samples)
        wall = sum(sample.wall_seconds for sample in self.samples)
        return _SHARED_MEMORY_SLOWDOWN * max(0.0, 1 - cpu / wall) if wall else 0.0

    def _with_cut(self, row: Result) -> Result:
        """The row, saying so when the budget ended before its plan did."""
        if not self.cut or not isinstance(row, Recommendation) or row.confirmed:
            return row
        notice = Notice(
            code="budget",
            message="a hash at this cost did not fit the budget, so none was timed",
            advice="raise --budget",
        )
        return msgspec.structs.replace(row, warnings=(*row.warnings, notice))

    def _ready(self) -> ReadyCall:
        if self.hasher is None or self.request is None:
            raise UnavailableError("was not loaded")
        return self.hasher.ready(PROBE_PASSWORD, PROBE_SALT, self.request.params)

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


def _unique(settings: Sequence[Params]) -> list[Params]:
    """Each setting once, in their order."""
    return [params for index, params in enumerate(settings) if params not in settings[:index]]


def _with_lanes(lowest: Params, parallelism: int) -> Params:
    """The lowest params with so many lanes, where the algorithm has lanes."""
    return {**lowest, "parallelism": parallelism} if "parallelism" in lowest else lowest


def _within_memory(
    hasher: Hasher, lowest: Params, limit: int | None, visits: Sequence[int]
) -> tuple[Knob, ...]:
    """The knobs, with the steps of a ladder that the memory allows, and those to visit.

    Raises:
        UnreachableError: not even the lowest step does, or the limit is unknown.
    """
    ladder, *others = hasher.knobs
    if ladder.scale is not Scale.LADDER:
        return hasher.knobs
    limit = known_limit(limit, f"calibrate {hasher.name}")
    needed = {
        step: hasher.memory_bytes({**lowest, ladder.name: step})
        for step in sorted({*ladder.steps, *visits})
        if ladder.minimum <= step <= ladder.maximum
        and not refusal(hasher.name, {**lowest, ladder.name: step})
    }
    if not needed:
        raise UnreachableError(
            f"no step of its memory has room for {lowest['parallelism']} lanes;"
            " lower --parallelism"
        )
    steps = tuple(step for step, memory in needed.items() if memory <= limit)
    if not steps:
        raise UnreachableError(
            f"its lowest memory is {format_bytes(min(needed.values()))} and"
            f" {format_bytes(limit)} are allowed; raise --memory"
        )
    return (msgspec.structs.replace(ladder, steps=steps), *others)


def _first_step(knobs: Sequence[Knob]) -> Params:
    return {knobs[0].name: knobs[0].steps[0]} if knobs[0].scale is Scale.LADDER else {}
