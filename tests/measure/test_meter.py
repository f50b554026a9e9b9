"""What a calibration says of how far it has come."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import pytest

from fakes import (
    LADDER,
    LINEAR,
    NOW,
    STEPS,
    TWO_CPUS,
    FakeClock,
    FakeHasher,
    FakeLadder,
    fake_host,
    measure,
)
from hashcost.core.measurement import Knob
from hashcost.core.progress import Stage
from hashcost.machine.clock import Clock
from hashcost.machine.history import History, PastRun, machine_key
from hashcost.measure.core_watch import StartProbe
from hashcost.measure.effort import FAST, NORMAL, PRECISE, Effort
from hashcost.measure.meter import TIMING, WAITING


@dataclass
class _Core:
    """A core that a neighbour shares from one moment to another; it is its own probe."""

    clock: FakeClock
    begins: float
    ends: float
    name: str = "fake"
    slow: float = field(default=1.5, init=False)

    @property
    def factor(self) -> float:
        """So many times as long a hash takes now."""
        return self.slow if self.begins <= self.clock.wall < self.ends else 1.0

    def read(self) -> tuple[float, float]:
        """Both parts take a millisecond on a quiet core; beside them the wall clock goes on."""
        self.clock.advance(2e-3, 1e-2)
        return 1e-3, 1e-3 * self.factor

    @property
    def start(self) -> StartProbe:
        """Starts the probe."""

        def start(_clock: Clock) -> _Core:
            return self

        return start


class Told(Protocol):
    """What is told of a calibration that a neighbour disturbs between two moments."""

    def __call__(self, begins: float, ends: float, effort: Effort = NORMAL) -> list[Stage]:
        """Calibrate."""
        ...


@pytest.fixture
def told_while_shared(clock: FakeClock, tmp_path: Path) -> Told:
    """What is told of a calibration that a neighbour disturbs between two moments.

    An earlier run tells what the probe takes on a quiet core.
    """

    def told_while_shared(begins: float, ends: float, effort: Effort = NORMAL) -> list[Stage]:
        core, told = _Core(clock, begins, ends), list[Stage]()
        history = History(tmp_path / "history.json")
        run = PastRun(
            ended=NOW - 60,
            machine=machine_key(TWO_CPUS) or "",
            probe=core.name,
            quiet_ratio=1.0,
            seconds_per_unit={"another hasher": 1.0},
        )
        history.add(run)
        hasher = FakeHasher(clock, noise=lambda: core.factor)
        host = fake_host(clock, history=history)
        measure(
            clock,
            hasher,
            target=0.1,
            effort=effort,
            host=host,
            probe=core.start,
            progress=told.append,
        )
        return told

    return told_while_shared


@pytest.mark.parametrize("effort", [FAST, NORMAL, PRECISE], ids=["fast", "normal", "precise"])
@pytest.mark.parametrize("knob", [LINEAR, STEPS], ids=["linear", "log2"])
def test_on_a_quiet_machine_the_seconds_left_come_true(
    clock: FakeClock, knob: Knob, effort: Effort
) -> None:
    """Halfway through a run the seconds left are right to a fifth of it; at the end none are."""
    told: list[tuple[float, Stage]] = []
    hasher = FakeHasher(clock, knob=knob)
    measure(
        clock,
        hasher,
        target=0.25,
        effort=effort,
        progress=lambda stage: told.append((clock.wall, stage)),
    )
    end, last = told[-1]
    assert {TIMING} == {stage.phase for _, stage in told}
    assert (1.0, 0.0) == (last.fraction, last.seconds_left)
    assert all(stage.fraction < 1.0 for _, stage in told[:-1])
    late = [(end - at, stage.seconds_left) for at, stage in told if at > end / 2]
    assert [] == [each for each in late if abs(each[0] - (each[1] or 0.0)) > end / 5]


def test_a_ladder_reaches_the_end(clock: FakeClock) -> None:
    """A hasher that climbs a ladder of memory ends at the whole, and not before."""
    told: list[Stage] = []
    measure(clock, FakeLadder(clock, knob=LADDER), target=0.25, progress=told.append)
    assert [1.0] == [each.fraction for each in told if each.fraction == 1.0]
    assert told[-1].fraction == 1.0


def test_it_says_that_it_waits_for_the_core(told_while_shared: Told) -> None:
    """While a neighbour slows the core, the run says that it waits, and counts down."""
    waits = [each for each in told_while_shared(0.1, 3.0) if each.phase == WAITING]
    left = [each.seconds_left or 0.0 for each in waits]
    assert all(each.may_end_sooner for each in waits)
    assert sorted(left, reverse=True) == left
    assert left[0] - left[-1] > 2.0
    assert max(later.fraction - each.fraction for each, later in itertools.pairwise(waits)) < 0.05


def test_it_waits_no_longer_than_its_patience(told_while_shared: Told) -> None:
    """Where the core stays shared, the seconds left run out and the costs are confirmed."""
    told = told_while_shared(0.1, 1e9)
    waits = [each for each in told if each.phase == WAITING]
    assert (waits[-1].seconds_left or 0.0) < 0.1
    assert told[-1].phase == TIMING
    assert told[-1].fraction == 1.0


def test_a_quiet_core_is_not_waited_for(told_while_shared: Told) -> None:
    """After the neighbour has left, the run no longer says that it waits, but watches on."""
    told = told_while_shared(2.0, 4.0, PRECISE)
    phases = [phase for phase, _ in itertools.groupby(each.phase for each in told)]
    assert [TIMING, WAITING, TIMING] == phases
    after = next(
        later
        for each, later in itertools.pairwise(told)
        if (each.phase, later.phase) == (WAITING, TIMING)
    )
    assert (after.seconds_left or 0.0) > 3.0


def test_a_moment_is_not_called_a_neighbour(told_while_shared: Told) -> None:
    """A single slow reading does not change the phase."""
    assert {TIMING} == {each.phase for each in told_while_shared(0.3, 0.303)}


def test_the_budget_limits_what_is_left(clock: FakeClock) -> None:
    """No more seconds are said to be left than the budget has."""
    told: list[Stage] = []
    measure(clock, FakeHasher(clock), target=0.25, budget=0.2, progress=told.append)
    assert max(each.seconds_left or 0.0 for each in told) <= 0.2
