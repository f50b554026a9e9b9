"""One hasher that is timed for a target, and the rounds that time several."""

import contextlib
import dataclasses
import math
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Final

import msgspec

from hashcost.core.algorithms import refusal
from hashcost.core.cpu_limit import CpuLimit
from hashcost.core.errors import (
    HashcostError,
    InconclusiveError,
    UnavailableError,
    UnreachableError,
    UsageError,
)
from hashcost.core.machine import BY_MALLOC, Machine
from hashcost.core.measurement import Knob, Measurement, Params, Sample, Timed
from hashcost.core.profile import Failure
from hashcost.core.progress import Advance, Progress, Stage, within
from hashcost.core.text import printable
from hashcost.core.units import format_bytes
from hashcost.fit.estimate import Estimate, estimate
from hashcost.fit.level import Level
from hashcost.fit.model import Seconds, Shape
from hashcost.fit.slowdown import sensitivity_of
from hashcost.fit.solver import Floors, Solution, solve
from hashcost.hashers.interface import Hasher, check_known_answers
from hashcost.hashers.registry import Candidate, load_first, one_line
from hashcost.machine.clock import Clock
from hashcost.machine.history import Past, hasher_key
from hashcost.machine.host import Host
from hashcost.machine.memory import known_limit
from hashcost.measure import sampler
from hashcost.measure.core_watch import CoreReadings, CoreWatch
from hashcost.measure.plan import SHORT_SECONDS, NextHash, Plan, SamplePlan, SweepPlan
from hashcost.measure.request import Request
from hashcost.measure.runner import Runner, runner_of
from hashcost.strength.appraisal import floors_of
from hashcost.strength.policies.catalogue import least_listed

_REPORT_SECONDS: Final = 0.1
"""Seconds between two looks at how far a run is: they take longer than a hash."""
_IN_THREADS = Level(quiet=(), error=0.1, own=())
"""Level for hashes of several threads: a probe on one core cannot show how busy several are."""


@dataclass(eq=False, kw_only=True)
class Session:
    """One hasher that is timed until the cost for a target is known.

    Its errors do not affect other sessions.
    """

    candidates: tuple[Candidate, ...]
    """The implementations that may run it, the preferred one first."""
    request: Request
    machine: Machine
    """The machine that hashes."""
    memory_limit: int | None
    """Bytes of one hash; `None` if unknown, so that memory-hard hashers fail."""
    readings: CoreReadings
    past: Past = field(default_factory=Past)
    """Earlier runs in this context."""
    warm_pages: Callable[[int], None] = lambda _: None
    """Make huge pages for so many bytes quick to get."""
    candidate: Candidate = field(init=False)
    runner: Runner = field(init=False)
    """Set if the hasher is loaded here."""
    hasher: Hasher = field(init=False)
    clock_name: str = field(init=False)
    drift: float = 0.0
    """How far fresh processes disagree; see `Runner`."""
    threads: int = 1
    """Threads that one hash runs in."""
    knobs: tuple[Knob, ...] = ()
    lowest: Params = field(default_factory=dict)
    plan: SamplePlan | None = None
    due: NextHash | None = None
    samples: list[Sample] = field(default_factory=list)
    timed: Timed | None = None
    """The times of this run, for later ones."""
    was_cut: bool = False
    """Whether the budget ended before the plan did."""
    error: HashcostError | None = None

    def __post_init__(self) -> None:
        self.candidate = self.candidates[0]

    @property
    def seconds(self) -> Seconds:
        """The time that counts: CPU time, or wall time for a hash of several threads."""
        if self.threads == 1:
            return lambda sample: sample.cpu_seconds
        return lambda sample: sample.wall_seconds

    @property
    def cpu_limit(self) -> CpuLimit | None:
        """The CPU quota that stops one hash."""
        return self.machine.limit_on(self.threads)

    @property
    def target_seconds(self) -> float:
        """The longest hash for which a login waits no longer than the requested target."""
        target = self.request.target_seconds
        if self.cpu_limit is None:
            return target
        return self.cpu_limit.fitting(target)

    @property
    def sweep_plan(self) -> SweepPlan | None:
        """The costs that are timed in place of those that the target asks for."""
        return self.request.sweep_plans.get(self.candidates[0].label)

    @property
    def floors(self) -> Floors | None:
        """The minimums of the cost."""
        return floors_of(self.request.policies, self.candidate.hasher)

    @property
    def key(self) -> str:
        """The key of the times in the history."""
        parallelism = self.lowest.get("parallelism", 1)
        return hasher_key(self.candidate.label, self.hasher.version, parallelism)

    @property
    def shape(self) -> Shape:
        """The knobs and the memory that the time depends on."""
        return Shape(
            knobs=self.knobs,
            lowest=self.lowest,
            memory_bytes=self.hasher.memory_bytes,
            page_bytes=self.machine.page_bytes or 0,
        )

    def load(self, clock: Clock) -> None:
        """Load the first hasher that is available, and compute its known answers.

        The clock times hashes in this process.
        """
        with self.failing_alone():
            self.candidate, hasher = load_first(self.candidates)
            # A hasher that is wrong may be quick.
            check_known_answers(hasher)
            self.runner = runner_of(hasher, clock)
            self.drift = self.runner.drift
            self.adopt(hasher, self.runner.clock_name)

    def adopt(self, hasher: Hasher, clock_name: str) -> None:
        """Find the knobs that this hasher may turn; its samples are on the clock of that name."""
        self.hasher = hasher
        self.clock_name = clock_name
        fixed = {}
        if self.sweep_plan is not None:
            fixed = self.sweep_plan.fixed
        turned = hasher.knobs[0].name
        if turned in fixed:
            raise UsageError(f"--params: {turned} is what --costs sets; leave it out")
        self.lowest = dict(hasher.lowest)
        if "parallelism" in self.lowest:
            self.lowest["parallelism"] = self.request.parallelism or 1
        self.lowest.update(fixed)
        self.threads = hasher.threads(self.lowest)
        self.knobs = tuple(_kept(knob, fixed) for knob in self._within_memory())
        ladder = self.knobs[0]
        # The lowest step within the limits may lie above the hasher's own.
        if ladder.is_ladder:
            self.lowest = {**self.lowest, ladder.name: ladder.steps[0]}

    def prepare(self, progress: Advance) -> None:
        """Warm up the runner, and report the share that is done."""
        if self.error is None:
            with self.failing_alone():
                self.runner.prepare(progress)

    def begin(self) -> None:
        """Ask the plan for its first hash."""
        if self.error is not None:
            return
        with self.failing_alone():
            self.plan = Plan(
                shape=self.shape,
                target_seconds=self.target_seconds,
                effort=self.request.effort,
                seconds=self.seconds,
                solve=self._solved,
                may_be_shared=self._may_be_shared,
                also=self._extra_costs(),
                memory_settings=self._memory_settings(),
                sweep_plan=self.sweep_plan,
                memory_limit=self.memory_limit,
                taken=self.samples,
            ).steps()
            self.due = next(self.plan)
            if not self.knobs[0].is_ladder:
                self.runner.sample(self.due.params)  # The first of anything is slow.

    def take(self, watch: CoreWatch) -> None:
        """Time the hash that is due between two readings, and ask for the next."""
        due = self.due
        plan = self.plan
        # If the hash fails, no further one is due.
        self.due = None
        if due is None or plan is None:
            return
        with self.failing_alone():
            is_memory_hard = self.shape.is_memory_hard
            if is_memory_hard and self.machine.gives_huge_pages(self.candidate.implementation):
                self.warm_pages(self.shape.memory_bytes(due.params))
            sample = watch.sample(lambda: self.runner.sample(due.params), in_memory=is_memory_hard)
            # The quota stops all lanes at once, and the wait for that is told apart.
            if self.threads > 1 and self.cpu_limit is not None:
                unstopped = min(sample.wall_seconds, sample.cpu_seconds / self.cpu_limit.threads)
                sample = msgspec.structs.replace(sample, wall_seconds=unstopped)
            with contextlib.suppress(StopIteration):
                self.due = plan.send(sample)

    def cut(self) -> None:
        """End the plan: the budget has no time for the hash that is due."""
        self.due = None
        self.was_cut = True

    def failure(self) -> Failure:
        """Why there is no result."""
        error = self.error or UnavailableError("could not be loaded")
        return Failure(
            hasher=self.candidate.hasher,
            implementation=self.candidate.implementation,
            code=error.code,
            error=printable(str(error)),
        )

    @contextlib.contextmanager
    def failing_alone(self) -> Iterator[None]:
        """Keep an exception as this session's error; wrong use is left to the caller."""
        try:
            yield
        except UsageError:
            raise
        except HashcostError as error:
            self.error = error
        except (Exception, SystemExit) as error:
            # A hashing library may raise anything at all.
            self.error = UnavailableError(f"failed: {one_line(error)}")
            self.error.__cause__ = error

    def measurement(self) -> Measurement | None:
        """Fit the samples. Returns `None`, with the reason as ``error``, if that fails."""
        if self.error is None:
            with self.failing_alone():
                result, samples = self._estimate()
                self.timed = result.timed
                self._check_tellable(result)
                clock = self.clock_name
                # The CPU time of several threads adds up, and nobody waits for the sum.
                if self.threads > 1:
                    clock = "perf_counter"
                return Measurement(
                    hasher=self.hasher.name,
                    implementation=self.hasher.implementation,
                    implementation_version=self.hasher.version,
                    clock=clock,
                    threads=self.threads,
                    knobs=self.knobs,
                    fitted=result.fitted,
                    samples=samples,
                    shared_factor=result.shared_factor,
                    earlier_runs=result.earlier_runs,
                    doubt=result.doubt,
                    page_bytes=self.machine.page_bytes,
                    cpu_limit=self.cpu_limit,
                )
        return None

    def _check_tellable(self, result: Estimate) -> None:
        """Check that some hash was long enough for the clock.

        Raises:
            InconclusiveError: the budget ended before one was.
        """
        longest = max(map(self.seconds, self.samples))
        short = longest < min(SHORT_SECONDS, self.target_seconds) / 4
        if short and self.was_cut and not self.knobs[0].is_ladder and not result.earlier_runs:
            raise InconclusiveError(
                "the budget ran out before a hash was long enough to be timed; name fewer hashers"
            )

    def _estimate(self) -> tuple[Estimate, tuple[Sample, ...]]:
        """Fit the samples so far, and return them with their slowdowns."""
        sensitivity = sensitivity_of(self.candidate.hasher, self.candidate.implementation)
        level = self.readings.level
        if self.threads > 1:
            samples = tuple(self.samples)
            at_once = min(self.threads, self.machine.cpu_count)
            level = dataclasses.replace(_IN_THREADS, waited=_waited(samples, at_once))
        else:
            samples = self.readings.corrected(self.samples, sensitivity, level)
        result = estimate(
            self.shape,
            samples,
            seconds=self.seconds,
            level=level,
            sensitivity=sensitivity,
            drift=self.drift,
            earlier=self.past.timed(self.key),
            # A quota is no neighbour that leaves: a hash stays as slow as it is in this group.
            stays_shared=self.cpu_limit is not None,
            by_malloc=self.candidate.implementation in BY_MALLOC,
        )
        surface = result.fitted.surface
        if surface is not None:
            is_given = self.machine.gives_huge_pages(self.candidate.implementation)
            surface = msgspec.structs.replace(surface, huge_pages=is_given)
            fitted = msgspec.structs.replace(result.fitted, surface=surface)
            result = dataclasses.replace(result, fitted=fitted)
        return result, samples

    def _solved(self) -> Solution | None:
        """The answer by the samples so far, timed or not; `None` if nothing fits the target."""
        try:
            result, _ = self._estimate()
        except InconclusiveError:
            return None
        hasher = self.candidate.hasher
        solved = solve(hasher, result.fitted, self.target_seconds, self.floors)
        if self.request.enforce and solved.required is not None:
            return solved.required
        return solved.fitting

    def _may_be_shared(self) -> bool:
        level = self.readings.level
        return level is not None and level.may_be_shared

    def _memory_settings(self) -> tuple[Params, ...]:
        """The settings of every step of memory within the limit, including unlisted ones."""
        ladder = self.hasher.knobs[0]
        memory_settings = ({**self.lowest, ladder.name: step} for step in ladder.steps)
        hasher = self.candidate.hasher
        return tuple(
            setting
            for setting in memory_settings
            if self._has_room(setting) and not refusal(hasher, setting)
        )

    def _extra_costs(self) -> tuple[Params, ...]:
        """The settings to time whatever the target, within the memory limit."""
        if not self.knobs[0].is_ladder:
            return ()
        extra_costs = []
        for cost in self.request.extra_costs.get(self.candidate.hasher, ()):
            if not all(knob.name in cost for knob in self.knobs):
                continue
            params = dict(self.lowest)
            for knob in self.knobs:
                params[knob.name] = cost[knob.name]
            if params not in extra_costs and self._has_room(params):
                extra_costs.append(params)
        return tuple(extra_costs)

    def _within_memory(self) -> tuple[Knob, ...]:
        """The knobs, with the steps of a ladder from the least that is considered up to the limit.

        Raises:
            UnreachableError: even the lowest step is beyond the limit, or the limit is unknown.
        """
        hasher, lowest = self.hasher, self.lowest
        ladder, *others = hasher.knobs
        if not ladder.is_ladder:
            return hasher.knobs
        limit = known_limit(self.memory_limit, f"calibrate {hasher.name}")
        least = 0
        # Less memory than any policy lists is used only on request.
        if self.request.memory_bytes is None:
            listed = least_listed(hasher.name) or {}
            least = listed.get(ladder.name, 0)
        considered = [step for step in ladder.steps if step >= least]
        needed = {}
        for step in considered or ladder.steps:
            params = {**lowest, ladder.name: step}
            if ladder.allows(step) and not refusal(hasher.name, params):
                needed[step] = hasher.memory_bytes(params)
        if not needed:
            raise UnreachableError(
                f"no memory setting has room for {lowest['parallelism']} lanes;"
                " lower --parallelism"
            )
        steps = tuple(step for step, memory in needed.items() if memory <= limit)
        if not steps:
            raise UnreachableError(
                f"its lowest memory is {format_bytes(min(needed.values()))} but only"
                f" {format_bytes(limit)} are allowed; raise --memory"
            )
        return (msgspec.structs.replace(ladder, steps=steps), *others)

    def _has_room(self, params: Params) -> bool:
        limit = self.memory_limit
        return limit is not None and self.shape.memory_bytes(params) <= limit


def _waited(samples: Sequence[Sample], at_once: int) -> float:
    """How much longer the hashes took than if no thread had waited for a CPU, in logarithms.

    Of so many threads at once, none takes less than an equal share of their CPU time.
    """
    wall = math.fsum(sample.wall_seconds for sample in samples)
    cpu = math.fsum(sample.cpu_seconds for sample in samples)
    # The clock may be too coarse to see any CPU time.
    least = cpu / at_once or wall / at_once
    return max(math.log(wall / least), 0.0)


def _kept(knob: Knob, fixed: Params) -> Knob:
    """The knob, with only the fixed value if it has one."""
    value = fixed.get(knob.name)
    if value is None:
        return knob
    return msgspec.structs.replace(knob, minimum=value, maximum=value)


def warm_up(sessions: Sequence[Session], progress: Progress | None) -> None:
    """Warm up every runtime that compiles while it runs; this does not use up the budget."""
    for done, session in enumerate(sessions):
        begins, ends = done / len(sessions), (done + 1) / len(sessions)
        session.prepare(within(progress, f"warming up {session.candidate.label}", begins, ends))


def on_one_core(sessions: Sequence[Session], host: Host) -> AbstractContextManager[None]:
    """Pin the hashing threads of other processes to the core that is watched.

    Nothing is pinned if a hash runs in several threads, which need several cores.
    """
    if any(session.threads > 1 for session in sessions):
        return contextlib.nullcontext()
    elsewhere: set[int] = set()
    for session in sessions:
        if session.error is None:
            elsewhere.update(session.runner.threads_here())
    return host.on_one_core(elsewhere)


def take_turns(
    sessions: Sequence[Session],
    watch: CoreWatch,
    budget_seconds: float,
    progress: Progress | None = None,
) -> None:
    """Time one hash of each unfinished session per round, each round in a new random order.

    So a disturbance of the machine falls on all hashers alike. The budget is wall time since the
    watch was started; a hash that would end beyond it is not begun.
    """
    shuffle = random.Random().shuffle
    reported = -math.inf

    with sampler.undisturbed():
        while turns := [(session, session.due) for session in sessions if session.due is not None]:
            shuffle(turns)
            for session, due in turns:
                if watch.elapsed + due.expected_seconds * _waiting(sessions) > budget_seconds:
                    session.cut()
                    continue
                session.take(watch)
                # To write a report takes time from the hashes.
                is_time = watch.elapsed - reported >= _REPORT_SECONDS
                # Before every hasher was timed once, the time left is a guess.
                is_known = all(session.due is None or session.samples for session in sessions)
                if progress is not None and is_time and is_known:
                    reported = watch.elapsed
                    progress(_timing(sessions, watch, budget_seconds))
    if progress is not None:
        progress(_timing(sessions, watch, budget_seconds))


def _timing(sessions: Sequence[Session], watch: CoreWatch, budget_seconds: float) -> Stage:
    hashes = []
    may_wait = False
    for session in sessions:
        if session.due is None:
            continue
        hashes += [session.due.expected_seconds, *session.due.later]
        # A plan goes on while the core may have been shared all the time; a sweep does not.
        if session.sweep_plan is None:
            may_wait = True
    elapsed = watch.elapsed
    hashing = math.fsum(hashes) * _waiting(sessions)
    between = len(hashes) * _between(sessions, elapsed)
    left = hashing + between
    if may_wait:
        left = max(left, watch.shared_seconds)
    left = min(left, max(budget_seconds - elapsed, 0.0))
    fraction = elapsed / max(elapsed + left, 1e-9)
    return Stage(phase="timing hashes", fraction=fraction, seconds_left=left)


def _between(sessions: Sequence[Session], elapsed: float) -> float:
    """Wall time from the end of a hash to the next: readings of the core, and the plan's own."""
    samples = [sample for session in sessions for sample in session.samples]
    if not samples:
        return 0.0
    began = min(sample.at_seconds for sample in samples)
    hashing = math.fsum(sample.wall_seconds for sample in samples)
    return max(elapsed - began - hashing, 0.0) / len(samples)


def _waiting(sessions: Sequence[Session]) -> float:
    """Wall time per CPU time so far: busy neighbours make a round longer."""
    samples = [sample for session in sessions for sample in session.samples]
    cpu = sum(sample.cpu_seconds for sample in samples)
    # A coarse clock may have seen no CPU time yet.
    if not cpu:
        return 1.0
    wall = sum(sample.wall_seconds for sample in samples)
    # A hash in several threads takes more CPU time than wall time.
    return max(1.0, wall / cpu)
