"""The plan of one hasher, driven by hand."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakes import LINEAR, STEPS
from hashcost.errors import UnreachableError
from hashcost.model import Knob, Rounding, Sample, Scale
from hashcost.planning import FAST, NORMAL, PRECISE, Effort, Request, plan
from hashcost.solver import fit, solve
from strategies import knobs, roundings, targets

EFFORTS = [FAST, NORMAL, PRECISE]


def _drive(
    knob: Knob,
    seconds: Callable[[int], float],
    target: float,
    rounding: Rounding = Rounding.DOWN,
    effort: Effort = NORMAL,
    plans: int = 1,
) -> tuple[list[Request], list[Sample]]:
    """Answer each request at once, as a machine would on which a hash takes this long."""
    steps = plan(knob, target, rounding, effort, plans)
    requests, samples = [next(steps)], list[Sample]()
    while True:
        params = requests[-1].params
        taken = seconds(params[knob.name])
        samples.append(Sample(params=params, cpu_seconds=taken, wall_seconds=taken))
        try:
            requests.append(steps.send(samples[-1]))
        except StopIteration:
            return requests, samples


def _one_microsecond(value: int) -> float:
    return 1e-6 * value


def _fifty_microseconds(cost: int) -> float:
    return 50e-6 * 2.0 ** (cost - 4)


def _values(requests: list[Request]) -> list[int]:
    return [value for request in requests for value in request.params.values()]


def _sampled(requests: list[Request]) -> int:
    """The value that carries the fit."""
    return Counter(_values(requests)).most_common(1)[0][0]


def test_a_linear_knob_is_probed_sampled_and_confirmed() -> None:
    """The lowest cost, growth by four up to 2 ms, samples, and one hash at the answer."""
    requests, _ = _drive(LINEAR, _one_microsecond, 0.03995)
    grown = [4**power for power in range(1, 7) for _ in range(2)]
    sampled = _sampled(requests)
    assert [1, 1, 1, *grown, *[sampled] * NORMAL.samples, 39_900] == _values(requests)


def test_a_step_knob_is_bracketed() -> None:
    """The step above the answer is timed too."""
    requests, _ = _drive(STEPS, _fifty_microseconds, 0.040)
    assert [4, 4, 4, 6, 6, 8, 8, 10, 10, *[11] * 12, 13, 14] == _values(requests)


def test_fast_effort_leaves_the_bracket_out() -> None:
    """FAST takes nine shorter samples, and one hash at the answer alone."""
    requests, _ = _drive(STEPS, _fifty_microseconds, 0.040, effort=FAST)
    assert [4, 4, 4, 6, 6, 8, 8, 10, 10, *[10] * 9, 13] == _values(requests)


def test_precise_effort_confirms_five_times() -> None:
    """PRECISE samples for its least time, and times the answer five times."""
    requests, samples = _drive(LINEAR, _one_microsecond, 0.03995, effort=PRECISE)
    sampled = _sampled(requests)
    assert Counter(_values(requests))[39_900] == 5
    spent = sum(s.wall_seconds for s in samples if s.params == {"rounds": sampled})
    assert spent == pytest.approx(PRECISE.least_seconds, abs=0.01)


def test_plans_share_the_least_time() -> None:
    """Five plans in turn sample a fifth of the least time each, and never too few samples."""
    shares = []
    for plans in (1, 5, 1000):
        requests, _ = _drive(LINEAR, _one_microsecond, 1.0, effort=PRECISE, plans=plans)
        shares.append(Counter(_values(requests))[_sampled(requests)])
    assert pytest.approx([1000, 200, PRECISE.samples], abs=1) == shares


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
    assert [1000] * 15 + [2000] == _values(requests)


def test_an_unreachable_target_is_not_confirmed() -> None:
    """Where the lowest cost takes longer than the target, no hash is timed beyond the samples."""
    requests, samples = _drive(STEPS, lambda value: 0.05 * 2 ** (value - 4), 0.040)
    assert [4] * 15 == _values(requests)
    with pytest.raises(UnreachableError):
        solve(fit(STEPS, samples), 0.040, Rounding.DOWN)


def _with_a_cliff(value: int) -> float:
    """A hasher that falls out of a cache: 12 % slower from 20,000 on."""
    return 1e-6 * value * (1.12 if value >= 20_000 else 1.0)


def test_a_nonlinear_hasher_is_refitted_where_the_answer_is() -> None:
    """A hash that misses the model is timed three times, and the cost solved again there."""
    requests, samples = _drive(LINEAR, _with_a_cliff, 0.03995)
    assert [39_900, 39_900, 39_900, 35_600] == _values(requests)[-4:]
    solved = solve(fit(LINEAR, samples), 0.03995, Rounding.DOWN)
    assert solved == 35_600
    assert _with_a_cliff(solved) <= 0.03995 < _with_a_cliff(solved + 100)


def test_one_slow_confirmation_does_not_lower_the_cost() -> None:
    """A hash at the answer that was held up once is noise, not a slower hasher."""
    held_up = {39_900: 0.060}

    def seconds(value: int) -> float:
        return held_up.pop(value, _one_microsecond(value))

    requests, samples = _drive(LINEAR, seconds, 0.03995)
    assert [39_900] * 3 == _values(requests)[-3:]
    assert solve(fit(LINEAR, samples), 0.03995, Rounding.DOWN) == 39_900


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
    assert [13, 13, 13, 14, 12, 13] == _values(requests)[-6:]
    assert solve(fit(STEPS, samples), 0.030, Rounding.DOWN) == 12


@pytest.mark.parametrize("factor", [1.05, 0.95], ids=["slower", "faster"])
@pytest.mark.parametrize("knob", [LINEAR, STEPS], ids=["linear", "log2"])
def test_a_machine_that_never_agrees_is_given_up(knob: Knob, factor: float) -> None:
    """A machine on which no two answers agree is asked for three, and no more."""
    rounds = itertools.count()

    def seconds(value: int) -> float:
        return 1e-6 * knob.work(value) * float(factor ** next(rounds))

    requests, _ = _drive(knob, seconds, 0.040)
    values = _values(requests)
    last_sample = len(values) - values[::-1].index(_sampled(requests))
    answers = values[last_sample:]
    assert len(answers) > 1
    assert len(answers) <= 3 * (3 + 1)


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
        return overhead + unit * knob.work(value)

    requests, samples = _drive(knob, seconds, target, rounding, effort)
    fitted = fit(knob, samples)
    assert all(knob.minimum <= value <= knob.maximum for value in _values(requests))
    assert all(
        request.expected_seconds <= 8 * sample.cpu_seconds
        for request, sample in zip(requests, samples, strict=True)
    )
    assert fitted.seconds(knob.minimum) == pytest.approx(seconds(knob.minimum), rel=0.01)
    try:
        solved = solve(fitted, target, rounding)
    except UnreachableError:
        return
    assert solved in _values(requests)
    assert fitted.seconds(solved) == pytest.approx(seconds(solved), rel=0.01)
