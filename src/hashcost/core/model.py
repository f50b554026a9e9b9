"""The frozen values that every part of the program speaks.

Times are in seconds, sizes in bytes. The types from `Profile` down are what
``--format json`` prints; the schema is described in the README.
"""

from __future__ import annotations

import datetime as dt
import enum
from typing import Annotated, TypeAlias

import msgspec

SCHEMA_VERSION = 1
"""Version of the profile's JSON.

1: the first.
"""

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


class Sample(msgspec.Struct, frozen=True, kw_only=True):
    """One timed hash: CPU time and wall time in seconds.

    Of the CPU time, ``system_seconds`` were spent in the kernel, for the most part
    on giving the hash ``page_faults`` fresh pages of memory.
    """

    params: Params
    cpu_seconds: float
    wall_seconds: float
    system_seconds: float = 0.0
    page_faults: int = 0


class CostModel(msgspec.Struct, frozen=True, kw_only=True):
    """What one hash takes: ``overhead_seconds + seconds_per_unit * work(parameter)``.

    ``work`` is the parameter itself, on a log2 scale two to its power. ``fixed`` are
    the params that the model holds at: the memory, for a hasher that takes much.
    """

    fixed: Params = {}
    parameter: str
    scale: Scale
    overhead_seconds: float
    seconds_per_unit: float

    def seconds(self, work: float) -> float:
        """Time of one hash of this much work, in seconds."""
        return self.overhead_seconds + self.seconds_per_unit * work


class Neighbour(msgspec.Struct, frozen=True, kw_only=True):
    """A legal step beside the recommended one; ``measured`` or predicted by the model."""

    params: Params
    time_seconds: float
    memory_bytes: int
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
    time_seconds: float | None = None
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
    guesses_per_second: float
    basis: Basis
    dollars_per_2_32_guesses: float | None
    """For the device's rent; none where no rent is known."""
    dollars_per_hour: float | None
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
    time_seconds: float
    """One hash at ``params`` on a quiet CPU."""
    interval_seconds: tuple[float, float] | None
    """Where a fresh run's ``time_seconds`` falls with this ``confidence``; none
    when there were too few samples to tell."""
    confidence: float
    wall_seconds: float | None
    """Median wall time of hashes timed at ``params``; none when none was timed."""
    cpu_seconds: float
    """CPU time that one hash burns, over all its threads."""
    threads: int
    memory_bytes: int
    knobs: tuple[Knob, ...]
    """The coarse one first."""
    model: CostModel
    neighbours: tuple[Neighbour, ...] = ()
    raised_from: Params | None = None
    """What fits the target, where a policy's floor is enforced that does not."""
    floors: tuple[FloorCheck, ...] = ()
    attacker: tuple[AttackerPrice, ...] = ()
    capacity: Level | None = None
    """What the whole machine gets done at ``params``; none where that was not asked for."""
    samples: tuple[Sample, ...] = ()
    warnings: tuple[Notice, ...] = ()

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
    measured: Recommendation | None = None
    """Where a target was out of reach: the lowest cost, so that another target can be solved."""

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
    cpu_count: int
    cpu_flags: tuple[str, ...]
    """Those that change the speed of a hash, such as ``sha_ni``."""
    cpu_limit: float | None
    """CPUs that the control group may use."""
    memory_bytes: int | None
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

    password_bytes: int
    salt_bytes: int


class Profile(msgspec.Struct, frozen=True, kw_only=True):
    """What one calibration measured on one machine."""

    schema: int
    tool: Tool
    created: dt.datetime
    machine: Machine
    probe: Probe
    target_seconds: float
    rounding: Rounding
    duration_seconds: float
    results: tuple[Result, ...]
    warnings: tuple[Notice, ...] = ()

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
    threads: int
    hashes: int
    duration_seconds: float
    logins_per_second: float
    """Of the whole machine."""
    p50_seconds: float
    p95_seconds: float | None
    """None where fewer than 20 hashes were timed."""
    p95_is_rough: bool
    """Whether fewer than 59 were: the true one may lie beyond the slowest of them."""
    memory_bytes: int
    """In flight: of one hash, times the threads."""
    cpu_seconds: float
    """Burnt by all threads meanwhile."""
    queued_seconds: float | None
    """How long the threads together waited for a CPU; none where the system does not tell."""
    latency_seconds: tuple[float, ...]
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
