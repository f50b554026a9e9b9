"""What became of the hosts of a fleet. Times are in seconds."""

import datetime as dt
import enum

import msgspec

from hashcost.compare.model import Comparison
from hashcost.core.machine import TOOL, Tool

FLEET_SCHEMA_VERSION = 1
"""Version of the fleet's JSON.

1: the first.
"""


class Outcome(enum.Enum):
    """What became of a host."""

    MEASURED = "measured"
    KEPT = "kept"
    """It had been measured before, for this target."""
    FAILED = "failed"


class HostResult(msgspec.Struct, frozen=True, kw_only=True):
    """One host, and how it was measured or why it was not."""

    host: str
    outcome: Outcome
    seconds: float | None = None
    """How long measuring it took, or until it failed."""
    error: str | None = None
    source: str | None = None
    """Its profile; a host that failed may have one from before."""
    created: dt.datetime | None = None
    """When the profile was made."""


class Fleet(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="fleet"):
    """The hosts, and those with a profile side by side."""

    schema: int = FLEET_SCHEMA_VERSION
    tool: Tool = TOOL
    target_seconds: float
    hosts: tuple[HostResult, ...]
    comparison: Comparison | None = None
    """None where fewer than two hosts have a profile."""
