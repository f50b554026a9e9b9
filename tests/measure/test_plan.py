"""What is timed next, for one hasher."""

import contextlib
import itertools
import math
import textwrap
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest

from corpora import table
from fakes import (
    LADDER,
    LINEAR,
    MIB,
    PAGE,
    PASSES,
    STEPS,
    FakeClock,
    FakeHasher,
    FakeLadder,
    curve_of,
    measure,
)
from hashcost.core.measurement import Knob, Measurement, Params, Sample, work
from hashcost.fit.model import Shape
from hashcost.fit.solver import Solution
from hashcost.measure.effort import FAST, NORMAL, Effort
from hashcost.measure.plan import Plan, SweepPlan
from snapshots import Snapshot


def only(
    clock: FakeClock, hasher: FakeHasher, target: float, effort: Effort = NORMAL
) -> Measurement:
    """What was measured of one hasher."""
    (found,) = measure(clock, hasher, target=target, effort=effort).measurements
    return found


@pytest.mark.parametrize("target", [0.04, 0.25, 1.0, 3.0])
def test_memory_takes_a_few_hashes_and_no_more_than_the_answer(
    clock: FakeClock, target: float
) -> None:
    """The time of a run grows like the target, not like the settings that there are."""
    ladder = FakeLadder(clock, seconds_per_unit=0.6e-3, cliff=32, page_seconds=2.9e-6)
    found = only(clock, ladder, target)
    answer = max(
        found.fitted.curves, key=lambda curve: curve.memory_bytes * (curve.seconds(1) <= target)
    )
    assert len(found.samples) <= 16
    assert sum(sample.cpu_seconds for sample in found.samples) <= 4 * target
    largest = max(sample.params["memory"] * MIB for sample in found.samples)
    assert largest <= max(answer.memory_bytes, 32 * MIB)
    assert max(sample.cpu_seconds for sample in found.samples) <= max(1.1 * target, 0.05)


@pytest.mark.parametrize("target", [0.04, 0.1, 0.25, 1.0])
@pytest.mark.parametrize("cliff", [None, 8, 32, 256])
def test_the_surface_tells_what_every_setting_takes(
    clock: FakeClock, target: float, cliff: int | None
) -> None:
    """Up to the target, on reused memory and on fresh."""
    ladder = FakeLadder(clock, filling=5e-5, cliff=cliff, page_seconds=2e-6)
    profile = measure(clock, ladder, target=target)
    (found,), (row,) = profile.measurements, profile.recommendations
    true = ladder.cpu_seconds(row.params)
    assert row.time_seconds == pytest.approx(true, rel=0.03)
    low, high = row.interval_seconds
    assert low <= true <= high
    for curve in found.fitted.curves:
        if curve.seconds(1) <= target and cliff in {None, 32}:
            assert curve.seconds(1) == pytest.approx(ladder.cpu_seconds(curve.params), rel=0.12)


def test_the_answer_is_the_strongest_that_fits(clock: FakeClock) -> None:
    """By a search of every setting, with the true times."""
    for cliff, target in ((None, 0.05), (16, 0.05), (32, 0.1), (32, 0.25)):
        ladder = FakeLadder(clock, name="scrypt", filling=1e-4, cliff=cliff, page_seconds=3e-6)
        (row,) = measure(clock, ladder, target=target).recommendations
        fitting = [
            (memory * (memory * passes) ** 2, memory, passes)
            for memory in ladder.knob.steps
            for passes in range(1, 300)
            if ladder.cpu_seconds({"memory": memory, "passes": passes}) <= target
        ]
        best = max(fitting)[0]
        own = row.params["memory"] ** 3 * row.params["passes"] ** 2
        assert ladder.cpu_seconds(row.params) <= target * 1.03
        assert own >= 0.85 * best


def test_cold_hashes_are_known_by_their_fresh_memory(clock: FakeClock) -> None:
    """The first hashes of a size get fresh memory of any allocator; later ones do not."""
    seen: Counter[int] = Counter()

    class Cold(FakeLadder):
        def fresh_pages(self, params: dict[str, int]) -> int:
            seen[params["memory"]] += 1
            # Asked for twice a hash.
            return params["memory"] * 256 if seen[params["memory"]] <= 4 else 0

    ladder = Cold(clock, passes=PASSES, page_seconds=3e-6)
    (row,) = measure(clock, ladder, target=0.02).recommendations
    warm = FakeLadder(clock, passes=PASSES).cpu_seconds(row.params)
    assert row.time_seconds == pytest.approx(warm, rel=0.05)
    assert math.isclose(warm, 0.02, rel_tol=0.25)


@pytest.mark.parametrize("units", [0.0, 1.0, 6.0])
def test_what_a_hash_takes_beyond_its_work_is_told_apart(clock: FakeClock, units: float) -> None:
    """Also where the lowest cost already takes long enough, as bcrypt's does: it is 6 % of it."""
    hasher = FakeHasher(clock, knob=STEPS, overhead=units * 6e-5, seconds_per_unit=6e-5)
    (row,) = measure(clock, hasher, target=0.1).recommendations
    assert row.time_seconds == pytest.approx(hasher.cpu_seconds(row.params), rel=0.005)


def seconds_at(params: Params) -> float:
    """A millisecond for each MiB and pass, a microsecond for each unit of another cost."""
    if "memory" in params:
        return params["memory"] * params["passes"] * 1e-3
    (knob,) = (knob for knob in (LINEAR, STEPS) if knob.name in params)
    return work(knob.scale, params[knob.name]) * 1e-6


def shape_of(*knobs: Knob) -> Shape:
    """The shape of a hasher with these knobs; its memory is in MiB."""
    return Shape(
        knobs=knobs,
        lowest={knob.name: knob.minimum for knob in knobs},
        memory_bytes=lambda params: params.get("memory", 0) * MIB,
        page_bytes=PAGE,
    )


def solution(params: Params, knob: Knob, reach: float) -> Solution:
    """An answer whose interval reaches so far to either side."""
    unit = seconds_at(params) / work(knob.scale, params[knob.name])
    interval = (1 - reach, 1 + reach)
    found = curve_of(knob, unit, params=params, relative_interval=interval)
    return Solution(curve=found, value=params[knob.name])


ANSWERS: Final = {
    "passes": solution({"memory": 64, "passes": 1}, PASSES, 0.01),
    "long": solution({"memory": 64, "passes": 6}, PASSES, 0.2),
    "wide": solution({"memory": 64, "passes": 1}, PASSES, 0.2),
    "rounds": solution({"rounds": 40_000}, LINEAR, 0.01),
    "cost": solution({"cost": 15}, STEPS, 0.3),
}


def confirming(answers: Iterator[Solution]) -> Plan:
    """A plan that knows its anchors, and whose answers are these in turn."""
    return Plan(
        shape=shape_of(LADDER, PASSES),
        target_seconds=0.04,
        effort=FAST,
        seconds=lambda sample: sample.cpu_seconds,
        solve=lambda: next(answers),
    )


@pytest.mark.parametrize(("memories", "hashes"), [((1, 4, 16), 6), ((1, 4, 8, 16), 4)])
def test_the_fourth_answer_is_the_last_that_is_looked_for(
    memories: tuple[int, ...], hashes: int
) -> None:
    """Three uncertain answers in turn are each confirmed by two hashes, four by one."""
    wide = [solution({"memory": memory, "passes": 1}, PASSES, 0.4) for memory in memories]
    plan = confirming(itertools.cycle(wide))
    steps = plan._confirm()
    due = next(steps)
    with contextlib.suppress(StopIteration):
        while True:
            own = seconds_at(due.params)
            due = steps.send(Sample(params=due.params, cpu_seconds=own, wall_seconds=own))
    assert len(plan.taken) == hashes


@pytest.mark.parametrize(
    ("memory", "work_done", "counts"),
    [(64, 1.0, 1), (74, 1.0, 1), (79, 1.0, 0), (64, 0.8, 1), (64, 0.6, 0)],
)
def test_a_hash_near_the_answer_confirms_it(memory: int, work_done: float, counts: int) -> None:
    """Within a quarter of a doubling of its memory, and of at least 0.7 of its time."""
    answer = solution({"memory": 64, "passes": 1}, PASSES, 0.1)
    plan = confirming(itertools.repeat(answer))
    own = work_done * answer.seconds
    params = {"memory": memory, "passes": 1}
    plan.taken.append(Sample(params=params, cpu_seconds=own, wall_seconds=own))
    assert plan._count_near(answer) == counts


NAMES: Final = ("memory", "wide", "fresh", "sweep-of-memory", "count", "shared", "sweep", "steps")


@table("answer, target, options", ids=NAMES)
def test_what_is_asked_for(
    answer: str, target: float, options: dict[str, Any], snapshot: Snapshot
) -> None:
    """Each hash in its turn, with the time that it and the others like it are expected to take,
    where every hash takes as long as its work.
    """
    cold, costs, shared = (options.pop(name, 0) for name in ("cold", "sweep", "shared"))
    solved = ANSWERS[answer]
    knobs: tuple[Knob, ...] = (LINEAR,) if answer == "rounds" else (STEPS,)
    if "memory" in solved.params:
        knobs = (LADDER, PASSES)
    plan = Plan(
        shape=shape_of(*knobs),
        target_seconds=target,
        effort=FAST if options.pop("fast", False) else NORMAL,
        seconds=lambda sample: sample.cpu_seconds,
        solve=lambda: solved,
        may_be_shared=lambda: len(plan.taken) < shared,
        memory_settings=[{"memory": step, "passes": 1} for step in LADDER.steps],
        sweep_plan=SweepPlan(
            fixed={},
            seconds=0.06,
            choose=lambda _, foreseen: [cost for cost in costs if foreseen(cost) < 0.05],
        )
        if costs
        else None,
        **options,
    )
    asked, steps = [], plan.steps()
    due = next(steps)
    with contextlib.suppress(StopIteration):
        while True:
            params, each = due.params, 1e3 * due.expected_seconds
            later = 1e3 * math.fsum(due.later)
            asked.append(f"{'x'.join(map(str, params.values()))}: {each:.6g} + {later:.6g}")
            seconds, is_cold = seconds_at(params), plan._count(params) < cold
            sample = Sample(
                params=params,
                cpu_seconds=seconds,
                wall_seconds=seconds,
                page_faults=is_cold * params.get("memory", 0) * MIB // PAGE,
            )
            due = steps.send(sample)
    snapshot(textwrap.fill("; ".join(asked), 99) + "\n")


def memory_plan(solve: Callable[[], Solution], may_be_shared: Callable[[], bool]) -> Plan:
    """A plan for memory and passes, at 64 ms."""
    return Plan(
        shape=shape_of(LADDER, PASSES),
        target_seconds=0.064,
        effort=NORMAL,
        seconds=lambda sample: sample.cpu_seconds,
        solve=solve,
        may_be_shared=may_be_shared,
        memory_settings=[{"memory": step, "passes": 1} for step in LADDER.steps],
    )


def taken(memory: int, passes: int, seconds: float) -> Sample:
    """A hash that took so long."""
    params = {"memory": memory, "passes": passes}
    return Sample(params=params, cpu_seconds=seconds, wall_seconds=seconds)


def test_a_first_pass_confirms_no_answer_of_several_passes() -> None:
    """A hash in fresh memory takes as long with one pass, and tells nothing of further ones."""
    answer = solution({"memory": 16, "passes": 4}, PASSES, 0.01)
    plan = memory_plan(lambda: answer, lambda: False)
    plan.taken.append(taken(16, 1, answer.seconds))
    assert plan._count_near(answer) == 0
    plan.taken.append(taken(16, 3, answer.seconds))
    assert plan._count_near(answer) == 1


def test_answers_that_change_end_no_run_on_a_core_that_may_be_shared() -> None:
    """A run goes on until the core was seen quiet, however many answers it had by then."""
    turns = itertools.count()

    def solve() -> Solution:
        return solution({"memory": 16, "passes": 3 + next(turns) % 6}, PASSES, 0.01)

    plan = memory_plan(solve, lambda: len(plan.taken) < 80)
    steps = plan.steps()
    due = next(steps)
    with contextlib.suppress(StopIteration):
        while True:
            params = due.params
            due = steps.send(taken(params["memory"], params["passes"], seconds_at(params)))
    assert len(plan.taken) >= 80
