"""The capacity of a machine, with a fake clock, fake hashers and levels made by hand."""

from typing import Any, Final

import pytest
from msgspec.structs import replace

from corpora import table
from fakes import (
    MIB,
    STEPS,
    TWO_CPUS,
    FakeClock,
    FakeHasher,
    FakeLadder,
    fake_host,
    level,
    limited_to,
)
from hashcost.core.cost_expressions import parse_cost
from hashcost.core.errors import UnavailableError, UnreachableError, UsageError, WrongAnswerError
from hashcost.core.machine import Machine
from hashcost.core.measurement import Params
from hashcost.fit.order_statistics import quantile
from hashcost.logins import levels, load, queue_simulation
from hashcost.logins.capacity import measure_capacity
from hashcost.logins.costs import check_costs
from hashcost.logins.levels import is_enough, lock_notices, measure_level, thread_counts, workers
from hashcost.logins.model import Capacity, Demand, ThreadLevel
from hashcost.logins.queue_simulation import Service, simulate

TEN_IN_A_FIFTH: Final = Demand(logins_per_second=10.0, p95_seconds=0.2)


def measured(
    clock: FakeClock,
    hasher: FakeHasher,
    expression: str,
    *,
    machine: Machine = TWO_CPUS,
    free: int | None = 4 << 30,
    **options: Any,
) -> Capacity:
    """The capacity with this hasher alone, on a quiet machine.

    The one clock is moved by all threads: they hinder each other like those of a library
    that holds Python's lock.
    """
    host = fake_host(clock, machine=machine, free=free)
    return measure_capacity(
        parse_cost(expression), host=host, pool=(hasher.registered(),), **options
    )


def test_levels_go_up_to_twice_the_cpus(clock: FakeClock) -> None:
    """Each number of threads up to the CPUs is measured, and twice as many."""
    hasher = FakeHasher(clock, seconds_per_unit=1e-6)
    found = measured(clock, hasher, "fake=10000")
    assert [1, 2, 4] == [row.threads for row in found.levels]
    assert {10000} == {row.params["rounds"] for row in found.levels}
    assert [1024, 2048, 4096] == [row.memory_bytes for row in found.levels]
    assert (2, {"rounds": 10000}) == (found.cpus, found.params)
    assert (1, "memory") == (found.schema, found.implementation)


def test_a_slow_hash_is_limited_by_the_budget(clock: FakeClock) -> None:
    """A level ends with its budget, and says how little it then rests on."""
    hasher = FakeHasher(clock, seconds_per_unit=1e-6)
    alone = measured(clock, hasher, "fake=500000", budget=2.9).levels[0]
    assert 6 == alone.hashes
    assert alone.p95_seconds is None
    assert alone.p95_is_rough


def test_no_more_at_once_than_there_is_memory_for(clock: FakeClock) -> None:
    """Numbers of threads whose hashes find no room are left out, and that is said."""
    hasher = FakeLadder(clock)
    found = measured(clock, hasher, "fake=memory=64,passes=1", free=200 * MIB)
    [notice] = [notice for notice in found.warnings if notice.code == "memory"]
    assert [1, 2] == [row.threads for row in found.levels]
    assert notice.message == (
        "4 logins at once take 256 MiB and 200 MiB are left: no more than 2 were tried"
    )


def test_a_cost_that_finds_no_memory_is_refused(clock: FakeClock) -> None:
    """If not even one hash finds room, both sizes and the edit are said, and it is not run."""
    hasher = FakeLadder(clock)
    refusal = (
        "^fake@memory: one hash takes 64.0 MiB but only 10.0 MiB are left; name a lower cost$"
    )
    with pytest.raises(UnreachableError, match=refusal):
        measured(clock, hasher, "fake=memory=64,passes=1", free=10 * MIB)
    assert 64 not in {call.value for call in hasher.calls}


def test_the_memory_for_all_hashes_limits_them(clock: FakeClock) -> None:
    """No more hashes run at once than fit the memory that was asked for, whatever is free."""
    found = measured(clock, FakeLadder(clock), "fake=memory=64,passes=1", memory_total=200 * MIB)
    assert [1, 2] == [row.threads for row in found.levels]


class TestCost:
    """Which cost is loaded with logins."""

    def test_is_solved_for_the_target(self, clock: FakeClock) -> None:
        """Without a cost, the one for the target is solved first."""
        hasher = FakeHasher(clock, knob=STEPS, seconds_per_unit=1e-4)
        assert {"cost": 9} == measured(clock, hasher, "fake", target=0.06).params

    @table("expression, message")
    def test_must_be_one_that_can_be_hashed(
        self, expression: str, message: str, clock: FakeClock
    ) -> None:
        """A cost beyond the hasher's range, or that takes longer than a minute, is refused."""
        hasher = FakeHasher(clock, knob=STEPS, seconds_per_unit=1e-4)
        with pytest.raises(UsageError, match=message):
            measured(clock, hasher, expression)


def test_every_cost_is_checked_before_one_is_timed(clock: FakeClock) -> None:
    """A cost out of range is refused without a hash at a cost that stands before it."""
    hasher = FakeHasher(clock, knob=STEPS)
    costs = [parse_cost(cost) for cost in ("fake=20", "fake=3")]
    with pytest.raises(UsageError, match="takes cost from 4 to 31"):
        check_costs(costs, (hasher.registered(),))
    assert 20 not in {call.value for call in hasher.calls}


def test_a_failure_token_at_this_cost(clock: FakeClock) -> None:
    """A failure token in the load ends it."""
    hasher = FakeHasher(clock, answer=lambda value, output: b"*0" if value == 12345 else output)
    with pytest.raises(WrongAnswerError, match=r"^fake@memory: .* \*0 .* at rounds=12345$"):
        measured(clock, hasher, "fake=12345")


def test_a_library_that_raises(clock: FakeClock) -> None:
    """What a library raises under load is told on one line."""

    def answer(value: int, output: bytes) -> bytes:
        if value == 12345:
            raise MemoryError("no room\nat all")
        return output

    hasher = FakeHasher(clock, answer=answer)
    with pytest.raises(UnavailableError, match=r"^fake@memory: failed: no room at all$"):
        measured(clock, hasher, "fake=12345")


@table("cpus, threads")
def test_thread_counts(cpus: int, threads: list[int]) -> None:
    """Each doubling below the CPUs, the CPUs and twice them."""
    assert tuple(threads) == thread_counts(cpus)


@table("counts, elapsed, enough")
def test_is_enough(counts: list[int], elapsed: float, enough: bool) -> None:
    """Sixty hashes and two seconds, or very many, or the budget; never fewer than two a thread."""
    assert enough == is_enough(counts, elapsed, 3.0)


def test_a_prediction_is_of_70_percent_of_the_most(clock: FakeClock) -> None:
    """The workers take 70 % of what they do at most, said to be a prediction."""
    found = measured(clock, FakeHasher(clock, seconds_per_unit=1e-6), "fake=100000")
    prediction, busy = found.prediction, found.levels[1]
    assert (2, {"rounds": 100000}) == (prediction.workers, prediction.params)
    assert prediction.arrivals_per_second == pytest.approx(0.7 * busy.quiet_logins_per_second)
    assert busy.p50_seconds <= prediction.p50_seconds < prediction.p95_seconds


def test_a_prediction_has_fewer_workers_where_more_do_less() -> None:
    """Workers that keep each other from working are not counted on."""
    assert 1 == workers([level(1, 20.0), level(2, 12.0)], 2).threads
    assert 2 == workers([level(1, 20.0), level(2, 19.0), level(4, 41.0)], 2).threads


def quiet_level(
    hasher: FakeHasher, params: Params, *, threads: int, cpus: float, **_: Any
) -> ThreadLevel:
    """CPUs that do not hinder each other."""
    seconds = (
        hasher.cpu_seconds(params)
        if isinstance(hasher, FakeLadder)
        else hasher.seconds(params[hasher.knob.name])
    )
    rate = min(threads, cpus) / seconds
    return replace(level(threads, rate), params=params, quiet_seconds=(threads / rate,) * 100)


class TestDemand:
    """The highest cost for a rate of logins with a tail."""

    @pytest.fixture(autouse=True)
    def quiet(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A world whose truth is known, and short searches."""
        monkeypatch.setattr(levels, "measure_level", quiet_level)
        monkeypatch.setattr(queue_simulation, "_TRIAL_LOGINS", 4000)

    def test_linear(self, clock: FakeClock) -> None:
        """The highest count that holds is found, rounded down to three digits, near the limit."""
        hasher = FakeHasher(clock, seconds_per_unit=1e-6)
        found = measured(clock, hasher, "fake", demand=TEN_IN_A_FIFTH)
        assert 0.15 < found.prediction.p95_seconds <= 0.2
        assert found.prediction.params == found.params
        assert len(str(found.params["rounds"]).rstrip("0")) <= 3
        assert TEN_IN_A_FIFTH == found.demand

    def test_steps(self, clock: FakeClock) -> None:
        """Of a cost that doubles, the highest step that holds is found, and the next does not."""
        hasher = FakeHasher(clock, knob=STEPS, seconds_per_unit=1e-4)
        found = measured(clock, hasher, "fake", demand=TEN_IN_A_FIFTH)
        above = hasher.seconds(found.params["cost"] + 1)
        assert found.prediction.p95_seconds <= 0.2
        responses = simulate(Service(workers=2, hash_seconds=(above,)), 10.0)
        assert quantile(responses, 0.95) > 0.18

    def test_memory(self, clock: FakeClock) -> None:
        """Of a hasher in memory, the steps near the answer are timed; with a total, every worker
        has room.
        """
        hasher = FakeLadder(clock)
        found = measured(clock, hasher, "fake", demand=TEN_IN_A_FIFTH, memory_total=1 << 30)
        assert found.concurrency is not None
        assert found.concurrency.at_once * found.memory_bytes <= found.concurrency.room_bytes
        assert found.prediction.p95_seconds <= 0.2

    def test_out_of_reach(self, clock: FakeClock) -> None:
        """Not even the lowest cost holds it, and the message says so."""
        hasher = FakeHasher(clock, knob=STEPS, seconds_per_unit=1e-4)
        demand = Demand(logins_per_second=1e5, p95_seconds=0.2)
        with pytest.raises(UnreachableError, match="cost=4 2 workers do not hold 100000/s"):
            measured(clock, hasher, "fake", demand=demand)

    def test_a_cost_below_the_minimum_is_never_recommended(self, clock: FakeClock) -> None:
        """Where only a cost below OWASP's minimum holds the logins, the target is out of reach."""
        hasher = FakeHasher(clock, name="bcrypt", knob=STEPS, seconds_per_unit=1e-5)
        found = measured(clock, hasher, "bcrypt", demand=TEN_IN_A_FIFTH)
        assert found.params["cost"] >= 10
        many = Demand(logins_per_second=1000, p95_seconds=0.2)
        with pytest.raises(UnreachableError, match="no cost at the minimum of owasp holds 1000/s"):
            measured(clock, hasher, "bcrypt", demand=many)


@pytest.mark.parametrize(("threads", "quiet_rate"), [(1, 10.0), (2, 20.0), (4, 20.0)])
@pytest.mark.parametrize("slower", [1, 5])
def test_the_quiet_rate_is_by_cpu_time(
    threads: int, quiet_rate: float, slower: int, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long threads wait for a CPU, their CPU time tells what two CPUs can do."""
    seconds = 0.1 * slower * max(1, threads / 2)
    spans = [load.Span(seconds * n, seconds * (n + 1), 0.1) for n in range(20)]
    ended = load.Closed(
        spans=(tuple(spans),) * threads, cpu_seconds=2.0 * threads, wanted_cpus=threads
    )
    monkeypatch.setattr(levels, "closed_loop", lambda *_, **__: ended)
    found = measure_level(
        FakeHasher(clock),
        {"rounds": 10},
        threads=threads,
        cpus=2,
        seconds=1.0,
        clock=clock.as_clock(),
    )
    assert found.quiet_logins_per_second == pytest.approx(quiet_rate)
    assert found.waiting == pytest.approx(1 - 1 / slower)
    assert found.quiet_seconds == pytest.approx((threads / quiet_rate,) * 20 * threads)


def test_pythons_lock() -> None:
    """Threads that want no more than one CPU wait for Python's lock; one CPU shows none."""
    rows = [level(1, 20.0), level(2, 20.0), level(4, 20.0)]
    [notice] = lock_notices(rows, 2, lanes=1)
    assert ("lock", True) == (notice.code, "20.0/s" in notice.advice)
    assert [] == [*lock_notices([level(1, 20.0), level(2, 39.0, now=15.0)], 2, lanes=1)]
    assert [] == [*lock_notices([level(1, 20.0), level(2, 20.0)], 1, lanes=1)]


@pytest.mark.parametrize(("lanes", "cpus", "holds"), [(4, 2, False), (2, 2, False), (2, 4, True)])
def test_lanes_that_fill_the_cpus_hold_no_lock(lanes: int, cpus: int, holds: bool) -> None:
    """More threads add nothing where the lanes of one hash leave no CPU idle."""
    rows = [level(1, 10.0), level(2, 10.0), level(4, 10.0)]
    assert bool(lock_notices(rows, cpus, lanes)) == holds


def test_a_quota_may_leave_part_of_a_cpu(
    clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two workers under a quota of 1.5 CPUs are foreseen 1.5 times what one does."""
    monkeypatch.setattr(levels, "measure_level", quiet_level)
    machine = replace(TWO_CPUS, cpu_limit=limited_to(1.5))
    hasher = FakeHasher(clock, seconds_per_unit=1e-6)
    found = measured(clock, hasher, "fake=10000", machine=machine)
    assert found.prediction.arrivals_per_second == pytest.approx(0.7 * 1.5 / 0.01)


@pytest.mark.parametrize(("limit", "cpus"), [(None, 2), (0.5, 1), (1.0, 1), (1.5, 2), (8.0, 2)])
def test_a_limit_takes_cpus_away(clock: FakeClock, limit: float | None, cpus: int) -> None:
    """A control group's limit is rounded up to whole CPUs, of which there are no more than
    the process may use.
    """
    machine = replace(TWO_CPUS, cpu_limit=limit and limited_to(limit))
    found = measured(clock, FakeHasher(clock), "fake=10000", machine=machine)
    assert (cpus, 2 * cpus) == (found.cpus, found.levels[-1].threads)
