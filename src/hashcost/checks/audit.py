"""Stored hashes counted by hasher and cost, each group judged. Pure."""

import datetime as dt
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Annotated, Final, TypeAlias

import msgspec
from msgspec.structs import asdict, replace

from hashcost.checks.check import check_one
from hashcost.checks.forecast import Forecast, by_last_logins, by_login_rate
from hashcost.checks.judgement import FAILING, Accepted, Configured, Judgement, Outcome, Standard
from hashcost.checks.verification import far_above
from hashcost.checks.waivers import Waivers, apply
from hashcost.core.algorithms import OUTDATED, guess_memory, guess_work, has_known_cost
from hashcost.core.cost_expressions import Place
from hashcost.core.decoding import UNDECODABLE
from hashcost.core.errors import UnreadableInputError, UsageError
from hashcost.core.machine import Machine, Notice, Tool
from hashcost.core.measurement import Params
from hashcost.core.profile import AttackerPrice, FloorCheck, Profile, Verdict
from hashcost.stored.formats.reading import HashReading, Kind
from hashcost.strength.attackers.device import Device, prices
from hashcost.strength.policies.policy import Policy, assess_all

AUDIT_SCHEMA_VERSION: Final = 1
"""Version of the audit's JSON."""
UNREAD: Final = frozenset({Kind.UNRECOGNISED, Kind.UNREADABLE})
"""Kinds of unknown strength."""

KINDS: Final = {
    Kind.LOCKED: "locked",
    Kind.EMPTY: "empty",
    Kind.PLAIN: "plain text",
    Kind.UNRECOGNISED: "unrecognised",
    Kind.UNREADABLE: "unreadable",
}
"""The names of kinds that have no hasher."""
STALE: Final = "stale-waiver"
"""The code of the notice on a waiver of what is no longer there."""

_Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]
_Name: TypeAlias = Annotated[str, msgspec.Meta(pattern=r"\A[ -~]{0,80}\Z")]
"""A name that is shown, read from a file."""
_ALIKE: Final = ("kind", "format", "hasher", "params", "blocks", "client_side", "notes")
"""The attributes that the hashes of a group share."""
_MOST_TIMED: Final = 6
"""Amounts of memory and lanes of one hasher to time; a malicious file could ask for hours."""


class Group(msgspec.Struct, frozen=True, kw_only=True):
    """All hashes of one kind, format, hasher and cost."""

    kind: Kind
    format: str
    hasher: str | None
    params: Params
    count: int
    share: float
    """The share of everything that was read."""
    blocks: int = 1
    client_side: bool = False
    notes: tuple[str, ...] = ()
    floors: tuple[FloorCheck, ...] = ()
    outcome: Outcome | None = None
    """Whether the cost reaches the target; `None` without a target or a cost."""
    time_seconds: float | None = None
    """One hash on the machine that was timed, all of its blocks."""
    attacker: tuple[AttackerPrice, ...] = ()
    accepted: Accepted | None = None
    """The waiver that holds for it."""


class EarlierGroup(msgspec.Struct, frozen=True, kw_only=True):
    """The hashes of one kind, format, hasher and cost in an earlier audit."""

    kind: Kind
    format: _Name
    hasher: _Name | None
    params: Params
    count: _Count
    blocks: int = 1
    client_side: bool = False
    notes: tuple[_Name, ...] = ()
    floors: tuple[FloorCheck, ...] = ()

    def is_of(self, group: Group) -> bool:
        """Whether this audit counts the same hashes in a group."""
        return all(getattr(self, name) == getattr(group, name) for name in _ALIKE)


class EarlierAudit(msgspec.Struct, frozen=True, kw_only=True):
    """The counts of an earlier audit that this one is compared with."""

    schema: Annotated[int, msgspec.Meta(ge=1)]
    layout: str
    total: _Count
    below_min: _Count
    policies: tuple[str, ...]
    groups: tuple[EarlierGroup, ...]

    def count_of(self, group: Group) -> int:
        """The number of hashes that the earlier audit counted in a group."""
        return sum(earlier.count for earlier in self.groups if earlier.is_of(group))


class Audit(msgspec.Struct, frozen=True, kw_only=True):
    """The counts of one audit."""

    schema: int
    tool: Tool
    layout: str
    total: int
    """Everything that was read, also locks, plain text and empty values."""
    hashes: int
    """The stored hashes among it."""
    kinds: dict[str, int]
    below_min: int
    below_target: int | None
    """`None` without a target."""
    undecided: int | None
    """Password hashes that were not timed well enough for the target; `None` without one."""
    groups: tuple[Group, ...]
    policies: tuple[str, ...]
    target_seconds: float | None = None
    machine: Machine | None = None
    """The machine of the times."""
    warnings: tuple[Notice, ...] = ()
    """Notices about waivers, and about costs far above the target."""
    forecast: Forecast | None = None
    """How many stay below the minimum; `None` if nothing was asked about logins."""
    since: EarlierAudit | None = None
    """The audit that this one is compared with; `None` without one."""

    @property
    def gone(self) -> tuple[Group, ...]:
        """The groups of the earlier audit that have no hash any more."""
        if self.since is None:
            return ()
        gone = []
        for earlier in self.since.groups:
            if not any(map(earlier.is_of, self.groups)):
                alike = {name: getattr(earlier, name) for name in _ALIKE}
                gone.append(Group(**alike, count=0, share=0.0, floors=earlier.floors))
        return tuple(gone)

    @property
    def judged(self) -> int:
        """The number of hashes that are read and that users log in with."""
        unread = sum(self.kinds[kind.value] for kind in UNREAD)
        return self.total - unread - self.kinds[Kind.LOCKED.value]

    @property
    def _open(self) -> Sequence[Group]:
        """The groups that users log in with."""
        return [group for group in self.groups if group.kind is not Kind.LOCKED]

    @property
    def is_priced(self) -> bool:
        """Whether it is known how fast each of those is guessed."""
        return all(group.attacker for group in self._open)

    @property
    def weakest(self) -> Group | None:
        """The group that is guessed fastest, of those that can log in and have a price."""
        priced = [group for group in self._open if group.attacker]
        return max(priced, key=lambda group: group.attacker[0].guesses_per_second, default=None)


def audit(
    counted: Counter[HashReading],
    *,
    tool: Tool,
    layout: str,
    policies: Sequence[Policy] = (),
    devices: Sequence[Device] = (),
    profile: Profile | None = None,
    target_seconds: float | None = None,
) -> Audit:
    """Judge the counted settings.

    ``layout`` tells how the hashes were found in their source, and times are taken from
    ``profile``. A target needs one.
    """
    total = counted.total()
    alike: Counter[HashReading] = Counter()
    for reading, count in counted.items():
        alike[_without_details(reading)] += count
    groups = []
    for reading, count in alike.items():
        outcome = seconds = None
        if profile is not None and target_seconds is not None and has_cost(reading):
            cost = Configured(hasher=reading.hasher or "", params=reading.params)
            judgement = check_one(cost, profile, Standard(target_seconds=target_seconds))
            outcome = judgement.outcome
            if judgement.time_seconds is not None:
                seconds = judgement.time_seconds * reading.blocks
        group = Group(
            **asdict(reading),
            count=count,
            share=count / total,
            floors=floor_checks(reading, policies),
            outcome=outcome,
            time_seconds=seconds,
            attacker=prices(devices, reading.hasher or "", reading.params),
        )
        groups.append(group)
    # Readers look for the weakest cost of a hasher, so it comes first.
    groups.sort(key=_order)
    kinds = {kind.value: 0 for kind in Kind}
    below_min = below_target = undecided = 0
    for group in groups:
        kinds[group.kind.value] += group.count
        if is_below_min(group):
            below_min += group.count
        if group.outcome is Outcome.DRIFTED or is_broken(group):
            below_target += group.count
        if _is_undecided(group):
            undecided += group.count
    counted_audit = Audit(
        schema=AUDIT_SCHEMA_VERSION,
        tool=tool,
        layout=layout,
        total=total,
        hashes=sum(group.count for group in groups if _is_stored(group)),
        kinds=kinds,
        below_min=below_min,
        below_target=None,
        undecided=None,
        groups=tuple(groups),
        policies=tuple(policy.id for policy in policies),
        target_seconds=target_seconds,
        machine=None if profile is None else profile.machine,
    )
    if target_seconds is None:
        return counted_audit
    return replace(
        counted_audit,
        below_target=below_target,
        undecided=undecided,
        warnings=tuple(_far_above_target(groups, target_seconds)),
    )


def _far_above_target(groups: Sequence[Group], target_seconds: float) -> Iterator[Notice]:
    for group in groups:
        note = far_above(
            group.hasher or "",
            group.params,
            group.time_seconds,
            target_seconds,
            client_side=group.client_side,
        )
        if note is not None:
            yield note


def _without_details(reading: HashReading) -> HashReading:
    """The reading; what has no cost in any format counts as one."""
    # Their formats say nothing of strength, and a shape could tell of a secret.
    if reading.kind not in (Kind.UNREADABLE, Kind.PLAIN, Kind.EMPTY):
        return reading
    return HashReading(kind=reading.kind, format=reading.kind.value)


def is_below_min(group: Group) -> bool:
    """Whether a group falls short of a policy that names its hasher, or has no cost at all."""
    return _falls_short(group, group.floors)


def _is_stored(group: Group) -> bool:
    """Whether it is a hash, and no other value in the place of one."""
    if group.kind is Kind.LOCKED:
        return group.hasher is not None
    return group.kind not in (Kind.PLAIN, Kind.EMPTY)


def _falls_short(reading: HashReading | Group, floors: Sequence[FloorCheck]) -> bool:
    short = any(check.met is False and not check.informative for check in floors)
    return short or is_broken(reading)


def with_last_logins(
    audited: Audit, dated: Counter[tuple[HashReading, int | None]], policies: Sequence[Policy]
) -> Audit:
    """Add the forecast by the hours since the last login of the user of each hash."""
    below: Counter[int | None] = Counter()
    for (reading, hours), count in dated.items():
        if _falls_short(reading, floor_checks(reading, policies)):
            below[hours] += count
    return replace(audited, forecast=by_last_logins(below))


def with_login_rate(audited: Audit, logins_per_second: float) -> Audit:
    """Add the forecast by the number of logins of all users together."""
    forecast = by_login_rate(audited.below_min, audited.judged, logins_per_second)
    return replace(audited, forecast=forecast)


def earlier_audit(content: bytes, name: str, policies: Sequence[Policy]) -> EarlierAudit:
    """Read the JSON of an earlier audit; ``name`` stands for its origin in messages.

    Raises:
        UnreadableInputError: it holds another document, or an audit of a newer version.
        UsageError: it was judged by other policies.
    """
    cure = "make one with `calibrate audit FILE --format json --output OLD`"
    try:
        earlier = msgspec.json.decode(content, type=EarlierAudit)
    except UNDECODABLE as error:
        raise UnreadableInputError(f"{name} is not an audit; {cure}") from error
    if earlier.schema > AUDIT_SCHEMA_VERSION or earlier.below_min > earlier.total:
        raise UnreadableInputError(f"{name} is not an audit that this version knows; {cure}")
    # Numbers below two different minimums do not compare.
    if set(earlier.policies) != {policy.id for policy in policies}:
        raise UsageError(
            f"--since: {name} was judged by other policies; give the same --policy, or audit the"
            " old hashes again"
        )
    return earlier


def is_broken(group: HashReading | Group) -> bool:
    """Whether no cost makes it strong: no password hash, or an outdated one."""
    if group.kind is Kind.HASHED and not has_cost(group):
        # A cost that was fixed long ago is below every minimum.
        return group.hasher in OUTDATED or "fixed-cost" in group.notes
    # A digest, a text or nothing is no password hash.
    return group.kind in (Kind.FAST, Kind.PLAIN, Kind.EMPTY)


def is_unlisted(group: Group) -> bool:
    """Whether it is a password hash that no policy has a minimum for."""
    unnamed = all(check.verdict is Verdict.NOT_NAMED for check in group.floors)
    return group.kind is Kind.HASHED and unnamed and not is_broken(group)


def weak(audited: Audit) -> int:
    """Count the hashes below a minimum or the target that no waiver accepts."""
    return sum(
        group.count
        for group in audited.groups
        if group.accepted is None and _verdict(audited, group) in FAILING
    )


def unjudged(audited: Audit) -> int:
    """Count what neither a policy nor the target judges, and what cannot be read."""
    return sum(
        group.count
        for group in audited.groups
        if group.accepted is None and _is_unjudged(audited, group)
    )


def accepted(audited: Audit, waivers: Waivers, place: Place | None, today: dt.date) -> Audit:
    """Mark the groups that waivers accept; ``place`` is the file of the hashes, if any."""
    rows = [_finding(audited, group, place) for group in audited.groups]
    judged, stale, notices = apply(rows, waivers, today)
    groups = [
        replace(group, accepted=row.accepted)
        for group, row in zip(audited.groups, judged, strict=True)
    ]
    for row in stale:
        message = f"{row.place}: {row.message}"
        notices.append(Notice(code=STALE, message=message, advice=row.advice))
    warnings = (*audited.warnings, *notices)
    return replace(audited, groups=tuple(groups), warnings=warnings)


def _finding(audited: Audit, group: Group, place: Place | None) -> Judgement:
    """A group as a finding, under the name that the table gives it."""
    verdict = _verdict(audited, group)
    name = KINDS.get(group.kind) or group.hasher or group.format
    row = Judgement.without_cost(verdict, name, place or Place(path=""), "", "")
    return replace(row, params=group.params, place=place)


def _verdict(audited: Audit, group: Group) -> Outcome:
    """The worst that can be said of a group."""
    if is_below_min(group):
        if group.kind is not Kind.HASHED:
            return Outcome.UNSUITABLE
        # No cost would cure it, so the verdict is another than for a low cost.
        if any(check.verdict is Verdict.NOT_APPROVED for check in group.floors):
            return Outcome.NOT_APPROVED
        return Outcome.BELOW_MIN
    if audited.target_seconds is not None and group.outcome is Outcome.DRIFTED:
        return Outcome.DRIFTED
    if _is_unjudged(audited, group):
        return Outcome.UNKNOWN
    return Outcome.FINE


def _is_unjudged(audited: Audit, group: Group) -> bool:
    """Whether neither a policy nor the target says anything of a group."""
    # Nobody can say that it is strong.
    if group.kind in UNREAD:
        return True
    # Without a policy nobody asked for a minimum.
    if not audited.policies or not is_unlisted(group):
        return False
    return audited.target_seconds is None or _is_undecided(group)


def _is_undecided(group: Group) -> bool:
    """Whether the time of a password hash could not be told."""
    if group.kind is not Kind.HASHED or is_broken(group):
        return False
    return group.outcome in {None, Outcome.UNAVAILABLE, Outcome.INCONCLUSIVE}


def timeable(counted: Counter[HashReading]) -> tuple[Configured, ...]:
    """The costs among the readings that a machine could time, the commonest first.

    Time is the same function of the cost for all hashes of a hasher, except for each amount of
    memory and number of lanes.
    """
    costs: dict[tuple[str, int, float], Configured] = {}
    timed: Counter[str] = Counter()
    # The commonest first: they decide where there is time for only some.
    for reading, _ in counted.most_common():
        if reading.hasher is None or not has_cost(reading):
            continue
        cost = Configured(hasher=reading.hasher, params=reading.params)
        key = (cost.hasher, cost.lanes, guess_memory(cost.hasher, cost.params) or 0.0)
        if key not in costs and timed[cost.hasher] < _MOST_TIMED:
            costs[key] = cost
            timed[cost.hasher] += 1
    return tuple(costs.values())


def has_cost(reading: HashReading | Group) -> bool:
    """Whether it is a password hash of which the work of a guess is known."""
    return reading.kind is Kind.HASHED and has_known_cost(reading.hasher or "", reading.params)


def floor_checks(reading: HashReading, policies: Sequence[Policy]) -> tuple[FloorCheck, ...]:
    """Compare a password hash with the policies, except an unknown cost that has a floor."""
    hasher = reading.hasher
    if reading.kind is not Kind.HASHED or hasher is None:
        return ()
    policies = [policy for policy in policies if _is_comparable(reading, hasher, policy)]
    return assess_all(policies, hasher, reading.params)


def _is_comparable(reading: HashReading, hasher: str, policy: Policy) -> bool:
    """Tell whether a hash states what a policy has a minimum for, if it has one."""
    # Otherwise its cost is unknown, and can neither meet nor miss a minimum.
    return all(floor.params.keys() <= reading.params.keys() for floor in policy.floors_of(hasher))


def _order(group: Group) -> tuple[int, str, float, int]:
    """The place of a group in the table."""
    # Hashes first, by hasher from the lowest cost; then the others, the commonest first.
    work = guess_work(group.hasher or "", group.params)
    if work is None:
        work = float(sum(group.params.values()))
    return list(Kind).index(group.kind), group.hasher or "", work, -group.count
