"""A clock that only moves when told, and hashers that move it instead of hashing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint
from typing import Any, cast

import pytest

from hashcost import calibration
from hashcost.hashers.interface import Hasher, KnownAnswer, ReadyCall
from hashcost.hashers.registry import Candidate
from hashcost.model import Knob, Params, Profile, Scale
from hashcost.timing.clock import Clock
from hashcost.timing.signals import Counters

LINEAR = Knob(name="rounds", scale=Scale.LINEAR, minimum=1, maximum=2**31 - 1)
STEPS = Knob(name="cost", scale=Scale.LOG2, minimum=4, maximum=31)

QUIET = Counters(
    wall_seconds=0.0,
    run_queue_seconds=None,
    stolen_share_ticks=None,
    throttled_seconds=None,
    pressure_seconds=None,
)
"""Read before and after a run, these say nothing against the machine."""


@dataclass
class FakeClock:
    """CPU time and wall time in seconds, which `advance` alone moves."""

    cpu: float = 0.0
    wall: float = 0.0

    def advance(self, cpu: float, wall: float) -> None:
        """Let time pass."""
        self.cpu += cpu
        self.wall += wall

    def as_clock(self) -> Clock:
        """The pair of clocks that the sampler reads."""
        return Clock(name="fake", cpu=lambda: self.cpu, wall=lambda: self.wall)


@dataclass(frozen=True)
class Call:
    """One run of a fake hasher: whose, of which password, at which value of its knob."""

    hasher: str
    password: bytes
    value: int


@dataclass(eq=False)
class FakeHasher:
    """Takes ``overhead + seconds_per_unit * work`` of the fake clock for each hash.

    ``surcharge`` is time that this value takes on top, ``noise`` the factor of the
    next hash, ``slow`` its wall time per CPU time. ``answer`` may return, or
    raise, anything in place of the true output. ``calls`` may be shared.
    """

    clock: FakeClock
    name: str = "fake"
    implementation: str = "memory"
    version: str = "1.0"
    knob: Knob = LINEAR
    overhead: float = 0.0
    seconds_per_unit: float = 1e-6
    surcharge: Callable[[int], float] = lambda value: 0.0
    noise: Callable[[], float] = lambda: 1.0
    slow: Callable[[], float] = lambda: 1.0
    answer: Callable[[int, bytes], bytes | None] = lambda value, output: output
    known_answers: tuple[KnownAnswer, ...] = ()
    drift: float = 0.01
    memory: int = 1024
    calls: list[Call] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.known_answers = self.known_answers or (known_answer(self.knob),)

    @property
    def knobs(self) -> tuple[Knob, ...]:
        """The one knob."""
        return (self.knob,)

    @property
    def label(self) -> str:
        """``name@implementation``."""
        return f"{self.name}@{self.implementation}"

    def registered(self) -> Candidate:
        """This hasher as the registry would find it."""
        return candidate(self.label, lambda: self)

    def memory_bytes(self, params: Params) -> int:
        """The same at all params."""
        return self.memory

    def seconds(self, value: int) -> float:
        """CPU time of one undisturbed hash."""
        work = self.knob.work(value)
        return self.overhead + self.seconds_per_unit * work + self.surcharge(value)

    def ready(self, password: bytes, salt: bytes, params: Params) -> ReadyCall:
        """A call that moves the clock."""
        value = params[self.knob.name]
        output = true_output(value)

        def run() -> bytes | None:
            self.calls.append(Call(self.label, password, value))
            seconds = self.seconds(value) * self.noise()
            self.clock.advance(seconds, seconds * self.slow())
            return self.answer(value, output)

        return ReadyCall(run=run, prefix=b"$%d$" % value, length=len(output))


def true_output(value: int) -> bytes:
    """What a fake hasher returns at this value of its knob."""
    return b"$%d$0123456789abcdef" % value


def known_answer(knob: Knob, output: bytes | None = None) -> KnownAnswer:
    """A vector of the cheapest hash, right unless another output is given."""
    return KnownAnswer(
        password=b"known",
        salt=b"salt",
        params={knob.name: knob.minimum},
        output=output or true_output(knob.minimum),
        source="made up",
    )


@dataclass(frozen=True)
class _EntryPoint:
    """As much of an entry point as is used."""

    factory: Callable[[], Hasher]

    def load(self) -> Callable[[], Hasher]:
        """Return the factory itself."""
        return self.factory


def candidate(label: str, factory: Callable[[], Hasher]) -> Candidate:
    """A registered hasher that this factory makes."""
    name, _, implementation = label.partition("@")
    return Candidate(name, implementation, cast("EntryPoint", _EntryPoint(factory)))


def measure(
    clock: FakeClock, *rows: FakeHasher | Candidate, target: float = 0.04, **options: Any
) -> Profile:
    """Calibrate these rows alone, on the fake clock and a quiet machine."""
    found = tuple(row if isinstance(row, Candidate) else row.registered() for row in rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(calibration, "candidates", lambda: found)
        patch.setattr(calibration, "read_counters", lambda: QUIET)
        return calibration.calibrate(
            target, [row.label for row in found], clock=clock.as_clock(), **options
        )
