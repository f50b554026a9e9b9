"""What a sweep found. Times are in seconds, sizes in bytes."""

import datetime as dt
import enum
from typing import Annotated, TypeAlias

import msgspec

from hashcost.core.machine import Machine, Notice, Probe, Tool
from hashcost.core.measurement import CostModel, Implemented, Knob, Params, Sample
from hashcost.core.profile import Failure

_Time: TypeAlias = Annotated[float, msgspec.Meta(gt=0)]
_Amount: TypeAlias = Annotated[float, msgspec.Meta(ge=0)]
_Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]

SWEEP_SCHEMA_VERSION = 1
"""Version of the sweep's JSON.

1: the first.
"""


class Status(enum.Enum):
    """What a row's figures are."""

    MEASURED = "measured"
    PREDICTED = "predicted"
    """By the fit, since timing it would have burst the budget; in memory, at least."""
    CLAMPED = "clamped"
    """The library hashes at another cost instead; nothing was timed."""
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
    time_seconds: _Time | None = None
    """One hash on a quiet CPU, on the hasher's clock."""
    low_seconds: _Time | None = None
    high_seconds: _Time | None = None
    """Between these it lies with this ``confidence``; none below six rounds."""
    confidence: float | None = None
    relative_error: float | None = None
    """From the time to the farther end, as a fraction."""
    user_seconds: _Amount | None = None
    system_seconds: _Amount | None = None
    cpu_seconds: _Amount | None = None
    wall_seconds: _Amount | None = None
    """The median."""
    hashes_per_second: float | None = None
    """Of one core, over its CPU time."""
    fitted_seconds: _Time | None = None
    residual: Annotated[float, msgspec.Meta(ge=-1)] | None = None
    """How far the time lies off the fit, as a fraction of the fit."""
    page_faults: _Count | None = None
    memory_bytes: _Count | None = None
    clamped_to: int | None = None
    note: str = ""


class ColdCall(msgspec.Struct, frozen=True, kw_only=True):
    """The very first hash of a run, before any warm-up, at the lowest cost."""

    params: Params
    load_seconds: float
    """Loading the library, wall time."""
    wall_seconds: float
    cpu_seconds: float
    page_faults: int
    warm_seconds: float
    """Wall time of the same hash once warm."""


class FloorMark(msgspec.Struct, frozen=True, kw_only=True):
    """The cost that a policy asks for at least, and its time where it is known."""

    policy: str
    cost: int
    time_seconds: float | None


class SweptHasher(Implemented, frozen=True, kw_only=True):
    """What is common to the rows of one hasher."""

    implementation_version: str
    clock: str
    threads: int
    knob: Knob
    fixed: dict[str, Annotated[int, msgspec.Meta(ge=1, le=2**63 - 1)]]
    """Its params beside the knob."""
    drift: _Amount
    """How far runs minutes apart are known to disagree, as a fraction."""
    model: CostModel | None
    """The fit; on a ladder its ``parameter`` is the memory in bytes."""
    cold: ColdCall | None
    default_cost: int | None
    default_taken_by: str
    target_cost: int | None
    """The highest cost within the target by the fit; none on a ladder."""
    floors: tuple[FloorMark, ...] = ()
    shape: tuple[Notice, ...] = ()
    """Where the curve is not the line, or the power of two, that it should be."""
    samples: tuple[Sample, ...] = ()


class Sweep(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="sweep"):
    """What one sweep measured on one machine."""

    schema: Annotated[int, msgspec.Meta(ge=1)]
    tool: Tool
    created: Annotated[dt.datetime, msgspec.Meta(tz=True)]
    machine: Machine
    probe: Probe
    target_seconds: _Time
    budget_seconds: float
    duration_seconds: _Amount
    rounds: int
    """In each round every cost was timed once, in a fresh order; a short one more often."""
    rows: tuple[SweepRow, ...]
    hashers: tuple[SweptHasher, ...]
    failures: tuple[Failure, ...] = ()
    warnings: tuple[Notice, ...] = ()

    def rows_of(self, swept: SweptHasher) -> tuple[SweepRow, ...]:
        """The rows of one hasher, by cost."""
        return tuple(row for row in self.rows if row.label == swept.label)
