"""The value of a comparison. Times are in seconds, sizes in bytes."""

import datetime as dt
import enum

import msgspec

from hashcost.core.machine import HostIdentity, Machine, Notice, Probe, Tool
from hashcost.core.measurement import Params
from hashcost.core.profile import Verdict
from hashcost.recommend.recommendation import TOO_NOISY

NOT_MEASURED = "not measured"
COMPARISON_SCHEMA_VERSION = 1


class Standing(enum.Enum):
    """How the speed of one machine stands to the baseline's."""

    BASELINE = "baseline"
    FASTER = "faster"
    SLOWER = "slower"
    NO_DIFFERENCE = "no-difference"
    """The interval of the ratio encloses 1."""
    NOT_COMPARABLE = "not-comparable"
    """Nothing was timed at the same setting on both."""


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """A fact that bears on the speed of a hasher and that two machines differ in."""

    what: str
    """``version``, ``cpu_model``, ..."""
    baseline: str | None
    here: str | None


class RelativeSpeed(msgspec.Struct, frozen=True, kw_only=True):
    """Hashes in the same time, as a multiple of the baseline's, at the same params."""

    params: Params
    ratio: float
    low: float
    high: float
    """The ratio of the quiet speeds lies between these 19 times of 20."""

    @property
    def error_fraction(self) -> float:
        """How far the interval reaches from the ratio to its farther end, as a fraction of it."""
        return max(self.ratio - self.low, self.high - self.ratio) / self.ratio


class MachineRow(msgspec.Struct, frozen=True, kw_only=True):
    """One hasher on one machine, which may stand for several with the same facts."""

    machine: str
    machines: tuple[str, ...]
    implementation: str
    implementation_version: str
    params: Params | None
    """Recommended for the target on this machine; none where it is too slow."""
    time_seconds: float | None
    interval_seconds: tuple[float, float] | None
    for_all_seconds: float | None
    """One hash at the cost for all."""
    for_all_interval: tuple[float, float] | None = None
    standing: Standing
    speed: RelativeSpeed | None
    differs_in: tuple[Difference, ...] = ()
    """From the baseline, where the speed does."""
    error: str | None = None

    @property
    def error_fraction(self) -> float | None:
        """How far the interval reaches from the time to its farther end, as a fraction."""
        if self.interval_seconds is None or self.time_seconds is None:
            return None
        low, high = self.interval_seconds
        return max(self.time_seconds - low, high - self.time_seconds) / self.time_seconds


class CommonFloor(msgspec.Struct, frozen=True, kw_only=True):
    """How the cost for all stands to one policy.

    Where it falls short, ``target_seconds`` is the smallest target by which one cost is sure to
    meet the minimum on every machine, and ``unable`` are the machines that force the cost below
    it.
    """

    policy: str
    verdict: Verdict
    params: Params | None
    informative: bool
    target_seconds: float | None = None
    unable: tuple[str, ...] = ()


class CommonCost(msgspec.Struct, frozen=True, kw_only=True):
    """The highest cost whose time is within the target on every machine, or group of them."""

    params: Params
    slowest: str
    time_seconds: float
    """One hash on the slowest machine, or on the group that it stands for."""
    interval_seconds: tuple[float, float]
    slowest_machines: tuple[str, ...] = ()
    """The whole group."""
    floors: tuple[CommonFloor, ...] = ()

    @property
    def keeps_the_target(self) -> bool:
        """Whether one hash takes at most a quarter longer than ``time_seconds``.

        If strangers shared the core all the while, it may take less.
        """
        return self.interval_seconds[1] <= (1 + TOO_NOISY) * self.time_seconds


class Hold(enum.Enum):
    """Whether a cost that was decided on still stands."""

    HOLDS = "holds"
    TOO_LOW = "too-low"
    """A stronger one fits the target, even at the slow end of the interval."""
    TOO_HIGH = "too-high"
    """It takes longer than the target, even at the quick end."""
    UNKNOWN = "unknown"
    """Too little was timed to tell."""


class HasherComparison(msgspec.Struct, frozen=True, kw_only=True):
    """One hasher on the machines that it was measured on, the fastest first."""

    hasher: str
    implementation: str | None
    """None where the machines differ in it."""
    baseline: str
    rows: tuple[MachineRow, ...]
    common: CommonCost | None
    no_common: str | None = None
    """Why there is no cost for all."""
    missing: dict[str, str] = {}
    """Why a machine has no row."""
    groups: tuple[MachineRow, ...] = ()
    """The same by groups of machines, the fastest first."""
    hold: Hold | None = None
    """Whether the cost that an earlier decision holds still stands."""


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

    @property
    def host_name(self) -> str:
        """The name of the host or, without one, of its file."""
        return (self.host and self.host.name) or self.name


class Comparison(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="comparison"):
    """Machines side by side."""

    schema: int
    tool: Tool
    target_seconds: float
    baseline: str
    """A hasher that it lacks has another one."""
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
