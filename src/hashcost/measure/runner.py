"""Who hashes: a runner takes samples of one hasher, in this process or in another."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias, cast

from hashcost.core.measurement import Params, Sample
from hashcost.hashers.interface import Elsewhere, Hasher, ReadyCall, Traits, check_known_answers
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

    @property
    def clock_name(self) -> str:
        """The CPU clock that samples are on."""
        ...

    def prepare(self, told: Callable[[float], None]) -> None:
        """Become as quick as it gets, and tell how much of that is done."""
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


StartRunner: TypeAlias = Callable[[Sequence[Candidate]], tuple[Candidate, Runner]]
"""Starts the first of several implementations that is to be had, and says which it is.

Raises `hashcost.core.errors.UnavailableError` if none is.
"""


@dataclass(frozen=True)
class InProcess:
    """Runs a hasher in this process, on this process's clocks."""

    traits: Hasher
    clock: Clock

    @property
    def clock_name(self) -> str:
        """This process's clock."""
        return self.clock.name

    def prepare(self, told: Callable[[float], None]) -> None:
        """What is compiled beforehand is as quick as it gets."""

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

    def _ready(self, params: Params) -> ReadyCall:
        return self.traits.ready(PROBE_PASSWORD, PROBE_SALT, params)


class _HasherElsewhere(Hasher, Elsewhere, Protocol):
    pass


@dataclass(frozen=True)
class InRuntime:
    """Has a hasher run by another program, on that program's clocks."""

    traits: _HasherElsewhere

    @property
    def clock_name(self) -> str:
        """The program's clock."""
        return self.traits.clock_name

    def prepare(self, told: Callable[[float], None]) -> None:
        """Warm up what compiles while it runs."""
        self.traits.prepare(PROBE_PASSWORD, PROBE_SALT, told)

    def check(self) -> None:
        """Compute the known answers, or verify them."""
        check_known_answers(self.traits)

    def warm_up(self, params: Params) -> None:
        """Run one hash that nobody times."""
        self.sample(params)

    def sample(self, params: Params) -> Sample:
        """Time one hash."""
        return self.traits.timed(PROBE_PASSWORD, PROBE_SALT, params)


def runner_of(hasher: Hasher, clock: Clock) -> Runner:
    """What times a hasher: this process on these clocks, or the program that runs it."""
    if isinstance(hasher, Elsewhere):
        return InRuntime(cast("_HasherElsewhere", hasher))
    return InProcess(hasher, clock)


def ready_calls(hasher: Hasher, params: Params, count: int) -> list[ReadyCall]:
    """One hash of the probe password for each of so many workers, which may run at once."""
    workers: Sequence[Hasher] = [hasher] * count
    if isinstance(hasher, Elsewhere):
        workers = hasher.workers(count)
        for each in workers:
            InRuntime(cast("_HasherElsewhere", each)).prepare(lambda _: None)
    return [each.ready(PROBE_PASSWORD, PROBE_SALT, params) for each in workers]


def by_candidate(clock: Clock) -> StartRunner:
    """Runners in this process, on these clocks, or wherever a candidate's hasher runs."""

    def start(candidates: Sequence[Candidate]) -> tuple[Candidate, Runner]:
        candidate, hasher = load_first(candidates)
        return candidate, runner_of(hasher, clock)

    return start
