"""One cost for all machines."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from fakes import LADDER, LINEAR, STEPS, curve_of, known, made_up_policy, step_curve
from hashcost.core.measurement import Curve, Fit, Knob, Measurement, Params, Scale
from hashcost.fit.times import setting_at
from hashcost.machines.common import common_answer, common_cost
from hashcost.machines.profile_files import Side, machine_of
from hashcost.storage.profile import load_profile
from hashcost.strength.appraisal import floors_of
from hashcost.strength.policies.policy import Floor, Policy
from made_up import PROFILE_FILE
from strategies import knobs, models, targets

ANY_MACHINE = machine_of(load_profile(PROFILE_FILE), name="any", source="any.json")


def _side(name: str, measurement: Measurement) -> Side:
    machine = replace(ANY_MACHINE, name=name)
    return Side(measurement=measurement, machine=machine, machines=(name,))


def _machine(name: str, found: Curve, hasher: str = "fake") -> Side:
    assert found.knob is not None
    fitted = Fit(curves=(replace(found, relative_interval=(0.9, 1.1)),))
    return _side(name, known(fitted, found.knob, hasher=hasher))


def _chosen(
    machines: list[Side], target: float, policies: tuple[Policy, ...] = ()
) -> dict[str, int] | str:
    """The cost for all, or why there is none."""
    solved = common_answer(machines, target, floors_of(policies, machines[0].measurement.hasher))
    return solved if isinstance(solved, str) else solved.chosen.params


def _linear(name: str, seconds_per_unit: float, knob: Knob = LINEAR) -> Side:
    return _machine(name, curve_of(knob, seconds_per_unit), hasher="pbkdf2-sha256")


@st.composite
def _machines(draw: st.DrawFn) -> list[Side]:
    knob = draw(knobs())
    found = draw(st.lists(models(knob), min_size=2, max_size=5))
    curves = (curve_of(knob, 0.0, model=model) for model in found)
    return [_machine(str(index), each) for index, each in enumerate(curves)]


@given(machines=_machines(), target=targets)
def test_it_is_the_highest_that_keeps_the_target_everywhere(
    machines: list[Side], target: float
) -> None:
    """No machine takes longer than the target for it, and one would for the next legal cost."""
    knob = machines[0].measurement.knobs[0]
    found = _chosen(machines, target)
    if isinstance(found, str):
        lowest = {knob.name: knob.minimum}
        assert any(_seconds(each, lowest) > target for each in machines)
        return
    value = found[knob.name]
    above = value + 1 if knob.scale is Scale.LOG2 else _above(value)

    assert all(_seconds(each, found) <= target for each in machines)
    assert above > knob.maximum or any(
        _seconds(each, {knob.name: above}) > target * (1 - 1e-9) for each in machines
    )


def _above(value: int) -> int:
    """The next count of three digits."""
    size: int = 10 ** max(len(str(value)) - 3, 0)
    return value // size * size + size


def _seconds(machine: Side, params: dict[str, int]) -> float:
    found = setting_at(machine.measurement, params)
    return math.inf if found is None else found.seconds


@pytest.mark.parametrize(
    ("machines", "why"),
    [
        ([_linear("a", 1.0), _linear("b", 1e-6)], "on a even rounds=1 takes 1.00 s"),
        (
            [_linear("a", 0.05), _linear("b", 1e-6, Knob(name="rounds", scale=Scale.LINEAR,
                                                         minimum=1000, maximum=10**6))],
            "on a even rounds=1000 takes 50.0 s",
        ),
        ([_linear("a", 1e-6), _linear("b", 1e-6, STEPS)], "no cost is allowed on all machines"),
    ],
)  # fmt: skip
def test_why_there_is_none(machines: list[Side], why: str) -> None:
    """Where no cost can be for all, the machine or the range that is in the way is named."""
    found = _chosen(machines, 0.25)

    assert isinstance(found, str)
    assert why in found


def _policy(*floors: Params, hasher: str = "in-memory") -> Policy:
    return made_up_policy(*(Floor(hasher=hasher, params=each) for each in floors))


def test_a_minimum_goes_before_the_target() -> None:
    """Where no cost within the target meets the minimum, the quickest that does is chosen, and
    its time on the slowest machine is told; without a policy the target is kept.
    """
    machines = [_linear("fast", 1e-7), _linear("slow", 1e-6)]
    policy = _policy({"rounds": 600_000}, hasher="pbkdf2-sha256")
    chosen = _chosen(machines, 0.25, (policy,))
    assert isinstance(chosen, dict)
    cost = common_cost(machines, chosen, (policy,))

    assert {"rounds": 250_000} == _chosen(machines, 0.25)
    assert {"rounds": 600_000} == chosen
    assert cost is not None
    assert ("slow", []) == (cost.slowest, cost.missed)
    assert math.isclose(0.6, cost.time_seconds)


def _in_memory(name: str, **seconds: float) -> Side:
    curves = tuple(step_curve(int(step[1:]), each, None) for step, each in seconds.items())
    return _side(name, known(Fit(curves=curves), LADDER, hasher="in-memory"))


def test_memory_is_not_interpolated() -> None:
    """Of a hasher in memory the cost for all is one that was timed on all of them."""
    machines = [_in_memory("a", m1=0.1, m4=0.2, m16=0.9), _in_memory("b", m1=0.1, m2=0.1, m16=0.9)]

    assert {"memory": 1} == _chosen(machines, 0.25)
    assert "on a even memory=1 takes 100 ms" == _chosen(machines, 0.05)
    apart = [_in_memory("a", m1=0.1), _in_memory("b", m2=0.1)]
    assert "no memory was timed on all machines" in str(_chosen(apart, 0.25))


def _with_passes(name: str, seconds_per_unit: float, *steps: int, hasher: str = "fake") -> Side:
    """A hasher in memory with passes to turn, at steps that were timed."""
    curves = tuple(step_curve(step, seconds_per_unit * step) for step in steps)
    return _side(name, known(Fit(curves=curves), LADDER, hasher=hasher))


_few_steps = st.sets(st.sampled_from(LADDER.steps), min_size=1, max_size=5)


@given(
    machines=st.lists(st.tuples(st.floats(min_value=1e-5, max_value=1e-2), _few_steps),
                      min_size=2, max_size=4),
    target=targets,
)  # fmt: skip
def test_as_much_memory_as_all_have_then_passes(
    machines: list[tuple[float, set[int]]], target: float
) -> None:
    """Of the steps timed on all the largest that fits, with the most passes that do."""
    named = [
        _with_passes(str(index), unit, *sorted(steps))
        for index, (unit, steps) in enumerate(machines)
    ]
    slowest = max(unit for unit, _ in machines)
    shared = set.intersection(*(steps for _, steps in machines))
    fitting = {step for step in shared if slowest * step <= target}
    found = _chosen(named, target)
    if isinstance(found, str):
        assert not fitting
        return
    above = _above(found["passes"])

    assert found["memory"] == max(fitting)
    assert slowest * found["memory"] * found["passes"] <= target
    assert slowest * found["memory"] * above > target * (1 - 1e-9)


def test_a_setting_that_meets_the_floor_goes_first() -> None:
    """Less memory with the passes that a floor asks for goes before more that misses it."""
    policy = _policy({"memory": 16, "passes": 5}, {"memory": 64, "passes": 3})
    machines = [_with_passes(n, 1e-3, 1, 16, 64, hasher="in-memory") for n in "ab"]

    assert {"memory": 64, "passes": 1} == _chosen(machines, 0.1)
    assert {"memory": 16, "passes": 6} == _chosen(machines, 0.1, (policy,))
    assert {"memory": 16, "passes": 5} == _chosen(machines, 0.07, (policy,))


def test_a_minimum_that_no_timed_memory_meets_leaves_the_target() -> None:
    """Where no setting in memory meets the minimum, the strongest within the target stays, and
    misses the policy.
    """
    policy = _policy({"memory": 1024, "passes": 1})
    machines = [_with_passes(n, 1e-3, 1, 16, 64, hasher="in-memory") for n in "ab"]
    chosen = _chosen(machines, 0.1, (policy,))
    assert isinstance(chosen, dict)
    cost = common_cost(machines, chosen, (policy,))

    assert {"memory": 64, "passes": 1} == chosen
    assert cost is not None
    assert ["made-up"] == cost.missed
