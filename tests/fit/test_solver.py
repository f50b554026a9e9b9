"""From samples to a model, and from a target to a cost."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakes import LADDER, LINEAR, MIB, PASSES, STEPS
from hashcost.core.errors import InconclusiveError, UnreachableError
from hashcost.core.measurement import (
    Beyond,
    CostModel,
    Curve,
    Fit,
    Knob,
    Params,
    Sample,
    Scale,
    SeenBy,
    work,
)
from hashcost.core.profile import Rounding
from hashcost.fit.curves import fit, wall_seconds
from hashcost.fit.solver import Solution, meeting, round_to_digits, solve
from strategies import any_of, fits, floors_for, ladders, lines, roundings, targets


def _fit(knob: Knob, times: Iterable[tuple[int, float]]) -> Fit:
    """The fit to these values and the seconds that a hash took at each."""
    samples = [
        Sample(params={knob.name: value}, cpu_seconds=seconds, wall_seconds=3 * seconds)
        for value, seconds in times
    ]
    return fit((knob,), {knob.name: min(s.params[knob.name] for s in samples)}, samples)


def _sample(rounds: int, seconds: float, *, shared: bool) -> Sample:
    return Sample(
        params={"rounds": rounds}, cpu_seconds=seconds, wall_seconds=seconds, shared=shared
    )


def _known(
    knob: Knob,
    seconds_per_unit: float,
    overhead: float = 0.0,
    interval: tuple[float, float] = (0.99, 1.02),
    **steps: float,
) -> Fit:
    model = CostModel(
        parameter=knob.name,
        scale=knob.scale,
        overhead_seconds=overhead,
        seconds_per_unit=seconds_per_unit,
    )
    curve = Curve(
        params={knob.name: knob.minimum},
        knob=knob,
        model=model,
        relative_interval=interval,
        step_seconds={int(step.lstrip("_")): seconds for step, seconds in steps.items()},
    )
    return Fit(curves=(curve,))


def _value(fitted: Fit, target: float, rounding: Rounding) -> int:
    """The value that is solved for."""
    return solve(fitted, target, rounding).value


def _solved(fitted: Fit, target: float, rounding: Rounding) -> Solution | None:
    """The solution, or none where the target is too slow."""
    try:
        return solve(fitted, target, rounding)
    except UnreachableError:
        return None


class TestFit:
    """Fitting overhead and time per unit."""

    @given(
        st.floats(min_value=0.0, max_value=1e-3),
        st.floats(min_value=1e-9, max_value=1e-4),
        st.integers(min_value=100, max_value=10**6),
    )
    def test_a_perfect_machine_is_found_again(
        self, overhead: float, unit: float, sampled: int
    ) -> None:
        """Times that follow a line give that line."""
        times = [(value, overhead + unit * value) for value in [1] * 3 + [sampled] * 12]
        model = _fit(LINEAR, times).curves[0].model
        assert unit == pytest.approx(model.seconds_per_unit, rel=1e-6)
        assert overhead == pytest.approx(model.overhead_seconds, rel=1e-6, abs=1e-9)

    def test_steps_are_fitted_to_powers_of_two(self) -> None:
        """On a log2 scale time follows two to the power of the knob."""
        times = [(value, 1e-4 + 2e-6 * 2**value) for value in [4] * 3 + [10] * 12]
        model = _fit(STEPS, times).curves[0].model
        assert Scale.LOG2 is model.scale
        assert pytest.approx(2e-6) == model.seconds_per_unit
        assert pytest.approx(1e-4) == model.overhead_seconds

    def test_overhead_is_never_negative(self) -> None:
        """A machine that speeds up at higher costs is given no negative overhead."""
        times = [(1000, 2e-3)] * 3 + [(10_000, 25e-3)] * 12
        assert _fit(LINEAR, times).curves[0].model.overhead_seconds == 0.0

    def test_held_up_samples_do_not_move_the_fit(self) -> None:
        """Samples that the machine held up change neither overhead nor time per unit."""
        quiet = [(1, 1e-6)] * 3 + [(10_000, 10e-3)] * 12
        noisy = [*[(1, 1e-6)] * 2, (1, 1.0), *[(10_000, 10e-3)] * 9, *[(10_000, 0.5)] * 3]
        assert _fit(LINEAR, quiet).curves[0].model == _fit(LINEAR, noisy).curves[0].model

    def test_samples_of_a_shared_core_do_not_count_beside_quick_ones(self) -> None:
        """A few hashes on a quiet core outweigh any number on a shared one."""
        quick = [_sample(10_000, 10e-3, shared=False) for _ in range(6)]
        slow = [_sample(10_000, 15e-3, shared=True) for _ in range(50)]
        (alone,), (both,) = (
            fit((LINEAR,), {"rounds": 10_000}, taken).curves for taken in (quick, quick + slow)
        )
        assert alone == both
        assert both.seen_by is SeenBy.THIS_RUN

    def test_samples_of_a_shared_core_have_to_do_where_there_are_no_others(self) -> None:
        """Where hardly a hash ran on a quiet core, all count, and nobody saw it quiet."""
        slow = [_sample(10_000, 15e-3, shared=True) for _ in range(12)]
        quick = _sample(10_000, 10e-3, shared=False)
        (curve,) = fit((LINEAR,), {"rounds": 10_000}, [quick, *slow]).curves
        assert pytest.approx(1.5e-6) == curve.model.seconds_per_unit
        assert curve.seen_by is SeenBy.NOBODY

    def test_a_freak_on_a_quiet_core_does_not_outvote_quicker_hashes_on_a_shared_one(self) -> None:
        """Nothing makes a hash quicker than it is: a step of memory that took 17 ms on a shared
        core does not take the 576 ms of its one hash on a quiet core.
        """
        taken = [(1, 0.576, False), (1, 0.027, True), (1, 0.017, True)]
        taken += [(2, 0.034, False)] * 6
        samples = [
            Sample(
                params={"memory": 32, "passes": passes},
                cpu_seconds=seconds,
                wall_seconds=seconds,
                shared=shared,
            )
            for passes, seconds, shared in taken
        ]
        (curve,) = fit((LADDER, PASSES), {"memory": 1, "passes": 1}, samples).curves
        assert curve.seconds(1) < 0.03
        assert curve.seen_by is SeenBy.THIS_RUN

    def test_a_single_fluke_of_the_clock_is_not_the_answer(self) -> None:
        """One sample that is too short to be true does not become the time per unit."""
        times = [(10_000, 1e-3)] + [(10_000, 10e-3)] * 11
        model = _fit(LINEAR, times).curves[0].model
        assert pytest.approx(1e-6) == model.seconds_per_unit

    def test_the_lowest_cost_alone_has_no_overhead(self) -> None:
        """Where only one cost was timed, all of its time is taken for work."""
        found = _fit(LINEAR, [(1000, 0.02)] * 3)
        assert found.curves[0].model.overhead_seconds == 0.0
        assert pytest.approx(20e-6) == found.curves[0].model.seconds_per_unit
        assert found.curves[0].relative_interval is None

    def test_a_lowest_cost_sampled_most_still_has_an_overhead(self) -> None:
        """Where the lowest cost carries the fit, the highest tells the overhead apart."""
        times = [(1000, 3e-3)] * 12 + [(4000, 6e-3)] * 2
        model = _fit(LINEAR, times).curves[0].model
        assert pytest.approx(2e-3) == model.overhead_seconds
        assert pytest.approx(1e-6) == model.seconds_per_unit

    def test_a_longer_hash_that_was_quicker_does_not_fail_the_hasher(self) -> None:
        """Where noise made the higher cost quicker, it is taken as it was, without an overhead."""
        model = _fit(LINEAR, [(1, 10e-3), (1, 10e-3), (2, 9e-3)]).curves[0].model
        assert model.overhead_seconds == 0
        assert model.seconds_per_unit == pytest.approx(4.5e-3)

    def test_few_samples_are_fitted_where_they_are_longest(self) -> None:
        """Before any cost has six samples, the longest hashes tell the time per unit."""
        times = [(1, 101e-6), (1, 103e-6), (1, 105e-6), (4000, 4.1e-3), (4000, 4.1e-3)]
        model = _fit(LINEAR, times).curves[0].model
        assert pytest.approx(1e-6, rel=0.01) == model.seconds_per_unit

    def test_three_hashes_at_a_higher_cost_overrule_the_model(self) -> None:
        """Three hashes that agree on a tenth more at a higher cost decide the time."""
        below = [(1, 1e-6)] * 3 + [(10_000, 10e-3)] * 12
        above = [(40_000, 44e-3), (40_000, 44.4e-3), (40_000, 60e-3)]
        model = _fit(LINEAR, below + above).curves[0].model
        assert pytest.approx(1.1e-6, rel=0.02) == model.seconds_per_unit

    @pytest.mark.parametrize(
        "above",
        [
            [(40_000, 44e-3)] * 2,
            [(40_000, 40e-3), (40_000, 40.5e-3), (40_000, 44e-3)],
            [(40_000, 60e-3)] * 3,
        ],
        ids=["two hashes", "most agree", "slowed"],
    )
    def test_less_than_three_that_disagree_do_not(self, above: list[tuple[int, float]]) -> None:
        """Slow hashes at a higher cost are noise if they are few, or take far longer than ever."""
        below = [(1, 1e-6)] * 3 + [(10_000, 10e-3)] * 12
        model = _fit(LINEAR, below + above).curves[0].model
        assert pytest.approx(1e-6) == model.seconds_per_unit

    def test_the_interval_holds_the_time_per_unit(self) -> None:
        """An overruled model lies inside the interval that is printed for it."""
        below = [(1, 1e-6)] * 3 + [(10_000, 10e-3)] * 12
        found = _fit(LINEAR, below + [(40_000, 44e-3)] * 3)
        assert pytest.approx((1 / 1.1, 1.0)) == found.curves[0].relative_interval
        found = _fit(LINEAR, below + [(40_000, 36e-3)] * 3)
        assert pytest.approx((1.0, 1 / 0.9)) == found.curves[0].relative_interval

    def test_a_step_that_was_timed_is_not_interpolated(self) -> None:
        """A step whose own time is off the model by more than 3 % keeps its own time."""
        times = [(8, 2.56e-3)] * 12 + [(10, 12e-3), (11, 20.7e-3)]
        (curve,) = _fit(STEPS, times).curves
        assert curve.seconds(10) == 12e-3  # modelled: 10.24 ms
        assert pytest.approx(20.48e-3) == curve.seconds(11)
        assert pytest.approx(40.96e-3) == curve.seconds(12)
        assert {8, 10, 11} == curve.step_seconds.keys()

    def test_no_samples_are_inconclusive(self) -> None:
        """Without a sample the error names the option that gives more time."""
        with pytest.raises(InconclusiveError, match=r"raise --budget$"):
            fit((LINEAR,), {"rounds": 1}, [])

    def test_a_clock_that_stands_still_is_inconclusive(self) -> None:
        """A clock too coarse to see a hash is said to be."""
        with pytest.raises(InconclusiveError, match=r"too coarse for this hasher"):
            _fit(LINEAR, [(1, 0.0)] * 3 + [(1000, 0.0)] * 12)


class TestSolve:
    """From a target to a legal cost."""

    @pytest.mark.parametrize(
        ("target", "rounding", "rounds"),
        [
            (0.04, Rounding.DOWN, 39_900),
            (0.04, Rounding.UP, 40_000),
            (0.04, Rounding.NEAREST, 40_000),
            (0.04001, Rounding.DOWN, 39_900),
            (0.04003, Rounding.NEAREST, 40_000),
            (0.04007, Rounding.NEAREST, 40_000),
            (0.04008, Rounding.NEAREST, 40_000),
        ],
    )
    def test_counts_have_three_digits(
        self, target: float, rounding: Rounding, rounds: int
    ) -> None:
        """A linear count is rounded to three digits in the direction asked for."""
        assert rounds == _value(_known(LINEAR, 1e-6, overhead=30e-6), target, rounding)

    @pytest.mark.parametrize(
        ("target", "rounding", "cost"),
        [
            (0.100, Rounding.DOWN, 10),
            (0.100, Rounding.UP, 11),
            (0.070, Rounding.NEAREST, 10),
            (0.100, Rounding.NEAREST, 11),
            (2e-6 * 2**12, Rounding.UP, 12),
        ],
    )
    def test_steps_are_whole(self, target: float, rounding: Rounding, cost: int) -> None:
        """A step stands below the target, above it, or wherever it is nearer."""
        slow = _known(STEPS, 51.2e-3 / 2**10) if target > 0.01 else _known(STEPS, 2e-6)
        assert cost == _value(slow, target, rounding)

    def test_a_measured_step_decides(self) -> None:
        """Whether a step is within the target is told by its own time where it was timed."""
        fitted = _known(STEPS, 1e-6, _11=1.9e-3)
        assert (10, 11) == (
            _value(fitted, 1.8e-3, Rounding.DOWN),
            _value(fitted, 2.0e-3, Rounding.DOWN),
        )

    def test_an_unreachable_target_says_what_is_reachable(self) -> None:
        """Rounding down below even the lowest cost fails with the time that this cost takes."""
        knob = Knob(name="rounds", scale=Scale.LINEAR, minimum=1000, maximum=10**9)
        with pytest.raises(UnreachableError) as refused:
            solve(_known(knob, 2e-6), 1e-3, Rounding.DOWN)
        assert str(refused.value) == (
            "even the lowest cost, rounds=1000, takes 2.00 ms; raise --target"
        )

    @given(fits(), targets)
    def test_rounded_down_never_exceeds_the_target(self, fitted: Fit, target: float) -> None:
        """Rounded down, one hash takes at most the target, or none that is known does."""
        solution = _solved(fitted, target, Rounding.DOWN)
        if solution is None:
            assert target < min(curve.seconds(curve.lowest) for curve in fitted.curves)
        else:
            assert solution.seconds <= target

    def test_a_count_at_the_very_target_is_within_it(self) -> None:
        """Where division rounds up to a count that takes a bit longer, the one below is it."""
        unit, target = 0.000861, 0.057686999999999995
        assert target / unit == 67.0
        assert target < unit * 67
        assert _value(_known(LINEAR, unit), target, Rounding.DOWN) == 66

    @given(lines(), targets)
    def test_rounded_up_never_falls_short(self, curve: Curve, target: float) -> None:
        """Rounded up, one hash takes at least the target, or is the costliest there is."""
        fitted = Fit(curves=(curve,))
        solution = solve(fitted, target, Rounding.UP)
        assert curve.knob is not None
        assert target * (1 - 1e-12) <= solution.seconds or solution.value == curve.knob.maximum

    @given(fits(), targets)
    def test_nearest_is_one_of_both(self, fitted: Fit, target: float) -> None:
        """The nearest cost is the one below or above, whichever misses by less."""
        nearest, above = (
            solve(fitted, target, rounding) for rounding in (Rounding.NEAREST, Rounding.UP)
        )
        below = _solved(fitted, target, Rounding.DOWN) or above
        best = min((below, above), key=lambda solution: abs(solution.seconds - target))
        assert best.seconds == nearest.seconds

    @given(fits(), targets, targets, roundings)
    def test_a_larger_target_never_gives_a_lower_cost(
        self, fitted: Fit, one: float, other: float, rounding: Rounding
    ) -> None:
        """Whoever allows more time is never told less memory, nor fewer passes over as much."""
        low, high = sorted((one, other))
        weaker, stronger = (_solved(fitted, target, rounding) for target in (low, high))
        if weaker is not None:
            assert stronger is not None
            assert _strength(weaker) <= _strength(stronger)

    @given(fits(), targets, roundings)
    def test_the_cost_is_legal(self, fitted: Fit, target: float, rounding: Rounding) -> None:
        """The cost is in the legal range and has three digits, except at the range's ends."""
        solution = _solved(fitted, target, rounding)
        knob = fitted.curves[0].knob
        if solution is None or knob is None:
            return
        value = solution.value
        assert knob.minimum <= value <= knob.maximum
        if knob.scale is Scale.LINEAR and value not in (knob.minimum, knob.maximum):
            assert value == round_to_digits(value, Rounding.DOWN)


def _strength(solution: Solution) -> tuple[int, int]:
    return solution.curve.memory_bytes, solution.value


def _ladder(*seconds: float, knob: Knob | None = PASSES, overhead: float = 0.0) -> Fit:
    """A fit of steps 1, 2, 4 … whose hashes take so long, each pass as long as the first."""
    turned = knob or LADDER
    curves = []
    for step, time in zip(LADDER.steps, seconds, strict=False):
        fixed = {LADDER.name: step} if knob else {}
        model = CostModel(
            fixed=fixed,
            parameter=turned.name,
            scale=turned.scale,
            overhead_seconds=overhead,
            seconds_per_unit=(time - overhead) / (1 if knob else step),
        )
        params = {LADDER.name: step} | ({knob.name: 1} if knob else {})
        curves.append(Curve(params=params, knob=knob, model=model, memory_bytes=step * MIB))
    return Fit(curves=tuple(curves))


LOWEST: Final[Params] = {"memory": 1, "passes": 1}


class TestLadder:
    """Memory first, then passes."""

    @staticmethod
    def _samples(*times: tuple[int, int, float]) -> list[Sample]:
        return [
            Sample(
                params={"memory": memory, "passes": passes},
                cpu_seconds=seconds,
                wall_seconds=3 * seconds,
            )
            for memory, passes, seconds in times
        ]

    def test_each_step_has_its_own_curve(self) -> None:
        """A hasher that climbs is fitted at each step by itself, the smallest memory first."""
        samples = self._samples(
            *[(64, 1, 0.080)] * 2, *[(1, 1, 1e-3)] * 2, *[(8, 1, 10e-3), (8, 2, 19e-3)] * 3
        )
        found = fit((LADDER, PASSES), LOWEST, samples, memory_bytes=lambda p: p["memory"] * MIB)
        assert [
            ({"memory": memory, "passes": 1}, {"memory": memory}, memory * MIB)
            for memory in (1, 8, 64)
        ] == [(curve.params, curve.model.fixed, curve.memory_bytes) for curve in found.curves]
        assert pytest.approx([1e-3, 10e-3, 80e-3]) == [c.seconds(1) for c in found.curves]

    def test_passes_beyond_the_first_are_a_line(self) -> None:
        """The first pass, which fills the memory, is told apart from those that follow."""
        samples = self._samples(*[(8, 1, 14e-3)] * 2, *[(8, 2, 24e-3)] * 2)
        (curve,) = fit((LADDER, PASSES), LOWEST, samples).curves
        assert pytest.approx(4e-3) == curve.model.overhead_seconds
        assert pytest.approx(10e-3) == curve.model.seconds_per_unit
        assert pytest.approx(54e-3) == curve.seconds(5)

    def test_each_step_tells_its_own_error(self) -> None:
        """Each step has the interval that its own samples leave open, or none with too few."""
        noisy = [(2, 1, 2e-3), *[(2, 1, 4e-3)] * 5]
        steady = [(1, 1, 1e-3)] * 6
        few = [(4, 1, 8e-3)] * 5
        found = fit((LADDER, PASSES), LOWEST, self._samples(*steady, *noisy, *few))
        assert [(1.0, 1.0), (0.5, 1.0), None] == [c.relative_interval for c in found.curves]

    def test_a_step_with_nothing_to_turn_has_its_own_time(self) -> None:
        """A hasher whose only knob is memory is known where it was measured."""
        samples = [
            Sample(params={"memory": step}, cpu_seconds=seconds, wall_seconds=seconds)
            for step, seconds in [(4, 5e-3)] * 6 + [(8, 12e-3)] * 2
        ]
        found = fit((LADDER,), {"memory": 1}, samples)
        assert [5e-3, 12e-3] == pytest.approx([c.seconds(c.lowest) for c in found.curves])
        assert [{"memory": 4}, {"memory": 8}] == [curve.params for curve in found.curves]
        assert [(1.0, 1.0), None] == [curve.relative_interval for curve in found.curves]

    def test_a_step_that_the_clock_did_not_see_is_inconclusive(self) -> None:
        """A clock too coarse to see a step is said to be."""
        samples = [Sample(params={"memory": 1}, cpu_seconds=0.0, wall_seconds=0.0)]
        with pytest.raises(InconclusiveError, match=r"too coarse for this hasher"):
            fit((LADDER,), {"memory": 1}, samples)

    def test_wall_time_counts_where_it_is_asked_for(self) -> None:
        """Of a hash in several threads the time that counts is wall time."""
        found = fit(
            (LADDER, PASSES),
            LOWEST,
            self._samples(*[(1, 1, 1e-3)] * 6),
            seconds=wall_seconds,
        )
        assert pytest.approx(3e-3) == found.curves[0].seconds(1)

    @pytest.mark.parametrize(
        ("target", "rounding", "params"),
        [
            (0.040, Rounding.DOWN, {"memory": 4, "passes": 1}),
            (0.040, Rounding.UP, {"memory": 4, "passes": 2}),
            (0.040, Rounding.NEAREST, {"memory": 4, "passes": 1}),
            (0.055, Rounding.NEAREST, {"memory": 4, "passes": 2}),
            (0.060, Rounding.UP, {"memory": 4, "passes": 2}),
            (0.200, Rounding.DOWN, {"memory": 8, "passes": 2}),
            (0.001, Rounding.NEAREST, {"memory": 1, "passes": 1}),
        ],
    )
    def test_memory_is_spent_before_passes(
        self, target: float, rounding: Rounding, params: Params
    ) -> None:
        """Of memory as much as fits, then as many passes over it as the time allows."""
        fitted = _ladder(5e-3, 10e-3, 30e-3, 90e-3)
        assert params == solve(fitted, target, rounding).params

    @pytest.mark.parametrize(
        ("target", "rounding", "memory"),
        [
            (0.040, Rounding.DOWN, 4),
            (0.040, Rounding.UP, 8),
            (0.040, Rounding.NEAREST, 4),
            (0.070, Rounding.NEAREST, 8),
            (0.030, Rounding.UP, 4),
            (9.0, Rounding.UP, 8),
            (0.001, Rounding.UP, 1),
        ],
    )
    def test_steps_alone(self, target: float, rounding: Rounding, memory: int) -> None:
        """Where there are no passes, a step stands below the target, above it, or nearer."""
        fitted = _ladder(5e-3, 10e-3, 30e-3, 90e-3, knob=None)
        assert {"memory": memory} == solve(fitted, target, rounding).params

    def test_passes_end_where_they_are_legal(self) -> None:
        """Beyond the last legal pass the next step of memory stands above the target."""
        fitted = _ladder(
            5e-3,
            90e-3,
            knob=Knob(name="passes", scale=Scale.LINEAR, minimum=1, maximum=3),
        )
        assert {"memory": 1, "passes": 3} == solve(fitted, 0.04, Rounding.DOWN).params
        assert {"memory": 2, "passes": 1} == solve(fitted, 0.04, Rounding.UP).params

    def test_an_unreachable_target_names_every_param(self) -> None:
        """Where the lowest step takes longer than the target, all its params are named."""
        with pytest.raises(UnreachableError) as refused:
            solve(_ladder(5e-3, 10e-3), 1e-3, Rounding.DOWN)
        assert str(refused.value) == (
            "even the lowest cost, memory=1,passes=1, takes 5.00 ms; raise --target"
        )

    @given(ladders(), targets, roundings)
    def test_only_steps_that_were_measured_are_recommended(
        self, curves: tuple[Curve, ...], target: float, rounding: Rounding
    ) -> None:
        """No memory is recommended that no hash was timed with."""
        fitted = Fit(curves=curves)
        solution = _solved(fitted, target, rounding)
        known = [curve.params["memory"] for curve in curves]
        assert solution is None or solution.params["memory"] in known

    @given(ladders(), targets)
    def test_the_most_memory_that_fits_is_taken(
        self, curves: tuple[Curve, ...], target: float
    ) -> None:
        """Rounded down, no measured step of more memory takes at most the target."""
        fitted = Fit(curves=curves)
        solution = _solved(fitted, target, Rounding.DOWN)
        if solution is not None:
            larger = [c for c in curves if c.memory_bytes > solution.curve.memory_bytes]
            assert all(curve.seconds(curve.lowest) > target for curve in larger)

    def test_the_step_above_each_curve_is_known_where_nothing_was_timed(self) -> None:
        """Of steps 1, 8 and 64 the next untimed ones are 2, 16 and 128; each takes at least
        twice as long as the one below.
        """
        samples = self._samples(*[(1, 1, 1e-3)] * 2, *[(8, 1, 9e-3)] * 2, *[(16, 1, 20e-3)] * 2)
        found = fit((LADDER, PASSES), LOWEST, samples, memory_bytes=lambda p: p["memory"] * MIB)
        one, eight, sixteen = found.curves
        assert found.above(one) == Beyond(
            params={"memory": 2, "passes": 1}, memory_bytes=2 * MIB, least_seconds=2e-3
        )
        assert found.above(eight) is None
        above = found.above(sixteen)
        assert above is not None
        assert ({"memory": 32, "passes": 1}, 32 * MIB) == (above.params, above.memory_bytes)
        assert pytest.approx(40e-3) == above.least_seconds


class TestFloors:
    """A cost that must not fall short of a policy's floor."""

    def test_a_floor_within_the_target_goes_before_a_round_count(self) -> None:
        """Where three digits fall short of a floor that the target reaches, the floor is met to
        the unit, and nothing was raised.
        """
        floors = any_of({"rounds": 65_536})
        solution = solve(_known(LINEAR, 1e-6), 65.54e-3, Rounding.DOWN, floors)
        assert (65_536, None) == (solution.value, solution.raised_from)

    def test_a_cost_that_meets_the_floor_stays(self) -> None:
        """A floor that is met anyway changes nothing."""
        floors = any_of({"rounds": 1000}, enforced=True)
        solution = solve(_known(LINEAR, 1e-6), 40e-3, Rounding.DOWN, floors)
        assert (40_000, None) == (solution.value, solution.raised_from)

    @pytest.mark.parametrize("least", [40_001, 65_537, 2**31 - 1])
    def test_an_enforced_floor_is_met_to_the_unit(self, least: int) -> None:
        """A cost below an enforced floor is raised to it, not to a round count, and says from
        where.
        """
        floors = any_of({"rounds": least}, enforced=True)
        solution = solve(_known(LINEAR, 1e-6), 40e-3, Rounding.DOWN, floors)
        assert (least, {"rounds": 40_000}) == (solution.value, solution.raised_from)
        assert pytest.approx(least * 1e-6) == solution.seconds

    def test_a_floor_that_is_not_enforced_leaves_the_cost(self) -> None:
        """Without being enforced a floor beyond the target changes nothing."""
        floors = any_of({"cost": 12})
        solution = solve(_known(STEPS, 1e-6), 1e-3, Rounding.DOWN, floors)
        assert (9, None) == (solution.value, solution.raised_from)

    def test_a_floor_beyond_the_legal_range_is_never_met(self) -> None:
        """Where no legal value reaches a floor, the cost stays below it."""
        floors = any_of({"cost": 32}, enforced=True)
        solution = solve(_known(STEPS, 1e-6), 1e-3, Rounding.DOWN, floors)
        assert (9, None) == (solution.value, solution.raised_from)

    def test_an_enforced_floor_answers_a_target_out_of_reach(self) -> None:
        """Where not even the lowest cost fits the target, an enforced floor is the answer."""
        fitted, floors = _known(STEPS, 1e-3), any_of({"cost": 10}, enforced=True)
        solution = solve(fitted, 1e-3, Rounding.DOWN, floors)
        assert (10, {"cost": 4}) == (solution.value, solution.raised_from)
        with pytest.raises(UnreachableError):
            solve(fitted, 1e-3, Rounding.DOWN, any_of({"cost": 10}))

    def test_a_floor_that_the_lowest_cost_meets_excuses_no_longer_time(self) -> None:
        """Where the lowest cost meets the floor and takes longer than the target, it is out of
        reach: no floor asks for it.
        """
        floors = any_of({"cost": 4}, enforced=True)
        with pytest.raises(UnreachableError):
            solve(_known(STEPS, 1e-3), 1e-3, Rounding.DOWN, floors)

    def test_memory_that_was_not_timed_cannot_be_enforced(self) -> None:
        """A floor whose memory was not timed answers nothing, and hides no unreachable target."""
        fitted, floors = _ladder(5e-3, 10e-3), any_of({"memory": 64}, enforced=True)
        assert {"memory": 2, "passes": 4} == solve(fitted, 0.04, Rounding.DOWN, floors).params
        with pytest.raises(UnreachableError):
            solve(fitted, 1e-3, Rounding.DOWN, floors)

    def test_the_most_memory_that_meets_a_floor_within_the_target_is_taken(self) -> None:
        """Of alternatives within the target the one with the most memory is taken, then the
        most passes.
        """
        fitted = _ladder(1e-3, 3e-3, 9e-3, 39e-3, 200e-3)
        first, second = {"memory": 2, "passes": 9}, {"memory": 4, "passes": 4}
        assert {"memory": 8, "passes": 1} == solve(fitted, 0.04, Rounding.DOWN).params
        for alternatives in ((first, second), (second, first)):
            solution = solve(fitted, 0.04, Rounding.DOWN, any_of(*alternatives))
            assert (second, None) == (solution.params, solution.raised_from)

    def test_of_several_the_quickest_is_enforced(self) -> None:
        """Beyond the target the alternative that takes the least time is taken."""
        fitted = _ladder(1e-3, 3e-3, 9e-3, 27e-3)
        slow, quick = {"memory": 1, "passes": 90}, {"memory": 4, "passes": 9}
        for alternatives in ((slow, quick), (quick, slow)):
            solution = solve(fitted, 0.04, Rounding.DOWN, any_of(*alternatives, enforced=True))
            assert quick == solution.params
            assert {"memory": 8, "passes": 1} == solution.raised_from

    def test_a_floor_between_two_steps_takes_the_one_above(self) -> None:
        """Memory between two steps that were timed is met by the larger, passes at their least."""
        found = meeting(_ladder(1e-3, 3e-3, 9e-3), any_of({"memory": 3}, {"passes": 2}))
        assert [{"memory": 4, "passes": 1}, {"memory": 1, "passes": 2}] == [
            each.params for each in found
        ]

    def test_steps_alone_are_lifted_too(self) -> None:
        """A hasher whose only knob is memory meets a floor by a step that was timed."""
        floors = any_of({"memory": 3}, enforced=True)
        fitted = _ladder(30e-3, 60e-3, 90e-3, knob=None)
        solution = solve(fitted, 0.04, Rounding.DOWN, floors)
        assert ({"memory": 4}, {"memory": 1}) == (solution.params, solution.raised_from)

    @given(fits(), targets, roundings, st.data())
    def test_a_floor_only_ever_lifts(
        self, fitted: Fit, target: float, rounding: Rounding, data: st.DataObject
    ) -> None:
        """With floors the answer is what it is without, or meets them: within the target, or
        raised where they are enforced; an enforced floor on a measured curve is always met
        where the target is within reach.
        """
        enforced = data.draw(st.booleans())
        floors = data.draw(floors_for(fitted, enforced=enforced))
        plain = _solved(fitted, target, rounding)
        try:
            solution = solve(fitted, target, rounding, floors)
        except UnreachableError:
            assert plain is None
            return
        if solution.raised_from is not None:
            assert enforced
            assert not floors.is_met(solution.raised_from)
            assert floors.is_met(solution.params)
            assert solution.seconds > target
        elif plain is None or solution.params != plain.params:
            assert floors.is_met(solution.params)
            assert solution.seconds <= target
        elif enforced and not floors.is_met(solution.params):
            assert meeting(fitted, floors) == []

    @given(fits(), st.data())
    def test_what_meets_a_floor_just_meets_it(self, fitted: Fit, data: st.DataObject) -> None:
        """Each setting that meets a floor is legal, on a measured curve, and at the very
        alternative wherever the curve allows.
        """
        floors = data.draw(floors_for(fitted, enforced=False))
        for solution in meeting(fitted, floors):
            assert floors.is_met(solution.params)
            assert solution.curve in fitted.curves
            name, knob = solution.curve.model.parameter, solution.curve.knob
            least = {each.get(name, 0) for each in floors.alternatives}
            if knob is not None:
                assert knob.minimum <= solution.value <= knob.maximum
                assert solution.value in least | {solution.curve.lowest}


@pytest.mark.parametrize(
    ("scale", "value", "units"),
    [(Scale.LINEAR, 1000, 1000.0), (Scale.LOG2, 10, 1024.0), (Scale.LADDER, 64, 64.0)],
)
def test_work_is_the_count_or_two_to_its_power(scale: Scale, value: int, units: float) -> None:
    """A unit of work is one of the count, or on a log2 scale two to its power."""
    assert units == work(scale, value)


@given(st.integers(min_value=1, max_value=2**40))
def test_rounding_encloses_the_count(count: int) -> None:
    """Rounded to three digits, a count moves less than 1 % down or up, if at all."""
    down, up = round_to_digits(count, Rounding.DOWN), round_to_digits(count, Rounding.UP)
    assert down <= count <= up
    assert count * 0.99 < down
    assert up < count * 1.01
    assert {"0"} >= set(str(down)[3:]) | set(str(up)[3:])


@pytest.mark.parametrize("count", [1, 99, 100, 999, 1000, 39_900])
def test_a_round_count_stays(count: int) -> None:
    """A count of three digits is left as it is in both directions."""
    assert [count, count] == [
        round_to_digits(count, rounding) for rounding in (Rounding.DOWN, Rounding.UP)
    ]


def test_passes_timed_in_a_slow_stretch_do_not_price_those_that_were_not() -> None:
    """A setting that was sampled itself takes what it took, whatever others took meanwhile."""
    ladder, passes = LADDER, PASSES
    taken = [
        *[(1, 10e-3)] * 2,
        *[(3, 48e-3)] * 20,
        *[(2, 21.7e-3)] * 6,
    ]
    samples = [
        Sample(
            params={"memory": 8, "passes": count}, cpu_seconds=taken_for, wall_seconds=taken_for
        )
        for count, taken_for in taken
    ]
    (curve,) = fit((ladder, passes), {"memory": 8, "passes": 1}, samples).curves
    assert curve.seconds(2) == pytest.approx(21.7e-3)
