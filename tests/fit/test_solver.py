"""From a target to a cost."""

from __future__ import annotations

from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakes import LADDER, LINEAR, MIB, PASSES, STEPS
from hashcost.core.errors import UnreachableError
from hashcost.core.measurement import CostModel, Curve, Fit, Knob, Params, Scale, work
from hashcost.core.profile import Rounding
from hashcost.fit.solver import Solution, meeting, round_to_digits, solve
from strategies import any_of, fits, floors_for, ladders, lines, roundings, targets


def _known(
    knob: Knob,
    seconds_per_unit: float,
    overhead: float = 0.0,
    interval: tuple[float, float] = (0.99, 1.02),
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
