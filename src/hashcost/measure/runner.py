"""Who hashes: a runner takes samples of one hasher, in this process or in another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias

from hashcost.core.measurement import Knob, Params, Sample
from hashcost.hashers.interface import Hasher, ReadyCall, check_known_answers
from hashcost.hashers.out_of_range import Answer, ask
from hashcost.hashers.registry import Candidate, load_first
from hashcost.machine.clock import Clock
from hashcost.measure import sampler

PROBE_PASSWORD: Final = b"probe-pass12"
"""Twelve bytes: the time of sha*crypt grows with the password's length."""
PROBE_SALT: Final = b"abcdefghIJKLMOPQ"


class Runner(Protocol):
    """Hashes the probe password wherever the hash is to be timed."""

    @property
    def hasher(self) -> str:
        """The algorithm with its variant, for example ``pbkdf2-sha256``."""
        ...

    @property
    def implementation(self) -> str:
        """The library that does the hashing, for example ``hashlib``."""
        ...

    @property
    def version(self) -> str:
        """The library's version, with that of the engine beneath it."""
        ...

    @property
    def knobs(self) -> tuple[Knob, ...]:
        """The params that are solved for, with the range that this implementation accepts."""
        ...

    @property
    def lowest(self) -> Params:
        """Every param at its lowest or usual value, in the order they are written in."""
        ...

    @property
    def drift(self) -> float:
        """How far runs minutes apart disagree on a quiet machine, as a fraction."""
        ...

    def memory_bytes(self, params: Params) -> int:
        """Memory that one hash with these params takes."""
        ...

    def threads(self, params: Params) -> int:
        """Threads that one hash with these params runs in."""
        ...

    def check(self) -> None:
        """Compute the known answers.

        Raises:
            WrongAnswerError: one of them came out otherwise than published.
        """
        ...

    def warm_up(self, params: Params) -> None:
        """Run one hash that nobody times."""
        ...

    def sample(self, params: Params) -> Sample:
        """Time one hash.

        Raises:
            WrongAnswerError: what came back is not a hash at these params.
        """
        ...

    def ask(self, params: Params) -> Answer:
        """What the library does with a cost outside its range, if it can be asked."""
        ...


StartRunner: TypeAlias = Callable[[Sequence[Candidate]], tuple[Candidate, Runner]]
"""Starts the first of several implementations that is to be had, and says which it is.

Raises `hashcost.core.errors.UnavailableError` if none is.
"""


@dataclass(frozen=True)
class InProcess:
    """Runs a hasher in this process, on this process's clocks."""

    code: Hasher
    clock: Clock

    @property
    def hasher(self) -> str:
        """The algorithm with its variant."""
        return self.code.name

    @property
    def implementation(self) -> str:
        """The library that does the hashing."""
        return self.code.implementation

    @property
    def version(self) -> str:
        """The library's version."""
        return self.code.version

    @property
    def knobs(self) -> tuple[Knob, ...]:
        """The params that are solved for."""
        return self.code.knobs

    @property
    def lowest(self) -> Params:
        """Every param at its lowest or usual value."""
        return self.code.lowest

    @property
    def drift(self) -> float:
        """How far runs minutes apart disagree, as a fraction."""
        return self.code.drift

    def memory_bytes(self, params: Params) -> int:
        """Memory that one hash takes."""
        return self.code.memory_bytes(params)

    def threads(self, params: Params) -> int:
        """Threads that one hash runs in."""
        return self.code.threads(params)

    def check(self) -> None:
        """Compute the known answers."""
        check_known_answers(self.code)

    def warm_up(self, params: Params) -> None:
        """Run one hash that nobody times."""
        self._ready(params).run()

    def sample(self, params: Params) -> Sample:
        """Time one hash."""
        return sampler.take(
            self.clock, self._ready(params), params, threads=self.code.threads(params)
        )

    def ask(self, params: Params) -> Answer:
        """Ask the library in a process of its own."""
        return ask(self.code, PROBE_PASSWORD, PROBE_SALT, params)

    def _ready(self, params: Params) -> ReadyCall:
        return self.code.ready(PROBE_PASSWORD, PROBE_SALT, params)


def in_process(clock: Clock) -> StartRunner:
    """Runners in this process, on these clocks."""

    def start(candidates: Sequence[Candidate]) -> tuple[Candidate, Runner]:
        candidate, hasher = load_first(candidates)
        return candidate, InProcess(hasher, clock)

    return start
