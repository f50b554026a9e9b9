"""What was measured of one hasher: its samples, and the curves fitted to them.

A measurement is what a profile stores; recommendations, verdicts and comparisons are
computed from it. Times are in seconds, sizes in bytes; a value is never changed.
"""

import enum
import math
from typing import Annotated, Final, TypeAlias

import msgspec

ElapsedSeconds: TypeAlias = Annotated[float, msgspec.Meta(ge=0, le=1e9)]
"""A time that may be too short for its clock; none is longer than thirty years."""


HashSeconds: TypeAlias = Annotated[float, msgspec.Meta(ge=1e-12, le=1e9)]
"""A time that a hash really took; none takes a picosecond."""


UnitSeconds: TypeAlias = Annotated[float, msgspec.Meta(ge=1e-18, le=1e9)]
"""The time of one unit of work, of which a hash may take very many."""


Factor: TypeAlias = Annotated[float, msgspec.Meta(ge=0, le=1e12)]
"""A time as a multiple of another."""


Rate: TypeAlias = Annotated[float, msgspec.Meta(ge=1e-100, le=1e100)]


Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=2**62)]


MOST: Final = 256
"""Hashers, knobs, curves or steps in one file: more than there are, and few enough for what
compares each with every other."""


Params: TypeAlias = Annotated[
    dict[str, Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]], msgspec.Meta(max_length=16)
]
"""A cost in the algorithm's own terms: knob name to value. Never mutated."""


class Scale(enum.Enum):
    """How the time of one hash follows a knob."""

    LINEAR = "linear"
    """Time grows by the same amount with each unit."""
    LOG2 = "log2"
    """Time doubles with each step; a step is never interpolated."""
    LADDER = "ladder"
    """Memory grows with each step, and time as the machine's caches and pages have
    it: only steps that were measured themselves are recommended."""


class Knob(msgspec.Struct, frozen=True, kw_only=True):
    """A cost parameter that the solver may turn.

    ``minimum`` and ``maximum`` are the legal range of the algorithm, both included;
    ``steps`` the values that a ladder is climbed by, lowest first.
    """

    name: str
    scale: Scale
    minimum: Count
    maximum: Count
    steps: Annotated[tuple[Count, ...], msgspec.Meta(max_length=MOST)] = ()

    @property
    def is_ladder(self) -> bool:
        """Whether only steps that were timed themselves are known."""
        return self.scale is Scale.LADDER

    @property
    def doubles(self) -> bool:
        """Whether each step doubles the time."""
        return self.scale is Scale.LOG2


class Sample(msgspec.Struct, frozen=True, kw_only=True):
    """One timed hash: CPU time and wall time in seconds.

    Of the CPU time, ``system_seconds`` were spent in the kernel, for the most part
    on giving the hash ``page_faults`` fresh pages of memory.
    """

    params: Params
    cpu_seconds: ElapsedSeconds
    wall_seconds: ElapsedSeconds
    system_seconds: ElapsedSeconds = 0.0
    page_faults: Count = 0
    at_seconds: ElapsedSeconds = 0.0
    """When it began, since the run did."""
    shared: bool | None = None
    """Whether something else used the core's execution units; None if nothing tells."""


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """Two short probes, one after the other: how busy the core is with something else.

    ``latency_seconds`` took the one that waits for its own results and hardly notices,
    ``throughput_seconds`` the one that keeps the execution units busy.
    """

    at_seconds: ElapsedSeconds
    latency_seconds: HashSeconds
    throughput_seconds: HashSeconds

    @property
    def ratio(self) -> float:
        """Throughput-bound against latency-bound: higher on a shared core."""
        return self.throughput_seconds / self.latency_seconds


def work(scale: Scale, value: int) -> float:
    """Units of work at this value: the count itself, or two to its power."""
    return 2.0**value if scale is Scale.LOG2 else float(value)


class CostModel(msgspec.Struct, frozen=True, kw_only=True):
    """What one hash takes: ``overhead_seconds + seconds_per_unit * work(parameter)``.

    ``work`` is the parameter itself, on a log2 scale two to its power. ``fixed`` are
    the params that the model holds at: the memory, for a hasher that takes much.
    """

    fixed: Params = {}
    parameter: str
    scale: Scale
    overhead_seconds: ElapsedSeconds
    seconds_per_unit: UnitSeconds

    def seconds(self, work: float) -> float:
        """Time of one hash of this much work, in seconds."""
        return self.overhead_seconds + self.seconds_per_unit * work


class SeenBy(enum.Enum):
    """Who saw the core quiet, so that a time is about its quiet speed."""

    THIS_RUN = "this-run"
    EARLIER_RUNS = "earlier-runs"
    """Something slowed this run throughout; the time is what earlier runs here agree on."""
    NOBODY = "nobody"
    """Something slowed this run throughout, and no earlier run here is known."""


class SharedSpeed(msgspec.Struct, frozen=True, kw_only=True):
    """What it does to a hash that something else uses the core's execution units."""

    factor: Annotated[float, msgspec.Meta(ge=1, le=1e6)]
    """So many times as long as on a quiet core."""
    share: Annotated[float, msgspec.Meta(ge=0, le=1)]
    """The share of the run in which the core was shared."""


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
    relative_interval: RelativeInterval | None = None
    """Where the quiet time lies, as factors of the time; None with too few samples."""
    step_seconds: Annotated[dict[Count, HashSeconds], msgspec.Meta(max_length=MOST)] = {}
    """Times of values that were timed themselves; a step is never interpolated."""
    seen_by: SeenBy = SeenBy.THIS_RUN
    earlier_runs: Count = 0
    """So many earlier runs were pooled with this one, or stand in for it."""
    sampled: Count | None = None
    """Of a step of memory, the value that most hashes were timed at; None where a unit of
    work tells the time of every cost."""

    @property
    def told(self) -> tuple[Params, float]:
        """What runs are compared by: a setting and its time, or a unit of work and its."""
        if self.sampled is None:
            return self.model.fixed, self.model.seconds_per_unit
        return self.at(self.sampled), self.seconds(self.sampled)

    @property
    def lowest(self) -> int:
        """The lowest value of the parameter on this curve."""
        return self.params[self.model.parameter]

    def at(self, value: int) -> Params:
        """The params with this value."""
        return {**self.params, self.model.parameter: value}

    def seconds(self, value: int) -> float:
        """Time of one hash at this value."""
        measured = self.step_seconds.get(value)
        if measured is not None:
            return measured
        return self.model.seconds(work(self.model.scale, value))


class Beyond(msgspec.Struct, frozen=True, kw_only=True):
    """A step of memory that was not timed, and the time that it takes at least.

    Time grows no slower than memory does; by how much faster is not known.
    """

    params: Params
    memory_bytes: Count
    least_seconds: HashSeconds


class Fit(msgspec.Struct, frozen=True, kw_only=True):
    """Every curve that was measured, the smallest memory first."""

    curves: Annotated[tuple[Curve, ...], msgspec.Meta(min_length=1, max_length=MOST)]
    beyond: Annotated[tuple[Beyond, ...], msgspec.Meta(max_length=MOST)] = ()
    """Steps of memory next to a curve at which nothing was timed."""

    def above(self, curve: Curve) -> Beyond | None:
        """The step next to this curve, if nothing was timed there."""
        memory = curve.memory_bytes
        timed = [each.memory_bytes for each in self.curves if each.memory_bytes > memory]
        untimed = [each for each in self.beyond if each.memory_bytes > memory]
        nearest = min(untimed, key=lambda each: each.memory_bytes, default=None)
        if nearest is None or nearest.memory_bytes >= min(timed, default=math.inf):
            return None
        return nearest


class Implemented(msgspec.Struct, frozen=True, kw_only=True):
    """What is said of one hasher, as one implementation runs it."""

    hasher: str
    implementation: str

    @property
    def label(self) -> str:
        """``hasher@implementation``."""
        return f"{self.hasher}@{self.implementation}"


class Measurement(Implemented, frozen=True, kw_only=True):
    """One hasher on one machine.

    A hasher that climbs a ladder of memory has a curve for each step that was timed;
    between steps nothing is known. Any other has one curve, which holds at every cost.
    """

    implementation_version: str
    clock: str
    """The clock that times are on: CPU time, or wall time for a hash in several threads."""
    threads: Annotated[int, msgspec.Meta(ge=1, le=2**24)]
    knobs: Annotated[tuple[Knob, ...], msgspec.Meta(min_length=1, max_length=16)]
    """The coarse one first."""
    fitted: Fit
    samples: tuple[Sample, ...] = ()
    shared: SharedSpeed | None = None
    """None if the core was not seen shared."""
    kept: Params | None = None
    """The step of memory and the setting there that was answered, by this run or one before it.
    It stands until a clearly stronger one fits the target, so that noise changes no answer."""
    page_bytes: Annotated[int, msgspec.Meta(ge=1, le=2**40)] | None = None
    """The size of the pages that the samples count; None if the system does not tell."""

    @property
    def climbs(self) -> bool:
        """Whether it climbs a ladder of memory."""
        return self.knobs[0].is_ladder

    @property
    def lowest(self) -> Params:
        """The cheapest setting that is known."""
        return self.fitted.curves[0].params

    @property
    def lanes(self) -> int:
        """Lanes that every sample was taken with."""
        return self.lowest.get("parallelism", 1)

    def seconds(self, sample: Sample) -> float:
        """The time of a sample that counts."""
        return sample.cpu_seconds if self.threads == 1 else sample.wall_seconds
