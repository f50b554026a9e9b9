"""A hasher that is timed over a range of costs: called cold, checked, probed, timed, fitted."""

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import msgspec

from hashcost.core.algorithms import work_ratio
from hashcost.core.cost_expressions import parse_params
from hashcost.core.errors import HashcostError, UnreachableError, UsageError
from hashcost.core.measurement import CostModel, Knob, Params, Sample, work
from hashcost.core.profile import Failure
from hashcost.core.units import format_bytes, format_duration, format_pairs, format_setting
from hashcost.fit.slowdown import sensitivity_of
from hashcost.hashers.built_in import DEFAULTS, Default
from hashcost.hashers.interface import Traits
from hashcost.hashers.registry import one_line
from hashcost.machine.clock import Clock
from hashcost.machine.memory import known_limit
from hashcost.measure.runner import StartRunner
from hashcost.measure.session import Session
from hashcost.sweep import curve
from hashcost.sweep.costs import Range, usual_costs, values_of
from hashcost.sweep.effort import FEWEST_ROUNDS, Item, is_settled
from hashcost.sweep.model import ColdCall, FloorMark, Status, SweepRow, SweptHasher
from hashcost.sweep.target import target_cost
from hashcost.worth.policies.policy import Policy

_PROBES = 2
_TOLD = 2e-3
"""From here on the time of one hash can be told by its clock."""
_GROWTH = 4
_UNWATCHED = 0.1
_HIGHEST_LOG2 = 1000
"""Beyond any cost; two to its power is still a figure."""
_ENOUGH_FOR_A_FIT = 3


@dataclass(frozen=True, kw_only=True)
class SweepGoal:
    """What is asked of every hasher."""

    target_seconds: float
    budget_seconds: float
    memory_limit: int | None
    page_bytes: int | None
    params: str | None
    policies: Sequence[Policy]


@dataclass(eq=False, kw_only=True)
class SweepSession(Session):
    """One hasher that is timed at each of several costs."""

    costs: tuple[Range, ...]
    goal: SweepGoal
    cold: ColdCall | None = None
    expected: dict[int, float] = field(default_factory=dict)
    """About how long a hash takes at the costs that may be timed, and where it was probed."""
    rows: dict[int, SweepRow] = field(default_factory=dict)
    rounds: dict[int, list[list[Sample]]] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """``hasher@implementation``."""
        return self.candidate.label

    @property
    def knob(self) -> Knob:
        """The one that is swept: the coarse one."""
        return self.runner.traits.knobs[0]

    @property
    def default(self) -> Default | None:
        """The cost that the library takes when none is given, at the params that are swept."""
        known = DEFAULTS.get(self.label)
        if known is None or known.params != self.at(known.params[self.knob.name]):
            return None
        return known

    def at(self, cost: int) -> Params:
        """Every param at this cost."""
        return {**self.lowest, self.knob.name: cost}

    def begin(self, start: StartRunner, clock: Clock) -> None:
        """Load the library, call it cold, and only then compute its known answers.

        That is done at the lowest cost of all: what is given beside it may take days.
        """
        with self.failing_alone():
            began = clock.wall()
            self.candidate, runner = start(self.candidates)
            self.started, traits = runner, runner.traits
            self.knobs, self.lowest = traits.knobs, {**traits.lowest, **self._given(traits)}
            self._check_memory()
            first = runner.sample(traits.lowest)
            load_seconds = clock.wall() - began - first.wall_seconds
            runner.check()
            warm = min(runner.sample(traits.lowest).wall_seconds for _ in range(3))
            self.cold = ColdCall(
                params=traits.lowest,
                load_seconds=load_seconds,
                wall_seconds=first.wall_seconds,
                cpu_seconds=first.cpu_seconds,
                page_faults=first.page_faults,
                warm_seconds=warm,
            )
            self._check_time(warm * work_ratio(traits.name, self.lowest, traits.lowest))

    def _check_memory(self) -> None:
        """Refuse params that need more memory than is allowed at the lowest cost.

        Raises:
            UnreachableError: they do, or memory is swept and the limit is unknown.
        """
        if self.knob.is_ladder:
            known_limit(self.goal.memory_limit, f"calibrate sweep {self.runner.traits.name}")
        need = self._memory(self.lowest[self.knob.name]) or 0
        if self.goal.memory_limit is not None and need > self.goal.memory_limit:
            raise UnreachableError(
                f"the lowest cost, {format_setting(self.lowest)}, needs {format_bytes(need)} but"
                f" only {format_bytes(self.goal.memory_limit)} are allowed; raise --memory"
            )

    def _check_time(self, seconds: float) -> None:
        """Refuse params of which not even the lowest cost can be probed within the budget.

        Raises:
            UnreachableError: so many seconds a hash are too many.
        """
        given = self.lowest != self.runner.traits.lowest
        if given and seconds * _PROBES > self.goal.budget_seconds:
            raise UnreachableError(
                f"the lowest cost, {format_setting(self.lowest)}, takes about"
                f" {format_duration(seconds)} a hash; lower --params, or raise --budget to time"
                f" {_PROBES} of them"
            )

    def _given(self, traits: Traits) -> Params:
        """The params that ``--params`` sets.

        Raises:
            UsageError: it has none of them, or it is the knob that is swept.
        """
        if self.goal.params is None:
            return {}
        try:
            given = parse_params(traits.name, self.goal.params)
        except UsageError as error:
            raise UsageError(f"--params: {error}") from error
        ranges = {knob.name: (knob.minimum, knob.maximum) for knob in traits.knobs}
        for name, value in given.items():
            if name not in traits.lowest:
                raise UsageError(f"--params: {self.label} has no {name}; leave it out")
            if name == traits.knobs[0].name:
                raise UsageError(f"--params: {name} is swept by --costs; leave it out of --params")
            low, high = ranges.get(name, (1, 2**31 - 1))
            if not low <= value <= high:
                raise UsageError(f"--params: {name} must be {low} to {high}, not {value}")
        return given

    def probe(self) -> None:
        """Find about how long a hash takes, and which costs there are to time."""
        if not self.works:
            return
        with self.failing_alone():
            self._grow()
            default = self.default
            costs = values_of(self.costs, self.knob) or usual_costs(
                self.knob,
                self.guess,
                self.goal.target_seconds,
                None if default is None else default.params[self.knob.name],
            )
            for cost in costs:
                self.rows[cost] = self._row(cost)

    def _grow(self) -> None:
        """Time costs from the lowest up, until a hash takes long enough to be timed."""
        cost = self.lowest[self.knob.name]
        while True:
            taken = [self.seconds(self.sample(self.at(cost))) for _ in range(_PROBES)]
            self.expected[cost] = min(taken)
            if self.knob.is_ladder or min(taken) >= _TOLD or cost == self.knob.maximum:
                return
            grown = cost + 2 if self.knob.doubles else cost * _GROWTH
            cost = min(grown, self.knob.maximum)

    def guess(self, cost: int) -> float:
        """About how long a hash takes at this cost, in seconds."""
        known = max((each for each in self.expected if each <= cost), default=min(self.expected))
        return self.expected[known] * self._work(cost) / self._work(known)

    def _work(self, cost: int) -> float:
        """What the time should grow with: on a ladder the memory."""
        if self.knob.is_ladder:
            return float(self._memory(cost) or cost or 1)
        known = min(cost, _HIGHEST_LOG2) if self.knob.doubles else cost
        return work(self.knob.scale, known) or 1.0

    def _memory(self, cost: int) -> int | None:
        """Bytes that one hash takes; none where the hasher has no such setting."""
        try:
            return self.runner.traits.memory_bytes(self.at(cost))
        except LookupError:
            return None

    def _row(self, cost: int) -> SweepRow:
        """The row of a cost before anything is timed: what the library makes of it."""
        traits, default = self.runner.traits, self.default
        row = SweepRow(
            hasher=traits.name,
            implementation=traits.implementation,
            implementation_version=traits.version,
            parameter=self.knob.name,
            cost=cost,
            params=format_pairs(self.at(cost)),
            status=Status.PREDICTED,
            default=default is not None and default.params[self.knob.name] == cost,
            memory_bytes=self._memory(cost),
        )
        limit = self.goal.memory_limit
        if limit is not None and (row.memory_bytes or 0) > limit:
            return _untimed(
                row,
                f"it needs {format_bytes(row.memory_bytes or 0)} but only {format_bytes(limit)}"
                f" are allowed; raise --memory",
            )
        if not self.knob.minimum <= cost <= self.knob.maximum:
            return _untimed(row, f"outside {self.knob.minimum}..{self.knob.maximum}")
        return row

    def climb(self, seconds: float) -> None:
        """Time each step of memory once, as far as so many seconds allow: none is extrapolated."""
        if not self.works or not self.knob.is_ladder:
            return
        with self.failing_alone():
            left = seconds
            for cost in self._timeable():
                need = self.guess(cost) * (1 + FEWEST_ROUNDS)
                if need > left:
                    return
                self._settle(cost)
                left -= self.expected.get(cost, 0.0) * (1 + FEWEST_ROUNDS)

    def _settle(self, cost: int) -> None:
        """One hash that is not counted: an allocator's first of a size is a slow one."""
        with self.refusing(cost):
            self.expected[cost] = self.seconds(self.sample(self.at(cost)))

    def _timeable(self) -> list[int]:
        return [cost for cost, row in self.rows.items() if row.status is Status.PREDICTED]

    def items(self, place: int) -> list[Item]:
        """The costs that may be timed, with how long each should take."""
        if not self.works:
            return []
        known = self.expected if self.knob.is_ladder else self._timeable()
        return [
            Item(hasher=place, cost=cost, expected_seconds=self.guess(cost))
            for cost in self._timeable()
            if cost in known
        ]

    def anchors(self, place: int, kept: Sequence[Item]) -> list[Item]:
        """Costs that nobody asked for, where a fit would rest on too few."""
        own = {item.cost for item in kept if item.hasher == place}
        if not self.works or self.knob.is_ladder:
            return []
        if len(own) >= _ENOUGH_FOR_A_FIT:
            return []
        probed = {min(self.expected), max(self.expected)} - own
        return [
            Item(hasher=place, cost=cost, expected_seconds=self.expected[cost]) for cost in probed
        ]

    def take(self, cost: int, round_index: int) -> None:
        """Time one hash of a round."""
        with self.failing_alone(), self.refusing(cost):
            taken = self.sample(self.at(cost))
            series = self.rounds.setdefault(cost, [])
            if len(series) <= round_index:
                series.append([])
            series[-1].append(taken)

    @contextlib.contextmanager
    def refusing(self, cost: int) -> Iterator[None]:
        """What the library raises at one cost is said in its row, and no more is timed there."""
        try:
            yield
        except HashcostError:
            raise
        except Exception as error:
            self.rounds.pop(cost, None)
            self.expected.pop(cost, None)
            self.rows[cost] = msgspec.structs.replace(
                self.rows[cost], status=Status.REFUSED, note=one_line(error)
            )

    def is_settled(self, cost: int) -> bool:
        """Whether a cost was timed often enough for its goal."""
        return is_settled(curve.best_of_rounds(self.rounds[cost], self.threads))

    def result(self) -> tuple[SweptHasher, tuple[SweepRow, ...]] | Failure:
        """What was found, or why nothing was."""
        found = None
        level = None if self.threads > 1 else self.watch.level
        curve_of = sensitivity_of(self.candidate.hasher, self.candidate.implementation)
        self.rounds = {
            cost: [list(self.watch.corrected(taken, curve_of, level)) for taken in rounds]
            for cost, rounds in self.rounds.items()
        }
        if self.works:
            with self.failing_alone():
                found = self._result(self.runner.traits)
        return found or self.failure()

    def _result(self, traits: Traits) -> tuple[SweptHasher, tuple[SweepRow, ...]]:
        points = curve.Points(
            error=_UNWATCHED if self.watch.level is None else self.watch.level.error,
            knob=self.knob,
            threads=self.threads,
            memory_bytes=lambda cost: self._memory(cost) or 1,
            rounds=self.rounds,
        )
        fixed = {name: value for name, value in self.lowest.items() if name != self.knob.name}
        model = curve.fit(points, fixed)
        rows = tuple(
            row
            if row.status is not Status.PREDICTED
            else curve.measured_row(row, points, model)
            if row.cost in self.rounds
            else curve.predicted_row(row, points, model)
            for row in self.rows.values()
        )
        default = self.default
        return SweptHasher(
            hasher=traits.name,
            implementation=traits.implementation,
            implementation_version=traits.version,
            clock=self.clock_name,
            threads=self.threads,
            knob=self.knob,
            fixed=fixed,
            drift=traits.drift,
            model=model,
            cold=self.cold,
            default_cost=None if default is None else default.params[self.knob.name],
            default_taken_by="" if default is None else default.taken_by,
            target_cost=target_cost(self.knob, self.lowest, model, self.goal.target_seconds),
            floors=tuple(self._floors(fixed, model, rows)),
            shape=curve.shape(self.knob, model, rows, self.goal.page_bytes),
            samples=tuple(
                sample for series in self.rounds.values() for taken in series for sample in taken
            ),
        ), rows

    def _floors(
        self, fixed: Params, model: CostModel | None, rows: Sequence[SweepRow]
    ) -> Iterator[FloorMark]:
        """The floors that differ from what is swept in the knob alone."""
        timed = {row.cost: row.time_seconds for row in rows if row.status is Status.MEASURED}
        for policy in self.goal.policies:
            for floor in policy.floors_of(self.runner.traits.name):
                least = dict(floor.least)
                cost = least.pop(self.knob.name, None)
                if cost is None or any(fixed.get(name) != value for name, value in least.items()):
                    continue
                seconds = timed.get(cost)
                if seconds is None and model is not None and not self.knob.is_ladder:
                    seconds = model.seconds(work(self.knob.scale, cost))
                yield FloorMark(policy=policy.id, cost=cost, time_seconds=seconds)


def _untimed(row: SweepRow, why: str) -> SweepRow:
    return msgspec.structs.replace(row, status=Status.UNTIMED, note=why)
