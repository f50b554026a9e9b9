"""Numbers as crypt settings write them, in base 64."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

DIGITS: Final = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_VALUES: Final = {digit: value for value, digit in enumerate(DIGITS)}


def fixed(digits: str) -> int:
    """A number of known width, the lowest digit first."""
    return sum(_VALUES[digit] << 6 * place for place, digit in enumerate(digits))


def encode_fixed(value: int, width: int) -> str:
    """A number in so many digits, the lowest first, as ``$7$`` has r and p."""
    return "".join(DIGITS[value >> 6 * place & 63] for place in range(width))


def variable(digits: Iterator[str], minimum: int) -> int:
    """The next number in yescrypt's variable length.

    The first digit tells how many follow (libxcrypt, lib/alg-yescrypt-common.c,
    ``decode64_uint32``).

    Raises:
        StopIteration: the number ends early.
    """
    first = _VALUES[next(digits)]
    value, start, end, bits = minimum, 0, 47, 0
    while first > end:
        value += end + 1 - start << bits
        start = end + 1
        end = start + (62 - end) // 2
        bits += 6
    value += first - start << bits
    while bits:
        bits -= 6
        value += _VALUES[next(digits)] << bits
    return value
