"""yescrypt, its GOST variant and ``$7$``, which is scrypt, as libxcrypt writes them."""

from __future__ import annotations

from typing import Final

from hashcost.core.measurement import Params
from hashcost.stored.formats.alphabets import CRYPT64
from hashcost.stored.formats.crypt64 import fixed, variable
from hashcost.stored.formats.interface import hashed, shaped
from hashcost.stored.formats.reading import Reading
from hashcost.stored.formats.scrypt import scrypt

_STANDARD_FLAVOUR = 47
"""``j``: read and write, with the recommended options."""
_COSTS: Final = {(10, 8): 1, (11, 8): 2, **{(cost + 7, 32): cost for cost in range(3, 12)}}
"""log2 N and r that ``crypt_gensalt`` writes, with the cost that asks for them
(libxcrypt, lib/crypt-yescrypt.c)."""
_HIGHEST_FLAVOUR = 2 + (0x3FC >> 2)


def _params(setting: str) -> Params | None:
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


def _yescrypt(name: str, setting: str) -> Reading | None:
    params = _params(setting)
    return None if params is None else hashed(name, name, params)


def _scrypt(name: str, log2_n: str, r: str, p: str) -> Reading | None:
    return scrypt(name, fixed(log2_n), fixed(r), fixed(p))


# Up to eight numbers of up to six digits; a salt of up to 64 bytes.
_REST = rf"({CRYPT64}{{3,48}})\${CRYPT64}{{0,86}}\${CRYPT64}{{43}}"

FORMATS: Final = (
    shaped("yescrypt", "$y$", _REST, _yescrypt),
    shaped("gost-yescrypt", "$gy$", _REST, _yescrypt),
    shaped(
        "scrypt $7$",
        "$7$",
        rf"({CRYPT64})({CRYPT64}{{5}})({CRYPT64}{{5}})[!-#%-~]{{0,255}}\${CRYPT64}{{43}}",
        _scrypt,
    ),
)
