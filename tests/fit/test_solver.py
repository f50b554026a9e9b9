"""From a target to a setting."""

import itertools
import math
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakes import LADDER, LINEAR, PASSES, STEPS, curve_of, step_curve
from hashcost.core.algorithms import area_time, guess_traffic
from hashcost.core.errors import UnreachableError
from hashcost.core.measurement import Fit, Knob, Params, Scale, work
from hashcost.fit.solver import (
    Answer,
    Constraints,
    Floors,
    Solution,
    answer,
    meeting,
    strongest_moving,
)
from strategies import any_of, fits, floors_for, targets


def _known(knob: Knob, seconds_per_unit: float, overhead: float = 0.0) -> Fit:
    return Fit(curves=(curve_of(knob, seconds_per_unit, overhead),))


def _ladder(*seconds: float, knob: Knob | None = PASSES) -> Fit:
    """A fit of steps 1, 2, 4 … whose hashes take so long, each pass as long as the first."""
    pairs = zip(LADDER.steps, seconds, strict=False)
    return Fit(curves=tuple(step_curve(step, time, knob) for step, time in pairs))


def _solve(
    fitted: Fit,
    target: float,
    floors: Floors | None = None,
    constraints: Constraints | None = None,
) -> Answer:
    return answer("fake", fitted, target, floors, constraints or Constraints())


def _fitting(fitted: Fit, target: float, floors: Floors | None = None) -> Params | None:
    solution = _solve(fitted, target, floors).fitting
    return None if solution is None else solution.params


def _strength(solution: Solution) -> float:
    return area_time("fake")(solution.params, solution.curve.memory_bytes)


class TestTarget:
    """One hash takes at most the target, and as long as it may."""

    @pytest.mark.parametrize(
        ("target", "rounds"), [(0.04, 39_900), (0.04001, 39_900), (0.04003, 40_000)]
    )
    def test_counts_have_three_digits(self, target: float, rounds: int) -> None:
        """A linear count is rounded down to three digits."""
        assert {"rounds": rounds} == _fitting(_known(LINEAR, 1e-6, overhead=30e-6), target)

    @pytest.mark.parametrize(("target", "cost"), [(0.1023, 9), (0.1024, 10), (0.2047, 10)])
    def test_steps_are_whole(self, target: float, cost: int) -> None:
        """A step stands at the target or below it."""
        assert {"cost": cost} == _fitting(_known(STEPS, 1e-4), target)

    def test_a_count_at_the_very_target_is_within_it(self) -> None:
        """Where division rounds up to a count that takes a bit longer, the one below is it."""
        unit, target = 0.000861, 0.057686999999999995
        assert target / unit == 67.0
        assert target < unit * 67
        assert {"rounds": 66} == _fitting(_known(LINEAR, unit), target)

    def test_passes_end_where_they_are_legal(self) -> None:
        """No more passes are taken than the algorithm has."""
        few = Knob(name="passes", scale=Scale.LINEAR, minimum=1, maximum=3)
        assert {"memory": 1, "passes": 3} == _fitting(_ladder(5e-3, 90e-3, knob=few), 0.04)

    @given(fits(), targets)
    def test_nothing_stronger_fits(self, fitted: Fit, target: float) -> None:
        """By trying every setting with three digits: the answer is legal, within the target,
        and as strong as any that is.
        """
        solved = _solve(fitted, target)
        within = [solution for solution in _every(fitted, target) if solution.seconds <= target]
        if solved.fitting is None:
            assert within == []
            assert solved.chosen == solved.lowest
            return
        assert solved.fitting.seconds <= target
        assert max(map(_strength, within)) == _strength(solved.fitting)
        assert solved.fitting in within

    @given(fits(), targets, targets)
    def test_a_larger_target_never_gives_a_weaker_setting(
        self, fitted: Fit, one: float, other: float
    ) -> None:
        """More time never means a weaker setting."""
        weaker, stronger = (_solve(fitted, target).fitting for target in sorted((one, other)))
        if weaker is not None:
            assert stronger is not None
            assert _strength(weaker) <= _strength(stronger)


def _every(fitted: Fit, target: float) -> list[Solution]:
    """Every legal setting of three digits near the target, and the lowest and the highest."""
    solutions = []
    for curve in fitted.curves:
        values = {curve.lowest}
        if curve.knob is not None and curve.knob.doubles:
            values |= set(range(curve.lowest, curve.knob.maximum + 1))
        elif curve.knob is not None:
            exact = (target - curve.model.overhead_seconds) / curve.model.seconds_per_unit
            near = int(min(max(exact, 1), curve.knob.maximum))
            size = 10 ** max(len(str(near)) - 3, 0)
            digits = {(near // size + step) * size for step in range(-2, 3)}
            values |= {v for v in digits if curve.lowest <= v <= curve.knob.maximum}
        solutions += [Solution(curve=curve, value=value) for value in values]
    return solutions


class TestFloors:
    """A policy's floor is met within the target, or beyond it by a second setting."""

    def test_a_floor_within_the_target_goes_before_a_round_count(self) -> None:
        """Where three digits fall short of a floor that the target reaches, it is met to the
        unit.
        """
        solved = _solve(_known(LINEAR, 1e-6), 65.54e-3, any_of({"rounds": 65_536}))
        assert solved.fitting is not None
        assert ({"rounds": 65_536}, None) == (solved.fitting.params, solved.required)

    @pytest.mark.parametrize("least", [40_001, 65_537, 2**31 - 1])
    def test_a_floor_beyond_the_target_is_met_to_the_unit(self, least: int) -> None:
        """What fits stays the answer for the target; what is required is the floor itself."""
        solved = _solve(_known(LINEAR, 1e-6), 40e-3, any_of({"rounds": least}))
        assert solved.fitting is not None
        assert solved.required is not None
        assert {"rounds": 40_000} == solved.fitting.params
        assert {"rounds": least} == solved.required.params == solved.chosen.params
        assert pytest.approx(least * 1e-6) == solved.required.seconds

    def test_a_floor_beyond_the_legal_range_is_never_met(self) -> None:
        """Where no legal value reaches a floor, nothing is required."""
        solved = _solve(_known(STEPS, 1e-6), 1e-3, any_of({"cost": 32}))
        assert ({"cost": 9}, None) == (solved.chosen.params, solved.required)

    def test_a_floor_answers_a_target_out_of_reach(self) -> None:
        """Where not even the lowest cost fits the target, the floor is still required."""
        solved = _solve(_known(STEPS, 1e-3), 1e-3, any_of({"cost": 10}))
        assert (None, {"cost": 10}) == (solved.fitting, solved.chosen.params)

    def test_the_lowest_cost_beyond_the_target_is_required_by_a_floor(self) -> None:
        """A floor takes precedence over the target, also where the lowest cost meets it."""
        solved = _solve(_known(STEPS, 1e-3), 1e-3, any_of({"cost": 4}))
        assert solved.fitting is None
        assert solved.required == solved.lowest

    def test_memory_beyond_the_ladder_is_not_required(self) -> None:
        """A floor of more memory than was allowed is met by nothing."""
        solved = _solve(_ladder(5e-3, 10e-3), 0.04, any_of({"memory": 64}))
        assert ({"memory": 2, "passes": 4}, None) == (solved.chosen.params, solved.required)

    def test_the_strongest_that_meets_a_floor_within_the_target_is_taken(self) -> None:
        """A stronger setting that misses the floor gives way, whatever the order of
        alternatives.
        """
        fitted = _ladder(1e-3, 3e-3, 9e-3, 39e-3)
        first, second = {"memory": 2, "passes": 9}, {"memory": 4, "passes": 4}
        assert {"memory": 8, "passes": 1} == _fitting(fitted, 0.04)
        for alternatives in itertools.permutations((first, second)):
            assert second == _fitting(fitted, 0.04, any_of(*alternatives))

    def test_of_several_the_quickest_is_required(self) -> None:
        """Beyond the target the alternative that takes the least time is required."""
        fitted = _ladder(1e-3, 3e-3, 9e-3, 27e-3)
        slow, quick = {"memory": 1, "passes": 90}, {"memory": 4, "passes": 9}
        for alternatives in itertools.permutations((slow, quick)):
            required = _solve(fitted, 0.04, any_of(*alternatives)).required
            assert required is not None
            assert quick == required.params

    def test_a_floor_between_two_steps_takes_the_one_above(self) -> None:
        """Memory between two steps is met by the larger, passes at their least."""
        solutions = meeting(_ladder(1e-3, 3e-3, 9e-3), any_of({"memory": 3}, {"passes": 2}))
        assert [{"memory": 4, "passes": 1}, {"memory": 1, "passes": 2}] == [
            solution.params for solution in solutions
        ]

    def test_steps_without_passes_are_lifted_too(self) -> None:
        """A hasher whose only knob is memory meets a floor by the next step."""
        solved = _solve(_ladder(30e-3, 60e-3, 90e-3, knob=None), 0.04, any_of({"memory": 3}))
        assert ({"memory": 1}, {"memory": 4}) == (
            solved.fitting and solved.fitting.params,
            solved.required and solved.required.params,
        )

    @given(fits(), targets, st.data())
    def test_a_floor_only_ever_lifts(
        self, fitted: Fit, target: float, data: st.DataObject
    ) -> None:
        """What fits the target with floors is what fits without, or meets them; what is
        required meets them beyond the target, and only where nothing within does.
        """
        floors = data.draw(floors_for(fitted))
        plain, solved = _solve(fitted, target), _solve(fitted, target, floors)
        if solved.fitting != plain.fitting:
            assert solved.fitting is not None
            assert floors.is_met(solved.fitting.params)
            assert solved.fitting.seconds <= target
        if solved.required is not None:
            assert floors.is_met(solved.required.params)
            assert solved.required.seconds > target
            assert not floors.is_met((solved.fitting or solved.lowest).params)
        elif not floors.is_met(solved.chosen.params):
            assert meeting(fitted, floors) == []

    @given(fits(), st.data())
    def test_what_meets_a_floor_just_meets_it(self, fitted: Fit, data: st.DataObject) -> None:
        """Each setting that meets a floor is legal, and at the very alternative wherever the
        curve allows.
        """
        floors = data.draw(floors_for(fitted))
        for solution in meeting(fitted, floors):
            assert floors.is_met(solution.params)
            assert solution.curve in fitted.curves
            name, knob = solution.curve.model.parameter, solution.curve.knob
            least = {alternative.get(name, 0) for alternative in floors.alternatives}
            if knob is not None:
                assert knob.minimum <= solution.value <= knob.maximum
                assert solution.value in least | {solution.curve.lowest}


EVEN: Final = Constraints(nearest=lambda params: {"cost": max(params["cost"] & ~1, 6)})


class TestConstraints:
    """The program that will hash accepts some settings only, and takes its own time."""

    @pytest.mark.parametrize(
        ("target", "chosen", "fits"), [(0.1024, 10, True), (0.0512, 8, True), (1e-3, 6, False)]
    )
    def test_what_it_makes_of_a_setting_is_what_is_answered(
        self, target: float, chosen: int, *, fits: bool
    ) -> None:
        """The nearest setting that it holds is timed; the least that it holds may be too slow."""
        solved = _solve(_known(STEPS, 1e-4), target, None, EVEN)
        assert ({"cost": chosen}, fits) == (solved.chosen.params, solved.fitting is not None)

    def test_a_floor_that_it_does_not_keep_is_not_required(self) -> None:
        """A floor is required only if the program still meets it."""
        floors = any_of({"cost": 11})
        assert _solve(_known(STEPS, 1e-4), 1e-3, floors, EVEN).required is None
        assert _solve(_known(STEPS, 1e-4), 1e-3, floors).required is not None

    def test_the_highest_that_it_does_not_refuse_is_taken(self) -> None:
        """What it refuses is never answered, also not to meet a floor."""
        place = Constraints(refuses=lambda params: params["rounds"] > 12_345)
        solved = _solve(_known(LINEAR, 1e-6), 0.04, any_of({"rounds": 20_000}), place)
        assert ({"rounds": 12_345}, None) == (solved.chosen.params, solved.required)
        with pytest.raises(UnreachableError, match="refuses every cost"):
            _solve(_known(LINEAR, 1e-6), 0.04, None, Constraints(refuses=lambda _: True))

    def test_its_own_time_counts(self) -> None:
        """The target is for a hash there; the factor may differ from memory to memory."""
        place = Constraints(factor=lambda params: 4.0 if params["memory"] > 2 else 2.0)
        fitted = _ladder(5e-3, 10e-3, 20e-3)
        assert {"memory": 4, "passes": 2} == _fitting(fitted, 0.04)
        assert {"memory": 2, "passes": 2} == _solve(fitted, 0.04, None, place).chosen.params
        required = _solve(fitted, 0.04, any_of({"memory": 4}, {"passes": 9}), place).required
        assert required is not None
        assert {"memory": 4, "passes": 1} == required.params

    @given(fits(), targets, st.sampled_from([0.5, 1.0, 3.0]))
    def test_a_factor_is_another_target(self, fitted: Fit, target: float, factor: float) -> None:
        """A program that takes so many times as long is given what fits a shorter target."""
        there = _solve(fitted, target, None, Constraints(factor=lambda _: factor))
        assert there == _solve(fitted, target / factor)


@pytest.mark.parametrize(
    ("scale", "value", "units"),
    [(Scale.LINEAR, 12, 12.0), (Scale.LOG2, 12, 4096.0), (Scale.LADDER, 12, 12.0)],
)
def test_work_is_the_count_or_two_to_its_power(scale: Scale, value: int, units: float) -> None:
    """A step doubles the work, a count adds to it."""
    assert units == work(scale, value)


def test_what_moves_as_many_bytes_is_chosen_as_by_trying_all() -> None:
    """Over every setting of a small ladder and every one to keep up with: of those that do as much
    work and move 95 % of its bytes, those within 90 % of the highest area-time cost are about as
    strong, and the one that moves the most is taken.
    """
    choices = [
        Solution(
            curve=curve_of(
                Knob(name="time_cost", scale=Scale.LINEAR, minimum=1, maximum=9),
                1e-6 * memory,
                params={"memory_kib": memory, "time_cost": 1, "parallelism": 1},
                memory_bytes=memory << 10,
            ),
            value=passes,
        )
        for memory in range(1000, 2000, 70)
        for passes in (1, 2, 3)
    ]
    strength = area_time("argon2id")

    def moves(params: Params) -> float:
        return guess_traffic("argon2id", params) or 0.0

    for least in choices:
        own = math.prod(least.params.values())
        enough = [one for one in choices if math.prod(one.params.values()) >= own]
        enough = [one for one in enough if moves(one.params) >= 0.95 * moves(least.params)]
        costs = [strength(one.params, one.curve.memory_bytes) for one in enough]
        strong = [o for o, cost in zip(enough, costs, strict=True) if cost >= 0.9 * max(costs)]
        expected = max(strong, key=lambda one: moves(one.params))
        assert expected == strongest_moving("argon2id", choices, least.params)
