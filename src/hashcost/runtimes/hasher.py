"""A hasher whose hashes a probe computes; other rooms see one more implementation."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Final

from msgspec.structs import replace

from hashcost.core.errors import InconclusiveError, UnavailableError
from hashcost.core.measurement import Params, Sample
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


class RuntimeHasher:
    """One algorithm run by a library of another runtime; `Hasher` says what each part is."""

    def __init__(
        self,
        name: str,
        implementation: str,
        library: RuntimeLibrary,
        open_session: Callable[[int], ProbeSession],
        number: int = 0,
    ) -> None:
        """Load the library in a process of its runtime.

        Args:
            name: the algorithm.
            implementation: ``runtime:library``.
            library: what is known of the library.
            open_session: gives the process of a number; the processes are of one kind.
            number: that of the process to use; 0 is the first.

        Raises:
            UnavailableError: the runtime does not start, or lacks the library.
        """
        self.name = name
        self.implementation = implementation
        runtime, _, library_name = implementation.partition(":")
        self.runtime = runtime
        self.library = library
        self._open_session = open_session
        self._session = open_session(number)
        greeting = self._session.greeting
        self._asked = Question(op="load", library=library_name, hasher=name)
        loaded = self._session.ask(self._asked, Loaded)
        self.version = f"{loaded.version}, {greeting.runtime}"
        self.clock_name = greeting.clock
        algorithm = ALGORITHMS[name]
        # The algorithm's, within the library's range.
        self.knobs = tuple(
            replace(
                knob,
                minimum=max(knob.minimum, library.minimum.get(knob.name, knob.minimum)),
                maximum=min(knob.maximum, library.maximum.get(knob.name, knob.maximum)),
            )
            for knob in algorithm.knobs
        )
        self.lowest = algorithm.lowest
        self.drift = library.drifts.get(name, library.drift)
        self._salts_itself = loaded.salt == "own"
        self.known_answers: tuple[KnownAnswer, ...] = ()
        self.stored_answers: tuple[StoredAnswer, ...] = ()
        # A library that chooses its own salt cannot repeat a hash, but verify one.
        if self._salts_itself:
            self.stored_answers = stored_answers(name)
        else:
            self.known_answers = known_answers(name)
        self._spent_cpu = 0.0
        self._last_wall: float | None = None
        self._workers: list[RuntimeHasher] = []
        self._warm_steps: set[int] = set()

    def memory_bytes(self, params: Params) -> int:
        """Memory that one hash takes, the runtime's own left aside."""
        return memory_bytes(self.name, params)

    def threads(self, params: Params) -> int:
        """One, but for argon2."""
        return params.get("parallelism", 1)

    def threads_here(self) -> Collection[int]:
        """The runtime's threads that hash, if this machine runs them."""
        return self._session.threads_here()

    def verify(self, password: bytes, stored: bytes) -> bool:
        """Whether the library accepts the password."""
        asked = replace(self._asked, op="verify", password=password.hex(), stored=stored.hex())
        return self._session.ask(asked, Verified).match

    def ready(self, password: bytes, salt: bytes, params: Params) -> ReadyCall:
        """Prepare one hash; running it is one question."""
        prefix, length = shape(self.name, params, None if self._salts_itself else salt)

        def run() -> bytes:
            return as_known(self.name, bytes.fromhex(self.hashed(password, salt, params).output))

        return ReadyCall(
            run=run,
            prefix=prefix,
            length=length,
            repeats=not self._salts_itself,
            cpu_elsewhere=lambda: self._spent_cpu,
            wall_elsewhere=lambda: self._last_wall,
        )

    def workers(self, count: int) -> tuple[RuntimeHasher, ...]:
        """That many copies of the hasher, each with its own process."""
        # The hasher itself is the first, and its own process that of the number 0.
        for number in range(len(self._workers) + 1, count):
            worker = RuntimeHasher(
                self.name, self.implementation, self.library, self._open_session, number
            )
            self._workers.append(worker)
        return (self, *self._workers[: count - 1])

    def prepare(self, password: bytes, salt: bytes, progress: Callable[[float], None]) -> None:
        """Hash, untimed, until the process is as fast as it gets.

        ``progress`` is called with the fraction that is done.

        Raises:
            InconclusiveError: it does not get there; a hash would be timed too long.
        """
        # The process stays warm for each hasher that is made of it.
        label = (self.implementation, self.name)
        if label in self._session.warm:
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
        self._session.warm.add(label)

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
        filling = []
        timed = self.hashed(password, salt, params)
        is_warm = (self.implementation, self.name) in self._session.warm
        while is_warm and fills_heap(timed):
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
        if not self._salts_itself:  # A library that does writes a whole hash.
            key_bytes = KEY_BYTES.get(self.name, 0)
        asked = replace(
            self._asked,
            op="time",
            password=password.hex(),
            salt=salt.hex(),
            length=key_bytes,
            params=params,
        )
        timed = self._session.ask(asked, HashTimes)
        self._spent_cpu += timed.cpu
        self._last_wall = timed.wall
        return timed
