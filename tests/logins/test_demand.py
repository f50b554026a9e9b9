"""The highest cost that holds a demand, in worlds whose truth is known."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec
import pytest

from fakes import (
    LADDER,
    LINEAR,
    MIB,
    STEPS,
    FakeClock,
    FakeHasher,
    FakeLadder,
    calibrate_unwatched,
    fake_host,
    level,
    measure,
)
from hashcost.core.capacity import Capacity, Demand, Level, LoadRun
from hashcost.core.cost_expressions import parse_cost
from hashcost.core.errors import UnreachableError, UsageError
from hashcost.fit.order_statistics import quantile
from hashcost.logins import demand
from hashcost.logins import queue_simulation as queueing
from hashcost.logins.demand import meet_demand
from hashcost.logins.queue_simulation import Service, respond, simulate
from hashcost.machine.clock import Clock, system_clock
from hashcost.recommend import one_hasher as subject
from hashcost.recommend.one_hasher import Subject

TEN_IN_A_FIFTH: Final = Demand(logins_per_second=10.0, p95_seconds=0.2)


@dataclass
class World:
    """Two CPUs that do not hinder each other, on which a hash takes what it is said to.

    ``slowness`` is by how much it takes longer when logins come than when it was measured;
    each run draws on from the list, and stays with the last.
    """

    slowness: Sequence[float] = (1.0,)
    runs: int = 0

    def levels(
        self, at: Subject, counts: Sequence[int], **_: Any
    ) -> tuple[tuple[Level, ...], tuple[()]]:
        """What the levels would show."""
        seconds = _seconds(at)
        return tuple(level(threads, threads / seconds) for threads in counts), ()

    def run(
        self, at: Subject, asked: Demand, *, threads: int, due: Sequence[float], clock: Clock
    ) -> LoadRun:
        """What a run would show."""
        slowness = self.slowness[min(self.runs, len(self.slowness) - 1)]
        self.runs += 1
        served = Service(seconds=(_seconds(at) * slowness,) * threads)
        responses = tuple(respond(served, due, [1.0] * len(due)))
        p95 = quantile(responses, 0.95)
        return LoadRun(
            params=at.params,
            workers=threads,
            arrivals=len(due),
            served=len(due),
            duration_seconds=due[-1],
            logins_per_second=len(due) / due[-1],
            p50_seconds=quantile(responses, 0.5),
            p95_seconds=p95,
            p95_is_rough=False,
            max_seconds=max(responses),
            utilisation=_seconds(at) * slowness * len(due) / (threads * due[-1]),
            held=p95 <= asked.p95_seconds,
            response_seconds=responses,
        )


def _seconds(at: Subject) -> float:
    assert isinstance(at.hasher, FakeHasher)
    if isinstance(at.hasher, FakeLadder):
        return at.hasher.cpu_seconds(at.params)
    return at.hasher.seconds(at.params[at.hasher.knob.name])


def met(
    clock: FakeClock,
    hasher: FakeHasher,
    asked: Demand = TEN_IN_A_FIFTH,
    world: World | None = None,
    **options: Any,
) -> Capacity:
    """What is found in such a world."""
    world = world or World()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(subject, "calibrate", calibrate_unwatched)
        patch.setattr(queueing, "_TRIAL_LOGINS", 4000)
        patch.setattr(demand, "measure_levels", world.levels)
        patch.setattr(demand, "run_load", world.run)
        return meet_demand(
            parse_cost(hasher.name),
            asked,
            host=fake_host(clock),
            pool=(hasher.registered(),),
            chance=random.Random(7),
            seconds=100.0,
            **options,
        )


def _codes(found: Capacity) -> list[str]:
    return [notice.code for notice in found.warnings]


class TestHeld:
    """A cost that holds."""

    def test_linear(self, clock: FakeClock) -> None:
        """The highest count that holds is found at once, rounded down to three digits."""
        found = met(clock, FakeHasher(clock, seconds_per_unit=1e-6))
        [run] = found.runs
        assert run.held
        assert found.params == run.params
        assert 0.15 < run.p95_seconds <= 0.2
        assert found.params is not None
        assert len(str(found.params["rounds"]).rstrip("0")) <= 3
        assert found.error is found.code is None

    def test_steps(self, clock: FakeClock) -> None:
        """Of a cost that doubles, the highest step that holds is found, and the one above does
        not.
        """
        hasher = FakeHasher(clock, knob=STEPS, seconds_per_unit=1e-4)
        found = met(clock, hasher)
        assert found.params is not None
        [run] = found.runs
        above = Service(seconds=(hasher.seconds(found.params["cost"] + 1),) * 2)
        assert run.held
        assert simulate(above, 10.0).p95_seconds > 0.18

    def test_memory(self, clock: FakeClock) -> None:
        """Of a hasher in memory, the setting is one that the calibration recommends."""
        found = met(clock, FakeLadder(clock))
        [run] = found.runs
        assert run.held
        assert found.params is not None
        assert found.params["memory"] >= 32

    def test_a_demand_is_kept_in_the_result(self, clock: FakeClock) -> None:
        """The result holds the demand, the levels up to the CPUs and the run's responses."""
        found = met(clock, FakeHasher(clock))
        assert found.demand == TEN_IN_A_FIFTH
        assert [1, 2] == [row.threads for row in found.levels]
        assert 1000 == found.runs[0].arrivals == len(found.runs[0].response_seconds)


class TestRunsDecide:
    """What was foreseen gives way to what was seen."""

    @pytest.mark.parametrize("hasher", [LINEAR, STEPS])
    def test_a_run_that_fails_leads_down(self, hasher: Any, clock: FakeClock) -> None:
        """Where logins are slower than foreseen, lower costs are tried until one holds."""
        fake = FakeHasher(clock, knob=hasher, seconds_per_unit=1e-5)
        found = met(clock, fake, world=World(slowness=(1.6,)))
        values = [run.params[hasher.name] for run in found.runs]
        assert 2 <= len(found.runs) <= 3
        assert values == sorted(values, reverse=True)
        assert [False] * (len(values) - 1) + [True] == [run.held for run in found.runs]
        assert found.params == found.runs[-1].params

    def test_by_one_step(self, clock: FakeClock) -> None:
        """A cost that doubles goes down by one step at a time."""
        fake = FakeHasher(clock, knob=STEPS, seconds_per_unit=1e-5)
        found = met(clock, fake, world=World(slowness=(2.0, 2.0)))
        values = [run.params["cost"] for run in found.runs]
        assert len(values) > 1
        assert list(range(values[0], values[-1] - 1, -1)) == values

    def test_by_a_twentieth_at_least(self, clock: FakeClock) -> None:
        """A linear cost goes down by 5 % at least, however near the miss."""
        found = met(clock, FakeHasher(clock), world=World(slowness=(1.1, 1.0)))
        first, second = (run.params["rounds"] for run in found.runs[:2])
        assert second <= 0.951 * first

    def test_a_run_far_from_the_limit_leads_up(self, clock: FakeClock) -> None:
        """Where logins are quicker than foreseen, since the machine was busy before, a higher
        cost is tried too.
        """
        found = met(clock, FakeHasher(clock), world=World(slowness=(0.5,)))
        values = [run.params["rounds"] for run in found.runs]
        assert values[-1] > 1.5 * values[0]
        assert found.params == {"rounds": values[-1]}

    def test_a_higher_cost_that_fails_leaves_the_lower(self, clock: FakeClock) -> None:
        """A cost that has held stays the answer when a higher one does not hold."""
        found = met(clock, FakeHasher(clock), world=World(slowness=(0.5, 3.0)))
        assert [True, False] == [run.held for run in found.runs]
        assert found.params == found.runs[0].params

    def test_three_runs_that_fail(self, clock: FakeClock) -> None:
        """After three runs that failed nothing is claimed: it is inconclusive."""
        found = met(clock, FakeHasher(clock), world=World(slowness=(3.0, 30.0, 900.0)))
        assert (3, None, "inconclusive") == (len(found.runs), found.params, found.code)
        assert found.error is not None
        assert "3 runs at lower and lower costs had a p95 above 200 ms" in found.error

    def test_no_lower_cost_is_left(self, clock: FakeClock) -> None:
        """Where the lowest cost itself fails in a run, the demand is too slow."""
        fake = FakeHasher(clock, knob=STEPS, seconds_per_unit=0.05 / 16)
        found = met(clock, fake, world=World(slowness=(5.0,)))
        assert ([4], None, "unreachable") == (
            [run.params["cost"] for run in found.runs],
            found.params,
            found.code,
        )
        assert found.error is not None
        assert found.error.startswith("cost=4 is the lowest cost, and its run had a p95 of ")

    def test_the_lowest_memory_is_timed(self, clock: FakeClock) -> None:
        """Of a hasher in memory the lowest step is timed before the demand is called out of
        reach.
        """
        fake = FakeLadder(clock, seconds_per_unit=2e-3, filling=1e-3)
        found = met(clock, fake, Demand(logins_per_second=3000.0, p95_seconds=0.5))
        assert found.error is not None
        assert found.error.startswith("even at memory=1,passes=1 these 2 CPUs can serve ")


class TestMemory:
    """A cost whose workers have room in one memory."""

    def test_the_workers_share_it(self, clock: FakeClock) -> None:
        """Each worker's hash has its share, and as many are the limit as there are workers."""
        found = met(clock, FakeLadder(clock), memory_total=36 * MIB)
        assert found.params is not None
        assert 8 == found.params["memory"]
        assert found.concurrency is not None
        assert (2, 10 * MIB) == (found.concurrency.at_once, found.concurrency.hash_bytes)
        assert 8 * MIB == found.memory_bytes

    def test_a_profile_is_held_to_it(self, clock: FakeClock) -> None:
        """Settings of a profile that take more are left out."""
        ladder = FakeLadder(clock)
        profile = measure(clock, ladder, target=0.1, tradeoff=True)
        free = met(clock, ladder, origin=profile)
        held = met(clock, ladder, origin=profile, memory_total=36 * MIB)
        assert free.params is not None
        assert held.params is not None
        assert held.params["memory"] <= 8 < free.params["memory"]

    def test_a_profile_of_too_much_memory_is_refused(self, clock: FakeClock) -> None:
        """Where no setting of a profile has room, the message says how to find one."""
        ladder = FakeLadder(clock, knob=msgspec.structs.replace(LADDER, steps=(16, 32)))
        profile = measure(clock, ladder, target=0.1)
        with pytest.raises(UnreachableError, match=r"below 16\.0 MiB.*; measure without --from"):
            met(clock, ladder, origin=profile, memory_total=36 * MIB)


class TestOutOfReach:
    """Even the lowest cost does not hold."""

    def test_by_the_rate(self, clock: FakeClock) -> None:
        """The rate that these CPUs hold is said, and how many CPUs the demand needs."""
        fake = FakeHasher(clock, name="bcrypt", knob=STEPS, seconds_per_unit=1e-3)
        found = met(clock, fake, Demand(logins_per_second=1000.0, p95_seconds=2.0))
        assert (None, "unreachable", ()) == (found.params, found.code, found.runs)
        assert found.error is not None
        start, needs, floor = found.error.split("; ")
        assert start.startswith("even at cost=4 these 2 CPUs can serve 12")
        assert start.endswith("/s with this p95, not 1000/s")
        assert needs == "cost=4 needs about 17 such CPUs"
        assert floor.startswith("cost=10 needs about 10")

    def test_by_the_tail(self, clock: FakeClock) -> None:
        """Where the rate is held but not the tail, the tail that is held is said."""
        fake = FakeHasher(clock, knob=STEPS, seconds_per_unit=1e-3)
        found = met(clock, fake, Demand(logins_per_second=100.0, p95_seconds=0.018))
        assert found.error is not None
        assert "; at that rate the p95 is about " in found.error

    def test_by_a_single_hash(self, clock: FakeClock) -> None:
        """Where one hash takes longer than the tail, no number of CPUs helps."""
        fake = FakeHasher(clock, knob=STEPS, seconds_per_unit=1e-3)
        found = met(clock, fake, Demand(logins_per_second=1.0, p95_seconds=0.01))
        assert found.error == (
            "even at cost=4 one hash takes 16.0 ms, longer than --p95; raise --p95 above 16.0 ms"
        )


class TestRemarks:
    """What the reader of a cost should know."""

    def test_bounded_by_the_tail(self, clock: FakeClock) -> None:
        """Where hardly anyone comes, the tail bounds the cost, and that is said."""
        found = met(clock, FakeHasher(clock), Demand(logins_per_second=1.0, p95_seconds=0.05))
        [notice] = found.warnings
        assert "tail" == notice.code
        assert "not the rate" in notice.message

    def test_bounded_by_the_rate(self, clock: FakeClock) -> None:
        """Where the rate bounds the cost, nothing is said of the tail."""
        assert [] == _codes(met(clock, FakeHasher(clock)))

    def test_less_than_a_policy_asks_for(self, clock: FakeClock) -> None:
        """A cost below OWASP's is never given in silence: what it takes is said with it."""
        fake = FakeHasher(clock, name="bcrypt", knob=STEPS, seconds_per_unit=1e-4)
        found = met(clock, fake, Demand(logins_per_second=100.0, p95_seconds=0.5))
        [notice] = [notice for notice in found.warnings if notice.code == "weak"]
        assert "below OWASP's minimum, at least cost=10" in notice.message
        assert "such CPUs for this demand" in notice.advice


class TestSize:
    """How many logins a run has."""

    @pytest.mark.parametrize(
        ("rate", "seconds", "arrivals", "lasts"),
        [
            (20.0, 20.0, 400, 20.0),
            (1.0, 20.0, 59, 59.0),
            (0.05, 20.0, 30, 600.0),
            (20_000.0, 20.0, 100_000, 5.0),
        ],
    )
    def test_59_logins_at_least(
        self, rate: float, seconds: float, arrivals: int, lasts: float
    ) -> None:
        """A run lasts as asked for, or until 59 logins have come, but ten minutes at most."""
        found = demand._size(Demand(logins_per_second=rate, p95_seconds=1.0), seconds)
        assert arrivals == found[0]
        assert lasts == pytest.approx(found[1])

    @pytest.mark.parametrize(
        ("rate", "seconds", "message"),
        [
            (0.03, 20.0, "--logins: at 1.80/min fewer than 20 arrive"),
            (20.0, 601.0, "--duration must be at most 600 s"),
        ],
    )
    def test_too_few_or_too_long(self, rate: float, seconds: float, message: str) -> None:
        """A rate that no run can show, or a run that no one can wait for, is refused."""
        with pytest.raises(UsageError, match=message):
            demand._size(Demand(logins_per_second=rate, p95_seconds=1.0), seconds)


def test_a_cost_is_not_asked_for(clock: FakeClock) -> None:
    """Whoever asks for the highest cost gives none."""
    with pytest.raises(UsageError, match="name the hasher without a cost"):
        meet_demand(parse_cost("fake=10"), TEN_IN_A_FIFTH, host=fake_host(clock))


@pytest.mark.parametrize("late", [False, True])
def test_a_run_of_real_threads(late: bool) -> None:
    """A run counts what came and what was served; one that was given up is not held."""
    moments = iter(range(10**6))
    leaping = Clock(
        name="leaping",
        cpu=lambda: 0.0,
        wall=lambda: next(moments) * 60.0,
        process_cpu=lambda: 0.0,
    )
    hasher = FakeHasher(FakeClock())
    found = demand.run_load(
        Subject(label="fake", hasher=hasher, params={"rounds": 10}, expected_seconds=1e-5),
        Demand(logins_per_second=1e4, p95_seconds=1.0 if late else 3600.0),
        threads=2,
        due=[index * 1e-6 for index in range(100)],
        clock=leaping if late else system_clock(),
    )
    assert (100, found.served == 100) == (found.arrivals, found.held)
    assert found.held is not late
    assert found.served == len(found.response_seconds)
    assert found.p50_seconds <= found.p95_seconds <= found.max_seconds
