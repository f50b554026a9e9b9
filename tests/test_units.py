"""Durations and counts, read and written."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashcost.errors import UsageError
from hashcost.units import (
    format_bytes,
    format_count,
    format_duration,
    format_percent,
    parse_duration,
)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("40ms", 0.04),
        ("0.25s", 0.25),
        (".5s", 0.5),
        ("2.s", 2.0),
        ("+1s", 1.0),
        (" 40 ms ", 0.04),
        ("1e2ms", 0.1),
        ("250us", 250e-6),
        ("250µs", 250e-6),  # the micro sign
        ("250\u03bcs", 250e-6),  # the Greek letter
        ("5ns", 5e-9),
        ("1min", 60.0),
        ("1h", 3600.0),
    ],
)
def test_a_duration_is_read_in_its_unit(text: str, seconds: float) -> None:
    """A number with a unit of time is read as seconds."""
    assert seconds == pytest.approx(parse_duration(text), rel=1e-15)


@given(st.integers(min_value=1, max_value=60_000))
def test_whole_milliseconds_are_read_to_the_last_bit_but_one(count: int) -> None:
    """Whole milliseconds are read as the thousandth part of the number."""
    assert count / 1000 == pytest.approx(parse_duration(f"{count}ms"), rel=2**-52)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("40", "'40' has no unit; write 40ms for milliseconds or 40s for seconds"),
        ("+0.4", "'+0.4' has no unit; write 0.4ms for milliseconds or 0.4s for seconds"),
        ("40 parsecs", "'40 parsecs' has an unknown unit; write ms or s, for example 40ms"),
        ("40MS", "'40MS' has an unknown unit; write ms or s, for example 40ms"),
        ("0ms", "'0ms' is not above zero; write for example 40ms or 0.25s"),
        ("-40ms", "'-40ms' is not above zero; write for example 40ms or 0.25s"),
        ("1e-400s", "'1e-400s' is not above zero; write for example 40ms or 0.25s"),
        ("1e400s", "'1e400s' is not a duration; write for example 40ms or 0.25s"),
        ("soon", "'soon' is not a duration; write for example 40ms or 0.25s"),
        ("", "'' is not a duration; write for example 40ms or 0.25s"),
        ("1,5s", "'1,5s' is not a duration; write for example 40ms or 0.25s"),
        ("nan ms", "'nan ms' is not a duration; write for example 40ms or 0.25s"),
        ("4\x1b[31ms", "'4�[31ms' is not a duration; write for example 40ms or 0.25s"),
        (
            "1" * 41 + "s",
            "'11111111111111111111111…' is not a duration; write for example 40ms or 0.25s",
        ),
    ],
)
def test_what_is_no_duration_is_refused(text: str, message: str) -> None:
    """A bare number is refused with its two likely readings, anything else with an example."""
    with pytest.raises(UsageError) as refused:
        parse_duration(text)
    assert message == str(refused.value)


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    """Whatever is typed is a finite time above zero or a usage error."""
    try:
        seconds = parse_duration(text)
    except UsageError:
        return
    assert 0 < seconds < math.inf


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0, "0 s"),
        (1.0, "1.00 s"),
        (0.04, "40.0 ms"),
        (0.9994, "999 ms"),
        (0.9996, "1.00 s"),
        (9.996, "10.0 s"),
        (99.96, "100 s"),
        (3600.0, "3,600 s"),
        (250e-6, "250 µs"),
        (1.5e-6, "1.50 µs"),
        (5e-9, "5.00 ns"),
        (-0.04, "-40.0 ms"),
        (math.inf, "∞ s"),
    ],
)
def test_a_duration_is_written_with_three_digits(seconds: float, text: str) -> None:
    """A duration is written with three significant digits, in the unit that makes it readable."""
    assert text == format_duration(seconds)


@given(st.floats(min_value=1e-9, max_value=999.0))
def test_a_written_duration_reads_back(seconds: float) -> None:
    """A duration reads back to within half a unit of the last of its three digits."""
    assert seconds == pytest.approx(parse_duration(format_duration(seconds)), rel=0.00501)


@given(st.floats(min_value=1e-9, max_value=999.0))
def test_a_duration_that_was_read_is_written_alike(seconds: float) -> None:
    """Reading what was written and writing it again changes nothing."""
    text = format_duration(seconds)
    assert text == format_duration(parse_duration(text))


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0"), (999, "999"), (5000, "5,000"), (2**31 - 1, "2,147,483,647")]
)
def test_a_count_has_thousands_apart(count: int, text: str) -> None:
    """A count is written whole, with a comma between thousands."""
    assert text == format_count(count)


@pytest.mark.parametrize(
    ("fraction", "text"),
    [(0.0, "0.0 %"), (0.004, "0.4 %"), (-0.012, "1.2 %"), (0.0994, "9.9 %"), (0.25, "25 %")],
)
def test_a_fraction_is_written_as_a_percentage(fraction: float, text: str) -> None:
    """A fraction is written as a percentage of two digits without a sign."""
    assert text == format_percent(fraction)


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0 B"),
        (1023, "1023 B"),
        (1024, "1.00 KiB"),
        (4168, "4.07 KiB"),
        (16 << 20, "16.0 MiB"),
        (3 << 30, "3.00 GiB"),
        (2000 << 30, "2,000 GiB"),
    ],
)
def test_a_size_is_written_in_binary_units(count: int, text: str) -> None:
    """A size is written with three digits in the largest binary unit that fits."""
    assert text == format_bytes(count)
