"""Configured costs completed and checked against the ranges of the hashers that are here."""

import contextlib
from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from hashcost.apps.interface import joined
from hashcost.core.cost_expressions import Cost, complete
from hashcost.core.errors import HashcostError, UnavailableError, said_of
from hashcost.core.profile import Profile
from hashcost.hashers.registry import Candidate, load_first, select
from hashcost.verdicts.check import measurement_for
from hashcost.verdicts.judgement import Configured


def completed(cost: Configured, profile: Profile | None, pool: Sequence[Candidate]) -> Configured:
    """The cost with every param in the hasher's own order, each within its range.

    The profile knows the range, or the library that is here; one that does not load leaves the
    cost as it is. An application's own library judges it where that was timed, or can be.

    Raises:
        UsageError: the hasher is unknown, or the cost is outside its range.
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
        return replace(cost, params=complete(given, knobs, lowest))


def installed_versions(labels: Iterable[str], pool: Sequence[Candidate]) -> dict[str, str]:
    """The versions of those implementations that load here."""
    candidates = {candidate.label: candidate for candidate in pool}
    versions = {}
    for label in labels:
        if label in candidates:
            with contextlib.suppress(HashcostError):
                versions[label] = candidates[label].load().version
    return versions
