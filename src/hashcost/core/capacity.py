"""Logins a second at a cost. Times are in seconds, sizes in bytes."""

import datetime as dt
from typing import Annotated

import msgspec

from hashcost.core.machine import Machine, Notice, Probe, Tool
from hashcost.core.measurement import Count, ElapsedSeconds, HashSeconds, Params, Rate

CAPACITY_SCHEMA_VERSION = 1
"""Version of the capacity's JSON.

1: the first.
"""


class Concurrency(msgspec.Struct, frozen=True, kw_only=True):
    """The limit of concurrent hashes, and the memory in which they have room."""

    at_once: Annotated[int, msgspec.Meta(ge=1, le=2**24)]
    memory_bytes: Count
    process_bytes: Count
    """The share that the process itself needs."""

    @property
    def hash_bytes(self) -> int:
        """The memory of one hash if all run at once."""
        return self.room_bytes // self.at_once

    @property
    def room_bytes(self) -> int:
        """The memory of all hashes together."""
        return max(self.memory_bytes - self.process_bytes, 0)


class Level(msgspec.Struct, frozen=True, kw_only=True):
    """The hashes that this many threads compute at one cost if they do nothing else.

    ``hashes`` stand behind the figures. Of a hash that a thread began or ended while
    not all were at work, ``logins_per_second`` counts the part that lies between.
    """

    params: Params
    threads: Annotated[int, msgspec.Meta(ge=1, le=2**24)]
    hashes: Annotated[int, msgspec.Meta(ge=1, le=2**62)]
    duration_seconds: HashSeconds
    logins_per_second: Rate
    """Of the whole machine."""
    p50_seconds: HashSeconds
    p95_seconds: HashSeconds | None
    """None where fewer than 20 hashes were timed."""
    p95_is_rough: bool
    """Whether fewer than 59 were: the true one may lie beyond the slowest of them."""
    memory_bytes: Count
    """In flight: of one hash, times the threads."""
    cpu_seconds: ElapsedSeconds
    """Burnt by all threads meanwhile."""
    queued_seconds: ElapsedSeconds | None
    """How long the threads together waited for a CPU; none where the system does not tell."""
    latency_seconds: tuple[HashSeconds, ...]
    """Every hash, on the clock on the wall, in the order in which they ended."""


class Prediction(msgspec.Struct, frozen=True, kw_only=True):
    """How logins that arrive at random would fare, queueing included; simulated, not run.

    ``load`` is the share of what the ``workers`` can do at most.
    """

    params: Params
    load: float
    workers: int
    arrivals_per_second: float
    p50_seconds: float
    p95_seconds: float


class Demand(msgspec.Struct, frozen=True, kw_only=True):
    """The logins a second to serve, and the time within which 95 of 100 are done."""

    logins_per_second: float
    p95_seconds: float


class Capacity(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="capacity"):
    """How many logins a second one machine can take with one hasher.

    Without a demand: at ``params``, by the levels. With one: ``params`` is the highest cost that
    is predicted to hold it, by levels at a cost near it.
    """

    schema: int
    tool: Tool
    created: dt.datetime
    machine: Machine
    probe: Probe
    hasher: str
    implementation: str
    implementation_version: str
    params: Params
    memory_bytes: Count
    """Memory of one hash at ``params``."""
    cpus: int
    """That this process may use: its affinity, and its control group's limit rounded up."""
    duration_seconds: float
    levels: tuple[Level, ...]
    concurrency: Concurrency | None = None
    """The limit for concurrent hashes; None if the memory is unknown."""
    prediction: Prediction
    demand: Demand | None = None
    warnings: tuple[Notice, ...] = ()

    @property
    def label(self) -> str:
        """``hasher@implementation``."""
        return f"{self.hasher}@{self.implementation}"
