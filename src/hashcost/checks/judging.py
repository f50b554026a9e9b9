"""Judge configured costs, by a saved profile or by what is timed now."""

import contextlib
import datetime as dt
from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from hashcost.checks.check import check_all, measurement_for, outdated
from hashcost.checks.judgement import (
    DEFAULT_TOLERANCE,
    REPORT_SCHEMA_VERSION,
    CheckReport,
    Configured,
    Held,
    Judgement,
    Standard,
)
from hashcost.checks.waivers import Waivers, applied
from hashcost.core.cost_expressions import Cost, Place, complete, example_of, parse_cost
from hashcost.core.errors import (
    HashcostError,
    OutOfRangeError,
    UnavailableError,
    UsageError,
    said_of,
)
from hashcost.core.machine import TOOL, Notice
from hashcost.core.profile import Profile
from hashcost.core.progress import Progress
from hashcost.core.text import joined
from hashcost.core.units import check_target
from hashcost.hashers.registry import Candidate, candidates, load_first, select
from hashcost.machine.host import Host, this_host
from hashcost.strength.policies.catalogue import load_policy
from hashcost.strength.policies.policy import Policy


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
    seconds = profile.target_seconds if target_seconds is None else target_seconds
    check_target(seconds, name="target_seconds")
    if longest_seconds is not None and longest_seconds < seconds:
        raise UsageError("longest_seconds must be at least the target; raise it")
    host = host or this_host()
    pool = candidates() if pool is None else pool
    standard = Standard(
        target_seconds=seconds,
        policies=(load_policy("owasp"),) if policies is None else tuple(policies),
        tolerance=tolerance,
        longest_seconds=longest_seconds,
    )
    report = judge(
        [configured(text, pool=pool) for text in costs],
        (),
        standard,
        profile.in_context_of(host.describe()),
        max_age=None,
        host=host,
        pool=pool,
        progress=None,
    )
    today = host.date().astimezone(dt.UTC).date()
    return applied(report, Waivers(given=tuple(accept)), today)


def configured(
    text: str, place: Place | None = None, *, pool: Sequence[Candidate] | None = None
) -> Configured:
    """The cost that a text states; messages name its place, if it has one.

    Raises:
        UsageError: it is not a cost, or only names a hasher.
    """
    with contextlib.nullcontext() if place is None else said_of(str(place)):
        cost = parse_cost(text)
        if cost.params is None:
            available = candidates() if pool is None else pool
            # What is not the name of a hasher needs another cure than a cost.
            select((cost.hasher,), every_implementation=False, available=available)
            example = example_of(cost.hasher, cost.implementation)
            raise UsageError(f"{cost.label} is only a hasher; add its cost, for example {example}")
    return Configured(
        hasher=cost.hasher, implementation=cost.implementation, params=cost.params, place=place
    )


def judge(
    rows: Iterable[Held],
    in_source: Iterable[Held],
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
    complete = [
        completed(row, saved, pool) if isinstance(row, Configured) else row for row in rows
    ]
    # The file of an application may be source code too.
    here = {(row.place, row.hasher, str(row.params)) for row in complete}
    others = [row for row in in_source if (row.place, row.hasher, str(row.params)) not in here]
    everything = [*((row, False) for row in complete), *((row, True) for row in others)]
    costs = {row.identity(): row for row, _ in everything if isinstance(row, Configured)}
    profile = saved
    judgements: tuple[Judgement, ...] = ()
    notices: tuple[Notice, ...] = ()
    if saved is not None:
        judgements = check_all(costs.values(), saved, standard)
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

    def result(row: Held, *, in_source: bool) -> Judgement:
        row = judged[row.identity()].at(row) if isinstance(row, Configured) else row
        # A value that the library refuses is known to be wrong, also in code.
        is_lenient = in_source and not row.out_of_range
        return replace(row, severity=standard.severity_of(row.outcome, in_source=is_lenient))

    return CheckReport(
        schema=REPORT_SCHEMA_VERSION,
        tool=TOOL,
        live=saved is None,
        measured=host.date() if profile is None else profile.created,
        machine=host.describe() if profile is None else profile.machine,
        target_seconds=standard.target_seconds,
        tolerance=standard.tolerance,
        longest_seconds=standard.longest_seconds,
        results=tuple(result(row, in_source=in_source) for row, in_source in everything),
        warnings=notices,
    )


def completed(cost: Configured, profile: Profile | None, pool: Sequence[Candidate]) -> Configured:
    """The cost with every param in the hasher's own order, each within its range.

    The range is the profile's, or that of the installed library; without either, the cost is
    left as it is. A cost outside is left too, with the reason why it is refused. The application's
    own library judges it, if it was or can be timed.

    Raises:
        UsageError: the hasher is unknown, or it has other params.
    """
    labels = {candidate.label for candidate in pool if candidate.runtime}
    if profile is not None:
        labels = {row.label for row in profile.recommendations}
    scheme = None if cost.scheme is None else cost.scheme.run_by(labels)
    if scheme is not None and scheme != cost.scheme and scheme.reference is not None:
        implementation = scheme.reference.implementation
        note = joined(cost.note, f"timed in the application's own runtime, as {implementation}")
        cost = replace(cost, scheme=scheme, implementation=implementation, note=note)
    measurement = None if profile is None else measurement_for(cost, profile)
    if measurement is not None:
        knobs, lowest = measurement.knobs, measurement.lowest
    else:
        (implementations,) = select((cost.label,), every_implementation=False, available=pool)
        try:
            _, hasher = load_first(implementations)
        except UnavailableError:
            return cost
        knobs, lowest = hasher.knobs, hasher.lowest
    given = Cost(hasher=cost.hasher, implementation=cost.implementation, params=cost.params)
    with contextlib.nullcontext() if cost.place is None else said_of(str(cost.place)):
        try:
            return replace(cost, params=complete(given, knobs, lowest))
        except OutOfRangeError as error:
            return replace(cost, refused=str(error))


def installed_versions(labels: Iterable[str], pool: Sequence[Candidate]) -> dict[str, str]:
    """The versions of those implementations that load here."""
    candidates = {candidate.label: candidate for candidate in pool}
    versions = {}
    for label in sorted(labels):
        if label in candidates:
            with contextlib.suppress(HashcostError):
                versions[label] = candidates[label].load().version
    return versions
