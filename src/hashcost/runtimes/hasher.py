"""A hasher whose hashes a probe computes: to everything above, one more implementation."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from hashcost.core.errors import InconclusiveError, UnavailableError
from hashcost.core.measurement import Knob, Params, Sample
from hashcost.core.units import format_duration, format_setting
from hashcost.hashers.built_in import ALGORITHMS
from hashcost.hashers.interface import KnownAnswer, ReadyCall, StoredAnswer, check_output
from hashcost.hashers.scrypt import memory_bytes as scrypt_memory
from hashcost.runtimes.answers import known_answers, stored_answers
from hashcost.runtimes.outputs import KEY_BYTES, as_known, shape
from hashcost.runtimes.protocol import Loaded, Op, Question, Timed, Verified
from hashcost.runtimes.session import Session
from hashcost.runtimes.table import Library
from hashcost.runtimes.warming import WarmUp

_WARM_HASH_SECONDS: Final = 0.01
"""Of the cost that a library is warmed at, at least: a long hash is compiled while it runs."""


@dataclass(eq=False, kw_only=True)
class ElsewhereHasher:
    """One algorithm run by a library of another runtime; `Hasher` says what each part is."""

    name: str
    runtime: str
    library_name: str
    library: Library
    session: Session
    open_session: Callable[[], Session]
    """Starts another process of the same kind, for hashes at once."""
    loaded: Loaded = field(init=False)
    spent_cpu: float = 0.0
    """CPU seconds of all its hashes so far."""
    last_wall: float | None = None
    """Wall seconds of the last of them."""
    _workers: list[ElsewhereHasher] = field(default_factory=list)
    _warm_steps: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.loaded = self.session.ask(self._question("load"), Loaded)

    @property
    def implementation(self) -> str:
        """The runtime and the library."""
        return f"{self.runtime}:{self.library_name}"

    @property
    def version(self) -> str:
        """The library's version and the runtime's."""
        return f"{self.loaded.version}, {self.session.greeting.runtime}"

    @property
    def clock_name(self) -> str:
        """The CPU clock that the runtime reads."""
        return self.session.greeting.clock

    @property
    def knobs(self) -> tuple[Knob, ...]:
        """The algorithm's, within the library's range."""
        return tuple(map(self._narrowed, ALGORITHMS[self.name].knobs))

    @property
    def lowest(self) -> Params:
        """The algorithm's."""
        return ALGORITHMS[self.name].lowest

    @property
    def drift(self) -> float:
        """How far runs minutes apart disagree."""
        return self.library.drifts.get(self.name, self.library.drift)

    @property
    def known_answers(self) -> tuple[KnownAnswer, ...]:
        """Two costs, unless the library chooses its own salt."""
        return () if self._salts_itself else known_answers(self.name)

    @property
    def stored_answers(self) -> tuple[StoredAnswer, ...]:
        """Two costs, of a library that chooses its own salt."""
        return stored_answers(self.name) if self._salts_itself else ()

    @property
    def _salts_itself(self) -> bool:
        return self.loaded.salt == "own"

    def memory_bytes(self, params: Params) -> int:
        """Memory that one hash takes, the runtime's own left aside."""
        if self.name == "argon2id":
            return params["memory_kib"] * 1024
        return scrypt_memory(params) if self.name == "scrypt" else self._fixed_memory

    @property
    def _fixed_memory(self) -> int:
        return ALGORITHMS[self.name].memory_bytes

    def threads(self, params: Params) -> int:
        """One, but for argon2."""
        return params.get("parallelism", 1)

    def threads_here(self) -> Collection[int]:
        """The runtime's threads that hash, if this machine runs them."""
        return self.session.threads_here()

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
        """Hash once, on the clocks of the runtime."""
        call = self.ready(password, salt, params)
        self._warm_memory(params, call)
        found = self._timed(password, salt, params)
        output = as_known(self.name, bytes.fromhex(found.output))
        check_output(call, output, where=f"at {format_setting(params)}")
        return Sample(
            params=params,
            cpu_seconds=found.cpu,
            wall_seconds=found.wall,
            system_seconds=found.system,
            page_faults=found.faults,
        )

    def prepare(self, password: bytes, salt: bytes, told: Callable[[float], None]) -> None:
        """Hash, untimed, until the runtime is as quick as it gets.

        ``told`` is called with how much of it is done.

        Raises:
            InconclusiveError: it does not get there; what it would take now is too long.
        """
        what = f"{self.library_name} {self.name}"
        if what in self.session.warm:
            return
        warm_up = WarmUp(self.library.warm_seconds)
        params = self.lowest
        while not warm_up.is_done:
            found = self._timed(password, salt, params)
            warm_up.add(found.wall, found.compiling)
            told(warm_up.fraction)
            if found.cpu < _WARM_HASH_SECONDS:
                params = self._longer(params)
        if not warm_up.is_met:
            raise InconclusiveError(
                f"the compiler of {self.runtime} was still at work after"
                f" {format_duration(warm_up.elapsed)}; measure when less else runs there"
            )
        self.session.warm.add(what)

    def _warm_memory(self, params: Params, call: ReadyCall) -> None:
        """Run one hash first at each step of memory that a compiler meets anew."""
        knob, *_ = self.knobs
        step = params[knob.name]
        if self.library.warm_seconds and knob.is_ladder and step not in self._warm_steps:
            self._warm_steps.add(step)
            call.run()

    def _longer(self, params: Params) -> Params:
        """The next cost that takes about twice as long."""
        knob = self.knobs[0]
        value = params[knob.name]
        value = min(value + 1 if knob.doubles else 2 * value, knob.maximum)
        return {**params, knob.name: value}

    def workers(self, count: int) -> tuple[ElsewhereHasher, ...]:
        """As many hashers, each with a process of its own."""
        while len(self._workers) < count - 1:
            self._workers.append(self._in_process_of_its_own())
        return (self, *self._workers[: count - 1])

    def _in_process_of_its_own(self) -> ElsewhereHasher:
        return ElsewhereHasher(
            name=self.name,
            runtime=self.runtime,
            library_name=self.library_name,
            library=self.library,
            session=self.open_session(),
            open_session=self.open_session,
        )

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
