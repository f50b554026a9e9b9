"""The values of a capacity: levels of threads, a prediction, and the demand. Seconds and bytes."""

import datetime as dt

import msgspec

from hashcost.core.machine import Machine, Notice, Probe, Tool
from hashcost.core.measurement import Count, Params
from hashcost.core.profile import TOO_NOISY, Concurrency


class ThreadLevel(msgspec.Struct, frozen=True, kw_only=True):
    """The throughput and latency of this many threads that only hash, at one cost."""

    params: Params
    threads: int
    hashes: int
    """The number of hashes behind the figures."""
    duration_seconds: float
    logins_per_second: float
    """Hashes a second of the whole machine, as busy as it was."""
    quiet_logins_per_second: float
    """The figure if no other process wanted a CPU."""
    p50_seconds: float
    p95_seconds: float | None
    """`None` if fewer than 20 hashes were timed."""
    p95_is_rough: bool
    """Whether fewer than 59 were: the true one may lie beyond the slowest of them."""
    memory_bytes: Count
    """Bytes of all hashes in flight."""
    cpu_seconds: float
    """CPU seconds of all threads."""
    latency_seconds: tuple[float, ...]
    """The wall time of every hash, in the order in which they ended."""
    quiet_seconds: tuple[float, ...]
    """The figure if no other process wanted a CPU."""

    @property
    def waiting(self) -> float:
        """The share of the time that other processes made the threads wait."""
        return max(0.0, 1 - self.logins_per_second / self.quiet_logins_per_second)


class Prediction(msgspec.Struct, frozen=True, kw_only=True):
    """Waits of logins that arrive at random, queueing included; simulated, not run.

    ``load`` is the share of what the ``workers`` can do at most.
    """

    params: Params
    load: float
    workers: int
    arrivals_per_second: float
    p50_seconds: float
    p95_seconds: float


class Demand(msgspec.Struct, frozen=True, kw_only=True):
    """The logins a second to serve, and the time that 95 of 100 may take."""

    logins_per_second: float
    p95_seconds: float


class Capacity(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="capacity"):
    """How many logins a second one machine can take with one hasher.

    Without a demand: at ``params``, by the levels. With one: ``params`` is the highest cost that
    is predicted to hold it, by levels at a cost near it.
    """

    schema: int
    """Version of the JSON."""
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
    levels: tuple[ThreadLevel, ...]
    concurrency: Concurrency | None = None
    """The limit for concurrent hashes; None if the memory is unknown."""
    prediction: Prediction
    demand: Demand | None = None
    warnings: tuple[Notice, ...] = ()


class CapacityRow(msgspec.Struct, frozen=True, kw_only=True):
    """How logins fare at one of the costs that are compared."""

    hasher: str
    implementation: str
    implementation_version: str
    logins_per_second: float
    """The most that the machine serves when it is quiet."""
    memory_bytes: Count
    """Memory of all hashes that run at once."""
    prediction: Prediction
    is_predicted: bool
    """Whether a profile told the time of a hash, and nothing was measured."""
    error_fraction: float | None = None
    """How far the interval of a predicted hash's time reaches, as a fraction; else `None`."""

    @property
    def is_too_uncertain(self) -> bool:
        """Whether the interval is too wide for the row to be relied upon."""
        return self.error_fraction is not None and self.error_fraction > TOO_NOISY


class CapacityComparison(
    msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="capacities"
):
    """The logins that each of several costs leaves on one machine."""

    schema: int
    """Version of the JSON."""
    tool: Tool
    created: dt.datetime
    machine: Machine
    cpus: int
    rows: tuple[CapacityRow, ...]
    demand: Demand | None = None
    """The logins for which the highest cost was found."""
    warnings: tuple[Notice, ...] = ()
