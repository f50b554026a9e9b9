"""Whether a configured cost is still worth its target. Pure.

The verdicts are asymmetric. Noise makes a hash look slow, so it can hide that a cost
has become weak, and cannot make a strong one look weak: a cost fails only where even
the slow end of what was measured leaves room for a higher one.
"""

import datetime as dt
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import msgspec

from hashcost.core.algorithms import guess_memory, guess_work
from hashcost.core.errors import InconclusiveError, UnavailableError, UnreachableError
from hashcost.core.machine import Notice
from hashcost.core.measurement import Fit, Interval, Measurement, Params
from hashcost.core.profile import Failure, FloorCheck, Profile, Recommendation, Rounding, Verdict
from hashcost.core.units import format_duration, format_list, format_setting
from hashcost.fit.solver import Floors, Solution, solve
from hashcost.fit.times import least_seconds_at, most_seconds_at, setting_at
from hashcost.recommend.emission import Emission, fitting
from hashcost.recommend.library_times import in_place, slowed
from hashcost.recommend.recommendation import TOO_NOISY, has_untimed_steps, recommendation
from hashcost.verdicts.judgement import FAILING, TIMED, Configured, Judgement, Outcome, Standard
from hashcost.worth.appraisal import floors_of
from hashcost.worth.policies.policy import assess

_FAILED: Final = 1
_HOUR: Final = 3600
_DAY: Final = 24 * _HOUR
_LEAST_FACTOR: Final = 1e-9
"""Stands for the lower end of an interval that reaches down to nothing."""


def check_all(
    configured: Sequence[Configured], profile: Profile, standard: Standard
) -> tuple[Judgement, ...]:
    """Judge every cost by what a profile measured."""
    return tuple(check_one(cost, profile, standard) for cost in configured)


def measurement_for(cost: Configured, profile: Profile) -> Measurement | None:
    """What a cost is judged by: its implementation's measurement, or the hasher's first."""
    known = [each for each in profile.measurements if cost.label in (each.hasher, each.label)]
    lanes = cost.params.get("parallelism", 1)
    return min(known, key=lambda each: each.lanes != lanes, default=None)


def distinct(costs: Iterable[Configured]) -> list[Configured]:
    """Each cost once, wherever it stands, so that none is timed or judged twice."""
    return list({cost.identity(): cost for cost in costs}.values())


def confirmed(
    judgements: Iterable[Judgement], again: Iterable[Judgement]
) -> tuple[Judgement, ...]:
    """Keep a failure that a second measurement repeats; nobody can tell where it does not."""
    second = iter(again)
    return tuple(
        _confirmed(first, next(second)) if first.outcome in TIMED else first
        for first in judgements
    )


def _confirmed(first: Judgement, second: Judgement) -> Judgement:
    if second.outcome is first.outcome:
        return first
    return msgspec.structs.replace(
        first,
        outcome=Outcome.INCONCLUSIVE,
        message=f"{first.message}; a second measurement said {second.outcome.word}",
        advice="measure when the machine is quieter",
    )


def exit_code(
    judged: Iterable[tuple[Iterable[Judgement], str]], on_inconclusive: str | None
) -> int:
    """The code that a check ends with: a failure goes before what could not be told.

    Each kind of place says whether its unknown costs ``pass`` or ``fail``.
    """
    outcomes = {
        Outcome.FINE if row.outcome is Outcome.UNKNOWN and on_unknown == "pass" else row.outcome
        for rows, on_unknown in judged
        for row in rows
    }
    if outcomes & (FAILING | {Outcome.UNKNOWN}):
        return _FAILED
    if Outcome.UNAVAILABLE in outcomes:
        return UnavailableError.exit_code
    if Outcome.INCONCLUSIVE in outcomes:
        codes = {"pass": 0, "fail": _FAILED}
        return codes.get(on_inconclusive or "", InconclusiveError.exit_code)
    return 0


def outdated(
    profile: Profile, now: dt.datetime, max_age: float | None, installed: Mapping[str, str]
) -> tuple[Notice, ...]:
    """Say what has changed since a profile was made.

    ``max_age`` is in seconds; ``installed`` has the versions of implementations here.
    """
    notices = []
    age = (now - profile.created).total_seconds()
    if max_age is not None and age > max_age:
        notices.append(
            Notice(
                code="old-profile",
                message=f"the profile is {_age(age)} old, more than the {_age(max_age)} allowed",
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


def _age(seconds: float) -> str:
    """Whole days, or hours where it is less than two days."""
    size, unit = (_DAY, "days") if seconds >= 2 * _DAY else (_HOUR, "hours")
    return f"{seconds / size:.0f} {unit}"


def check_one(cost: Configured, profile: Profile | None, standard: Standard) -> Judgement:
    """Judge one cost by what a profile measured; without a profile, only by the floors.

    Where its library is known to take between two times, both must give the same verdict.
    """
    cost = cost if profile is None else cost.on(profile.machine.cpu_model)
    slow = _judged(cost, profile, standard, cost.multiple)
    if cost.least_multiple == cost.multiple:
        return slow
    quick = _judged(cost, profile, standard, cost.least_multiple)
    if quick.outcome is slow.outcome or not {quick.outcome, slow.outcome} & FAILING:
        return slow
    return msgspec.structs.replace(
        slow,
        outcome=Outcome.INCONCLUSIVE,
        message=f"{slow.message}; its library may be faster: {quick.message}",
        advice="time it with the library that the application uses, or raise the cost",
    )


def _judged(
    cost: Configured, profile: Profile | None, standard: Standard, multiple: float
) -> Judgement:
    """One cost whose hash takes so many times as long as what was timed."""
    floors = tuple(assess(policy, cost.hasher, cost.params) for policy in standard.policies)
    known = None if profile is None else measurement_for(cost, profile)
    failures = () if profile is None else profile.failures
    case = _Case(
        cost=cost,
        known=None if known is None else slowed(in_place(known, cost.scheme), multiple),
        failed=next((row for row in failures if cost.label in (row.hasher, row.label)), None),
        standard=standard,
        floors=floors,
    )
    found, better, here = next(case.findings()), case.better, case.here
    return Judgement(
        hasher=cost.hasher,
        implementation=cost.implementation if known is None else known.implementation,
        params=cost.params,
        place=cost.place,
        outcome=found.outcome,
        message=found.message,
        advice=found.advice,
        time_seconds=None if here is None else here.seconds,
        interval_seconds=case.interval,
        recommended=None if better is None else better.params,
        recommended_seconds=None if better is None else better.time_seconds,
        floors=floors,
        note=cost.note,
    )


@dataclass(frozen=True)
class _Finding:
    """An outcome, why, and what to do about it."""

    outcome: Outcome
    message: str
    advice: str = ""


@dataclass(frozen=True, kw_only=True, eq=False)
class _Case:
    """One cost, what is known of its hasher, and what it is held to."""

    cost: Configured
    known: Measurement | None
    failed: Failure | None
    """Why nothing was measured."""
    standard: Standard
    floors: tuple[FloorCheck, ...]

    def findings(self) -> Iterator[_Finding]:
        """What is wrong, the worst first, and at last that nothing is."""
        yield from self._beside_floors()
        yield from self._not_timed()
        yield from self._beside_target()

    def _beside_floors(self) -> Iterator[_Finding]:
        by = [check.policy for check in self.floors if check.verdict is Verdict.NOT_APPROVED]
        if by:
            why = f"{format_list(by)} does not approve {self.cost.hasher} at any cost"
            yield _Finding(Outcome.BELOW_FLOOR, why, "choose another hasher")
        short = [check for check in self.floors if _is_short(check)]
        if short:
            policies = format_list([check.policy for check in short])
            least = format_setting(short[0].params or {})
            why = f"{self._subject()} is below {policies}'s minimum, {least}"
            yield _Finding(Outcome.BELOW_FLOOR, why, self._set_instead())

    def _not_timed(self) -> Iterator[_Finding]:
        if self.known is None:
            why = f"{self.cost.label} was not timed"
            if self.failed is not None:
                why = f"{self.failed.label}: {self.failed.error}"
            advice = f"measure it with `calibrate {self.cost.label} --save PROFILE`"
            yield _Finding(Outcome.UNAVAILABLE, why, advice)

    def _beside_target(self) -> Iterator[_Finding]:
        target = format_duration(self.standard.target_seconds)
        longest, least = self.standard.longest_seconds, self._least
        quickest, slowest = self._doubt()
        if self._leaves_room(slowest):
            why = f"{self._takes()}, and a higher cost fits {target}"
            yield _Finding(Outcome.DRIFTED, why, self._set_instead())
        if longest is not None and least is not None and least > longest:
            why = f"{self._takes_at_least()}, more than {format_duration(longest)}"
            yield _Finding(Outcome.TOO_SLOW, why, self._set_instead())
        if self._differs_in_lanes():
            yield from self._in_other_lanes()
        # What was measured is too little, or too noisy, for any verdict.
        if self._misses_steps():
            why = f"{self._takes()}; not every setting that may fit {target} was timed"
            advice = f"measure for this target: --target {target.replace(' ', '')}"
            yield _Finding(Outcome.INCONCLUSIVE, why, advice)
        if slowest - quickest > 2 * TOO_NOISY and self._leaves_room(quickest):
            why = f"{self._takes()}, too noisy to tell whether a higher cost fits {target}"
            yield _Finding(Outcome.INCONCLUSIVE, why, "measure when the machine is quieter")
        if self.interval is None and self._is_bounded():
            yield _Finding(Outcome.FINE, f"{self._takes_at_most()}; the target is {target}")
        if self.interval is None and (longest is not None or not self._bursts()):
            why = f"{self._takes()}, so it is unknown whether it takes too long"
            yield _Finding(Outcome.INCONCLUSIVE, why, "measure where it can be timed")
        if self._bursts():
            why = f"{self._takes_at_least()}, more than the target of {target}"
            yield _Finding(Outcome.OVER_BUDGET, why, self._set_instead())
        yield _Finding(Outcome.FINE, f"{self._takes()}; the target is {target}")

    def _in_other_lanes(self) -> Iterator[_Finding]:
        """What is left to say of a number of lanes that was not timed."""
        if self._bursts() and self.standard.longest_seconds is None:
            target = format_duration(self.standard.target_seconds)
            why = f"{self._takes_at_least()}, more than the target of {target}"
            yield _Finding(Outcome.OVER_BUDGET, why, self._set_instead())
        timed = 1 if self.known is None else self.known.lanes
        lanes = self.cost.params.get("parallelism", 1)
        yield _Finding(
            Outcome.INCONCLUSIVE,
            f"{self._subject()} was not timed, only parallelism {timed}",
            f"run `calibrate {self.cost.label} --parallelism {lanes} --save PROFILE`",
        )

    @cached_property
    def answer(self) -> Recommendation | None:
        """What the measurement recommends for the target, with the floors enforced."""
        if self.known is None:
            return None
        target = self.standard.target_seconds
        row = recommendation(self.known, target, Rounding.DOWN, self._floors)
        return row if isinstance(row, Recommendation) else None

    @cached_property
    def better(self) -> Recommendation | Emission | None:
        """What fits the target and meets the floors; None if no such cost was timed."""
        if self.answer is None:
            return None
        held = self._held(self.standard.target_seconds, self._floors)
        found = self.answer if held is None else held
        policies = self.standard.policies
        checks = (assess(policy, self.cost.hasher, found.params) for policy in policies)
        return None if any(_is_short(check) for check in checks) else found

    @property
    def _floors(self) -> Floors | None:
        return floors_of(self.standard.policies, enforced=True)(self.cost.hasher)

    def _held(self, seconds: float, floors: Floors | None) -> Emission | None:
        """What the application takes for so much time; None if the cost is no application's."""
        app, scheme = self.cost.app, self.cost.scheme
        if app is None or scheme is None or self.known is None:
            return None
        return fitting(app, scheme, self.known, seconds, floors, multiple=1.0)

    @cached_property
    def here(self) -> Solution | None:
        """The cost with its time; None if its memory, or its lanes, were not timed."""
        if self.known is None or self._differs_in_lanes():
            return None
        return setting_at(self.known, self.cost.params)

    @property
    def interval(self) -> Interval | None:
        """Where the quiet time lies; as wide as is still told where that is unknown."""
        if self.here is None:
            return None
        low, high = self._doubt()
        return self.here.seconds * low, self.here.seconds * high

    @property
    def _least(self) -> float | None:
        """What one hash takes at least; None if nothing tells."""
        if self.known is None:
            return None
        low, _ = self._doubt()
        least = least_seconds_at(self.known, self.cost.params)
        return None if least is None else least * low

    @property
    def _most(self) -> float | None:
        """What one hash takes at most; None if nothing tells."""
        if self.known is None:
            return None
        _, high = self._doubt()
        most = most_seconds_at(self.known, self.cost.params)
        return None if most is None else most * high

    def _differs_in_lanes(self) -> bool:
        """Whether its hashes take another time than those that were timed."""
        return self.known is not None and self.known.lanes != self.cost.params.get(
            "parallelism", 1
        )

    def _is_bounded(self) -> bool:
        """Whether one hash surely takes no longer than it may."""
        most, longest = self._most, self.standard.longest_seconds
        highest = self.standard.target_seconds * (1 + self.standard.tolerance)
        return most is not None and most <= (highest if longest is None else longest)

    def _bursts(self) -> bool:
        """Whether one hash surely takes longer than the target, by more than the tolerance."""
        least = self._least
        longest = self.standard.target_seconds * (1 + self.standard.tolerance)
        return least is not None and least > longest

    def _doubt(self) -> Interval:
        """The interval as factors of the time; where it is unknown, as wide as is still told.

        At a memory that was not timed often, that of the answer for the target tells.
        """
        own = None if self.here is None else self.here.curve.relative_interval
        row = self.answer
        if own is None and row is not None and row.interval_seconds is not None:
            low, high = row.interval_seconds
            return low / row.time_seconds, high / row.time_seconds
        return own or (1 - TOO_NOISY, 1 + TOO_NOISY)

    def _leaves_room(self, factor: float) -> bool:
        """Whether a higher cost fits the target with room to spare, if hashes took so much.

        Higher is more work in no less memory, at any step of memory that was timed: which
        step a target leads to says little, since less memory may leave time for more work.
        """
        if self.known is None:
            return False
        wanted = self.standard.target_seconds * (1 - self.standard.tolerance)
        seconds = wanted / max(factor, _LEAST_FACTOR)
        if self.here is None and self._takes_twice_the_passes(wanted):
            return True
        if self._differs_in_lanes():  # Fewer lanes take no longer than in proportion.
            seconds *= min(1.0, self.cost.params.get("parallelism", 1) / self.known.lanes)
        held = None if self._differs_in_lanes() else self._held(seconds, None)
        if held is not None:
            return held.time_seconds <= seconds and self._is_higher(held.params)
        return any(
            self._is_higher(highest)
            for curve in self.known.fitted.curves
            if (highest := _highest(Fit(curves=(curve,)), seconds)) is not None
        )

    def _takes_twice_the_passes(self, seconds: float) -> bool:
        """Whether twice the passes in the same memory, which was not timed, surely fit."""
        most = self._most
        if most is None or self.known is None or 2 * most > seconds:
            return False
        turned = self.known.fitted.curves[0]
        if turned.knob is None or turned.model.parameter not in self.cost.params:
            return False
        name = turned.model.parameter
        twice = 2 * self.cost.params[name]
        scheme = self.cost.scheme
        limits = None if scheme is None else scheme.limits.get(name)
        return turned.knob.maximum >= twice and (limits is None or limits.nearest(twice) == twice)

    def _is_higher(self, params: Params) -> bool:
        cost = self.cost.params
        if self._memory(params) < self._memory(cost):
            return False
        return self._strength(params) > self._strength(cost)

    def _memory(self, params: Params) -> float:
        """In units that compare costs of the same hasher; nothing where there is no ladder."""
        memory = guess_memory(self.cost.hasher, params)
        if memory is not None or self.known is None:
            return memory or 0.0
        return float(params[self.known.knobs[0].name]) if self.known.climbs else 0.0

    def _misses_steps(self) -> bool:
        """Whether a step that was not timed may be higher than the cost, and fit."""
        row = self.answer
        return (
            row is not None
            and has_untimed_steps(row)
            and self._strength(row.params) >= self._strength(self.cost.params)
        )

    def _strength(self, params: Params) -> float:
        work = guess_work(self.cost.hasher, params)
        return math.prod(params.values()) if work is None else work

    def _takes(self) -> str:
        if self.here is not None:
            return f"{self._subject()} takes {format_duration(self.here.seconds)}"
        return self._takes_at_most() if self._most is not None else self._untimed()

    def _untimed(self) -> str:
        return f"{self._subject()} was not timed"

    def _takes_at_most(self) -> str:
        return f"{self._untimed()} and takes at most {format_duration(self._most or 0.0)}"

    def _takes_at_least(self) -> str:
        if self.here is None and self._least is not None:
            return f"{self._untimed()} and takes at least {format_duration(self._least)}"
        return self._takes()

    def _subject(self) -> str:
        return f"{self.cost.hasher} {format_setting(self.cost.params)}"

    def _set_instead(self) -> str:
        """What fits the target and meets the floors."""
        if self.better is None:
            short = [check.params for check in self.floors if _is_short(check)]
            if short:
                return f"set {format_setting(short[0] or {})}"
            return "raise the target until a cost fits"
        if self.better.params == self.cost.params:
            return "the policy requires it; raise the target"
        time = format_duration(self.better.time_seconds)
        return f"set {format_setting(self.better.params)}, which takes {time}"


def _is_short(check: FloorCheck) -> bool:
    """Whether a cost falls short of a floor that somebody sets."""
    return check.verdict is Verdict.SHORT and not check.informative


def _highest(fitted: Fit, seconds: float) -> Params | None:
    """The highest cost within so much time; none where the lowest takes longer."""
    try:
        return solve(fitted, seconds, Rounding.DOWN).params
    except UnreachableError:
        return None
