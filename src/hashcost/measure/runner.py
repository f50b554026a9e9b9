"""Runners: they take samples of one hasher, in this process or in another."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias, cast

from hashcost.core.measurement import Params, Sample
from hashcost.core.progress import Advance
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
        """The implementation and its version, its params, and the memory and threads of a hash."""
        ...

    @property
    def clock_name(self) -> str:
        """The CPU clock that samples are on."""
        ...

    def prepare(self, progress: Advance) -> None:
        """Warm up until hashes no longer get quicker, and report the share that is done."""
        ...

    def check(self) -> None:
        """Compute the known answers.

        Raises:
            WrongAnswerError: one of them differs from the published hash.
        """
        ...

    def warm_up(self, params: Params) -> None:
        """Run one hash without timing it."""
        ...

    def sample(self, params: Params) -> Sample:
        """Time one hash.

        Raises:
            WrongAnswerError: the output is not a hash at these params.
        """
        ...


StartRunner: TypeAlias = Callable[[Sequence[Candidate]], tuple[Candidate, Runner]]
"""Starts the first available implementation of several, and returns it with its runner.

Raises `hashcost.core.errors.UnavailableError` if none is available.
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

    def prepare(self, progress: Advance) -> None:
        """Do nothing: a library that was compiled beforehand needs no warm-up."""

    def check(self) -> None:
        """Compute the known answers."""
        check_known_answers(self.traits)

    def warm_up(self, params: Params) -> None:
        """Run one hash without timing it."""
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
    """Runs a hasher in another program, on that program's clocks."""

    traits: _HasherElsewhere

    @property
    def clock_name(self) -> str:
        """The program's clock."""
        return self.traits.clock_name

    def prepare(self, progress: Advance) -> None:
        """Warm up a runtime that compiles while it runs."""
        self.traits.prepare(PROBE_PASSWORD, PROBE_SALT, progress)

    def check(self) -> None:
        """Compute the known answers, or verify them."""
        check_known_answers(self.traits)

    def warm_up(self, params: Params) -> None:
        """Run one hash without timing it."""
        self.sample(params)

    def sample(self, params: Params) -> Sample:
        """Time one hash."""
        return self.traits.timed(PROBE_PASSWORD, PROBE_SALT, params)


def ready_calls(hasher: Hasher, params: Params, count: int) -> list[ReadyCall]:
    """One hash of the probe password for each of ``count`` workers, which may run at once."""
    workers: Sequence[Hasher] = [hasher] * count
    if isinstance(hasher, Elsewhere):
        workers = hasher.workers(count)
        for worker in workers:
            InRuntime(cast("_HasherElsewhere", worker)).prepare(lambda _: None)
    return [worker.ready(PROBE_PASSWORD, PROBE_SALT, params) for worker in workers]


def by_candidate(clock: Clock) -> StartRunner:
    """Start runners in this process, on these clocks, or in the program of a candidate."""

    def start(candidates: Sequence[Candidate]) -> tuple[Candidate, Runner]:
        candidate, hasher = load_first(candidates)
        if isinstance(hasher, Elsewhere):
            return candidate, InRuntime(cast("_HasherElsewhere", hasher))
        return candidate, InProcess(hasher, clock)

    return start
