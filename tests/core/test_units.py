"""Durations, sizes, rates and costs, read and written."""

import contextlib
import math
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora import cases
from hashcost.core import units
from hashcost.core.cost_expressions import parse_cost
from hashcost.core.errors import UsageError
from hashcost.core.units import (
    check_target,
    format_bytes,
    format_count,
    format_duration,
    format_money,
    format_rate,
    parse_age,
    parse_count,
    parse_duration,
    parse_rate,
    parse_release,
    parse_share,
    parse_size,
    typed_duration,
)

Read = Callable[[str], float]


def _rows(table: str) -> list[tuple[Any, ...]]:
    figures = cases(__file__, "figures.toml", table)
    return [(name, *row) for name, rows in figures.items() for row in rows]


@pytest.mark.parametrize(("name", "text", "value"), _rows("read"))
def test_a_figure_is_read_in_its_unit(name: str, text: str, value: float) -> None:
    """Seconds, bytes and rates a second are read from the units that people write."""
    assert value == pytest.approx(getattr(units, name)(text), rel=1e-15)


@pytest.mark.parametrize(("name", "text", "problem"), _rows("refused"))
def test_anything_else_is_refused(name: str, text: str, problem: str) -> None:
    """A bare number is refused with its likely readings, anything else with an example."""
    with pytest.raises(UsageError) as refused:
        getattr(units, name)(text)
    assert f"{text!r} {problem}" == str(refused.value)


READERS = (parse_duration, parse_age, parse_share, parse_rate, parse_size)


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


@pytest.mark.parametrize(("name", "value", "text"), _rows("written"))
def test_a_figure_is_written_for_people(name: str, value: Any, text: str) -> None:
    """Figures have three digits and the unit that makes them readable, chosen after rounding."""
    assert text == getattr(units, name)(value)


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
    st.floats(1e-9, 1e6)
    | st.builds(lambda exponent: 0.9995 * 10.0**exponent, st.integers(-8, 2))
    | st.builds(lambda minutes: 59.95 * minutes, st.floats(1.0, 70.0))
)
def test_no_duration_fills_its_unit(seconds: float) -> None:
    """A duration is never written as 1000 of a unit or as 60 minutes."""
    number, unit = format_duration(seconds).split()
    beyond = {"ns": 1000, "µs": 1000, "ms": 1000, "s": 121, "min": 60, "h": math.inf}

    assert float(number) < beyond[unit]


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
    read_back = parse_duration(typed_duration(seconds))
    assert seconds <= read_back <= seconds * 1.021


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("0", 0),
        (" 65535\n", 65535),
        ("65536", None),
        *((text, None) for text in ("", "-1", "+1", "1_0", "1.0", "²", "٣", "1 2", "9" * 5000)),
    ],
)
def test_a_foreign_number_is_bounded(text: str, count: int | None) -> None:
    """Only ASCII digits are one, and only up to the most that is asked for."""
    assert count == parse_count(text, 65535)


def test_releases_are_compared_by_their_first_numbers() -> None:
    """However long they are."""
    assert parse_release("3.1.9") < parse_release("v3.1.13-rc1") == (3, 1, 13, 1)
    assert parse_release("8") == parse_release("8.0") < parse_release("8.0.1")
    assert 4 == len(parse_release("9" * 5000))
