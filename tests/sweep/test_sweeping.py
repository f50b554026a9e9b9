"""A whole sweep on a clock that only moves when told."""

from __future__ import annotations

import itertools
import json
import random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakes import (
    LINEAR,
    MIB,
    STEPS,
    TWO_CPUS,
    FakeClock,
    FakeHasher,
    FakeLadder,
    candidate,
    fake_host,
    known_answer,
    swept,
)
from hashcost.core.errors import UnavailableError, UsageError
from hashcost.core.measurement import Knob, Scale
from hashcost.core.progress import Stage
from hashcost.hashers.built_in import DEFAULTS, Default
from hashcost.sweep.driver import Estimate
from hashcost.sweep.model import Status, Sweep, SweepRow

SHA: Knob = Knob(name="rounds", scale=Scale.LINEAR, minimum=1000, maximum=999_999_999)


def row(found: Sweep, cost: int) -> SweepRow:
    """The row of this cost."""
    return next(each for each in found.rows if each.cost == cost)


def codes(found: Sweep) -> list[str]:
    """What is said of the first hasher's curve."""
    return [notice.code for notice in found.hashers[0].shape]


def test_every_cost_has_its_figures(clock: FakeClock) -> None:
    """A cost that was timed has its time, interval, rate, fit and residual."""
    hasher = FakeHasher(clock, seconds_per_unit=1e-6, slow=lambda: 2.0)
    found = swept(clock, hasher, costs="1000,10000,100000")
    each = row(found, 10000)

    assert [1000, 10000, 100000] == [each.cost for each in found.rows]
    assert each.status is Status.MEASURED
    assert each.time_seconds == pytest.approx(0.01)
    assert each.wall_seconds == pytest.approx(0.02)
    assert each.hashes_per_second == pytest.approx(100)
    assert each.user_seconds == pytest.approx(0.01)
    assert each.system_seconds == 0
    assert each.residual == pytest.approx(0.0, abs=1e-9)
    assert (each.low_seconds or 1.0) <= 0.0100001
    assert (each.high_seconds or 0.0) >= 0.0099999
    assert "rounds=10000" == each.params


@given(
    unit=st.floats(min_value=1e-8, max_value=1e-5),
    budget=st.floats(min_value=0.5, max_value=20.0),
    seed=st.integers(0, 99),
    slow=st.floats(min_value=1.0, max_value=3.0),
)
def test_the_budget_is_never_burst(unit: float, budget: float, seed: int, slow: float) -> None:
    """No hash ends after the budget but one that took longer than expected, and every cost
    has a time: measured, or predicted within the noise.
    """
    noise = random.Random(seed)
    clock = FakeClock()
    hasher = FakeHasher(
        clock,
        seconds_per_unit=unit,
        noise=lambda: 1 + 0.02 * noise.random(),
        slow=lambda: slow,
    )
    found = swept(clock, hasher, costs="1000,10000,100000,1000000,10000000", budget=budget)

    assert found.duration_seconds <= budget * 1.05 + 0.1
    for each in found.rows:
        assert each.time_seconds == pytest.approx(each.cost * unit, rel=0.05)


def test_what_would_burst_the_budget_is_not_timed(clock: FakeClock) -> None:
    """A cost beyond the budget is predicted from the fit, is marked, and never runs."""
    hasher = FakeHasher(clock, seconds_per_unit=1e-6)
    found = swept(clock, hasher, costs="1000,10000,100000,100000000", budget=2.0)

    assert row(found, 100_000_000).status is Status.PREDICTED
    assert row(found, 100_000_000).time_seconds == pytest.approx(100, rel=0.01)
    assert row(found, 100_000_000).relative_error is None
    assert max(call.value for call in hasher.calls) == 100_000


def test_a_lone_cost_beyond_the_budget_rests_on_smaller_ones(clock: FakeClock) -> None:
    """Where no cost asked for fits, the fit rests on costs that nobody asked for, in no row."""
    hasher = FakeHasher(clock, knob=STEPS, seconds_per_unit=1e-4, overhead=1e-5)
    found = swept(clock, hasher, costs="20", budget=2.0)

    assert [20] == [each.cost for each in found.rows]
    assert row(found, 20).status is Status.PREDICTED
    assert row(found, 20).time_seconds == pytest.approx(2**20 * 1e-4, rel=0.01)


def test_hashers_take_turns_in_a_fresh_order(clock: FakeClock) -> None:
    """Each round times every cost of every hasher, in another order than the one before."""
    one = FakeHasher(clock, name="one", seconds_per_unit=1e-5)
    two = FakeHasher(clock, name="two", seconds_per_unit=1e-5, calls=one.calls)
    found = swept(clock, one, two, costs="1000,2000,3000")
    calls = [(call.hasher, call.value) for call in one.calls[-found.rounds * 6 :]]
    rounds = [calls[start : start + 6] for start in range(0, len(calls), 6)]

    assert found.rounds >= 12
    assert all(len(set(each)) == 6 for each in rounds)
    assert len({tuple(each) for each in rounds}) > 1


def test_slow_drift_does_not_bend_the_curve(clock: FakeClock) -> None:
    """A machine that becomes slower during the run does so for all costs alike."""
    hasher = FakeHasher(
        clock, seconds_per_unit=1e-6, noise=lambda: 1.0 if clock.wall < 1.0 else 1.1
    )
    found = swept(clock, hasher, costs="1000,10000,50000,100000")

    assert found.duration_seconds > 1.5
    assert [] == [each for each in found.rows if abs(each.residual or 0.0) > 0.02]


def test_the_first_call_is_reported_apart(clock: FakeClock) -> None:
    """The very first hash of the run is cold; it is in no row."""
    hasher = FakeHasher(clock, knob=SHA, seconds_per_unit=1e-7)
    hasher.noise = lambda: 400.0 if len(hasher.calls) == 1 else 1.0
    found = swept(clock, hasher, costs="1000,2000")
    cold = found.hashers[0].cold

    assert cold is not None
    assert cold.wall_seconds == pytest.approx(0.04)
    assert cold.warm_seconds == pytest.approx(1e-4)
    assert row(found, 1000).time_seconds == pytest.approx(1e-4)


def test_a_cost_outside_the_range_is_not_timed(clock: FakeClock) -> None:
    """A cost that is not legal is never timed as something else: its row says so."""
    hasher = FakeHasher(clock, knob=SHA, seconds_per_unit=1e-6)
    found = swept(clock, hasher, costs="1,1000,5000")

    assert (Status.UNTIMED, "outside 1000..999999999") == (
        row(found, 1).status,
        row(found, 1).note,
    )
    assert row(found, 1).time_seconds is None
    assert 1 not in {call.value for call in hasher.calls}
    assert row(found, 1000).status is Status.MEASURED


def test_the_default_is_marked(clock: FakeClock, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cost that the library takes when none is given is marked, and swept unless told."""
    monkeypatch.setitem(
        DEFAULTS, "fake@memory", Default(params={"rounds": 5000}, taken_by="made up")
    )
    hasher = FakeHasher(clock, knob=SHA, seconds_per_unit=1e-6)
    found = swept(clock, hasher, target=0.1)

    assert [5000] == [each.cost for each in found.rows if each.default]
    assert (5000, "made up") == (
        found.hashers[0].default_cost,
        found.hashers[0].default_taken_by,
    )
    assert found.rows[0].cost == 1000


def test_overhead_is_told_with_its_figures(clock: FakeClock) -> None:
    """What each hash takes whatever its cost is said, and from where on it matters."""
    hasher = FakeHasher(clock, seconds_per_unit=1e-6, overhead=1e-4)
    found = swept(clock, hasher, costs="1000,10000,100000,200000")

    assert ["overhead"] == codes(found)
    assert (
        "100 µs of each hash do not depend on its rounds: 9.1 % of the time at rounds=1000, and"
        " more than 3.0 % below rounds=3200"
    ) == found.hashers[0].shape[0].message


def test_a_cost_off_the_line_is_told(clock: FakeClock) -> None:
    """A cost that takes more than the line through all says so, with both times."""
    hasher = FakeHasher(
        clock, seconds_per_unit=1e-6, surcharge=lambda value: 0.01 if value == 50000 else 0.0
    )
    found = swept(clock, hasher, costs="10000,20000,50000,80000,100000,120000")

    assert ["off-the-line"] == codes(found)
    assert (
        "at rounds=50000 a hash takes 20 % more than the line through all costs says (60.0 ms"
        " against 50.0 ms)"
    ) == found.hashers[0].shape[0].message


def test_a_clean_curve_says_nothing(clock: FakeClock) -> None:
    """A line that is one, and a power of two that is one, are not spoken of."""
    for knob, costs in ((LINEAR, "1000..9000:1000"), (STEPS, "6..12")):
        assert [] == codes(swept(clock, FakeHasher(clock, knob=knob), costs=costs))


def test_the_page_fault_cliff_is_told(clock: FakeClock) -> None:
    """Where the allocator gives memory back after each hash, the step is named with the
    system time.
    """
    hasher = FakeLadder(clock, passes=None, cliff=32, page_seconds=2e-6)
    found = swept(clock, hasher, costs="1..64")
    at = row(found, 32)

    assert ["page-faults"] == codes(found)
    assert at.system_seconds == pytest.approx(8192 * 2e-6)
    assert at.user_seconds == pytest.approx(0.032)
    assert "from memory=32 (32.0 MiB) on each hash is given 32.0 MiB of fresh pages" in (
        found.hashers[0].shape[0].message
    )


def test_pages_of_unknown_size_are_not_told(clock: FakeClock) -> None:
    """Where the size of a page is unknown, the steps of memory are told without a cause."""
    hasher = FakeLadder(clock, passes=None, cliff=32, page_seconds=2e-6)
    host = fake_host(clock, machine=msgspec.structs.replace(TWO_CPUS, page_bytes=None))
    found = swept(clock, hasher, costs="1..64", host=host)

    assert ["memory-step"] == codes(found)
    assert "cache" not in found.hashers[0].shape[0].message


def test_the_end_of_a_cache_is_told(clock: FakeClock) -> None:
    """A step from where a MiB takes longer is named."""
    hasher = FakeLadder(
        clock, passes=None, surcharge=lambda memory: memory * 3e-4 if memory > 8 else 0.0
    )
    found = swept(clock, hasher, costs="1..64")

    assert ["memory-step"] == codes(found)
    assert found.hashers[0].shape[0].message == (
        "at memory=16 (16.0 MiB) a MiB takes 30 % longer than at memory=8, as if a cache were full"
    )


def test_memory_is_not_extrapolated(clock: FakeClock) -> None:
    """A step of memory that was not timed has the time that it takes at least."""
    hasher = FakeLadder(clock, passes=None, seconds_per_unit=1e-3)
    found = swept(clock, hasher, costs="16..1024", budget=2.0)
    last = row(found, 1024)

    assert last.status is Status.PREDICTED
    assert last.time_seconds == pytest.approx(1.024, rel=0.01)
    assert last.note.startswith("at least")
    assert last.fitted_seconds is None


def test_memory_that_is_not_allowed_is_not_touched(clock: FakeClock) -> None:
    """A step beyond the memory allowed is not timed, and says so."""
    hasher = FakeLadder(clock, passes=None)
    found = swept(clock, hasher, costs="16..1024", memory=64 * MIB)

    assert row(found, 128).status is Status.UNTIMED
    assert "it needs 128 MiB but only 64.0 MiB are allowed; raise --memory" == row(found, 128).note
    assert max(call.value for call in hasher.calls) == 64


def test_unknown_memory_has_to_be_given(clock: FakeClock) -> None:
    """If the system does not tell its memory, the user has to, for what is memory-hard."""
    ladder, other = FakeLadder(clock, name="ladder"), FakeHasher(clock)
    names = ["ladder=16..64", "fake=1000"]
    found = swept(clock, ladder, other, names=names, host=fake_host(clock, free=None))

    assert ["fake"] == [each.hasher for each in found.hashers]
    (failure,) = found.failures
    assert "`calibrate sweep ladder --memory 256MiB`" in failure.error


def test_params_are_held(clock: FakeClock) -> None:
    """Params that are given are held at every cost, and are in every row."""
    hasher = FakeLadder(clock)
    found = swept(clock, hasher, costs="1..4", params="passes=3")

    assert {"passes": 3} == found.hashers[0].fixed
    assert row(found, 4).time_seconds == pytest.approx(4 * 3 * 1e-3)
    assert "memory=4 passes=3" == row(found, 4).params


@pytest.mark.parametrize("params", ["memory=3", "lanes=3", "passes", "passes=0"])
def test_params_that_cannot_be_are_refused(clock: FakeClock, params: str) -> None:
    """The knob that is swept, and params that the hasher has not, are refused."""
    with pytest.raises(UsageError):
        swept(clock, FakeLadder(clock), costs="1..4", params=params)


def test_params_that_take_too_long_are_not_timed(clock: FakeClock) -> None:
    """Params that burst the budget at the lowest cost are foreseen, and never run."""
    hasher = FakeLadder(clock)
    found = swept(clock, hasher, costs="1..4", params="passes=20000000", budget=1.0)
    (failure,) = found.failures

    assert "unreachable" == failure.code
    assert (
        "the lowest cost, memory=1,passes=20000000, takes about 20000 s a hash; lower --params,"
        " or raise --budget to time 2 of them" == failure.error
    )
    assert found.duration_seconds < 1.0


def test_params_that_need_too_much_memory_are_not_touched(clock: FakeClock) -> None:
    """Where the lowest cost needs more memory than is allowed, nothing at all is hashed."""
    hasher = FakeLadder(clock)
    found = swept(clock, hasher, costs="1..4", memory=MIB // 2)
    (failure,) = found.failures

    assert "unreachable" == failure.code
    assert failure.error.endswith("needs 1.00 MiB but only 512 KiB are allowed; raise --memory")
    assert [] == hasher.calls


def test_several_threads_are_timed_on_the_wall_clock(clock: FakeClock) -> None:
    """Of a hash in several threads the wall time counts, and the CPU time is over all."""
    hasher = FakeLadder(clock, lanes=True, passes=None)
    found = swept(clock, hasher, costs="8..32", params="parallelism=2")
    at = row(found, 32)

    assert ("perf_counter", 2) == (found.hashers[0].clock, found.hashers[0].threads)
    assert at.time_seconds == pytest.approx(0.016)
    assert at.cpu_seconds == pytest.approx(0.032)
    assert at.hashes_per_second == pytest.approx(1 / 0.032)


def test_a_hasher_that_fails_leaves_the_others(clock: FakeClock) -> None:
    """A hasher with a wrong answer, and one that is missing, are named; the others are swept."""

    def missing() -> FakeHasher:
        raise UnavailableError("made of nothing")

    wrong = FakeHasher(clock, name="wrong", known_answers=(known_answer({"rounds": 1}, b"no"),))
    right = FakeHasher(clock, name="right")
    found = swept(clock, wrong, candidate("gone@memory", missing), right, costs="1000,2000")

    assert ["wrong-answer", "unavailable"] == [failure.code for failure in found.failures]
    assert {"right"} == {each.hasher for each in found.rows}


def test_a_cost_that_the_library_refuses_when_timed(clock: FakeClock) -> None:
    """What the library raises at one legal cost is said there, and the other costs go on."""

    def answer(value: int, output: bytes) -> bytes:
        if value == 2000:
            raise ValueError("not today")
        return output

    found = swept(clock, FakeHasher(clock, answer=answer), costs="1000,2000,3000")

    assert (Status.REFUSED, "not today") == (row(found, 2000).status, row(found, 2000).note)
    assert row(found, 3000).status is Status.MEASURED


def test_what_lies_ahead_is_told_before(clock: FakeClock) -> None:
    """How long it will take, and how many costs are timed and predicted, is told once."""
    told: list[Estimate] = []
    swept(
        clock,
        FakeHasher(clock, seconds_per_unit=1e-6),
        costs="1000,10000,100000000",
        budget=2.0,
        announce=told.append,
    )

    assert [(2, 1)] == [(each.measured, each.predicted) for each in told]
    assert 0 < told[0].seconds <= 2.0


def test_progress_rises_to_the_end(clock: FakeClock) -> None:
    """On a machine as quick as foreseen, the fraction never falls and ends at the whole."""
    told: list[Stage] = []
    swept(clock, FakeHasher(clock), costs="1000,10000,100000", progress=told.append)

    fractions = [each.fraction for each in told]
    assert sorted(fractions) == fractions
    assert fractions[-1] == pytest.approx(1.0, abs=0.05)


def test_a_sweep_that_takes_longer_than_foreseen_counts_its_budget_down(
    clock: FakeClock,
) -> None:
    """Where rounds do not agree, the seconds left are those of the budget."""
    told: list[Stage] = []
    noise = itertools.cycle([1.0, 1.3, 1.1, 1.2, 1.4])
    hasher = FakeHasher(clock, noise=lambda: next(noise))
    swept(clock, hasher, costs="100000", budget=6.0, progress=told.append)

    late = [each for each in told if each.may_end_sooner]
    assert late
    assert {"timing hashes until they agree"} == {each.phase for each in late}
    assert 0 <= (late[-1].seconds_left or 0.0) < 0.5


@pytest.mark.parametrize(
    "options",
    [{"budget": 0.0}, {"target": 0.0}, {"names": ["fake", "fake@memory"]}, {"names": []}],
)
def test_wrong_use(clock: FakeClock, options: dict[str, object]) -> None:
    """A budget or target of nothing, a hasher named twice and none at all are refused."""
    with pytest.raises(UsageError):
        swept(clock, FakeHasher(clock), **options)  # type: ignore[arg-type]


def test_the_target_is_solved_by_the_fit(clock: FakeClock) -> None:
    """The highest cost within the target is told, rounded down as a recommendation is."""
    found = swept(clock, FakeHasher(clock), costs="1000,10000", target=0.123456)

    assert found.hashers[0].target_cost == 123000


def test_rows_are_flat(clock: FakeClock) -> None:
    """A row of the JSON has names and scalars alone, so that any table takes it."""
    found = swept(clock, FakeHasher(clock), costs="1000,10000")
    rows = json.loads(msgspec.json.encode(found))["rows"]

    assert all(
        value is None or isinstance(value, str | int | float | bool)
        for each in rows
        for value in each.values()
    )
