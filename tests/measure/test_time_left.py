"""How long a run says that it still takes, on cores that were recorded and on a fake clock."""

import math
import random
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import pytest

from fakes import NO_HISTORY, STEPS, FakeClock, FakeHasher, FakeLadder, fake_host, measure, swept
from hashcost.core.measurement import Reading
from hashcost.core.progress import Stage
from hashcost.fit.slowdown import sensitivity_of
from hashcost.machine.clock import Clock
from hashcost.machine.history import History, Past, PastRun
from hashcost.measure.core_watch import CoreProbe
from tools.benchmarks.recording import Recording


@dataclass(eq=False, kw_only=True)
class RecordedCore:
    """A core that is as busy as when a recording was made, from its beginning on."""

    clock: FakeClock
    recording: Recording
    name: str = "made up"

    def start(self, _clock: Clock) -> CoreProbe:
        """The probe is the core itself."""
        return self

    def slowing(self) -> float:
        """How many times as long a hash takes that begins now."""
        pairs = zip(self._reading().seconds, self.recording.quiet, strict=True)
        logs = [math.log(busy / quiet) for busy, quiet in pairs]
        return math.exp(max(sensitivity_of("any", "library").log_slowdown(logs), 0.0))

    def read(self, *, cold: bool = False) -> tuple[float, ...]:
        """Let the time of all parts pass, and of two whole readings before if memory is cold."""
        parts = self._reading().seconds
        seconds = sum(parts) * (3 if cold else 1)
        self.clock.advance(seconds, seconds)
        return parts

    @cached_property
    def _times(self) -> list[float]:
        return [each.before.at_seconds for each in self.recording.hashes]

    def _reading(self) -> Reading:
        at = bisect_left(self._times, self._times[0] + self.clock.wall)
        return self.recording.hashes[at].before


class KnownCore(History, frozen=True):
    """Earlier runs that know how fast the recorded core is."""

    quiet: tuple[float, ...] = ()

    def past(self, context: str | None, *_: Any) -> Past:
        """As many runs as make it certain."""
        level = tuple(map(math.log, self.quiet))
        run = PastRun(context=context or "", probe="made up", level=level)
        return Past((run,) * 20)


@pytest.fixture(autouse=True)
def same_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the hashers take turns in the same order each time."""
    monkeypatch.setattr(random, "Random", partial(random.Random, 46))


def usual_hashers(core: RecordedCore) -> list[FakeHasher]:
    """Hashers that take about as long as the real ones."""
    busy: dict[str, Any] = {"clock": core.clock, "noise": core.slowing}
    counts = {"pbkdf2-sha256": 2.0e-7, "pbkdf2-sha512": 4.0e-7, "sha512-crypt": 2.1e-7}
    in_memory = {"argon2id": 0.6e-3, "scrypt": 2.2e-3, "yescrypt": 1.1e-3}
    return [
        *(FakeHasher(name=name, seconds_per_unit=unit, **busy) for name, unit in counts.items()),
        FakeHasher(name="bcrypt", knob=STEPS, seconds_per_unit=5.5e-5, **busy),
        *(
            FakeLadder(name=name, seconds_per_unit=unit, cliff=32, page_seconds=3e-7, **busy)
            for name, unit in in_memory.items()
        ),
    ]


def keep(told: list[tuple[float, Stage]], clock: FakeClock, stage: Stage) -> None:
    """Keep what was told, with the time."""
    told.append((clock.wall, stage))


def are_good(told: Sequence[tuple[float, Stage]], ended: float) -> list[bool]:
    """Whether each time left is within a factor of two, or two seconds, of what then passed."""
    good = []
    for at, stage in told:
        assert stage.seconds_left is not None
        left = ended - at
        good.append(left / 2 - 2 <= math.ceil(stage.seconds_left) <= 2 * left + 2)
    return good


@pytest.mark.parametrize("name", ["everything-1", "everything-2", "everything-3"])
@pytest.mark.parametrize("is_first", [True, False], ids=["first", "known"])
def test_time_left(name: str, *, is_first: bool) -> None:
    """The time left is within a factor of two, or two seconds, of what then passes, nine times in
    ten; a first run knows how long it waits for a core that may be shared to show that it is not.
    """
    recording, good = Recording(name), list[bool]()
    history = NO_HISTORY if is_first else KnownCore(None, quiet=recording.quiet)
    for target in (0.04, 0.25, 1.0, 5.0):
        core = RecordedCore(clock=FakeClock(), recording=recording)
        told: list[tuple[float, Stage]] = []
        measure(
            core.clock,
            *usual_hashers(core),
            target=target,
            host=fake_host(core.clock, history=history),
            probe=core.start,
            progress=partial(keep, told, core.clock),
        )
        good += are_good(told, core.clock.wall)
    assert sum(good) >= 0.9 * len(good)


@pytest.mark.parametrize("budget", [2.0, 20.0])
def test_time_left_of_a_sweep(clock: FakeClock, budget: float) -> None:
    """A sweep says how long the rest of its rounds takes."""
    core = RecordedCore(clock=clock, recording=Recording("everything-1"))
    told: list[tuple[float, Stage]] = []
    swept(
        clock,
        *(each for each in usual_hashers(core) if each.name in {"pbkdf2-sha256", "argon2id"}),
        host=fake_host(clock),
        probe=core.start,
        budget_seconds=budget,
        progress=partial(keep, told, clock),
    )
    good = are_good(told, clock.wall)
    assert sum(good) >= 0.9 * len(good)


def test_the_first_report_of_a_sweep_knows_its_time(clock: FakeClock) -> None:
    """While its first cost is still looked for, a sweep has nearly all of its time left."""
    core = RecordedCore(clock=clock, recording=Recording("everything-1"))
    told: list[tuple[float, Stage]] = []
    swept(
        clock,
        *(each for each in usual_hashers(core) if each.name == "pbkdf2-sha256"),
        host=fake_host(clock),
        probe=core.start,
        budget_seconds=20.0,
        progress=partial(keep, told, clock),
    )
    at, first = told[0]
    assert first.seconds_left is not None
    assert first.seconds_left > (clock.wall - at) / 2


def test_no_time_is_told_before_every_hasher_was_timed(clock: FakeClock) -> None:
    """The first report comes when each of the hashers has been timed once."""
    core = RecordedCore(clock=clock, recording=Recording("everything-1"))
    hashers = usual_hashers(core)
    timed: list[int] = []

    def report(_: Stage) -> None:
        # The first call is that of the known answer.
        timed.append(min(len(hasher.calls) for hasher in hashers))

    measure(clock, *hashers, target=0.04, host=fake_host(clock), probe=core.start, progress=report)
    assert timed[0] > 1
