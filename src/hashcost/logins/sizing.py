"""Which cost of a hasher should hold a rate of logins with a tail, by a simulated queue."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from hashcost.core.capacity import Demand, LoadRun
from hashcost.core.cost_expressions import Cost
from hashcost.core.errors import UnreachableError
from hashcost.core.machine import Notice
from hashcost.core.measurement import Measurement, Params
from hashcost.core.profile import Profile, Recommendation, Rounding
from hashcost.core.units import format_duration, format_rate, format_setting
from hashcost.fit.order_statistics import quantile
from hashcost.fit.solver import Solution
from hashcost.fit.times import foreseen_seconds
from hashcost.hashers.registry import Candidate
from hashcost.logins.queue_simulation import (
    Service,
    fewest_servers,
    highest_rate,
    highest_scale,
    simulate,
)
from hashcost.machine.host import Host
from hashcost.recommend.one_hasher import answer_or_lowest, solved_profile
from hashcost.recommend.recommendation import has_untimed_steps, lowest_setting, recommendation
from hashcost.worth.policies.catalogue import load_policy
from hashcost.worth.policies.policy import Floor, assess

SHORTEST_TARGET: Final = 1e-4
LONGEST_TARGET: Final = 60.0
"""Seconds that a hash is solved for, at least and at most."""

_LEAST_STEP: Final = 0.05
"""A linear cost that has failed is lowered by at least this share."""
_STEP_DOWN: Final = 0.75
"""Of the time at a step that doubles: the target that leads to the next one below."""
_MOST_TRIES: Final = 8
_AIM: Final = 0.9
"""Of the p95 asked for: the p95 that a cost is picked for by the simulated queue."""
_SLACK: Final = 0.15
"""Hashes that were quicker than foreseen by more than this lead to a higher cost."""
_NEAR: Final = 1.1
"""A cost within this of another one's time is taken for the same."""


@dataclass(frozen=True, kw_only=True)
class Search:
    """What is known of a hasher, to foresee which of its costs meets a demand.

    ``served`` are service times at the cost of ``base``; those of another cost are
    taken to be longer or shorter by what the model says of one hash.
    """

    demand: Demand
    cost: Cost
    cpus: int
    memory: int | None
    """What one hash may take; None if the system does not tell what it has."""
    host: Host
    pool: Sequence[Candidate] | None
    profile: Profile
    base: Solution
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
        if failed.knobs[0].doubles:
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
            f"{format_setting(failed.params)} is the lowest cost, and its run had a p95 of"
            f" {format_duration(run.p95_seconds)}; measure again on a quieter machine, or"
            " ask for fewer --logins or a longer --p95"
        )

    def remarks(self, held: Recommendation) -> Iterator[Notice]:
        """What limits the cost, and whether a policy asks for more."""
        highest = self._solved(self._aim / self._alone_seconds * self.base.seconds)
        if highest is not None and highest.time_seconds <= _NEAR * held.time_seconds:
            hash_seconds = self._alone_seconds * held.time_seconds / self.base.seconds
            yield Notice(
                code="tail",
                message="--p95 limits the cost, not the rate of logins: one hash takes"
                f" {format_duration(hash_seconds)}, and --p95 is"
                f" {format_duration(self.demand.p95_seconds)}",
                advice="raise --p95 for a higher cost; more CPUs do not help",
            )
        floor = self._unmet_floor(held.params)
        if floor is not None:
            cost = format_setting(floor.params)
            alone = len(load_policy("owasp").floors_of(floor.hasher)) == 1
            least = f"at least {cost}" if alone else f"one of several settings such as {cost}"
            yield Notice(
                code="weak",
                message=f"{format_setting(held.params)} is below OWASP's minimum, {least}",
                advice=self._for_floor(floor),
            )

    @property
    def _measurement(self) -> Measurement:
        return self.profile.measurements[0]

    @property
    def _aim(self) -> float:
        """The tail that a cost is picked for: chance has a share in that of a run."""
        return _AIM * self.demand.p95_seconds

    def _foreseen(self, slowness: float, p95_seconds: float) -> Recommendation | None:
        """The highest cost with this tail, were every hash this many times as slow."""
        served = self.served.scaled(slowness)
        scale = highest_scale(served, self.demand.logins_per_second, p95_seconds)
        return self._solved(scale * self.base.seconds)

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
        seconds = min(seconds, LONGEST_TARGET)
        again = recommendation(self._measurement, seconds, Rounding.DOWN)
        if self._may_renew and (not isinstance(again, Recommendation) or has_untimed_steps(again)):
            again = self._renewed(seconds).results[0]
        return again if isinstance(again, Recommendation) else None

    @property
    def _may_renew(self) -> bool:
        """Whether there are steps of memory that were not timed and may be."""
        return self.renews and self._measurement.climbs

    def _renewed(self, seconds: float) -> Profile:
        return solved_profile(
            self.cost, seconds, None, memory=self.memory, host=self.host, pool=self.pool
        )

    def _at(self, seconds: float) -> Service:
        """The service times of a cost of which one hash takes so long."""
        return self.served.scaled(seconds / self.base.seconds)

    def _instead(self) -> str:
        """What these CPUs hold at the lowest cost, and what the demand would need."""
        rate, limit = self.demand.logins_per_second, self.demand.p95_seconds
        if self._may_renew:
            lowest = answer_or_lowest(self._renewed(SHORTEST_TARGET))
        else:
            lowest = lowest_setting(self._measurement)
        params, seconds = lowest.params, lowest.seconds
        served = self._at(seconds)
        at = f"even at {format_setting(params)}"
        if (most := highest_rate(served, limit)) <= 0:
            alone = self._alone_seconds * seconds / self.base.seconds
            return (
                f"{at} one hash takes {format_duration(alone)}, longer than --p95;"
                f" raise --p95 above {format_duration(alone)}"
            )
        most_held = f"{at} {self._these()} can serve {format_rate(most)} with this p95"
        parts = [f"{most_held}, not {format_rate(rate)}"]
        if rate < served.most_per_second:
            outcome = simulate(served, rate)
            parts.append(f"at that rate the p95 is about {format_duration(outcome.p95_seconds)}")
        needed = [(params, fewest_servers(served, rate, limit))]
        floor = self._unmet_floor(params)
        if floor is not None:
            needed.append((floor.params, self._servers_for(floor)))
        parts += [
            f"{format_setting(cost)} needs about {cores} such CPUs"
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
        policy, hasher = load_policy("owasp"), self._measurement.hasher
        short = assess(policy, hasher, params).met is False
        return policy.floors_of(hasher)[0] if short else None

    def _servers_for(self, floor: Floor) -> int | None:
        seconds = self._floor_seconds(floor)
        if seconds is None:
            return None
        return fewest_servers(
            self._at(seconds), self.demand.logins_per_second, self.demand.p95_seconds
        )

    def _floor_seconds(self, floor: Floor) -> float | None:
        """What one hash takes at a floor, where a line leads there; memory is not foreseen."""
        if self._measurement.climbs:
            return None
        return foreseen_seconds(self._measurement.fitted, floor.params, 0)

    def _for_floor(self, floor: Floor) -> str:
        cores = self._servers_for(floor)
        if cores is not None:
            return f"that needs about {cores} such CPUs for this demand"
        seconds = self._floor_seconds(floor)
        if seconds is not None and seconds > self.demand.p95_seconds:
            return f"one hash takes {format_duration(seconds)} there; raise --p95"
        memory = "more memory, " if self._measurement.climbs else ""
        return f"that takes {memory}more CPUs, or a longer --p95"
