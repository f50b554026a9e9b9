"""How much a busy core slows a hash, by the probes around it. Pure.

A core that is shared with neighbours runs everything slower, but not equally: code that keeps
the execution units busy takes twice as long, code that waits for its own results a tenth longer,
code that waits for memory a third longer. Three short probes, one of each kind, show how much
that is at the moment. How a hasher follows them was learnt from recordings;
`python -m tests.tools.benchmarks.learn` learns it again.
"""

import datetime as dt
import math
from collections.abc import Sequence
from functools import cache
from typing import Annotated, Final

import msgspec

from hashcost.core.machine import Machine
from hashcost.core.package_data import data_table
from hashcost.fit.regression import product

KNEE: Final = 0.1
"""Slowdown of the throughput-bound probe, in logarithms, up to which it is ignored: the quiet
ratio is a low quantile, and single readings scatter as much above it (`everything-1`)."""
_LEAST: Final = math.log(0.9)
"""Least slowdown of a probe, in logarithms: a quicker one only shows that the core was quiet."""
FULL: Final = (math.log(2.0), math.log(1.1), math.log(1.3))
"""Slowdown of the probes on a core that is shared all the time, in logarithms (`probes-*`)."""
LIKE: Final = {"argon2id": "memory", "bcrypt": "latency", "scrypt": "memory", "yescrypt": "memory"}
"""Class of a hasher that has no curve of its own; any other hasher's is ``throughput``."""


class Sensitivity(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a hasher slows with the probes, in logarithms: linear in each beyond the knee."""

    hasher: str
    """``hasher@implementation``, or a class."""
    slopes: tuple[float, float, float]
    """For the probes bound by throughput, by latency and by memory."""
    without_memory: tuple[float, float]
    """The slopes for readings that lack the probe bound by memory."""
    waiting: float = 0.0
    """For wall over CPU time: a hash that waited for a CPU finds the caches emptied."""
    recordings: tuple[str, ...]
    unknown: float = 0.05
    """The error of the curve, as a share of the slowdown."""

    def log_slowdown(self, probes: Sequence[float], waited: float = 0.0) -> float:
        """The slowdown by those of the probes and by wall over CPU time, all in logarithms."""
        slopes: Sequence[float] = self.slopes
        # These are learnt by themselves: the two probes tell a part of what memory would.
        if len(probes) == 2:
            slopes = self.without_memory
        return product(slopes, terms(probes)) + self.waiting * waited


class QuietRatios(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The probes' times as ratios to the latency-bound one, on a quiet core of one CPU model."""

    cpu: str
    """Vendor, family and model."""
    flags: tuple[str, ...]
    probes: str
    """The implementations that ran the probes, with versions."""
    throughput: float
    memory: float
    recording: str
    measured: dt.date


class _Data(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    latency: dict[str, tuple[float, ...]]
    sensitivity: tuple[Sensitivity, ...]
    quiet: Annotated[tuple[QuietRatios, ...], msgspec.Meta(min_length=1)]


@cache
def _data() -> _Data:
    return msgspec.convert(data_table("fit/data/slowdowns.toml"), _Data)


def terms(probes: Sequence[float]) -> tuple[float, ...]:
    """The slowdowns of the probes beyond the knee, to be multiplied by the slopes."""
    throughput, *others = probes
    clipped = [max(slowdown, _LEAST) for slowdown in others]
    return max(throughput - KNEE, 0.0), *clipped


def sensitivity_of(hasher: str, implementation: str) -> Sensitivity:
    """The curve recorded for this implementation of a hasher, or else that of its class."""
    by_name = {row.hasher: row for row in _data().sensitivity}
    own_class = LIKE.get(hasher, "throughput")
    return by_name.get(f"{hasher}@{implementation}", by_name[own_class])


def own_latency(ratios: Sequence[float]) -> float:
    """The slowdown of the latency-bound probe, from the rise of the other probes' ratios to it.

    All in logarithms.
    """
    probes = "two"
    if len(ratios) > 1:
        probes = "three"
    # A neighbour only raises a ratio: one below its quiet value is scatter.
    rises = [max(rise, 0.0) for rise in ratios]
    return product(_data().latency[probes], rises)


def shipped_ratios(machine: Machine, probes: str) -> tuple[float, ...] | None:
    """The quiet ratios of throughput and memory to latency, in logarithms.

    `None` if the CPU model was not recorded with these probes.
    """
    # Instructions are hidden or translated, and no CPU was recorded so.
    if machine.openssl_ia32cap is not None or machine.emulated_on:
        return None
    machine_row = (machine.cpu_id.rpartition(" ")[0], machine.cpu_flags, probes)
    for row in _data().quiet:
        if (row.cpu, row.flags, row.probes) == machine_row:
            return math.log(row.throughput), math.log(row.memory)
    return None
