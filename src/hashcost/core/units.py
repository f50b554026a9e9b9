"""Durations, sizes, rates and costs, read from text and written for people.

Seconds and bytes are the only units inside the program; milliseconds and MiB
exist only in text.
"""

import datetime as dt
import itertools
import math
import re
from collections.abc import Mapping, Sequence
from typing import Final

from hashcost.core.errors import UsageError
from hashcost.core.text import quoted

DEFAULT_TARGET_SECONDS: Final = 0.25
LONGEST_TARGET_SECONDS: Final = 60.0
"""Nobody waits longer for a login; a longer target is a slip of the unit."""

_MICROSECONDS: Final = dict.fromkeys(("us", "µs", "μs"), 1e-6)
_DURATIONS: Final = {"ns": 1e-9, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0} | _MICROSECONDS
_AGES: Final = {"d": 86400.0, "w": 7 * 86400.0, "y": 365 * 86400.0}
_RATES: Final = {"/s": 1.0, "/min": 1 / 60, "/h": 1 / 3600, "/day": 1 / 86400}
_SIZES: Final = {
    "B": 1.0,
    **dict.fromkeys(("K", "KB", "KIB"), 2.0**10),
    **dict.fromkeys(("M", "MB", "MIB"), 2.0**20),
    **dict.fromkeys(("G", "GB", "GIB"), 2.0**30),
}
# A time from which on people read minutes more easily.
_SECONDS_READ: Final = 120.0
# A second; no service has as many logins.
_HIGHEST_RATE = 1e9
# Only ASCII digits, as in costs: others look alike and may read in another order.
_NUMBER = r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e[+-]?[0-9]+)?"
_QUANTITY = re.compile(rf"\s*+([+-]?{_NUMBER})\s*+(/?)\s*+([^\W\d_]*+|%)\s*+", re.IGNORECASE)
_COUNT = re.compile(r"\s*[0-9]{1,19}\s*")

SHORT_NAMES: Final = {"memory_kib": "m", "time_cost": "t", "parallelism": "p"}
"""The names that Argon2's own notation has for its params; others have one name."""


def _read(
    text: str, quantity: str, units: Mapping[str, float], example: str, bare: str = ""
) -> float:
    """Read a number above zero with its unit; ``bare`` says what one without a unit may be."""
    problem, cure = f"is not {quantity}", f"for example {example}"
    match = _QUANTITY.fullmatch(text) if len(text) <= 40 else None
    if match is not None:
        number, unit = match[1].lstrip("+"), match[2] + match[3]
        # Sizes are typed in any case; a duration has no unit in capitals.
        size = units.get(unit) or units.get(unit.upper())
        if float(number) <= 0:
            problem = "must be above zero"
        elif not unit:
            problem, cure = "has no unit", bare.format(number) or cure
        elif size is None:
            problem = "has an unknown unit"
        elif 0 < float(number) * size < math.inf:
            return float(number) * size
    raise _refused(text, f"{problem}; write {cure}")


def _refused(text: str, problem: str) -> UsageError:
    return UsageError(f"{quoted(text, 24)} {problem}")


def parse_duration(text: str) -> float:
    """Read a duration such as ``40ms`` or ``0.25s``; the result is in seconds.

    Raises:
        UsageError: the text is not a duration, is not above zero, or has no unit.
            A bare number is refused because it is read both ways: an article
            once took 0.4 (seconds) for 40 milliseconds.
    """
    bare = "{0}ms for milliseconds or {0}s for seconds"
    return _read(text, "a duration", _DURATIONS, "40ms or 0.25s", bare)


def check_target(seconds: float, *, name: str = "--target") -> None:
    """Refuse a target that nobody can mean; ``name`` is the option or key it was written for.

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
    return _read(text, "an age", _AGES, "90d, 12w or 1y")


def parse_share(text: str) -> float:
    """Read a share such as ``20%``; the result is a fraction of one.

    Raises:
        UsageError: the text is not a percentage of 0 to 99, or has no sign.
    """
    match = _QUANTITY.fullmatch(text) if len(text) <= 40 else None
    if match is None or match[2] + match[3] != "%":
        raise _refused(text, "is not a percentage; write for example 20%")
    share = float(match[1]) / 100
    if not 0 <= share < 1:
        raise _refused(text, "is out of range; write a percentage from 0% to 99%")
    return share


def parse_rate(text: str) -> float:
    """Read a rate such as ``20/s``, ``300/min`` or ``200/day``; the result is per second.

    Raises:
        UsageError: the text is not a rate, is not above zero, or does not say over
            which time it counts.
    """
    bare = "{0}/s for logins a second or {0}/min for logins a minute"
    rate = _read(text, "a rate", _RATES, "20/s or 300/min", bare)
    if rate > _HIGHEST_RATE:
        raise _refused(text, "is not a rate; write for example 20/s or 300/min")
    return rate


def parse_size(text: str) -> int:
    """Read a size of memory such as ``64MiB``; the result is in bytes.

    ``64M`` and ``64MB`` are taken for ``64MiB``, as memory is counted.

    Raises:
        UsageError: the text is not a size, is not above zero, or has no unit.
    """
    size = _read(text, "a size", _SIZES, "512KiB, 64MiB or 1GiB")
    # Below a byte there is nothing, and libraries count in 64 bits with a sign.
    if not 1 <= size < 1 << 63:
        raise _refused(text, "is not a size of memory; write for example 64MiB")
    return int(size)


def parse_count(text: str, most: int = 2**62) -> int | None:
    """Read a number that a host or a file gives; `None` if it is not one, or above ``most``."""
    # Python refuses to read thousands of digits; no count has more than 19.
    if not _COUNT.fullmatch(text) or int(text) > most:
        return None
    return int(text)


def parse_release(version: str) -> tuple[int, ...]:
    """Read the first four numbers of a release, by which releases are compared; 8 is 8.0.0.0."""
    return tuple(int(part) for part in re.findall(r"[0-9]{1,9}", f"{version}.0.0.0.0")[:4])


def format_duration(seconds: float) -> str:
    """Write a duration in seconds with three significant digits and its unit."""
    if seconds < 0:
        return "-" + format_duration(-seconds)
    if seconds == 0:
        return "0 s"
    if math.isinf(seconds):
        return "∞ s"
    units = {" s": 1.0, " ms": 1e-3, " µs": 1e-6, " ns": 1e-9}
    if seconds >= _SECONDS_READ:
        units = {" h": 3600.0, " min": 60.0}
    return _in_unit(seconds, units)


def typed_duration(seconds: float) -> str:
    """A time that a target must not be below, as it is typed: three digits, in one word."""
    seconds = max(seconds, 1e-9)  # Shorter ones have no digits to write.
    digits = 2 - math.floor(math.log10(seconds))
    count = math.floor(seconds * 10**digits)
    # Division may round down by one unit in the last place, here and when the text is read.
    while parse_duration(text := format_duration(count / 10**digits)) < seconds:
        count += 1
    return text.replace(" ", "")


def format_long(seconds: float) -> str:
    """Write a time that may be years, roughly."""
    sizes = {"years": 31_557_600.0, "days": 86400.0, "hours": 3600.0, "minutes": 60.0}
    for unit, size in sizes.items():
        # One and a half would be written as 2, or as 1.
        if seconds >= 2 * size:
            return f"{seconds / size:,.0f} {unit}"
    return format_duration(seconds)


def format_count(count: float) -> str:
    """Write a large count whole, with its thousands apart; a small one with three digits."""
    if count >= 99.95:
        return f"{count:,.0f}"
    return _three_digits(count)


def format_money(dollars: float) -> str:
    """Write an amount to the cent, in whole dollars from 100 on; below ten cents three digits."""
    if 0 < dollars < 0.0001:
        return "< 0.0001"
    if dollars >= 99.95:
        return f"{dollars:,.0f}"
    if dollars >= 0.0995:
        return f"{dollars:.2f}"
    return f"{dollars:.3g}"


def format_dollars(dollars: float) -> str:
    """Write an amount as `format_money` does, with its sign, for a sentence."""
    return f"${format_money(dollars)}".replace("$< ", "less than $")


def format_rate(per_second: float) -> str:
    """Write a rate with three significant digits, over a time that makes it readable."""
    if per_second == 0:
        return "0/s"
    if math.isinf(per_second):
        return "∞/s"
    return _in_unit(per_second, _RATES)


def format_setting(params: Mapping[str, int]) -> str:
    """Write params as every command reads them: ``m=19456,t=2,p=1``, ``cost=12``."""
    return ",".join(f"{SHORT_NAMES.get(name, name)}={value}" for name, value in params.items())


def format_pairs(params: Mapping[str, int]) -> str:
    """Write params as ``memory_kib=19456 time_cost=2``, for programs to split."""
    return " ".join(f"{name}={value}" for name, value in params.items())


def format_percent(fraction: float) -> str:
    """Write a fraction as a percentage of two significant digits, without a sign."""
    percent = abs(fraction) * 100
    if percent >= 9.95:  # It would be written with three digits, as 10.0.
        return f"{percent:.0f} %"
    return f"{percent:.1f} %"


def format_list(names: Sequence[str], joined: str = "and") -> str:
    """Write names as ``a, b and c``."""
    if len(names) == 1:
        return names[0]
    return f"{', '.join(names[:-1])} {joined} {names[-1]}"


def format_bandwidth(bytes_per_second: float) -> str:
    """Write a bandwidth as data sheets do, for example ``1,008 GB/s``."""
    return f"{bytes_per_second / 1e9:,.0f} GB/s"


def format_bytes(count: int) -> str:
    """Write a size in binary units, for example ``16 MiB``."""
    if count < 1024:
        return f"{count} B"
    return _in_unit(count, {" GiB": 2.0**30, " MiB": 2.0**20, " KiB": 2.0**10})


def typed_bytes(count: int) -> str:
    """A size of at least this, as it is typed: ``64MiB``."""
    # Rounded up, so that what is typed suffices.
    return f"{-(-count // 2**20)}MiB"


def _in_unit(value: float, units: Mapping[str, float]) -> str:
    """Write a value in the largest unit in which it is at least one; the largest comes first."""
    *_, chosen = units
    for unit, smaller in itertools.pairwise(units):
        # 0.9995 ms would be written as "1000 µs": choose the unit by what would be written.
        written = float(_three_digits(value / units[smaller]))
        if written >= round(units[unit] / units[smaller]):
            chosen = unit
            break
    return f"{_three_digits(value / units[chosen])}{chosen}"


def _three_digits(value: float) -> str:
    if value >= 99.95:
        return f"{value:.0f}"
    if value >= 9.995:
        return f"{value:.1f}"
    if value >= 0.995:
        return f"{value:.2f}"
    return f"{value:.3g}"


def check_moment(moment: dt.datetime) -> None:
    """Refuse a moment that has no date in UTC, such as the last hours of 9999 in America.

    Raises:
        ValueError: UTC lacks the date.
    """
    try:
        moment.astimezone(dt.UTC)
    except OverflowError as error:
        raise ValueError("a date is beyond the years 1 to 9999") from error
