"""What the way to another machine adds to a login that is timed from here."""

from typing import Final

from hashcost.core.machine import Notice
from hashcost.core.units import format_duration, format_percent
from hashcost.hashers.interface import Elsewhere, Hasher

_NOTED: Final = 0.02
"""Share of a login that is worth a word."""


def distance(hasher: Hasher, p50_seconds: float) -> tuple[Notice, ...]:
    """A notice if the hash runs far away, beside what one login takes."""
    if not isinstance(hasher, Elsewhere):
        return ()
    seconds = hasher.round_trip()
    if seconds < _NOTED * p50_seconds:
        return ()
    share = format_percent(seconds / p50_seconds)
    notice = Notice(
        code="round-trip",
        message=f"asking for a hash takes {format_duration(seconds)} each time, {share} of a login"
        " here, which logins on the other side do not take",
        advice="run calibrate on that machine, or take this off the times",
    )
    return (notice,)
