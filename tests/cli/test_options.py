"""What is typed behind an option, read or refused."""

from __future__ import annotations

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashcost.cli.options import DOLLARS
from hashcost.core.text import quoted


def read(text: str) -> float:
    """The dollars that a text stands for."""
    return float(DOLLARS.convert(text, None, None))


@pytest.mark.parametrize(
    ("text", "dollars"),
    [("0.34", 0.34), ("$0.34", 0.34), ("$2", 2.0), (".5", 0.5), ("1e-3", 0.001), ("1e6", 1e6)],
)
def test_an_amount_is_read(text: str, dollars: float) -> None:
    """An amount is read in dollars, with their sign or without."""
    assert dollars == read(text)


def test_a_default_that_is_a_number_is_left_alone() -> None:
    """What is a number already is no text to read."""
    assert DOLLARS.convert(0.34, None, None) == 0.34


@pytest.mark.parametrize(
    "text",
    [
        "0",
        "-0.34",
        "$-1",
        "$",
        "$$1",
        "",
        "nan",
        "inf",
        "-inf",
        "1e400",
        "1e300",
        "1000001",
        "1e-320",
        "cheap",
        "0,34",
        "0.34€",
        "\x1b[31m",
        "9" * 5000,
    ],
)
def test_what_is_no_amount_is_refused(text: str) -> None:
    """An amount that is not above zero, or beyond any rent, is refused with an example."""
    with pytest.raises(click.BadParameter) as refused:
        read(text)
    assert refused.value.message == (
        f"{quoted(text, 24)} is not an amount in dollars; write for example 0.34"
    )


@given(st.text(max_size=30) | st.from_regex(r"\$?[0-9.e+-]{1,8}", fullmatch=True))
def test_any_text_is_an_amount_or_refused(text: str) -> None:
    """Whatever is typed is an amount above zero with which figures stay figures, or refused."""
    try:
        dollars = read(text)
    except click.BadParameter:
        return
    assert 0 < dollars <= 1e6
