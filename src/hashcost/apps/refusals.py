"""Combinations of params that a library refuses though each is within its limits. Pure.

Each was tried with the release that the tests run; ``tests/apps`` holds it.
"""

from collections.abc import Callable
from functools import partial
from typing import Final

from hashcost.core.algorithms import MAXMEM, refusal, scrypt_bytes
from hashcost.core.measurement import Params

MAXMEM_LIMIT: Final = 2**31 - 1
"""CPython, Modules/_hashopenssl.c: ``maxmem`` is a C int."""
MAXMEM_DEFAULT: Final = MAXMEM.allows
"""In bytes, with ``maxmem=0``."""


def scrypt_refusal(params: Params, maxmem: int = MAXMEM_LIMIT) -> str:
    """Why ``hashlib.scrypt`` refuses params with this ``maxmem``."""
    n, needed = params["n"], scrypt_bytes(params)
    if n & (n - 1):
        return "n must be a power of 2"
    if maxmem > MAXMEM_LIMIT or needed > MAXMEM_LIMIT:
        return f"hashlib.scrypt takes no maxmem of {MAXMEM_LIMIT + 1:,} bytes or more"
    if needed > maxmem:
        return f"it needs {needed:,} bytes, and maxmem is {maxmem:,}"
    # RFC 7914, section 2: N is less than 2 to the power of 128 * r / 8.
    if n.bit_length() > 16 * params["r"]:
        return "n must be below 2^(16 r)"
    # RFC 7914, section 2: p is at most (2^32 - 1) * 32 / (128 * r).
    if params["r"] * params["p"] >= 2**30:
        return "r times p must be below 2^30"
    return ""


def _passlib_scrypt(params: Params) -> str:
    """As libpass has it, whose ``maxmem`` is 5 % above the need."""
    return scrypt_refusal(params) or scrypt_refusal(params, int(scrypt_bytes(params) * 1.05))


def _werkzeug_scrypt(params: Params) -> str:
    """As Werkzeug has it, whose own ``maxmem``, 132 n r p, may be refused or not suffice."""
    if params["n"] & (params["n"] - 1):
        return "n must be a power of 2"
    maxmem = 132 * params["n"] * params["r"] * params["p"]
    if maxmem > MAXMEM_LIMIT:
        return f"its maxmem, 132 n r p, is {maxmem:,}, and hashlib's limit {MAXMEM_LIMIT:,}"
    if scrypt_bytes(params) > maxmem:
        return f"its maxmem, 132 n r p, is {maxmem:,}, and it needs {scrypt_bytes(params):,}"
    return scrypt_refusal(params, maxmem)


RULES: Final[dict[str, Callable[[Params], str]]] = {
    "argon2": partial(refusal, "argon2id"),  # argon2-cffi has no more rules than argon2.h.
    "hashlib-scrypt": scrypt_refusal,
    "passlib-scrypt": _passlib_scrypt,
    "werkzeug-scrypt": _werkzeug_scrypt,
}
"""The rules that ``refuses`` in an application's file may name."""
