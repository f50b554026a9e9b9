"""A hasher put together from what it is and what makes one of its hashes ready."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from hashcost.core.measurement import Knob, Params
from hashcost.hashers.built_in import ALGORITHMS
from hashcost.hashers.interface import KnownAnswer, ReadyCall

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
