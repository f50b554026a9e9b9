"""From samples to a model, and from a target to a cost."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakes import LINEAR, STEPS
from hashcost.errors import InconclusiveError, UnreachableError
from hashcost.model import CostModel, Knob, Rounding, Sample, Scale
from hashcost.solver import Fit, fit, round_to_digits, solve, widen
from strategies import fits, roundings, targets


def _samples(knob: Knob, times: Iterable[tuple[int, float]]) -> list[Sample]:
    return [
        Sample(params={knob.name: value}, cpu_seconds=seconds, wall_seconds=seconds)
        for value, seconds in times
    ]


def _known(
    knob: Knob,
    seconds_per_unit: float,
    overhead: float = 0.0,
    interval: tuple[float, float] = (0.99, 1.02),
    **steps: float,
) -> Fit:
    return Fit(
        knob=knob,
        model=CostModel(
            parameter=knob.name,
            scale=knob.scale,
            overhead_seconds=overhead,
            seconds_per_unit=seconds_per_unit,
        ),
        relative_interval=interval,
        step_seconds={int(step.lstrip("_")): seconds for step, seconds in steps.items()},
    )


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
        model = fit(LINEAR, _samples(LINEAR, times)).model
        assert unit == pytest.approx(model.seconds_per_unit, rel=1e-6)
        assert overhead == pytest.approx(model.overhead_seconds, rel=1e-6, abs=1e-9)

    def test_steps_are_fitted_to_powers_of_two(self) -> None:
        """On a log2 scale time follows two to the power of the knob."""
        times = [(value, 1e-4 + 2e-6 * 2**value) for value in [4] * 3 + [10] * 12]
        model = fit(STEPS, _samples(STEPS, times)).model
        assert Scale.LOG2 is model.scale
        assert pytest.approx(2e-6) == model.seconds_per_unit
        assert pytest.approx(1e-4) == model.overhead_seconds

    def test_overhead_is_never_negative(self) -> None:
        """A machine that speeds up at higher costs is given no negative overhead."""
        times = [(1000, 2e-3)] * 3 + [(10_000, 25e-3)] * 12
        assert fit(LINEAR, _samples(LINEAR, times)).model.overhead_seconds == 0.0

    def test_held_up_samples_do_not_move_the_fit(self) -> None:
        """Samples that the machine held up change neither overhead nor time per unit."""
        quiet = [(1, 1e-6)] * 3 + [(10_000, 10e-3)] * 12
        noisy = [(1, 1e-6), *[(1, 1.0)] * 2, *[(10_000, 10e-3)] * 2, *[(10_000, 0.5)] * 10]
        assert fit(LINEAR, _samples(LINEAR, quiet)).model == (
            fit(LINEAR, _samples(LINEAR, noisy)).model
        )

    def test_a_single_fluke_of_the_clock_is_not_the_answer(self) -> None:
        """One sample that is too short to be true does not become the time per unit."""
        times = [(10_000, 1e-3)] + [(10_000, 10e-3)] * 11
        model = fit(LINEAR, _samples(LINEAR, times)).model
        assert pytest.approx(1e-6) == model.seconds_per_unit

    def test_the_lowest_cost_alone_has_no_overhead(self) -> None:
        """Where only one cost was timed, all of its time is taken for work."""
        found = fit(LINEAR, _samples(LINEAR, [(1000, 0.02)] * 3))
        assert found.model.overhead_seconds == 0.0
        assert pytest.approx(20e-6) == found.model.seconds_per_unit
        assert found.relative_interval is None

    def test_a_lowest_cost_sampled_most_still_has_an_overhead(self) -> None:
        """Where the lowest cost carries the fit, the highest tells the overhead apart."""
        times = [(1000, 3e-3)] * 12 + [(4000, 6e-3)] * 2
        model = fit(LINEAR, _samples(LINEAR, times)).model
        assert pytest.approx(2e-3) == model.overhead_seconds
        assert pytest.approx(1e-6) == model.seconds_per_unit

    def test_few_samples_are_fitted_where_they_are_longest(self) -> None:
        """Before any cost has six samples, the longest hashes tell the time per unit."""
        times = [(1, 101e-6), (1, 103e-6), (1, 105e-6), (4000, 4.1e-3), (4000, 4.1e-3)]
        model = fit(LINEAR, _samples(LINEAR, times)).model
        assert pytest.approx(1e-6, rel=0.01) == model.seconds_per_unit

    def test_three_hashes_at_a_higher_cost_overrule_the_model(self) -> None:
        """Three hashes that agree on more than 3 % off at a higher cost decide the time."""
        below = [(1, 1e-6)] * 3 + [(10_000, 10e-3)] * 12
        above = [(40_000, 44e-3), (40_000, 44.4e-3), (40_000, 60e-3)]
        model = fit(LINEAR, _samples(LINEAR, below + above)).model
        assert pytest.approx(1.1e-6) == model.seconds_per_unit

    @pytest.mark.parametrize(
        "above",
        [
            [(40_000, 44e-3)] * 2,
            [(40_000, 41e-3), (40_000, 44e-3), (40_000, 60e-3)],
        ],
        ids=["two hashes", "one of three agrees"],
    )
    def test_less_than_three_that_disagree_do_not(self, above: list[tuple[int, float]]) -> None:
        """Slow hashes at a higher cost are noise while one of three agrees with the model."""
        below = [(1, 1e-6)] * 3 + [(10_000, 10e-3)] * 12
        model = fit(LINEAR, _samples(LINEAR, below + above)).model
        assert pytest.approx(1e-6) == model.seconds_per_unit

    def test_the_interval_holds_the_time_per_unit(self) -> None:
        """An overruled model lies inside the interval that is printed for it."""
        below = [(1, 1e-6)] * 3 + [(10_000, 10e-3)] * 12
        found = fit(LINEAR, _samples(LINEAR, below + [(40_000, 44e-3)] * 3))
        assert pytest.approx((1 / 1.1, 1.0)) == found.relative_interval
        found = fit(LINEAR, _samples(LINEAR, below + [(40_000, 36e-3)] * 3))
        assert pytest.approx((1.0, 1 / 0.9)) == found.relative_interval

    def test_a_step_that_was_timed_is_not_interpolated(self) -> None:
        """A step whose own time is off the model by more than 3 % keeps its own time."""
        times = [(8, 2.56e-3)] * 12 + [(10, 12e-3), (11, 20.7e-3)]
        found = fit(STEPS, _samples(STEPS, times))
        assert found.seconds(10) == 12e-3  # modelled: 10.24 ms
        assert pytest.approx(20.48e-3) == found.seconds(11)
        assert pytest.approx(40.96e-3) == found.seconds(12)
        assert {8, 10, 11} == found.step_seconds.keys()

    def test_no_samples_are_inconclusive(self) -> None:
        """Without a sample the error names the option that gives more time."""
        with pytest.raises(InconclusiveError, match=r"raise --budget$"):
            fit(LINEAR, [])

    def test_a_clock_that_stands_still_is_inconclusive(self) -> None:
        """A clock too coarse to see a hash is said to be."""
        with pytest.raises(InconclusiveError, match=r"clock is too coarse"):
            fit(LINEAR, _samples(LINEAR, [(1, 0.0)] * 3 + [(1000, 0.0)] * 12))


class TestWiden:
    """An interval that holds between runs."""

    def test_drift_adds_to_both_ends(self) -> None:
        """The drift between runs adds to what one run leaves open as independent errors do."""
        widened = widen(_known(LINEAR, 1e-6, interval=(0.97, 1.05)), 0.04, ())
        assert pytest.approx((1 - 0.05, 1 + 0.0640312)) == widened.relative_interval

    def test_no_time_is_below_zero(self) -> None:
        """A machine that wanders by more than its own speed has no negative time."""
        widened = widen(_known(LINEAR, 1e-6), 2.0, ())
        assert widened.relative_interval is not None
        assert widened.relative_interval[0] >= 0.0

    def test_past_runs_widen_further(self) -> None:
        """A run of the past that lies outside is taken in, on its side alone."""
        widened = widen(_known(LINEAR, 1e-6), 0.0, [1.0e-6, 1.2e-6])
        assert pytest.approx((0.99, 1.2)) == widened.relative_interval

    @given(
        fits(),
        st.floats(min_value=0.0, max_value=1.0),
        st.lists(st.floats(min_value=1e-9, max_value=1e-3), max_size=50),
    )
    def test_it_never_narrows(self, fitted: Fit, drift: float, past: list[float]) -> None:
        """No drift and no past make an interval narrower, or make one where there was none."""
        before, after = fitted.relative_interval, widen(fitted, drift, past).relative_interval
        if before is None or after is None:
            assert before is after
            return
        assert 0.0 <= after[0] <= min(before[0], 1 - drift) + 1e-12
        assert max(before[1], 1 + drift) <= after[1] + 1e-12


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
        assert rounds == solve(_known(LINEAR, 1e-6, overhead=30e-6), target, rounding)

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
        assert cost == solve(slow, target, rounding)

    def test_a_measured_step_decides(self) -> None:
        """Whether a step is within the target is told by its own time where it was timed."""
        fitted = _known(STEPS, 1e-6, _11=1.9e-3)
        assert (10, 11) == (
            solve(fitted, 1.8e-3, Rounding.DOWN),
            solve(fitted, 2.0e-3, Rounding.DOWN),
        )

    def test_an_unreachable_target_says_what_is_reachable(self) -> None:
        """Rounding down below the lowest legal cost fails with the time that this cost takes."""
        knob = Knob(name="rounds", scale=Scale.LINEAR, minimum=1000, maximum=10**9)
        with pytest.raises(UnreachableError) as refused:
            solve(_known(knob, 2e-6), 1e-3, Rounding.DOWN)
        assert str(refused.value) == (
            "the lowest legal cost, rounds 1,000, takes 2.00 ms; raise --target"
        )

    @given(fits(), targets)
    def test_rounded_down_never_exceeds_the_target(self, fitted: Fit, target: float) -> None:
        """Rounded down, one hash takes at most the target."""
        try:
            value = solve(fitted, target, Rounding.DOWN)
        except UnreachableError:
            assert fitted.seconds(fitted.knob.minimum) > target
            return
        assert fitted.seconds(value) <= target

    def test_a_count_at_the_very_target_is_within_it(self) -> None:
        """Where division rounds up to a count that takes a bit longer, the one below is it."""
        unit, target = 0.000861, 0.057686999999999995
        assert target / unit == 67.0
        assert target < unit * 67
        assert solve(_known(LINEAR, unit), target, Rounding.DOWN) == 66

    @given(fits(), targets)
    def test_rounded_up_never_falls_short(self, fitted: Fit, target: float) -> None:
        """Rounded up, one hash takes at least the target, or is the costliest there is."""
        value = solve(fitted, target, Rounding.UP)
        assert target * (1 - 1e-12) <= fitted.seconds(value) or value == fitted.knob.maximum

    @given(fits(), targets)
    def test_nearest_is_one_of_both(self, fitted: Fit, target: float) -> None:
        """The nearest cost is the one below or above, whichever misses by less."""
        nearest, above = (
            solve(fitted, target, rounding) for rounding in (Rounding.NEAREST, Rounding.UP)
        )
        try:
            below = solve(fitted, target, Rounding.DOWN)
        except UnreachableError:
            below = above
        best = min((below, above), key=lambda value: abs(fitted.seconds(value) - target))
        assert fitted.seconds(best) == fitted.seconds(nearest)

    @given(fits(), targets, targets, roundings)
    def test_a_larger_target_never_gives_a_lower_cost(
        self, fitted: Fit, one: float, other: float, rounding: Rounding
    ) -> None:
        """Whoever allows more time is never told a weaker cost."""
        low, high = sorted((one, other))
        try:
            weaker = solve(fitted, low, rounding)
        except UnreachableError:
            weaker = 0
        try:
            stronger = solve(fitted, high, rounding)
        except UnreachableError:
            stronger = 0
        assert weaker <= stronger

    @given(fits(), targets, roundings)
    def test_the_cost_is_legal(self, fitted: Fit, target: float, rounding: Rounding) -> None:
        """The cost is in the legal range and has three digits, except at the range's ends."""
        knob = fitted.knob
        try:
            value = solve(fitted, target, rounding)
        except UnreachableError:
            value = knob.minimum
        assert knob.minimum <= value <= knob.maximum
        if knob.scale is Scale.LINEAR and value not in (knob.minimum, knob.maximum):
            assert value == round_to_digits(value, Rounding.DOWN)


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
