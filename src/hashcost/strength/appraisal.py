"""The worth of a recommended cost: policies' floors and the attacker's price. Pure."""

from collections.abc import Sequence
from functools import partial

from msgspec.structs import replace

from hashcost.core.measurement import Measurement
from hashcost.core.profile import FloorCheck, Profile, Recommendation
from hashcost.fit.solver import Floors, quickest_meeting, within_reach
from hashcost.strength.attackers.device import Device, prices
from hashcost.strength.policies.policy import Policy, alternatives, assess, meets_all


def appraise(
    profile: Profile, policies: Sequence[Policy] = (), devices: Sequence[Device] = ()
) -> Profile:
    """The profile with each row's floors and its price to an attacker."""
    rows = []
    for row in profile.results:
        appraised = row
        if isinstance(row, Recommendation):
            measurement = profile.measurement_of(row)
            appraised = replace(
                row,
                floors=tuple(_timed(row, policy, measurement) for policy in policies),
                attacker=prices(devices, row.hasher, row.params),
            )
        rows.append(appraised)
    return replace(profile, results=tuple(rows))


def floors_of(policies: Sequence[Policy], hasher: str) -> Floors | None:
    """Give the minimums of a hasher; `None` if no policy names it."""
    # Also empty if a policy does not approve of the hasher.
    lowest = alternatives(policies, hasher)
    if not lowest:
        return None
    return Floors(alternatives=lowest, is_met=partial(meets_all, policies, hasher))


def _timed(row: Recommendation, policy: Policy, measurement: Measurement | None) -> FloorCheck:
    """Compare the row with a policy, and find the shortest time here that meets its floor."""
    check = assess(policy, row.hasher, row.params)
    floors = floors_of((policy,), row.hasher)
    # Nothing was timed, or the policy has no minimum to reach.
    if measurement is None or floors is None:
        return check
    quickest = quickest_meeting(within_reach(measurement.fitted), floors)
    if quickest is None:
        return check
    return replace(check, time_seconds=quickest.seconds, time_params=quickest.params)
