"""The base-64 digits of crypt settings, and the numbers that are written in them."""

from __future__ import annotations

DIGITS = b"./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def encode_fixed(value: int, characters: int) -> bytes:
    """A number in so many digits, the lowest first, as ``$7$`` has it."""
    return bytes(DIGITS[value >> 6 * place & 63] for place in range(characters))
