"""Answers in a container with a CPU quota: the target is what a login waits."""

import random
import statistics
from dataclasses import dataclass, field

import pytest
from msgspec.structs import replace

from fakes import (
    TWO_CPUS,
    FakeClock,
    FakeCore,
    FakeHasher,
    FakeLadder,
    fake_host,
    limited_to,
    measure,
)
from hashcost.checks.check import check_one
from hashcost.checks.judgement import Configured, Outcome, Standard
from hashcost.core.cpu_limit import CpuLimit
from hashcost.core.machine import Machine
from hashcost.core.measurement import Params
from hashcost.core.profile import Profile, Recommendation
from hashcost.recommend.recommendation import choices, solve_again

TARGET = 0.1
LIMITS = [limited_to(0.5), limited_to(0.25), limited_to(0.5, burst=0.02)]


@dataclass(eq=False)
class Stopped(FakeHasher):
    """A hasher whose wall time is that of a group with a quota."""

    limit: CpuLimit = field(default_factory=lambda: limited_to(0.5))

    def spend(self, params: Params) -> None:
        """Let the CPU time pass, and the wall time by where in a period it begins."""
        cpu = self.cpu_seconds(params) * self.noise()
        self.clock.advance(cpu, self.limit.wall_seconds(cpu, self.clock.wall % 0.1))


@dataclass(eq=False)
class StoppedLanes(FakeLadder):
    """A memory-hard hasher in as many threads as lanes, in such a group."""

    lanes: bool = True
    limit: CpuLimit = field(default_factory=lambda: limited_to(1.5))

    def spend(self, params: Params) -> None:
        """Let the threads use the quota together."""
        cpu, threads = self.cpu_seconds(params), self.threads(params)
        limit = replace(self.limit, threads=threads)
        wall = limit.wall_seconds(cpu / threads, self.clock.wall % 0.1)
        self.clock.advance(cpu / threads, wall, process=cpu)


def machine_with(limit: CpuLimit | None) -> Machine:
    """Two CPUs under this limit."""
    return replace(TWO_CPUS, cpu_limit=limit)


def measured(limit: CpuLimit) -> tuple[Profile, Recommendation]:
    """What a run in such a group answers for the target."""
    clock = FakeClock()
    host = fake_host(clock, machine=machine_with(limit))
    profile = measure(clock, Stopped(clock, limit=limit), target=TARGET, host=host)
    (row,) = profile.recommendations
    return profile, row


def median_wall(limit: CpuLimit, seconds: float) -> float:
    """The median of 300 hashes that begin at random."""
    draw = random.Random(1)
    walls = (limit.wall_seconds(seconds, draw.uniform(0, 0.1)) for _ in range(300))
    return statistics.median(walls)


@pytest.mark.parametrize("limit", LIMITS, ids=str)
def test_a_login_waits_about_the_target(limit: CpuLimit) -> None:
    """The answer's CPU time is what the quota makes a login wait the target for."""
    _, row = measured(limit)
    assert row.time_seconds < 0.096
    assert 0.085 <= median_wall(limit, row.time_seconds) <= 0.105
    # A quarter of a CPU stops a hash of 50 ms once, and a longer one twice.
    assert row.wait_seconds == pytest.approx(TARGET, rel=0.05)
    assert row.interval_seconds[0] <= row.time_seconds <= row.interval_seconds[1]


@pytest.mark.parametrize("limit", [None, limited_to(0.5), limited_to(0.25)], ids=str)
def test_a_core_that_is_shared_stays_so_under_a_quota(limit: CpuLimit | None) -> None:
    """A hash gets no quicker core than the one it is given anew after each stop."""
    clock = FakeClock()
    core = FakeCore(clock=clock, shared=((0.0, 1e9),))
    hasher = Stopped(clock, noise=core.slowing, limit=limit or limited_to(2.0))
    host = fake_host(clock, machine=machine_with(limit))
    profile = measure(clock, hasher, target=TARGET, host=host, probe=core.start)
    (row,) = profile.recommendations
    quiet, shared = hasher.cpu_seconds(row.params), hasher.cpu_seconds(row.params) * core.slowing()

    assert row.time_seconds == pytest.approx(quiet if limit is None else shared, rel=0.03)
    if limit is not None:
        assert 0.085 <= median_wall(limit, shared) <= 0.105
        assert row.interval_seconds[0] <= shared <= row.interval_seconds[1]


def test_lanes_use_the_quota_together() -> None:
    """Two lanes on 1.5 CPUs are stopped; one never is."""
    limit = limited_to(1.5)
    clock = FakeClock()
    hasher = StoppedLanes(clock, seconds_per_unit=1e-5)
    host = fake_host(clock, machine=machine_with(limit))
    profile = measure(clock, hasher, target=TARGET, host=host, parallelism=2)
    (row,) = profile.recommendations
    seconds = hasher.cpu_seconds(row.params) / 2
    assert row.time_seconds == pytest.approx(seconds, rel=0.03)
    assert row.cpu_limit == replace(limit, threads=2)
    assert 0.085 <= median_wall(replace(limit, threads=2), seconds) <= 0.105
    alone = measured(limit)[1]
    assert (None, None) == (alone.cpu_limit, alone.wait_seconds)
    assert alone.time_seconds == pytest.approx(TARGET, rel=0.02)


def test_a_profile_answers_another_target_in_the_same_way() -> None:
    """What was measured under a quota is solved for what a login waits."""
    profile, _ = measured(limited_to(0.5))
    (row,) = solve_again(profile, 0.05).recommendations
    assert row.wait_seconds == pytest.approx(0.05, rel=0.02)
    (step,) = choices(profile.measurements[0], 0.3)
    assert step.wait_seconds == pytest.approx(0.3, rel=0.02)


def test_a_check_asks_what_a_login_waits() -> None:
    """The answer is fine, 100 ms of CPU time are over budget, and both times are said."""
    profile, row = measured(limited_to(0.5))
    standard = Standard(target_seconds=TARGET)
    name = row.model.parameter

    def judged(share: float) -> tuple[Outcome, str]:
        params = {name: int(row.params[name] * share)}
        cost = Configured(hasher="fake", implementation="memory", params=params)
        judgement = check_one(cost, profile, standard)
        waits = profile.measurements[0].waits(judgement.time_seconds or 0.0)
        assert judgement.wait_seconds == pytest.approx(waits)
        return judgement.outcome, judgement.message

    outcome, message = judged(1.0)
    assert (Outcome.FINE, True) == (outcome, "of CPU at 0.5 CPUs; the target is" in message)
    assert Outcome.OVER_BUDGET is judged(0.1 / row.time_seconds)[0]
    assert Outcome.DRIFTED is judged(0.5)[0]
