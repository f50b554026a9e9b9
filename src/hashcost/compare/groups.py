"""Machines with the same facts, and the one that stands for them. Pure."""

import math
from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Final

from hashcost.compare.facts import facts_that_tell
from hashcost.compare.machines import Side
from hashcost.compare.speed import on_both
from hashcost.fit.solver import highest_within

_SHARE: Final = 0.75
"""Of a group, this share is as fast as the machine that stands for it, or faster. The slowest of
many would be the unluckiest run, and one cost for all would fall as the fleet grows."""


def groups_of(sides: Sequence[Side], target_seconds: float) -> tuple[Side, ...]:
    """A group for each set of facts, called by the machine that stands for it.

    Of two or three machines that is the slowest.
    """
    alike: dict[Hashable, list[Side]] = {}
    for side in sides:
        alike.setdefault(facts_that_tell(side), []).append(side)
    groups = []
    for members in alike.values():
        ordered = sorted(members, key=lambda side: _slowness(members[0], side, target_seconds))
        representative = ordered[math.ceil(_SHARE * len(ordered)) - 1]
        groups.append(replace(representative, machines=tuple(side.name for side in members)))
    return tuple(groups)


def _slowness(first: Side, side: Side, target_seconds: float) -> float:
    """How many times as long as on the first machine a hash takes; 1 if nothing compares them."""
    curve = first.measurement.fitted.curves[0]
    params = curve.at(highest_within(curve, target_seconds))
    both = on_both(first.measurement, side.measurement, params)
    return 1.0 if both is None else both[1].seconds / both[0].seconds
