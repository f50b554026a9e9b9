"""Numbers in crypt's base 64, against what libxcrypt writes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashcost.stored.formats.crypt64 import DIGITS, encode_fixed, fixed, variable


def encode(value: int, minimum: int) -> str:
    """``encode64_uint32`` of libxcrypt's lib/alg-yescrypt-common.c."""
    value -= minimum
    start, end, characters, bits = 0, 47, 1, 0
    while value >= (count := end + 1 - start << bits):
        start = end + 1
        end = start + (62 - end) // 2
        value -= count
        characters += 1
        bits += 6
    text = DIGITS[start + (value >> bits)]
    for _ in range(characters - 1):
        bits -= 6
        text += DIGITS[value >> bits & 63]
    return text


@given(value=st.integers(0, 2**30), minimum=st.integers(0, 2))
def test_a_number_of_variable_length_comes_back(value: int, minimum: int) -> None:
    """What libxcrypt encodes is decoded, and not a digit more is taken."""
    digits = iter(encode(value + minimum, minimum) + "z")
    assert value + minimum == variable(digits, minimum)
    assert "z" == next(digits)


def test_a_number_that_ends_early_is_none() -> None:
    """A first digit that promises more digits needs them."""
    with pytest.raises(StopIteration):
        variable(iter("z.."), 0)


@given(value=st.integers(0, 2**30 - 1))
def test_a_number_of_known_width_has_its_lowest_digit_first(value: int) -> None:
    """As ``$7$`` writes r and p."""
    assert value == fixed(encode_fixed(value, 5))
    assert encode_fixed(8, 5) == "6...."
