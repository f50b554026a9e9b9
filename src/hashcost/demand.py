"""The highest cost that holds a rate of logins with a tail: foreseen, then held for real."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from hashcost.capacity import (
    Progress,
    assembled,
    doubts,
    measure_levels,
    service_of,
    signals,
    tell_nobody,
    thread_counts,
    workers,
)
from hashcost.costs import Cost
from hashcost.errors import HashcostError, InconclusiveError, UnreachableError, UsageError
from hashcost.measuring import PROBE_PASSWORD, PROBE_SALT
from hashcost.model import (
    Capacity,
    Demand,
    LoadRun,
    Notice,
    Params,
    Profile,
    Recommendation,
    Result,
    Rounding,
    Scale,
)
from hashcost.policies.catalogue import load_policy
from hashcost.policies.policy import Floor, assess
from hashcost.queueing import (
    Service,
    fewest_servers,
    highest_rate,
    highest_scale,
    schedule,
    simulate,
)
from hashcost.recommendation import has_untimed_steps, solve_again
from hashcost.stats import FEWEST_FOR_SURE_TAIL, FEWEST_FOR_TAIL, quantile
from hashcost.subject import (
    Subject,
    foreseen_seconds,
    measured_row,
    naming,
    solved_profile,
    subject_of,
)
from hashcost.timing.clock import Clock, system_clock
from hashcost.timing.load import open_loop
from hashcost.timing.machine import describe_machine, whole_cpus
from hashcost.timing.signals import read_counters
from hashcost.units import format_cost, format_duration, format_rate

DEFAULT_RUN_SECONDS: Final = 20.0
LONGEST_RUN_SECONDS: Final = 600.0

_MOST_RUNS: Final = 3
_MOST_ARRIVALS: Final = 100_000
_FIRST_AIM: Final = 0.6
"""A hash is first solved for this share of what it may take at most."""
_SHORTEST_TARGET: Final = 1e-4
_LONGEST_TARGET: Final = 60.0
_LEVEL_SECONDS: Final = 2.0
"""For each number of threads; the run that follows is what decides."""
_LEAST_STEP: Final = 0.05
"""A linear cost that has failed is lowered by at least this share."""
_STEP_DOWN: Final = 0.75
"""Of the time at a step that doubles: the target that leads to the next one below."""
_MOST_TRIES: Final = 8
_PATIENCE: Final = 10.0
"""Limits that a login may wait for a worker before its run is given up."""
_PATIENCE_SECONDS: Final = 2.0
_AIM: Final = 0.9
"""Of the p95 asked for: the p95 that a cost is picked for by the simulated queue."""
_SLACK: Final = 0.15
"""Hashes that were quicker than foreseen by more than this lead to a higher cost."""
_NEAR: Final = 1.1
"""A cost within this of another one's time is taken for the same."""


def meet_demand(
    cost: Cost,
    demand: Demand,
    *,
    origin: Profile | None = None,
    seconds: float = DEFAULT_RUN_SECONDS,
    budget: float | None = None,
    progress: Progress | None = None,
    clock: Clock | None = None,
    chance: random.Random | None = None,
) -> Capacity:
    """Find the highest cost that holds so many logins a second with this tail.

    A simulated queue picks the cost, and real hashes at random moments confirm it; a
    run that fails leads to a lower cost, three times at most.

    Args:
        cost: The hasher, without a cost.
        demand: Logins a second, and the time that 95 of 100 may take.
        origin: A profile that the hasher's cost is solved from.
        seconds: How long a run lasts; longer where fewer than 59 logins arrive in it.
        budget: Seconds for each number of threads before it.
        progress: Called between measurements with the fraction done.
        clock: Another pair of clocks, for tests.
        chance: When logins arrive, for tests.

    Raises:
        HashcostError: the demand cannot be tried, or the hasher cannot run.
    """
    arrivals, lasts = _size(demand, seconds)
    if cost.params is not None:
        raise UsageError("--logins asks for the highest cost; leave the hasher's cost out")
    report = progress or tell_nobody
    clock = clock or system_clock()
    started = clock.wall()
    machine = describe_machine()
    cpus = whole_cpus(machine)
    target = _FIRST_AIM * min(demand.p95_seconds, cpus / demand.logins_per_second)
    target = min(max(target, _SHORTEST_TARGET), _LONGEST_TARGET)
    profile = solved_profile(cost, target, origin, cpus=cpus, clock=clock)
    row = measured_row(profile.results[0])
    subject = subject_of(row)
    report(0.05)
    before = read_counters()
    levels, skipped = measure_levels(
        subject,
        [threads for threads in thread_counts(cpus) if threads <= cpus],
        budget=_LEVEL_SECONDS if budget is None else budget,
        clock=clock,
        progress=lambda done: report(0.05 + 0.15 * done),
    )
    chosen = workers(levels, cpus)
    search = _Search(
        demand=demand,
        cost=cost,
        cpus=cpus,
        clock=clock,
        profile=profile,
        measured=row,
        served=service_of(levels, chosen),
        renews=origin is None,
    )
    chance = chance or random.Random()

    def run_at(row: Recommendation) -> LoadRun:
        due = schedule(arrivals, lasts, chance)
        return run_load(subject_of(row), demand, threads=chosen.threads, due=due, clock=clock)

    runs: list[LoadRun] = []
    error: HashcostError | None = None
    held: Recommendation | None = None
    try:
        held = _settle(search, run_at, runs, lambda done: report(0.2 + 0.8 * done))
    except (UnreachableError, InconclusiveError) as caught:
        error = caught
    return assembled(
        subject,
        machine,
        params=None if held is None else held.params,
        duration_seconds=clock.wall() - started,
        levels=levels,
        demand=demand,
        runs=tuple(runs),
        error=None if error is None else str(error),
        code=None if error is None else error.code,
        warnings=(
            *skipped,
            *(() if held is None else search.remarks(held)),
            *doubts(levels, cpus),
            *signals(before),
        ),
    )


def run_load(
    subject: Subject,
    demand: Demand,
    *,
    threads: int,
    due: Sequence[float],
    clock: Clock,
) -> LoadRun:
    """Hash logins that are due at these seconds, and see whether the demand is met.

    Raises:
        WrongAnswerError: a thread computed something else than the hash.
    """
    hasher, params = subject.hasher, subject.params
    with naming(subject.label):
        opened = open_loop(
            clock,
            [hasher.ready(PROBE_PASSWORD, PROBE_SALT, params) for _ in range(threads)],
            due,
            patience_seconds=max(_PATIENCE * demand.p95_seconds, _PATIENCE_SECONDS),
            where=f"at {format_cost(params)}",
        )
    responses = tuple(login.response_seconds for login in opened.served)
    lasted = max(login.end for login in opened.served) - opened.began
    hashing = sum(login.end - login.start for login in opened.served)
    p95 = quantile(responses, 0.95)
    return LoadRun(
        params=params,
        workers=threads,
        arrivals=len(due),
        served=len(responses),
        duration_seconds=lasted,
        logins_per_second=len(responses) / lasted if lasted > 0 else math.inf,
        p50_seconds=quantile(responses, 0.5),
        p95_seconds=p95,
        p95_is_rough=len(responses) < FEWEST_FOR_SURE_TAIL,
        max_seconds=max(responses),
        utilisation=hashing / (threads * lasted) if lasted > 0 else 0.0,
        held=len(responses) == len(due) and p95 <= demand.p95_seconds,
        response_seconds=responses,
    )


def _settle(
    search: _Search,
    run_at: Callable[[Recommendation], LoadRun],
    runs: list[LoadRun],
    report: Progress,
) -> Recommendation:
    """The highest cost that a run has held; every run is added to ``runs``.

    One that fails is followed by a lower cost, one that was far from the limit by a
    higher one.

    Raises:
        UnreachableError: there is no lower cost.
        InconclusiveError: none was held, and enough were tried.
    """
    held: Recommendation | None = None
    candidate: Recommendation | None = search.first()
    while candidate is not None and len(runs) < _MOST_RUNS:
        report(len(runs) / _MOST_RUNS)
        run = run_at(candidate)
        runs.append(run)
        if run.held:
            held = candidate
            failed = any(not earlier.held for earlier in runs)
            candidate = None if failed else search.above(held, run)
        elif held is not None:
            break
        else:
            candidate = search.below(candidate, run)
    if held is None:
        raise InconclusiveError(_unsettled(runs, search.demand))
    return held


@dataclass(frozen=True, kw_only=True)
class _Search:
    """What is known of a hasher, to foresee which of its costs meets a demand.

    ``served`` are service times at the cost of ``measured``; those of another cost are
    taken to be longer or shorter by what the model says of one hash.
    """

    demand: Demand
    cost: Cost
    cpus: int
    clock: Clock
    profile: Profile
    measured: Recommendation
    served: Service
    renews: bool
    """Whether steps of memory that were not timed may be timed now."""

    def first(self) -> Recommendation:
        """The highest cost that should hold.

        Raises:
            UnreachableError: there is none; the message says what there is instead.
        """
        found = self._foreseen(1.0, self._aim) or self._foreseen(1.0, self.demand.p95_seconds)
        if found is None:
            raise UnreachableError(self._instead())
        return found

    def above(self, held: Recommendation, run: LoadRun) -> Recommendation | None:
        """A higher cost, where hashes were so much quicker than foreseen that it should hold.

        The service times were measured before, perhaps while the machine was busier.
        """
        slowness = self._slowness(held, run)
        found = self._foreseen(slowness, self._aim) if slowness < 1 - _SLACK else None
        if found is None or found.time_seconds <= _NEAR * held.time_seconds:
            return None
        return found

    def below(self, failed: Recommendation, run: LoadRun) -> Recommendation:
        """A lower cost than one that has failed.

        One step, of a cost that doubles. Another is lowered by as much as hashes were
        slower than foreseen, or by what overshoots so far in the simulated queue, and
        by a twentieth at least.

        Raises:
            UnreachableError: there is none.
        """
        rate = self.demand.logins_per_second
        if failed.knobs[0].scale is Scale.LOG2:
            seconds = _STEP_DOWN * failed.time_seconds
        else:
            there = self._at(failed.time_seconds)
            fits = highest_scale(there, rate, self._aim)
            overshoots = highest_scale(there, rate, max(run.p95_seconds, self._aim))
            slower = fits / max(self._slowness(failed, run), 1.0)
            share = min(fits / overshoots if overshoots else 0.0, slower, 1 - _LEAST_STEP)
            seconds = share * failed.time_seconds
        for _ in range(_MOST_TRIES):
            found = self._solved(seconds)
            if found is None:
                break
            if found.params != failed.params:
                return found
            # A step of memory that is timed again may turn out quicker.
            seconds *= _STEP_DOWN
        raise UnreachableError(
            f"{format_cost(failed.params)} is the lowest cost here, and its run had a p95 of"
            f" {format_duration(run.p95_seconds)}; measure again when the machine is quieter, or"
            " ask for less"
        )

    def remarks(self, held: Recommendation) -> tuple[Notice, ...]:
        """What limits the cost, and whether a policy asks for more."""
        notices = []
        alone = self._aim / self._alone_seconds
        highest = self._solved(alone * self.measured.time_seconds)
        if highest is not None and highest.time_seconds <= _NEAR * held.time_seconds:
            hash_seconds = self._alone_seconds * held.time_seconds / self.measured.time_seconds
            notices.append(
                Notice(
                    code="tail",
                    message="the cost is bounded by the p95 asked for, not by the rate: one"
                    f" hash alone takes {format_duration(hash_seconds)} of"
                    f" {format_duration(self.demand.p95_seconds)}",
                    advice="more CPUs allow no higher cost; a longer --p95 does",
                )
            )
        floor = self._unmet_floor(held.params)
        if floor is not None:
            notices.append(
                Notice(
                    code="weak",
                    message=f"{format_cost(held.params)} is less than OWASP asks for,"
                    f" {self._asked_at_least(floor)}",
                    advice=self._for_floor(floor),
                )
            )
        return tuple(notices)

    @property
    def _aim(self) -> float:
        """The tail that a cost is picked for: chance has a share in that of a run."""
        return _AIM * self.demand.p95_seconds

    def _foreseen(self, slowness: float, p95_seconds: float) -> Recommendation | None:
        """The highest cost with this tail, were every hash this many times as slow."""
        served = self.served.scaled(slowness)
        scale = highest_scale(served, self.demand.logins_per_second, p95_seconds)
        return self._solved(scale * self.measured.time_seconds)

    def _slowness(self, row: Recommendation, run: LoadRun) -> float:
        """How many times as long hashes took in a run as was foreseen."""
        rate = self.demand.logins_per_second
        foreseen = simulate(self._at(row.time_seconds), rate).utilisation / rate
        return run.utilisation / run.logins_per_second / foreseen

    @property
    def _alone_seconds(self) -> float:
        """What 95 of 100 hashes take at the measured cost when no other is at work."""
        return self.served.seconds[0] * quantile(self.served.factors, 0.95)

    def _solved(self, seconds: float) -> Recommendation | None:
        """The highest cost of which one hash takes no longer; none where the lowest does."""
        if not 0 < seconds < math.inf:
            return None
        seconds = min(seconds, _LONGEST_TARGET)
        again = solve_again(self.profile, seconds, Rounding.DOWN).results[0]
        if self._may_renew and (not isinstance(again, Recommendation) or has_untimed_steps(again)):
            again = self._renewed(seconds)
        return again if isinstance(again, Recommendation) else None

    @property
    def _may_renew(self) -> bool:
        """Whether there are steps of memory that were not timed and may be."""
        return self.renews and self.measured.knobs[0].scale is Scale.LADDER

    def _renewed(self, seconds: float) -> Result:
        profile = solved_profile(self.cost, seconds, None, cpus=self.cpus, clock=self.clock)
        return profile.results[0]

    def _at(self, seconds: float) -> Service:
        """The service times of a cost of which one hash takes so long."""
        return self.served.scaled(seconds / self.measured.time_seconds)

    def _lowest(self) -> tuple[Params, float]:
        """The lowest legal cost, and what one hash takes at it."""
        if self._may_renew:
            row = measured_row(self._renewed(_SHORTEST_TARGET))
        else:
            failed = solve_again(self.profile, _SHORTEST_TARGET / 1e6, Rounding.DOWN)
            row = measured_row(failed.results[0])
        return row.params, row.time_seconds

    def _instead(self) -> str:
        """What these CPUs hold at the lowest cost, and what the demand would need."""
        rate, limit = self.demand.logins_per_second, self.demand.p95_seconds
        params, seconds = self._lowest()
        served = self._at(seconds)
        at = f"even at {format_cost(params)}"
        if (most := highest_rate(served, limit)) <= 0:
            alone = self._alone_seconds * seconds / self.measured.time_seconds
            return (
                f"{at} one hash alone takes {format_duration(alone)}, longer than the p95 asked"
                f" for; raise --p95 above {format_duration(alone)}"
            )
        most_held = f"{at} {self._these()} can hold {format_rate(most)} with this p95"
        parts = [f"{most_held}, not {format_rate(rate)}"]
        if rate < served.most_per_second:
            outcome = simulate(served, rate)
            parts.append(f"at that rate their p95 is about {format_duration(outcome.p95_seconds)}")
        needed = [(params, fewest_servers(served, rate, limit))]
        floor = self._unmet_floor(params)
        if floor is not None:
            needed.append((floor.params, self._servers_for(floor)))
        parts += [
            f"{format_cost(cost)} needs about {cores} such CPUs"
            for cost, cores in needed
            if cores is not None
        ]
        return "; ".join(parts)

    def _these(self) -> str:
        """What serves the logins here."""
        workers = self.served.servers
        if workers != self.cpus:
            return f"{workers} workers"
        return f"these {workers} CPUs" if workers > 1 else "this one CPU"

    def _unmet_floor(self, params: Params) -> Floor | None:
        """The first that OWASP lists for this hasher, where these params meet none."""
        policy, hasher = load_policy("owasp"), self.measured.hasher
        short = assess(policy, hasher, params).met is False
        return policy.floors_of(hasher)[0] if short else None

    def _asked_at_least(self, floor: Floor) -> str:
        """A floor in words; where there are several, any of them will do."""
        cost = format_cost(floor.params)
        alone = len(load_policy("owasp").floors_of(floor.hasher)) == 1
        return f"{cost} at least" if alone else f"one of several settings such as {cost}"

    def _servers_for(self, floor: Floor) -> int | None:
        seconds = self._floor_seconds(floor)
        if seconds is None:
            return None
        return fewest_servers(
            self._at(seconds), self.demand.logins_per_second, self.demand.p95_seconds
        )

    def _floor_seconds(self, floor: Floor) -> float | None:
        """What one hash takes at a floor, where a line leads there; memory is not foreseen."""
        if self.measured.knobs[0].scale is Scale.LADDER:
            return None
        return foreseen_seconds(self.measured, floor.params, 0)

    def _for_floor(self, floor: Floor) -> str:
        cores = self._servers_for(floor)
        if cores is not None:
            return f"that needs about {cores} such CPUs for this demand"
        seconds = self._floor_seconds(floor)
        if seconds is not None and seconds > self.demand.p95_seconds:
            return f"one hash takes {format_duration(seconds)} there; raise --p95"
        return "that takes more CPUs, or a longer --p95"


def _size(demand: Demand, seconds: float) -> tuple[int, float]:
    """How many logins arrive in a run, and within how many seconds.

    Raises:
        UsageError: so few arrive that a run would last too long.
    """
    if seconds > LONGEST_RUN_SECONDS:
        raise UsageError(f"--duration: it must be at most {format_duration(LONGEST_RUN_SECONDS)}")
    rate = demand.logins_per_second
    wanted = max(math.ceil(rate * seconds), FEWEST_FOR_SURE_TAIL)
    arrivals = min(wanted, math.floor(rate * LONGEST_RUN_SECONDS), _MOST_ARRIVALS)
    if arrivals < FEWEST_FOR_TAIL:
        raise UsageError(
            f"--logins: at {format_rate(rate)} fewer than {FEWEST_FOR_TAIL} arrive in the"
            f" {format_duration(LONGEST_RUN_SECONDS)} that a run lasts at most; any cost"
            " holds that whose hash takes less than the p95"
        )
    return arrivals, arrivals / rate


def _unsettled(runs: Sequence[LoadRun], demand: Demand) -> str:
    """What three runs that all failed have to say."""
    tried = ", ".join(
        f"{format_cost(run.params)} {format_duration(run.p95_seconds)}" for run in runs
    )
    return (
        f"{len(runs)} runs at ever lower costs had a p95 beyond"
        f" {format_duration(demand.p95_seconds)} ({tried}); measure again when the machine is"
        " quieter"
    )
