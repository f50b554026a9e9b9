"""Which setting of memory and passes is chosen, and that noise does not change it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
from hypothesis import assume, given
from hypothesis import strategies as st

from fakes import MIB
from hashcost.core.algorithms import area_time
from hashcost.core.measurement import CostModel, Curve, Fit, Knob, Params, Scale
from hashcost.core.profile import Rounding
from hashcost.fit.quiet_speed import scaled
from hashcost.fit.solver import ABOUT_AS_STRONG, ROOM, Solution, solve
from hashcost.hashers.built_in import ALGORITHMS

PASSES = Knob(name="time_cost", scale=Scale.LINEAR, minimum=1, maximum=2**32 - 1)
STRENGTH = area_time("argon2id")
NOISE = (1 - ROOM) / 2
"""Two runs that differ by this much each, either way, are apart by the room that is kept."""


@dataclass(frozen=True)
class Speed:
    """How a machine takes to memory: caches make little of it quick, fresh pages the first pass
    slow.
    """

    mebibyte_seconds: float
    growth: float
    faults: float
    further: float

    def curve(self, mebibytes: int) -> Curve:
        """The time of passes over this much memory."""
        first = self.mebibyte_seconds * mebibytes**self.growth
        slope = first * self.further
        model = CostModel(
            fixed={"memory_kib": mebibytes * 1024, "parallelism": 1},
            parameter="time_cost",
            scale=Scale.LINEAR,
            overhead_seconds=first * (1 + self.faults * (mebibytes >= 32)) - slope,
            seconds_per_unit=slope,
        )
        return Curve(
            params={"memory_kib": mebibytes * 1024, "time_cost": 1, "parallelism": 1},
            knob=PASSES,
            model=model,
            memory_bytes=mebibytes * MIB,
        )


speeds = st.builds(
    Speed,
    mebibyte_seconds=st.floats(1e-4, 3e-3),
    growth=st.floats(1.0, 1.3),
    faults=st.floats(0.0, 1.0),
    further=st.floats(0.5, 1.0),
)
ladders = st.lists(st.integers(1, 1024), min_size=1, max_size=12, unique=True).map(sorted)
targets = st.floats(0.01, 1.0)


def _fit(speed: Speed, ladder: Sequence[int], errors: Sequence[float] = (1.0,) * 12) -> Fit:
    curves = (
        scaled(speed.curve(step), error) for step, error in zip(ladder, errors, strict=False)
    )
    return Fit(curves=tuple(curves))


def _solve(fitted: Fit, target: float, kept: Params | None = None) -> Solution:
    assume(fitted.curves[0].seconds(1) <= target)
    return solve(fitted, target, Rounding.DOWN, None, STRENGTH, kept)


def _work(params: Params) -> int:
    return params["memory_kib"] * (3 * params["time_cost"] - 1)


def _strength(solution: Solution) -> float:
    return STRENGTH(solution.params, solution.curve.memory_bytes)


@given(speed=speeds, ladder=ladders, target=targets)
def test_no_setting_is_dominated(speed: Speed, ladder: list[int], target: float) -> None:
    """No other within the target has as much memory and more work, or more memory and as much
    work.
    """
    fitted = _fit(speed, ladder)
    chosen = _solve(fitted, target)
    assert chosen.seconds <= target
    here, work = chosen.curve.memory_bytes, _work(chosen.params)
    for curve in fitted.curves:
        passes = 0
        while passes < 999 and curve.seconds(passes + 1) <= target:
            passes += 1  # Beyond 999, counts are rounded to three digits.
        if not passes:
            continue
        memory, other = curve.memory_bytes, _work(curve.at(passes))
        assert not (memory >= here and other > work), (chosen.params, curve.at(passes))
        assert not (memory > here and other >= work), (chosen.params, curve.at(passes))


@given(speed=speeds, ladder=ladders, target=targets)
def test_the_chosen_is_about_the_strongest(speed: Speed, ladder: list[int], target: float) -> None:
    """No memory within the target gives a setting that is more than a twentieth stronger."""
    fitted = _fit(speed, ladder)
    chosen = _solve(fitted, target)
    for curve in fitted.curves:
        if curve.seconds(1) <= target:
            other = _solve(Fit(curves=(curve,)), target)
            assert _strength(other) * 0.95 <= _strength(chosen)


@given(
    speed=speeds,
    ladder=ladders,
    target=targets,
    errors=st.lists(
        st.lists(st.floats(1 - NOISE, 1 + NOISE), min_size=12, max_size=12),
        min_size=2,
        max_size=12,
    ),
)
def test_noise_never_brings_back_what_was_left(
    speed: Speed, ladder: list[int], target: float, errors: list[list[float]]
) -> None:
    """Runs that differ by noise keep their answer, but for those that only just fitted: what
    was left for another does not come back.
    """
    answers: list[Params] = []
    for error in errors:
        fitted = _fit(speed, ladder, error)
        chosen = _solve(fitted, target, answers[-1] if answers else None)
        assert chosen.seconds <= target
        if not answers or chosen.params != answers[-1]:
            assert chosen.params not in answers
            answers.append(chosen.params)


@given(speed=speeds, ladder=ladders, target=targets, data=st.data())
def test_an_earlier_answer_gives_way_to_a_clearly_stronger_one(
    speed: Speed, ladder: list[int], target: float, data: st.DataObject
) -> None:
    """Whatever was answered before, the answer is hardly weaker than the best that fits with
    room.
    """
    fitted = _fit(speed, ladder)
    curve = data.draw(st.sampled_from(fitted.curves))
    kept = curve.at(data.draw(st.integers(1, 50)))
    chosen = _solve(fitted, target, kept)
    assert chosen.seconds <= target
    assume(fitted.curves[0].seconds(1) <= target * ROOM)
    best = _solve(fitted, target * ROOM)
    assert _strength(best) * ABOUT_AS_STRONG <= _strength(chosen)


def test_an_earlier_answer_stands_where_another_is_little_better() -> None:
    """What was answered before stands beside little more memory, if rounding down, and while it
    is timed and fills the target.
    """
    speed = Speed(mebibyte_seconds=1e-3, growth=1.0, faults=0.0, further=0.7)
    fitted = _fit(speed, [92, 94])
    kept, more = (curve.params for curve in fitted.curves)
    alone = Fit(curves=fitted.curves[1:])

    def chosen(fitted: Fit, kept: Params | None, rounding: Rounding = Rounding.DOWN) -> Params:
        return solve(fitted, 0.1, rounding, None, STRENGTH, kept).params

    assert (more, kept, more) == (chosen(fitted, None), chosen(fitted, kept), chosen(alone, kept))
    assert {**more, "time_cost": 2} == solve(
        fitted, 0.2, Rounding.DOWN, None, STRENGTH, kept
    ).params
    assert chosen(fitted, None, Rounding.UP) == chosen(fitted, kept, Rounding.UP)


def test_an_earlier_answer_stands_beside_a_stronger_one_that_may_not_fit() -> None:
    """A noisy run that sees a stronger setting below the target by luck changes nothing."""
    speed = Speed(mebibyte_seconds=1e-3, growth=1.0, faults=0.0, further=0.7)
    kept, stronger = _fit(speed, [85, 94]).curves

    def chosen(half_width: float) -> Params:
        noisy = msgspec.structs.replace(
            stronger, relative_interval=(1 - half_width, 1 + half_width)
        )
        fitted = Fit(curves=(kept, noisy))
        return solve(fitted, 0.1, Rounding.DOWN, None, STRENGTH, kept.params).params

    assert (stronger.params, kept.params) == (chosen(0.05), chosen(0.08))


def test_memory_gives_way_where_it_leaves_much_of_the_target_unused() -> None:
    """Of settings about as strong the one with more memory is taken while it fills 85 % of the
    target; below that the strongest is, if it does.
    """
    speed = Speed(mebibyte_seconds=0.5e-3, growth=1.0, faults=0.0, further=1.0)
    fitted = _fit(speed, [24, 30])

    def chosen(target: float) -> tuple[int, int]:
        params = solve(fitted, target, Rounding.DOWN, None, STRENGTH).params
        return params["memory_kib"] // 1024, params["time_cost"]

    assert chosen(0.0302) == (30, 2)
    assert chosen(0.0361) == (30, 2)  # 24 MiB and three passes only just fit.
    assert chosen(0.0380) == (24, 3)


@given(st.floats(0.4e-3, 0.54e-3))
def test_the_shipped_steps_leave_little_of_a_small_target_unused(mebibyte_seconds: float) -> None:
    """At 40 ms what is recommended takes 85 % of the target, on machines that take 0.4 to
    0.54 ms for a pass over a MiB, and twice as long for the first from 32 MiB on.
    """
    ladder = ALGORITHMS["argon2id"].knobs[0].steps
    steps = [step // 1024 for step in ladder if step <= 65_536]
    speed = Speed(mebibyte_seconds=mebibyte_seconds, growth=1.0, faults=1.0, further=1.0)
    fitted = _fit(speed, steps, (1.0,) * len(steps))
    assert 0.85 * 0.04 <= _solve(fitted, 0.04).seconds
