"""A plan for memory in steps, each timed itself; another parameter fills the time left. Pure."""

import math
from collections.abc import Iterator, Sequence

import msgspec

from hashcost.core.errors import UnreachableError
from hashcost.core.measurement import Fit, Params, Sample
from hashcost.core.profile import Rounding
from hashcost.fit.curves import DISAGREEMENT
from hashcost.fit.solver import ABOUT_AS_STRONG, ROOM, Solution, highest_within, meeting, solve
from hashcost.fit.times import foreseen_curve, foreseen_seconds
from hashcost.measure.planning import MOST_ATTEMPTS, SamplePlan, Samples

_AIM = 0.4
"""A ladder is first climbed to the step that is expected to take this share of the
target: time grows faster than memory does, and a step too far is a costly sample."""
_FAR_BEYOND = 1.15
"""A step that takes this many targets is too slow, even if its first hash was cold."""
_FRESH_PAGES = 256
"""A mebibyte of pages more than another hash was given makes a hash a cold one."""
_SHARED = 1.7
"""A shared core takes up to so many times as long."""
_TRADED = 0.55
"""A trade-off shows steps of memory that are about half of each other."""
_FORESEEN = 0.9
"""What is foreseen of further passes is about so far off."""
_MOST_VISITS = 8
"""Steps that look better than the answer so far, beyond which the answer stands."""
_MOST_TO_SETTLE = 4
_WELL_KNOWN = 3
"""So many earlier runs that agree."""
_SETTLED = 0.05
_ABSURD = 10
"""An earlier answer whose first hash foretells so many targets was never one."""
_COLD = 2
"""An allocator hands out fresh pages for the first one to three hashes of a size, and
such a hash takes up to twice as long."""


class MemoryPlan(Samples):
    """Memory in steps, each measured itself; then another parameter fills the time left."""

    def steps(self) -> SamplePlan:
        """Climb, then sample where the climb ends; begin with an earlier answer, if it fits.

        A floor's memory comes last, unless it may be the answer: what ends the budget
        there costs the answer nothing.
        """
        problem, floors = self.problem, self.problem.floors
        self.later_seconds = problem.target_seconds * problem.effort.ladder_samples
        if problem.kept is None:
            yield from self._climb()
            yield from self._time_second_pass()
        else:
            yield from self._visit(problem.kept, problem.target_seconds * _ABSURD)
        if not problem.targets:
            for params in problem.visits:
                yield from self._visit(params)
        if floors is not None and floors.enforced:
            yield from self._visit_floor()
        yield from self._answer()
        if floors is not None and not floors.enforced:
            yield from self._visit_floor()
            yield from self._answer()
        if problem.every_step:
            yield from self._answer_below()
        if problem.targets:
            for params in problem.visits:
                yield from self._visit(params, problem.target_seconds)
            yield from self._answer_others()

    def _time_second_pass(self) -> SamplePlan:
        """Time one at the highest step that leaves room: it tells what further passes take."""
        problem = self.problem
        if len(problem.knobs) == 1:
            return
        name = problem.knobs[1].name
        for rung in reversed(self._rungs()):
            if self._expected(rung) <= problem.target_seconds / 2:
                yield from self._visit({**rung, name: rung[name] + 1})
                return

    def _answer_others(self) -> SamplePlan:
        """Sample the answers to other targets, until what one needed changes no other."""
        known = 0
        while known < len(self.taken):
            known = len(self.taken)
            for target in self.problem.targets:
                yield from self._answer(target)

    def _answer_below(self) -> SamplePlan:
        """Sample the answer at steps of memory below the one that was solved for."""
        ladder = self.problem.knobs[0]
        _, solution = self.solved()
        top = 0 if solution is None else solution.params[ladder.name]
        below: list[int] = []
        for step in reversed(ladder.steps):
            if step <= (below[-1] if below else top) * _TRADED:
                below.append(step)
        for left, step in zip(range(len(below))[::-1], below, strict=True):
            rung = {**self.problem.lowest, ladder.name: step}
            if self._count(rung) < 2:
                yield from self._settle(rung, 0.0)
            sampled: list[Params] = []
            while len(sampled) < MOST_ATTEMPTS:
                found = self._solved_at(step)
                if found is None or found.params in sampled:
                    break
                sampled.append(found.params)
                yield from self._fill(found, others=left)

    def _solved_at(self, step: int) -> Solution | None:
        """The answer at this step of memory; None if its first pass takes too long."""
        problem = self.problem
        curves = self.solved()[0].curves
        curve = next(c for c in curves if c.params[problem.knobs[0].name] == step)
        try:
            return solve(Fit(curves=(curve,)), problem.target_seconds, problem.rounding)
        except UnreachableError:
            return None

    def _answer(self, target_seconds: float | None = None) -> SamplePlan:
        """Sample what the samples so far lead to, until they lead nowhere else."""
        target = target_seconds or self.problem.target_seconds
        settled: list[Params] = []
        visits = 0
        while len(settled) < MOST_ATTEMPTS:
            fitted, solution = self.solved(target)
            if solution is None:
                if self._count(self._rungs()[0]):
                    return
                yield from self._climb()  # An earlier answer does not fit any more.
                continue
            if self._count(solution.params) < 2:
                yield from self._settle(solution.params, solution.seconds)
                continue
            other = self._promising(fitted, solution, target)
            if other is not None and visits < _MOST_VISITS:
                visits += 1
                yield from self._try(other, target)
                continue
            is_known = target_seconds is not None and solution.curve.relative_interval is not None
            if is_known or solution.params in settled:
                return
            settled.append(solution.params)
            yield from self._fill(solution)

    def _try(self, foreseen: Solution, target_seconds: float) -> SamplePlan:
        """Time a step of memory, and there the setting that is foreseen."""
        first = foreseen.curve.params
        yield from self._settle(first, foreseen.curve.seconds(foreseen.curve.lowest))
        if foreseen.params != first and self.seconds_at(first) <= target_seconds:
            yield from self.time_at(foreseen.params, foreseen.seconds)

    def _promising(
        self, fitted: Fit, solution: Solution, target_seconds: float
    ) -> Solution | None:
        """What may be a better answer at a step of memory that was not timed.

        By what is foreseen of it: it is nearly as strong, or stronger. Rounded up, the next
        step may be the answer whatever it takes.
        """
        problem = self.problem
        if problem.rounding is not Rounding.DOWN and solution.seconds <= target_seconds:
            above = self._rung_above(solution)
            if above is not None and not self._count(above):
                curve = foreseen_curve(fitted, above, problem.memory_bytes(above))
                return Solution(curve=curve, value=curve.lowest)
        least, within = self._strength(solution), target_seconds
        if solution.params == problem.kept:
            least, within = least / ABOUT_AS_STRONG, within * ROOM
        foreseen = self._foreseen(fitted, solution, within)
        found = [each for each in foreseen if self._strength(each) >= least]
        return max(found, key=self._strength, default=None)

    def _foreseen(self, fitted: Fit, solution: Solution, seconds: float) -> Iterator[Solution]:
        """The answer at each step that may fit, as the timed ones have it.

        Of those that were not timed, and of those where only a first pass was.
        """
        for rung in self._rungs():
            is_open = self._is_open(rung, solution.curve.params)
            others = tuple(c for c in fitted.curves if not is_open or c.params != rung)
            known = msgspec.structs.replace(fitted, curves=others) if others else fitted
            curve = foreseen_curve(known, rung, self.problem.memory_bytes(rung))
            if curve.seconds(curve.lowest) > seconds * (1 + DISAGREEMENT):
                continue
            setting = Solution(curve=curve, value=highest_within(curve, seconds / _FORESEEN))
            is_further = setting.params != rung and not curve.step_seconds
            if is_open or (is_further and not self._count(setting.params)):
                yield setting

    def _strength(self, setting: Solution) -> float:
        return self.problem.strength(setting.params, setting.curve.memory_bytes)

    def _rungs(self) -> list[Params]:
        ladder = self.problem.knobs[0]
        return [{**self.problem.lowest, ladder.name: step} for step in ladder.steps]

    def _fill(self, solution: Solution, others: int = 0) -> SamplePlan:
        """Sample the solved setting as often as its interval needs; so many others follow."""
        wanted = self.problem.effort.ladder_samples
        self.later_seconds = others * wanted * self.problem.target_seconds
        # No quiet moment is waited for to tell what earlier runs agree on.
        waits = solution.curve.earlier_runs < _WELL_KNOWN
        yield from self.sample(solution.params, solution.seconds, wanted, _count_warm, waits=waits)

    def _settle(self, params: Params, expected_seconds: float) -> SamplePlan:
        """Time a setting until two hashes in a row agree: the first pay for fresh memory.

        Two that are far beyond the target are enough, and one where no less was expected.
        """
        target = self.problem.target_seconds
        yield from self.time_at(params, expected_seconds)
        if target < expected_seconds and (
            target * _FAR_BEYOND < self.last_seconds <= expected_seconds * _COLD
        ):
            return
        for _ in range(_MOST_TO_SETTLE):
            before = self.last_seconds
            yield from self.time_at(params, before)
            if (
                abs(self.last_seconds / before - 1) <= _SETTLED
                or self.seconds_at(params) > target * _FAR_BEYOND
            ):
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
        answer, rounded up. What a shared core takes may be far more than a quiet one does:
        an earlier run may know that the step fits.
        """
        if self.problem.rounding is not Rounding.DOWN:
            return True
        growth = self.problem.memory_bytes(above) / self.problem.memory_bytes(below)
        least = self.seconds_at(below) * growth
        if not self._count_quick(below):
            least /= _SHARED
        return least <= self.problem.target_seconds * (1 + DISAGREEMENT)

    def _visit_floor(self) -> SamplePlan:
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
                yield from self._visit({**self.problem.lowest, ladder.name: steps[0]})
                return

    def _visit(self, params: Params, most_seconds: float = math.inf) -> SamplePlan:
        """Time a setting: its memory, then the setting itself, unless that takes longer.

        A first pass takes another time than those that follow, so that the time of a
        setting is not a multiple of its memory's.
        """
        ladder = self.problem.knobs[0].name
        for each in ({**self.problem.lowest, ladder: params[ladder]}, params):
            expected = self._expected(each)
            if not self._count(each) and expected <= most_seconds:
                yield from self._settle(each, expected)

    def _expected(self, params: Params) -> float:
        """About what a setting takes; nothing before the first hash."""
        if not self.taken:
            return 0.0
        return foreseen_seconds(self.solved()[0], params, self.problem.memory_bytes(params))

    def _count(self, params: Params) -> int:
        return sum(sample.params == params for sample in self.taken)

    def _count_quick(self, params: Params) -> int:
        return sum(sample.params == params and not sample.shared for sample in self.taken)

    def _is_open(self, above: Params, below: Params) -> bool:
        """Whether a step was not timed, or only on a shared core and the one below on a quiet."""
        if not self._count(above):
            return True
        seen = self._count_quick(above) or not self._count_quick(below)
        return not seen and self.problem.has_patience()

    def _climb(self) -> SamplePlan:
        """Measure steps until one fits the target and the next does not."""
        problem, rungs = self.problem, self._rungs()
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


def _count_warm(samples: Sequence[Sample]) -> int:
    """Hashes that were given hardly more fresh pages than the luckiest of them."""
    faults = [sample.page_faults for sample in samples]
    few = min(faults, default=0) + _FRESH_PAGES
    return sum(count <= few for count in faults)


def _rung_near(memory_bytes: Sequence[int], first_seconds: float, seconds: float) -> int:
    """The highest rung expected to take at most this long, if time grew as memory does."""
    expected = [first_seconds * memory / memory_bytes[0] for memory in memory_bytes]
    return max(
        (index for index, guess in enumerate(expected) if guess <= seconds),
        default=0,
    )
