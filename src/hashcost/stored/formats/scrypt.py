"""scrypt in the PHC string format, and as Java's lambdaworks, Spring and Password4j pack it."""

from __future__ import annotations

from functools import partial
from typing import Final

from hashcost.stored.formats.alphabets import ANY_BASE64, BASE64, COUNT
from hashcost.stored.formats.interface import Format, hashed, number, shaped
from hashcost.stored.formats.reading import Reading

_PHC = "phc scrypt"
_KRATOS = "kratos scrypt"
_LARGEST_LOG2 = 58
"""What Authelia takes at most; passlib writes 31 at most."""


def scrypt(name: str, log2_n: int, r: int, p: int) -> Reading | None:
    """Scrypt of this cost; none where RFC 7914 does not allow it."""
    if not 1 <= log2_n <= 63 or log2_n >= 16 * r or not r or not p or r * p >= 1 << 30:
        return None
    return hashed(name, "scrypt", {"n": 1 << log2_n, "r": r, "p": p})


def packed(name: str, digits: str) -> Reading | None:
    """Hexadecimal ``log2 N << 16 | r << 8 | p`` (Spring, SCryptPasswordEncoder)."""
    value = int(digits, 16)
    return scrypt(name, value >> 16, value >> 8 & 255, value & 255)


def _phc(cost: str, block_size: str, lanes: str) -> Reading | None:
    log2_n = number(cost, 1, _LARGEST_LOG2)
    r, p = number(block_size, 1, 2**30), number(lanes, 1, 2**30)
    return scrypt(_PHC, log2_n, r, p) if log2_n and r and p else None


def of_count(
    name: str, cost: str, block_size: str, lanes: str, *, minimum: int = 2
) -> Reading | None:
    """N itself, where most write its logarithm."""
    n = number(cost, minimum, 2**63)
    r, p = number(block_size, 1, 2**30), number(lanes, 1, 2**30)
    if not n or n & n - 1 or not r or not p:
        return None
    return scrypt(name, n.bit_length() - 1, r, p)


_DERIVED = rf"{ANY_BASE64}*=*\${ANY_BASE64}{{16,}}=*"
_WRITTEN = rf"\$scrypt\$ln=({COUNT}),r=({COUNT}),p=({COUNT})\${_DERIVED}"
PACKED: Final = rf"\$([1-9a-f][0-9a-f]{{4,5}})\${BASE64}+={{0,2}}\${BASE64}{{43,86}}={{0,2}}"

FORMATS: Final = (
    Format(name=_PHC, prefixes=("$scrypt$",), read=shaped(_WRITTEN, _phc)),
    Format(
        name=_KRATOS,
        prefixes=("$scrypt$",),
        read=shaped(_WRITTEN, partial(of_count, _KRATOS, minimum=_LARGEST_LOG2 + 1)),
    ),
    Format(
        name=_KRATOS,
        prefixes=("$scrypt$",),
        apps=("kratos",),
        needs_app=True,
        read=shaped(_WRITTEN, partial(of_count, _KRATOS)),
    ),
    Format(
        name="lambdaworks scrypt",
        prefixes=("$s0$",),
        read=shaped(rf"\$s0{PACKED}", partial(packed, "lambdaworks scrypt")),
    ),
)
"""A number too large for a logarithm is Kratos'; smaller ones are only read as N for it."""
