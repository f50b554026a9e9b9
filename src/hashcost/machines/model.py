"""The value of a comparison. Times are in seconds, sizes in bytes."""

import datetime as dt
import enum

import msgspec

from hashcost.core.cpu_limit import CpuLimit
from hashcost.core.machine import HostIdentity, Machine, Notice, Probe, Tool
from hashcost.core.measurement import Interval, Params
from hashcost.core.profile import TOO_NOISY, FloorCheck, Verdict, policies_with, short_of

COMPARISON_SCHEMA_VERSION = 1


class Step(enum.Enum):
    """The fate of a cost in a decision."""

    NEW = "new"
    KEPT = "kept"
    RAISED = "raised"
    LOWERED = "lowered"
    TOO_HIGH = "too-high"
    """Kept though one hash takes longer than the target, or more memory than a machine allows: no
    cost is lowered by default."""


class MachineRow(msgspec.Struct, frozen=True, kw_only=True):
    """One hash at the cost for all, on one machine or on the representative of a group."""

    machine: str
    machines: tuple[str, ...]
    """The whole group; the machine's own name in a row of one machine."""
    implementation: str
    implementation_version: str
    time_seconds: float | None
    """The median; None if there is no cost for all."""
    interval_seconds: Interval | None
    wait_seconds: float | None = None
    """The median wait of a login, longer under a CPU quota."""


class CommonCost(msgspec.Struct, frozen=True, kw_only=True):
    """One cost for all machines, with its time where a login waits longest."""

    params: Params
    slowest: str
    slowest_machines: tuple[str, ...]
    """The group that the slowest represents."""
    time_seconds: float
    interval_seconds: Interval
    wait_seconds: float
    """The median wait of a login, longer under a CPU quota."""
    cpu_limit: CpuLimit | None
    huge_pages: bool
    """Whether malloc asked for huge pages there."""
    floors: tuple[FloorCheck, ...] = ()

    @property
    def is_certain(self) -> bool:
        """Whether one hash takes at most a quarter longer than ``time_seconds``.

        If strangers shared the core all the while, it may take less.
        """
        # A cost that takes less than expected does no harm.
        return self.interval_seconds[1] <= (1 + TOO_NOISY) * self.time_seconds

    @property
    def is_legacy(self) -> bool:
        """Whether a policy allows the hasher only in existing systems."""
        return any(floor.legacy for floor in self._asking)

    @property
    def unlisted(self) -> list[str]:
        """The policies that do not list the hasher."""
        return policies_with(self._asking, Verdict.NOT_NAMED)

    @property
    def missed(self) -> list[str]:
        """The policies that ask for more, or for another hasher."""
        return short_of(self._asking)

    @property
    def _asking(self) -> list[FloorCheck]:
        """The verdicts of policies that ask for something."""
        return [floor for floor in self.floors if not floor.informative]


class HasherComparison(msgspec.Struct, frozen=True, kw_only=True):
    """One hasher on the machines that it was measured on."""

    hasher: str
    implementation: str | None
    """`None` if the machines differ in it."""
    rows: tuple[MachineRow, ...]
    """A row for each machine, in the order of the files."""
    groups: tuple[MachineRow, ...]
    """A row for each group of machines with the same facts."""
    common: CommonCost | None
    undecided: str | None = None
    """Why there is no cost for all."""
    is_raised: bool = False
    """Whether it is what the policies ask for, and takes longer than the target."""
    missing: dict[str, str] = {}
    """Why a machine has no row."""
    step: Step | None = None
    """The fate of the cost in the decision that was asked for."""


class ComparedMachine(msgspec.Struct, frozen=True, kw_only=True):
    """Where one of the files was measured."""

    name: str
    source: str
    """The file."""
    created: dt.datetime
    machine: Machine
    probe: Probe
    tool: Tool
    warnings: tuple[Notice, ...] = ()
    """Faults of the machine during the measurement."""
    host: HostIdentity | None = None


class Comparison(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="comparison"):
    """Machines side by side, hasher by hasher, the one to use first."""

    schema: int
    tool: Tool
    target_seconds: float
    machines: tuple[ComparedMachine, ...]
    hashers: tuple[HasherComparison, ...]
    alone: dict[str, str] = {}
    """Hashers that only one machine has, with the machine."""

    def label_of(self, compared: HasherComparison) -> str:
        """The hasher, with its implementation where several of them are compared."""
        several = sum(other.hasher == compared.hasher for other in self.hashers) > 1
        if not several or compared.implementation is None:
            return compared.hasher
        return f"{compared.hasher}@{compared.implementation}"
