"""Durations, sizes, rates and costs, read and written."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashcost.core.cost_expressions import parse_cost
from hashcost.core.errors import UsageError
from hashcost.core.units import (
    format_bandwidth,
    format_bytes,
    format_count,
    format_duration,
    format_duration_up,
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
        ("0ms", "'0ms' must be above zero; write for example 40ms or 0.25s"),
        ("-40ms", "'-40ms' must be above zero; write for example 40ms or 0.25s"),
        ("1e-400s", "'1e-400s' must be above zero; write for example 40ms or 0.25s"),
        ("1e400s", "'1e400s' is not a duration; write for example 40ms or 0.25s"),
        ("soon", "'soon' is not a duration; write for example 40ms or 0.25s"),
        ("", "'' is not a duration; write for example 40ms or 0.25s"),
        ("1,5s", "'1,5s' is not a duration; write for example 40ms or 0.25s"),
        ("nan ms", "'nan ms' is not a duration; write for example 40ms or 0.25s"),
        ("4\x1b[31ms", "'4\\x1b[31ms' is not a duration; write for example 40ms or 0.25s"),
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
        (3600.0, "3600 s"),
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
    ("seconds", "text"),
    [
        (0.0535, "53.5 ms"),
        (0.05350001, "53.6 ms"),
        (0.0999001, "100 ms"),
        (0.157, "157 ms"),
        (math.nextafter(0.157, 1.0), "158 ms"),
        (0.00995, "9.96 ms"),  # "9.95 ms" reads as one bit less.
        (0.9991, "1.00 s"),
        (75.04, "75.1 s"),
        (1234.5, "1240 s"),
        (2.5e-7, "250 ns"),
        (1e-300, "1.00 ns"),
    ],
)
def test_a_target_is_written_rounded_up(seconds: float, text: str) -> None:
    """What a floor takes is written with three digits, so that the target reaches it."""
    assert text == format_duration_up(seconds)


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


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.6363, "636 ms"),
        (7199.0, "7199 s"),
        (7200.0, "2 hours"),
        (172_800.0, "2 days"),
        (18_203_196.0, "211 days"),
        (63_115_200.0, "2 years"),
        (1e12, "31,688 years"),
    ],
)
def test_a_long_time_is_written_in_whole_units(seconds: float, text: str) -> None:
    """From two hours on a time is told in hours, days or years."""
    assert text == format_long(seconds)


def test_a_bandwidth_is_written_as_in_data_sheets() -> None:
    """A bandwidth is in decimal units, as it is published."""
    assert "1,008 GB/s" == format_bandwidth(1.008e12)


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (1437.5, "1,438"),
        (88_657_000, "88,657,000"),
        (890.75, "891"),
        (99.94, "99.9"),
        (99.95, "100"),
        (9.994, "9.99"),
        (9.996, "10.0"),
        (0.9951, "1.00"),
        (0.0027418, "0.00274"),  # bcrypt at cost 31 on an RTX 4090
    ],
)
def test_a_count_is_written_with_its_thousands(count: float, text: str) -> None:
    """A large count is written whole, a small one with three digits, and none as nothing."""
    assert text == format_count(count)


@pytest.mark.parametrize(
    ("dollars", "text"),
    [
        (282.18, "282"),
        (4_560_000.4, "4,560,000"),
        (99.94, "99.94"),
        (99.951, "100"),
        (27.452, "27.45"),
        (0.34, "0.34"),
        (0.0996, "0.10"),
        (0.0994, "0.0994"),
        (0.00012345, "0.000123"),
    ],
)
def test_an_amount_is_written_to_the_cent(dollars: float, text: str) -> None:
    """Dollars are written to the cent, whole from 100 on, and with three digits below a dime."""
    assert text == format_money(dollars)


@given(st.floats(min_value=1e-4, max_value=1e12))
def test_a_figure_above_zero_is_never_written_as_zero(figure: float) -> None:
    """Down to a hundredth of a cent, a count or an amount is above zero and near itself."""
    for text in (format_count(figure), format_money(figure)):
        assert figure == pytest.approx(float(text.replace(",", "")), rel=0.051)


@pytest.mark.parametrize(
    ("params", "text"),
    [
        ({"rounds": 159_000}, "rounds=159000"),
        (
            {"memory_kib": 19_456, "time_cost": 2, "parallelism": 1},
            "m=19456,t=2,p=1",
        ),
        ({}, ""),
    ],
)
def test_a_cost_is_written_in_figures_that_can_be_pasted(
    params: dict[str, int], text: str
) -> None:
    """Params are written as names and whole figures, in their order."""
    assert text == format_setting(params)


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
        ((1 << 20) - 512, "1.00 MiB"),
        ((1 << 20) - 513, "1023 KiB"),
        (2000 << 30, "2000 GiB"),
    ],
)
def test_a_size_is_written_in_binary_units(count: int, text: str) -> None:
    """A size is written with three digits in the largest binary unit that fits."""
    assert text == format_bytes(count)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("64MiB", 64 << 20),
        ("64MB", 64 << 20),
        ("64M", 64 << 20),
        ("64mib", 64 << 20),
        ("64m", 64 << 20),
        (" 64 MiB ", 64 << 20),
        ("4KiB", 4096),
        ("+1k", 1024),
        (".5K", 512),
        ("1.5GiB", 3 << 29),
        ("1e1G", 10 << 30),
        ("512B", 512),
        ("1.9B", 1),
    ],
)
def test_a_size_is_read_in_its_unit(text: str, size: int) -> None:
    """A number with a binary unit is read as bytes; the unit may be cut short."""
    assert size == parse_size(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("64", "'64' has no unit; write for example 64MiB"),
        ("+0.5", "'+0.5' has no unit; write for example 0.5MiB"),
        ("64 parsecs", "'64 parsecs' has an unknown unit; write KiB, MiB or GiB"),
        ("1TiB", "'1TiB' has an unknown unit; write KiB, MiB or GiB"),
        ("64MiBs", "'64MiBs' has an unknown unit; write KiB, MiB or GiB"),
        ("64iB", "'64iB' has an unknown unit; write KiB, MiB or GiB"),
        ("64ms", "'64ms' has an unknown unit; write KiB, MiB or GiB"),
        ("64BB", "'64BB' has an unknown unit; write KiB, MiB or GiB"),
        ("0MiB", "'0MiB' is not a size of memory; write for example 64MiB"),
        ("-64MiB", "'-64MiB' is not a size of memory; write for example 64MiB"),
        ("0.9B", "'0.9B' is not a size of memory; write for example 64MiB"),
        ("1e400MiB", "'1e400MiB' is not a size of memory; write for example 64MiB"),
        ("9e18KiB", "'9e18KiB' is not a size of memory; write for example 64MiB"),
        ("much", "'much' is not a size; write for example 64MiB"),
        ("", "'' is not a size; write for example 64MiB"),
        ("64 Mi B", "'64 Mi B' is not a size; write for example 64MiB"),
        ("6\x1b[31mMiB", "'6\\x1b[31mMiB' is not a size; write for example 64MiB"),
        ("1" * 41 + "B", "'11111111111111111111111…' is not a size; write for example 64MiB"),
    ],
)
def test_what_is_no_size_is_refused(text: str, message: str) -> None:
    """A bare number is refused, since bytes and MiB are both likely; so is anything else."""
    with pytest.raises(UsageError) as refused:
        parse_size(text)
    assert message == str(refused.value)


@given(st.text(max_size=60) | st.from_regex(r"[0-9.e+-]{1,8}[bkmgtiB]{0,4}", fullmatch=True))
def test_any_text_is_read_as_a_size_or_refused(text: str) -> None:
    """Whatever is typed is a whole number of bytes above zero or a usage error."""
    try:
        size = parse_size(text)
    except UsageError:
        return
    assert 1 <= size < 1 << 63


@given(st.integers(min_value=1, max_value=1 << 40))
def test_a_written_size_reads_back(count: int) -> None:
    """A size reads back to within half a unit of the last of its three digits."""
    # A byte more, since a size is read as whole bytes.
    assert abs(count - parse_size(format_bytes(count))) <= 0.00501 * count + 1


@pytest.mark.parametrize(
    ("text", "per_second"),
    [
        ("20/s", 20.0),
        ("300/min", 5.0),
        ("36/h", 0.01),
        ("0.5/s", 0.5),
        (" 20 / s ", 20.0),
        ("1e3/s", 1000.0),
    ],
)
def test_a_rate_is_read_over_its_unit(text: str, per_second: float) -> None:
    """A number over a unit of time is read as so many a second."""
    assert per_second == pytest.approx(parse_rate(text), rel=1e-15)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "20",
            "'20' has no unit of time; write 20/s for logins a second or 20/min for logins a m",
        ),
        (
            "+1.5",
            "'+1.5' has no unit of time; write 1.5/s for logins a second or 1.5/min for",
        ),
        ("20/ms", "'20/ms' has an unknown unit; write /s, /min or /h, for example 20/s"),
        ("20/", "'20/' has an unknown unit; write /s, /min or /h, for example 20/s"),
        ("20/s/s", "'20/s/s' has an unknown unit; write /s, /min or /h, for example 20/s"),
        ("0/s", "'0/s' must be above zero; write for example 20/s or 300/min"),
        ("-1/s", "'-1/s' must be above zero; write for example 20/s or 300/min"),
        ("1e400/s", "'1e400/s' is not a rate; write for example 20/s or 300/min"),
        ("1e308/s", "'1e308/s' is not a rate; write for example 20/s or 300/min"),
        ("٣/s", "'٣/s' is not a rate; write for example 20/s or 300/min"),
        ("20s", "'20s' is not a rate; write for example 20/s or 300/min"),
        ("/s", "'/s' is not a rate; write for example 20/s or 300/min"),
        ("", "'' is not a rate; write for example 20/s or 300/min"),
        ("many", "'many' is not a rate; write for example 20/s or 300/min"),
        ("1" * 41 + "/s", "'11111111111111111111111…' is not a rate; write for example"),
    ],
)
def test_what_is_no_rate_is_refused(text: str, message: str) -> None:
    """A bare number is refused with its two likely readings, anything else with an example."""
    with pytest.raises(UsageError) as refused:
        parse_rate(text)
    assert str(refused.value).startswith(message)


@given(st.text(max_size=60) | st.text("0123456789./ smin", max_size=12))
def test_any_text_is_a_rate_or_refused(text: str) -> None:
    """Whatever is typed is a finite rate above zero or a usage error."""
    try:
        rate = parse_rate(text)
    except UsageError:
        return
    assert 0 < rate < math.inf


@pytest.mark.parametrize(
    ("per_second", "text"),
    [
        (0.0, "0/s"),
        (20.0, "20.0/s"),
        (1234.5, "1234/s"),
        (0.9996, "1.00/s"),
        (0.5, "30.0/min"),
        (1 / 60, "1.00/min"),
        (0.01, "36.0/h"),
        (1e-5, "0.036/h"),
        (math.inf, "∞/s"),
    ],
)
def test_a_rate_is_written_with_three_digits(per_second: float, text: str) -> None:
    """A rate is written with three significant digits, over a time that makes it readable."""
    assert text == format_rate(per_second)


@given(st.floats(min_value=1e-3, max_value=999.0))
def test_a_written_rate_reads_back(per_second: float) -> None:
    """A rate reads back to within half a unit of the last of its three digits."""
    assert per_second == pytest.approx(parse_rate(format_rate(per_second)), rel=0.00501)


@given(st.dictionaries(st.from_regex(r"[a-z_]+", fullmatch=True), st.integers(0), min_size=1))
def test_pairs_can_be_split_again(params: dict[str, int]) -> None:
    """Params that are written for programs are told apart by a space and an equals sign."""
    pairs = dict(pair.split("=") for pair in format_pairs(params).split(" "))
    assert {name: str(value) for name, value in params.items()} == pairs


ARABIC = str.maketrans(
    "0123456789", "\u0660\u0661\u0662\u0663\u0664\u0665\u0666\u0667\u0668\u0669"
)


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (parse_duration, "40ms"),
        (parse_duration, "1e2ms"),
        (parse_age, "90d"),
        (parse_share, "20%"),
        (parse_rate, "20/s"),
        (parse_size, "64MiB"),
        (parse_whole, "10"),
        (parse_cost, "bcrypt=12"),
    ],
)
def test_digits_are_those_of_ascii_everywhere(read: Callable[[str], object], text: str) -> None:
    """What figures are written in is read in one way: other digits are refused, as in costs."""
    assert read(text)
    with pytest.raises(UsageError):
        read(text.translate(ARABIC))


@pytest.mark.parametrize("text", ["", "1_0", "1.0", "0x1", "9" * 5000, "one"])
def test_what_is_no_whole_number_is_refused(text: str) -> None:
    """Only plain decimal digits are a whole number, and not thousands of them."""
    with pytest.raises(UsageError, match=r"is not a whole number; write for example 10$"):
        parse_whole(text)


def test_a_whole_number_is_read() -> None:
    """A whole number may have a sign and space around it."""
    assert [12, -3, 4] == [parse_whole(text) for text in (" 12 ", "-3", "+4")]
