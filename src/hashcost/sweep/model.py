"""What a sweep found. Times are in seconds, sizes in bytes."""

import datetime as dt
import enum
from typing import Annotated, Final, TypeAlias

import msgspec

from hashcost.core.machine import HostIdentity, Machine, Notices, Probe, Tool
from hashcost.core.measurement import (
    MOST,
    CostModel,
    ElapsedSeconds,
    Factor,
    HashSeconds,
    Implemented,
    Knob,
    Params,
    Rate,
    Sample,
)
from hashcost.core.profile import Failure

_Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
_MOST_ROWS: Final = 20_000

SWEEP_SCHEMA_VERSION = 1
"""Version of the sweep's JSON.

1: the first.
"""


class Status(enum.Enum):
    """What a row's figures are."""

    MEASURED = "measured"
    PREDICTED = "predicted"
    """By the fit, since timing it would have burst the budget; in memory, at least."""
    REFUSED = "refused"
    """The library refuses this cost; nothing was timed."""
    UNTIMED = "untimed"
    """Nothing was timed, and nothing can be predicted; the note says why."""


class SweepRow(Implemented, frozen=True, kw_only=True):
    """One cost of one hasher: flat, so that any table takes it."""

    implementation_version: str
    parameter: str
    cost: _Count
    """The value of ``parameter``."""
    params: str
    """Every param, as ``n=16384 r=8 p=1``."""
    status: Status
    default: bool = False
    """Whether this is the cost that the library takes when none is given."""
    samples: _Count = 0
    time_seconds: HashSeconds | None = None
    """One hash on a quiet CPU, on the hasher's clock."""
    low_seconds: HashSeconds | None = None
    high_seconds: HashSeconds | None = None
    """Between these it lies with this ``confidence``; none below six rounds."""
    confidence: Annotated[float, msgspec.Meta(gt=0, lt=1)] | None = None
    relative_error: Factor | None = None
    """From the time to the farther end, as a fraction."""
    user_seconds: ElapsedSeconds | None = None
    system_seconds: ElapsedSeconds | None = None
    cpu_seconds: ElapsedSeconds | None = None
    wall_seconds: ElapsedSeconds | None = None
    """The median."""
    hashes_per_second: Rate | None = None
    """Of one core, over its CPU time."""
    fitted_seconds: HashSeconds | None = None
    residual: Annotated[float, msgspec.Meta(ge=-1, le=1e12)] | None = None
    """How far the time lies off the fit, as a fraction of the fit."""
    page_faults: _Count | None = None
    memory_bytes: _Count | None = None
    note: str = ""


class ColdCall(msgspec.Struct, frozen=True, kw_only=True):
    """The very first hash of a run, before any warm-up, at the lowest cost."""

    params: Params
    load_seconds: ElapsedSeconds
    """Loading the library, wall time."""
    wall_seconds: ElapsedSeconds
    cpu_seconds: ElapsedSeconds
    page_faults: _Count
    warm_seconds: ElapsedSeconds
    """Wall time of the same hash once warm."""


class FloorMark(msgspec.Struct, frozen=True, kw_only=True):
    """The cost that a policy asks for at least, and its time where it is known."""

    policy: str
    cost: _Count
    time_seconds: ElapsedSeconds | None


class SweptHasher(Implemented, frozen=True, kw_only=True):
    """What is common to the rows of one hasher."""

    implementation_version: str
    clock: str
    threads: Annotated[int, msgspec.Meta(ge=1, le=2**24)]
    knob: Knob
    fixed: Annotated[
        dict[str, Annotated[int, msgspec.Meta(ge=1, le=2**62)]], msgspec.Meta(max_length=16)
    ]
    """Its params beside the knob."""
    drift: Annotated[float, msgspec.Meta(ge=0, le=1)]
    """How far runs minutes apart are known to disagree, as a fraction."""
    model: CostModel | None
    """The fit; on a ladder its ``parameter`` is the memory in bytes."""
    cold: ColdCall | None
    default_cost: _Count | None
    default_taken_by: str
    target_cost: _Count | None
    """The highest cost within the target by the fit; none on a ladder."""
    floors: Annotated[tuple[FloorMark, ...], msgspec.Meta(max_length=MOST)] = ()
    shape: Notices = ()
    """Where the curve is not the line, or the power of two, that it should be."""
    samples: tuple[Sample, ...] = ()


class Sweep(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="sweep"):
    """What one sweep measured on one machine."""

    schema: Annotated[int, msgspec.Meta(ge=1, le=2**31)]
    tool: Tool
    created: Annotated[dt.datetime, msgspec.Meta(tz=True)]
    machine: Machine
    probe: Probe
    target_seconds: HashSeconds
    budget_seconds: ElapsedSeconds
    duration_seconds: ElapsedSeconds
    rounds: _Count
    """In each round every cost was timed once, in a fresh order; a short one more often."""
    rows: Annotated[tuple[SweepRow, ...], msgspec.Meta(max_length=_MOST_ROWS)]
    hashers: Annotated[tuple[SweptHasher, ...], msgspec.Meta(max_length=MOST)]
    failures: Annotated[tuple[Failure, ...], msgspec.Meta(max_length=MOST)] = ()
    warnings: Notices = ()
    host: HostIdentity | None = None
    """Which host; None unless saved by ``--save``."""

    def rows_of(self, swept: SweptHasher) -> tuple[SweepRow, ...]:
        """The rows of one hasher, by cost."""
        return tuple(row for row in self.rows if row.label == swept.label)
