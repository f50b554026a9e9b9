"""Takes samples of one hasher, in this process or in another."""

from collections.abc import Sequence
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
    """Hashes the probe password in this process, or in the program that runs the hasher."""

    hasher: Hasher
    clock: Clock
    """The clock of hashes in this process; another program has its own."""

    @property
    def clock_name(self) -> str:
        """The CPU clock that samples are on."""
        return self.hasher.clock_name if isinstance(self.hasher, OutOfProcess) else self.clock.name

    def prepare(self, progress: Advance) -> None:
        """Warm up a runtime that compiles while it runs, and report the share that is done."""
        if isinstance(self.hasher, OutOfProcess):
            self.hasher.prepare(PROBE_PASSWORD, PROBE_SALT, progress)

    def sample(self, params: Params) -> Sample:
        """Time one hash.

        Raises:
            WrongAnswerError: the output is not a hash at these params.
        """
        if isinstance(self.hasher, OutOfProcess):
            return self.hasher.timed(PROBE_PASSWORD, PROBE_SALT, params)
        call = self.hasher.ready(PROBE_PASSWORD, PROBE_SALT, params)
        return sampler.take(self.clock, call, params, threads=self.hasher.threads(params))


def ready_calls(hasher: Hasher, params: Params, count: int) -> list[ReadyCall]:
    """One hash of the probe password for each of ``count`` workers, which may run at once."""
    workers: Sequence[Hasher] = [hasher] * count
    if isinstance(hasher, OutOfProcess):
        workers = hasher.workers(count)
    for worker in workers:
        if isinstance(worker, OutOfProcess):
            worker.prepare(PROBE_PASSWORD, PROBE_SALT, lambda _: None)
    return [worker.ready(PROBE_PASSWORD, PROBE_SALT, params) for worker in workers]
