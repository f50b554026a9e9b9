"""A plan for a parameter whose time is a line, or doubles with each step. Pure."""

from hashcost.core.measurement import Knob, Params, work
from hashcost.fit.curves import DISAGREEMENT
from hashcost.measure.planning import MOST_ATTEMPTS, PROBE_SECONDS, SamplePlan, Samples, growth

_ANCHOR_SAMPLES = 3


class CountPlan(Samples):
    """A parameter whose time is a line, or doubles: sampled low, confirmed where it counts."""

    def steps(self) -> SamplePlan:
        """Probe, sample, confirm; what is left of watching the core comes last."""
        problem, effort, knob = self.problem, self.problem.effort, self.problem.knobs[0]
        brackets = knob.doubles and effort.brackets
        self.later_seconds = problem.target_seconds * (effort.confirmations + brackets)
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
        beside = problem.lowest if sampled > problem.lowest[knob.name] else None
        confirmed: set[int] = set()
        # While the core is watched there is time to confirm what a known core tells.
        for waits in (False, True) if problem.is_known() else (True,):
            yield from self.sample(
                self._at(sampled), expected, effort.samples, beside=beside, waits=waits
            )
            yield from self._confirm(confirmed)

    def _at(self, value: int) -> Params:
        return {**self.problem.lowest, self.problem.knobs[0].name: value}

    def _confirm(self, confirmed: set[int]) -> SamplePlan:
        """Time the solved cost itself, and again where the model turns out wrong."""
        effort, knob = self.problem.effort, self.problem.knobs[0]
        while len(confirmed) < MOST_ATTEMPTS:
            _, solution = self.solved()
            if solution is None:
                return
            ratios = (solution.curve.seconds(each) / solution.seconds for each in confirmed)
            if any(abs(each - 1) <= DISAGREEMENT for each in ratios):
                return
            confirmed.add(solution.value)
            above = solution.value + 1
            brackets = knob.doubles and effort.brackets and above <= knob.maximum
            above_seconds = solution.curve.seconds(above) if brackets else 0.0
            for done in range(1, effort.confirmations + 1):
                left = (effort.confirmations - done) * solution.seconds
                self.later_seconds = left + above_seconds
                yield from self.time_plausibly(solution.params, solution.seconds)
            self.later_seconds = 0.0
            if brackets:
                yield from self.time_plausibly(self._at(above), above_seconds)


def _value_near(knob: Knob, unit_seconds: float, seconds: float) -> int:
    """The legal value whose hash takes about this long: of a step, up to twice as long."""
    units = max(seconds / unit_seconds, 1.0)
    value = int(units) if not knob.doubles else int(units).bit_length()
    return min(max(value, knob.minimum), knob.maximum)
