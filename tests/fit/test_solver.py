"""From a target to a setting."""

import itertools
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakes import LADDER, LINEAR, PASSES, STEPS, curve_of, step_curve
from hashcost.core.algorithms import strength_of
from hashcost.core.errors import UnreachableError
from hashcost.core.measurement import Fit, Knob, Params, Scale, Surface, work
from hashcost.fit.solver import (
    Answer,
    Constraints,
    Floors,
    Solution,
    answer,
    candidates,
    has_drifted,
    meeting,
    within_reach,
)
from laws import examples
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
    return solution.strength("fake").product


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
        assert {"memory": 1, "passes": 40} == _fitting(fitted, 0.04)
        for alternatives in itertools.permutations((first, second)):
            fitting = _fitting(fitted, 0.04, any_of(*alternatives))
            assert {"memory": 2, "passes": 13} == fitting

    def test_of_several_the_quickest_is_required(self) -> None:
        """Beyond the target the alternative that takes the least time is required."""
        fitted = _ladder(1e-3, 3e-3, 9e-3, 27e-3)
        slow, quick = {"memory": 1, "passes": 90}, {"memory": 4, "passes": 9}
        for alternatives in itertools.permutations((slow, quick)):
            required = _solve(fitted, 0.04, any_of(*alternatives)).required
            assert required is not None
            assert quick == required.params

    def test_each_step_meets_a_floor_at_its_least(self) -> None:
        """Of each step of memory the fewest passes that meet the floors may be required."""
        solutions = meeting(_ladder(1e-3, 3e-3, 9e-3), any_of({"memory": 3}, {"passes": 2}))
        assert [
            {"memory": 1, "passes": 2},
            {"memory": 2, "passes": 2},
            {"memory": 4, "passes": 1},
        ] == [solution.params for solution in solutions]

    def test_of_equally_quick_ones_the_least_memory_is_required(self) -> None:
        """Where two settings meet a minimum in the same time, less memory is required."""
        fitted = _ladder(30e-3, 60e-3, 60e-3)
        required = _solve(fitted, 0.05, any_of({"memory": 2})).required
        assert required is not None
        assert {"memory": 2, "passes": 1} == required.params

    def test_a_quicker_setting_than_the_listed_ones_is_required(self) -> None:
        """What a policy counts as equal work may take less time than the settings it lists."""
        fitted = _ladder(10e-3, 90e-3, 15e-3)
        floors = Floors(
            alternatives=({"memory": 2, "passes": 1},),
            is_met=lambda params: params["memory"] * params["passes"] >= 2,
        )
        required = _solve(fitted, 5e-3, floors).required
        assert required is not None
        assert {"memory": 4, "passes": 1} == required.params

    def test_a_floor_between_two_accepted_values_takes_the_one_above(self) -> None:
        """Where the program takes only some values, the lowest of them that meets the floor is
        required, not the nearest one below.
        """
        hundreds = Constraints(
            nearest=lambda params: {"rounds": max(params["rounds"] // 100 * 100, 100)}
        )
        required = _solve(_known(LINEAR, 1e-3), 0.1, any_of({"rounds": 150}), hundreds).required
        assert required is not None
        assert {"rounds": 200} == required.params

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
        """A floor is required only if the program can meet it, at the next cost that it takes."""
        few = Constraints(nearest=lambda params: {"cost": min(params["cost"], 10)})
        floors = any_of({"cost": 11})
        required = _solve(_known(STEPS, 1e-4), 1e-3, floors, EVEN).required
        assert required is not None
        assert {"cost": 12} == required.params
        assert _solve(_known(STEPS, 1e-4), 1e-3, floors, few).required is None

    def test_the_highest_that_it_does_not_refuse_is_taken(self) -> None:
        """What it refuses is never answered, also not to meet a floor."""
        place = Constraints(refuses=lambda params: params["rounds"] > 12_345)
        solved = _solve(_known(LINEAR, 1e-6), 0.04, any_of({"rounds": 20_000}), place)
        assert ({"rounds": 12_345}, None) == (solved.chosen.params, solved.required)
        with pytest.raises(UnreachableError, match="no cost that the application accepts"):
            _solve(_known(LINEAR, 1e-6), 0.04, None, Constraints(refuses=lambda _: True))

    @pytest.mark.parametrize("highest", [4, 5, 8])
    def test_however_little_it_accepts_the_highest_of_that_is_taken(self, highest: int) -> None:
        """A program that accepts only low costs gets the highest of them, be it the lowest."""
        place = Constraints(refuses=lambda params: params["cost"] > highest)
        fitting = _solve(_known(STEPS, 1e-4), 0.5, None, place).fitting
        assert fitting is not None
        assert {"cost": highest} == fitting.params

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


PASSES_OF_ARGON2: Final = Knob(name="time_cost", scale=Scale.LINEAR, minimum=1, maximum=99)


def _argon2(*seconds: float, sampled: int | None = None) -> Fit:
    """argon2id with 8, 16, 32 … MiB, whose passes take so long each."""
    curves = tuple(
        curve_of(
            PASSES_OF_ARGON2,
            time,
            params={"memory_kib": 8192 << step, "time_cost": 1, "parallelism": 1},
            memory_bytes=(8 << 20) << step,
        )
        for step, time in enumerate(seconds)
    )
    surface = None
    if sampled is not None:
        surface = Surface(block=1.0, sampled_bytes=(1 << 20, sampled), error=(0.0,) * 16)
    return Fit(curves=curves, surface=surface)


passes_take = st.lists(st.floats(0.5, 2.0), min_size=1, max_size=6).map(
    lambda factors: [2e-3 * 2**step * factor for step, factor in enumerate(factors)]
)
"""Seconds of a pass in twice the memory each: about twice as long."""
short_targets = st.floats(min_value=5e-3, max_value=0.5)


class TestStrength:
    """Both attackers count alike, and no candidate changes the worth of another."""

    @examples(300)
    @given(passes_take, short_targets)
    def test_the_highest_product_of_both_prices_is_taken(
        self, seconds: list[float], target: float
    ) -> None:
        """By trying all: memory times the square of the bytes that a guess moves is the highest;
        of several the one with the least memory.
        """
        fitted = _argon2(*seconds)

        def worth(solution: Solution) -> tuple[int, int]:
            memory, passes = solution.params["memory_kib"], solution.params["time_cost"]
            return memory * (memory * (3 * passes - 1)) ** 2, -memory

        fitting = answer("argon2id", fitted, target).fitting
        every = candidates(fitted, target)
        assert fitting == max(every, key=worth, default=None)

    @given(passes_take, short_targets, st.integers(0, 5))
    def test_another_candidate_changes_nothing(
        self, seconds: list[float], target: float, left_out: int
    ) -> None:
        """Without a setting that is not the answer, the answer is the same."""
        fitted = _argon2(*seconds)
        fitting = answer("argon2id", fitted, target).fitting
        kept = [
            curve
            for index, curve in enumerate(fitted.curves)
            if index != left_out or (fitting is not None and curve == fitting.curve)
        ]
        if kept:
            assert fitting == answer("argon2id", Fit(curves=tuple(kept)), target).fitting

    @given(passes_take, targets, st.data())
    def test_a_floor_that_the_answer_meets_changes_nothing(
        self, seconds: list[float], target: float, data: st.DataObject
    ) -> None:
        """A policy or a limit that the answer keeps does not change the answer."""
        fitted = _argon2(*seconds)
        fitting = answer("argon2id", fitted, target).fitting
        floors = data.draw(floors_for(fitted))
        if fitting is not None and floors.is_met(fitting.params):
            assert fitting == answer("argon2id", fitted, target, floors).fitting

    def test_a_tie_takes_less_memory(self) -> None:
        """Four times the memory in half the bytes is worth the same, and less of it is taken."""
        fitted = _argon2(10e-3, 99.0, 100e-3)
        # 8 MiB x 11^2 x 8 MiB^2 = 968; 32 MiB in one pass is less.
        assert answer("argon2id", fitted, 40e-3).chosen.params["time_cost"] == 4
        one = strength_of("argon2id", {"memory_kib": 8, "time_cost": 3, "parallelism": 1})
        other = strength_of("argon2id", {"memory_kib": 32, "time_cost": 1, "parallelism": 1})
        assert (one.product, other.product) == (8 * 64**2 * 1024**3, 32 * 64**2 * 1024**3)


class TestReach:
    """No setting with more than twice the largest memory that was timed is answered."""

    @pytest.mark.parametrize("sampled", [8 << 20, 11 << 20])
    def test_the_answer_lies_within_twice_the_memory(self, sampled: int) -> None:
        """Four times the memory would be stronger, but nothing tells how long it takes."""
        solved = answer("argon2id", _argon2(10e-3, 20e-3, 40e-3, sampled=sampled), 0.1)
        assert {"memory_kib": 16384, "time_cost": 5, "parallelism": 1} == solved.chosen.params
        assert solved.beyond is not None
        assert 32768 == solved.beyond.params["memory_kib"]

    def test_memory_that_would_not_be_the_answer_is_not_missed(self) -> None:
        """Where more memory would be weaker, nothing is said of it."""
        solved = answer("argon2id", _argon2(10e-3, 20e-3, 90.0, sampled=8 << 20), 0.1)
        assert solved.beyond is None

    def test_a_minimum_beyond_it_is_not_required(self) -> None:
        """A policy that asks for more memory than was timed has no setting."""
        floors = any_of({"memory_kib": 32768})
        solved = answer("argon2id", _argon2(10e-3, 20e-3, 40e-3, sampled=8 << 20), 0.01, floors)
        assert solved.required is None
        assert solved.beyond is not None
        assert 32768 == solved.beyond.params["memory_kib"]

    @given(passes_take, targets, st.integers(0, 6))
    def test_it_is_kept_at_every_target(
        self, seconds: list[float], target: float, timed: int
    ) -> None:
        """Whatever the target, every candidate has at most twice the memory that was timed."""
        sampled = (8 << 20) << timed
        fitted = _argon2(*seconds, sampled=sampled)
        solved = answer("argon2id", fitted, target)
        assert solved.chosen.curve.memory_bytes <= 2 * sampled
        assert all(c.memory_bytes <= 2 * sampled for c in within_reach(fitted).curves)


class TestDrift:
    """A cost has drifted if a setting is as dear for both attackers and dearer for one."""

    @pytest.mark.parametrize(
        ("memory", "passes", "drifted"),
        [
            (8192, 9, True),  # The same memory in one pass less.
            (8192, 10, False),
            (16384, 4, True),
            (16384, 5, False),
            (32768, 3, False),  # Dearer for hardware than all that fits.
            (8192, 4, True),
        ],
    )
    def test_it_takes_both_prices(self, memory: int, passes: int, *, drifted: bool) -> None:
        """Beside 8 MiB in ten passes and 16 MiB in five."""
        own = strength_of(
            "argon2id", {"memory_kib": memory, "time_cost": passes, "parallelism": 1}
        )
        assert drifted is has_drifted("argon2id", own, _argon2(10e-3, 20e-3), 0.1)

    @examples(300)
    @given(passes_take, short_targets, st.data())
    def test_the_answer_never_has(
        self, seconds: list[float], target: float, data: st.DataObject
    ) -> None:
        """What is answered has not drifted, whatever the policy."""
        fitted = _argon2(*seconds)
        floors = data.draw(st.none() | floors_for(fitted))
        chosen = answer("argon2id", fitted, target, floors).chosen
        if floors is None or floors.is_met(chosen.params):
            own = chosen.strength("argon2id")
            assert not has_drifted("argon2id", own, fitted, target, floors)

    def test_what_misses_the_minimum_does_not_count(self) -> None:
        """A cost that a policy asks for has not drifted because less memory would be stronger."""
        fitted, floors = _argon2(10e-3, 20e-3, 100e-3), any_of({"memory_kib": 32768})
        chosen = answer("argon2id", fitted, 0.1, floors).chosen
        own = chosen.strength("argon2id")
        assert {"memory_kib": 32768, "time_cost": 1, "parallelism": 1} == chosen.params
        assert has_drifted("argon2id", own, fitted, 0.1)
        assert not has_drifted("argon2id", own, fitted, 0.1, floors)
