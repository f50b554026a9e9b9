"""How much a busy core slows a hash, by the probes around it. Pure.

On a core that is shared with strangers everything runs slower, and each hasher in its own
measure: code that keeps the execution units busy by two times, code that waits for its own
results by a tenth, code that waits for memory by a third. Three short probes, one of each kind,
tell how much that is at the moment; how a hasher follows them was learnt from recordings, and
`python -m tests.tools.benchmarks.learn` learns it again.
"""

import datetime as dt
import math
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Annotated, Final

import msgspec

from hashcost.core.machine import Machine
from hashcost.fit.regression import product

KNEE: Final = 0.2
"""In logarithms. A throughput-bound probe that takes less than so much longer says nothing: short
probes on a quiet core take as long behind a hash that emptied the caches (`everything-1`)."""
_LEAST: Final = math.log(0.9)
"""A probe that was quicker than on a quiet core says no more than that it was quiet."""
FULL: Final = (math.log(2.0), math.log(1.1), math.log(1.3))
"""How much longer the probes take on a core that strangers share all the time."""
LIKE: Final = {
    **dict.fromkeys(("argon2id", "scrypt", "yescrypt"), "memory"),
    "bcrypt": "latency",
}
"""The class of a hasher whose own curve was not recorded; of others it is ``throughput``."""
_SHA: Final = "sha_ni"
_LOWER: Final = 0.8
"""A CPU that was not recorded may be so much lower than the lowest that was: those of two vendors
differ by 0.87."""


class Sensitivity(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a hasher slows with the probes, in logarithms: straight in each, but for the knee."""

    hasher: str
    """``hasher@implementation``, or a class."""
    slopes: tuple[float, float, float]
    """Of the probes bound by throughput, by latency and by memory."""
    without_memory: tuple[float, float]
    """The same for readings that lack the probe bound by memory."""
    recordings: tuple[str, ...]
    unknown: float = 0.05
    """What is not known of the curve, as a share of the slow-down."""

    def log_slowdown(self, probes: Sequence[float]) -> float:
        """The logarithm of how much longer a hash takes.

        ``probes`` are logarithms as well: how much longer each of them takes than on a quiet
        core.
        """
        slopes = self.slopes if len(probes) > 2 else self.without_memory
        return product(slopes, terms(probes))


class QuietRatios(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the probes take beside the one bound by latency, on a quiet core of one CPU model."""

    cpu: str
    """Vendor, family and model."""
    flags: tuple[str, ...]
    probes: str
    """What ran them, with versions."""
    throughput: float
    memory: float
    recording: str
    measured: dt.date


@dataclass(frozen=True, kw_only=True)
class Shipped:
    """What is known of the quiet ratios of a CPU before anything was measured, in logarithms."""

    ratios: tuple[float, ...] | None = None
    """Throughput and memory beside latency, of this model."""
    lowest: float | None = None
    """The lowest of throughput that a CPU of this kind may have, where its model is unknown."""


class _Data(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    latency: dict[str, tuple[float, ...]]
    sensitivity: tuple[Sensitivity, ...]
    quiet: Annotated[tuple[QuietRatios, ...], msgspec.Meta(min_length=1)]


@cache
def _data() -> _Data:
    text = files("hashcost.fit").joinpath("data", "slowdowns.toml").read_text("utf-8")
    return msgspec.convert(tomllib.loads(text), _Data)


def terms(probes: Sequence[float]) -> tuple[float, ...]:
    """What the slopes are multiplied by."""
    throughput, *others = probes
    return max(throughput - KNEE, 0.0), *(max(each, _LEAST) for each in others)


def sensitivity_of(hasher: str, implementation: str) -> Sensitivity:
    """The curve of a hasher, by this implementation or else by its class.

    A runtime's library runs the same algorithm as the one that was recorded.
    """
    by_name = {row.hasher: row for row in _data().sensitivity}
    named = by_name.get(f"{hasher}@{implementation}")
    return named or by_name[LIKE.get(hasher, "throughput")]


def own_latency(ratios: Sequence[float]) -> float:
    """How much longer the probe bound by latency takes where the others take so much longer.

    All in logarithms, the others as ratios to it.
    """
    slopes = _data().latency["three" if len(ratios) > 1 else "two"]
    return product(slopes, [max(each, 0.0) for each in ratios])


def shipped_ratios(machine: Machine, probes: str) -> Shipped:
    """What is known of the quiet ratios of a CPU, by the model or by its kind."""
    if machine.openssl_ia32cap is not None:
        return Shipped()  # Instructions are hidden, and nobody recorded the CPU without them.
    model, is_quick = machine.cpu_id.rpartition(" ")[0], _SHA in machine.cpu_flags
    names = _names(probes)
    alike = [r for r in _data().quiet if (_SHA in r.flags, _names(r.probes)) == (is_quick, names)]
    for row in alike:
        if (row.cpu, row.flags, row.probes) == (model, machine.cpu_flags, probes):
            return Shipped(ratios=(math.log(row.throughput), math.log(row.memory)))
    lowest = min((row.throughput for row in alike), default=None)
    return Shipped(lowest=None if lowest is None else math.log(_LOWER * lowest))


def _names(probes: str) -> list[str]:
    """What ran the first two probes, without versions."""
    return [part.partition(" ")[0] for part in probes.split(" / ")][:2]
