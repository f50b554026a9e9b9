"""Time the hashers of configured costs, so that the costs can be judged."""

from collections.abc import Iterable, Sequence
from functools import partial

import msgspec

from hashcost.checks.check import check_all
from hashcost.checks.judgement import TIMED, Configured, Judgement, Outcome, Standard
from hashcost.core.measurement import Params
from hashcost.core.profile import Profile
from hashcost.core.progress import Progress
from hashcost.hashers.registry import Candidate
from hashcost.machine.host import Host
from hashcost.recommend.calibration import Request, calibrate


def check_here(
    costs: Sequence[Configured],
    standard: Standard,
    *,
    host: Host,
    pool: Sequence[Candidate],
    progress: Progress | None = None,
) -> tuple[Profile, tuple[Judgement, ...]]:
    """Time costs and judge them; a failure by time counts if a second measurement repeats it."""
    run = partial(measure, standard=standard, pool=pool, progress=progress)
    # The second measurement must not know the first, or it would only repeat it.
    as_before = msgspec.structs.replace(host, history=host.history.until_now())
    profile = run(costs, host=host)
    judgements = check_all(costs, profile, standard)
    pairs = zip(costs, judgements, strict=True)
    doubted = [cost for cost, judgement in pairs if judgement.outcome in TIMED]
    if doubted:
        again = iter(check_all(doubted, run(doubted[::-1], host=as_before), standard))
        judgements = tuple(
            _confirmed(row, next(again)) if row.outcome in TIMED else row for row in judgements
        )
    return profile, judgements


def _confirmed(first: Judgement, second: Judgement) -> Judgement:
    if first.outcome is second.outcome:
        return first
    return msgspec.structs.replace(
        first,
        outcome=Outcome.INCONCLUSIVE,
        message=f"{first.message}; a second measurement said {second.outcome.value}",
        advice="measure when the machine is quieter",
    )


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
        lanes = cost.params.get("parallelism", 1)
        by_lanes.setdefault(None if lanes == 1 else lanes, []).append(cost)
    profiles = [
        calibrate(
            Request(
                target_seconds=standard.target_seconds,
                hashers=tuple(cost.label for cost in costs),
                policies=standard.policies,
                enforce=True,
                parallelism=lanes,
                visits=visits_of(costs),
            ),
            progress=progress,
            host=host,
            pool=pool,
        )
        for lanes, costs in by_lanes.items()
    ]
    return msgspec.structs.replace(
        profiles[0],
        measurements=tuple(m for profile in profiles for m in profile.measurements),
        results=tuple(row for profile in profiles for row in profile.results),
        warnings=tuple(dict.fromkeys(n for profile in profiles for n in profile.warnings)),
        duration_seconds=sum(profile.duration_seconds for profile in profiles),
    )


def visits_of(costs: Iterable[Configured]) -> dict[str, tuple[Params, ...]]:
    """The params of these costs by hasher, which `calibrate` times where they need memory."""
    visits: dict[str, tuple[Params, ...]] = {}
    for cost in costs:
        # No library hashes at a cost that is refused.
        if not cost.refused:
            visits[cost.hasher] = (*visits.get(cost.hasher, ()), cost.params)
    return visits
