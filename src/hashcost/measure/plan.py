"""What to time next, for one hasher. Pure: a plan asks for samples and is sent them.

A plan is a generator that yields requests; whoever drives it times them, many plans in turn,
and sends each sample back. So hashers share whatever the machine does meanwhile, and a plan can
be tested without a clock.
"""

import math
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from hashcost.core.measurement import Knob, Params, Sample, work
from hashcost.fit.estimate import COLD, GLIBC_FRESH, Seconds, Shape, is_fresh
from hashcost.fit.solver import Solution
from hashcost.measure.effort import Effort

SHORT_SECONDS: Final = 1.5e-3
"""About how long the hashes of a linear cost take: probes tell of a short one best."""
_GROWTH: Final = 4
_BESIDE: Final = 4
"""Every so many samples, one at the lowest cost tells what does not depend on the cost."""
_ANCHORS: Final = ((1 / 2, 1), (1 / 8, 2), (1 / 8, 1), (1 / 32, 1))
"""Memory, as a share of what one pass within the target fills, and passes."""
_MOST_ANSWERS: Final = 4
_LONG_SECONDS: Final = 0.1
"""One hash that takes longer confirms the answer."""
FEWEST_VISITS: Final = 3
"""A cost of a tour is timed so often, or not at all."""


@dataclass(frozen=True, kw_only=True)
class NextHash:
    """Time one hash at ``params``; it is expected to take this long."""

    params: Params
    expected_seconds: float
    later_seconds: float = 0.0
    """About how long what is asked for after it takes."""


@dataclass(frozen=True, kw_only=True)
class Tour:
    """Costs that are timed in place of those that the target asks for.

    ``choose`` names values of the coarse knob, told about how long a hash takes at any;
    ``fixed`` are other params, and ``seconds`` what all of it may take.
    """

    fixed: Params
    choose: Callable[[Knob, Callable[[int], float]], Sequence[int]]
    seconds: float


SamplePlan: TypeAlias = Generator[NextHash, Sample, None]


@dataclass(eq=False, kw_only=True)
class Plan:
    """The samples of one hasher so far, and what is asked for next.

    ``solve`` says what the samples so far answer, None if nothing; ``also`` are settings that
    are timed once whatever the answer.
    """

    shape: Shape
    target_seconds: float
    effort: Effort
    seconds: Seconds
    page_bytes: int
    solve: Callable[[], Solution | None]
    also: Sequence[Params] = ()
    rungs: Sequence[Params] = ()
    """The steps of memory that the surface may rest on, the least first; some are no answers."""
    tour: Tour | None = None
    memory_limit: int | None = None
    taken: list[Sample] = field(default_factory=list)

    def steps(self) -> SamplePlan:
        """Every hash to time, until enough is known."""
        if self.tour is not None:
            return self._toured(self.tour)
        return self._surface() if self.shape.climbs else self._line()

    def _line(self) -> SamplePlan:
        """Short hashes of one cost, and some of the lowest."""
        knob, lowest, effort = self.shape.knobs[0], self.shape.lowest, self.effort
        value = yield from self._grown(knob, lowest)
        params = {**lowest, knob.name: value}
        expected, most = self._least(params), effort.samples * effort.at_most
        while True:
            count = self._count(params)
            if count >= effort.samples and (count >= most or self._is_known()):
                return
            left = max(effort.samples - count, 1)
            yield from self._time(params, expected, left)
            if value > lowest[knob.name] and count % _BESIDE == 0:
                yield from self._time(lowest, self._least(lowest), left)

    def _toured(self, tour: Tour) -> SamplePlan:
        """Round after round of the costs that there is time and memory for, cheapest first."""
        knob, lowest = self.shape.knobs[0], self.shape.lowest
        if self.shape.climbs:
            yield from self._settled(lowest, 0.0)
        else:
            yield from self._grown(knob, lowest)
        if self.seconds(self.taken[-1]) <= 0:
            return
        costs = tour.choose(knob, lambda cost: self._foreseen({**lowest, knob.name: cost}))
        visits: list[Params] = []
        seconds = 0.0
        for cost in sorted(costs):
            params = {**lowest, knob.name: cost}
            memory, expected = self.shape.memory_bytes(params), self._foreseen(params)
            fits = self.memory_limit is None or memory <= self.memory_limit
            if fits and FEWEST_VISITS * (seconds + expected) <= tour.seconds:
                visits.append(params)
                seconds += expected
        rounds = self.effort.samples // 2
        for done in range(rounds):
            for params in visits:
                later = seconds * (rounds - done - 1)
                if done:
                    yield from self._time(params, self._least(params), 1, later)
                else:
                    yield from self._settled(params, self._foreseen(params))

    def _grown(self, knob: Knob, lowest: Params) -> Generator[NextHash, Sample, int]:
        """The lowest cost whose hash takes long enough, found from the lowest up."""
        aim = min(SHORT_SECONDS, self.target_seconds)
        value, expected = lowest[knob.name], 0.0
        while True:
            params = {**lowest, knob.name: value}
            for _ in range(2):
                yield from self._time(params, expected, 1, self.effort.samples * aim)
            least = self._least(params)
            if least >= aim / 2 or value >= knob.maximum or least <= 0:
                break
            factor = min(max(aim / least, 1.0), _GROWTH)
            grown = value + 1 if knob.doubles else math.ceil(value * factor)
            value = min(grown, knob.maximum)
            expected = least * work(knob.scale, value) / work(knob.scale, params[knob.name])
        return value

    def _surface(self) -> SamplePlan:
        """Anchors for the surface, and a few hashes where it says that the answer is."""
        yield from self._settled(self.rungs[0], 0.0)
        if self._least(self.rungs[0]) <= 0:
            return
        for params in (*self._anchors(), *self.also):
            expected = self._foreseen(params)
            if expected <= self.target_seconds * _GROWTH:
                yield from self._settled(params, expected)
        yield from self._confirmed()

    def _confirmed(self) -> SamplePlan:
        """A few hashes at the answer, and at the one that they lead to."""
        answers: list[Params] = []
        while True:
            solution = self.solve()
            if solution is None:
                return
            answers.append(solution.params)
            count = self._count(solution.params)
            if count and len({tuple(each.values()) for each in answers}) >= _MOST_ANSWERS:
                return
            wanted = self.effort.at_answer
            if solution.seconds > _LONG_SECONDS:
                wanted = min(wanted, 1)
            elif not self._is_known(solution):
                wanted *= self.effort.at_most
            if count >= wanted:
                return
            if count:
                yield from self._time(solution.params, solution.seconds, wanted - count)
            else:
                yield from self._settled(solution.params, solution.seconds)

    def _anchors(self) -> list[Params]:
        """Settings of about a tenth of the target, the largest first: others reuse its memory.

        If the answer may be on fresh memory, one there and one just below.
        """
        sizes = [self.shape.memory_bytes(rung) for rung in self.rungs]
        whole = sizes[0] * self.target_seconds / self._least(self.rungs[0])
        found: list[tuple[int, int]] = []
        above = next((i for i, size in enumerate(sizes) if size >= GLIBC_FRESH), None)
        if above is not None and sizes[above] <= whole:
            found += [(above, 1), *([(above - 1, 1)] if above else [])]
        for share, passes in _ANCHORS:
            under = [index for index, size in enumerate(sizes) if size <= whole * share]
            if under:
                found.append((under[-1], passes))
        found.append((0, 2))
        ordered = sorted(dict.fromkeys(found), key=lambda each: (-each[0], each[1]))
        return list(self._distinct(ordered))

    def _distinct(self, found: Sequence[tuple[int, int]]) -> Iterator[Params]:
        """The settings, each once, with so many passes where there are passes."""
        known = [self.rungs[0]]
        for index, passes in found:
            params = dict(self.rungs[index])
            if len(self.shape.knobs) > 1:
                params[self.shape.knobs[1].name] = passes
            if params not in known:
                known.append(params)
                yield params

    def _settled(self, params: Params, expected: float) -> SamplePlan:
        """Time a setting until its memory is reused, or is not to be."""
        memory = self.shape.memory_bytes(params)
        for _ in range(COLD):
            yield from self._time(params, expected, 1, self.target_seconds)
            if memory >= GLIBC_FRESH or self._never_reuses(memory) or not self._was_fresh():
                return
            expected = self.seconds(self.taken[-1])

    def _was_fresh(self) -> bool:
        return is_fresh(self.shape, self.taken[-1], self.page_bytes)

    def _never_reuses(self, memory: int) -> bool:
        """Whether no more memory than this was given afresh as often as it was asked for."""
        by_key: dict[tuple[int, ...], list[Sample]] = {}
        for sample in self.taken:
            if self.shape.memory_bytes(sample.params) <= memory:
                by_key.setdefault(sample.key, []).append(sample)
        return any(
            len(alike) >= COLD
            and all(is_fresh(self.shape, sample, self.page_bytes) for sample in alike)
            for alike in by_key.values()
        )

    def _foreseen(self, params: Params) -> float:
        """About what a setting takes, by the nearest one that was timed."""
        if not self.shape.climbs:
            last, knob = self.taken[-1], self.shape.knobs[0]
            units = work(knob.scale, last.params[knob.name])
            return self.seconds(last) * work(knob.scale, params[knob.name]) / units
        memory = self.shape.memory_bytes(params) * self.shape.passes(params)
        near = min(
            self.taken,
            key=lambda each: abs(
                math.log(self.shape.memory_bytes(each.params) / self.shape.memory_bytes(params))
            ),
        )
        there = self.shape.memory_bytes(near.params) * self.shape.passes(near.params)
        return self.seconds(near) * memory / there

    def _time(self, params: Params, expected: float, left: int, later: float = 0.0) -> SamplePlan:
        """Ask for a hash; so many like it are ``left``, and others that take so long."""
        later += (left - 1) * expected
        due = NextHash(params=params, expected_seconds=expected, later_seconds=later)
        self.taken.append((yield due))

    def _is_known(self, solution: Solution | None = None) -> bool:
        """Whether the interval is as narrow as wanted."""
        solution = solution or self.solve()
        if solution is None:
            return True
        low, high = solution.interval
        reach = max(solution.seconds - low, high - solution.seconds)
        return reach <= self.effort.wanted * solution.seconds

    def _count(self, params: Params) -> int:
        return sum(sample.params == params for sample in self.taken)

    def _least(self, params: Params) -> float:
        """The least that was seen at these params."""
        return min(self.seconds(s) for s in self.taken if s.params == params)
