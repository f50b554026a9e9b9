"""A plan for a parameter whose time is a line, or doubles with each step. Pure."""

from __future__ import annotations

from hashcost.core.measurement import Knob, Params, work
from hashcost.fit.curves import DISAGREEMENT
from hashcost.measure.planning import MOST_ATTEMPTS, PROBE_SECONDS, SamplePlan, Samples, growth

_ANCHOR_SAMPLES = 3


class CountPlan(Samples):
    """A parameter whose time is a line, or doubles: sampled low, confirmed where it counts."""

    def steps(self) -> SamplePlan:
        """Probe, sample, confirm."""
        problem, effort, knob = self.problem, self.problem.effort, self.problem.knobs[0]
        known = yield from self.recorded(
            growth(knob, problem.lowest, problem.seconds, first=_ANCHOR_SAMPLES)
        )
        value = max(known)
        seconds = known[value]
        if seconds <= 0:
            return  # The clock saw no time pass; the fit says so.
        sampled = _value_near(
            knob,
            seconds / work(knob.scale, value),
            min(
                problem.target_seconds,
                max(PROBE_SECONDS, problem.target_seconds / 4),
                effort.sample_seconds,
            ),
        )
        expected = seconds * work(knob.scale, sampled) / work(knob.scale, value)
        wanted = len(self.taken) + effort.samples
        yield from self.sample(self._at(sampled), expected, lambda: len(self.taken) >= wanted)
        yield from self._confirm()

    def _at(self, value: int) -> Params:
        return {**self.problem.lowest, self.problem.knobs[0].name: value}

    def _confirm(self) -> SamplePlan:
        """Time the solved cost itself, and again where the model turns out wrong."""
        effort, knob = self.problem.effort, self.problem.knobs[0]
        confirmed: set[int] = set()
        while len(confirmed) < MOST_ATTEMPTS:
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
            if knob.doubles and effort.brackets and solution.value < knob.maximum:
                above = solution.value + 1
                yield from self.time_at(self._at(above), solution.curve.seconds(above))


def _value_near(knob: Knob, unit_seconds: float, seconds: float) -> int:
    """The legal value whose hash takes about this long, or on a log2 scale just less."""
    units = max(seconds / unit_seconds, 1.0)
    value = int(units) if not knob.doubles else int(units).bit_length() - 1
    return min(max(value, knob.minimum), knob.maximum)
