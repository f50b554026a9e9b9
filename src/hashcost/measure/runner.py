"""Who hashes: a runner takes samples of one hasher, in this process or in another."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias

from hashcost.core.measurement import Params, Sample
from hashcost.hashers.interface import Hasher, ReadyCall, Traits, check_known_answers
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
    def traits(self) -> Traits:
        """What is hashed with, its params, and what one hash takes beside time."""
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

    traits: Hasher
    clock: Clock

    def check(self) -> None:
        """Compute the known answers."""
        check_known_answers(self.traits)

    def warm_up(self, params: Params) -> None:
        """Run one hash that nobody times."""
        self._ready(params).run()

    def sample(self, params: Params) -> Sample:
        """Time one hash."""
        return sampler.take(
            self.clock, self._ready(params), params, threads=self.traits.threads(params)
        )

    def ask(self, params: Params) -> Answer:
        """Ask the library in a process of its own."""
        return ask(self.traits, PROBE_PASSWORD, PROBE_SALT, params)

    def _ready(self, params: Params) -> ReadyCall:
        return self.traits.ready(PROBE_PASSWORD, PROBE_SALT, params)


def in_process(clock: Clock) -> StartRunner:
    """Runners in this process, on these clocks."""

    def start(candidates: Sequence[Candidate]) -> tuple[Candidate, Runner]:
        candidate, hasher = load_first(candidates)
        return candidate, InProcess(hasher, clock)

    return start
