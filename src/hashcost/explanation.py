"""One stored hash, or one cost, and everything that is known of it. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from hashcost.attackers.device import Device
from hashcost.attackers.scaling import price
from hashcost.check import Configured, Standard, judge, row_for
from hashcost.encoded.reading import Kind, Reading
from hashcost.model import (
    AttackerPrice,
    FloorCheck,
    Machine,
    Params,
    Profile,
    Recommendation,
    Tool,
)
from hashcost.policies.policy import Policy, assess
from hashcost.strength import has_known_cost

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
) -> Explanation:
    """Put together what is known of a reading; ``profile`` is where the time is from."""
    hasher = reading.hasher or ""
    known = reading.kind is Kind.HASHED and has_known_cost(hasher, reading.params)
    prices = (price(device, hasher, reading.params, dollars_per_hour) for device in devices)
    row = seconds = interval = None
    if known and profile is not None:
        cost = Configured(hasher=hasher, implementation=None, params=reading.params)
        row = row_for(cost, profile.results)
        judged = judge(cost, row, Standard(target_seconds=profile.target_seconds))
        seconds, interval = judged.time_seconds, judged.interval_seconds
    blocks = reading.blocks
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
        implementation_version=row.implementation_version
        if isinstance(row, Recommendation)
        else None,
        machine=None if profile is None else profile.machine,
        time_seconds=None if seconds is None else seconds * blocks,
        interval_seconds=None
        if interval is None
        else (interval[0] * blocks, interval[1] * blocks),
        floors=tuple(assess(policy, hasher, reading.params) for policy in policies)
        if known
        else (),
        attacker=tuple(each for each in prices if each is not None),
    )
