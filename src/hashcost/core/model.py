"""The frozen values that every part of the program speaks.

Times are in seconds, sizes in bytes. The types from `Profile` down are what
``--format json`` prints; the schema is described in the README.
"""

from __future__ import annotations

import datetime as dt
import enum
import math
from typing import Annotated, TypeAlias

import msgspec

SCHEMA_VERSION = 2
"""Version of the profile's JSON.

1: the first; rows held the samples. 2: measurements hold samples and curves.
"""

Seconds: TypeAlias = Annotated[float, msgspec.Meta(ge=0, le=1e9)]
"""A time that may be too short for its clock; none is longer than thirty years."""
TimeOfHash: TypeAlias = Annotated[float, msgspec.Meta(gt=0, le=1e9)]
"""A time that a hash really took."""
Rate: TypeAlias = Annotated[float, msgspec.Meta(gt=0, le=1e300)]
Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=2**62)]

Params: TypeAlias = dict[str, int]
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


class Rounding(enum.Enum):
    """Which legal cost stands for a target that lies between two."""

    DOWN = "down"
    UP = "up"
    NEAREST = "nearest"


class Knob(msgspec.Struct, frozen=True, kw_only=True):
    """A cost parameter that the solver may turn.

    ``minimum`` and ``maximum`` are the legal range of the algorithm, both included;
    ``steps`` the values that a ladder is climbed by, lowest first.
    """

    name: str
    scale: Scale
    minimum: int
    maximum: int
    steps: tuple[int, ...] = ()

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
    cpu_seconds: Seconds
    wall_seconds: Seconds
    system_seconds: Seconds = 0.0
    page_faults: Count = 0


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
    overhead_seconds: Seconds
    seconds_per_unit: TimeOfHash

    def seconds(self, work: float) -> float:
        """Time of one hash of this much work, in seconds."""
        return self.overhead_seconds + self.seconds_per_unit * work


TELLING_WIDTH = 0.15
"""A run whose own samples leave more open than this says little about the machine."""

Interval: TypeAlias = tuple[Seconds, Seconds]


class Curve(msgspec.Struct, frozen=True, kw_only=True):
    """The time of one hash as a function of the one parameter that is left to turn.

    ``params`` are the lowest on this curve; without a ``knob`` they are the only ones.
    """

    params: Params
    knob: Knob | None
    model: CostModel
    memory_bytes: Count = 0
    relative_interval: Interval | None = None
    """Where a fresh run's time falls, as factors of the time; None with too few samples."""
    step_seconds: dict[int, TimeOfHash] = {}
    """Times of values that were timed themselves; a step is never interpolated."""

    @property
    def is_telling(self) -> bool:
        """Whether its samples leave little open."""
        interval = self.relative_interval
        return interval is not None and interval[1] - interval[0] <= TELLING_WIDTH

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
    least_seconds: TimeOfHash


class Fit(msgspec.Struct, frozen=True, kw_only=True):
    """Every curve that was measured, the smallest memory first."""

    curves: Annotated[tuple[Curve, ...], msgspec.Meta(min_length=1)]
    beyond: tuple[Beyond, ...] = ()
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


class Measurement(msgspec.Struct, frozen=True, kw_only=True):
    """One hasher on one machine.

    A hasher that climbs a ladder of memory has a curve for each step that was timed;
    between steps nothing is known. Any other has one curve, which holds at every cost.
    """

    hasher: str
    implementation: str
    implementation_version: str
    clock: str
    """The clock that times are on: CPU time, or wall time for a hash in several threads."""
    threads: Annotated[int, msgspec.Meta(ge=1, le=2**24)]
    knobs: Annotated[tuple[Knob, ...], msgspec.Meta(min_length=1)]
    """The coarse one first."""
    fitted: Fit
    samples: tuple[Sample, ...] = ()
    page_bytes: Annotated[int, msgspec.Meta(ge=1, le=2**40)] | None = None
    """The size of the pages that the samples count; None if the system does not tell."""

    @property
    def label(self) -> str:
        """``hasher@implementation``."""
        return f"{self.hasher}@{self.implementation}"

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


class Neighbour(msgspec.Struct, frozen=True, kw_only=True):
    """A legal step beside the recommended one; ``measured`` or predicted by the model."""

    params: Params
    time_seconds: TimeOfHash
    memory_bytes: Count
    measured: bool


class Notice(msgspec.Struct, frozen=True, kw_only=True):
    """Something that the reader of a result should know.

    ``code`` is stable, ``message`` gives the figure and the cause, ``advice``
    the cure, where there is one.
    """

    code: str
    message: str
    advice: str = ""


class Verdict(enum.Enum):
    """How a cost stands to what a policy asks of its hasher."""

    MET = "met"
    EQUAL_WORK = "equal-work"
    """No listed setting is met knob by knob, but a guess takes as much work as at one."""
    SHORT = "short"
    NOT_APPROVED = "not-approved"
    """The policy allows certain hashers alone, and this is none of them."""
    NOT_NAMED = "not-named"
    """The policy says nothing of this hasher."""


class FloorCheck(msgspec.Struct, frozen=True, kw_only=True):
    """A cost beside one policy's floor, and what that floor takes on this machine."""

    policy: str
    verdict: Verdict
    met: bool | None
    """None where the policy does not name the hasher."""
    params: Params | None = None
    """The listed setting that was compared with, of several the nearest in memory."""
    time_seconds: TimeOfHash | None = None
    """The shortest time that was timed to meet it; none where its memory was not timed."""
    time_params: Params | None = None
    """The setting that takes this time, which another memory than the listed may have."""
    legacy: bool = False
    """Whether the policy allows this hasher for what is there already, and no more."""
    informative: bool = False
    """Whether the policy only tells what is usual: nothing falls short of it."""


class Basis(enum.Enum):
    """What a speed of guessing rests on."""

    MEASURED = "measured"
    """Published for exactly this cost."""
    SCALED = "scaled"
    """From a published speed at another cost, by the work that one guess takes.

    In less memory than was benchmarked, a device may be faster than that."""
    UPPER_BOUND = "upper-bound"
    """Scaled to where the device may well be slower than that, never faster."""


class AttackerPrice(msgspec.Struct, frozen=True, kw_only=True):
    """What guessing costs whoever has stolen the hashes, on one device."""

    device: str
    guesses_per_second: Rate
    basis: Basis
    dollars_per_2_32_guesses: Rate | None
    """For the device's rent; none where no rent is known."""
    dollars_per_hour: Rate | None
    benchmark_params: Params
    tool: str
    date: dt.date
    source: str


class Recommendation(
    msgspec.Struct, frozen=True, kw_only=True, tag_field="status", tag="measured"
):
    """The cost that one hasher should use, and how well that is known."""

    hasher: str
    implementation: str
    implementation_version: str
    params: Params
    clock: str
    """The clock that ``time_seconds`` is of: CPU time, or wall time for a hash that
    runs in several threads."""
    time_seconds: TimeOfHash
    """One hash at ``params`` on a quiet CPU."""
    interval_seconds: Interval | None
    """Where a fresh run's ``time_seconds`` falls with this ``confidence``; none
    when there were too few samples to tell."""
    confidence: Annotated[float, msgspec.Meta(gt=0, lt=1)]
    wall_seconds: Seconds | None
    """Median wall time of hashes timed at ``params``; none when none was timed."""
    cpu_seconds: TimeOfHash
    """CPU time that one hash burns, over all its threads."""
    threads: Annotated[int, msgspec.Meta(ge=1, le=2**24)]
    memory_bytes: Count
    knobs: Annotated[tuple[Knob, ...], msgspec.Meta(min_length=1)]
    """The coarse one first."""
    model: CostModel
    neighbours: tuple[Neighbour, ...] = ()
    raised_from: Params | None = None
    """What fits the target, where a policy's floor is enforced that does not."""
    floors: tuple[FloorCheck, ...] = ()
    attacker: tuple[AttackerPrice, ...] = ()
    capacity: Level | None = None
    """What the whole machine gets done at ``params``; none where that was not asked for."""
    warnings: tuple[Notice, ...] = ()

    @property
    def climbs(self) -> bool:
        """Whether the hasher climbs a ladder of memory."""
        return self.knobs[0].is_ladder

    @property
    def label(self) -> str:
        """``hasher@implementation``."""
        return f"{self.hasher}@{self.implementation}"

    @property
    def confirmed(self) -> bool:
        """Whether hashes at exactly ``params`` were timed."""
        return self.wall_seconds is not None

    @property
    def error_fraction(self) -> float | None:
        """How far the interval reaches from the time to its farther end, as a fraction."""
        if self.interval_seconds is None:
            return None
        low, high = self.interval_seconds
        return max(self.time_seconds - low, high - self.time_seconds) / self.time_seconds


class Failure(msgspec.Struct, frozen=True, kw_only=True, tag_field="status", tag="failed"):
    """Why one hasher has no recommendation."""

    hasher: str
    implementation: str
    code: str
    error: str

    @property
    def label(self) -> str:
        """``hasher@implementation``."""
        return f"{self.hasher}@{self.implementation}"


Result: TypeAlias = Recommendation | Failure


class Tool(msgspec.Struct, frozen=True, kw_only=True):
    """The program that wrote a profile."""

    name: str
    version: str


class Machine(msgspec.Struct, frozen=True, kw_only=True):
    """Where a profile was measured; an unknown fact is none."""

    cpu_model: str | None
    cpu_count: Annotated[int, msgspec.Meta(ge=1, le=2**24)]
    cpu_flags: tuple[str, ...]
    """Those that change the speed of a hash, such as ``sha_ni``."""
    cpu_limit: Rate | None
    """CPUs that the control group may use."""
    memory_bytes: Count | None
    os: str
    kernel: str
    architecture: str
    virtualization: str | None
    python: str
    openssl: str
    page_bytes: Annotated[int, msgspec.Meta(ge=1, le=1 << 30)] | None = None
    """What one page fault gives; a profile of an earlier release does not say it."""


class Probe(msgspec.Struct, frozen=True, kw_only=True):
    """What was hashed; sha*crypt takes longer for longer passwords."""

    password_bytes: Count
    salt_bytes: Count


class Profile(msgspec.Struct, frozen=True, kw_only=True):
    """What one calibration measured on one machine, and what that answers for a target."""

    schema: int
    tool: Tool
    created: Annotated[dt.datetime, msgspec.Meta(tz=True)]
    machine: Machine
    probe: Probe
    target_seconds: TimeOfHash
    rounding: Rounding
    duration_seconds: Seconds
    measurements: tuple[Measurement, ...] = ()
    results: Annotated[tuple[Result, ...], msgspec.Meta(min_length=1)]
    """The answers for the target: a row for each hasher that was asked for."""
    warnings: tuple[Notice, ...] = ()

    def measurement_of(self, row: Result) -> Measurement | None:
        """What a row was computed from; None if nothing was measured."""
        known = [each for each in self.measurements if each.label == row.label]
        if isinstance(row, Failure) or len(known) < 2:
            return next(iter(known), None)
        lanes = row.params.get("parallelism", 1)
        return next((each for each in known if each.lanes == lanes), None)

    def only(self, *rows: Result) -> Profile:
        """The profile with only these rows, and what they were computed from."""
        known = [self.measurement_of(row) for row in rows]
        kept = tuple(each for each in self.measurements if any(each is one for one in known))
        return msgspec.structs.replace(self, measurements=kept, results=rows)

    @property
    def recommendations(self) -> tuple[Recommendation, ...]:
        """The results that have a cost."""
        return tuple(row for row in self.results if isinstance(row, Recommendation))

    @property
    def failures(self) -> tuple[Failure, ...]:
        """The results that have none."""
        return tuple(row for row in self.results if isinstance(row, Failure))


CAPACITY_SCHEMA_VERSION = 1
"""Version of the capacity's JSON.

1: the first.
"""


class Level(msgspec.Struct, frozen=True, kw_only=True):
    """What so many threads get done that hash all the time, at one cost.

    ``hashes`` stand behind the figures. Of a hash that a thread began or ended while
    not all were at work, ``logins_per_second`` counts the part that lies between.
    """

    params: Params
    threads: Annotated[int, msgspec.Meta(ge=1, le=2**24)]
    hashes: Annotated[int, msgspec.Meta(ge=1, le=2**62)]
    duration_seconds: TimeOfHash
    logins_per_second: Rate
    """Of the whole machine."""
    p50_seconds: TimeOfHash
    p95_seconds: TimeOfHash | None
    """None where fewer than 20 hashes were timed."""
    p95_is_rough: bool
    """Whether fewer than 59 were: the true one may lie beyond the slowest of them."""
    memory_bytes: Count
    """In flight: of one hash, times the threads."""
    cpu_seconds: Seconds
    """Burnt by all threads meanwhile."""
    queued_seconds: Seconds | None
    """How long the threads together waited for a CPU; none where the system does not tell."""
    latency_seconds: tuple[TimeOfHash, ...]
    """Every hash, on the clock on the wall, in the order in which they ended."""


class Prediction(msgspec.Struct, frozen=True, kw_only=True):
    """How logins would fare that arrive at random, queueing included; simulated.

    ``load`` is the share of what the ``workers`` can do at most.
    """

    load: float
    workers: int
    arrivals_per_second: float
    p50_seconds: float
    p95_seconds: float
    utilisation: float


class Demand(msgspec.Struct, frozen=True, kw_only=True):
    """What the logins ask for: so many a second, 95 of 100 done within this time."""

    logins_per_second: float
    p95_seconds: float


class LoadRun(msgspec.Struct, frozen=True, kw_only=True):
    """Logins that came at random, at moments set beforehand, and were hashed for real.

    A response lasts from the moment a login was due to the end of its hash, however
    late a worker took it up.
    """

    params: Params
    workers: int
    arrivals: int
    served: int
    """Fewer than ``arrivals`` where the run was given up, hopelessly late."""
    duration_seconds: float
    logins_per_second: float
    """Done, from the first moment to the last hash's end."""
    p50_seconds: float
    p95_seconds: float
    p95_is_rough: bool
    max_seconds: float
    utilisation: float
    """Share of the time that the workers were hashing."""
    held: bool
    """Whether the demand was met."""
    response_seconds: tuple[float, ...]


class Capacity(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="capacity"):
    """How many logins a second one machine can take with one hasher.

    Without a demand: at ``params``, by the levels. With one: ``params`` is the highest
    cost that a run has held, and none when there is no such cost.
    """

    schema: int
    tool: Tool
    created: dt.datetime
    machine: Machine
    probe: Probe
    hasher: str
    implementation: str
    implementation_version: str
    params: Params | None
    cpus: int
    """That this process may use: its affinity, and its control group's limit rounded up."""
    duration_seconds: float
    levels: tuple[Level, ...]
    prediction: Prediction | None = None
    demand: Demand | None = None
    runs: tuple[LoadRun, ...] = ()
    """In the order they were made; the last one decided."""
    error: str | None = None
    """Why the demand was not met."""
    code: str | None = None
    """The error's class, as in a profile's failures."""
    warnings: tuple[Notice, ...] = ()

    @property
    def label(self) -> str:
        """``hasher@implementation``."""
        return f"{self.hasher}@{self.implementation}"
