"""Costs so high that whoever can store one holds a CPU at every login. Pure.

See https://github.com/besser82/libxcrypt/issues/54.
"""

import functools
from typing import Final

from hashcost.core.machine import Notice
from hashcost.core.measurement import Params
from hashcost.core.package_data import data_table
from hashcost.core.units import format_duration, format_setting

# A cost that is raised in good faith, and a slower machine, stay well below.
_MOST_TARGETS: Final = 40
_COMPARE: Final = "compare a stored cost with a maximum before verifying it"


def far_above(
    hasher: str,
    params: Params,
    seconds: float | None,
    target_seconds: float,
    *,
    client_side: bool = False,
) -> Notice | None:
    """Note a cost that takes more than forty times the target; `None` for any other.

    The advice is the limit that a library offers against it, if one is known.
    """
    if seconds is None or seconds <= _MOST_TARGETS * target_seconds:
        return None
    cost = f"{hasher} {format_setting(params)}"
    times = f"{seconds / target_seconds:,.0f} times the target"
    advice = _COMPARE
    limit = _limits().get((hasher, client_side))
    # Another library than this one may have the limit.
    if limit is not None:
        advice = f"{_COMPARE}: {limit}"
    return Notice(
        code="far-above-target",
        message=f"{cost} takes {format_duration(seconds)} to verify, {times}",
        advice=advice,
    )


@functools.cache
def _limits() -> dict[tuple[str, bool], str]:
    """The limits of libraries, by hasher and by whether the client hashes."""
    limits = {}
    for row in data_table("checks/verification_limits.toml")["limits"]:
        limits[row["hasher"], row.get("client_side", False)] = row["limit"]
    return limits
