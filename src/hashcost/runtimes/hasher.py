"""A hasher whose hashes a probe computes: to everything above, one more implementation."""

from __future__ import annotations

import contextlib
import dataclasses
from collections import deque
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from functools import cached_property
from statistics import fmean
from typing import Any, Final

import msgspec

from hashcost.core.errors import InconclusiveError, UnavailableError
from hashcost.core.measurement import Knob, Params, Sample
from hashcost.core.units import format_duration, format_setting
from hashcost.hashers.built_in import ALGORITHMS
from hashcost.hashers.interface import KnownAnswer, ReadyCall, StoredAnswer, check_output
from hashcost.hashers.scrypt import memory_bytes as scrypt_memory
from hashcost.runtimes.answers import KEY_BYTES, as_known, known_answers, shape, stored_answers
from hashcost.runtimes.protocol import Loaded, Op, Question, Timed, Verified
from hashcost.runtimes.session import Session
from hashcost.runtimes.table import Library
from hashcost.runtimes.warming import HASH_SECONDS, MOST_SECONDS, Timing, WarmUp, fills_heap

_FEWEST_AGAIN: Final = 4
"""A long hash that fills the heap is repeated as often, whatever time that takes."""


@dataclass(eq=False, kw_only=True)
class ElsewhereHasher:
    """One algorithm run by a library of another runtime; `Hasher` says what each part is."""

    name: str
    runtime: str
    library_name: str
    library: Library
    session: Session
    open_session: Callable[[int], Session]
    """The process of this number of the same kind; 0 is the first."""
    processes: int = 1
    """How many processes a hash is timed in; the mean counts."""
    implementation: str = field(init=False)
    version: str = field(init=False)
    clock_name: str = field(init=False)
    knobs: tuple[Knob, ...] = field(init=False)
    """The algorithm's, within the library's range."""
    lowest: Params = field(init=False)
    drift: float = field(init=False)
    known_answers: tuple[KnownAnswer, ...] = ()
    stored_answers: tuple[StoredAnswer, ...] = ()
    """Instead, if the library chooses its own salt."""
    spent_cpu: float = field(default=0.0, init=False)
    """CPU seconds of all its hashes so far."""
    last_wall: float | None = field(default=None, init=False)
    """Wall seconds of the last of them."""
    _workers: list[ElsewhereHasher] = field(default_factory=list, init=False)
    _warm_steps: set[int] = field(default_factory=set, init=False)

    def __post_init__(self) -> None:
        loaded, greeting = self.session.ask(self._question("load"), Loaded), self.session.greeting
        self.implementation = f"{self.runtime}:{self.library_name}"
        self.version = f"{loaded.version}, {greeting.runtime}"
        self.clock_name = greeting.clock
        self.knobs = tuple(map(self._narrowed, ALGORITHMS[self.name].knobs))
        self.lowest = ALGORITHMS[self.name].lowest
        self.drift = self.library.drifts.get(self.name, self.library.drift)
        if loaded.salt == "own":
            self.stored_answers = stored_answers(self.name)
        else:
            self.known_answers = known_answers(self.name)

    @property
    def _salts_itself(self) -> bool:
        return bool(self.stored_answers)

    def memory_bytes(self, params: Params) -> int:
        """Memory that one hash takes, the runtime's own left aside."""
        if self.name == "argon2id":
            return params["memory_kib"] * 1024
        if self.name == "scrypt":
            return scrypt_memory(params)
        return ALGORITHMS[self.name].memory_bytes

    def threads(self, params: Params) -> int:
        """One, but for argon2."""
        return params.get("parallelism", 1)

    def threads_here(self) -> Collection[int]:
        """The runtime's threads that hash, if this machine runs them."""
        return {thread for each in self._in_each for thread in each.session.threads_here()}

    def verify(self, password: bytes, stored: bytes) -> bool:
        """Whether the library accepts the password."""
        asked = self._question("verify", password=password.hex(), stored=stored.hex())
        return self.session.ask(asked, Verified).match

    def ready(self, password: bytes, salt: bytes, params: Params) -> ReadyCall:
        """Prepare one hash; running it is one question."""
        prefix, length = shape(self.name, params, None if self._salts_itself else salt)
        asked: deque[int] = deque()

        def ask() -> None:
            asked.append(self.session.post(self._asked("time", password, salt, params)))

        def run() -> bytes:
            if not asked:
                ask()
            found = self._noted(self.session.answer(asked.popleft(), Timed))
            return as_known(self.name, bytes.fromhex(found.output))

        return ReadyCall(
            run=run,
            prefix=prefix,
            length=length,
            repeats=not self._salts_itself,
            cpu_elsewhere=lambda: self.spent_cpu,
            wall_elsewhere=lambda: self.last_wall,
            ask=ask,
        )

    def timed(self, password: bytes, salt: bytes, params: Params) -> Sample:
        """Hash once in each process, and take the mean, on the runtime's clocks."""
        found = [each.time_here(password, salt, params) for each in self._in_each]
        return Sample(
            params=params,
            cpu_seconds=fmean(each.cpu for each in found),
            wall_seconds=fmean(each.wall for each in found),
            system_seconds=fmean(each.system for each in found),
            page_faults=round(fmean(each.faults for each in found)),
        )

    def prepare(self, password: bytes, salt: bytes, progress: Callable[[float], None]) -> None:
        """Hash, untimed, until each process is as quick as it gets; leave out one that never is.

        ``progress`` is called with how much of it is done.

        Raises:
            InconclusiveError: none gets there; what a hash would take now is too long.
        """
        count = len(self._in_each)
        self._in_each = tuple(
            each
            for done, each in enumerate(self._in_each)
            if each.warm_here(password, salt, _part(progress, done, count))
        )
        if not self._in_each:
            raise InconclusiveError(
                f"{self.runtime} was still warming up after {format_duration(MOST_SECONDS)};"
                " measure when less else runs there"
            )

    @cached_property
    def _in_each(self) -> tuple[ElsewhereHasher, ...]:
        """This hasher in each process that is timed; only in this one if no other starts."""
        with contextlib.suppress(UnavailableError):
            return self.workers(self.processes)
        return (self,)

    def warm_here(self, password: bytes, salt: bytes, told: Callable[[float], None]) -> bool:
        """Hash, untimed, until this process is as quick as it gets, and say whether it is."""
        if self._is_warm:
            return True
        warm_up, params = WarmUp(self.library.warm_seconds), self.lowest
        knob, *others = self.knobs
        while not warm_up.is_done:
            found, value = self._timed(password, salt, params), params[knob.name]
            warm_up.add(found)
            told(warm_up.fraction)
            if found.cpu < HASH_SECONDS:
                value = min(value + 1 if knob.doubles else 2 * value, knob.maximum)
                params = {**params, knob.name: value}
            # A second pass runs other code than the first.
            passes = {each.name: each.minimum + params[each.name] % 2 for each in others}
            params = {**params, **passes}
        if warm_up.is_met:
            self.session.warm.add(self._label)
            self.session.timing = Timing()
        return warm_up.is_met

    @property
    def _label(self) -> str:
        return f"{self.library_name} {self.name}"

    @property
    def _is_warm(self) -> bool:
        """Whether this process is as quick as it gets."""
        return self._label in self.session.warm

    def time_here(self, password: bytes, salt: bytes, params: Params) -> Timed:
        """Hash once in this process, and check that the hash is whole.

        Raises:
            InconclusiveError: its heap or its compiler does not come to rest.
        """
        call = self.ready(password, salt, params)
        self._warm_memory(params, call)
        hash_once = self._steady if self._is_warm else self._timed
        found = hash_once(password, salt, params)
        output = as_known(self.name, bytes.fromhex(found.output))
        check_output(call, output, where=f"at {format_setting(params)}")
        return found

    def _steady(self, password: bytes, salt: bytes, params: Params) -> Timed:
        """Hash once; again while that fills the heap."""
        filling: list[float] = []
        while True:
            compiled = self.session.compiled
            found = self._timed(password, salt, params)
            if not fills_heap(found):
                break
            filling.append(found.wall)
            if len(filling) >= _FEWEST_AGAIN and sum(filling) > MOST_SECONDS:
                raise InconclusiveError(
                    f"{self.runtime} was still filling its heap after"
                    f" {format_duration(sum(filling))}; let it use all of its heap when it starts,"
                    " as JAVA_TOOL_OPTIONS='-Xms2g -Xmx2g -XX:+AlwaysPreTouch' does"
                )
        self.session.timing.add(found.wall, self.session.compiled - compiled)
        if self.session.timing.is_cold:
            raise InconclusiveError(
                f"{self.runtime} was still compiling while it was timed; run it again"
            )
        return found

    def _warm_memory(self, params: Params, call: ReadyCall) -> None:
        """Run one hash first at each step of memory that a compiler meets anew."""
        knob, *_ = self.knobs
        step = params[knob.name]
        if self.library.warm_seconds and knob.is_ladder and step not in self._warm_steps:
            self._warm_steps.add(step)
            call.run()

    def workers(self, count: int) -> tuple[ElsewhereHasher, ...]:
        """As many hashers, each with a process of its own."""
        while len(self._workers) < count - 1:
            session = self.open_session(len(self._workers) + 1)
            self._workers.append(dataclasses.replace(self, session=session, processes=1))
        return (self, *self._workers[: count - 1])

    def _narrowed(self, knob: Knob) -> Knob:
        """The knob within the library's range."""
        return msgspec.structs.replace(
            knob,
            minimum=max(knob.minimum, self.library.minimum.get(knob.name, knob.minimum)),
            maximum=min(knob.maximum, self.library.maximum.get(knob.name, knob.maximum)),
        )

    def _timed(self, password: bytes, salt: bytes, params: Params) -> Timed:
        return self._noted(self.session.ask(self._asked("time", password, salt, params), Timed))

    def _noted(self, found: Timed) -> Timed:
        self.spent_cpu += found.cpu
        self.last_wall = found.wall
        self.session.compiled = found.compiling or 0.0
        return found

    def _question(self, op: Op, **given: Any) -> Question:
        return Question(op=op, library=self.library_name, hasher=self.name, **given)

    def _asked(self, op: Op, password: bytes, salt: bytes, params: Params) -> Question:
        for name, most in self.library.maximum.items():
            if params.get(name, most) > most:
                raise UnavailableError(f"takes {name} {most} at most, not {params[name]}")
        return self._question(
            op,
            password=password.hex(),
            salt=salt.hex(),
            length=0 if self._salts_itself else KEY_BYTES.get(self.name, 0),
            params=params,
        )


def _part(told: Callable[[float], None], done: int, count: int) -> Callable[[float], None]:
    """Report progress on one of ``count`` parts, with ``done`` finished, as that of the whole."""
    return lambda share: told((done + share) / count)
