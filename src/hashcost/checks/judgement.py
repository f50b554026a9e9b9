"""A configured cost, the standard that it is held to, and the judgement."""

from __future__ import annotations

import datetime as dt
import enum
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, TypeAlias

import msgspec

from hashcost.core.algorithms import guess_work
from hashcost.core.cost_expressions import Apart, Cost, Place
from hashcost.core.machine import Machine, Notice, Tool
from hashcost.core.measurement import Params
from hashcost.core.profile import FloorCheck
from hashcost.core.severity import Severity
from hashcost.core.units import format_setting
from hashcost.strength.policies.policy import Policy

if TYPE_CHECKING:
    from hashcost.apps.interface import App
    from hashcost.apps.schemes import Scheme

REPORT_SCHEMA_VERSION: Final = 1
"""Version of the report's JSON.

1: the first.
"""

STANDARD_INPUT: Final = "<stdin>"
"""The path of costs from standard input."""

DEFAULT_TOLERANCE: Final = 0.2
"""Share of the target that a cost may leave unused, or take beyond it."""


class Outcome(enum.Enum):
    """The possible results of a check, the worst first."""

    UNSUITABLE = "unsuitable"
    """The algorithm is not a password hash at any cost."""
    NOT_APPROVED = "not-approved"
    """A policy allows only other hashers."""
    BELOW_MIN = "below-min"
    DRIFTED = "drifted"
    """A higher legal cost would still fit the target, by more than the tolerance."""
    TOO_SLOW = "too-slow"
    """One hash takes longer than the longest time allowed."""
    UNREAD = "unread"
    """A limit ended the reading of a file, it cannot be parsed, or it was named and left out."""
    UNKNOWN = "unknown"
    """The file does not say which hasher the application uses, or at which cost."""
    UNAVAILABLE = "unavailable"
    """The hasher was not timed, so the cost cannot be judged."""
    STALE = "stale"
    """A waiver accepts a cost that is no longer set there."""
    FAST_DIGEST = "fast-digest"
    """Source code makes a fast digest of a password, and seems to keep it."""
    INCONCLUSIVE = "inconclusive"
    AT_LIMIT = "at-limit"
    """A policy asks for more, but the application or its clients accept no more."""
    OVER_BUDGET = "over-budget"
    """One hash takes longer than the target, and no limit says that this is too long."""
    FINE = "fine"


TIMED: Final = frozenset({Outcome.DRIFTED, Outcome.TOO_SLOW})
"""Failures that rest on a measurement, and that another one has to confirm."""

FAILING: Final = TIMED | {Outcome.UNSUITABLE, Outcome.NOT_APPROVED, Outcome.BELOW_MIN}

_SEVERITIES: Final = {
    Outcome.INCONCLUSIVE: Severity.WARNING,
    Outcome.AT_LIMIT: Severity.WARNING,
    Outcome.OVER_BUDGET: Severity.WARNING,
    Outcome.FINE: Severity.PASSED,
}
"""How much an outcome matters that is not an error."""
_WISHED: Final = {"pass": Severity.NOTE, "fail": Severity.ERROR}

COSTLESS: Final = frozenset({Outcome.UNREAD, Outcome.UNKNOWN, Outcome.FAST_DIGEST})
"""Verdicts that are accepted without a cost, since nothing tells it."""

ACCEPTABLE: Final = FAILING | COSTLESS
"""Verdicts that a waiver can accept; the others need another measurement."""

_IMPROVED: Final = {Outcome.BELOW_MIN, Outcome.DRIFTED, Outcome.TOO_SLOW, Outcome.OVER_BUDGET}
"""Verdicts for which another cost is certainly better."""


class CostKind(enum.Enum):
    """How a cost is written."""

    SET = "set"
    """New hashes are made at it."""
    STORED = "stored"
    """A stored hash states it."""


NO_HIGHER_COST: Final = (
    "its format has no higher cost: use another if the program has one, and longer passwords"
)
"""The advice for a stored hash whose format has only one cost."""
AS_CLIENTS_ACCEPT: Final = (
    "set the password again with the highest cost that its clients accept, since they compute the"
    " hash at a login"
)
"""The advice for a stored hash that the server cannot make anew when somebody logs in."""


def setting_to_write(
    params: Params, also_set: Params, *, present: Params, named: Mapping[str, str]
) -> str:
    """Write a cost to set, in the names of a call if it has one for each param that changes."""
    changed = {name for name in params if params[name] != present.get(name)}
    if not named or not named.keys() >= changed:
        return format_setting({**params, **also_set})
    settings = {named[name]: params[name] for name in params if name in named}
    return ", ".join(f"{name}={value}" for name, value in {**settings, **also_set}.items())


class Configured(Cost, frozen=True, kw_only=True):
    """A configured cost."""

    params: Params
    place: Place | None = None
    app: App | None = None
    """The application that uses it, where that is known."""
    scheme: Scheme | None = None
    """How the application uses it; only with ``app``."""
    blocks: int | None = None
    """Output blocks of PBKDF2 that a hash computes, where not as many as the scheme's."""
    note: str = ""
    """How the cost was found."""
    refused: str = ""
    """Why the library or the application does not accept the cost."""
    kind: CostKind = CostKind.SET
    is_fixed: bool = False
    """Whether the format of a stored hash has only this cost."""
    client_side: bool = False
    """Whether clients compute the hash at a login, and limit its cost."""
    is_typed: bool = False
    """Whether a person names the cost: then the library that is timed is meant."""
    cure: str = ""
    """The thing to do where another setting fixes the cost, so that none can be set."""
    named: dict[str, str] = msgspec.field(default_factory=dict)
    """The names of params in the call that sets the cost, if it takes each as a plain number."""
    unstated: tuple[str, ...] = ()
    """The params that no line of the file sets, so that the application's default counts."""

    @property
    def lanes(self) -> int:
        """Lanes of argon2id; one for any other hasher."""
        return self.params.get("parallelism", 1)

    def identity(self) -> tuple[object, ...]:
        """A key that is equal for costs that are judged alike, wherever they are set."""
        # Another application may have other limits for the same cost.
        own = (
            *(self.label, tuple(self.params.items()), self.blocks, self.refused),
            *(self.is_fixed, self.client_side, self.memory_limit, self.is_typed),
            *(self.kind, self.cure, tuple(self.named.items())),
        )
        if self.app is None:
            return own
        return (*own, self.app.name, str(self.scheme), self.note, self.unstated)


class Accepted(msgspec.Struct, frozen=True, kw_only=True):
    """A waiver that holds for a finding: a person has accepted it."""

    until: dt.date
    """The last day on which it holds, in UTC."""
    why: str
    place: Place | None
    """Where the waiver is written."""
    in_source: bool
    """Whether that is a comment in the file of the finding, and not the settings."""


class Judgement(msgspec.Struct, frozen=True, kw_only=True):
    """One configured cost, judged."""

    hasher: str
    implementation: str | None
    """The implementation that was timed, if any."""
    implementation_version: str | None = None
    params: Params
    place: Place | None
    outcome: Outcome
    message: str
    """Why, on one line."""
    advice: str
    """The cost to set instead, or another thing to do."""
    time_seconds: float | None
    """One hash at ``params``; `None` if its memory was not timed."""
    interval_seconds: tuple[float, float] | None
    wait_seconds: float | None = None
    """The median wait of a login under a CPU quota; `None` without one."""
    recommended: Params | None
    """The cost that fits the target and meets the floors."""
    recommended_seconds: float | None
    floors: tuple[FloorCheck, ...]
    also_set: dict[str, int] = {}
    """The settings without which the library refuses the cost to set instead."""
    named: dict[str, str] = {}
    """The names of params in the call that sets the cost, if it takes each as a plain number."""
    written_by: str = ""
    """The command that writes the setting for the cost to set instead, if the file lacks it."""
    note: str = ""
    """How the cost was found."""
    severity: Severity = Severity.PASSED
    accepted: Accepted | None = None
    """The waiver that holds for it; then it does not fail."""
    out_of_range: bool = False
    """Whether the library or the application does not accept the cost."""
    kind: CostKind = CostKind.SET
    is_fixed: bool = False
    """Whether no other cost can be named: the format of a stored hash has only this one, its
    clients set the limit, or the application's release has no setting for it."""

    def at(self, cost: Configured) -> Judgement:
        """The judgement of the same cost at another place, with how it was found there."""
        note = cost.note
        if cost.app is not None:
            note = self.note  # It has the same, and how long the application's library takes.
        return msgspec.structs.replace(self, place=cost.place, note=note, kind=cost.kind)

    @property
    def instead(self) -> Params | None:
        """The cost to set instead; `None` if no other one is certainly better."""
        is_refused = self.outcome is Outcome.UNKNOWN and self.out_of_range
        if self.is_fixed or (self.outcome not in _IMPROVED and not is_refused):
            return None
        better = self.recommended
        if better is None:
            # Nothing was timed: the highest minimum that the cost is below.
            minimums = [check.params for check in self.floors if check.is_short and check.params]
            better = max(minimums, key=self._work_of, default=None)
        if better == self.params:
            return None
        return better

    def _work_of(self, params: Params) -> float:
        """How much work a guess takes at another cost of the hasher."""
        return guess_work(self.hasher, params) or 0.0

    @classmethod
    def without_cost(
        cls,
        outcome: Outcome,
        named: str,
        place: Place | None,
        message: str,
        advice: str,
        kind: CostKind = CostKind.SET,
    ) -> Judgement:
        """Judge a place that sets no cost."""
        return cls(
            hasher=named,
            implementation=None,
            params={},
            place=place,
            outcome=outcome,
            message=message,
            advice=advice,
            time_seconds=None,
            interval_seconds=None,
            recommended=None,
            recommended_seconds=None,
            floors=(),
            kind=kind,
        )


CostOrVerdict: TypeAlias = Configured | Judgement
"""A cost to judge, or the judgement of a place without a cost."""


class CheckReport(msgspec.Struct, frozen=True, kw_only=True):
    """The results of one check."""

    schema: int
    tool: Tool
    live: bool
    """Whether it was timed for this check, or read from a profile."""
    measured: dt.datetime
    machine: Machine
    """The one that was timed."""
    target_seconds: float
    tolerance: float
    longest_seconds: float | None
    results: tuple[Judgement, ...]
    warnings: tuple[Notice, ...] = ()


class InTests(msgspec.Struct, frozen=True, kw_only=True):
    """A cost that tests set, which is not judged."""

    hasher: str
    params: Params
    place: Place
    call: str


class StoredApart(msgspec.Struct, frozen=True, kw_only=True):
    """Stored hashes of one setting in a file that protect no account, and are not judged.

    So is a dummy that the code makes.
    """

    format: str
    """Empty if the code makes the hash."""
    hasher: str
    """Empty if the format is of no password hash."""
    params: Params
    place: Place
    """The first of them."""
    count: int
    why: Apart


class KeyMade(msgspec.Struct, frozen=True, kw_only=True):
    """A call that makes a key for encryption, which is not judged."""

    hasher: str
    """Empty if unknown."""
    params: Params
    """Empty if unknown."""
    place: Place
    call: str


class ScanReport(CheckReport, frozen=True, kw_only=True):
    """The results of one check of source code, and the costs that it does not judge."""

    files: int
    parsed: int
    """How many of them may hold a cost."""
    in_tests: tuple[InTests, ...]
    stored_apart: tuple[StoredApart, ...]
    keys: tuple[KeyMade, ...]
    skipped: dict[str, int]
    """How many files and folders were left out, by reason."""


class Standard(msgspec.Struct, frozen=True, kw_only=True):
    """The target, policies and limits that configured costs are held to.

    ``tolerance`` is the share of the target that a cost may leave unused, or take
    beyond it; ``longest_seconds`` what one hash may take at most.
    """

    target_seconds: float
    policies: tuple[Policy, ...] = ()
    tolerance: float = DEFAULT_TOLERANCE
    longest_seconds: float | None = None
    on_inconclusive: str | None = None
    """Whether an inconclusive cost should ``pass`` or ``fail``; by default it ends with 3."""
    on_unknown: str | None = None
    """Whether unknown costs should ``pass`` or ``fail``; by default only those in code pass."""
    on_drifted: str | None = None
    """Whether a drifted cost should ``pass`` or ``fail``, which is the default."""

    def severity_of(self, outcome: Outcome, *, in_source: bool = False) -> Severity:
        """How much an outcome matters."""
        if outcome is Outcome.UNKNOWN:
            # Code often gets its cost from elsewhere; a configuration is expected to state it.
            usual = "pass" if in_source else "fail"
            return _WISHED[self.on_unknown or usual]
        if outcome is Outcome.DRIFTED:
            return _WISHED[self.on_drifted or "fail"]
        if outcome is Outcome.INCONCLUSIVE and self.on_inconclusive is not None:
            return _WISHED[self.on_inconclusive]
        return _SEVERITIES.get(outcome, Severity.ERROR)
