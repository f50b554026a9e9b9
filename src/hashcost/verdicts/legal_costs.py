"""Configured costs beside the hashers that are installed: whole, legal, of which version."""

import contextlib
from collections.abc import Collection, Iterable, Sequence

import msgspec

from hashcost.apps.interface import joined
from hashcost.core.cost_expressions import Cost, complete
from hashcost.core.errors import HashcostError, UnavailableError, said_of
from hashcost.core.measurement import Knob, Params
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
    timed = (each.label for each in pool if each.runtime)
    if profile is not None:
        timed = (row.label for row in profile.recommendations)
    cost = run_by(cost, {*timed})
    measurement = None if profile is None else measurement_for(cost, profile)
    if measurement is not None:
        return completed_by(cost, measurement.knobs, measurement.lowest)
    (implementations,) = select((cost.label,), every_implementation=False, available=pool)
    try:
        _, hasher = load_first(implementations)
    except UnavailableError:
        return cost
    return completed_by(cost, hasher.knobs, hasher.lowest)


def completed_by(cost: Configured, knobs: Sequence[Knob], lowest: Params) -> Configured:
    """One cost with every param, as `hashcost.core.cost_expressions.complete` has it.

    Raises:
        UsageError: it is outside the hasher's range.
    """
    given = Cost(hasher=cost.hasher, implementation=cost.implementation, params=cost.params)
    with contextlib.nullcontext() if cost.place is None else said_of(str(cost.place)):
        return msgspec.structs.replace(cost, params=complete(given, knobs, lowest))


def run_by(cost: Configured, labels: Collection[str]) -> Configured:
    """The cost as the application's own library runs it, where that is one of these."""
    scheme = None if cost.scheme is None else cost.scheme.run_by(labels)
    if scheme is None or scheme == cost.scheme or scheme.reference is None:
        return cost
    implementation = scheme.reference.implementation
    note = joined(cost.note, f"timed in the application's own runtime, as {implementation}")
    return msgspec.structs.replace(cost, scheme=scheme, implementation=implementation, note=note)


def installed_versions(labels: Iterable[str], pool: Sequence[Candidate]) -> dict[str, str]:
    """The versions of those implementations that load here."""
    known = {candidate.label: candidate for candidate in pool}
    found = {}
    for label in labels:
        if label in known:
            with contextlib.suppress(HashcostError):
                found[label] = known[label].load().version
    return found
