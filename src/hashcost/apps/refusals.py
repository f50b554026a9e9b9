"""Combinations of params that a library refuses though each is within its limits. Pure.

Each was tried with the release that the tests run; ``tests/apps`` holds it.
"""

from collections.abc import Callable
from functools import partial
from typing import Final

from hashcost.core.algorithms import MAXMEM, refusal, scrypt_bytes, scrypt_refusal
from hashcost.core.measurement import Params

MAXMEM_LIMIT: Final = 2**31 - 1
"""CPython, Modules/_hashopenssl.c: ``maxmem`` is a C int."""
MAXMEM_DEFAULT: Final = MAXMEM.allows
"""In bytes, with ``maxmem=0``."""


def hashlib_refusal(params: Params, maxmem: int = MAXMEM_LIMIT) -> str:
    """Why ``hashlib.scrypt`` refuses params with this ``maxmem``."""
    why = scrypt_refusal(params)
    if why:
        return why
    needed = scrypt_bytes(params)
    if maxmem > MAXMEM_LIMIT or needed > MAXMEM_LIMIT:
        return f"hashlib.scrypt takes no maxmem of {MAXMEM_LIMIT + 1:,} bytes or more"
    if needed > maxmem:
        return f"it needs {needed:,} bytes, and maxmem is {maxmem:,}"
    return ""


def _passlib_scrypt(params: Params) -> str:
    """As libpass has it, whose ``maxmem`` is 5 % above the need."""
    return hashlib_refusal(params) or hashlib_refusal(params, int(scrypt_bytes(params) * 1.05))


def _werkzeug_scrypt(params: Params) -> str:
    """As Werkzeug has it, whose own ``maxmem``, 132 n r p, may be refused or not suffice."""
    if params["n"] & (params["n"] - 1):
        return "n must be a power of 2"
    maxmem = 132 * params["n"] * params["r"] * params["p"]
    if maxmem > MAXMEM_LIMIT:
        return f"its maxmem, 132 n r p, is {maxmem:,}, and hashlib's limit {MAXMEM_LIMIT:,}"
    if scrypt_bytes(params) > maxmem:
        return f"its maxmem, 132 n r p, is {maxmem:,}, and it needs {scrypt_bytes(params):,}"
    return hashlib_refusal(params, maxmem)


RULES: Final[dict[str, Callable[[Params], str]]] = {
    "argon2": partial(refusal, "argon2id"),  # argon2-cffi has no more rules than argon2.h.
    "hashlib-scrypt": hashlib_refusal,
    "passlib-scrypt": _passlib_scrypt,
    "werkzeug-scrypt": _werkzeug_scrypt,
}
"""The rules that ``refuses`` in an application's file may name."""
