"""How often something is guessed, in words."""

from __future__ import annotations

from hashcost.core.units import format_count, format_duration


def often(per_second: float) -> str:
    """``1,438 times a second``, or ``once in 364 s`` where it is less than once."""
    if per_second < 1:
        return f"once in {format_duration(1 / per_second)}"
    return f"{format_count(per_second)} times a second"
