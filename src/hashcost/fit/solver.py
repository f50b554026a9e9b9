"""From curves and a target to a setting, and from a cost to its time. Pure.

`answer` is the only function that turns a measurement into a setting: for the table, a saved
profile, an application, a check and a comparison.
"""

import math
from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from hashcost.core.algorithms import Strength, area_time, guess_traffic
from hashcost.core.errors import UnreachableError
from hashcost.core.measurement import GLIBC_FRESH, Curve, Fit, Interval, Params

_SIGNIFICANT_DIGITS = 3
_SMALL_PAGES: Final = {"argon2id": 0.85, "scrypt": 0.18}
"""Time of a fresh MiB in small pages, as a share of one pass over it (0.77 to 0.94)."""
_SAME_TRAFFIC: Final = 0.95
"""Share of the bytes that a guess moves within which crack times do not differ noticeably."""
_FORESEEN: Final = 1.06
"""Allowance on the target for times in small pages, which are foreseen and not timed."""


class Floors(msgspec.Struct, frozen=True, kw_only=True):
    """The minimums of a cost.

    Any of ``alternatives`` meets them, the one with the least work first; ``is_met`` judges any
    other cost.
    """

    alternatives: tuple[Params, ...]
    is_met: Callable[[Params], bool]


class Constraints(msgspec.Struct, frozen=True, kw_only=True):
    """The settings that the program that will hash accepts, and its time of one hash."""

    nearest: Callable[[Params], Params] = lambda params: params
    """Replace each param by the nearest value that the program accepts."""
    refuses: Callable[[Params], bool] = lambda _: False
    """Whether the program refuses a combination of params, and with it all higher values."""
    factor: Callable[[Params], float] = lambda _: 1.0
    """The time of one hash there, as a multiple of the time here."""


ANYWHERE = Constraints()
"""No constraints: every legal setting is accepted, and takes as long as here."""


class Solution(msgspec.Struct, frozen=True, kw_only=True):
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
        """The interval of the quiet time, in seconds."""
        low, high = self.curve.relative_interval
        return self.seconds * low, self.seconds * high


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """The setting that fits the target, and the one that meets the floors if that does not."""

    lowest: Solution
    """The quickest setting that is accepted."""
    fitting: Solution | None
    """The strongest setting within the target; `None` if even the lowest takes longer."""
    required: Solution | None
    """The quickest setting that meets the floors; `None` if ``fitting`` does, or none is timed."""

    @property
    def chosen(self) -> Solution:
        """The setting to configure: the floors take precedence over the target."""
        return self.required or self.fitting or self.lowest


def answer(
    hasher: str,
    fitted: Fit,
    target_seconds: float,
    floors: Floors | None = None,
    place: Constraints = ANYWHERE,
) -> Answer:
    """Solve for a target, floors and the constraints of the program that will hash.

    The strongest setting within the target that meets the floors fits; if none meets them, the
    strongest within the target. Counts are rounded down to three significant digits, so that
    one hash never takes longer than the target.

    Raises:
        UnreachableError: the program refuses every setting that was timed.
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
    lowest = Solution(curve=curve, value=place.nearest(curve.params)[curve.model.parameter])
    within = [setting for setting in accepted if setting.seconds <= limit(setting.curve)]
    good = [setting for setting in within if floors is None or floors.is_met(setting.params)]
    met = [] if good or floors is None else meeting(fitted, floors, place)
    # Three digits may fall short of a floor that the target reaches.
    reached = [setting for setting in met if setting.seconds <= limit(setting.curve)]
    choices = _without_loss(hasher, fitted, good or reached or within, limit)
    fitting = strongest(choices, strength)
    required = None
    if floors is not None and (fitting is None or not floors.is_met(fitting.params)):
        required = min(met, key=lambda one: one.seconds / limit(one.curve), default=None)
    return Answer(lowest=lowest, fitting=fitting, required=required)


def settings_within(fitted: Fit, limit: Callable[[Curve], float]) -> list[Solution]:
    """The highest setting of each curve that takes no longer than the curve's limit."""
    highest = (Solution(curve=c, value=highest_within(c, limit(c))) for c in fitted.curves)
    return [solution for solution in highest if solution.seconds <= limit(solution.curve)]


def _without_loss(
    hasher: str, fitted: Fit, choices: Sequence[Solution], limit: Callable[[Curve], float]
) -> Sequence[Solution]:
    """With huge pages, drop settings that move fewer bytes than the best one without them.

    More memory in fewer passes is dearer on a chip, but cheaper on a GPU, which is bound by the
    bytes that a guess moves.
    """
    surface, share = fitted.surface, _SMALL_PAGES.get(hasher, 0.0)
    if surface is None or not surface.huge_pages:
        return choices
    price = share * (surface.block + surface.growth * math.log2(GLIBC_FRESH / 2**20))

    def limit_in_small_pages(curve: Curve) -> float:
        if curve.memory_bytes < GLIBC_FRESH:
            return limit(curve)
        return _FORESEEN * limit(curve) - price * curve.memory_bytes / 2**20

    best = strongest(settings_within(fitted, limit_in_small_pages), area_time(hasher))
    kept = None if best is None else strongest_moving(hasher, choices, best.params)
    return choices if kept is None else (kept,)


def strongest_moving(hasher: str, choices: Sequence[Solution], least: Params) -> Solution | None:
    """The strongest setting that does as much work as ``least`` and moves as many bytes."""

    def traffic(params: Params) -> float:
        return guess_traffic(hasher, params) or 0.0

    moving = [
        choice
        for choice in choices
        if math.prod(choice.params.values()) >= math.prod(least.values())
        and traffic(choice.params) >= _SAME_TRAFFIC * traffic(least)
    ]
    return strongest(moving, area_time(hasher))


def setting_of(fitted: Fit, params: Params) -> Solution | None:
    """The setting with these params; `None` if it is on no curve."""
    for curve in fitted.curves:
        value = params.get(curve.model.parameter, curve.lowest - 1)
        highest = curve.lowest if curve.knob is None else curve.knob.maximum
        if curve.lowest <= value <= highest and curve.at(value) == params:
            return Solution(curve=curve, value=value)
    return None


def strongest(settings: Sequence[Solution], strength: Strength) -> Solution | None:
    """The strongest setting; among equally strong ones, the one with the most memory."""

    def rank(setting: Solution) -> tuple[float, int]:
        memory = setting.curve.memory_bytes
        return strength(setting.params, memory), memory

    return max(settings, key=rank, default=None)


def meeting(fitted: Fit, floors: Floors, place: Constraints = ANYWHERE) -> list[Solution]:
    """The settings on measured curves that just meet one of the alternatives."""
    lifted = (_lifted(fitted, least, place) for least in floors.alternatives)
    return [one for one in lifted if one is not None and floors.is_met(one.params)]


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
    """The highest accepted setting within the limit, or else the lowest accepted one, if any."""

    def is_refused(value: int) -> bool:
        return place.refuses(place.nearest(curve.at(value)))

    value = highest_within(curve, limit_seconds)
    if is_refused(value):
        legal = range(curve.lowest, value + 1)
        count = bisect_left(legal, 1, key=is_refused)
        if not count:
            return None
        value = legal[count - 1]
    return Solution(curve=curve, value=place.nearest(curve.at(value))[curve.model.parameter])


def _lifted(fitted: Fit, least: Params, place: Constraints) -> Solution | None:
    """The accepted setting with the least memory whose params are all at least these."""
    for curve in fitted.curves:
        turned, knob = curve.model.parameter, curve.knob
        fixed = [name for name in least if knob is None or name != turned]
        if any(curve.params.get(name, 0) < least[name] for name in fixed):
            continue
        value = max(least.get(turned, 0), curve.lowest)
        params = place.nearest(curve.at(value))
        if (knob is None or value <= knob.maximum) and not place.refuses(params):
            return Solution(curve=curve, value=params[turned])
    return None


def _rounded(value: int) -> int:
    """Round a positive count down to three significant digits."""
    unit: int = 10 ** max(0, len(str(value)) - _SIGNIFICANT_DIGITS)
    return value // unit * unit
