"""The built-in algorithms, and hashers put together from one and from what runs its hashes."""

import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import files
from typing import Final, TypeAlias

import msgspec

from hashcost.core.measurement import Knob, Params
from hashcost.hashers.interface import KnownAnswer, ReadyCall


@dataclass(frozen=True, kw_only=True)
class Default:
    """A cost, and what takes it."""

    params: Params
    taken_by: str


class WrittenAnswer(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A known answer: a crypt string as ``output``, or a ``digest`` in hexadecimal.

    With an ``implementation`` it is only that one's, which has no other.
    """

    source: str
    password: str
    salt: str
    params: Params
    output: str = ""
    digest: str = ""
    implementation: str | None = None

    def read(self) -> KnownAnswer:
        """The same in bytes, each of which stands for a character."""
        return KnownAnswer(
            password=self.password.encode("latin-1"),
            salt=self.salt.encode("latin-1"),
            params=self.params,
            output=bytes.fromhex(self.digest) or self.output.encode(),
            source=self.source,
        )


class Algorithm(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Facts that all implementations of an algorithm share.

    ``memory_bytes`` are of one that does not fill memory as its cost says.
    """

    knobs: tuple[Knob, ...]
    lowest: Params
    known_answers: tuple[WrittenAnswer, ...]
    memory_bytes: int = 0
    defaults: dict[str, Default] = {}

    def answers_of(self, implementation: str) -> tuple[KnownAnswer, ...]:
        """The known answers that check an implementation."""
        shared = [answer for answer in self.known_answers if answer.implementation is None]
        own = [answer for answer in self.known_answers if answer.implementation == implementation]
        return tuple(answer.read() for answer in own or shared)


ALGORITHMS: Final[dict[str, Algorithm]] = msgspec.convert(
    tomllib.loads(files("hashcost.hashers").joinpath("built_in.toml").read_text("utf-8")),
    dict[str, Algorithm],
)

DEFAULTS: Final = {
    f"{name}@{implementation}": default
    for name, algorithm in ALGORITHMS.items()
    for implementation, default in algorithm.defaults.items()
}
"""By ``hasher@implementation``; a test asks each library. Those not listed have none."""

Prepare: TypeAlias = Callable[[bytes, bytes, Params], ReadyCall]
"""Makes one hash ready from password, salt and cost."""
SettingOf: TypeAlias = Callable[[bytes, Params], bytes]
"""Writes salt and cost as a crypt string begins with them."""


@dataclass(frozen=True, kw_only=True)
class Adapter:
    """One algorithm run by one implementation; `Hasher` says what each part is."""

    name: str
    implementation: str
    version: str
    knobs: tuple[Knob, ...]
    lowest: Params
    known_answers: tuple[KnownAnswer, ...]
    memory: Callable[[Params], int]
    prepare: Prepare
    drift: float = 0.04
    """First runs on recordings of AMD EPYC guests (tests/tools/benchmarks/recordings, 2026-11-22):
    the middle nine in ten lie within 3 to 5 % of the quiet rate, for every hasher recorded."""

    def memory_bytes(self, params: Params) -> int:
        """Memory that one hash takes."""
        return self.memory(params)

    def threads(self, params: Params) -> int:
        """One, but for argon2: libraries run the lanes of scrypt one after another."""
        return params.get("parallelism", 1)

    def ready(self, password: bytes, salt: bytes, params: Params) -> ReadyCall:
        """Prepare one hash."""
        return self.prepare(password, salt, params)


def with_setting(
    setting_of: SettingOf,
    digest_characters: int,
    call: Callable[[bytes, bytes], Callable[[], bytes | None]],
) -> Prepare:
    """Make crypt strings ready; ``call`` takes the password and the setting."""

    def ready(password: bytes, salt: bytes, params: Params) -> ReadyCall:
        setting = setting_of(salt, params)
        length = len(setting) + digest_characters
        return ReadyCall(run=call(password, setting), prefix=setting, length=length)

    return ready


def adapter(
    name: str,
    implementation: str,
    version: str,
    prepare: Prepare,
    *,
    memory: Callable[[Params], int] | None = None,
    knobs: tuple[Knob, ...] = (),
) -> Adapter:
    """A built-in algorithm, whose knobs an implementation may narrow, run by one of them."""
    algorithm = ALGORITHMS[name]
    return Adapter(
        name=name,
        implementation=implementation,
        version=version,
        knobs=knobs or algorithm.knobs,
        lowest=algorithm.lowest,
        known_answers=algorithm.answers_of(implementation),
        memory=memory or (lambda _: algorithm.memory_bytes),
        prepare=prepare,
    )
