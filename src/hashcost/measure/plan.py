"""Plan which hash of one hasher to time next. Pure: a plan asks for samples and is sent them.

A plan is a generator that yields requests. Its driver times them, for many plans in turn, and
sends each sample back. So a disturbance of the machine falls on all hashers alike, and a plan
can be tested without a clock.
"""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from hashcost.core.measurement import GLIBC_FRESH, Knob, Params, Sample, work
from hashcost.fit.curves import COLD
from hashcost.fit.model import Seconds, Shape, is_near
from hashcost.fit.solver import Solution
from hashcost.measure.effort import Effort

SHORT_SECONDS: Final = 1.5e-3
"""Approximate time of the hashes of a linear cost: the probes predict short hashes best."""
_GROWTH: Final = 4
"""Most by which the expected time grows from one hash to the next."""
_OVERHEAD_EVERY: Final = 4
"""Samples after which one at the lowest cost is timed, to measure the overhead."""
_FORECAST_AFTER: Final = 4
"""Samples after which the interval tells whether more will be needed than at least."""
_FIRST_ANCHOR: Final = 1 / 32
_ANCHORS: Final = ((1 / 4, 1), (1 / 8, 2))
"""Memory, as a share of the memory that one pass fills within the target, and passes. The rule of
strength answers with three to six passes (`fit/solver.py`), on a fifth to a third of that memory;
two passes tell a further pass from the first."""
_MOST_ANSWERS: Final = 4
"""Different answers after which the latest is no longer confirmed by further hashes."""
_NEAR_WORK: Final = 0.7
"""Share of an answer's time from which on a hash near it confirms it."""
_ANSWER_SECONDS: Final = 1.0
"""Seconds that all hashes at an answer may take, so that one confirms a longer answer: eight
hashers at 3 s take 12 s."""
FEWEST_SAMPLES: Final = 3
"""Fewest samples of a cost of a sweep; a cost without time for them is left out."""


Times: TypeAlias = tuple[float, ...]
"""The times of several hashes, in seconds."""


@dataclass(frozen=True, kw_only=True)
class NextHash:
    """A request to time one hash at ``params``, with the time that it is expected to take."""

    params: Params
    expected_seconds: float
    later: Times
    """The expected times of the hashes that the plan foresees after it."""


@dataclass(frozen=True, kw_only=True)
class SweepPlan:
    """Costs that are timed in place of those that the target asks for.

    ``choose`` picks values of the first knob, given a function for the expected time of each;
    ``fixed`` are other params, and ``seconds`` is the time for the whole sweep.
    """

    fixed: Params
    choose: Callable[[Knob, Callable[[int], float]], Sequence[int]]
    seconds: float


SamplePlan: TypeAlias = Generator[NextHash, Sample, None]


@dataclass(eq=False, kw_only=True)
class Plan:
    """The samples of one hasher so far, and the requests that follow from them.

    ``solve`` returns the answer by the samples so far, if any; ``also`` are settings
    that are timed whatever the answer.
    """

    shape: Shape
    target_seconds: float
    effort: Effort
    seconds: Seconds
    solve: Callable[[], Solution | None]
    may_be_shared: Callable[[], bool] = lambda: False
    """Whether the core may have been shared ever since the run began."""
    also: Sequence[Params] = ()
    memory_settings: Sequence[Params] = ()
    """The settings of memory that may anchor the surface, the least first."""
    sweep_plan: SweepPlan | None = None
    memory_limit: int | None = None
    taken: list[Sample] = field(default_factory=list)

    def steps(self) -> SamplePlan:
        """Ask for every hash to time, until the interval is narrow enough."""
        if self.sweep_plan is not None:
            return self._sweep(self.sweep_plan)
        if self.shape.is_memory_hard:
            return self._surface()
        return self._line()

    def _line(self) -> SamplePlan:
        """Time short hashes of one cost, and some of the lowest."""
        lowest = self.shape.lowest
        afterwards = self._later_on_line(self._aim, self.effort.samples)
        params = yield from self._grow(afterwards)
        expected = self._least(params)
        least = self.effort.samples
        most = least * self.effort.at_most
        wanted = least
        while True:
            count = self._count(params)
            # A core that looks shared all the time is watched until its neighbour rests.
            is_enough = count >= most and not self.may_be_shared()
            if count >= least and (is_enough or self._is_narrow()):
                return
            if count == _FORECAST_AFTER and not self._is_narrow_above():
                wanted = most
            later = self._later_on_line(expected, wanted - count - 1)
            yield from self._time(params, expected, later)
            if count % _OVERHEAD_EVERY == 0:
                yield from self._time(lowest, self._least(lowest), later)

    def _later_on_line(self, seconds: float, hashes: int) -> Times:
        """So many hashes of one cost, and those of the lowest among them."""
        left = max(hashes, 0)
        lowest = left // _OVERHEAD_EVERY
        return (seconds,) * (left + lowest)

    def _sweep(self, sweep_plan: SweepPlan) -> SamplePlan:
        """Time the costs that time and memory allow, cheapest first, round after round."""
        if self.shape.is_memory_hard:
            yield from self._settle(self.shape.lowest, 0.0, (sweep_plan.seconds,))
        else:
            yield from self._grow((sweep_plan.seconds,))
        # A clock that saw no time pass foresees nothing.
        if self.seconds(self.taken[-1]) <= 0:
            return
        swept_costs = self._costs_of(sweep_plan)
        # Half as many rounds as a hasher has samples at its answer: a sweep has many costs.
        again = swept_costs * (self.effort.samples // 2 - 1)
        for number, params in enumerate(swept_costs, 1):
            times = map(self._foreseen, [*swept_costs[number:], *again])
            yield from self._settle(params, self._foreseen(params), tuple(times))
        left = [self._least(params) for params in again]
        for params in again:
            expected = left.pop(0)
            yield from self._time(params, expected, tuple(left))

    def _costs_of(self, sweep_plan: SweepPlan) -> list[Params]:
        """The costs of a sweep for which there are time and memory, the cheapest first."""
        knob = self.shape.knobs[0]

        def params_of(cost: int) -> Params:
            return {**self.shape.lowest, knob.name: cost}

        costs = sweep_plan.choose(knob, lambda cost: self._foreseen(params_of(cost)))
        swept_costs = []
        seconds = 0.0
        for cost in sorted(costs):
            params = params_of(cost)
            memory = self.shape.memory_bytes(params)
            # A cost beyond the memory limit is not timed: its row is predicted.
            if self.memory_limit is not None and memory > self.memory_limit:
                continue
            expected = self._foreseen(params)
            if FEWEST_SAMPLES * (seconds + expected) <= sweep_plan.seconds:
                swept_costs.append(params)
                seconds += expected
        return swept_costs

    @property
    def _aim(self) -> float:
        """The seconds that a hash of the line takes at least."""
        return min(SHORT_SECONDS, self.target_seconds)

    def _grow(self, afterwards: Times) -> Generator[NextHash, Sample, Params]:
        """Time growing costs from the lowest, and return the first that takes long enough.

        It is several times the lowest: else the two do not tell the overhead, 6 % of bcrypt's 4.
        ``afterwards`` are the expected times of the hashes that follow.
        """
        knob = self.shape.knobs[0]
        params = self.shape.lowest
        expected = 0.0
        least_work = _GROWTH * work(knob.scale, params[knob.name])
        aim = self._aim
        step = _GROWTH
        if knob.doubles:
            step = 2
        while True:
            steps_left = 0
            if 0 < expected < aim:
                steps_left = math.ceil(math.log(aim / expected, step))
            later = (*self._later_on_line(aim, 2 * steps_left), *afterwards)
            # The first hash of a cost may be interrupted: the lesser of two tells its time.
            for _ in range(2):
                yield from self._time(params, expected, later)
            least = self._least(params)
            value = params[knob.name]
            missing = least_work / work(knob.scale, value)
            is_long_enough = least >= aim / 2 and missing <= 1
            if is_long_enough or value >= knob.maximum or least <= 0:
                return params
            grown = value + 1
            if not knob.doubles:
                factor = min(max(aim / least, missing), _GROWTH)
                grown = math.ceil(value * factor)
            grown = min(grown, knob.maximum)
            expected = least * work(knob.scale, grown) / work(knob.scale, value)
            params = {**params, knob.name: grown}

    def _surface(self) -> SamplePlan:
        """Time anchors for the surface, and then a few hashes at its answer."""
        answering = (self.target_seconds,) * self._at_answer(self.target_seconds)
        yield from self._settle(self.memory_settings[0], 0.0, answering)
        if self._least(self.memory_settings[0]) <= 0:
            return
        # What fits the caches is quicker, and would make the others too large.
        small = [
            setting
            for setting in self.memory_settings[1:]
            if self._share(setting) <= _FIRST_ANCHOR
        ]
        if small:
            settling = self._settling([*self._anchors(), *self.also])
            yield from self._settle(small[-1], self._foreseen(small[-1]), settling + answering)
        settings = [*self._anchors(), *self.also]
        for number, params in enumerate(settings, 1):
            if self._is_quick(params):
                settling = self._settling(settings[number:])
                yield from self._settle(params, self._foreseen(params), settling + answering)
        yield from self._confirm()

    def _is_quick(self, params: Params) -> bool:
        """Whether a setting is expected to take no more than a few targets."""
        return self._foreseen(params) <= self.target_seconds * _GROWTH

    def _settling(self, settings: Sequence[Params]) -> Times:
        """The expected times of the hashes that settle these settings."""
        times = []
        for params in filter(self._is_quick, settings):
            # Memory that is reused is fresh in the first hash.
            hashes = 2
            if self.shape.memory_bytes(params) >= GLIBC_FRESH:
                hashes = 1
            times += [self._foreseen(params)] * hashes
        return tuple(times)

    def _at_answer(self, seconds: float) -> int:
        """The number of hashes that confirm an answer that takes so long."""
        return max(min(self.effort.at_answer, int(_ANSWER_SECONDS / seconds)), 1)

    def _confirm(self) -> SamplePlan:
        """Time a few hashes at the answer, and at any other answer that they lead to."""
        answers = set()
        while True:
            solution = self.solve()
            if solution is None:
                return
            answers.add(tuple(solution.params.values()))
            count = self._count_near(solution)
            wanted = self._at_answer(solution.seconds)
            # Answers that alternate are worth about the same: one hash tells the last.
            if len(answers) >= _MOST_ANSWERS:
                wanted = 1
            elif not self._is_narrow_above(solution):
                most = int(_ANSWER_SECONDS / solution.seconds)
                wanted = max(min(wanted * self.effort.at_most, most), wanted)
            if count >= wanted and not self.may_be_shared():
                return
            # The interval may be narrow enough before all of them: expect as many as so far.
            foreseen = min(wanted, max(2 * count, self.effort.at_answer))
            left = max(foreseen - count - 1, 0)
            later = (solution.seconds,) * left
            if count:
                yield from self._time(solution.params, solution.seconds, later)
            else:
                yield from self._settle(solution.params, solution.seconds, later)

    def _count_near(self, solution: Solution) -> int:
        """The number of hashes that tell how long an answer takes.

        They fill nearly as much memory, and read it nearly as often: the surface is corrected by
        what was timed near an answer.
        """
        memory = self.shape.memory_bytes(solution.params)
        count = 0
        for sample in self.taken:
            near = is_near(self.shape.memory_bytes(sample.params), memory)
            worked = self.seconds(sample) / solution.seconds
            if near and worked >= _NEAR_WORK and self._is_like(sample, solution):
                count += 1
        return count

    def _is_like(self, sample: Sample, solution: Solution) -> bool:
        """Whether a hash corrects an answer: the first pass tells nothing of several."""
        makes_answers = self.shape.makes_answers
        return makes_answers(sample.params) or not makes_answers(solution.params)

    def _anchors(self) -> list[Params]:
        """Settings of about a tenth of the target, the largest first: others reuse its memory.

        If the answer may be on fresh memory, one anchor is there and one just below.
        """
        sizes = [self.shape.memory_bytes(setting) for setting in self.memory_settings]
        shares = [self._share(setting) for setting in self.memory_settings]
        # Memory settings by their index, each with its passes. Two passes in the least memory tell
        # a further one from the first.
        chosen = {(0, 2)}
        fresh = bisect_left(sizes, GLIBC_FRESH)
        if fresh < len(sizes) and shares[fresh] <= 1:
            chosen |= {(fresh, 1), (max(fresh - 1, 0), 1)}
        for share, passes in _ANCHORS:
            within = bisect_right(shares, share)
            if within:
                chosen.add((within - 1, passes))
        anchors = []
        for index, passes in sorted(chosen, key=lambda anchor: (-anchor[0], anchor[1])):
            params = dict(self.memory_settings[index])
            if len(self.shape.knobs) > 1:
                params[self.shape.knobs[1].name] = passes
            if params not in anchors and not self._count(params):
                anchors.append(params)
        return anchors

    def _share(self, setting: Params) -> float:
        """The memory of a setting, as a share of what one pass fills within the target."""
        return self._foreseen(setting) / self.target_seconds

    def _settle(self, params: Params, expected: float, later: Times) -> SamplePlan:
        """Time a setting until its memory is reused, or is clearly never reused."""
        memory = self.shape.memory_bytes(params)
        for _ in range(COLD):
            yield from self._time(params, expected, later)
            last = self.taken[-1]
            # glibc maps so much memory afresh each time: a second hash would tell nothing more.
            is_always_fresh = memory >= GLIBC_FRESH or self._never_reuses(memory)
            if is_always_fresh or not self.shape.is_fresh(last):
                return
            expected = self.seconds(last)

    def _never_reuses(self, memory: int) -> bool:
        """Whether every hash of a setting with at most this memory got fresh memory."""
        by_setting: dict[tuple[int, ...], list[bool]] = {}
        for sample in self.taken:
            if self.shape.memory_bytes(sample.params) <= memory:
                by_setting.setdefault(sample.key, []).append(self.shape.is_fresh(sample))
        return any(len(fresh) >= COLD and all(fresh) for fresh in by_setting.values())

    def _foreseen(self, params: Params) -> float:
        """The expected time of a setting, scaled from the nearest one that was timed."""
        if not self.shape.is_memory_hard:
            knob = self.shape.knobs[0]
            last = self.taken[-1]
            units = work(knob.scale, last.params[knob.name])
            wanted_units = work(knob.scale, params[knob.name])
            return self.seconds(last) * wanted_units / units
        memory = self.shape.memory_bytes(params)

        def distance(sample: Sample) -> float:
            return abs(math.log(self.shape.memory_bytes(sample.params) / memory))

        near = min(self.taken, key=distance)
        worked = self.shape.memory_bytes(near.params) * self.shape.passes(near.params)
        wanted_work = memory * self.shape.passes(params)
        return self.seconds(near) * wanted_work / worked

    def _time(self, params: Params, expected: float, later: Times) -> SamplePlan:
        """Request a hash, and keep its sample."""
        sample = yield NextHash(params=params, expected_seconds=expected, later=later)
        self.taken.append(sample)

    def _is_narrow(self) -> bool:
        """Whether the interval is as narrow as wanted."""
        solution = self.solve()
        if solution is None:
            return True
        low, high = solution.interval
        reach = max(solution.seconds - low, high - solution.seconds)
        return reach <= self.effort.wanted * solution.seconds

    def _is_narrow_above(self, solution: Solution | None = None) -> bool:
        """Whether the interval is as narrow as wanted but for what sharing may hide."""
        solution = solution or self.solve()
        if solution is None:
            return True
        reach = solution.interval[1] - solution.seconds
        return reach <= self.effort.wanted * solution.seconds

    def _count(self, params: Params) -> int:
        return sum(sample.params == params for sample in self.taken)

    def _least(self, params: Params) -> float:
        """The least time of a setting: what disturbs a hash makes it longer."""
        return min(self.seconds(sample) for sample in self.taken if sample.params == params)
