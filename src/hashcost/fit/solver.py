"""From curves and a target to a setting, and from a cost to its time. Pure.

`answer` is the only function that turns a measurement into a setting: for the table, a saved
profile, an application, a check and a comparison.
"""

import math
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from hashcost.core.algorithms import Strength, area_time, guess_traffic
from hashcost.core.errors import UnreachableError
from hashcost.core.measurement import Curve, Fit, Interval, Params
from hashcost.fit.estimate import GLIBC_FRESH

_SIGNIFICANT_DIGITS = 3
_SMALL_PAGES: Final = {"argon2id": 0.85, "scrypt": 0.18}
"""What a fresh MiB takes in small pages, as a share of one pass over it (0.77 to 0.94)."""
_AS_MANY: Final = 0.95
"""Of the bytes that a guess moves: what nobody can tell in a crack time."""
_AS_STRONG: Final = 0.9
_ABOUT: Final = 1.06
"""What would fit in small pages is foreseen, not timed."""


@dataclass(frozen=True, kw_only=True)
class Floors:
    """What a cost must not fall short of.

    Any of ``alternatives`` will do, the least work first; ``is_met`` tells of any
    cost whether it does.
    """

    alternatives: tuple[Params, ...]
    is_met: Callable[[Params], bool]


@dataclass(frozen=True, kw_only=True)
class Constraints:
    """What the program that will hash accepts, and how long a hash takes there."""

    held: Callable[[Params], Params] = lambda params: params
    """The params that it makes of others, each the nearest that it accepts."""
    refuses: Callable[[Params], bool] = lambda _: False
    """Whether it refuses params together; from some value on, all higher ones."""
    factor: Callable[[Params], float] = lambda _: 1.0
    """How many times as long as here a hash takes there."""


ANYWHERE = Constraints()
"""Accepts every legal setting."""


@dataclass(frozen=True, kw_only=True)
class Solution:
    """A legal setting: a value on a curve."""

    curve: Curve
    value: int

    @property
    def params(self) -> Params:
        """The setting in the algorithm's own terms."""
        return self.curve.at(self.value)

    @property
    def seconds(self) -> float:
        """Time of one hash with this setting."""
        return self.curve.seconds(self.value)

    @property
    def interval(self) -> Interval:
        """Where the quiet time lies, in seconds."""
        low, high = self.curve.relative_interval
        return self.seconds * low, self.seconds * high


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What fits the target, and what meets the floors where that falls short of them."""

    lowest: Solution
    """The quickest setting that is accepted."""
    fitting: Solution | None
    """The strongest setting within the target; None if even the lowest takes longer."""
    required: Solution | None
    """The quickest setting that meets the floors; None if ``fitting`` does, or nothing known."""

    @property
    def chosen(self) -> Solution:
        """The setting to configure: floors go before the target."""
        return self.required or self.fitting or self.lowest


def answer(
    hasher: str,
    fitted: Fit,
    target_seconds: float,
    floors: Floors | None = None,
    place: Constraints = ANYWHERE,
) -> Answer:
    """Solve for a target, floors and what the program that will hash accepts.

    Among the settings within the target that meet the floors, the strongest fits; if none
    meets them, the strongest of all within. Counts are rounded down to three significant
    digits, so that one hash never takes longer than the target.

    Raises:
        UnreachableError: the program refuses all that was timed.
    """
    strength = area_time(hasher)

    def limit(curve: Curve) -> float:
        return target_seconds / place.factor(curve.params)

    highest = (_highest(curve, limit(curve), place) for curve in fitted.curves)
    accepted = [solution for solution in highest if solution is not None]
    if not accepted:
        raise UnreachableError(
            "the application refuses every cost that was timed; choose another --target"
        )
    curve = accepted[0].curve
    lowest = Solution(curve=curve, value=place.held(curve.params)[curve.model.parameter])
    within = [each for each in accepted if each.seconds <= limit(each.curve)]
    good = [each for each in within if floors is None or floors.is_met(each.params)]
    met = [] if good or floors is None else meeting(fitted, floors, place)
    # Three digits may fall short of a floor that the target reaches.
    reached = [each for each in met if each.seconds <= limit(each.curve)]
    choices = _without_loss(hasher, fitted, good or reached or within, limit)
    fitting = strongest(choices, strength)
    short = floors is not None and not floors.is_met((fitting or lowest).params)
    by_time = sorted(met, key=lambda each: each.seconds / limit(each.curve))
    required = by_time[0] if short and by_time else None
    return Answer(lowest=lowest, fitting=fitting, required=required)


def settings_within(fitted: Fit, limit: Callable[[Curve], float]) -> list[Solution]:
    """The highest setting of each curve that takes no longer than the curve's limit."""
    highest = (Solution(curve=c, value=highest_within(c, limit(c))) for c in fitted.curves)
    return [solution for solution in highest if solution.seconds <= limit(solution.curve)]


def _without_loss(
    hasher: str, fitted: Fit, choices: Sequence[Solution], limit: Callable[[Curve], float]
) -> Sequence[Solution]:
    """With huge pages, leave out what moves fewer bytes than the best setting without them.

    More memory in fewer passes costs a chip more, but a GPU, which is bound by the bytes, less.
    """
    surface, share = fitted.surface, _SMALL_PAGES.get(hasher, 0.0)
    if surface is None or not surface.huge_pages:
        return choices
    price = share * (surface.block + surface.growth * math.log2(GLIBC_FRESH / 2**20))

    def limit_in_small_pages(curve: Curve) -> float:
        if curve.memory_bytes < GLIBC_FRESH:
            return limit(curve)
        return _ABOUT * limit(curve) - price * curve.memory_bytes / 2**20

    best = strongest(settings_within(fitted, limit_in_small_pages), area_time(hasher))
    kept = None if best is None else strongest_moving(hasher, choices, best.params)
    return choices if kept is None else (kept,)


def strongest_moving(hasher: str, choices: Sequence[Solution], least: Params) -> Solution | None:
    """The strongest setting that goes over no less memory than ``least``, and moves as many bytes.

    Among about equally strong ones, the one that moves the most.
    """
    asked = _AS_MANY * (guess_traffic(hasher, least) or 0.0)
    moving = [
        choice
        for choice in choices
        if math.prod(choice.params.values()) >= math.prod(least.values())
        and _bytes_moved(hasher, choice) >= asked
    ]
    strong = _about_strongest(hasher, moving)
    return max(strong, key=partial(_bytes_moved, hasher), default=None)


def _about_strongest(hasher: str, choices: Sequence[Solution]) -> list[Solution]:
    strength = area_time(hasher)
    strengths = [strength(choice.params, choice.curve.memory_bytes) for choice in choices]
    pairs = zip(choices, strengths, strict=True)
    return [choice for choice, value in pairs if value >= _AS_STRONG * max(strengths)]


def _bytes_moved(hasher: str, choice: Solution) -> float:
    return guess_traffic(hasher, choice.params) or 0.0


def setting_of(fitted: Fit, params: Params) -> Solution | None:
    """The setting of these params; None if no curve tells of them."""
    for curve in fitted.curves:
        value = params.get(curve.model.parameter, curve.lowest - 1)
        highest = curve.lowest if curve.knob is None else curve.knob.maximum
        if curve.lowest <= value <= highest and curve.at(value) == params:
            return Solution(curve=curve, value=value)
    return None


def strongest(settings: Sequence[Solution], strength: Strength) -> Solution | None:
    """The strongest setting; among equally strong ones, the one with the most memory."""
    return max(
        settings,
        key=lambda each: (strength(each.params, each.curve.memory_bytes), each.curve.memory_bytes),
        default=None,
    )


def meeting(fitted: Fit, floors: Floors, place: Constraints = ANYWHERE) -> list[Solution]:
    """The settings on measured curves that just meet one of the alternatives."""
    lifted = (_lifted(fitted, least, place) for least in floors.alternatives)
    return [each for each in lifted if each is not None and floors.is_met(each.params)]


def highest_within(curve: Curve, target_seconds: float) -> int:
    """The highest legal, rounded value whose time is at most the target, or the lowest."""
    knob, model = curve.knob, curve.model
    if knob is None:
        return curve.lowest
    if knob.doubles:
        value = curve.lowest
        while value < knob.maximum and curve.seconds(value + 1) <= target_seconds:
            value += 1
        return value
    exact = (target_seconds - model.overhead_seconds) / model.seconds_per_unit
    value = max(_rounded(int(min(max(exact, curve.lowest), knob.maximum))), curve.lowest)
    # Division may round the other way by one unit in the last place.
    while value > curve.lowest and curve.seconds(value) > target_seconds:
        value = max(_rounded(value - 1), curve.lowest)
    return value


def _highest(curve: Curve, limit_seconds: float, place: Constraints) -> Solution | None:
    """The highest value within the limit that is accepted, or the lowest that is, if any."""
    name = curve.model.parameter

    def is_refused(value: int) -> bool:
        return place.refuses(place.held(curve.at(value)))

    value = highest_within(curve, limit_seconds)
    if is_refused(value):
        legal = range(curve.lowest, value + 1)
        count = bisect_left(legal, 1, key=is_refused)
        if not count:
            return None
        value = legal[count - 1]
    return Solution(curve=curve, value=place.held(curve.at(value))[name])


def _lifted(fitted: Fit, least: Params, place: Constraints) -> Solution | None:
    """The setting with the least memory that is accepted and below none of these params."""
    for curve in fitted.curves:
        name, knob = curve.model.parameter, curve.knob
        fixed = (each for each in least if knob is None or each != name)
        if any(curve.params.get(each, 0) < least[each] for each in fixed):
            continue
        value = max(least.get(name, 0), curve.lowest)
        held = place.held(curve.at(value))
        if (knob is None or value <= knob.maximum) and not place.refuses(held):
            return Solution(curve=curve, value=held[name])
    return None


def _rounded(value: int) -> int:
    """Round a positive count down to three significant digits."""
    unit: int = 10 ** max(0, len(str(value)) - _SIGNIFICANT_DIGITS)
    return value // unit * unit
