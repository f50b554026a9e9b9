"""Whether a cost that was decided on still stands, by what was measured now. Pure."""

import math
from collections.abc import Sequence

from msgspec.structs import replace

from hashcost.compare.common import common_setting
from hashcost.compare.measured_machine import Named
from hashcost.compare.model import Committed, Hold
from hashcost.compare.speed import distances
from hashcost.core.algorithms import area_time, guess_memory
from hashcost.core.decision import DecidedCost
from hashcost.core.measurement import Params
from hashcost.fit.solver import ABOUT_AS_STRONG
from hashcost.fit.times import setting_at
from hashcost.worth.policies.policy import Policy


def held(
    machines: Sequence[Named],
    cost: DecidedCost,
    target_seconds: float,
    policies: Sequence[Policy],
) -> Committed:
    """The committed cost on the slowest of these groups now.

    Its time then and its time now are both known but for their errors, which add up as
    squares do. It is excluded only where, over the whole of that, it takes longer than the
    target, or a stronger cost would fit as well.
    """
    times = [setting_at(each.measurement, cost.params) for each in machines]
    known = [each for each in times if each is not None]
    if len(known) < len(machines) or not known:
        return Committed(params=cost.params, hold=Hold.UNKNOWN)
    slowest = max(known, key=lambda each: each.seconds)
    now = distances(slowest.seconds, slowest.interval)
    then = distances(cost.time_seconds, cost.interval_seconds)
    found = Committed(
        params=cost.params,
        time_seconds=slowest.seconds,
        interval_seconds=slowest.interval,
        hold=Hold.UNKNOWN,
    )
    if now is None or then is None:
        return found
    quickest = slowest.seconds * math.exp(-math.hypot(now[0], then[1]))
    slowing = math.exp(math.hypot(now[1], then[0]))
    if quickest > target_seconds:
        return replace(found, hold=Hold.TOO_HIGH)
    stronger = common_setting(machines, target_seconds / slowing, policies)
    if not isinstance(stronger, str) and _is_stronger(cost.hasher, stronger, cost.params):
        return replace(found, hold=Hold.TOO_LOW)
    return replace(found, hold=Hold.HOLDS)


def strength(hasher: str, params: Params) -> float:
    """What a cost asks of an attacker, in units that compare costs of one hasher."""
    return area_time(hasher)(params, round(guess_memory(hasher, params) or 0))


def _is_stronger(hasher: str, params: Params, than: Params) -> bool:
    """Whether it is clearly stronger: of memory, more than settings about as strong differ."""
    factor = ABOUT_AS_STRONG if guess_memory(hasher, params) else 1.0
    return strength(hasher, params) * factor > strength(hasher, than)
