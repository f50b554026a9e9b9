"""scrypt in the PHC string format, and as Java's lambdaworks, Spring and Password4j pack it."""

from __future__ import annotations

from functools import partial
from typing import Final

from hashcost.stored.formats.alphabets import ANY_BASE64, BASE64, COUNT
from hashcost.stored.formats.interface import hashed, number, shaped
from hashcost.stored.formats.reading import Reading

_KRATOS = "kratos scrypt"
_LARGEST_LOG2 = 58
"""What Authelia takes at most; passlib writes 31 at most."""


def scrypt(name: str, log2_n: int | None, r: int | None, p: int | None) -> Reading | None:
    """Scrypt of this cost; `None` if RFC 7914 does not allow it."""
    if not log2_n or not r or not p or log2_n > 63 or log2_n >= 16 * r or r * p >= 1 << 30:
        return None
    return hashed(name, "scrypt", {"n": 1 << log2_n, "r": r, "p": p})


def packed(name: str, digits: str) -> Reading | None:
    """Hexadecimal ``log2 N << 16 | r << 8 | p`` (Spring, SCryptPasswordEncoder)."""
    value = int(digits, 16)
    return scrypt(name, value >> 16, value >> 8 & 255, value & 255)


def _phc(name: str, cost: str, block_size: str, lanes: str) -> Reading | None:
    log2_n = number(cost, 1, _LARGEST_LOG2)
    return scrypt(name, log2_n, number(block_size, 1, 2**30), number(lanes, 1, 2**30))


def of_count(
    name: str, cost: str, block_size: str, lanes: str, *, minimum: int = 2
) -> Reading | None:
    """N itself, where most write its logarithm."""
    n = number(cost, minimum, 2**63)
    if n is None or n & n - 1:
        return None
    log2_n = n.bit_length() - 1
    return scrypt(name, log2_n, number(block_size, 1, 2**30), number(lanes, 1, 2**30))


_WRITTEN = rf"ln=({COUNT}),r=({COUNT}),p=({COUNT})\${ANY_BASE64}*=*\${ANY_BASE64}{{16,}}=*"
PACKED: Final = rf"([1-9a-f][0-9a-f]{{4,5}})\${BASE64}+={{0,2}}\${BASE64}{{43,86}}={{0,2}}"
_LARGE = partial(of_count, minimum=_LARGEST_LOG2 + 1)

FORMATS: Final = (
    shaped("phc scrypt", "$scrypt$", _WRITTEN, _phc),
    shaped(_KRATOS, "$scrypt$", _WRITTEN, _LARGE),
    shaped(_KRATOS, "$scrypt$", _WRITTEN, of_count, apps=("kratos",), needs_app=True),
    shaped("lambdaworks scrypt", "$s0$", PACKED, packed),
)
"""A number too large for a logarithm is Kratos'; smaller ones are only read as N for it."""
