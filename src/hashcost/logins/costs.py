"""The cost that a capacity is measured at, and the highest one that holds a demand."""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from msgspec.structs import replace

from hashcost.core.cost_expressions import Cost, complete
from hashcost.core.errors import (
    HashcostError,
    UnavailableError,
    UnreachableError,
    UsageError,
    lacking_resource,
)
from hashcost.core.measurement import Params
from hashcost.core.profile import Concurrency, Profile, Recommendation
from hashcost.core.units import (
    DEFAULT_TARGET_SECONDS,
    LONGEST_TARGET_SECONDS,
    format_bytes,
    format_duration,
    format_long,
    format_rate,
    format_setting,
)
from hashcost.fit.solver import Solution
from hashcost.fit.times import foreseen_seconds, setting_at
from hashcost.hashers.interface import Hasher, check_known_answers
from hashcost.hashers.registry import Candidate, candidates, load_first, one_line, select
from hashcost.logins.model import Demand
from hashcost.logins.queue_simulation import Service, highest_scale
from hashcost.machine.host import Host
from hashcost.machine.memory import memory_limit
from hashcost.measure.effort import FAST
from hashcost.measure.request import Request
from hashcost.recommend.recommendation import (
    lowest_setting,
    only_measurement,
    recommendation,
    solve_again,
)
from hashcost.recommend.saved import labels_in, rows_named
from hashcost.strength.appraisal import floors_of
from hashcost.strength.policies.catalogue import load_policy

_ESTIMATE_SECONDS: Final = 0.02
"""The target of the quick calibration that predicts the time of a given cost."""
POLICY: Final = "owasp"
"""The policy whose minimum every recommended cost meets."""
_CURE: Final = "ask for fewer --logins or a longer --p95, or share them between more machines"
_AIM: Final = 0.9
"""Share of the wanted p95 that a cost is chosen for, because the prediction is imprecise."""
_FIRST_TARGET: Final = 0.6
"""A hash is first solved for this share of the longest that it may take."""
_SHORTEST_TARGET: Final = 1e-4


@dataclass(frozen=True, kw_only=True)
class HashedCost:
    """A hasher that is loaded, a cost of it, and about the seconds that a hash takes."""

    hasher: Hasher
    params: Params
    expected_seconds: float


def check_costs(costs: Sequence[Cost], pool: Sequence[Candidate]) -> None:
    """Refuse a cost before any is timed.

    Raises:
        UsageError: its hasher does not take it.
        UnavailableError: the hasher cannot run.
    """
    for cost in costs:
        hasher = _loaded(cost, pool)
        if cost.params is not None:
            complete(cost, hasher.knobs, hasher.lowest)


def given_cost(
    cost: Cost, host: Host, run: Callable[[Request], Profile], pool: Sequence[Candidate] | None
) -> HashedCost:
    """Load the hasher of a cost that the user named, and estimate its time.

    Raises:
        UsageError: the cost is not the hasher's, or a hash takes too long.
        UnavailableError: the hasher cannot run.
    """
    hasher = _loaded(cost, pool)
    params = complete(cost, hasher.knobs, hasher.lowest)
    label = label_of(hasher)
    memory = None
    # Whoever names a cost allows its memory, where the system does not tell what it has.
    if memory_limit(host, None) is None:
        memory = hasher.memory_bytes(params)
    request = Request(
        target_seconds=_ESTIMATE_SECONDS, hashers=(label,), effort=FAST, memory_bytes=memory
    )
    near = only_measurement(run(request))
    with naming(label):
        expected = foreseen_seconds(near, params)
    if expected > LONGEST_TARGET_SECONDS:
        raise UsageError(
            f"{label} {format_setting(params)} takes about {format_long(expected)} a"
            f" hash; name a cost that takes at most {format_duration(LONGEST_TARGET_SECONDS)}"
        )
    return HashedCost(hasher=hasher, params=params, expected_seconds=expected)


def solved_cost(profile: Profile, pool: Sequence[Candidate] | None) -> HashedCost:
    """Load the hasher of a profile of one, at the recommended cost or else the lowest."""
    measurement = only_measurement(profile)
    setting = answer_or_lowest(profile)
    cost = Cost(hasher=measurement.hasher, implementation=measurement.implementation)
    hasher = _loaded(cost, pool)
    params = complete(replace(cost, params=setting.params), hasher.knobs, hasher.lowest)
    return HashedCost(hasher=hasher, params=params, expected_seconds=setting.seconds)


def first_target(demand: Demand, cpus: int) -> float:
    """The target, in seconds, of the cost at which hashes are timed for a demand."""
    # With all CPUs busy, each login has at most this time.
    longest = min(demand.p95_seconds, cpus / demand.logins_per_second)
    return min(max(_FIRST_TARGET * longest, _SHORTEST_TARGET), LONGEST_TARGET_SECONDS)


def measured_profile(
    label: str,
    target_seconds: float | None,
    *,
    memory: int | None,
    host: Host,
    run: Callable[[Request], Profile],
) -> Profile:
    """Measure and solve one hasher; a hash takes at most this ``memory`` in bytes."""
    if target_seconds is None:
        target_seconds = DEFAULT_TARGET_SECONDS
    free = host.available_memory()
    # What was asked for in all may be more than is free.
    if memory is not None and free is not None:
        memory = min(memory, free)
    request = Request(
        target_seconds=target_seconds,
        hashers=(label,),
        memory_bytes=memory,
        policies=(load_policy(POLICY),),
    )
    return run(request)


def saved_profile(origin: Profile, label: str, target_seconds: float | None) -> Profile:
    """Solve one hasher of a saved profile again, by default for the profile's own target.

    Raises:
        UsageError: the profile does not have it.
    """
    rows = rows_named(origin, label)
    if not rows:
        labels = ", ".join(labels_in(origin))
        raise UsageError(f"--from: {label} is not in the profile; name one of {labels}")
    if target_seconds is None:
        target_seconds = origin.target_seconds
    return solve_again(origin.only(rows[0]), target_seconds, (load_policy(POLICY),))


def highest_cost(
    profile: Profile, service: Service, demand: Demand, shared: Concurrency | None
) -> tuple[Recommendation, float]:
    """The highest cost that should hold the demand, from hashes at the profile's cost.

    Returns:
        The cost, and its time as a multiple of that of the hashes that were timed.

    Raises:
        UnreachableError: no cost at the policy's minimum holds it, or its hashes do not fit the
            memory.
    """
    measurement = only_measurement(profile)
    timed = answer_or_lowest(profile)
    rate = demand.logins_per_second
    seconds = highest_scale(service, rate, _AIM * demand.p95_seconds) * timed.seconds
    # The latencies were measured under the quota; the scale is of the time that a hash runs.
    unstopped = replace(measurement, cpu_limit=None)
    floors = floors_of((load_policy(POLICY),), measurement.hasher)
    row = recommendation(unstopped, min(seconds, LONGEST_TARGET_SECONDS), floors)
    if not isinstance(row, Recommendation):
        lowest = format_setting(lowest_setting(measurement).params)
        workers = f"{service.workers} workers do"
        if service.workers == 1:
            workers = "1 worker does"
        raise UnreachableError(
            f"{measurement.label}: even at {lowest} {workers} not hold {format_rate(rate)} with"
            f" this p95 (predicted); {_CURE}"
        )
    # A weak cost would hold the demand, but is never recommended.
    if floors is not None and not floors.is_met(row.params):
        raise UnreachableError(
            f"{row.label}: no cost at the minimum of {POLICY} holds {format_rate(rate)} with"
            f" this p95 (predicted); {format_setting(row.params)} would; {_CURE}"
        )
    # The profile may be of a machine with more memory.
    if shared is not None and row.memory_bytes * service.workers > shared.room_bytes:
        raise UnreachableError(
            f"{row.label}: {service.workers} hashes at {format_setting(row.params)} take more"
            f" than {format_bytes(shared.room_bytes)}; measure without --from"
        )
    return row, row.time_seconds / timed.seconds


def answer_or_lowest(profile: Profile) -> Solution:
    """The recommended setting of a profile of one hasher, or its lowest one."""
    measurement = only_measurement(profile)
    row = profile.results[0]
    answer = None
    if isinstance(row, Recommendation):
        answer = setting_at(measurement, row.params)
    return answer or lowest_setting(measurement)


def _loaded(cost: Cost, pool: Sequence[Candidate] | None) -> Hasher:
    """The first implementation that loads and computes its known answers."""
    if pool is None:
        pool = candidates()
    [implementations] = select([cost.label], every_implementation=False, available=pool)
    with naming(cost.label):
        candidate, hasher = load_first(implementations)
    with naming(candidate.label):
        # A library that computes something else must not be timed.
        check_known_answers(hasher)
    return hasher


@contextlib.contextmanager
def naming(label: str) -> Iterator[None]:
    """Name the hasher in every error; a library may raise anything at all."""
    try:
        yield
    except HashcostError as error:
        raise type(error)(f"{label}: {error}") from error
    except (Exception, SystemExit) as error:
        if isinstance(error, RuntimeError) and lacking_resource(error):
            # The thread that does not start is ours, not the library's.
            raise
        raise UnavailableError(f"{label}: failed: {one_line(error)}") from error


def label_of(hasher: Hasher) -> str:
    """``hasher@implementation``."""
    return f"{hasher.name}@{hasher.implementation}"
