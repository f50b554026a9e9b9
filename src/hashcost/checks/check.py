"""Whether a configured cost is still worth its target. Pure.

The verdicts are asymmetric. Noise makes a hash look slow, so it can hide that a cost
has become weak, and cannot make a strong one look weak: a cost fails only where even
the slow end of what was measured leaves room for a higher one.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec.structs import replace

from hashcost.checks.judgement import FAILING, Configured, Judgement, Outcome, Standard
from hashcost.core.algorithms import Strength, strength_of
from hashcost.core.cpu_limit import format_wait
from hashcost.core.errors import InconclusiveError, ResultError, UnavailableError, UnreachableError
from hashcost.core.machine import Notice
from hashcost.core.measurement import Interval, Measurement, Params
from hashcost.core.profile import LASTING, TOO_NOISY, Failure, FloorCheck, Profile, Verdict
from hashcost.core.severity import Severity
from hashcost.core.text import either, joined
from hashcost.core.units import format_duration, format_list, format_long, format_setting
from hashcost.fit.solver import (
    ANYWHERE,
    Constraints,
    Floors,
    Solution,
    answer,
    has_drifted,
    quickest_meeting,
    within_reach,
)
from hashcost.fit.times import least_seconds_at, setting_at
from hashcost.recommend.emission import accepted_floors, emission_for, place_of
from hashcost.recommend.library_times import in_place, least_multiple_of, multiple_of, slowed
from hashcost.strength.appraisal import floors_of
from hashcost.strength.policies.catalogue import replacements
from hashcost.strength.policies.policy import Policy, assess

if TYPE_CHECKING:
    from hashcost.apps.interface import App, Scheme

_LEAST_FACTOR: Final = 1e-9
"""Lower end of an interval that reaches down to zero."""


def check_all(
    costs: Iterable[Configured], profile: Profile, standard: Standard
) -> tuple[Judgement, ...]:
    """Judge every cost by what a profile measured."""
    return tuple(check_one(cost, profile, standard) for cost in costs)


def measurement_for(cost: Configured, profile: Profile) -> Measurement | None:
    """Choose the measurement of a cost's implementation, or the first of its hasher, if any."""
    rows = () if cost.scheme and cost.scheme.untimed else profile.measurements
    named = (row for row in rows if cost.label in (row.hasher, row.label))
    lanes = cost.params.get("parallelism", 1)
    return min(named, key=lambda row: row.lanes != lanes, default=None)


def exit_code(results: Iterable[Judgement]) -> int:
    """The exit code of a check: a failure outranks an inconclusive result."""
    outcomes = {(row.severity, row.outcome) for row in results}
    failing = {outcome for severity, outcome in outcomes if severity is Severity.ERROR}
    if failing:
        only_untimed = failing == {Outcome.UNAVAILABLE}
        return UnavailableError.exit_code if only_untimed else ResultError.exit_code
    untold = (Severity.WARNING, Outcome.INCONCLUSIVE)
    return InconclusiveError.exit_code if untold in outcomes else 0


def outdated(
    profile: Profile, now: dt.datetime, max_age: float | None, installed: Mapping[str, str]
) -> tuple[Notice, ...]:
    """Say what has changed since a profile was made.

    ``max_age`` is in seconds; ``installed`` has the versions of implementations here.
    """
    notices = [notice for notice in profile.warnings if notice.code in LASTING]
    age = (now - profile.created).total_seconds()
    if max_age is not None and age > max_age:
        notices.append(
            Notice(
                code="old-profile",
                message=f"the profile is {format_long(age)} old,"
                f" more than the {format_long(max_age)} allowed",
                advice="measure again where the hashes are made: `calibrate --save PROFILE`",
            )
        )
    for row in profile.recommendations:
        version = installed.get(row.label, row.implementation_version)
        if version != row.implementation_version:
            notices.append(
                Notice(
                    code="other-version",
                    message=f"{row.label}: the profile was measured with"
                    f" {row.implementation_version}, and {version} is installed here",
                    advice="measure again if the application runs the other version",
                )
            )
    return tuple(notices)


def hashers_instead(
    policies: Sequence[Policy], profile: Profile | None, app: App | None = None
) -> tuple[str, ...]:
    """The hashers to move to, of those that an application has: the quickest, if any was timed.

    The quickest is the one that meets the policies in the shortest time.
    """
    names = replacements(policies)
    if app is not None:
        names = app.hashers_of(names)
    timed = []
    for row in () if profile is None else profile.measurements:
        floors = floors_of(policies, row.hasher)
        if row.hasher in names and floors is not None:
            quickest = quickest_meeting(within_reach(row.fitted), floors)
            if quickest is not None:
                timed.append((quickest.seconds, row.hasher))
    return (min(timed)[1],) if timed else names


def check_one(cost: Configured, profile: Profile | None, standard: Standard) -> Judgement:
    """Judge one cost by what a profile measured; without a profile, only by the floors.

    Where its library is known to take between two times, both must give the same verdict.
    """
    if profile is None or cost.scheme is None:
        return _judged(cost, profile, standard)
    scheme = cost.scheme.on(profile.machine.cpu_model).at(cost.params)
    most, least = multiple_of(scheme, cost.blocks), least_multiple_of(scheme, cost.blocks)
    slow = _judged(cost, profile, standard, most)
    # Where the library's time is uncertain, `emit` takes the longest, and so does this answer.
    if least == most or slow.recommended == cost.params:
        return slow
    quick = _judged(cost, profile, standard, least)
    if quick.outcome is slow.outcome or not {quick.outcome, slow.outcome} & FAILING:
        return slow
    return replace(
        slow,
        outcome=Outcome.INCONCLUSIVE,
        message=f"{slow.message}; its library may be faster: {quick.message}",
        advice="time it with the library that the application uses, or raise the cost",
    )


def _judged(
    cost: Configured, profile: Profile | None, standard: Standard, multiple: float = 1.0
) -> Judgement:
    measured = None if profile is None else measurement_for(cost, profile)
    case = _Case(
        cost=cost,
        timed=measured,
        cpu_model=None if profile is None else profile.machine.cpu_model,
        measured=None if measured is None else slowed(in_place(measured, cost.scheme), multiple),
        failed=None if profile is None else profile.failure_of(cost.label),
        standard=standard,
        floors=tuple(assess(policy, cost.hasher, cost.params) for policy in standard.policies),
        profile=profile,
    )
    outcome, message, advice = next(case.findings())
    here, better = case.here, case.better
    limit = None if measured is None else measured.cpu_limit
    low, high = case.doubt
    return Judgement(
        hasher=cost.hasher,
        implementation=cost.implementation if measured is None else measured.implementation,
        implementation_version=None if measured is None else measured.implementation_version,
        params=cost.params,
        place=cost.place,
        outcome=outcome,
        message=message,
        advice=advice,
        time_seconds=None if here is None else here.seconds,
        interval_seconds=None if here is None else (here.seconds * low, here.seconds * high),
        wait_seconds=limit.waits(here.seconds) if limit and here else None,
        recommended=case.limit if better is None else better[0],
        recommended_seconds=None if better is None else better[1],
        floors=case.floors,
        note=cost.note,
        out_of_range=bool(cost.refused),
    )


class _Case(msgspec.Struct, frozen=True, kw_only=True, eq=False, dict=True):
    cost: Configured
    timed: Measurement | None
    cpu_model: str | None
    measured: Measurement | None
    """The standard, with its times scaled to the application's own library at this cost."""
    failed: Failure | None
    """Why nothing was measured."""
    standard: Standard
    floors: tuple[FloorCheck, ...]
    profile: Profile | None

    def findings(self) -> Iterator[tuple[Outcome, str, str]]:
        """Yield each problem with reason and cure, the worst first, or else that all is fine."""
        cost = self.cost
        subject = f"{cost.hasher} {format_setting(cost.params)}"
        refusing = [check.policy for check in self.floors if check.verdict is Verdict.NOT_APPROVED]
        if refusing:
            why = f"{format_list(refusing)} does not approve {cost.hasher} at any cost"
            yield Outcome.NOT_APPROVED, why, self._hasher_instead()
        short = [check for check in self.floors if check.is_short]
        asked = ""
        if short:
            policies = format_list([check.policy for check in short])
            asked = f"the minimum of {policies}, {format_setting(short[0].params or {})}"
        is_at_limit = bool(asked) and self._is_at_limit
        if asked and not is_at_limit:
            why = joined(f"{subject} is below {asked}", cost.refused)
            yield Outcome.BELOW_MIN, why, self._set_instead()
        if cost.refused:
            yield Outcome.UNKNOWN, cost.refused, self._set_instead()
        timed = () if self.measured is None else self._beside_target(subject, self.measured)
        # A cost at the limit cannot be raised; a quicker or stronger one may still be due.
        yield from (one for one in timed if not is_at_limit or one[0] in FAILING)
        if is_at_limit and cost.app is not None:
            why = f"{subject} is the most that {cost.app.title} accepts{self._beyond}"
            yield Outcome.AT_LIMIT, f"{why}, and below {asked}", ""
        failed = self.failed
        why = f"{failed.label}: {failed.error}" if failed else f"{cost.label} was not timed"
        advice = f"measure it with `calibrate {cost.label} --save PROFILE`"
        if cost.scheme and cost.scheme.untimed:
            why, advice = cost.scheme.untimed, "time a login in the application itself"
        yield Outcome.UNAVAILABLE, why, advice

    @property
    def _is_at_limit(self) -> bool:
        """Whether the application accepts no more, whatever a policy asks for."""
        floors = self._accepted_floors
        return floors is not None and floors.is_met(self.cost.params)

    def _hasher_instead(self) -> str:
        """Name the hashers that the policies approve: the quickest, if that was timed."""
        names = hashers_instead(self.standard.policies, self.profile)
        if not names:
            return "no hasher has the approval of all policies; leave one out"
        app = self.cost.app
        if app is not None:
            here = hashers_instead(self.standard.policies, self.profile, app)
            if not here:
                return f"{app.title} has no hasher that is approved; it needs {either(names)}"
            names = here
        return f"hash with {either(names)}"

    def _beside_target(
        self, subject: str, measured: Measurement
    ) -> Iterator[tuple[Outcome, str, str]]:
        target, limit = self.standard.target_seconds, self.standard.longest_seconds
        most = measured.fitting(target * (1 + self.standard.tolerance))
        quickest, slowest = self.doubt
        least = least_seconds_at(measured, self.cost.params)
        least = None if least is None else least * quickest
        bursts = least is not None and least > most
        named, instead = format_duration(target), self._set_instead()
        takes = at_least = f"{subject} was not timed"
        if self.here is not None:
            wait = format_wait(self.here.seconds, measured.cpu_limit)
            takes = at_least = f"{subject} takes {wait}"
        elif least is not None:
            at_least = f"{takes} and takes at least {format_wait(least, measured.cpu_limit)}"
        if self._leaves_room(slowest, measured):
            yield Outcome.DRIFTED, f"{takes}, and a higher cost fits {named}", instead
        if limit is not None and least is not None and least > measured.fitting(limit):
            yield Outcome.TOO_SLOW, f"{at_least}, more than {format_duration(limit)}", instead
        lanes = self.cost.params.get("parallelism", 1)
        if lanes != measured.lanes and (limit is not None or not bursts):
            why = f"{takes}, only parallelism {measured.lanes}"
            advice = f"run `calibrate {self.cost.label} --parallelism {lanes} --save PROFILE`"
            yield Outcome.INCONCLUSIVE, why, advice
        is_noisy = lanes == measured.lanes and max(slowest - 1, 1 - quickest) > TOO_NOISY
        if is_noisy and (self._leaves_room(quickest, measured) or not bursts):
            why = f"{takes}, too noisy to tell whether a higher cost fits {named}"
            yield Outcome.INCONCLUSIVE, why, "measure when the machine is quieter"
        if bursts:
            yield Outcome.OVER_BUDGET, f"{at_least}, more than the target of {named}", instead
        if self.here is None:
            why = f"{takes}, so it is unknown whether it takes too long"
            yield Outcome.INCONCLUSIVE, why, "measure where it can be timed"
        yield Outcome.FINE, f"{takes}; the target is {named}", ""

    @cached_property
    def answer(self) -> Solution | None:
        """The cost that meets the floors, within the target if possible; `None` if untimed."""
        if self.measured is None:
            return None
        limit = self.measured.fitting(self.standard.target_seconds)
        solved = answer(self.cost.hasher, self.measured.fitted, limit, self._floors)
        return solved.required or solved.fitting

    @cached_property
    def better(self) -> tuple[Params, float] | None:
        """The cost to set, and its seconds; `None` if none that meets the floors was timed.

        An application may accept no cost that meets the floors; then it is the most that it does.
        """
        app, scheme = self.cost.app, self.cost.scheme
        if app is not None and scheme is not None:
            return self._better_in(app, scheme)
        if self.answer is None:
            return None
        is_timed = self._floors is None or self._floors.is_met(self.answer.params)
        return (self.answer.params, self.answer.seconds) if is_timed else None

    def _better_in(self, app: App, scheme: Scheme) -> tuple[Params, float] | None:
        """The cost that `calibrate emit` writes, and its seconds; `None` if it writes none."""
        if self.timed is None:
            return None
        scheme = replace(scheme.on(self.cpu_model), blocks=self.cost.blocks or scheme.blocks)
        target = self.standard.target_seconds
        try:
            emission = emission_for(app, scheme, self.timed, target, self._floors)
        except UnreachableError:
            return None
        if not emission.reached or emission.minimum_untimed:
            return None
        return emission.params, emission.time_seconds

    @cached_property
    def here(self) -> Solution | None:
        """The cost with its time; `None` if its memory or its lanes were not timed."""
        if self.measured is None or self.measured.lanes != self.cost.params.get("parallelism", 1):
            return None
        return setting_at(self.measured, self.cost.params)

    @cached_property
    def doubt(self) -> Interval:
        """The interval as factors of the time; of another number of lanes, the answer's."""
        if self.here is not None:
            return self.here.curve.relative_interval
        if self.answer is None:
            return 1 - TOO_NOISY, 1 + TOO_NOISY
        return self.answer.curve.relative_interval

    @cached_property
    def limit(self) -> Params | None:
        """The most that the application accepts; `None` if that is enough for the policies."""
        accepted = self._accepted_floors
        if accepted is None or accepted is self._floors:
            return None
        return {**self.cost.params, **accepted.alternatives[0]}

    @cached_property
    def _floors(self) -> Floors | None:
        return floors_of(self.standard.policies, self.cost.hasher)

    @cached_property
    def _accepted_floors(self) -> Floors | None:
        """The minimums as far as the application accepts them."""
        scheme = self.cost.scheme
        return self._floors if scheme is None else accepted_floors(scheme, self._floors)

    @property
    def _beyond(self) -> str:
        """Say in brackets what becomes of a higher cost."""
        limits = {} if self.cost.scheme is None else self.cost.scheme.limits
        asked = () if self._floors is None else self._floors.alternatives
        words = [
            limits[name].consequence(value)[0]
            for least in asked
            for name, value in least.items()
            if name in limits and value > limits[name].maximum
        ]
        return f" (more is {words[0]})" if words else ""

    def _leaves_room(self, factor: float, measured: Measurement) -> bool:
        """Whether the cost has drifted, if hashes took so many times as long."""
        wanted = measured.fitting(self.standard.target_seconds * (1 - self.standard.tolerance))
        seconds = wanted / max(factor, _LEAST_FACTOR)
        lanes = self.cost.params.get("parallelism", 1)
        if lanes != measured.lanes:  # Fewer lanes take no longer than in proportion.
            seconds *= min(1.0, lanes / measured.lanes)
        hasher, fitted = self.cost.hasher, measured.fitted
        own = self._strength(measured)
        return has_drifted(hasher, own, fitted, seconds, self._accepted_floors, self._place)

    @property
    def _place(self) -> Constraints:
        """The costs that the application accepts; its time is in the measurement already."""
        if self.cost.app is None or self.cost.scheme is None:
            return ANYWHERE
        accepts = place_of(self.cost.scheme)
        return Constraints(nearest=accepts.nearest, refuses=accepts.refuses)

    def _strength(self, measured: Measurement) -> Strength:
        """The price of a guess at the cost; no setting beats one whose memory is unknown."""
        params = self.cost.params
        if "parallelism" in params:
            # Lanes change neither the memory nor the work.
            params = {**params, "parallelism": measured.lanes}
        setting = setting_at(measured, params)
        memory = math.inf if setting is None else setting.curve.memory_bytes
        return strength_of(self.cost.hasher, self.cost.params, memory)

    def _set_instead(self) -> str:
        if self.better is None:
            if self.cost.refused and not any(check.is_short for check in self.floors):
                return "set a cost in this range"
            short = (check.params for check in self.floors if check.is_short)
            least = self.limit or next(short, None)
            return (
                f"set {format_setting(least)}" if least else "raise the target until a cost fits"
            )
        params, seconds = self.better
        if params == self.cost.params:
            return "the policy requires it; raise the target"
        limit = self.measured.cpu_limit if self.measured else None
        return f"set {format_setting(params)}, which takes {format_wait(seconds, limit)}"
