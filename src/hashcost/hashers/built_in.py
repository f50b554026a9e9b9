"""The algorithms that are built in, and the cost that a library takes when none is given."""

import tomllib
from dataclasses import dataclass
from importlib.resources import files
from typing import Final

import msgspec

from hashcost.core.measurement import Knob, Params
from hashcost.hashers.interface import KnownAnswer


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
        for name in (implementation, None):
            found = [answer for answer in self.known_answers if answer.implementation == name]
            if found:
                return tuple(answer.read() for answer in found)
        return ()


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
