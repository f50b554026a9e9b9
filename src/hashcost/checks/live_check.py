"""Time the hashers of configured costs, so that the costs can be judged."""

from collections.abc import Iterable, Sequence
from functools import partial

from msgspec.structs import replace

from hashcost.checks.check import check_one
from hashcost.checks.judgement import TIMED, Configured, Judgement, Outcome, Standard
from hashcost.core.measurement import Params
from hashcost.core.profile import Profile
from hashcost.core.progress import Progress
from hashcost.hashers.registry import Candidate
from hashcost.machine.host import Host
from hashcost.measure.request import Request
from hashcost.recommend.calibration import calibrate


def check_here(
    costs: Sequence[Configured],
    standard: Standard,
    *,
    host: Host,
    pool: Sequence[Candidate],
    progress: Progress | None = None,
) -> tuple[Profile, list[Judgement]]:
    """Time costs and judge them; a failure by time counts if a second measurement repeats it."""
    run = partial(measure, standard=standard, pool=pool, progress=progress)
    # The second measurement must not know the first, or it would only repeat it.
    as_before = replace(host, history=host.history.until_now())
    profile = run(costs, host=host)
    judgements = [check_one(cost, profile, standard) for cost in costs]
    doubted = [index for index, row in enumerate(judgements) if row.outcome in TIMED]
    if doubted:
        # In the reverse order, so that no hasher has the same neighbours in time twice.
        second_profile = run([costs[index] for index in reversed(doubted)], host=as_before)
        for index in doubted:
            second = check_one(costs[index], second_profile, standard)
            first = judgements[index]
            if first.outcome is not second.outcome:
                said = second.outcome.value
                judgements[index] = replace(
                    first,
                    outcome=Outcome.INCONCLUSIVE,
                    message=f"{first.message}; a second measurement said {said}",
                    advice="measure when the machine is quieter",
                )
    return profile, judgements


def measure(
    configured: Sequence[Configured],
    standard: Standard,
    *,
    host: Host,
    pool: Sequence[Candidate] | None = None,
    progress: Progress | None = None,
) -> Profile:
    """One profile of all hashers of these costs; of argon2id a run for each number of lanes.

    Raises:
        UsageError: a hasher or an implementation is unknown.
    """
    by_lanes: dict[int | None, list[Configured]] = {}
    # A cost without an implementation is judged by the first row of its hasher.
    for cost in sorted(configured, key=lambda cost: cost.implementation is not None):
        # Asked for one lane, a run would refuse hashers that have none.
        lanes = None if cost.lanes == 1 else cost.lanes
        by_lanes.setdefault(lanes, []).append(cost)
    profiles = []
    for lanes, costs in by_lanes.items():
        request = Request(
            target_seconds=standard.target_seconds,
            hashers=tuple(cost.label for cost in costs),
            policies=standard.policies,
            enforce=True,
            parallelism=lanes,
            extra_costs=extra_costs_of(costs),
        )
        profiles.append(calibrate(request, progress=progress, host=host, pool=pool))
    return together(profiles)


def together(profiles: Sequence[Profile]) -> Profile:
    """The profiles of several runs as one."""
    whole, *others = profiles
    for profile in others:
        # A busy machine is noticed by each run, with figures of its own.
        said = {notice.code for notice in whole.warnings}
        further = [notice for notice in profile.warnings if notice.code not in said]
        whole = replace(
            whole,
            measurements=(*whole.measurements, *profile.measurements),
            results=(*whole.results, *profile.results),
            warnings=(*whole.warnings, *further),
            duration_seconds=whole.duration_seconds + profile.duration_seconds,
        )
    return whole


def extra_costs_of(costs: Iterable[Configured]) -> dict[str, tuple[Params, ...]]:
    """The params of these costs by hasher, which `calibrate` times where they need memory."""
    extra_costs: dict[str, tuple[Params, ...]] = {}
    for cost in costs:
        # No library hashes at a cost that is refused.
        if not cost.refused:
            extra_costs[cost.hasher] = (*extra_costs.get(cost.hasher, ()), cost.params)
    return extra_costs
