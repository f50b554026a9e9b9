"""The costs to sweep: as typed, or by default a ladder around the target. Pure."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from hashcost.core.errors import UsageError
from hashcost.core.measurement import Knob, Scale
from hashcost.core.text import quoted
from hashcost.core.units import parse_count

MOST_COSTS: Final = 100
"""More would not be timed within any budget."""

_SHORTEST_SHARE, _LONGEST_SHARE = 1 / 100, 1.3
"""Shortest and longest time of a hash at a chosen linear cost, as shares of the target."""
_SHORTEST_DOUBLING = 1 / 64
"""Shortest time of a hash at a chosen cost that doubles, as a share of the target."""
_ROUND_COUNTS: Final = tuple(digit * 10**power for power in range(19) for digit in (1, 2, 5))
"""The linear costs to choose from, 1 to 5·10¹⁸."""


@dataclass(frozen=True, kw_only=True)
class Range:
    """From one cost to another, both included; without a step, in the steps of the knob.

    A long range of a linear knob has 1, 2, 5, 10 … between its ends.
    """

    first: int
    last: int
    step: int | None = None

    def values(self, knob: Knob) -> Iterable[int]:
        """The costs of the range for a hasher with this knob.

        Raises:
            UsageError: there are too many.
        """
        is_long = self.last - self.first >= MOST_COSTS
        if self.step is None and (knob.is_ladder or is_long):
            costs = _ROUND_COUNTS
            if knob.is_ladder:
                costs = knob.steps
            inside = [cost for cost in costs if self.first <= cost <= self.last]
            return sorted({self.first, *inside, self.last})
        span = range(self.first, self.last + 1, self.step or 1)
        if len(span) > MOST_COSTS:
            ends = f"{self.first}..{self.last}"
            # Eleven costs show how time grows.
            step = max(1, (self.last - self.first) // 10)
            raise UsageError(
                f"--costs: {ends} has {len(span)} costs but at most {MOST_COSTS} are allowed;"
                f" write a step, for example {ends}:{step}"
            )
        return span


def parse_costs(text: str) -> tuple[Range, ...]:
    """Read ``1000,50000``, ``6..17`` or ``1..1000000:100000``, or several with commas.

    Raises:
        UsageError: the text is not a list of costs.
    """
    shown = quoted(text, 40)
    return tuple(_range(item, shown) for item in text.split(","))


def parse_asked(text: str, costs: tuple[Range, ...]) -> tuple[str, tuple[Range, ...]]:
    """Read ``HASHER[@IMPLEMENTATION][=COSTS]``; ``costs`` are the default.

    Raises:
        UsageError: the text after ``=`` is not a list of costs.
    """
    name, equals, given = text.partition("=")
    # People write the costs where the hasher belongs.
    if name[:1].isdigit():
        raise UsageError(
            f"{quoted(text)} is not a hasher; write the costs behind one, for example bcrypt=6..17"
        )
    if equals:
        costs = parse_costs(given)
    return name, costs


def values_of(ranges: Iterable[Range], knob: Knob) -> tuple[int, ...]:
    """The distinct costs of all ranges, the lowest first.

    Raises:
        UsageError: there are too many.
    """
    values = sorted({value for span in ranges for value in span.values(knob)})
    if len(values) > MOST_COSTS:
        raise UsageError(f"--costs: {len(values)} costs are too many; name at most {MOST_COSTS}")
    return tuple(values)


def usual_costs(
    knob: Knob, expected: Callable[[int], float], target_seconds: float
) -> tuple[int, ...]:
    """A ladder of costs around the target.

    ``expected`` returns the approximate time of a hash at a value. A linear scale has 1, 2, 5,
    10 … from a hundredth of the target on, and the minimum if it is above one, to show the
    overhead; any other scale has every step up to the first beyond the target.
    """
    if knob.scale is Scale.LINEAR:
        shortest = target_seconds * _SHORTEST_SHARE
        longest = target_seconds * _LONGEST_SHARE
        counts = filter(knob.allows, _ROUND_COUNTS)
        chosen = {count for count in counts if shortest <= expected(count) <= longest}
        if knob.minimum > 1:
            chosen.add(knob.minimum)
        return tuple(sorted(chosen))
    steps: Sequence[int] = knob.steps
    shortest = 0.0
    if knob.doubles:
        # From six doublings below the target on.
        steps = range(knob.minimum, knob.maximum + 1)
        shortest = target_seconds * _SHORTEST_DOUBLING
    within = [step for step in steps if expected(step) <= target_seconds]
    # One step beyond the target shows what the next one would take.
    return tuple(step for step in steps[: len(within) + 1] if expected(step) >= shortest)


def _range(item: str, shown: str) -> Range:
    first_text, dots, others = item.partition("..")
    last_text, colon, step_text = others.partition(":")
    first = last = parse_count(first_text)
    if dots:
        last = parse_count(last_text)
    step = None
    if colon:
        step = parse_count(step_text)
    if first is None or last is None or (colon and step is None):
        raise UsageError(
            f"--costs: {shown} is not a list of costs; write for example 1000,50000 or 6..17 or"
            " 1..1000000:100000"
        )
    if last < first:
        raise UsageError(f"--costs: {first}..{last} ends before it starts; write {last}..{first}")
    if step == 0:
        raise UsageError(f"--costs: {shown} has a step of zero; write a step of 1 or more")
    return Range(first=first, last=last, step=step)
