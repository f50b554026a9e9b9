"""From curves and a target to a cost, and from a cost to its time. Pure."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from hashcost.core.algorithms import Strength, memory_first
from hashcost.core.errors import UnreachableError
from hashcost.core.measurement import Curve, Fit, Interval, Params
from hashcost.core.profile import Rounding
from hashcost.core.units import format_duration, format_setting

_SIGNIFICANT_DIGITS = 3
BY_MEMORY = memory_first("")
"""The strength where nothing but memory matters; it is the same for every hasher."""
ABOUT_AS_STRONG = 0.95
"""Within this share of the strongest, a setting that is kept is as good."""


@dataclass(frozen=True, kw_only=True)
class Floors:
    """What a cost must not fall short of.

    Any of ``alternatives`` will do, the least work first; ``is_met`` tells of any
    cost whether it does. Where they are ``enforced``, the target gives way to them.
    """

    alternatives: tuple[Params, ...]
    is_met: Callable[[Params], bool]
    enforced: bool


@dataclass(frozen=True, kw_only=True)
class Solution:
    """A legal setting: a value on a curve.

    ``raised_from`` is what fits the target, where a floor is enforced that does not.
    """

    curve: Curve
    value: int
    raised_from: Params | None = None

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


def solve(
    fitted: Fit,
    target_seconds: float,
    rounding: Rounding,
    floors: Floors | None = None,
    strength: Strength = BY_MEMORY,
) -> Solution:
    """The legal setting that stands for this target.

    Of the settings within it that meet the floors, the strongest; if none meets them, the
    strongest of all that fit, unless the floors are enforced. Counts are rounded to three
    significant digits in the direction asked for. Rounded down, one hash never takes longer
    than the target.

    Raises:
        UnreachableError: rounding down, and even the lowest cost takes longer.
    """
    within = _within(fitted, target_seconds)
    good = [each for each in within if floors is None or floors.is_met(each.params)]
    known = [] if good or floors is None else meeting(fitted, floors)
    # Three digits may fall short of a floor that the target reaches.
    reached = [each for each in known if each.seconds <= target_seconds]
    if reached and rounding is not Rounding.UP:
        return strongest(reached, strength) or reached[0]
    below = strongest(good or within, strength)
    first = Solution(curve=fitted.curves[0], value=fitted.curves[0].lowest)
    # Where not even the lowest fits and no floor asks for more, the target is too slow.
    if (
        floors is None
        or not floors.enforced
        or not known
        or (below is None and floors.is_met(first.params))
    ):
        return _rounded(fitted, below, target_seconds, rounding)
    raised = min(known, key=lambda each: each.seconds)
    return replace(raised, raised_from=(below or first).params)


def setting_of(fitted: Fit, params: Params) -> Solution | None:
    """The setting of these params; None if no curve tells of them."""
    for curve in fitted.curves:
        value = params.get(curve.model.parameter, curve.lowest - 1)
        highest = curve.lowest if curve.knob is None else curve.knob.maximum
        if curve.lowest <= value <= highest and curve.at(value) == params:
            return Solution(curve=curve, value=value)
    return None


def strongest(settings: Sequence[Solution], strength: Strength) -> Solution | None:
    """The strongest setting; of those as strong, the one with the most memory."""
    return max(
        settings,
        key=lambda each: (strength(each.params, each.curve.memory_bytes), each.curve.memory_bytes),
        default=None,
    )


def _within(fitted: Fit, target_seconds: float) -> list[Solution]:
    """The highest setting of each curve that takes no longer."""
    return [
        Solution(curve=curve, value=highest_within(curve, target_seconds))
        for curve in fitted.curves
        if curve.seconds(curve.lowest) <= target_seconds
    ]


def _rounded(
    fitted: Fit, below: Solution | None, target_seconds: float, rounding: Rounding
) -> Solution:
    """The setting below the target, or the next above it, as the rounding asks.

    Raises:
        UnreachableError: rounding down, and there is none below.
    """
    if below is None:
        first = fitted.curves[0]
        if rounding is Rounding.DOWN:
            raise UnreachableError(
                f"even the lowest cost, {format_setting(first.params)}, takes"
                f" {format_duration(first.seconds(first.lowest))}; raise --target"
            )
        return Solution(curve=first, value=first.lowest)
    if rounding is Rounding.DOWN:
        return below
    above = _lowest_beyond(fitted, below, target_seconds)
    if rounding is Rounding.UP:
        return above
    nearer = above.seconds - target_seconds < target_seconds - below.seconds
    return above if nearer else below


def no_floors(_hasher: str) -> Floors | None:
    """Asks for nothing of any hasher."""
    return None


def meeting(fitted: Fit, floors: Floors) -> list[Solution]:
    """The settings on measured curves that just meet one of the alternatives."""
    found = (_lifted(fitted, params) for params in floors.alternatives)
    return [each for each in found if each is not None and floors.is_met(each.params)]


def _lifted(fitted: Fit, least: Params) -> Solution | None:
    """The setting with the least memory that is below none of these params."""
    for curve in fitted.curves:
        knob = curve.knob
        name = curve.model.parameter if knob is not None else None
        fixed = (each for each in least if each != name)
        if any(curve.params.get(each, 0) < least[each] for each in fixed):
            continue
        value = max(least.get(curve.model.parameter, 0), curve.lowest)
        if knob is None or value <= knob.maximum:
            return Solution(curve=curve, value=value)
    return None


def round_to_digits(value: int, rounding: Rounding) -> int:
    """Round a positive count to three significant digits, down or up."""
    unit: int = 10 ** max(0, len(str(value)) - _SIGNIFICANT_DIGITS)
    down = value // unit * unit
    return down if rounding is Rounding.DOWN or down == value else down + unit


def highest_within(curve: Curve, target_seconds: float) -> int:
    """The highest legal, rounded value whose time is at most the target."""
    knob, model = curve.knob, curve.model
    if knob is None:
        return curve.lowest
    if knob.doubles:
        value = curve.lowest
        while value < knob.maximum and curve.seconds(value + 1) <= target_seconds:
            value += 1
        return value
    exact = (target_seconds - model.overhead_seconds) / model.seconds_per_unit
    value = int(min(max(exact, curve.lowest), knob.maximum))
    value = max(round_to_digits(value, Rounding.DOWN), curve.lowest)
    # Division may round the other way by one unit in the last place.
    while value > curve.lowest and curve.seconds(value) > target_seconds:
        value = max(round_to_digits(value - 1, Rounding.DOWN), curve.lowest)
    return value


def _lowest_beyond(fitted: Fit, below: Solution, target_seconds: float) -> Solution:
    """The lowest measured or modelled setting whose time is at least the target."""
    curve, knob = below.curve, below.curve.knob
    if below.seconds >= target_seconds:
        return below
    if knob is not None and below.value < knob.maximum:
        step = below.value + 1
        value = step if knob.doubles else round_to_digits(step, Rounding.UP)
        return Solution(curve=curve, value=min(value, knob.maximum))
    following = fitted.curves[fitted.curves.index(curve) + 1 :]
    return Solution(curve=following[0], value=following[0].lowest) if following else below
