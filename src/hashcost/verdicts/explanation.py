"""One stored hash, or one cost, and everything that is known of it. Pure."""

from collections.abc import Sequence
from typing import Final

import msgspec

from hashcost.core.machine import Machine, Tool
from hashcost.core.measurement import Params
from hashcost.core.profile import AttackerPrice, FloorCheck, Profile
from hashcost.fit.times import setting_at
from hashcost.stored.formats.reading import Kind, Reading
from hashcost.verdicts.audit import floor_checks, has_cost
from hashcost.verdicts.check import measurement_for
from hashcost.verdicts.judgement import Configured
from hashcost.worth.attackers.device import Device, prices
from hashcost.worth.policies.policy import Policy

EXPLANATION_SCHEMA_VERSION: Final = 1
"""Version of the explanation's JSON."""


class Explanation(msgspec.Struct, frozen=True, kw_only=True):
    """The algorithm, time and worth of one hash or cost."""

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
    profile: Profile | None = None,
    implementation: str | None = None,
) -> Explanation:
    """Put together what is known of a reading.

    The time is from ``profile``, and of this ``implementation`` if one is named.
    """
    hasher = reading.hasher or ""
    measurement, setting, untimed = None, None, None
    if has_cost(reading):
        cost = Configured(hasher=hasher, implementation=implementation, params=reading.params)
        measurement = None if profile is None else measurement_for(cost, profile)
        setting = None if measurement is None else setting_at(measurement, reading.params)
        if measurement is not None and setting is None:
            untimed = "no hash with this much memory was measured"
        elif setting is None:
            failures = () if profile is None else profile.failures
            named = (row for row in failures if cost.label in (row.hasher, row.label))
            untimed = next(
                (f"{row.label}: {row.error}" for row in named),
                "no library that computes it was measured",
            )
    interval = None if setting is None else setting.interval
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
        implementation=None if measurement is None else measurement.implementation,
        implementation_version=None if measurement is None else measurement.implementation_version,
        machine=None if profile is None else profile.machine,
        time_seconds=None if setting is None else setting.seconds * blocks,
        untimed=untimed,
        interval_seconds=interval and (interval[0] * blocks, interval[1] * blocks),
        floors=floor_checks(reading, policies),
        attacker=prices(devices, hasher, reading.params),
    )
