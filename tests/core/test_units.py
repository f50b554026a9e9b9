"""Durations, sizes, rates and costs, read and written."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashcost.core.cost_expressions import parse_cost
from hashcost.core.errors import UsageError
from hashcost.core.units import (
    check_target,
    format_bandwidth,
    format_bytes,
    format_count,
    format_duration,
    format_duration_up,
    format_list,
    format_long,
    format_money,
    format_pairs,
    format_percent,
    format_rate,
    format_setting,
    parse_age,
    parse_duration,
    parse_rate,
    parse_share,
    parse_size,
    parse_whole,
)

Read = Callable[[str], float]


@pytest.mark.parametrize(
    ("read", "text", "value"),
    [
        (parse_duration, "40ms", 0.04),
        (parse_duration, ".5s", 0.5),
        (parse_duration, "2.s", 2.0),
        (parse_duration, "+1s", 1.0),
        (parse_duration, " 40 ms ", 0.04),
        (parse_duration, "1e2ms", 0.1),
        (parse_duration, "250us", 250e-6),
        (parse_duration, "250µs", 250e-6),  # the micro sign
        (parse_duration, "250\u03bcs", 250e-6),  # the Greek letter
        (parse_duration, "5ns", 5e-9),
        (parse_duration, "1min", 60.0),
        (parse_duration, "1h", 3600.0),
        (parse_age, "90d", 90 * 86400),
        (parse_age, "12w", 84 * 86400),
        (parse_age, "1y", 365 * 86400),
        (parse_share, "20%", 0.2),
        (parse_share, " 0 % ", 0.0),
        (parse_rate, "20/s", 20.0),
        (parse_rate, "300/min", 5.0),
        (parse_rate, " 36 / h ", 0.01),
        (parse_size, "64MiB", 64 << 20),
        (parse_size, "64M", 64 << 20),
        (parse_size, "64mb", 64 << 20),
        (parse_size, " 4 KiB ", 4096),
        (parse_size, ".5K", 512),
        (parse_size, "1.5GiB", 3 << 29),
        (parse_size, "1.9B", 1),
        (parse_whole, " 12 ", 12),
        (parse_whole, "-3", -3),
    ],
)
def test_a_figure_is_read_in_its_unit(read: Read, text: str, value: float) -> None:
    """Seconds, bytes and rates a second are read from the units that people write."""
    assert value == pytest.approx(read(text), rel=1e-15)


@pytest.mark.parametrize(
    ("read", "text", "problem"),
    [
        (parse_duration, "40", "has no unit; write 40ms for milliseconds or 40s for seconds"),
        (parse_duration, "+0.4", "has no unit; write 0.4ms for milliseconds or 0.4s for seconds"),
        (parse_duration, "40MS", "has an unknown unit; write for example 40ms or 0.25s"),
        (parse_duration, "0ms", "must be above zero; write for example 40ms or 0.25s"),
        (parse_duration, "1e-400s", "must be above zero; write for example 40ms or 0.25s"),
        (parse_duration, "1e400s", "is not a duration; write for example 40ms or 0.25s"),
        (parse_duration, "1,5s", "is not a duration; write for example 40ms or 0.25s"),
        (parse_duration, "nan ms", "is not a duration; write for example 40ms or 0.25s"),
        (parse_age, "90", "has no unit; write for example 90d, 12w or 1y"),
        (parse_age, "0d", "must be above zero; write for example 90d, 12w or 1y"),
        (parse_share, "20", "is not a percentage; write for example 20%"),
        (parse_share, "20d%", "is not a percentage; write for example 20%"),
        (parse_share, "100%", "is out of range; write a percentage from 0% to 99%"),
        (
            *(parse_rate, "+1.5"),
            "has no unit; write 1.5/s for logins a second or 1.5/min for logins a minute",
        ),
        (parse_rate, "20/ms", "has an unknown unit; write for example 20/s or 300/min"),
        (parse_rate, "20/s/s", "is not a rate; write for example 20/s or 300/min"),
        (parse_rate, "0/s", "must be above zero; write for example 20/s or 300/min"),
        (parse_rate, "1e308/s", "is not a rate; write for example 20/s or 300/min"),
        (parse_rate, "20s", "has an unknown unit; write for example 20/s or 300/min"),
        (parse_size, "+0.5", "has no unit; write for example 512KiB, 64MiB or 1GiB"),
        (parse_size, "1TiB", "has an unknown unit; write for example 512KiB, 64MiB or 1GiB"),
        (parse_size, "0.9B", "is not a size of memory; write for example 64MiB"),
        (parse_size, "9e18KiB", "is not a size of memory; write for example 64MiB"),
        (parse_size, "64 Mi B", "is not a size; write for example 512KiB, 64MiB or 1GiB"),
        (parse_whole, "1_0", "is not a whole number; write for example 10"),
    ],
)
def test_anything_else_is_refused(read: Read, text: str, problem: str) -> None:
    """A bare number is refused with its likely readings, anything else with an example."""
    with pytest.raises(UsageError) as refused:
        read(text)
    assert f"{text!r} {problem}" == str(refused.value)


READERS = (parse_duration, parse_age, parse_share, parse_rate, parse_size, parse_whole)


@given(
    st.sampled_from(READERS),
    st.text(max_size=60) | st.from_regex(r"[0-9.e+-]{1,8}[%/bkmgtismwdyB]{0,4}", fullmatch=True),
)
def test_any_text_is_read_or_refused(read: Read, text: str) -> None:
    """Whatever is typed is a finite figure or a usage error of one short line."""
    with contextlib.suppress(UsageError):
        assert math.isfinite(read(text))


@pytest.mark.parametrize("read", [*READERS, parse_cost])
def test_digits_are_those_of_ascii_everywhere(read: Callable[[str], Any]) -> None:
    """Other digits look alike or read in another order."""
    texts = ("40ms", "90d", "20%", "20/s", "64MiB", "10", "$0.34", "bcrypt=12")
    arabic = str.maketrans(
        "0123456789", "\u0660\u0661\u0662\u0663\u0664\u0665\u0666\u0667\u0668\u0669"
    )
    for text in texts:
        with pytest.raises(UsageError):
            read(text.translate(arabic))


@pytest.mark.parametrize("seconds", [0.0, -1.0, 60.1, math.nan])
def test_a_target_is_one_that_a_person_can_mean(seconds: float) -> None:
    """A target is above zero and at most a minute."""
    check_target(60.0)
    with pytest.raises(UsageError, match=r"^--max: must be above 0 and at most 60 s$"):
        check_target(seconds, name="--max")


@pytest.mark.parametrize(
    ("write", "value", "text"),
    [
        (format_duration, 0.0, "0 s"),
        (format_duration, 0.04, "40.0 ms"),
        (format_duration, 0.9994, "999 ms"),
        (format_duration, 0.9996, "1.00 s"),
        (format_duration, 9.996, "10.0 s"),
        (format_duration, 99.96, "100 s"),
        (format_duration, 3600.0, "3600 s"),
        (format_duration, 1.5e-6, "1.50 µs"),
        (format_duration, 5e-9, "5.00 ns"),
        (format_duration, -0.04, "-40.0 ms"),
        (format_duration, math.inf, "∞ s"),
        (format_duration_up, 0.05350001, "53.6 ms"),
        (format_duration_up, 0.0999001, "100 ms"),
        (format_duration_up, 0.157, "157 ms"),
        (format_duration_up, math.nextafter(0.157, 1.0), "158 ms"),
        (format_duration_up, 0.00995, "9.96 ms"),  # "9.95 ms" reads as one bit less.
        (format_duration_up, 1234.5, "1240 s"),
        (format_duration_up, 1e-300, "1.00 ns"),
        (format_long, 7199.0, "7199 s"),
        (format_long, 7200.0, "2 hours"),
        (format_long, 18_203_196.0, "211 days"),
        (format_long, 1e12, "31,688 years"),
        (format_bandwidth, 1.008e12, "1,008 GB/s"),
        (format_count, 1437.5, "1,438"),
        (format_count, 99.94, "99.9"),
        (format_count, 99.95, "100"),
        (format_count, 9.996, "10.0"),
        (format_count, 0.9951, "1.00"),
        (format_count, 0.0027418, "0.00274"),  # bcrypt at cost 31 on an RTX 4090
        (format_money, 4_560_000.4, "4,560,000"),
        (format_money, 99.94, "99.94"),
        (format_money, 99.951, "100"),
        (format_money, 0.0996, "0.10"),
        (format_money, 0.0994, "0.0994"),
        (format_money, 0.00001, "< 0.0001"),
        (format_percent, -0.012, "1.2 %"),
        (format_percent, 0.0994, "9.9 %"),
        (format_percent, 0.25, "25 %"),
        (format_bytes, 1023, "1023 B"),
        (format_bytes, 4168, "4.07 KiB"),
        (format_bytes, (1 << 20) - 512, "1.00 MiB"),
        (format_bytes, (1 << 20) - 1024, "1023 KiB"),
        (format_bytes, 2000 << 30, "2000 GiB"),
        (format_rate, 0.0, "0/s"),
        (format_rate, 1234.5, "1234/s"),
        (format_rate, 0.9996, "1.00/s"),
        (format_rate, 0.5, "30.0/min"),
        (format_rate, 1e-5, "0.036/h"),
        (format_rate, math.inf, "∞/s"),
        (format_list, ["a"], "a"),
        (format_list, ["a", "b", "c"], "a, b and c"),
        (format_setting, {"rounds": 159_000}, "rounds=159000"),
        (
            *(format_setting, {"memory_kib": 19_456, "time_cost": 2, "parallelism": 1}),
            "m=19456,t=2,p=1",
        ),
        (format_pairs, {"memory_kib": 19_456, "time_cost": 2}, "memory_kib=19456 time_cost=2"),
    ],
)
def test_a_figure_is_written_for_people(
    write: Callable[[Any], str], value: Any, text: str
) -> None:
    """Figures have three digits and the unit that makes them readable, chosen after rounding."""
    assert text == write(value)


@pytest.mark.parametrize(
    ("write", "read", "lowest", "error"),
    [
        (format_duration, parse_duration, 1e-9, 0.00501),
        (format_rate, parse_rate, 1e-3, 0.00501),
        (lambda size: format_bytes(round(size)), parse_size, 1.0, 0.00501),
        (lambda count: format_count(count).replace(",", ""), float, 1e-4, 0.051),
        (lambda dollars: format_money(dollars).replace(",", ""), float, 1e-3, 0.051),
    ],
)
@given(share=st.floats(0.0, 1.0))
def test_a_written_figure_reads_back(
    write: Callable[[float], str], read: Read, lowest: float, error: float, share: float
) -> None:
    """What was written reads back to half a unit of its last digit, and is written alike."""
    figure = lowest * (999 / lowest) ** share
    # A size is read as whole bytes.
    assert abs(figure - read(write(figure))) <= error * figure + (lowest == 1.0)
    assert write(read(write(figure))) == write(figure)


@given(
    st.floats(min_value=1e-9, max_value=1e6)
    | st.builds(
        lambda count, exponent, above: math.nextafter(
            count * 10.0**exponent, math.inf if above else 0.0
        ),
        st.integers(100, 9999),
        st.integers(-10, 1),
        st.booleans(),
    )
)
def test_a_target_rounded_up_is_never_shorter(seconds: float) -> None:
    """A duration that was rounded up reads back no shorter, and hardly longer."""
    read_back = parse_duration(format_duration_up(seconds))
    assert seconds <= read_back <= seconds * 1.021
