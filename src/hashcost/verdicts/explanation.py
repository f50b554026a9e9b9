"""One stored hash, or one cost, and everything that is known of it. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from hashcost.core.algorithms import has_known_cost
from hashcost.core.model import (
    AttackerPrice,
    Failure,
    FloorCheck,
    Machine,
    Params,
    Profile,
    Result,
    Tool,
)
from hashcost.stored.formats.reading import Kind, Reading
from hashcost.verdicts.check import Configured, Standard, judge, row_for
from hashcost.worth.attackers.device import Device
from hashcost.worth.attackers.scaling import price
from hashcost.worth.policies.policy import Policy, assess

EXPLANATION_SCHEMA_VERSION: Final = 1
"""Version of the explanation's JSON.

1: the first.
"""


class Explanation(msgspec.Struct, frozen=True, kw_only=True):
    """What one hash or cost is, takes and is worth."""

    schema: int
    tool: Tool
    kind: Kind
    format: str | None
    """None of a cost that was given as such."""
    hasher: str | None
    params: Params
    blocks: int
    client_side: bool
    notes: tuple[str, ...]
    implementation: str | None
    """What was timed."""
    implementation_version: str | None
    machine: Machine | None
    time_seconds: float | None
    """One hash, all of its blocks."""
    untimed: str | None
    """Why there is no time, of what has a cost."""
    interval_seconds: tuple[float, float] | None
    floors: tuple[FloorCheck, ...]
    attacker: tuple[AttackerPrice, ...]


def explain(
    reading: Reading,
    *,
    tool: Tool,
    format_name: str | None,
    policies: Sequence[Policy] = (),
    devices: Sequence[Device] = (),
    dollars_per_hour: float | None = None,
    profile: Profile | None = None,
    implementation: str | None = None,
) -> Explanation:
    """Put together what is known of a reading.

    ``profile`` is where the time is from, of this implementation where one is named.
    """
    hasher = reading.hasher or ""
    known = reading.kind is Kind.HASHED and has_known_cost(hasher, reading.params)
    prices = (price(device, hasher, reading.params, dollars_per_hour) for device in devices)
    row = known_row = seconds = interval = None
    if known and profile is not None:
        cost = Configured(hasher=hasher, implementation=implementation, params=reading.params)
        row = row_for(cost, profile.results)
        known_row = row.measured if isinstance(row, Failure) else row
        judged = judge(cost, row, Standard(target_seconds=profile.target_seconds))
        seconds, interval = judged.time_seconds, judged.interval_seconds
    blocks = reading.blocks
    named = reading.kind is Kind.HASHED and reading.hasher is not None
    return Explanation(
        schema=EXPLANATION_SCHEMA_VERSION,
        tool=tool,
        kind=reading.kind,
        format=format_name,
        hasher=reading.hasher,
        params=reading.params,
        blocks=blocks,
        client_side=reading.client_side,
        notes=reading.notes,
        implementation=None if row is None else row.implementation,
        implementation_version=None if known_row is None else known_row.implementation_version,
        machine=None if profile is None else profile.machine,
        time_seconds=None if seconds is None else seconds * blocks,
        untimed=_why_untimed(row) if known and seconds is None else None,
        interval_seconds=None
        if interval is None
        else (interval[0] * blocks, interval[1] * blocks),
        floors=tuple(
            assess(policy, hasher, reading.params)
            for policy in policies
            if named and (known or not policy.floors_of(hasher))
        ),
        attacker=tuple(each for each in prices if each is not None),
    )


def _why_untimed(row: Result | None) -> str:
    if row is None:
        return "nothing was measured that computes it"
    if isinstance(row, Failure) and row.measured is None:
        return f"{row.label}: {row.error}"
    return "a hash of this memory was not measured"
