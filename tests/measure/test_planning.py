"""The plan of one hasher, driven by hand."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable
from operator import mul

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakes import LADDER, LINEAR, MIB, PASSES, STEPS
from hashcost.core.errors import UnreachableError
from hashcost.core.measurement import Knob, Params, Sample, Scale, work
from hashcost.core.profile import Rounding
from hashcost.fit.curves import cpu_seconds, fit, wall_seconds
from hashcost.fit.solver import Floors, solve
from hashcost.measure.effort import FAST, NORMAL, PRECISE, Effort
from hashcost.measure.planning import Problem, Request
from hashcost.measure.target_session import plan_for
from strategies import any_of, knobs, roundings, targets

EFFORTS = [FAST, NORMAL, PRECISE]
SCALES = [Scale.LINEAR, Scale.LOG2]


def always() -> bool:
    """The core was watched for long enough, and may be watched on."""
    return True


def _answer(
    problem: Problem,
    seconds: Callable[[Params], float],
    shared: Callable[[], bool | None] = lambda: None,
) -> tuple[list[Request], list[Sample]]:
    """Answer each request at once, as a machine would on which a hash takes this long.

    ``shared`` says whether the core was, while the next hash ran.
    """
    steps = plan_for(problem)
    requests, samples = [next(steps)], list[Sample]()
    while True:
        params = requests[-1].params
        taken = seconds(params)
        samples.append(
            Sample(params=params, cpu_seconds=taken, wall_seconds=taken, shared=shared())
        )
        try:
            requests.append(steps.send(samples[-1]))
        except StopIteration:
            return requests, samples


def _drive(
    knob: Knob,
    seconds: Callable[[int], float],
    target: float,
    rounding: Rounding = Rounding.DOWN,
    effort: Effort = NORMAL,
    floors: Floors | None = None,
    is_settled: Callable[[], bool] = always,
    has_patience: Callable[[], bool] = always,
    shared: Callable[[], bool | None] = lambda: None,
    *,
    is_known: bool = False,
) -> tuple[list[Request], list[Sample]]:
    """The same for a hasher with one knob."""
    problem = Problem(
        knobs=(knob,),
        lowest={knob.name: knob.minimum},
        target_seconds=target,
        rounding=rounding,
        effort=effort,
        seconds=cpu_seconds,
        memory_bytes=lambda params: 1024,
        floors=floors,
        is_settled=is_settled,
        has_patience=has_patience,
        is_known=lambda: is_known,
    )
    return _answer(problem, lambda params: seconds(params[knob.name]), shared)


def _solved(
    knob: Knob, samples: list[Sample], target: float, rounding: Rounding = Rounding.DOWN
) -> int:
    """The value that these samples lead to."""
    return solve(fit((knob,), {knob.name: knob.minimum}, samples), target, rounding).value


def _one_microsecond(value: int) -> float:
    return 1e-6 * value


def _fifty_microseconds(cost: int) -> float:
    return 50e-6 * 2.0 ** (cost - 4)


def _values(requests: list[Request]) -> list[int]:
    return [value for request in requests for value in request.params.values()]


def _sampled(requests: list[Request]) -> int:
    """The value that carries the fit."""
    return Counter(_values(requests)).most_common(1)[0][0]


def _check_path(
    requests: list[Request], probes: list[int], answers: list[int], effort: Effort = NORMAL
) -> None:
    """Between probes and answers the value that carries the fit is timed as often as wanted."""
    values, sampled = _values(requests), _sampled(requests)
    before, between = values[: -len(answers)], values[len(probes) : -len(answers)]
    assert [*probes, *between, *answers] == values
    assert {*between} <= {sampled, probes[0]}
    assert effort.samples == before.count(sampled)


def test_a_linear_knob_is_probed_sampled_and_confirmed() -> None:
    """The lowest cost, growth by four up to 2 ms, samples, and one hash at the answer."""
    requests, _ = _drive(LINEAR, _one_microsecond, 0.03995)
    grown = [4**power for power in range(1, 7) for _ in range(2)]
    _check_path(requests, [1, 1, 1, *grown], [39_900])


def test_a_step_knob_is_bracketed() -> None:
    """The step above the answer is timed too."""
    requests, _ = _drive(STEPS, _fifty_microseconds, 0.040)
    _check_path(requests, [4, 4, 4, 6, 6, 8, 8, 10, 10], [13, 14])


def test_fast_effort_leaves_the_bracket_out() -> None:
    """FAST takes fewer samples, and only one hash at the answer."""
    requests, _ = _drive(STEPS, _fifty_microseconds, 0.040, effort=FAST)
    _check_path(requests, [4, 4, 4, 6, 6, 8, 8, 10, 10], [13], FAST)


def test_precise_effort_confirms_five_times() -> None:
    """PRECISE takes more samples, and times the answer five times."""
    requests, _ = _drive(LINEAR, _one_microsecond, 0.03995, effort=PRECISE)
    count = Counter(_values(requests))
    assert (PRECISE.samples, 5) == (count[_sampled(requests)], count[39_900])


@pytest.mark.parametrize("effort", EFFORTS, ids=["fast", "normal", "precise"])
def test_samples_are_short(effort: Effort) -> None:
    """The samples that carry the fit take a quarter of the target, or the effort's length."""
    for target in (0.010, 0.250):
        requests, _ = _drive(LINEAR, _one_microsecond, target, effort=effort)
        length = min(target / 4, effort.sample_seconds)
        assert length == pytest.approx(_one_microsecond(_sampled(requests)), rel=0.001)


def test_a_hasher_slow_at_its_lowest_cost_is_sampled_there() -> None:
    """Where the lowest cost takes longer than a sample should, it is the sample."""
    knob = Knob(name="rounds", scale=Scale.LINEAR, minimum=1000, maximum=10**9)
    requests, _ = _drive(knob, lambda value: 50e-6 * value, 0.1)
    assert [1000] * NORMAL.samples + [2000] == _values(requests)


@pytest.mark.parametrize("scale", SCALES)
def test_growth_ends_at_the_highest_cost(scale: Scale) -> None:
    """A hasher that is quick at its highest cost is sampled there, and no higher."""
    knob = Knob(name="turns", scale=scale, minimum=1, maximum=6)
    requests, _ = _drive(knob, lambda value: 1e-6 * work(knob.scale, value), 0.040)
    middle = [4, 4] if scale is Scale.LINEAR else [3, 3, 5, 5]
    _check_path(requests, [1, 1, 1, *middle, 6, 6], [6])


def test_an_unreachable_target_is_not_confirmed() -> None:
    """Where the lowest cost takes longer than the target, no hash is timed beyond the samples."""
    requests, samples = _drive(STEPS, lambda value: 0.05 * 2 ** (value - 4), 0.040)
    assert [4] * NORMAL.samples == _values(requests)
    with pytest.raises(UnreachableError):
        _solved(STEPS, samples, 0.040)


def _with_a_cliff(value: int) -> float:
    """A hasher that falls out of a cache: 12 % slower from 20,000 on."""
    return 1e-6 * value * (1.12 if value >= 20_000 else 1.0)


def test_a_nonlinear_hasher_is_refitted_where_the_answer_is() -> None:
    """A hash that misses the model is timed three times, and the cost solved again there."""
    requests, samples = _drive(LINEAR, _with_a_cliff, 0.03995)
    assert [39_900, 39_900, 39_900, 35_600] == _values(requests)[-4:]
    solved = _solved(LINEAR, samples, 0.03995)
    assert solved == 35_600
    assert _with_a_cliff(solved) <= 0.03995 < _with_a_cliff(solved + 100)


def test_one_slow_confirmation_does_not_lower_the_cost() -> None:
    """A hash at the answer that was held up once is noise, not a slower hasher."""
    held_up = {39_900: 0.060}

    def seconds(value: int) -> float:
        return held_up.pop(value, _one_microsecond(value))

    requests, samples = _drive(LINEAR, seconds, 0.03995)
    assert [39_900] * 3 == _values(requests)[-3:]
    assert _solved(LINEAR, samples, 0.03995) == 39_900


def test_one_slow_probe_does_not_shrink_the_samples() -> None:
    """A probe that was held up once does not make the samples shorter than they should be."""
    held_up = {1: 0.005, 64: 0.005, 4096: 0.040}

    def seconds(value: int) -> float:
        return held_up.pop(value, _one_microsecond(value))

    undisturbed, _ = _drive(LINEAR, _one_microsecond, 0.03995)
    requests, _ = _drive(LINEAR, seconds, 0.03995)
    assert _values(undisturbed) == _values(requests)


def test_a_step_that_turns_out_too_slow_gives_way_to_the_one_below() -> None:
    """A step whose own time exceeds the target is not the answer, whatever the model said."""

    def seconds(value: int) -> float:
        return _fifty_microseconds(value) * (1.5 if value >= 13 else 1.0)

    requests, samples = _drive(STEPS, seconds, 0.030)
    assert [*[13] * 3, *[14] * 3, 12, 13] == _values(requests)[-8:]
    assert _solved(STEPS, samples, 0.030) == 12


@pytest.mark.parametrize("factor", [1.05, 0.95], ids=["slower", "faster"])
@pytest.mark.parametrize("knob", [LINEAR, STEPS], ids=["linear", "log2"])
def test_a_machine_that_never_agrees_is_given_up(knob: Knob, factor: float) -> None:
    """A machine on which no two answers agree is asked for three, and no more."""
    rounds = itertools.count()

    def seconds(value: int) -> float:
        return 1e-6 * work(knob.scale, value) * float(factor ** next(rounds))

    requests, _ = _drive(knob, seconds, 0.040)
    values = _values(requests)
    last_sample = len(values) - values[::-1].index(_sampled(requests))
    answers = values[last_sample:]
    assert len(answers) > 1
    assert len(answers) <= 3 * (3 + 3)


@given(
    knobs(),
    st.floats(min_value=1e-8, max_value=1e-3),
    st.floats(min_value=0.0, max_value=1e-3),
    targets,
    roundings,
    st.sampled_from([FAST, NORMAL]),
)
def test_on_a_perfect_machine_the_plan_leads_to_the_answer(
    knob: Knob,
    unit: float,
    overhead: float,
    target: float,
    rounding: Rounding,
    effort: Effort,
) -> None:
    """Every request is legal, its time foreseen, and the answer itself was timed."""

    def seconds(value: int) -> float:
        return overhead + unit * work(knob.scale, value)

    requests, samples = _drive(knob, seconds, target, rounding, effort)
    fitted = fit((knob,), {knob.name: knob.minimum}, samples)
    (curve,) = fitted.curves
    assert all(knob.minimum <= value <= knob.maximum for value in _values(requests))
    assert all(
        request.expected_seconds <= 8 * sample.cpu_seconds
        for request, sample in zip(requests, samples, strict=True)
    )
    assert curve.seconds(knob.minimum) == pytest.approx(seconds(knob.minimum), rel=0.01)
    try:
        solved = solve(fitted, target, rounding).value
    except UnreachableError:
        return
    assert solved in _values(requests)
    assert curve.seconds(solved) == pytest.approx(seconds(solved), rel=0.01)


def test_a_clock_that_stands_still_ends_the_plan() -> None:
    """Where no cost takes any time, the plan ends at the highest instead of dividing by it."""
    requests, _ = _drive(
        Knob(name="turns", scale=Scale.LINEAR, minimum=1, maximum=6), lambda value: 0.0, 0.040
    )
    assert [1, 1, 1, 4, 4, 6, 6] == _values(requests)


def _climb(
    seconds: Callable[[int, int], float],
    target: float = 0.03995,
    *,
    steps: tuple[int, ...] = LADDER.steps,
    passes: Knob | None = PASSES,
    rounding: Rounding = Rounding.DOWN,
    effort: Effort = NORMAL,
    floors: Floors | None = None,
    is_settled: Callable[[], bool] = always,
    has_patience: Callable[[], bool] = always,
    shared: Callable[[], bool | None] = lambda: None,
) -> tuple[list[tuple[int, ...]], list[Request], list[Sample], Problem]:
    """What is asked of a hasher whose hash takes so long at this memory and these passes."""
    ladder = msgspec.structs.replace(LADDER, steps=steps)
    problem = Problem(
        knobs=(ladder, passes) if passes else (ladder,),
        lowest={"memory": steps[0]} | ({"passes": 1} if passes else {}),
        target_seconds=target,
        rounding=rounding,
        effort=effort,
        seconds=cpu_seconds,
        memory_bytes=lambda params: params["memory"] * MIB,
        floors=floors,
        is_settled=is_settled,
        has_patience=has_patience,
    )
    requests, samples = _answer(
        problem, lambda params: seconds(params["memory"], params.get("passes", 1)), shared
    )
    return [tuple(request.params.values()) for request in requests], requests, samples, problem


def _one_millisecond(memory: int, passes: int) -> float:
    return 1e-3 * memory * passes


def test_a_ladder_is_climbed_to_the_step_that_does_not_fit() -> None:
    """The lowest step, the one near two fifths of the target, and up to the last that can fit;
    twice each, since the first hash pays for fresh memory. A second pass is timed where there
    is room for one.
    """
    asked, *_ = _climb(_one_millisecond)
    climbed = [(memory, 1) for memory in (1, 8, 16, 32) for _ in range(2)]
    assert [*climbed, (16, 2), (16, 2), *[(32, 1)] * 4] == asked


def test_a_step_that_cannot_fit_takes_no_memory() -> None:
    """A step that misses the target if time only grew as memory does is not timed."""
    asked, *_ = _climb(lambda memory, passes: 1.4e-3 * memory * passes)
    assert 32 not in {memory for memory, _ in asked}
    asked, *_ = _climb(lambda memory, passes: 1.24e-3 * memory * passes)
    assert 32 in {memory for memory, _ in asked}


def test_a_step_that_may_fit_a_quiet_core_is_timed_on_a_shared_one() -> None:
    """Where the core is shared, a step is timed that misses the target only by that."""
    watch = _Watch(shared=1e9, patience=60)
    asked, *_ = _climb(
        lambda memory, passes: 1.5e-3 * memory * passes,
        has_patience=watch.has_patience,
        shared=watch.shared,
    )
    assert {32, 64} & {memory for memory, _ in asked} == {32}


def test_a_step_that_was_only_timed_on_a_shared_core_is_timed_again() -> None:
    """Once the core is quiet, a step that missed the target on the shared one is tried again."""
    watch = _Watch(shared=20)
    _, _, samples, problem = _climb(
        lambda memory, passes: 1e-3 * memory * passes * (1.5 if watch.taken < 20 else 1.0),
        shared=watch.shared,
    )
    fitted = fit(problem.knobs, problem.lowest, samples)
    assert {"memory": 32, "passes": 1} == solve(fitted, 0.03995, Rounding.DOWN).params


def test_a_step_on_a_core_that_is_never_quiet_again_is_not_timed_for_ever() -> None:
    """A step is not waited for beyond patience, though the one below was seen on a quiet core."""
    watch, memories = _Watch(patience=60), list[int]()

    def seconds(memory: int, passes: int) -> float:
        memories.append(memory)
        return 1e-3 * memory * passes * (1.5 if memory == 32 else 1.0)

    asked, *_ = _climb(
        seconds,
        has_patience=watch.has_patience,
        shared=lambda: watch.shared() or memories[-1] == 32,
    )
    assert asked.count((32, 1)) > 4
    assert len(asked) < 90


def test_a_step_just_beyond_the_target_is_given_a_second_chance() -> None:
    """A step whose first hash misses the target by little is timed until two hashes agree."""
    cold = {64: 0.045}

    def seconds(memory: int, passes: int) -> float:
        return cold.pop(memory, 0.6e-3 * memory * passes)

    asked, _, samples, problem = _climb(seconds)
    assert asked.count((64, 1)) == NORMAL.ladder_samples
    solution = solve(fit(problem.knobs, problem.lowest, samples), 0.03995, Rounding.DOWN)
    assert {"memory": 64, "passes": 1} == solution.params


def test_a_ladder_that_steepens_is_climbed_down() -> None:
    """Where time grows faster than memory, steps are tried downwards until one fits."""
    asked, *_ = _climb(lambda memory, passes: 1e-3 * memory**2 * passes)
    climbed = [(memory, 1) for memory in (1, 8, 4) for _ in range(2)]
    assert [*climbed, *[(4, 2)] * NORMAL.ladder_samples] == asked


def test_passes_fill_what_a_step_leaves() -> None:
    """Where the step leaves room for more passes, those that fit it are sampled."""
    asked, *_ = _climb(_one_millisecond, steps=(1, 8, 64))
    climbed = [(1, 1)] * 2 + [(8, 1)] * 2
    assert [*climbed, (8, 2), (8, 2), *[(8, 4)] * NORMAL.ladder_samples] == asked


def test_a_single_step_is_not_climbed() -> None:
    """Where the memory allowed leaves one step, its passes alone are solved for."""
    asked, *_ = _climb(_one_millisecond, steps=(8,))
    assert [*[(8, 1)] * 2, (8, 2), (8, 2), *[(8, 4)] * NORMAL.ladder_samples] == asked


def test_a_ladder_ends_with_its_last_step() -> None:
    """Where the last step fits, it is the answer, and no more memory is asked for."""
    asked, *_ = _climb(_one_millisecond, steps=(1, 2, 4), passes=None)
    assert [*[(1,)] * 2, *[(4,)] * 6] == asked


@pytest.mark.parametrize("target", [0.9e-3, 0.5e-3])
def test_an_unreachable_step_is_timed_no_more_than_needed(target: float) -> None:
    """Where the lowest step takes longer than the target, nothing else is timed."""
    asked, *_ = _climb(_one_millisecond, target)
    assert [(1, 1)] * 2 == asked


def test_rounded_up_the_answer_beyond_the_target_is_sampled() -> None:
    """Rounding up, what is sampled is the setting that takes at least the target."""
    asked, *_ = _climb(_one_millisecond, passes=None, rounding=Rounding.UP)
    assert (64,) == asked[-1]
    assert NORMAL.ladder_samples == asked.count((64,))


def test_precise_effort_samples_a_ladder_more_often() -> None:
    """PRECISE samples the answer of a ladder as often as it says."""
    asked, *_ = _climb(_one_millisecond, 0.041, steps=(1, 8, 64), effort=PRECISE)
    assert PRECISE.ladder_samples == asked.count((8, 5))


def test_wall_time_counts_where_it_is_asked_for() -> None:
    """Of a hash in several threads wall time is held against the target."""
    steps = plan_for(
        Problem(
            knobs=(LADDER, PASSES),
            lowest={"memory": 1, "passes": 1},
            target_seconds=0.04,
            rounding=Rounding.DOWN,
            effort=NORMAL,
            seconds=wall_seconds,
            memory_bytes=lambda params: params["memory"] * MIB,
        )
    )
    request = next(steps)
    for _ in range(2):
        request = steps.send(Sample(params=request.params, cpu_seconds=4e-3, wall_seconds=2e-3))
    assert {"memory": 8, "passes": 1} == request.params


def test_a_setting_that_turns_out_too_slow_gives_way() -> None:
    """A step that fitted at first and does not once it is sampled is not the answer."""
    quick = itertools.chain([0.0385, 0.0402], itertools.repeat(0.041))

    def seconds(memory: int, passes: int) -> float:
        return next(quick) if memory == 32 else 1e-3 * memory * passes

    asked, _, samples, problem = _climb(seconds)
    solution = solve(fit(problem.knobs, problem.lowest, samples), 0.03995, Rounding.DOWN)
    assert {"memory": 16, "passes": 2} == solution.params
    assert asked.count((16, 2)) >= NORMAL.ladder_samples


def test_a_first_pass_that_takes_longer_is_told_apart() -> None:
    """Where the first pass fills the memory too, the passes that fit are found all the same."""

    def seconds(memory: int, passes: int) -> float:
        return 1e-3 * memory * (passes + 1)

    asked, _, samples, problem = _climb(seconds, steps=(1, 4, 64))
    solution = solve(fit(problem.knobs, problem.lowest, samples), 0.03995, Rounding.DOWN)
    assert {"memory": 4, "passes": 8} == solution.params
    assert asked.count((4, 8)) == NORMAL.ladder_samples


@pytest.mark.parametrize("factor", [1.06, 0.94], ids=["slower", "faster"])
@pytest.mark.parametrize("passes", [PASSES, None], ids=["passes", "steps alone"])
def test_a_ladder_that_never_agrees_is_given_up(factor: float, passes: Knob | None) -> None:
    """A machine on which no two hashes agree is not asked for ever."""
    rounds = itertools.count()

    def seconds(memory: int, turns: int) -> float:
        number = next(rounds)
        assert number < 100
        return 1e-3 * memory * turns * float(factor**number)

    asked, *_ = _climb(seconds, passes=passes)
    assert {(1, 1), (1,)} & set(asked)


@given(
    st.lists(st.floats(min_value=2.0, max_value=4.0), min_size=11, max_size=11),
    st.floats(min_value=1e-6, max_value=1e-2),
    st.floats(min_value=1e-3, max_value=2.0),
    st.booleans(),
    roundings,
    st.sampled_from([FAST, NORMAL]),
)
def test_on_a_perfect_machine_the_climb_leads_to_the_answer(
    growths: list[float],
    first: float,
    target: float,
    passes: bool,
    rounding: Rounding,
    effort: Effort,
) -> None:
    """However much faster than memory time grows, the most memory that fits is found, every
    request is legal, and the answer itself was sampled.
    """
    times = dict(zip(LADDER.steps, itertools.accumulate([first, *growths], mul), strict=False))
    asked, requests, samples, problem = _climb(
        lambda memory, turns: times[memory] * turns,
        target,
        passes=PASSES if passes else None,
        rounding=rounding,
        effort=effort,
    )
    assert {memory for memory, *_ in asked} <= set(LADDER.steps)
    assert all(request.params.keys() == problem.lowest.keys() for request in requests)
    fitted = fit(problem.knobs, problem.lowest, samples)
    fitting = [memory for memory, seconds in times.items() if seconds <= target]
    if not fitting:
        assert {(1, 1)[: len(problem.knobs)]} == set(asked)
        return
    below = solve(fitted, target, Rounding.DOWN)
    assert max(fitting) == below.params["memory"]
    solution = solve(fitted, target, rounding)
    assert asked.count(tuple(solution.params.values())) >= effort.ladder_samples
    taken = times[solution.params["memory"]] * solution.params.get("passes", 1)
    assert taken == pytest.approx(solution.seconds)


class TestFloors:
    """What is timed for the sake of a floor."""

    def test_a_floor_that_the_target_misses_is_timed_once(self) -> None:
        """Memory of which nothing that was timed tells is timed once, and the rest as ever."""
        without, *_ = _climb(_one_millisecond)
        asked, *_ = _climb(_one_millisecond, floors=any_of({"memory": 256}))
        assert asked.count((256, 1)) == 1
        assert without == [each for each in asked if each != (256, 1)]

    def test_memory_between_two_steps_is_timed_at_the_one_above(self) -> None:
        """The step that is timed is the lowest that is not below the floor's memory."""
        asked, *_ = _climb(_one_millisecond, floors=any_of({"memory": 100}))
        assert {1, 8, 16, 32, 128} == {memory for memory, _ in asked}

    @pytest.mark.parametrize(
        "alternatives",
        [
            pytest.param(({"memory": 16},), id="met"),
            pytest.param(({"memory": 8, "passes": 90},), id="on a step that was timed"),
            pytest.param(({"memory": 256}, {"memory": 8, "passes": 90}), id="one of two"),
            pytest.param(({"memory": 2000},), id="beyond the ladder"),
        ],
    )
    def test_nothing_is_timed_that_tells_nothing_new(
        self, alternatives: tuple[Params, ...]
    ) -> None:
        """Where a floor is met, or its time known from a step that was timed, or no step has its
        memory, nothing else is timed.
        """
        without, *_ = _climb(_one_millisecond)
        asked, *_ = _climb(_one_millisecond, floors=any_of(*alternatives))
        assert without == asked

    def test_of_several_the_least_work_is_timed(self) -> None:
        """Of alternatives that nothing tells of, the first, which is the least work, is timed."""
        alternatives = ({"memory": 256}, {"memory": 128, "passes": 9})
        asked, *_ = _climb(_one_millisecond, floors=any_of(*alternatives))
        assert {1, 8, 16, 32, 256} == {memory for memory, _ in asked}

    def test_an_alternative_beyond_the_ladder_gives_way_to_the_next(self) -> None:
        """An alternative whose memory is not allowed is left out for one that is."""
        alternatives = ({"memory": 256}, {"memory": 64, "passes": 4})
        steps = LADDER.steps[:7]
        asked, *_ = _climb(_one_millisecond, steps=steps, floors=any_of(*alternatives))
        assert asked.count((64, 1)) == 1

    def test_an_unreachable_target_is_not_helped_by_what_is_not_enforced(self) -> None:
        """Where the lowest step misses the target, a floor is only timed to be enforced."""
        asked, *_ = _climb(_one_millisecond, 0.5e-3, floors=any_of({"memory": 8}))
        assert [(1, 1)] * 2 == asked
        floors = any_of({"memory": 8}, enforced=True)
        asked, *_ = _climb(_one_millisecond, 0.5e-3, floors=floors)
        assert [(1, 1)] * 2 + [(8, 1)] * NORMAL.ladder_samples == asked

    def test_an_enforced_floor_is_sampled_as_the_answer(self) -> None:
        """A cost that is raised to a floor is sampled there, as often as any answer."""
        floors = any_of({"memory": 64, "passes": 3}, enforced=True)
        asked, _, samples, problem = _climb(_one_millisecond, floors=floors)
        assert asked.count((64, 3)) == NORMAL.ladder_samples
        fitted = fit(problem.knobs, problem.lowest, samples)
        solution = solve(fitted, 0.03995, Rounding.DOWN, floors)
        assert {"memory": 64, "passes": 3} == solution.params
        assert solution.seconds == pytest.approx(0.192)

    def test_a_count_that_is_raised_is_confirmed_at_the_floor(self) -> None:
        """Of a count or a step the floor itself is timed where it is the answer."""
        floors = any_of({"rounds": 65_537}, enforced=True)
        requests, _ = _drive(LINEAR, _one_microsecond, 0.03995, floors=floors)
        assert _values(requests)[-1] == 65_537
        floors = any_of({"cost": 15}, enforced=True)
        requests, _ = _drive(STEPS, _fifty_microseconds, 0.040, floors=floors)
        assert [15, 16] == _values(requests)[-2:]

    def test_a_count_that_is_not_raised_is_confirmed_at_the_answer(self) -> None:
        """Of a count or a step that is not raised the floor is not timed: its time is known."""
        without, _ = _drive(LINEAR, _one_microsecond, 0.03995)
        requests, _ = _drive(LINEAR, _one_microsecond, 0.03995, floors=any_of({"rounds": 65_537}))
        assert without == requests


class _Watch:
    """A core that is shared, and not known, for so many hashes; patience lasts for others."""

    def __init__(self, *, shared: float = 0, unknown: float = 0, patience: float = 1e9) -> None:
        self.taken = -1
        self.until = {"shared": shared, "unknown": unknown, "patience": patience}

    def shared(self) -> bool:
        """Whether it was while the next hash ran."""
        self.taken += 1
        return self.taken < self.until["shared"]

    def is_settled(self) -> bool:
        """Whether it is known."""
        return self.taken >= self.until["unknown"]

    def has_patience(self) -> bool:
        """Whether it may be watched on."""
        return self.taken < self.until["patience"]


def _sampled_while(watch: _Watch, target: float = 0.03995) -> list[Sample]:
    """The samples that carry the fit of a hasher on such a core."""
    requests, samples = _drive(
        LINEAR,
        _one_microsecond,
        target,
        is_settled=watch.is_settled,
        has_patience=watch.has_patience,
        shared=watch.shared,
    )
    sampled = _sampled(requests)
    return [sample for sample in samples if sample.params["rounds"] == sampled]


def test_samples_of_a_shared_core_are_followed_by_more() -> None:
    """As many samples as wanted are of a quiet core, however many were not."""
    samples = _sampled_while(_Watch(shared=60))
    quick = [sample for sample in samples if not sample.shared]
    assert NORMAL.samples == len(quick) < len(samples)


def test_sampling_goes_on_until_the_core_is_known() -> None:
    """Samples that are enough by themselves are followed by more until the core is known."""
    assert NORMAL.samples == len(_sampled_while(_Watch()))
    assert 2 * NORMAL.samples < len(_sampled_while(_Watch(unknown=60))) < 60


@pytest.mark.parametrize("is_known", [True, False])
def test_a_known_core_is_watched_while_the_cost_is_confirmed(is_known: bool) -> None:
    """Where earlier runs tell a quiet core, the long hashes do not come last, nor twice."""
    watch = _Watch(unknown=60)
    requests, _ = _drive(
        LINEAR,
        lambda rounds: 1e-6 * rounds * (1.0 + 0.01 * (watch.taken % 3)),
        0.03995,
        is_settled=watch.is_settled,
        shared=watch.shared,
        is_known=is_known,
    )
    values = _values(requests)
    longest = max(values)
    assert values.count(longest) == 1
    assert (values.index(longest) == len(values) - 1) is not is_known


def test_patience_ends() -> None:
    """A core that is never quiet, or never known, is not waited for beyond patience."""
    for watch in (_Watch(shared=1e9, patience=60), _Watch(unknown=1e9, patience=60)):
        assert 2 * NORMAL.samples < len(_sampled_while(watch)) < 60


def test_without_patience_there_are_still_enough_samples() -> None:
    """Where patience has ended before a plan begins, samples of a shared core have to do."""
    assert NORMAL.samples == len(_sampled_while(_Watch(shared=1e9, unknown=1e9, patience=0)))


def test_a_clock_that_hardly_moves_ends() -> None:
    """Where samples take next to nothing, patience ends by their number."""
    samples = _sampled_while(_Watch(unknown=1e9))
    assert 100 < len(samples) < 20_000


def test_a_ladder_is_sampled_until_the_core_is_known() -> None:
    """Also the answer of a hasher in memory is sampled on, and ends with patience."""
    for watch, least in ((_Watch(shared=50), 40), (_Watch(unknown=1e9, patience=50), 40)):
        asked, *_ = _climb(
            _one_millisecond,
            0.041,
            is_settled=watch.is_settled,
            has_patience=watch.has_patience,
            shared=watch.shared,
        )
        answer, count = Counter(asked).most_common(1)[0]
        assert (32, 1) == answer
        assert least <= count <= 60


class TestImplausible:
    """A single hash that takes what nothing explains."""

    @pytest.mark.parametrize("passes", [PASSES, None], ids=["passes", "only steps"])
    @pytest.mark.parametrize("freak", [0.1, 0.476, 60.0])
    @pytest.mark.parametrize(("step", "unit"), [(64, 0.6e-3), (32, 1e-3), (16, 1.3e-3)])
    def test_it_does_not_pick_the_step(
        self, passes: Knob | None, freak: float, step: int, unit: float
    ) -> None:
        """A step that fits is the answer, though its first hash took far too long."""
        held_up = {step: freak}
        _, _, samples, problem = _climb(
            lambda memory, turns: held_up.pop(memory, unit * memory * turns), passes=passes
        )
        fitted = fit(problem.knobs, problem.lowest, samples)
        assert step == solve(fitted, 0.03995, Rounding.DOWN).params["memory"]
        assert not held_up

    def test_it_does_not_put_the_lowest_step_out_of_reach(self) -> None:
        """A lowest step is climbed from, though its first hash took too long."""
        held_up = {1: 0.476}
        asked, *_ = _climb(
            lambda memory, turns: held_up.pop(memory, _one_millisecond(memory, turns))
        )
        assert (32, 1) in asked

    def test_a_step_that_is_too_slow_is_timed_twice(self) -> None:
        """A step that takes more than memory explains is believed once two hashes say so."""
        asked, *_ = _climb(
            lambda memory, turns: _one_millisecond(memory, turns) * (9 if memory == 32 else 1)
        )
        assert asked.count((32, 1)) == 2

    def test_memory_of_a_floor_that_took_too_long_is_timed_again(self) -> None:
        """A floor's memory is timed once only if it took about what was expected."""
        held_up = {256: 9.0}
        asked, _, samples, problem = _climb(
            lambda memory, turns: held_up.pop(memory, _one_millisecond(memory, turns)),
            floors=any_of({"memory": 256}),
        )
        assert asked.count((256, 1)) == 2
        curve = fit(problem.knobs, problem.lowest, samples).curves[-1]
        assert curve.seconds(1) == pytest.approx(0.256)

    @pytest.mark.parametrize("freak", [0.2, 10.0])
    def test_it_does_not_pick_a_step_that_doubles(self, freak: float) -> None:
        """A step that fits is the answer, though its first hash took far too long."""
        held_up = {13: freak}
        _, samples = _drive(
            STEPS, lambda cost: held_up.pop(cost, _fifty_microseconds(cost)), 0.030
        )
        assert not held_up
        assert _solved(STEPS, samples, 0.030) == 13
