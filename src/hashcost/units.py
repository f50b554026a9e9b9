"""Durations and counts, read from text and written for people.

Seconds are the only unit inside the program; milliseconds exist only in text.
"""

from __future__ import annotations

import math
import re

from hashcost.errors import UsageError

_SECONDS_PER_UNIT = {
    "ns": 1e-9,
    "us": 1e-6,
    "µs": 1e-6,
    "μs": 1e-6,
    "ms": 1e-3,
    "s": 1.0,
    "min": 60.0,
    "h": 3600.0,
}
_DURATION = re.compile(
    r"\s*([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?)\s*([^\W\d_]*)\s*", re.IGNORECASE
)


def parse_duration(text: str) -> float:
    """Read a duration such as ``40ms`` or ``0.25s``; the result is in seconds.

    Raises:
        UsageError: the text is no duration, is not above zero, or has no unit.
            A bare number is refused because it is read both ways: an article
            once took 0.4 (seconds) for 40 milliseconds.
    """
    shown = _shown(text)
    match = _DURATION.fullmatch(text) if len(text) <= 40 else None
    if match is None:
        raise UsageError(f"{shown} is not a duration; write for example 40ms or 0.25s")
    number, unit = match.groups()
    value = float(number)
    if not unit:
        raise UsageError(
            f"{shown} has no unit; write {_as_number(number)}ms for milliseconds"
            f" or {_as_number(number)}s for seconds"
        )
    if unit not in _SECONDS_PER_UNIT:
        raise UsageError(f"{shown} has an unknown unit; write ms or s, for example 40ms")
    seconds = value * _SECONDS_PER_UNIT[unit]
    if not math.isfinite(seconds):
        raise UsageError(f"{shown} is not a duration; write for example 40ms or 0.25s")
    if seconds <= 0:
        raise UsageError(f"{shown} is not above zero; write for example 40ms or 0.25s")
    return seconds


def format_duration(seconds: float) -> str:
    """Write a duration in seconds with three significant digits and its unit."""
    if seconds < 0:
        return "-" + format_duration(-seconds)
    if seconds == 0:
        return "0 s"
    if math.isinf(seconds):
        return "∞ s"
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        # 0.9995 ms would round to "1000 µs": choose the unit after rounding.
        if float(f"{seconds / size:.3g}") >= 1:
            return f"{_three_digits(seconds / size)} {unit}"
    return f"{_three_digits(seconds / 1e-9)} ns"


def format_count(count: int) -> str:
    """Write a whole number with a comma between thousands."""
    return f"{count:,}"


def format_percent(fraction: float) -> str:
    """Write a fraction as a percentage of two significant digits, without a sign."""
    percent = abs(fraction) * 100
    return f"{percent:.0f} %" if percent >= 9.95 else f"{percent:.1f} %"


def format_bytes(count: int) -> str:
    """Write a size in binary units, for example ``16 MiB``."""
    size = float(count)
    for unit in ("B", "KiB", "MiB"):
        if size < 1024:
            return f"{_three_digits(size) if unit != 'B' else count} {unit}"
        size /= 1024
    return f"{_three_digits(size)} GiB"


def _three_digits(value: float) -> str:
    if value >= 99.95:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 9.995 else f"{value:.2f}"


def _as_number(number: str) -> str:
    return number.lstrip("+")


def _shown(text: str) -> str:
    """Quote what the user typed, kept short and free of control characters."""
    cleaned = "".join(character if character.isprintable() else "�" for character in text)
    return repr(cleaned if len(cleaned) <= 24 else cleaned[:23] + "…")
