"""How often each cost of a sweep is timed. Pure.

All costs are timed once in a round, short ones more often, so that every figure
rests on the same stretch of time: what the machine's speed does meanwhile is common
to all of them and does not bend the curve.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from hashcost.fit.order_statistics import FEWEST_SAMPLES, quiet_estimate, quiet_interval

GOAL: Final = 0.01
"""The relative error that is aimed for."""
MOST_ROUNDS: Final = 200
FEWEST_ROUNDS: Final = FEWEST_SAMPLES
USUAL_ROUNDS: Final = 12
"""Not fewer, where the budget allows, before the goal counts as reached."""

_OFTEN: Final = ((1e-3, 5), (5e-3, 3))
"""Below so many seconds a hash is timed so often in a round."""
_FITTING: Final = 0.92
"""Share of the budget that is planned with: expectations are a little off."""


@dataclass(frozen=True, kw_only=True)
class Item:
    """One cost of one hasher, by their places, and how long a hash of it should take."""

    hasher: int
    cost: int
    expected_seconds: float

    @property
    def repeats(self) -> int:
        """How often it is timed in one round."""
        return next((n for least, n in _OFTEN if self.expected_seconds < least), 1)

    @property
    def round_seconds(self) -> float:
        """What it takes of a round."""
        return self.expected_seconds * self.repeats


def admitted(items: Iterable[Item], seconds: float) -> tuple[Item, ...]:
    """The costs that can be timed in six rounds within this time, the cheapest first.

    A hasher of which not even one can be has the cheapest of its costs timed in
    fewer rounds, where two fit.
    """
    left = seconds * _FITTING
    kept: list[Item] = []
    others: list[Item] = []
    for item in sorted(items, key=lambda each: each.round_seconds):
        if item.round_seconds * FEWEST_ROUNDS <= left:
            left -= item.round_seconds * FEWEST_ROUNDS
            kept.append(item)
        else:
            others.append(item)
    for item in others:
        lone = all(each.hasher != item.hasher for each in kept)
        if lone and 2 * item.round_seconds <= left:
            left -= 2 * item.round_seconds
            kept.append(item)
    return tuple(kept)


def expected_seconds(items: Sequence[Item], seconds: float) -> float:
    """About how long the rounds will take, of the seconds that there are."""
    return min(seconds, USUAL_ROUNDS * sum(item.round_seconds for item in items))


def is_settled(values: Sequence[float]) -> bool:
    """Whether the best of each round are enough for the goal."""
    if len(values) < USUAL_ROUNDS:
        return False
    error = relative_error(values)
    return error is not None and error <= GOAL


def relative_error(values: Sequence[float]) -> float | None:
    """How far the interval reaches from the time to its farther end, as a fraction."""
    quiet, interval = quiet_estimate(values), quiet_interval(values)
    if interval is None or quiet <= 0:
        return None
    return max(quiet - interval[0], interval[1] - quiet) / quiet
