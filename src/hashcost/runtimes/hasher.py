"""A hasher whose hashes a probe computes; other rooms see one more implementation."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Final

import msgspec

from hashcost.core.errors import InconclusiveError, UnavailableError
from hashcost.core.measurement import Knob, Params, Sample
from hashcost.core.units import format_duration, format_setting
from hashcost.hashers.built_in import ALGORITHMS, memory_bytes
from hashcost.hashers.interface import KnownAnswer, ReadyCall, StoredAnswer, check_output
from hashcost.runtimes.answers import KEY_BYTES, as_known, known_answers, shape, stored_answers
from hashcost.runtimes.protocol import HashTimes, Loaded, Question, Verified
from hashcost.runtimes.session import ProbeSession
from hashcost.runtimes.table import RuntimeLibrary
from hashcost.runtimes.warming import HASH_SECONDS, MOST_SECONDS, WarmUp, fills_heap

# Most repetitions of a hash that fills the heap, however long they take.
_FEWEST_AGAIN: Final = 4


@dataclass(eq=False, kw_only=True)
class RuntimeHasher:
    """One algorithm run by a library of another runtime; `Hasher` says what each part is."""

    name: str
    runtime: str
    library_name: str
    library: RuntimeLibrary
    session: ProbeSession
    open_session: Callable[[int], ProbeSession]
    """The process of this number of the same kind; 0 is the first."""
    implementation: str = field(init=False)
    version: str = field(init=False)
    clock_name: str = field(init=False)
    knobs: tuple[Knob, ...] = field(init=False)
    """The algorithm's, within the library's range."""
    lowest: Params = field(init=False)
    drift: float = field(init=False)
    known_answers: tuple[KnownAnswer, ...] = ()
    stored_answers: tuple[StoredAnswer, ...] = ()
    """Stored answers instead, if the library chooses its own salt."""
    spent_cpu: float = field(default=0.0, init=False)
    """CPU seconds of all its hashes so far."""
    last_wall: float | None = field(default=None, init=False)
    """Wall seconds of the last of them."""
    _workers: list[RuntimeHasher] = field(default_factory=list, init=False)
    _warm_steps: set[int] = field(default_factory=set, init=False)

    def __post_init__(self) -> None:
        asked = Question(op="load", library=self.library_name, hasher=self.name)
        loaded, greeting = self.session.ask(asked, Loaded), self.session.greeting
        self.implementation = f"{self.runtime}:{self.library_name}"
        self.version = f"{loaded.version}, {greeting.runtime}"
        self.clock_name = greeting.clock
        library, algorithm = self.library, ALGORITHMS[self.name]
        self.knobs = tuple(
            msgspec.structs.replace(
                knob,
                minimum=max(knob.minimum, library.minimum.get(knob.name, knob.minimum)),
                maximum=min(knob.maximum, library.maximum.get(knob.name, knob.maximum)),
            )
            for knob in algorithm.knobs
        )
        self.lowest = algorithm.lowest
        self.drift = library.drifts.get(self.name, library.drift)
        if loaded.salt == "own":
            self.stored_answers = stored_answers(self.name)
        else:
            self.known_answers = known_answers(self.name)

    def memory_bytes(self, params: Params) -> int:
        """Memory that one hash takes, the runtime's own left aside."""
        return memory_bytes(self.name, params)

    def threads(self, params: Params) -> int:
        """One, but for argon2."""
        return params.get("parallelism", 1)

    def threads_here(self) -> Collection[int]:
        """The runtime's threads that hash, if this machine runs them."""
        return self.session.threads_here()

    def verify(self, password: bytes, stored: bytes) -> bool:
        """Whether the library accepts the password."""
        asked = Question(
            op="verify",
            library=self.library_name,
            hasher=self.name,
            password=password.hex(),
            stored=stored.hex(),
        )
        return self.session.ask(asked, Verified).match

    def ready(self, password: bytes, salt: bytes, params: Params) -> ReadyCall:
        """Prepare one hash; running it is one question."""
        salts_itself = bool(self.stored_answers)
        known_salt: bytes | None = salt
        if salts_itself:
            known_salt = None
        prefix, length = shape(self.name, params, known_salt)

        def run() -> bytes:
            return as_known(self.name, bytes.fromhex(self.hashed(password, salt, params).output))

        return ReadyCall(
            run=run,
            prefix=prefix,
            length=length,
            repeats=not salts_itself,
            cpu_elsewhere=lambda: self.spent_cpu,
            wall_elsewhere=lambda: self.last_wall,
        )

    def workers(self, count: int) -> tuple[RuntimeHasher, ...]:
        """That many copies of the hasher, each with its own process."""
        while len(self._workers) < count - 1:
            session = self.open_session(len(self._workers) + 1)
            self._workers.append(dataclasses.replace(self, session=session))
        return (self, *self._workers[: count - 1])

    @property
    def _label(self) -> str:
        return f"{self.library_name} {self.name}"

    def prepare(self, password: bytes, salt: bytes, progress: Callable[[float], None]) -> None:
        """Hash, untimed, until the process is as fast as it gets.

        ``progress`` is called with the fraction that is done.

        Raises:
            InconclusiveError: it does not get there; a hash would be timed too long.
        """
        if self._label in self.session.warm:
            return
        warm_up, params = WarmUp(self.library.warm_seconds), self.lowest
        knob, *others = self.knobs
        while not warm_up.is_done:
            timed, value = self.hashed(password, salt, params), params[knob.name]
            warm_up.add(timed)
            progress(warm_up.fraction)
            if timed.cpu < HASH_SECONDS:
                doubled = 2 * value
                if knob.doubles:
                    doubled = value + 1
                value = min(doubled, knob.maximum)
            # A second pass runs other code than the first.
            passes = {other.name: other.minimum + params[other.name] % 2 for other in others}
            params = {**params, knob.name: value, **passes}
        if not warm_up.is_met:
            raise InconclusiveError(
                f"{self.runtime} was still warming up after {format_duration(MOST_SECONDS)};"
                " measure when less else runs there"
            )
        self.session.warm.add(self._label)

    def timed(self, password: bytes, salt: bytes, params: Params) -> Sample:
        """Hash once on the runtime's clocks, again while that fills the heap, and check the hash.

        Raises:
            InconclusiveError: its heap keeps growing.
        """
        call, knob = self.ready(password, salt, params), self.knobs[0]
        step = params[knob.name]
        if self.library.warm_seconds and knob.is_ladder and step not in self._warm_steps:
            # A compiler meets each step of memory anew.
            self._warm_steps.add(step)
            call.run()
        filling: list[float] = []
        timed = self.hashed(password, salt, params)
        while self._label in self.session.warm and fills_heap(timed):
            filling.append(timed.wall)
            if len(filling) >= _FEWEST_AGAIN and sum(filling) > MOST_SECONDS:
                raise InconclusiveError(
                    f"{self.runtime} was still filling its heap after"
                    f" {format_duration(sum(filling))}; let it use all of its heap when it starts,"
                    " as JAVA_TOOL_OPTIONS='-Xms2g -Xmx2g -XX:+AlwaysPreTouch' does"
                )
            timed = self.hashed(password, salt, params)
        output = as_known(self.name, bytes.fromhex(timed.output))
        check_output(call, output, where=f"at {format_setting(params)}")
        return Sample(
            params=params,
            cpu_seconds=timed.cpu,
            wall_seconds=timed.wall,
            system_seconds=timed.system,
            page_faults=timed.faults,
        )

    def hashed(self, password: bytes, salt: bytes, params: Params) -> HashTimes:
        """Ask for one hash, and note its time.

        Raises:
            UnavailableError: the params are out of the library's range, or the probe has ended.
        """
        for name, most in self.library.maximum.items():
            if params.get(name, most) > most:
                raise UnavailableError(f"takes {name} {most} at most, not {params[name]}")
        key_bytes = 0
        if not self.stored_answers:  # A library that salts itself writes a whole hash.
            key_bytes = KEY_BYTES.get(self.name, 0)
        asked = Question(
            op="time",
            library=self.library_name,
            hasher=self.name,
            password=password.hex(),
            salt=salt.hex(),
            length=key_bytes,
            params=params,
        )
        timed = self.session.ask(asked, HashTimes)
        self.spent_cpu += timed.cpu
        self.last_wall = timed.wall
        return timed
