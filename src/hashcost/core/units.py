"""Durations, sizes, rates and costs, read from text and written for people.

Seconds and bytes are the only units inside the program; milliseconds and MiB
exist only in text.
"""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Final

from hashcost.core.errors import UsageError
from hashcost.core.text import quoted

DEFAULT_TARGET_SECONDS: Final = 0.25
LONGEST_TARGET_SECONDS: Final = 60.0

_UNITS_PER_SECOND = {
    "ns": 1e9,
    "us": 1e6,
    "µs": 1e6,
    "μs": 1e6,
    "ms": 1e3,
    "s": 1.0,
    "min": 1 / 60,
    "h": 1 / 3600,
}
_SECONDS_PER_UNIT = {"s": 1.0, "min": 60.0, "h": 3600.0}
"""What a rate may be counted over."""
_HIGHEST_RATE = 1e9
"""A second; no service has as many logins."""
_BYTES_PER_UNIT = {
    "B": 1,
    **dict.fromkeys(("K", "KB", "KIB"), 1 << 10),
    **dict.fromkeys(("M", "MB", "MIB"), 1 << 20),
    **dict.fromkeys(("G", "GB", "GIB"), 1 << 30),
}
_SECONDS_PER_AGE = {"d": 86400.0, "w": 7 * 86400.0, "y": 365 * 86400.0}
_NUMBER = r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e[+-]?[0-9]+)?"
"""Only ASCII digits, as in costs: others look alike and may read in another order."""
_QUANTITY = re.compile(rf"\s*([+-]?{_NUMBER})\s*([^\W\d_]*)\s*", re.IGNORECASE)

_WHOLE = re.compile(r"\s*([+-]?[0-9]{1,18})\s*")
SHORT_NAMES: Final = {"memory_kib": "m", "time_cost": "t", "parallelism": "p"}
"""What Argon2's own notation calls its params; the others have one name."""
"""Beyond any rent; what is computed with it stays a figure."""


def _refused(text: str, problem: str) -> UsageError:
    return UsageError(f"{quoted(text, 24)} {problem}")


def _quantity(text: str, problem: str, *, shown: str | None = None) -> tuple[str, str]:
    """A number, without its plus sign, and its unit, or a refusal that shows the text."""
    match = _QUANTITY.fullmatch(text) if len(text) <= 40 else None
    if match is None:
        raise _refused(text if shown is None else shown, problem)
    return match[1].lstrip("+"), match[2]


def parse_duration(text: str) -> float:
    """Read a duration such as ``40ms`` or ``0.25s``; the result is in seconds.

    Raises:
        UsageError: the text is not a duration, is not above zero, or has no unit.
            A bare number is refused because it is read both ways: an article
            once took 0.4 (seconds) for 40 milliseconds.
    """
    example = "write for example 40ms or 0.25s"
    number, unit = _quantity(text, f"is not a duration; {example}")
    if float(number) <= 0:
        raise _refused(text, f"must be above zero; {example}")
    if not unit:
        raise _refused(
            text, f"has no unit; write {number}ms for milliseconds or {number}s for seconds"
        )
    if unit not in _UNITS_PER_SECOND:
        raise _refused(text, "has an unknown unit; write ms or s, for example 40ms")
    seconds = float(number) / _UNITS_PER_SECOND[unit]
    if not 0 < seconds < math.inf:
        raise _refused(text, f"is not a duration; {example}")
    return seconds


def check_target(seconds: float, *, name: str = "--target") -> None:
    """Refuse a target that no one can mean; ``name`` is where it was written.

    Raises:
        UsageError: it is not above zero, or longer than a minute.
    """
    if not 0 < seconds <= LONGEST_TARGET_SECONDS:
        raise UsageError(f"{name}: must be above 0 and at most {LONGEST_TARGET_SECONDS:g} s")


def parse_age(text: str) -> float:
    """Read an age such as ``90d`` or ``1y``; the result is in seconds.

    Raises:
        UsageError: the text is not an age, is not above zero, or has no unit.
    """
    problem = "is not an age; write for example 90d, 12w or 1y"
    number, unit = _quantity(text, problem)
    if unit not in _SECONDS_PER_AGE:
        raise _refused(text, problem)
    seconds = float(number) * _SECONDS_PER_AGE[unit]
    if not 0 < seconds < math.inf:
        raise _refused(text, "must be above zero; write for example 90d")
    return seconds


def parse_share(text: str) -> float:
    """Read a share such as ``20%``; the result is a fraction of one.

    Raises:
        UsageError: the text is not a percentage of 0 to 99, or has no sign.
    """
    problem = "is not a percentage; write for example 20%"
    number, unit = _quantity(text.strip().removesuffix("%"), problem, shown=text)
    if unit or not text.strip().endswith("%"):
        raise _refused(text, problem)
    share = float(number) / 100
    if not 0 <= share < 1:
        raise _refused(text, "is out of range; write a percentage from 0% to 99%")
    return share


def parse_rate(text: str) -> float:
    """Read a rate such as ``20/s`` or ``300/min``; the result is per second.

    Raises:
        UsageError: the text is not a rate, is not above zero, or does not say over
            which time it counts.
    """
    example = "write for example 20/s or 300/min"
    count, slash, time = (part.strip() for part in text[:41].partition("/"))
    number, unit = _quantity(count, f"is not a rate; {example}", shown=text)
    if unit:
        raise _refused(text, f"is not a rate; {example}")
    if float(number) <= 0:
        raise _refused(text, f"must be above zero; {example}")
    if not slash:
        raise _refused(
            text,
            f"has no unit of time; write {number}/s for logins a second"
            f" or {number}/min for logins a minute",
        )
    if time not in _SECONDS_PER_UNIT:
        raise _refused(text, "has an unknown unit; write /s, /min or /h, for example 20/s")
    rate = float(number) / _SECONDS_PER_UNIT[time]
    if not 0 < rate <= _HIGHEST_RATE:
        raise _refused(text, f"is not a rate; {example}")
    return rate


def parse_size(text: str) -> int:
    """Read a size of memory such as ``64MiB``; the result is in bytes.

    ``64M`` and ``64MB`` are taken for ``64MiB``, as memory is counted.

    Raises:
        UsageError: the text is not a size, is not above zero, or has no unit.
    """
    number, unit = _quantity(text, "is not a size; write for example 64MiB")
    if not unit:
        raise _refused(text, f"has no unit; write for example {number}MiB")
    if unit.upper() not in _BYTES_PER_UNIT:
        raise _refused(text, "has an unknown unit; write KiB, MiB or GiB")
    size = float(number) * _BYTES_PER_UNIT[unit.upper()]
    if not 1 <= size < 1 << 63:
        raise _refused(text, "is not a size of memory; write for example 64MiB")
    return int(size)


def parse_whole(text: str) -> int:
    """Read a whole number.

    Raises:
        UsageError: the text is something else.
    """
    match = _WHOLE.fullmatch(text)
    if match is None:
        raise UsageError(f"{quoted(text)} is not a whole number; write for example 10")
    return int(match[1])


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


def format_duration_up(seconds: float) -> str:
    """Write a duration that is no shorter than this one, with three digits and its unit."""
    seconds = max(seconds, 1e-9)  # Shorter ones have no digits to write.
    text = format_duration(seconds)
    digits = 2 - math.floor(math.log10(seconds))
    count = math.ceil(seconds * 10**digits)
    # Division may round down by one unit in the last place, here and when the text is read.
    while parse_duration(text) < seconds:
        text = format_duration(count / 10**digits)
        count += 1
    return text


def format_long(seconds: float) -> str:
    """Write a time that may be years, roughly."""
    for unit, size in (("years", 31_557_600.0), ("days", 86400.0), ("hours", 3600.0)):
        if seconds >= 2 * size:
            return f"{seconds / size:,.0f} {unit}"
    return format_duration(seconds)


def format_count(count: float) -> str:
    """Write a large count whole, with its thousands apart; a small one with three digits."""
    if count >= 99.95:
        return f"{count:,.0f}"
    return _three_digits(count) if count >= 0.995 else f"{count:.3g}"


def format_money(dollars: float) -> str:
    """Write an amount to the cent, in whole dollars from 100 on; below ten cents three digits."""
    if 0 < dollars < 0.0001:
        return "< 0.0001"
    return (
        f"{dollars:,.0f}"
        if dollars >= 99.95
        else f"{dollars:.3g}"
        if dollars < 0.0995
        else f"{dollars:.2f}"
    )


def format_dollars(dollars: float) -> str:
    """Write an amount as `format_money` does, with its sign, for a sentence."""
    return f"${format_money(dollars)}".replace("$< ", "less than $")


def format_rate(per_second: float) -> str:
    """Write a rate with three significant digits, over a time that makes it readable."""
    if per_second == 0:
        return "0/s"
    if math.isinf(per_second):
        return "∞/s"
    for unit, seconds in _SECONDS_PER_UNIT.items():
        # 0.9996 a second would round to "60.0/min": choose the unit after rounding.
        if float(f"{per_second * seconds:.3g}") >= 1:
            return f"{_three_digits(per_second * seconds)}/{unit}"
    return f"{per_second * 3600:.3g}/h"


def format_setting(params: Mapping[str, int]) -> str:
    """Write params as every command reads them: ``m=19456,t=2,p=1``, ``cost=12``."""
    return ",".join(f"{SHORT_NAMES.get(name, name)}={value}" for name, value in params.items())


def format_pairs(params: Mapping[str, int]) -> str:
    """Write params as ``memory_kib=19456 time_cost=2``, for programs to split."""
    return " ".join(f"{name}={value}" for name, value in params.items())


def format_percent(fraction: float) -> str:
    """Write a fraction as a percentage of two significant digits, without a sign."""
    percent = abs(fraction) * 100
    return f"{percent:.0f} %" if percent >= 9.95 else f"{percent:.1f} %"


def format_list(names: Sequence[str], joined: str = "and") -> str:
    """Write names as ``a, b and c``."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {joined} {names[-1]}"


def format_bandwidth(bytes_per_second: float) -> str:
    """Write a bandwidth as data sheets do, for example ``1,008 GB/s``."""
    return f"{bytes_per_second / 1e9:,.0f} GB/s"


def format_bytes(count: int) -> str:
    """Write a size in binary units, for example ``16 MiB``."""
    if count < 1024:
        return f"{count} B"
    size = float(count)
    for unit in ("KiB", "MiB"):
        size /= 1024
        # 1023.7 KiB would round to "1024 KiB": choose the unit after rounding.
        if round(size) < 1024:
            return f"{_three_digits(size)} {unit}"
    return f"{_three_digits(size / 1024)} GiB"


def _three_digits(value: float) -> str:
    if value >= 99.95:
        return f"{value:.0f}"
    return f"{value:.1f}" if value >= 9.995 else f"{value:.2f}"
