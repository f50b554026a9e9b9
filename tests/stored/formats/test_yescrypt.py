"""yescrypt's setting, encoded as libxcrypt does it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashcost.stored.formats.reading import HashReading, Kind
from hashcost.stored.formats.registry import read
from stored.formats.samples import Secrets

_S = Secrets(11)
_STANDARD = 47
_DIGITS = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


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
    text = _DIGITS[start + (value >> bits)]
    for _ in range(characters - 1):
        bits -= 6
        text += _DIGITS[value >> bits & 63]
    return text


_TOO_LARGE = (
    f"j{encode(64, 1)}T",
    f"j9T{encode(8, 1)}{encode(64, 1)}",
    f"j9{encode(2**29, 1)}{encode(1, 1)}{encode(2, 2)}",
)
"""N = 2^64, as much of a ROM, and r p = 2^30."""


def _read(setting: str) -> HashReading:
    return read(f"$y${setting}${_S.crypt(22)}${_S.crypt(43)}")


@given(
    log2_n=st.integers(1, 63),
    r=st.integers(1, 2**15 - 1),
    optional=st.fixed_dictionaries(
        {},
        optional={
            "p": st.integers(2, 2**15 - 1),
            "t": st.integers(1, 2**30),
            "g": st.integers(1, 2**30),
            "log2_rom": st.integers(1, 63),
        },
    ),
)
def test_every_other_setting_is_decoded(log2_n: int, r: int, optional: dict[str, int]) -> None:
    """N, r, p and what else is set come back as they were encoded."""
    setting = encode(_STANDARD, 0) + encode(log2_n, 1) + encode(r, 1)
    have = sum({"p": 1, "t": 2, "g": 4, "log2_rom": 8}[name] for name in optional)
    if have:
        setting += encode(have, 1)
    for name in ("p", "t", "g", "log2_rom"):
        if name in optional:
            setting += encode(optional[name], 2 if name == "p" else 1)
    params = _read(setting).params
    if "cost" in params:
        assert not optional
    else:
        assert {"n": 1 << log2_n, "r": r, "p": 1} | optional == params


@pytest.mark.parametrize("setting", _TOO_LARGE)
def test_a_setting_that_does_not_decode_is_malformed(setting: str) -> None:
    """Values that libxcrypt refuses."""
    assert _read(setting).kind is Kind.UNREADABLE


@given(log2_n=st.integers(1, 63), r=st.integers(4, 2**15 - 1), p=st.integers(1, 2**15 - 1))
def test_dollar_seven_is_scrypt(log2_n: int, r: int, p: int) -> None:
    """One digit of log2 N, five each of r and p."""
    numbers = "".join(_DIGITS[value >> 6 * place & 63] for value in (r, p) for place in range(5))
    reading = read(f"$7${_DIGITS[log2_n]}{numbers}{_S.crypt(14)}${_S.crypt(43)}")
    assert {"n": 1 << log2_n, "r": r, "p": p} == reading.params
