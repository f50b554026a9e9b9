"""The measurement of one hasher: its samples, and the curves fitted to them.

A profile stores measurements; recommendations, verdicts and comparisons are computed from them.
Times are in seconds, sizes in bytes; all values are immutable.
"""

import enum
import math
from typing import Annotated, Final, TypeAlias

import msgspec

from hashcost.core.cpu_limit import CpuLimit

ElapsedSeconds: TypeAlias = Annotated[float, msgspec.Meta(ge=0, le=1e9)]
"""Seconds, which may be 0 if the clock is coarse; at most thirty years."""


HashSeconds: TypeAlias = Annotated[float, msgspec.Meta(ge=1e-12, le=1e9)]
"""Seconds of one hash, at least a picosecond."""


UnitSeconds: TypeAlias = Annotated[float, msgspec.Meta(ge=1e-18, le=1e9)]
"""Seconds of one unit of work; a hash may take billions of units."""


Factor: TypeAlias = Annotated[float, msgspec.Meta(ge=0, le=1e12)]
"""A time as a multiple of another."""


Rate: TypeAlias = Annotated[float, msgspec.Meta(ge=1e-100, le=1e100)]


Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=2**62)]
PositiveCount: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=2**62)]


MOST: Final = 256
"""Most hashers, knobs, curves or steps in one file, so that comparing all pairs stays fast."""


Params: TypeAlias = Annotated[
    dict[str, Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]], msgspec.Meta(max_length=16)
]
"""A cost in the algorithm's own terms: knob name to value. Never mutated."""
GLIBC_FRESH: Final = 32 << 20
"""Bytes from which on glibc maps a block afresh for each hash (DEFAULT_MMAP_THRESHOLD_MAX)."""


class Doubt(enum.Enum):
    """Why an interval is wider than the samples make it."""

    NONE = ""
    CHANGED = "changed"
    """The times are unlike those of earlier runs in the same context."""
    MIXED_PAGES = "mixed-pages"
    UNSEEN = "unseen"
    """Neither this run nor anything earlier tells how fast the quiet core is."""
    UNWATCHED = "unwatched"
    """There was no probe."""
    WAITED = "waited"
    """The threads of a hash had less CPU time than their share of its wall time."""

    @property
    def reason(self) -> str:
        """The doubt in words that hold during the run and of a profile of it."""
        return {
            Doubt.NONE: "",
            Doubt.CHANGED: "the machine, or the library, seems to have changed since earlier runs",
            Doubt.MIXED_PAGES: "some hashes of one setting got fresh memory in small pages and"
            " some in huge ones",
            Doubt.UNSEEN: "nothing tells how fast this core is when no stranger shares it",
            Doubt.UNWATCHED: "no probe tells how busy the core was",
            Doubt.WAITED: "its threads may have waited for other processes",
        }[self]

    @property
    def cure(self) -> str:
        """The advice on a time that is too uncertain; empty if a longer run is surer."""
        # More hashes do not tell which of the runs is right, but further runs do.
        if self is Doubt.CHANGED:
            return "measure again: three runs that agree are believed"
        # However many hashes wait, the wait is not told from the work.
        if self is Doubt.WAITED:
            return "measure when the machine is quiet"
        return ""


class Scale(enum.Enum):
    """How the time of one hash depends on a knob."""

    LINEAR = "linear"
    """Time grows by the same amount with each unit."""
    LOG2 = "log2"
    """Time doubles with each step; a step is never interpolated."""
    LADDER = "ladder"
    """Memory grows with each step, and time as a surface of memory and passes."""


class Knob(msgspec.Struct, frozen=True, kw_only=True):
    """A cost parameter that the solver may turn.

    ``minimum`` and ``maximum`` are the legal range of the algorithm, both included; ``steps`` are
    the values of a ladder, the lowest first.
    """

    name: str
    scale: Scale
    minimum: Count
    maximum: Count
    steps: Annotated[tuple[Count, ...], msgspec.Meta(max_length=MOST)] = ()

    def allows(self, value: int) -> bool:
        """Whether a value is in the legal range."""
        return self.minimum <= value <= self.maximum

    @property
    def is_ladder(self) -> bool:
        """Whether the knob sets the memory."""
        return self.scale is Scale.LADDER

    @property
    def doubles(self) -> bool:
        """Whether each step doubles the time."""
        return self.scale is Scale.LOG2


class Sample(msgspec.Struct, frozen=True, kw_only=True):
    """One timed hash: CPU time and wall time in seconds.

    Of the CPU time, ``system_seconds`` were spent in the kernel, for the most part
    on giving the hash ``page_faults`` fresh pages of memory. The wall time of a hash in
    several threads leaves out what a CPU quota takes.
    """

    params: Params
    cpu_seconds: ElapsedSeconds
    wall_seconds: ElapsedSeconds
    system_seconds: ElapsedSeconds = 0.0
    page_faults: Count = 0
    at_seconds: ElapsedSeconds = 0.0
    """Seconds from the beginning of the run to that of the hash."""
    slowdown: Annotated[float, msgspec.Meta(ge=1e-3, le=1e3)] = 1.0
    """The time as a multiple of the time on a quiet core, by the readings around it."""

    @property
    def key(self) -> tuple[int, ...]:
        """The values of the params, to group samples by setting."""
        return tuple(self.params.values())


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """The times of three short probes, which show how busy the core is with other work.

    They are bound by throughput, by latency and, if a library for it is installed, by memory.
    """

    at_seconds: ElapsedSeconds
    throughput_seconds: HashSeconds
    latency_seconds: HashSeconds
    memory_seconds: HashSeconds | None = None

    @property
    def seconds(self) -> tuple[float, ...]:
        """The two or three times."""
        both = (self.throughput_seconds, self.latency_seconds)
        if self.memory_seconds is None:
            return both
        return (*both, self.memory_seconds)

    def only(self, probes: int) -> "Reading":
        """The reading with only the first of its probes."""
        if probes > 2:
            return self
        return msgspec.structs.replace(self, memory_seconds=None)


def work(scale: Scale, value: int) -> float:
    """Units of work at this value: the count itself, or two to its power."""
    if scale is Scale.LOG2:
        return 2.0**value
    return float(value)


class CostModel(msgspec.Struct, frozen=True, kw_only=True):
    """The time of one hash: ``overhead_seconds + seconds_per_unit * work(parameter)``.

    ``work`` is the parameter itself, or two to its power on a log2 scale.
    """

    parameter: str
    scale: Scale
    overhead_seconds: Annotated[float, msgspec.Meta(ge=-1e9, le=1e9)]
    """Below zero where the first pass over memory takes less than each further one."""
    seconds_per_unit: UnitSeconds

    def seconds(self, work: float) -> float:
        """Time of one hash of this much work, in seconds."""
        return self.overhead_seconds + self.seconds_per_unit * work


Interval: TypeAlias = tuple[ElapsedSeconds, ElapsedSeconds]
RelativeInterval: TypeAlias = tuple[Factor, Factor]


class Curve(msgspec.Struct, frozen=True, kw_only=True):
    """The time of one hash as a function of the one parameter that is left to turn.

    ``params`` are the lowest on this curve; without a ``knob`` they are the only ones.
    """

    params: Params
    knob: Knob | None
    model: CostModel
    memory_bytes: Count = 0
    relative_interval: RelativeInterval = (1.0, 1.0)
    """The interval of the quiet time, as factors of the time."""

    @property
    def lowest(self) -> int:
        """The lowest value of the parameter on this curve."""
        return self.params[self.model.parameter]

    def at(self, value: int) -> Params:
        """The params with this value."""
        return {**self.params, self.model.parameter: value}

    def seconds(self, value: int) -> float:
        """Time of one hash at this value."""
        return self.model.seconds(work(self.model.scale, value))

    def slowed(self, factor: float) -> "Curve":
        """Multiply the times by ``factor``."""
        model = msgspec.structs.replace(
            self.model,
            overhead_seconds=self.model.overhead_seconds * factor,
            seconds_per_unit=self.model.seconds_per_unit * factor,
        )
        return msgspec.structs.replace(self, model=model)


Coefficient: TypeAlias = Annotated[float, msgspec.Meta(ge=-1e6, le=1e6)]


Miss: TypeAlias = tuple[Count, Coefficient, Annotated[float, msgspec.Meta(ge=0, le=1e9)]]
"""Bytes of memory, how much longer a hash took there in logarithms, and the weight of that."""

_COEFFICIENTS: Final = ("block", "growth", "filling", "fresh")
# Doublings of memory within which a miss counts, as the standard deviation of a Gaussian.
_NEAR: Final = 0.5
# Usual misfit of a surface, in logarithms, caused by caches and pages (`everything-1`; `surface`:
# less).
_USUAL_MISS: Final = 0.1


class Surface(msgspec.Struct, frozen=True, kw_only=True):
    """The time of a memory-hard hash: ``m*t*(block + growth*log2 m) + filling*m + fresh*f``.

    ``m`` is the memory in MiB, ``t`` the number of passes, and ``f`` the MiB that the system
    gives the hash afresh: all of them from ``fresh_from_bytes`` on.
    """

    block: Coefficient
    growth: Coefficient = 0.0
    filling: Coefficient = 0.0
    fresh: Coefficient = 0.0
    fresh_from_bytes: Count | None = None
    """`None` if every hash reuses its memory."""
    huge_pages: bool = False
    """Whether malloc asked for huge pages, so that a service must ask for them, too."""
    sampled_bytes: tuple[Count, Count]
    """The least and the most memory that was timed."""
    error: Annotated[tuple[Coefficient, ...], msgspec.Meta(min_length=16, max_length=16)]
    """The covariance of the four coefficients, row by row, as a share of the time squared."""
    misses: Annotated[tuple[Miss, ...], msgspec.Meta(max_length=4 * MOST)] = ()
    """Differences of timed hashes, by which the surface is corrected near their memory."""

    def terms(self, memory_bytes: int, passes: int) -> tuple[float, ...]:
        """The terms that the coefficients are multiplied by."""
        mebibytes = memory_bytes / 2**20
        worked = mebibytes * passes
        is_fresh = self.fresh_from_bytes is not None and memory_bytes >= self.fresh_from_bytes
        return worked, worked * math.log2(mebibytes), mebibytes, mebibytes * is_fresh

    @property
    def coefficients(self) -> tuple[float, ...]:
        """The coefficients in the order of the terms."""
        return self.block, self.growth, self.filling, self.fresh

    def seconds(self, memory_bytes: int, passes: int) -> float:
        """The time of one hash."""
        terms = self.terms(memory_bytes, passes)
        plain = math.fsum(c * x for c, x in zip(self.coefficients, terms, strict=True))
        return plain * self.correction(memory_bytes)

    def correction(self, memory_bytes: int) -> float:
        """The time of hashes near this memory, as a multiple of that by the coefficients."""
        # The mean miss, weighed by nearness. The usual misfit is the weight of no miss at all, so
        # that a single hash far away corrects little.
        near = self._near(memory_bytes)
        total = math.fsum(weight for weight, _ in near) + 1 / _USUAL_MISS**2
        return math.exp(math.fsum(weight * miss for weight, miss in near) / total)

    def corrected_error(self, memory_bytes: int) -> float:
        """The standard error of a time that hashes near this memory correct, in logarithms.

        It is that of a mean of the misses whose prior is the usual misfit.
        """
        weight = math.fsum(weight for weight, _ in self._near(memory_bytes))
        return 1 / math.sqrt(weight + 1 / _USUAL_MISS**2)

    def _near(self, memory_bytes: int) -> list[tuple[float, float]]:
        """The misses that count at this memory: the weight of each, and the miss."""
        near = []
        for memory, miss, weight in self.misses:
            doublings = math.log2(memory / memory_bytes)
            near.append((weight * math.exp(-((doublings / _NEAR) ** 2) / 2), miss))
        return near

    def slowed(self, factor: float) -> "Surface":
        """Multiply the times by ``factor``."""
        terms = {name: getattr(self, name) * factor for name in _COEFFICIENTS}
        # Errors are shares of the time squared.
        error = tuple(covariance * factor**2 for covariance in self.error)
        return msgspec.structs.replace(self, **terms, error=error)

    def fresh_seconds(self, memory_bytes: int) -> float:
        """The part of the time that fresh memory takes."""
        return self.fresh * self.terms(memory_bytes, 0)[3]


class Fit(msgspec.Struct, frozen=True, kw_only=True):
    """The curves of a hasher: one, or one for each step of memory, the smallest first."""

    curves: Annotated[tuple[Curve, ...], msgspec.Meta(min_length=1, max_length=MOST)]
    surface: Surface | None = None
    """The surface that the curves of a memory-hard hasher come from; `None` for any other."""

    def slowed(self, factor: float) -> "Fit":
        """Multiply all times by ``factor``."""
        curves = tuple(curve.slowed(factor) for curve in self.curves)
        return Fit(curves=curves, surface=self.surface and self.surface.slowed(factor))


class Implemented(msgspec.Struct, frozen=True, kw_only=True):
    """A value about one hasher, as one implementation runs it."""

    hasher: str
    implementation: str

    @property
    def label(self) -> str:
        """``hasher@implementation``."""
        return f"{self.hasher}@{self.implementation}"

    def is_called(self, name: str) -> bool:
        """Whether a user may call it by this name: its hasher, or hasher@implementation."""
        return name in (self.hasher, self.label)


class TimedHasher(Implemented, frozen=True, kw_only=True):
    """A hasher with what all its times depend on."""

    implementation_version: str
    clock: str
    """The clock that times are on: CPU time, or wall time for a hash in several threads."""
    threads: Annotated[int, msgspec.Meta(ge=1, le=2**24)]
    knobs: Annotated[tuple[Knob, ...], msgspec.Meta(min_length=1, max_length=16)]
    """The knobs, that of the memory first."""
    cpu_limit: CpuLimit | None = None
    """The CPU quota that stops a hash, which its time leaves out; None if none does."""

    def waits(self, seconds: float) -> float:
        """The median wait of a login for a hash that takes ``seconds``."""
        if self.cpu_limit is None:
            return seconds
        return self.cpu_limit.waits(seconds)


class Measurement(TimedHasher, frozen=True, kw_only=True):
    """One hasher on one machine.

    The curves are fitted to the quiet times of the samples, and to those of earlier runs in the
    same context. Their intervals include every doubt.
    """

    fitted: Fit
    samples: tuple[Sample, ...] = ()
    shared_factor: Factor | None = None
    """The median slowdown of this run's samples; `None` without probes."""
    earlier_runs: Count = 0
    """The number of earlier runs that were pooled with this one."""
    doubt: Doubt = Doubt.NONE
    page_bytes: PositiveCount | None = None
    """The size of the memory pages that the samples count; `None` if it is unknown."""

    def fitting(self, target_seconds: float) -> float:
        """How long a hash may take so that a login waits no longer than the target."""
        if self.cpu_limit is None:
            return target_seconds
        error = min(curve.relative_interval[1] for curve in self.fitted.curves) - 1
        return self.cpu_limit.fitting(target_seconds, error)

    @property
    def is_memory_hard(self) -> bool:
        """Whether the hasher is memory-hard, with a ladder of memory."""
        return self.knobs[0].is_ladder

    @property
    def lowest(self) -> Params:
        """The cheapest setting that the curves cover."""
        return self.fitted.curves[0].params

    @property
    def lanes(self) -> int:
        """Lanes that every sample was taken with."""
        return self.lowest.get("parallelism", 1)

    def seconds(self, sample: Sample) -> float:
        """The time of a sample that counts: CPU time, or wall time for several threads."""
        # The CPU time of several threads adds up, which nobody waits for.
        if self.threads > 1:
            return sample.wall_seconds
        return sample.cpu_seconds


class Point(msgspec.Struct, frozen=True, array_like=True):
    """The quiet time of a setting in one run, and the number of its samples."""

    params: Annotated[tuple[Count, ...], msgspec.Meta(max_length=16)]
    seconds: HashSeconds
    fresh_bytes: Count
    samples: PositiveCount


class Timed(msgspec.Struct, frozen=True, kw_only=True):
    """The times of one hasher in one run, kept for later runs in the same context."""

    points: Annotated[tuple[Point, ...], msgspec.Meta(min_length=1, max_length=256)]
    error: Annotated[float, msgspec.Meta(ge=1e-4, le=100)]
    """The standard error that all the times share, in logarithms."""
