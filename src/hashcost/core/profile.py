"""The measurements of one machine, and the answers to a target that follow from them.

Times are in seconds, sizes in bytes. `Profile` is what ``--format json`` prints.
"""

from __future__ import annotations

import datetime as dt
import enum
from collections.abc import Iterable
from typing import Annotated, Final, TypeAlias

import msgspec

from hashcost.core.algorithms import strength_of
from hashcost.core.machine import HostIdentity, Machine, Notice, Notices, Probe, Tool, has_notice
from hashcost.core.measurement import (
    MOST,
    CostModel,
    Count,
    Doubt,
    ElapsedSeconds,
    HashSeconds,
    Implemented,
    Interval,
    Measurement,
    Params,
    Rate,
    TimedHasher,
)
from hashcost.core.units import check_moment, format_list

TOO_NOISY: Final = 0.25
"""Widest interval to either side, as a fraction of the time, with which a cost is conclusive."""
OTHER_CONTEXT: Final = "other-context"
"""Code of the notice that a saved profile does not hold for the process that reads it."""
EMULATED: Final = "emulated"
"""Code of the notice that an emulator ran the hashes."""
SLOW_CLOCK: Final = "slow-clock"
"""Code of the notice that the system holds the CPU's clock down."""
LASTING: Final = frozenset({OTHER_CONTEXT, EMULATED, SLOW_CLOCK})
"""Codes of notices that matter to everyone who reads a saved profile."""
MEMORY_BOUND: Final = "memory-bound"
"""Code of the notice that more memory than was measured might be stronger."""
SCHEMA_VERSION = 1
"""Version of the profile's JSON."""
MOST_CONTEXTS: Final = 8
"""Contexts in one file, beside the newest."""


class Neighbour(msgspec.Struct, frozen=True, kw_only=True):
    """A legal step beside the recommended one; ``measured`` or predicted by the model."""

    params: Params
    time_seconds: HashSeconds
    memory_bytes: Count
    measured: bool


class Verdict(enum.Enum):
    """How a cost compares with a policy's minimum for its hasher."""

    MET = "met"
    EQUAL_WORK = "equal-work"
    """No listed setting is met knob by knob, but a guess takes as much work as at one."""
    SHORT = "short"
    NOT_APPROVED = "not-approved"
    """The policy allows only certain hashers, and this is not one of them."""
    NOT_NAMED = "not-named"
    """The policy says nothing of this hasher."""


class FloorCheck(msgspec.Struct, frozen=True, kw_only=True):
    """A cost beside one policy's floor, and what that floor takes on this machine."""

    policy: str
    verdict: Verdict
    met: bool | None
    """`None` if the policy does not name the hasher."""
    params: Params | None = None
    """The listed setting that was compared with, of several the nearest in memory."""
    time_seconds: HashSeconds | None = None
    """The shortest time that was timed to meet it; `None` if its memory was not timed."""
    time_params: Params | None = None
    """The setting that takes this time, which another memory than the listed may have."""
    legacy: bool = False
    """Whether the policy allows this hasher for what is there already, and no more."""
    informative: bool = False
    """Whether the policy only describes usual costs: nothing falls short of it."""
    figure: str = "minimum"
    """The policy's name for what it sets."""

    @property
    def is_short(self) -> bool:
        """Whether the policy asks for more."""
        return self.verdict is Verdict.SHORT and not self.informative


def policies_with(checks: Iterable[FloorCheck], *verdicts: Verdict) -> list[str]:
    """The policies that have one of these verdicts on a cost."""
    return [check.policy for check in checks if check.verdict in verdicts]


def short_of(checks: Iterable[FloorCheck]) -> list[str]:
    """The policies that ask for more than a cost, or for another hasher."""
    return policies_with(checks, Verdict.SHORT, Verdict.NOT_APPROVED)


def figures_of(checks: Iterable[FloorCheck], joined: str = "and") -> str:
    """Name what policies set: ``the minimum of owasp and the default of distro-defaults``."""
    by_figure: dict[str, list[str]] = {}
    for check in checks:
        names = by_figure.setdefault(check.figure, [])
        if check.policy not in names:
            names.append(check.policy)
    named = [
        f"the {figure} of {format_list(names, joined)}" for figure, names in by_figure.items()
    ]
    return format_list(named, joined)


def listed_by(checks: Iterable[FloorCheck]) -> list[str]:
    """The policies that say something of the hasher."""
    return [check.policy for check in checks if check.verdict is not Verdict.NOT_NAMED]


class Basis(enum.Enum):
    """The evidence for a speed of guessing."""

    MEASURED = "measured"
    """Published for exactly this cost."""
    SCALED = "scaled"
    """From a published speed at another cost, by the work that one guess takes."""
    UPPER_BOUND = "upper-bound"
    """Scaled to where the device may well be slower than that."""
    BANDWIDTH = "bandwidth"
    """The limit of the device's memory bandwidth: no tool is known to come near it.

    A guess of a few MiB may fit the device's cache, and be faster than that."""


class AttackerPrice(msgspec.Struct, frozen=True, kw_only=True):
    """The price of guessing stolen hashes on one device."""

    device: str
    guesses_per_second: Rate
    basis: Basis
    dollars_per_2_32_guesses: Rate | None
    """For the device's rent; `None` if that is unknown."""
    dollars_per_hour: Rate | None
    tool: str
    """The program that made the published speed, or ``memory bandwidth``."""
    date: dt.date
    source: str


class Concurrency(msgspec.Struct, frozen=True, kw_only=True):
    """The limit of concurrent hashes, and the memory in which they have room."""

    at_once: Annotated[int, msgspec.Meta(ge=1, le=2**24)]
    memory_bytes: Count
    process_bytes: Count
    """The share that the process itself needs."""

    @property
    def room_bytes(self) -> int:
        """The memory of all hashes together."""
        return max(self.memory_bytes - self.process_bytes, 0)


class Recommendation(TimedHasher, frozen=True, kw_only=True, tag_field="status", tag="measured"):
    """The cost that one hasher should use, and how well that is known."""

    params: Params
    time_seconds: HashSeconds
    """One hash at ``params`` on a quiet core; under a CPU quota, on one as busy as in this run."""
    shared_seconds: HashSeconds | None = None
    """One hash on a core as busy as in the middle of this run; `None` without probes."""
    interval_seconds: Interval
    """Where that time lies with this ``confidence``."""
    confidence: Annotated[float, msgspec.Meta(gt=0, lt=1)]
    wall_seconds: ElapsedSeconds | None
    """Wall time of a hash at ``params``, by hashes timed near them; none when none was."""
    cpu_seconds: HashSeconds
    """CPU time that one hash burns, over all its threads."""
    wait_seconds: HashSeconds | None = None
    """The median wait of a login under the CPU quota; `None` without one."""
    memory_bytes: Count
    page_fault_seconds: ElapsedSeconds | None = None
    """The part of that time that fresh pages of memory take; an application whose allocator
    keeps its memory does without. None if unknown."""
    model: CostModel
    neighbours: Annotated[tuple[Neighbour, ...], msgspec.Meta(max_length=2 * MOST)] = ()
    floors: Annotated[tuple[FloorCheck, ...], msgspec.Meta(max_length=MOST)] = ()
    attacker: Annotated[tuple[AttackerPrice, ...], msgspec.Meta(max_length=MOST)] = ()
    warnings: Notices = ()

    @property
    def error_fraction(self) -> float:
        """How far the interval reaches from the time to its farther end, as a fraction."""
        low, high = self.interval_seconds
        return max(self.time_seconds - low, high - self.time_seconds) / self.time_seconds


class Failure(Implemented, frozen=True, kw_only=True, tag_field="status", tag="failed"):
    """Why one hasher has no recommendation."""

    code: str
    error: str

    def __str__(self) -> str:
        """The reason behind the label, as messages give it."""
        return f"{self.label}: {self.error}"


Result: TypeAlias = Recommendation | Failure


def is_too_noisy(row: Recommendation) -> bool:
    """Whether the interval is too wide for the cost to be relied upon."""
    return row.error_fraction > TOO_NOISY


def is_changed(row: Recommendation) -> bool:
    """Whether hashes took another time in earlier runs, so that the interval covers both."""
    return has_notice(row.warnings, Doubt.CHANGED.value)


class Profile(msgspec.Struct, frozen=True, kw_only=True):
    """The measurements of one calibration on one machine, and its answers to a target."""

    schema: Count
    tool: Tool
    created: Annotated[dt.datetime, msgspec.Meta(tz=True)]
    """When the run ended; it began ``duration_seconds`` before."""
    machine: Machine
    probe: Probe
    target_seconds: HashSeconds
    duration_seconds: ElapsedSeconds
    measurements: Annotated[tuple[Measurement, ...], msgspec.Meta(max_length=MOST)] = ()
    results: Annotated[tuple[Result, ...], msgspec.Meta(min_length=1, max_length=MOST)]
    """The answers for the target: a row for each hasher that was asked for."""
    warnings: Notices = ()
    host: HostIdentity | None = None
    """Which host; None unless saved by ``--save``."""
    other_contexts: Annotated[tuple[Profile, ...], msgspec.Meta(max_length=MOST_CONTEXTS)] = ()
    """Measurements on this machine in other contexts: times of two never mix."""

    def __post_init__(self) -> None:
        check_moment(self.created)

    def in_context_of(self, machine: Machine) -> Profile:
        """The part that was measured in the context of this process.

        By default the first part, with a warning that names the fact that differs.
        """
        parts = (self, *self.other_contexts)
        part = next((part for part in parts if part.machine.context == machine.context), self)
        fact, warnings = part.machine.unlike(machine), part.warnings
        if fact:
            advice = "measure again where and as the service hashes"
            warnings += (Notice(code=OTHER_CONTEXT, message=fact, advice=advice),)
        return msgspec.structs.replace(part, other_contexts=(), warnings=warnings)

    def measurement_of(self, row: Result) -> Measurement | None:
        """The measurement that a row was computed from; None if nothing was measured."""
        own = [measured for measured in self.measurements if measured.label == row.label]
        # argon2id may have been measured in several numbers of lanes.
        if isinstance(row, Failure) or len(own) < 2:
            return next(iter(own), None)
        lanes = row.params.get("parallelism", 1)
        return next((measured for measured in own if measured.lanes == lanes), None)

    def cure_of(self, rows: Iterable[Recommendation]) -> str:
        """The advice on rows that are too uncertain; empty if a longer run makes some surer."""
        cures = set()
        for row in rows:
            measurement = self.measurement_of(row)
            if measurement is not None:
                cures.add(measurement.doubt.cure)
        if len(cures) != 1:
            return ""
        return cures.pop()

    def only(self, *rows: Result) -> Profile:
        """The profile with only these rows and their measurements."""
        # A measurement holds dictionaries, so it has no hash.
        used = {id(self.measurement_of(row)) for row in rows}
        kept = tuple(measured for measured in self.measurements if id(measured) in used)
        return msgspec.structs.replace(self, measurements=kept, results=rows)

    @property
    def recommendations(self) -> tuple[Recommendation, ...]:
        """The results that have a cost."""
        return tuple(row for row in self.results if isinstance(row, Recommendation))

    @property
    def answers(self) -> tuple[Recommendation, ...]:
        """The recommendations; of several settings of one measurement only the strongest."""

        def strength(row: Recommendation) -> float:
            return strength_of(row.hasher, row.params, row.memory_bytes).product

        best: dict[int, Recommendation] = {}
        for row in self.recommendations:
            at = id(self.measurement_of(row))
            best[at] = max(best.get(at, row), row, key=strength)
        return tuple(row for row in self.recommendations if row in best.values())

    @property
    def failures(self) -> tuple[Failure, ...]:
        """The failed results."""
        return tuple(row for row in self.results if isinstance(row, Failure))

    def failure_of(self, label: str) -> Failure | None:
        """The first failure of a ``hasher`` or a ``hasher@implementation``."""
        return next((row for row in self.failures if row.is_called(label)), None)
