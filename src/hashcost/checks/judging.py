"""Judge configured costs, by a saved profile or by what is timed now."""

import contextlib
import datetime as dt
from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from hashcost.checks.check import (
    approved_instead,
    check_one,
    hashers_instead,
    measurement_for,
    not_approved,
    outdated,
)
from hashcost.checks.judgement import (
    DEFAULT_TOLERANCE,
    REPORT_SCHEMA_VERSION,
    CheckReport,
    Configured,
    CostOrVerdict,
    Judgement,
    Outcome,
    Standard,
)
from hashcost.checks.verification import far_above
from hashcost.checks.waivers import Waivers, applied
from hashcost.core.algorithms import COST_NAMES
from hashcost.core.cost_expressions import (
    Place,
    complete,
    example_of,
    label_of,
    parse_cost,
    spelled,
)
from hashcost.core.errors import (
    HashcostError,
    OutOfRangeError,
    UnavailableError,
    UsageError,
    prefix_errors,
)
from hashcost.core.machine import TOOL, Notice
from hashcost.core.profile import Profile, Verdict, policies_with
from hashcost.core.progress import Progress
from hashcost.core.text import joined
from hashcost.core.units import check_target
from hashcost.hashers.registry import Candidate, candidates, load_first, select
from hashcost.machine.host import Host, this_host
from hashcost.strength.policies.catalogue import load_policy
from hashcost.strength.policies.policy import Policy, assess_all


def check(
    costs: Iterable[str],
    profile: Profile,
    *,
    target_seconds: float | None = None,
    policies: Sequence[Policy] | None = None,
    tolerance: float = DEFAULT_TOLERANCE,
    longest_seconds: float | None = None,
    accept: Sequence[str] = (),
    host: Host | None = None,
    pool: Sequence[Candidate] | None = None,
) -> CheckReport:
    """Judge costs by a profile, as ``calibrate check --profile`` does. Nothing is timed.

    Args:
        costs: Costs as people type them, such as ``bcrypt=12`` or
            ``argon2id=m=19456,t=2,p=1``.
        profile: What `calibrate` measured, or `load_profile` read.
        target_seconds: Time that one hash may take; by default, the profile's target.
        policies: Policies whose minimums must be met; by default, OWASP's.
        tolerance: Share of the target that a cost may leave unused, or take beyond it.
        longest_seconds: Time that one hash may take at most; by default, there is no limit.
        accept: Waivers, such as ``bcrypt=10 below-min until 2027-03-01: rehashed at login``.
        host: Another system than the running one, for tests.
        pool: The hashers that a cost may name; by default, the registered ones.

    Returns:
        The report, with a `Judgement` for each cost, in their order. ``severity`` tells whether
        one fails; what a waiver accepts does not. ``warnings`` tell what is wrong with a waiver.

    Raises:
        UsageError: the target or the limit is wrong, a text is not a cost, or a hasher is unknown.
            A cost outside its hasher's range is a judgement.
    """
    # Whoever saved the profile chose the target for a reason.
    if target_seconds is None:
        target_seconds = profile.target_seconds
    check_target(target_seconds, name="target_seconds")
    if longest_seconds is not None and longest_seconds < target_seconds:
        raise UsageError("longest_seconds must be at least the target; raise it")
    if policies is None:
        policies = (load_policy("owasp"),)
    host = host or this_host()
    if pool is None:
        pool = candidates()
    standard = Standard(
        target_seconds=target_seconds,
        policies=tuple(policies),
        tolerance=tolerance,
        longest_seconds=longest_seconds,
    )
    report = judge(
        [typed_cost(text, pool=pool) for text in costs],
        (),
        standard,
        # Times of another allocator or quota would not hold for this process.
        profile.in_context_of(host.describe()),
        max_age=None,
        host=host,
        pool=pool,
        progress=None,
    )
    # A waiver ends on the same day everywhere.
    today = host.date().astimezone(dt.UTC).date()
    return applied(report, Waivers(given=tuple(accept)), today)


def configured(
    text: str, place: Place | None = None, *, pool: Sequence[Candidate] | None = None
) -> Configured:
    """The cost that a text states; messages name its place, if it has one.

    Raises:
        UsageError: it is not a cost, or only names a hasher.
    """
    with prefix_errors(place):
        cost = parse_cost(text)
        if cost.params is None:
            if pool is None:
                pool = candidates()
            # What is not the name of a hasher needs another cure than a cost.
            select((cost.hasher,), every_implementation=False, available=pool)
            example = example_of(cost.hasher, cost.implementation)
            raise UsageError(f"{cost.label} is only a hasher; add its cost, for example {example}")
        refused = ""
        if cost.memory_limit is not None:
            for name, needed in cost.memory_limit.raised_for(cost.params).items():
                refused = f"scrypt needs {name}={needed}, not {cost.memory_limit.allows}"
    return Configured(
        hasher=cost.hasher,
        implementation=cost.implementation,
        params=cost.params,
        place=place,
        refused=refused,
        memory_limit=cost.memory_limit,
        is_typed=True,
    )


def typed_cost(
    text: str, place: Place | None = None, *, pool: Sequence[Candidate] | None = None
) -> CostOrVerdict:
    """The cost that a text states, or the judgement of one that only stored hashes have.

    Raises:
        UsageError: as `configured`.
    """
    label = label_of(text)
    if "@" in label or spelled(label, COST_NAMES) in COST_NAMES:
        return configured(text, place, pool=pool)
    # Few checks need what knows stored hashes.
    from hashcost.checks.stored_only import judged
    from hashcost.stored.formats.typed import is_stored_only, named_in_cost

    if pool is None:
        pool = candidates()
    named = named_in_cost(text)
    # A package may bring what no library here computes.
    if not is_stored_only(named) or any(candidate.hasher == label for candidate in pool):
        return configured(text, place, pool=pool)
    with prefix_errors(place):
        return judged(text, place)


def judge(
    rows: Iterable[CostOrVerdict],
    in_source: Iterable[CostOrVerdict],
    standard: Standard,
    saved: Profile | None,
    *,
    max_age: float | None,
    host: Host,
    pool: Sequence[Candidate],
    progress: Progress | None,
) -> CheckReport:
    """Judge each cost once, wherever it is set, by a ``saved`` profile or by timing it.

    Those ``in_source`` are complete; what is unknown there may pass. A profile that is older
    than ``max_age``, in seconds, is mentioned.

    Raises:
        UsageError: a hasher is unknown, or it has other params.
    """
    everything: list[tuple[CostOrVerdict, bool]] = []
    seen: set[tuple[Place | None, str, str]] = set()
    for row in rows:
        complete = row
        if isinstance(row, Configured):
            complete = completed(row, saved, pool)
        everything.append((complete, False))
        seen.add(_key(complete))
    # The file of an application may be source code too.
    everything += [(row, True) for row in in_source if _key(row) not in seen]
    # A cost that many files set is judged once.
    costs = {row.identity(): row for row, _ in everything if isinstance(row, Configured)}
    profile = saved
    judgements: list[Judgement] = []
    notices: tuple[Notice, ...] = ()
    if saved is not None:
        judgements = [check_one(cost, saved, standard) for cost in costs.values()]
        labels = {f"{row.hasher}@{row.implementation}" for row in judgements if row.implementation}
        notices = outdated(saved, host.date(), max_age, installed_versions(labels, pool))
    elif costs:
        # A profile answers without what measures.
        from hashcost.checks.live_check import check_here

        profile, judgements = check_here(
            [*costs.values()], standard, host=host, pool=pool, progress=progress
        )
        notices = profile.warnings
    judged = dict(zip(costs, judgements, strict=True))
    results = []
    for row, is_in_source in everything:
        result = row
        if isinstance(result, Configured):
            result = judged[result.identity()].at(result)
        else:
            result = _held_to(result, standard.policies)
        # A value that the library refuses is known to be wrong, also in code.
        is_lenient = is_in_source and not result.out_of_range
        severity = standard.severity_of(result.outcome, in_source=is_lenient)
        results.append(replace(result, severity=severity))
    if profile is None:
        # All that was read is unknown, so nothing had to be measured.
        measured, machine = host.date(), host.describe()
    else:
        measured, machine = profile.created, profile.machine
    for far in _far_above_target(results, standard.target_seconds):
        notices = (*notices, far)
    return CheckReport(
        schema=REPORT_SCHEMA_VERSION,
        tool=TOOL,
        live=saved is None,
        measured=measured,
        machine=machine,
        target_seconds=standard.target_seconds,
        tolerance=standard.tolerance,
        longest_seconds=standard.longest_seconds,
        results=tuple(results),
        warnings=notices,
    )


def _held_to(row: Judgement, policies: Sequence[Policy]) -> Judgement:
    """Judge a cost that no library here computes by the policies that do not approve it.

    What no cost makes strong gets the advice to hash with one that they approve.
    """
    names_hashers = any(policy.approved is not None for policy in policies)
    if row.outcome in {Outcome.UNSUITABLE, Outcome.BELOW_MIN} and names_hashers:
        return replace(row, advice=approved_instead(hashers_instead(policies, None)))
    if row.outcome is not Outcome.UNKNOWN or not row.params:
        return row
    floors = assess_all(policies, row.hasher, row.params)
    refusing = policies_with(floors, Verdict.NOT_APPROVED)
    if not refusing:
        return row
    return replace(
        row,
        outcome=Outcome.NOT_APPROVED,
        message=not_approved(refusing, row.hasher),
        advice=approved_instead(hashers_instead(policies, None)),
        floors=floors,
    )


def _far_above_target(rows: Iterable[Judgement], target_seconds: float) -> Iterable[Notice]:
    """Note each cost, once, that takes so long to verify that a login is a burden."""
    notes = []
    for row in rows:
        note = far_above(row.hasher, row.params, row.time_seconds, target_seconds)
        if note is not None:
            notes.append(note)
    return dict.fromkeys(notes)


def _key(row: CostOrVerdict) -> tuple[Place | None, str, str]:
    return row.place, row.hasher, str(row.params)


def completed(cost: Configured, profile: Profile | None, pool: Sequence[Candidate]) -> Configured:
    """The cost with every param in the hasher's own order, each within its range.

    The range is the profile's, or that of the installed library; without either, the cost is
    left as it is. A cost outside is left too, with the reason why it is refused. The application's
    own library judges it, if it was or can be timed.

    Raises:
        UsageError: the hasher is unknown, or it has other params.
    """
    cost = _in_own_runtime(cost, profile, pool)
    measurement = measurement_for(cost, profile)
    # The machine that was measured may have another version with other bounds.
    if measurement is not None:
        knobs, lowest = measurement.knobs, measurement.lowest
    else:
        (implementations,) = select((cost.label,), every_implementation=False, available=pool)
        try:
            _, hasher = load_first(implementations)
        except UnavailableError:
            return cost
        knobs, lowest = hasher.knobs, hasher.lowest
    with prefix_errors(cost.place):
        try:
            # The order of the params, and those that may be left out, are the hasher's.
            return replace(cost, params=complete(cost, knobs, lowest))
        except OutOfRangeError as error:
            # The application may use another library, or replace the value.
            return replace(cost, refused=cost.refused or str(error))


def _in_own_runtime(
    cost: Configured, profile: Profile | None, pool: Sequence[Candidate]
) -> Configured:
    """The cost by the application's own library, if that was or can be timed in its runtime."""
    if cost.scheme is None:
        return cost
    labels = {candidate.label for candidate in pool if candidate.runtime}
    if profile is not None:
        labels = {row.label for row in profile.recommendations}
    scheme = cost.scheme.run_by(labels)
    if scheme == cost.scheme or scheme.reference is None:
        return cost
    implementation = scheme.reference.implementation
    note = joined(cost.note, f"timed in the application's own runtime, as {implementation}")
    return replace(cost, scheme=scheme, implementation=implementation, note=note)


def installed_versions(labels: Iterable[str], pool: Sequence[Candidate]) -> dict[str, str]:
    """The versions of those implementations that load here."""
    candidates = {candidate.label: candidate for candidate in pool}
    versions = {}
    for label in sorted(labels):
        # What is not here cannot have another version here.
        if label in candidates:
            with contextlib.suppress(HashcostError):
                versions[label] = candidates[label].load().version
    return versions
