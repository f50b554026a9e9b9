"""Predict by a simulated queue how logins fare: from hashes of this run or of a profile. Pure."""

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from hashcost.core.cost_expressions import Cost, complete
from hashcost.core.errors import UnreachableError, UsageError
from hashcost.core.machine import Machine, Notice
from hashcost.core.measurement import Measurement, Params
from hashcost.core.profile import Concurrency, Profile, Recommendation
from hashcost.core.units import format_bytes, format_setting
from hashcost.fit.order_statistics import quantile
from hashcost.fit.solver import Solution
from hashcost.fit.times import setting_at
from hashcost.logins.costs import answer_or_lowest, first_target, highest_cost, saved_profile
from hashcost.logins.model import Capacity, CapacityComparison, CapacityRow, Demand, Prediction
from hashcost.logins.queue_simulation import Service, simulate
from hashcost.machine.facts import whole_cpus
from hashcost.recommend.recommendation import only_measurement, recommended_row

_LOAD: Final = 0.7
"""Share of the most that a server may plan with; beyond it queues grow steeply."""


def usable_cpus(machine: Machine) -> float:
    """The CPUs that may be busy at once; a quota may leave part of one."""
    cpus = float(whole_cpus(machine))
    if machine.cpu_limit is not None:
        cpus = min(cpus, machine.cpu_limit.cpus)
    return cpus


def planned(service: Service, params: Params) -> Prediction:
    """Predict the waits at the load that a server can plan with."""
    return _simulated(service, params, _LOAD * service.most_per_second)


def highest_held(
    profile: Profile, service: Service, demand: Demand, shared: Concurrency | None
) -> tuple[Prediction, Recommendation]:
    """The waits at the highest cost that holds the demand, and that cost.

    Raises:
        UnreachableError: no cost at the policy's minimum holds it, or its hashes do not fit the
            memory.
    """
    row, scale = highest_cost(profile, service, demand, shared)
    prediction = _simulated(service.scaled(scale), row.params, demand.logins_per_second)
    return prediction, row


def _simulated(service: Service, params: Params, rate: float) -> Prediction:
    """Simulate logins that arrive at this rate a second."""
    responses = simulate(service, rate)
    return Prediction(
        params=params,
        load=rate / service.most_per_second,
        workers=service.workers,
        arrivals_per_second=rate,
        p50_seconds=quantile(responses, 0.5),
        p95_seconds=quantile(responses, 0.95),
    )


def measured_comparison(capacities: Sequence[Capacity]) -> CapacityComparison:
    """Compare what was measured, one cost after the other, on one machine."""
    last = capacities[-1]
    rows = []
    warnings: list[Notice] = []
    for capacity in capacities:
        size, prediction = capacity.memory_bytes, capacity.prediction
        rows.append(_row(capacity, size, prediction, is_predicted=False))
        warnings += capacity.warnings
    return CapacityComparison(
        schema=1,
        tool=last.tool,
        created=last.created,
        machine=last.machine,
        cpus=last.cpus,
        rows=tuple(rows),
        warnings=tuple(dict.fromkeys(warnings)),
    )


def predicted_comparison(
    costs: Sequence[Cost],
    origin: Profile,
    *,
    target: float | None = None,
    demand: Demand | None = None,
    shared: Concurrency | None = None,
) -> CapacityComparison:
    """Predict, from hashes that a profile timed one at a time, how logins fare at each cost.

    A hasher without a cost is solved for the ``target``, by default the profile's, or for the
    ``demand``. ``shared`` limits the memory of all hashes.

    Raises:
        UsageError: the profile does not have the hasher, or the cost does not follow from it.
        UnreachableError: no cost fits the target, holds the demand, or has the memory.
    """
    rows = [_predicted_row(cost, origin, target, demand, shared) for cost in costs]
    return CapacityComparison(
        schema=1,
        tool=origin.tool,
        created=origin.created,
        machine=origin.machine,
        cpus=whole_cpus(origin.machine),
        rows=tuple(rows),
        demand=demand,
        warnings=origin.warnings,
    )


def _row(
    timed: Capacity | Measurement, size: int, prediction: Prediction, *, is_predicted: bool
) -> CapacityRow:
    """The figures that costs are compared by; ``size`` is the memory of one hash in bytes."""
    return CapacityRow(
        hasher=timed.hasher,
        implementation=timed.implementation,
        implementation_version=timed.implementation_version,
        logins_per_second=prediction.arrivals_per_second / prediction.load,
        memory_bytes=prediction.workers * size,
        prediction=prediction,
        is_predicted=is_predicted,
    )


def _predicted_row(
    cost: Cost,
    origin: Profile,
    target: float | None,
    demand: Demand | None,
    shared: Concurrency | None,
) -> CapacityRow:
    if demand is not None:
        target = first_target(demand, whole_cpus(origin.machine))
    profile = saved_profile(origin, cost.label, target)
    if cost.params is not None:
        measurement, setting = _measured_cost(cost, origin)
    else:
        measurement, setting = only_measurement(profile), answer_or_lowest(profile)
        if demand is None:
            recommended_row(profile.results[0])  # The lowest cost is no answer to a target.
    size = setting.curve.memory_bytes
    low, high = setting.curve.relative_interval
    error = max(1 - low, high - 1)
    service = _service(origin.machine, measurement, setting, shared)
    if demand is None:
        prediction = planned(service, setting.params)
    else:
        prediction, answer = highest_held(profile, service, demand, shared)
        size, error = answer.memory_bytes, answer.error_fraction
    row = _row(measurement, size, prediction, is_predicted=True)
    return replace(row, error_fraction=error)


def _measured_cost(cost: Cost, origin: Profile) -> tuple[Measurement, Solution]:
    """A measurement that tells the time of a cost; argon2id may have one for each lane count."""
    for measurement in origin.measurements:
        if not measurement.is_called(cost.label):
            continue
        params = complete(cost, measurement.knobs, measurement.lowest)
        setting = setting_at(measurement, params)
        if setting is not None:
            return measurement, setting
    raise UsageError(
        f"--from: the profile does not tell the time of {cost.label}"
        f" {format_setting(cost.params or {})}; leave --from out to measure it"
    )


def _service(
    machine: Machine, measurement: Measurement, setting: Solution, shared: Concurrency | None
) -> Service:
    """A worker for each hash that has CPUs and memory, as quick as a single hash."""
    cpus = whole_cpus(machine)
    workers = max(1, cpus // measurement.lanes)
    size = setting.curve.memory_bytes
    if shared is not None and size:
        workers = min(workers, shared.room_bytes // size)
    if shared is not None and not workers:
        raise UnreachableError(
            f"{measurement.label}: one hash takes {format_bytes(size)}, and beside the process's"
            f" own {format_bytes(shared.process_bytes)} there is room for"
            f" {format_bytes(shared.room_bytes)}; raise --memory-total"
        )
    # The quota stops workers that want more CPUs than it leaves.
    wanted = min(workers * measurement.lanes, cpus)
    stopped = max(1.0, wanted / usable_cpus(machine))
    return Service(workers=workers, hash_seconds=(stopped * setting.seconds,))
