"""Which setting to use: the rule of strength. Pure.

Nobody knows whether the attacker has GPUs, bound by the bytes that a guess moves, or hardware
made for the hasher, bound by the memory of a guess times these bytes. The rule weighs both alike:

1. *Candidates*: for each setting of memory the most passes that the program accepts and whose
   time is within the target. A hasher with one knob has one candidate, its highest cost, or one
   for each setting of memory. No candidate has more than twice the largest memory that was timed.
2. Keep the candidates that meet every policy; if none does, keep all.
3. Take the highest product of both prices, memory × bytes²; on a tie, less memory.

Each candidate is judged by itself, so a limit or a policy that the answer meets never changes
the answer. If the answer misses a policy's minimum, the quickest accepted setting that meets it
is given as well; on a tie, the one with less memory.

A cost has *drifted* if a candidate for less than the target is at least as dear for both
attackers, and dearer for one. A cost that is merely not the answer has not drifted.

`answer` and `has_drifted` are the only functions that judge strength: for the table, a saved
profile, an application, a check, a comparison and a decision. To solve for several machines, give
`answer` the curves of the slowest (`for_all`).
"""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import Final

import msgspec
from msgspec.structs import replace

from hashcost.core.algorithms import Strength, strength_of
from hashcost.core.errors import UnreachableError
from hashcost.core.measurement import Curve, Fit, Interval, Params

_SIGNIFICANT_DIGITS = 3
REACH: Final = 2
"""How far an answer may go beyond the memory that was timed: a surface errs more with each
doubling (`_MISFIT_BEYOND` in ``fit/curves.py``). With less memory than was timed, what a hash
takes besides its memory counts more, which no surface has."""


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

    def seconds(self, setting: "Solution") -> float:
        """The time of one hash there."""
        return setting.seconds * self.factor(setting.curve.params)


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

    def strength(self, hasher: str) -> Strength:
        """The price of a guess for both attackers."""
        return strength_of(hasher, self.params, self.curve.memory_bytes)


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """The setting that fits the target, and the one that meets the floors if that does not."""

    lowest: Solution
    """The quickest setting that is accepted."""
    fitting: Solution | None
    """The strongest setting within the target; `None` if even the lowest takes longer."""
    required: Solution | None
    """The quickest setting that meets the floors; `None` if ``fitting`` does, or none is timed."""
    beyond: Solution | None = None
    """The setting that the rule would choose, if it takes more memory than may be answered."""

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

    Counts are rounded down to three significant digits, so that one hash never takes longer than
    the target.

    Raises:
        UnreachableError: the program refuses every setting that was timed.
    """
    near = within_reach(fitted)
    solved = solve(hasher, near, target_seconds, floors, place)
    if near is fitted:
        return solved
    wished = solve(hasher, fitted, target_seconds, floors, place).chosen
    if wished == solved.chosen:
        return solved
    return replace(solved, beyond=wished)


def solve(
    hasher: str,
    fitted: Fit,
    target_seconds: float,
    floors: Floors | None = None,
    place: Constraints = ANYWHERE,
) -> Answer:
    """Apply the rule to all curves: for a plan, which then times what is answered.

    Raises:
        UnreachableError: the program refuses every setting on these curves.
    """
    lowest = None
    for curve in fitted.curves:
        lowest = _accepted(curve, curve.lowest, place)
        if lowest is not None:
            break
    if lowest is None:
        raise UnreachableError(
            "no cost that the application accepts was timed; choose another --target, or leave"
            " --from out"
        )
    kept = candidates(fitted, target_seconds, floors, place)
    fitting = strongest(hasher, kept)
    required = None
    if floors is not None and (fitting is None or not floors.is_met(fitting.params)):
        required = quickest_meeting(fitted, floors, place)
    return Answer(lowest=lowest, fitting=fitting, required=required)


def candidates(
    fitted: Fit, target_seconds: float, floors: Floors | None = None, place: Constraints = ANYWHERE
) -> list[Solution]:
    """The settings to choose from: within the target, and meeting the floors if any of them does.

    For each curve it is the highest accepted setting.
    """
    within = within_target(fitted, target_seconds, place)
    if floors is None:
        return within
    good = [setting for setting in within if floors.is_met(setting.params)]
    if good:
        return good
    # A count of three digits may miss a minimum that the target reaches to the unit.
    exact = meeting(fitted, floors, place)
    good = [setting for setting in exact if place.seconds(setting) <= target_seconds]
    return good or within


def within_target(
    fitted: Fit, target_seconds: float, place: Constraints = ANYWHERE
) -> list[Solution]:
    """For each curve the highest accepted setting within the target, if any."""
    within = []
    for curve in fitted.curves:
        seconds_here = target_seconds / place.factor(curve.params)
        setting = _highest(curve, seconds_here, place)
        # Even the lowest accepted setting may take longer.
        if setting is not None and place.seconds(setting) <= target_seconds:
            within.append(setting)
    return within


def strongest(hasher: str, settings: Sequence[Solution]) -> Solution | None:
    """The setting with the highest product of both prices; on a tie, the one with less memory."""

    def rank(setting: Solution) -> tuple[float, int]:
        return setting.strength(hasher).product, -setting.curve.memory_bytes

    return max(settings, key=rank, default=None)


def quickest_meeting(
    fitted: Fit, floors: Floors, place: Constraints = ANYWHERE
) -> Solution | None:
    """The quickest accepted setting that meets the floors; on a tie, the one with less memory."""

    def rank(setting: Solution) -> tuple[float, int]:
        return place.seconds(setting), setting.curve.memory_bytes

    return min(meeting(fitted, floors, place), key=rank, default=None)


def meeting(fitted: Fit, floors: Floors, place: Constraints = ANYWHERE) -> list[Solution]:
    """For each curve the lowest accepted setting that meets the floors, if any."""
    settings = (_meeting(curve, floors, place) for curve in fitted.curves)
    return [setting for setting in settings if setting is not None]


def has_drifted(
    hasher: str,
    own: Strength,
    fitted: Fit,
    seconds: float,
    floors: Floors | None = None,
    place: Constraints = ANYWHERE,
) -> bool:
    """Whether a setting within ``seconds`` that meets the floors is stronger than a cost.

    ``seconds`` are the target less the tolerance; ``own`` is the strength of the cost.
    """
    for setting in within_target(within_reach(fitted), seconds, place):
        is_met = floors is None or floors.is_met(setting.params)
        if is_met and setting.strength(hasher).beats(own):
            return True
    return False


def within_reach(fitted: Fit) -> Fit:
    """Leave out the settings with more than twice the largest memory that was timed."""
    if fitted.surface is None:
        return fitted
    _, largest = fitted.surface.sampled_bytes
    near = tuple(curve for curve in fitted.curves if curve.memory_bytes <= REACH * largest)
    if near == fitted.curves:
        return fitted
    # The least memory is timed first, unless a file is damaged.
    return replace(fitted, curves=near or fitted.curves[:1])


def setting_of(fitted: Fit, params: Params) -> Solution | None:
    """The setting with these params; `None` if it is on no curve."""
    for curve in fitted.curves:
        value = params.get(curve.model.parameter)
        if value is None:
            continue
        setting = Solution(curve=curve, value=value)
        if _is_legal(setting) and setting.params == params:
            return setting
    return None


def highest_within(curve: Curve, target_seconds: float) -> int:
    """The highest legal, rounded value whose time is at most the target, or the lowest."""
    knob, model = curve.knob, curve.model
    if knob is None:
        return curve.lowest
    if knob.doubles:
        # The time doubles with each step, so the target is a few steps away.
        value = curve.lowest
        while value < knob.maximum and curve.seconds(value + 1) <= target_seconds:
            value += 1
        return value
    exact = (target_seconds - model.overhead_seconds) / model.seconds_per_unit
    legal = int(min(max(exact, curve.lowest), knob.maximum))
    value = max(_rounded(legal), curve.lowest)
    # Division may round the other way by one unit in the last place.
    while value > curve.lowest and curve.seconds(value) > target_seconds:
        value = max(_rounded(value - 1), curve.lowest)
    return value


def _accepted(curve: Curve, value: int, place: Constraints) -> Solution | None:
    """The setting that the program makes of a value; `None` if it refuses that memory."""
    params = place.nearest(curve.at(value))
    setting = Solution(curve=curve, value=params[curve.model.parameter])
    # What the program makes of the other params may lie on another curve.
    if setting.params != params or not _is_legal(setting) or place.refuses(params):
        return None
    return setting


def _is_legal(setting: Solution) -> bool:
    curve = setting.curve
    return curve.lowest <= setting.value <= _highest_legal(curve)


def _highest_legal(curve: Curve) -> int:
    """The highest legal value on a curve; without a knob there is only one."""
    if curve.knob is None:
        return curve.lowest
    return curve.knob.maximum


def _highest(curve: Curve, limit_seconds: float, place: Constraints) -> Solution | None:
    """The highest accepted setting within the limit, or else the lowest accepted one, if any."""
    value = highest_within(curve, limit_seconds)
    setting = _accepted(curve, value, place)
    if setting is not None:
        return setting
    # What the program refuses, it refuses with all higher values.
    lower = range(curve.lowest, value)
    count = bisect_left(lower, 1, key=lambda value: _accepted(curve, value, place) is None)
    if not count:
        return None
    return _accepted(curve, lower[count - 1], place)


def _meeting(curve: Curve, floors: Floors, place: Constraints) -> Solution | None:
    """The lowest accepted setting of a curve that meets the floors, if any."""

    def meets(value: int) -> bool:
        return floors.is_met(place.nearest(curve.at(value)))

    highest = _highest_legal(curve)
    if not meets(highest):
        return None
    # The least that is asked for is most often enough, but a program may take only some values.
    asked = max(least.get(curve.model.parameter, 0) for least in floors.alternatives)
    if curve.lowest <= asked < highest and meets(asked):
        highest = asked
    legal = range(curve.lowest, highest + 1)
    lowest = legal[bisect_left(legal, 1, key=meets)]
    return _accepted(curve, lowest, place)


def _rounded(value: int) -> int:
    """Round a positive count down to three significant digits."""
    unit: int = 10 ** max(0, len(str(value)) - _SIGNIFICANT_DIGITS)
    return value // unit * unit
