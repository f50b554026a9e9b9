"""Which cost was decided on for which hosts, so that a fleet is set once. Seconds and bytes."""

import datetime as dt
from typing import Annotated, Final

import msgspec

from hashcost.core.measurement import MOST, Count, HashSeconds, Implemented, Params

DECISION_SCHEMA_VERSION: Final = 1
"""Version of the file.

1: the first.
"""

_IN_PYTHON: Final = {"libcrypt": "python:crypt", "hashlib": "python:hashlib"}
"""The name of a library when a host's Python ran it, by its usual name."""

_Hosts = Annotated[
    tuple[Annotated[str, msgspec.Meta(max_length=1000)], ...], msgspec.Meta(max_length=10_000)
]


class DecidedCost(Implemented, frozen=True, kw_only=True, rename="kebab", omit_defaults=True):
    """One hasher's cost for all hosts of a fleet.

    It stands while measuring again does not exclude it: what is compared with later is the
    time that it had when it was decided on, with its interval.
    """

    implementation_version: str
    params: Params
    target_seconds: HashSeconds
    time_seconds: HashSeconds
    """One hash on the slowest hosts, when this was decided."""
    interval_seconds: tuple[HashSeconds, HashSeconds] | None = None
    memory_bytes: Count = 0
    decided: Annotated[dt.datetime, msgspec.Meta(tz=True)]
    why: str
    cpu_model: str | None = None
    cpu_count: Annotated[int, msgspec.Meta(ge=1, le=2**24)] = 1
    """Of the slowest hosts."""
    slowest: _Hosts
    """The hosts that set the cost."""
    hosts: _Hosts
    """The hosts that it is for."""


class Decision(msgspec.Struct, frozen=True, kw_only=True, rename="kebab"):
    """The costs that a fleet is set to."""

    schema: int = DECISION_SCHEMA_VERSION
    cost: Annotated[tuple[DecidedCost, ...], msgspec.Meta(max_length=MOST)] = ()

    def cost_of(self, hasher: str, implementation: str | None) -> DecidedCost | None:
        """The cost of a hasher by this implementation."""
        own = (cost for cost in self.cost if cost.hasher == hasher)
        return next((cost for cost in own if cost.implementation == implementation), None)

    def cost_by(self, hasher: str, library: str) -> DecidedCost | None:
        """The cost of a hasher by this library, whichever program it was timed in."""
        return self.cost_of(hasher, library) or self.cost_of(hasher, _IN_PYTHON.get(library))
