"""The built-in algorithms, and hashers put together from one and from what runs its hashes."""

from collections.abc import Callable
from typing import Final, TypeAlias

import msgspec

from hashcost.core.algorithms import guess_memory
from hashcost.core.measurement import Knob, Params
from hashcost.core.package_data import data_table
from hashcost.hashers.interface import KnownAnswer, ReadyCall
from hashcost.machine.history import PastRun


class WrittenAnswer(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A known answer: a crypt string as ``output``, or a ``digest`` in hexadecimal.

    With an ``implementation``, it applies only to that one, which has no other.
    """

    source: str
    password: str
    salt: str
    params: Params
    output: str = ""
    digest: str = ""
    implementation: str | None = None

    def read(self) -> KnownAnswer:
        """The output as bytes, one for each character."""
        return KnownAnswer(
            password=self.password.encode("latin-1"),
            salt=self.salt.encode("latin-1"),
            params=self.params,
            output=bytes.fromhex(self.digest) or self.output.encode(),
            source=self.source,
        )


class Algorithm(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Facts that all implementations of an algorithm share.

    ``memory_bytes`` gives the memory of an algorithm whose cost does not set it.
    """

    knobs: tuple[Knob, ...]
    lowest: Params
    known_answers: tuple[WrittenAnswer, ...]
    memory_bytes: int = 0

    def allows(self, params: Params) -> bool:
        """Whether these are all the params, each in its legal range."""
        if params.keys() != self.lowest.keys():
            return False
        # `lowest` begins a calibration; a cost that somebody asks about may be lower.
        if any(value < 1 for value in params.values()):
            return False
        return all(knob.allows(params[knob.name]) for knob in self.knobs)

    def answers_of(self, implementation: str) -> tuple[KnownAnswer, ...]:
        """The known answers that check an implementation."""
        shared = [answer for answer in self.known_answers if answer.implementation is None]
        own = [answer for answer in self.known_answers if answer.implementation == implementation]
        return tuple(answer.read() for answer in own or shared)


ALGORITHMS: Final[dict[str, Algorithm]] = msgspec.convert(
    data_table("hashers/built_in.toml"), dict[str, Algorithm]
)


def memory_bytes(hasher: str, params: Params) -> int:
    """Memory that one hash takes; scrypt has p blocks of output beside its N (RFC 7914)."""
    if hasher == "scrypt":
        return 128 * params["r"] * (params["n"] + params["p"])
    return round(guess_memory(hasher, params) or ALGORITHMS[hasher].memory_bytes)


def could_have_run(run: PastRun) -> bool:
    """Whether the algorithms allow every cost of an earlier run; a plug-in's may be any."""
    for key, timed in run.timed.items():
        algorithm = ALGORITHMS.get(key.partition("@")[0])
        if algorithm is None:
            continue
        for point in timed.points:
            # A file holds values without names, in the order of the lowest params.
            params = dict(zip(algorithm.lowest, point.params, strict=False))
            if len(point.params) != len(params) or not algorithm.allows(params):
                return False
    return True


Prepare: TypeAlias = Callable[[bytes, bytes, Params], ReadyCall]
"""Makes one hash ready from password, salt and cost."""
SettingOf: TypeAlias = Callable[[bytes, Params], bytes]
"""Writes salt and cost as the beginning of a crypt string."""


class Adapter(msgspec.Struct, frozen=True):
    """One built-in algorithm run by one implementation; `Hasher` says what each part is."""

    name: str
    implementation: str
    version: str
    ready: Prepare
    narrowed: tuple[Knob, ...] = ()
    """The knobs, if the implementation's ranges are narrower than the algorithm's."""

    @property
    def knobs(self) -> tuple[Knob, ...]:
        """The params that are solved for."""
        return self.narrowed or ALGORITHMS[self.name].knobs

    @property
    def lowest(self) -> Params:
        """Every param at its lowest."""
        return ALGORITHMS[self.name].lowest

    @property
    def known_answers(self) -> tuple[KnownAnswer, ...]:
        """The published hashes that check it."""
        return ALGORITHMS[self.name].answers_of(self.implementation)

    def memory_bytes(self, params: Params) -> int:
        """Memory that one hash takes."""
        return memory_bytes(self.name, params)

    def threads(self, params: Params) -> int:
        """One, but for argon2: libraries run the lanes of scrypt one after another."""
        return params.get("parallelism", 1)


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
