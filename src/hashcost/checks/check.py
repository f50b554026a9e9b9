"""Whether a configured cost is still worth its target. Pure.

The verdicts are asymmetric. Noise makes a hash look slow, so it can hide that a cost
has become weak, and cannot make a strong one look weak: a cost fails only where even
the slow end of what was measured leaves room for a higher one.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Final, TypeAlias

import msgspec
from msgspec.structs import replace

from hashcost.checks.judgement import (
    AS_CLIENTS_ACCEPT,
    FAILING,
    NO_HIGHER_COST,
    Configured,
    CostKind,
    Judgement,
    Outcome,
    Standard,
    setting_to_write,
)
from hashcost.core.algorithms import Strength, memory_limit_of, strength_of
from hashcost.core.cpu_limit import format_wait
from hashcost.core.errors import InconclusiveError, ResultError, UnavailableError, UnreachableError
from hashcost.core.machine import Notice
from hashcost.core.measurement import Interval, Measurement, Params
from hashcost.core.profile import LASTING, TOO_NOISY, FloorCheck, Profile, Verdict, policies_with
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
from hashcost.fit.times import least_seconds_at, params_timed_otherwise, setting_at
from hashcost.recommend.emission import (
    Emission,
    accepted_floors,
    emission_for,
    emit_command,
    place_of,
)
from hashcost.recommend.library_times import in_place, least_multiple_of, multiple_of
from hashcost.strength.appraisal import floors_of
from hashcost.strength.policies.catalogue import replacements
from hashcost.strength.policies.policy import Policy, assess_all

if TYPE_CHECKING:
    from hashcost.apps.interface import App, MissingSetting

_LEAST_FACTOR: Final = 1e-9
"""Lower end of an interval that reaches down to zero, by which a time is divided."""


_Finding: TypeAlias = tuple[Outcome, str, str]
"""The verdict on a cost, why, and what to do about it."""


def measurement_for(cost: Configured, profile: Profile | None) -> Measurement | None:
    """Choose the measurement of a cost's implementation, or the first of its hasher, if any."""
    if profile is None or (cost.scheme is not None and cost.scheme.untimed):
        return None
    # Argon2id may have been timed with several numbers of lanes.
    named = [row for row in profile.measurements if row.is_called(cost.label)]
    return min(named, key=lambda row: row.lanes != cost.lanes, default=None)


def exit_code(results: Sequence[Judgement]) -> int:
    """The exit code of a check: a failure outranks an inconclusive result."""
    failing = {row.outcome for row in results if row.severity is Severity.ERROR}
    # Only a library is missing.
    if failing == {Outcome.UNAVAILABLE}:
        return UnavailableError.exit_code
    if failing:
        return ResultError.exit_code
    warned = {row.outcome for row in results if row.severity is Severity.WARNING}
    return InconclusiveError.exit_code if Outcome.INCONCLUSIVE in warned else 0


def outdated(
    profile: Profile, now: dt.datetime, max_age: float | None, installed: Mapping[str, str]
) -> tuple[Notice, ...]:
    """Say what has changed since a profile was made.

    ``max_age`` is in seconds; ``installed`` has the versions of implementations here.
    """
    notices = [notice for notice in profile.warnings if notice.code in LASTING]
    age = (now - profile.created).total_seconds()
    if max_age is not None and age > max_age:
        message = f"the profile is {format_long(age)} old"
        notices.append(
            Notice(
                code="old-profile",
                message=f"{message}, more than the {format_long(max_age)} allowed",
                advice="measure again where the hashes are made: `calibrate --save PROFILE`",
            )
        )
    for row in profile.recommendations:
        # What is not installed here is not known to differ.
        version = installed.get(row.label, row.implementation_version)
        if version != row.implementation_version:
            message = f"{row.label}: the profile was measured with {row.implementation_version}"
            notices.append(
                Notice(
                    code="other-version",
                    message=f"{message}, and {version} is installed here",
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
        if floors is None or row.hasher not in names:
            continue
        quickest = quickest_meeting(within_reach(row.fitted), floors)
        # Nobody knows how quick a hasher is whose minimum was not timed.
        if quickest is not None:
            timed.append((quickest.seconds, row.hasher))
    if not timed:
        return names
    _, hasher = min(timed)
    return (hasher,)


def not_approved(refusing: Sequence[str], hasher: str) -> str:
    """Say that policies, by their names, do not approve a hasher."""
    verb = "does"
    if len(refusing) > 1:
        verb = "do"
    return f"{format_list(refusing)} {verb} not approve {hasher} at any cost"


def approved_instead(names: Sequence[str]) -> str:
    """Say which hashers the policies approve."""
    if not names:
        return "no hasher has the approval of all policies; leave one out"
    return f"hash with {either(names)}"


def sweep_for(measurement: Measurement, params: Params) -> str:
    """Write the command that times another block size of scrypt; empty if it is not another.

    Only a sweep does that, and only within its budget.
    """
    if "r" not in params_timed_otherwise(measurement, params):
        return ""
    costs = f"--costs {params['n']} --params r={params['r']},p={params['p']}"
    return f"`calibrate sweep {measurement.hasher} {costs} --budget 60s`"


def check_one(cost: Configured, profile: Profile | None, standard: Standard) -> Judgement:
    """Judge one cost by what a profile measured; without a profile, only by the floors.

    Where its library is known to take between two times, both must give the same verdict.
    """
    if profile is None or cost.scheme is None:
        # Each block of PBKDF2 takes as long as the first.
        return _judged(cost, profile, standard, float(cost.blocks or 1))
    scheme = cost.scheme.on(profile.machine.cpu_model).at(cost.params)
    most = multiple_of(scheme, cost.blocks)
    least = least_multiple_of(scheme, cost.blocks)
    slow = _judged(cost, profile, standard, most)
    # Where the library's time is uncertain, `emit` takes the longest, and so does this answer.
    if least == most or slow.recommended == cost.params:
        return slow
    quick = _judged(cost, profile, standard, least)
    # Two verdicts that both pass need no third.
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
    """Judge a cost whose library takes this multiple of the time that was measured."""
    case = _Case(cost=cost, profile=profile, standard=standard, multiple=multiple)
    outcome, message, advice = case.finding()
    # Nobody timed the most that an application accepts.
    recommended, recommended_seconds = case.better or (case.limit, None)
    is_fixed = cost.is_fixed or cost.client_side or case.missing is not None or bool(cost.cure)
    if is_fixed:
        recommended, recommended_seconds = None, None
    version = seconds = interval = wait = None
    if case.measured is not None:
        version = case.measured.implementation_version
        if case.here is not None:
            seconds = case.here.seconds
            interval = case.here.interval
            if case.measured.cpu_limit is not None:
                wait = case.measured.cpu_limit.waits(seconds)
    judgement = Judgement(
        hasher=cost.hasher,
        implementation=case.implementation,
        implementation_version=version,
        params=cost.params,
        place=cost.place,
        outcome=outcome,
        message=message,
        advice=advice,
        time_seconds=seconds,
        interval_seconds=interval,
        wait_seconds=wait,
        recommended=recommended,
        recommended_seconds=recommended_seconds,
        floors=case.floors,
        named=cost.named,
        note=joined(cost.note, _time_of(cost, profile, seconds)),
        out_of_range=bool(cost.refused),
        is_fixed=is_fixed,
    )
    if judgement.instead is None:
        return judgement
    return replace(
        judgement,
        also_set=case.also_set(judgement.instead),
        written_by=case.written_by(judgement.instead),
    )


def _time_of(cost: Configured, profile: Profile | None, seconds: float | None) -> str:
    """Say what was timed, if the application's own library takes longer or less."""
    if cost.scheme is None or profile is None or seconds is None:
        return ""
    reference = cost.scheme.on(profile.machine.cpu_model).at(cost.params).reference
    if reference is None or reference.factor == 1:
        return ""
    own = cost.scheme.library.rstrip(",")
    times = f"{reference.factor:.3g} times"
    # The time of the row is the longest that its library may take.
    if reference.least_factor != reference.factor:
        times = f"up to {times}"
    return f"{own}: {times} the time of {reference.implementation}"


class _Case(msgspec.Struct, frozen=True, kw_only=True, eq=False, dict=True):
    """A cost, all that is known of it, and what is found of it."""

    cost: Configured
    profile: Profile | None
    standard: Standard
    multiple: float
    """The time of the application's own library at this cost, as a multiple of what was timed."""

    @cached_property
    def floors(self) -> tuple[FloorCheck, ...]:
        """The cost beside each policy."""
        return assess_all(self.standard.policies, self.cost.hasher, self.cost.params)

    @cached_property
    def missing(self) -> MissingSetting | None:
        """The setting that the release of the application lacks; `None` if a cost can be set."""
        if self.cost.app is None or self.cost.scheme is None:
            return None
        # A hash that is stored was made, whatever the release can set.
        if self.cost.kind is CostKind.STORED:
            return None
        return self.cost.app.missing(self.cost.scheme)

    @property
    def short(self) -> list[FloorCheck]:
        """The policies that ask for more."""
        return [check for check in self.floors if check.is_short]

    @cached_property
    def timed(self) -> Measurement | None:
        """The measurement as it is in the profile."""
        return measurement_for(self.cost, self.profile)

    @cached_property
    def measured(self) -> Measurement | None:
        """The measurement scaled to the application's own library."""
        if self.timed is None:
            return None
        kept = in_place(self.timed, self.cost.scheme)
        return replace(kept, fitted=kept.fitted.slowed(self.multiple))

    @property
    def implementation(self) -> str | None:
        """The implementation that was timed, or else the one that is named."""
        if self.timed is None:
            return self.cost.implementation
        return self.timed.implementation

    def also_set(self, params: Params) -> dict[str, int]:
        """List the settings without which the library refuses a cost."""
        limit = self.cost.memory_limit
        if limit is None and self.cost.is_typed:
            limit = memory_limit_of(self.cost.hasher, self.implementation)
        if limit is None:
            return {}
        return limit.raised_for(params)

    def written_by(self, params: Params) -> str:
        """Name the command that writes the setting for a cost, if the file lacks that."""
        cost = self.cost
        is_lacking = any(params.get(name) != cost.params[name] for name in cost.unstated)
        if cost.app is None or not is_lacking:
            return ""
        return emit_command(cost.app, cost.hasher)

    def _written(self, params: Params) -> str:
        """Write a cost to set, with the settings that it needs."""
        cost = self.cost
        also_set = self.also_set(params)
        return setting_to_write(params, also_set, present=cost.params, named=cost.named)

    @property
    def subject(self) -> str:
        """The hasher and its cost, in words."""
        return f"{self.cost.hasher} {format_setting(self.cost.params)}"

    def finding(self) -> _Finding:
        """The worst problem with reason and cure, or else that all is fine."""
        cost = self.cost
        refusing = policies_with(self.floors, Verdict.NOT_APPROVED)
        # No cost cures it, so it comes before all others.
        if refusing:
            why = not_approved(refusing, cost.hasher)
            return Outcome.NOT_APPROVED, why, self._hasher_instead()
        asked = ""
        if self.short:
            asked = self._asked
        is_at_limit = bool(asked) and self._is_at_limit
        if asked and not is_at_limit:
            why = joined(f"{self.subject} is below {asked}", cost.refused)
            return Outcome.BELOW_MIN, why, self._set_instead()
        if cost.refused:
            return Outcome.UNKNOWN, cost.refused, self._set_instead()
        if self.measured is not None:
            failure = self._failure_by_time(self.measured)
            if failure is not None:
                return failure
            # A cost at the limit cannot be raised; a quicker or stronger one may still be due.
            if not is_at_limit:
                return self._beside_target(self.measured)
        if is_at_limit and cost.app is not None:
            why = f"{self.subject} is {self._at_limit_of(cost.app, cost.params)}{self._beyond}"
            return Outcome.AT_LIMIT, f"{why}, and below {asked}", ""
        return self._untimed()

    @property
    def _asked(self) -> str:
        """Name the policies that ask for more, with what each asks for."""
        by_figure: dict[str, dict[str, list[str]]] = {}
        for check in self.short:
            by_setting = by_figure.setdefault(check.figure, {})
            setting = format_setting(check.params or {})
            by_setting.setdefault(setting, []).append(check.policy)
        asked = []
        for figure, by_setting in by_figure.items():
            named = [f"{format_list(names)}, {setting}" for setting, names in by_setting.items()]
            asked.append(f"the {figure} of {' and of '.join(named)}")
        return " and ".join(asked)

    def _untimed(self) -> _Finding:
        """Say why nothing was measured."""
        cost = self.cost
        if cost.scheme is not None and cost.scheme.untimed:
            advice = "time a login in the application itself"
            return Outcome.UNAVAILABLE, cost.scheme.untimed, advice
        command = f"`calibrate {cost.label} --save PROFILE`"
        failed = None if self.profile is None else self.profile.failure_of(cost.label)
        if failed is not None:
            return Outcome.UNAVAILABLE, str(failed), f"mend that, then measure it with {command}"
        return Outcome.UNAVAILABLE, f"{cost.label} was not timed", f"measure it with {command}"

    @property
    def _is_at_limit(self) -> bool:
        """Whether the application accepts no more, whatever a policy asks for."""
        floors = self._accepted_floors
        return floors is not None and floors.is_met(self.cost.params)

    def _hasher_instead(self) -> str:
        """Name the hashers that the policies approve: the quickest, if that was timed."""
        names = hashers_instead(self.standard.policies, self.profile)
        app = self.cost.app
        if app is None or not names:
            return approved_instead(names)
        here = hashers_instead(self.standard.policies, self.profile, app)
        if not here:
            lacks = f"{app.title} has no hasher that is approved, such as {either(names)}"
            return f"{lacks}; let another system hold the passwords, or accept this"
        return f"hash with {either(here)}"

    def _failure_by_time(self, measured: Measurement) -> _Finding | None:
        """A cost that has certainly drifted, or certainly takes too long."""
        _, slowest = self.doubt
        # Noise makes a hash look slow: only what its slow end shows is certain.
        if self._leaves_room(slowest, measured):
            target = format_duration(self.standard.target_seconds)
            why = f"{self._takes(measured)}, and a higher cost fits {target}"
            return Outcome.DRIFTED, why, self._set_instead()
        limit = self.standard.longest_seconds
        least = self._least_seconds(measured)
        if limit is not None and least is not None and least > measured.fitting(limit):
            why = f"{self._takes(measured, least)}, more than {format_duration(limit)}"
            return Outcome.TOO_SLOW, why, self._lower_instead()
        return None

    def _beside_target(self, measured: Measurement) -> _Finding:
        """A cost that does not fail by its time: inconclusive, over the target, or fine."""
        cost, standard = self.cost, self.standard
        target = format_duration(standard.target_seconds)
        least = self._least_seconds(measured)
        most = measured.fitting(standard.target_seconds * (1 + standard.tolerance))
        is_over = least is not None and least > most
        takes = self._takes(measured)
        if cost.lanes != measured.lanes:
            # That it is over the target says enough, unless too slow is a failure.
            if standard.longest_seconds is not None or not is_over:
                why = f"{takes}, only parallelism {measured.lanes}"
                command = f"calibrate {cost.label} --parallelism {cost.lanes} --save PROFILE"
                return Outcome.INCONCLUSIVE, why, f"run `{command}`"
        else:
            quickest, slowest = self.doubt
            is_noisy = max(slowest - 1, 1 - quickest) > TOO_NOISY
            if is_noisy and (self._leaves_room(quickest, measured) or not is_over):
                why = f"{takes}, too noisy to tell whether a higher cost fits {target}"
                return Outcome.INCONCLUSIVE, why, "measure when the machine is quieter"
        if is_over:
            why = f"{self._takes(measured, least)}, more than the target of {target}"
            return Outcome.OVER_BUDGET, why, self._lower_instead()
        if self.here is None:
            why = f"{takes}, so it is unknown whether it takes too long"
            advice = "measure where it can be timed"
            sweep = sweep_for(measured, cost.params)
            if sweep:
                advice = f"{sweep} times it if one hash takes less"
            return Outcome.INCONCLUSIVE, why, advice
        return Outcome.FINE, f"{takes}; the target is {target}", ""

    def _takes(self, measured: Measurement, least: float | None = None) -> str:
        """Say how long the cost takes, or where it was not timed, the ``least`` seconds."""
        if self.here is not None:
            return f"{self.subject} takes {format_wait(self.here.seconds, measured.cpu_limit)}"
        untimed = f"{self.subject} was not timed"
        if least is None:
            return untimed
        return f"{untimed} and takes at least {format_wait(least, measured.cpu_limit)}"

    def _least_seconds(self, measured: Measurement) -> float | None:
        """The shortest time that the cost may take, with all doubt; `None` if it is unknown."""
        least = least_seconds_at(measured, self.cost.params)
        if least is None:
            return None
        quickest, _ = self.doubt
        return least * quickest

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
        if self.cost.app is not None and self.cost.scheme is not None:
            if self._emission is None:
                return None
            return self._emission.params, self._emission.time_seconds
        if self.answer is None:
            return None
        if self._floors is not None and not self._floors.is_met(self.answer.params):
            return None
        return self.answer.params, self.answer.seconds

    @cached_property
    def _emission(self) -> Emission | None:
        """The answer of `calibrate emit`; `None` if it writes nothing."""
        app, scheme = self.cost.app, self.cost.scheme
        if app is None or scheme is None or self.timed is None or self.profile is None:
            return None
        scheme = scheme.on(self.profile.machine.cpu_model)
        scheme = replace(scheme, blocks=self.cost.blocks or scheme.blocks)
        target = self.standard.target_seconds
        try:
            emission = emission_for(app, scheme, self.timed, target, self._floors)
        except UnreachableError:
            return None
        # It would be a cost that misses the policy, or one that nobody timed.
        if not emission.reached or emission.minimum_untimed:
            return None
        return emission

    @cached_property
    def here(self) -> Solution | None:
        """The cost with its time; `None` if its memory or its lanes were not timed."""
        if self.measured is None or self.measured.lanes != self.cost.lanes:
            return None
        return setting_at(self.measured, self.cost.params)

    @cached_property
    def doubt(self) -> Interval:
        """The interval as factors of the time; of another number of lanes, the answer's."""
        setting = self.here or self.answer
        if setting is None:
            return 1 - TOO_NOISY, 1 + TOO_NOISY
        return setting.curve.relative_interval

    @cached_property
    def limit(self) -> Params | None:
        """The most that the application accepts; `None` if that is enough for the policies."""
        accepted = self._accepted_floors
        # The same object: the application cuts nothing off.
        if accepted is None or accepted is self._floors:
            return None
        return {**self.cost.params, **accepted.alternatives[0]}

    @cached_property
    def _floors(self) -> Floors | None:
        return floors_of(self.standard.policies, self.cost.hasher)

    @cached_property
    def _accepted_floors(self) -> Floors | None:
        """The minimums as far as the application accepts them."""
        if self.cost.scheme is None:
            return self._floors
        return accepted_floors(self.cost.scheme, self._floors)

    @property
    def _least_accepted(self) -> Params | None:
        """A minimum of the policies that the application accepts; `None` if none is asked for."""
        if not self.short or self._floors is None:
            return None
        least = self.short[0].params
        place = self._place
        for wanted in (least or {}, *self._floors.alternatives):
            params = {**self.cost.params, **wanted}
            # The nearest minimum of one policy may be below that of another.
            if not self._floors.is_met(params):
                continue
            # An application may fix a param, such as scrypt's n: another makes up for it.
            if place.nearest(params) == params and not place.refuses(params):
                return wanted
        return least

    def _at_limit_of(self, app: App, params: Params) -> str:
        """Compare a cost with the limit of an application."""
        scheme = self.cost.scheme
        for name, value in params.items():
            limits = None if scheme is None else scheme.limits.get(name)
            # The application takes any value, and others refuse those above the limit.
            if limits is None or limits.enforced or value < limits.maximum:
                continue
            if value > limits.maximum:
                return f"above the most to set for {app.title}, {limits.maximum}"
            return f"the most to set for {app.title}"
        return f"the most that {app.title} accepts"

    @property
    def _beyond(self) -> str:
        """Say in brackets what becomes of a higher cost."""
        if self.cost.scheme is None or self._floors is None:
            return ""
        limits = self.cost.scheme.limits
        for least in self._floors.alternatives:
            for name, value in least.items():
                if name in limits and value > limits[name].maximum:
                    words, _ = limits[name].consequence(value)
                    return f" (above that, {words})"
        return ""

    def _leaves_room(self, factor: float, measured: Measurement) -> bool:
        """Whether the cost has drifted, if hashes took so many times as long."""
        standard, lanes = self.standard, self.cost.lanes
        wanted = measured.fitting(standard.target_seconds * (1 - standard.tolerance))
        seconds = wanted / max(factor, _LEAST_FACTOR)
        if lanes != measured.lanes:
            # Fewer lanes take no longer than in proportion.
            seconds *= min(1.0, lanes / measured.lanes)
        return has_drifted(
            self.cost.hasher,
            self._strength(measured),
            measured.fitted,
            seconds,
            self._accepted_floors,
            self._place,
        )

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

    def _lower_instead(self) -> str:
        """Say which lower cost to set, or to allow more time."""
        standard = self.standard
        allow = "raise the target"
        longest = standard.longest_seconds
        # A setting may make the target with its tolerance the longest time.
        if longest is not None and longest != standard.target_seconds * (1 + standard.tolerance):
            allow = "raise --max"
        if self.cost.cure or self.missing is not None:
            return self._set_instead()
        if self.cost.is_fixed or self.cost.client_side:
            return allow
        if self.better is None:
            return f"{allow} until a cost fits"
        params, _ = self.better
        if params == self.cost.params:
            return f"{self._requires}; {allow}"
        return f"{self._set_instead()}, or {allow}"

    def _set_instead(self) -> str:
        """Say which cost to set."""
        if self.cost.cure:
            return self.cost.cure
        # No cost helps where the release does not read it.
        if self.missing is not None:
            return self._set(self._wanted)
        if self.cost.is_fixed:
            return NO_HIGHER_COST
        if self.cost.client_side:
            return AS_CLIENTS_ACCEPT
        if self.better is not None:
            params, seconds = self.better
            if params == self.cost.params:
                return f"{self._requires}; raise the target"
            limit = None if self.measured is None else self.measured.cpu_limit
            takes = f", which takes {format_wait(seconds, limit)}"
            reason = self._beyond_target(seconds) + self._still_below(params)
            return self._set(params, f"{takes}{reason}")
        # The range stands in the reason already.
        if self.cost.refused and not self.short:
            return "set one that is accepted"
        least = self.limit or self._least_accepted
        if not least:
            return "raise the target until a cost fits"
        return self._set(least, self._still_below({**self.cost.params, **least}))

    def _still_below(self, params: Params) -> str:
        """Say why the advice is a cost that does not meet the policies either."""
        if self.cost.app is None or self._floors is None or self._floors.is_met(params):
            return ""
        most = self._at_limit_of(self.cost.app, params)
        return f": it is {most}{self._beyond}, and still below"

    @property
    def _wanted(self) -> Params | None:
        """The cost to set where that is possible; `None` if none is known."""
        if self.better is None:
            return self.limit or self._least_accepted
        params, _ = self.better
        return params

    def _beyond_target(self, seconds: float) -> str:
        """Say why the advice is a cost that takes longer than the target."""
        measured = self.measured
        if measured is None or seconds <= measured.fitting(self.standard.target_seconds):
            return ""
        # Of a cost below a minimum the reason names it already.
        if self.short:
            return ""
        return f", since {self._requires}"

    @property
    def _requires(self) -> str:
        """Say why no lower cost can be set."""
        emission = self._emission
        if emission is not None and emission.is_lowest:
            return f"{emission.app.title} accepts no lower cost"
        if self._floors is None:
            return "no lower cost was tried"
        return "the policy requires it"

    def _set(self, params: Params | None, takes: str = "") -> str:
        """Say which cost to set, or how that becomes possible."""
        cost = "the cost"
        if params:
            cost = self._written(params)
        if self.cost.kind is CostKind.STORED:
            return f"hash its password anew with {cost}{takes}"
        if self.missing is None:
            command = self.written_by(params or {})
            if command:
                cost = f"{cost} (`{command}` writes the setting)"
            return f"set {cost}{takes}"
        approved = replacements(self.standard.policies)
        names = [other.hasher for other in self.missing.others]
        others = [f"hash with {name}" for name in names if name in approved]
        return self.missing.cure(cost, *others[:1])
