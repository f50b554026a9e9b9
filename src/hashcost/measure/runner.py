"""Takes samples of one hasher, in this process or in the program that runs it."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from hashcost.core.measurement import Params, Sample
from hashcost.core.progress import Advance
from hashcost.hashers.interface import Hasher, OutOfProcess, ReadyCall
from hashcost.machine.clock import Clock
from hashcost.measure import sampler

PROBE_PASSWORD: Final = b"probe-pass12"
"""Twelve bytes: the time of sha*crypt grows with the password's length."""
PROBE_SALT: Final = b"abcdefghIJKLMOPQ"


@dataclass(frozen=True)
class Runner:
    """Hashes the probe password by one hasher, in this process."""

    hasher: Hasher
    clock: Clock

    @property
    def clock_name(self) -> str:
        """The CPU clock that samples are on."""
        return self.clock.name

    @property
    def drift(self) -> float:
        """How far fresh processes disagree, as a fraction: 95 % lie within it of their median."""
        return 0.0

    def threads_here(self) -> Collection[int]:
        """The numbers of the threads on this machine that hash in another process."""
        return ()

    def prepare(self, progress: Advance) -> None:
        """Warm up a runtime that compiles while it runs, and report the share that is done."""

    def sample(self, params: Params) -> Sample:
        """Time one hash.

        Raises:
            WrongAnswerError: the output is not a hash at these params.
        """
        call = self.hasher.ready(PROBE_PASSWORD, PROBE_SALT, params)
        return sampler.take(self.clock, call, params, threads=self.hasher.threads(params))

    def ready_calls(self, params: Params, count: int) -> list[ReadyCall]:
        """One hash of the probe password for each of ``count`` workers, which may run at once."""
        return [self.hasher.ready(PROBE_PASSWORD, PROBE_SALT, params) for _ in range(count)]


@dataclass(frozen=True)
class ProgramRunner(Runner):
    """Runs a hasher in another program, on the clocks of that program."""

    hasher: OutOfProcess

    @property
    def clock_name(self) -> str:
        """The CPU clock of the program."""
        return self.hasher.clock_name

    @property
    def drift(self) -> float:
        """How far fresh processes of the program disagree."""
        return self.hasher.drift

    def threads_here(self) -> Collection[int]:
        """The threads of the program, if this machine runs it."""
        return self.hasher.threads_here()

    def prepare(self, progress: Advance) -> None:
        """Warm up the program."""
        self.hasher.prepare(PROBE_PASSWORD, PROBE_SALT, progress)

    def sample(self, params: Params) -> Sample:
        """Time one hash."""
        return self.hasher.timed(PROBE_PASSWORD, PROBE_SALT, params)

    def ready_calls(self, params: Params, count: int) -> list[ReadyCall]:
        """A hash for each of so many processes of the program, which are warmed up first."""
        workers = self.hasher.workers(count)
        for worker in workers:
            worker.prepare(PROBE_PASSWORD, PROBE_SALT, lambda _: None)
        return [worker.ready(PROBE_PASSWORD, PROBE_SALT, params) for worker in workers]


def runner_of(hasher: Hasher, clock: Clock) -> Runner:
    """Return the runner of a hasher; ``clock`` times hashes in this process."""
    if isinstance(hasher, OutOfProcess):
        return ProgramRunner(hasher, clock)
    return Runner(hasher, clock)
