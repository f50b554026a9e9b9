"""How many logins a second one machine can take: hashes in many threads, and a simulated queue."""

from collections.abc import Sequence
from functools import partial

from msgspec.structs import replace

from hashcost.core.cost_expressions import Cost
from hashcost.core.machine import TOOL, Machine, Notice, Probe
from hashcost.core.profile import Concurrency
from hashcost.core.progress import Progress
from hashcost.hashers.registry import Candidate
from hashcost.logins.costs import (
    HashedCost,
    first_target,
    given_cost,
    measured_profile,
    solved_cost,
)
from hashcost.logins.levels import lock_notices, measured_levels, thread_counts, workers
from hashcost.logins.model import Capacity, Demand, ThreadLevel
from hashcost.logins.prediction import highest_held, planned, usable_cpus
from hashcost.logins.queue_simulation import Service
from hashcost.machine.facts import whole_cpus
from hashcost.machine.host import Host, this_host
from hashcost.machine.memory import concurrency, limited, memory_for_each
from hashcost.machine.signals import noise_notices
from hashcost.measure.runner import PROBE_PASSWORD, PROBE_SALT
from hashcost.recommend.calibration import calibrate
from hashcost.recommend.recommendation import recommended_row


def measure_capacity(
    cost: Cost,
    *,
    target: float | None = None,
    demand: Demand | None = None,
    budget: float | None = None,
    memory_total: int | None = None,
    progress: Progress | None = None,
    host: Host | None = None,
    pool: Sequence[Candidate] | None = None,
) -> Capacity:
    """Hash in 1, 2 and more threads, up to twice the CPUs, and predict how logins fare.

    Without a cost, it is solved for the ``target``; with a ``demand``, it is the highest that a
    simulated queue says holds it. ``budget`` is the seconds for each number of threads;
    ``memory_total`` the bytes for the process with all its hashes, by default what this one may
    come to hold.

    Raises:
        HashcostError: the cost is wrong, the hasher cannot run, or no cost fits.
    """
    host = host or this_host()
    began = host.clock.wall()
    machine = host.describe()
    cpus = whole_cpus(machine)
    shared = None
    if memory_total is not None or host.available_memory() is not None:
        shared = concurrency(host, asked=memory_total)
    if memory_total is not None and shared is not None:
        host = limited(host, shared)
    run = partial(calibrate, progress=progress, host=host, pool=pool)
    profile = None
    if cost.params is not None:
        hashed = given_cost(cost, host, run, pool)
    else:
        memory = _memory_for_each(cpus, host, demand, shared, memory_total)
        if demand is not None:
            target = first_target(demand, cpus)
        profile = measured_profile(cost.label, target, memory=memory, host=host, run=run)
        if demand is None:
            recommended_row(profile.results[0])  # The lowest cost is no answer to a target.
        hashed = solved_cost(profile, pool)
    hasher = hashed.hasher
    levels, notices = _under_load(hashed, budget, machine, host, progress)
    busy = workers(levels, cpus)
    service = Service(workers=busy.threads, hash_seconds=busy.quiet_seconds)
    prediction = planned(service, hashed.params)
    memory_bytes = hasher.memory_bytes(hashed.params)
    if demand is not None and profile is not None:
        prediction, answer = highest_held(profile, service, demand, shared)
        memory_bytes = answer.memory_bytes
    return Capacity(
        schema=1,
        tool=TOOL,
        created=host.date(),
        machine=machine,
        probe=Probe(password_bytes=len(PROBE_PASSWORD), salt_bytes=len(PROBE_SALT)),
        hasher=hasher.name,
        implementation=hasher.implementation,
        implementation_version=hasher.version,
        params=prediction.params,
        memory_bytes=memory_bytes,
        cpus=cpus,
        duration_seconds=host.clock.wall() - began,
        levels=levels,
        concurrency=shared and replace(shared, at_once=service.workers),
        demand=demand,
        prediction=prediction,
        warnings=notices,
    )


def _memory_for_each(
    cpus: int,
    host: Host,
    demand: Demand | None,
    shared: Concurrency | None,
    memory_total: int | None,
) -> int | None:
    """The bytes that one hash may take, for a cost that is still to be found."""
    # A demand shares the memory that was named between as many hashes as there are CPUs.
    if demand is not None and memory_total is not None and shared is not None:
        return shared.room_bytes // shared.at_once
    # Twice as many hashes as CPUs run at once in the last level.
    return memory_for_each(host, 2 * cpus)


def _under_load(
    hashed: HashedCost,
    budget: float | None,
    machine: Machine,
    host: Host,
    progress: Progress | None,
) -> tuple[tuple[ThreadLevel, ...], tuple[Notice, ...]]:
    """Hash in each number of threads, and tell what else the machine did meanwhile."""
    cpus = whole_cpus(machine)
    # What happened while the cost was looked for is not counted.
    before = host.counters()
    levels, notices = measured_levels(
        hashed, thread_counts(cpus), usable_cpus(machine), budget, host, progress
    )
    lanes = hashed.hasher.threads(hashed.params)
    noise = noise_notices(before, host.counters(), ())
    return levels, (*notices, *lock_notices(levels, cpus, lanes), *noise)
