"""One hasher from a name to its samples, and the rounds in which several are timed."""

import contextlib
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Protocol

from hashcost.core.errors import HashcostError, UnavailableError, UsageError
from hashcost.core.measurement import Knob, Params, Sample
from hashcost.core.profile import Failure
from hashcost.core.progress import Progress, within
from hashcost.core.text import printable
from hashcost.fit.estimate import Seconds
from hashcost.hashers.interface import Elsewhere
from hashcost.hashers.registry import Candidate, one_line
from hashcost.machine.clock import Clock
from hashcost.machine.host import Host
from hashcost.measure import sampler
from hashcost.measure.core_watch import CoreWatch
from hashcost.measure.runner import Runner


def _cpu_seconds(sample: Sample) -> float:
    return sample.cpu_seconds


def _wall_seconds(sample: Sample) -> float:
    return sample.wall_seconds


@dataclass(eq=False, kw_only=True)
class Session:
    """One hasher that is timed; whatever goes wrong with it leaves the others alone."""

    candidates: tuple[Candidate, ...]
    """The implementations that may run it, the preferred one first."""
    candidate: Candidate = field(init=False)
    started: Runner | None = None
    knobs: tuple[Knob, ...] = ()
    lowest: Params = field(default_factory=dict)
    error: HashcostError | None = None
    watch: CoreWatch
    spent_cpu: float = 0.0
    spent_wall: float = 0.0

    def __post_init__(self) -> None:
        self.candidate = self.candidates[0]

    @property
    def runner(self) -> Runner:
        """Who hashes.

        Raises:
            UnavailableError: nobody does.
        """
        if self.started is None:
            raise UnavailableError("could not be loaded")
        return self.started

    @property
    def works(self) -> bool:
        """Whether there is anything to time."""
        return self.started is not None and self.error is None

    @property
    def threads(self) -> int:
        """Threads that one hash runs in."""
        return 1 if self.started is None else self.started.traits.threads(self.lowest)

    @property
    def seconds(self) -> Seconds:
        """The time that counts: of a hash in several threads no CPU clock tells the time."""
        return _cpu_seconds if self.threads == 1 else _wall_seconds

    @property
    def clock_name(self) -> str:
        """The clock that its times are on."""
        return self.runner.clock_name if self.threads == 1 else "perf_counter"

    def prepare(self, told: Callable[[float], None]) -> None:
        """Let the runner become as quick as it gets, and tell how much of that is done."""
        if self.works:
            with self.failing_alone():
                self.runner.prepare(told)

    def sample(self, params: Params) -> Sample:
        """Time one hash."""
        taken = self.watch.sample(lambda: self.runner.sample(params))
        self.spent_cpu += taken.cpu_seconds
        self.spent_wall += taken.wall_seconds
        return taken

    def failure(self) -> Failure:
        """Why there is no result."""
        error = self.error or UnavailableError("could not be loaded")
        return Failure(
            hasher=self.candidate.hasher,
            implementation=self.candidate.implementation,
            code=error.code,
            error=printable(str(error)),
        )

    @contextlib.contextmanager
    def failing_alone(self) -> Iterator[None]:
        """Keep what goes wrong as this hasher's error; wrong use is the caller's."""
        try:
            yield
        except UsageError:
            raise
        except HashcostError as error:
            self.error = error
        except Exception as error:
            # A hashing library may raise anything at all.
            self.error = UnavailableError(f"failed: {one_line(error)}")
            self.error.__cause__ = error


class Turn(Protocol):
    """One hash that is due in a round."""

    @property
    def expected_seconds(self) -> float:
        """About how long it takes, on the CPU clock."""
        ...

    def take(self) -> None:
        """Time it."""
        ...

    def cut(self) -> None:
        """Leave it out: the budget ends before it would."""
        ...


def warm_up(sessions: Sequence[Session], progress: Progress | None) -> None:
    """Let what compiles while it runs become as quick as it gets, which no budget counts."""
    for done, session in enumerate(sessions):
        begins, ends = done / len(sessions), (done + 1) / len(sessions)
        session.prepare(within(progress, f"warming up {session.candidate.label}", begins, ends))


def on_one_core(sessions: Sequence[Session], host: Host) -> AbstractContextManager[None]:
    """Keep what other processes hash on the core that is watched.

    Nothing is kept if a hash runs in several threads, which need their cores.
    """
    if any(each.threads > 1 for each in sessions):
        return contextlib.nullcontext()
    traits = (each.runner.traits for each in sessions if each.works)
    elsewhere = [each.threads_here() for each in traits if isinstance(each, Elsewhere)]
    return host.on_one_core({thread for threads in elsewhere for thread in threads})


def drive(
    due: Callable[[int], Sequence[Turn]],
    sessions: Sequence[Session],
    *,
    clock: Clock,
    deadline: float,
    told: Callable[[], None],
) -> int:
    """Take the turns of round after round, each round in a fresh order.

    So all hashers share whatever the machine does meanwhile.

    Args:
        due: The turns of the round of this number; none when all is done.
        sessions: Whose hashers are timed.
        clock: Tells how much of the budget is left.
        deadline: The reading of the wall clock beyond which nothing is started.
        told: Called after each turn.

    Returns:
        The number of rounds.
    """
    shuffle = random.Random().shuffle
    rounds = 0
    with sampler.undisturbed():
        while turns := list(due(rounds)):
            shuffle(turns)
            for turn in turns:
                if clock.wall() + turn.expected_seconds * slowdown(sessions) > deadline:
                    turn.cut()
                else:
                    turn.take()
                    told()
            rounds += 1
    return rounds


def slowdown(sessions: Sequence[Session]) -> float:
    """Wall time per CPU time so far: busy neighbours make a round longer."""
    cpu = sum(each.spent_cpu for each in sessions)
    return max(1.0, sum(each.spent_wall for each in sessions) / cpu) if cpu else 1.0
