"""Numbers as crypt settings write them, in base 64, and the settings of yescrypt."""

from collections.abc import Iterator
from typing import Final

from hashcost.core.measurement import Params

DIGITS: Final = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_VALUES: Final = {digit: value for value, digit in enumerate(DIGITS)}
_STANDARD_FLAVOUR = 47
"""``j``: read and write, with the recommended options."""
_COSTS: Final = {(10, 8): 1, (11, 8): 2, **{(cost + 7, 32): cost for cost in range(3, 12)}}
"""log2 N and r that ``crypt_gensalt`` writes, with the cost that asks for them
(libxcrypt, lib/crypt-yescrypt.c)."""
_HIGHEST_FLAVOUR = 2 + (0x3FC >> 2)


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


def yescrypt_params(setting: str) -> Params | None:
    """Decode the setting between ``$y$`` and the salt; none where it is not legal."""
    digits = iter(setting)
    try:
        flavour, log2_n, r = variable(digits, 0), variable(digits, 1), variable(digits, 1)
        optional = {}
        present = next(digits, None)
        if present is not None:
            have = variable(iter([present]), 1)
            for bit, name, minimum in ((1, "p", 2), (2, "t", 1), (4, "g", 1), (8, "log2_rom", 1)):
                if have & bit:
                    optional[name] = variable(digits, minimum)
    except StopIteration:
        return None
    p = optional.get("p", 1)
    if next(digits, None) is not None or flavour > _HIGHEST_FLAVOUR:
        return None
    if log2_n > 63 or optional.get("log2_rom", 1) > 63 or r * p >= 1 << 30:
        return None
    cost = _COSTS.get((log2_n, r))
    if cost is not None and flavour == _STANDARD_FLAVOUR and not optional:
        return {"cost": cost}
    params = {"n": 1 << log2_n, "r": r, "p": p} | optional
    return params if flavour == _STANDARD_FLAVOUR else params | {"flavour": flavour}
