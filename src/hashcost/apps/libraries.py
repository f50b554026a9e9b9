"""What the libraries that Python applications hash with accept, in one place.

Each was tried with the release that the tests run; ``tests/apps`` holds it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from hashcost.apps.interface import Limits, Timing
from hashcost.core.algorithms import refusal
from hashcost.core.model import Params

HASHLIB: Final = Timing(implementation="hashlib")
PYCA_BCRYPT: Final = Timing(implementation="bcrypt")
ARGON2_CFFI: Final = Timing(implementation="argon2-cffi")

PBKDF2_LIMITS: Final = {"iterations": Limits(minimum=1, maximum=2**31 - 1)}
"""CPython, Modules/_hashopenssl.c: "iteration value is too great" above a C int."""

BCRYPT_LIMITS: Final = {"cost": Limits(minimum=4, maximum=31)}
"""pyca/bcrypt, src/_bcrypt/src/lib.rs: gensalt raises "Invalid rounds" outside."""

ARGON2_LIMITS: Final = {
    "memory_kib": Limits(minimum=8, maximum=2**32 - 1),
    "time_cost": Limits(minimum=1, maximum=2**32 - 1),
    "parallelism": Limits(minimum=1, maximum=2**24 - 1),
}
"""P-H-C/phc-winner-argon2, include/argon2.h: ARGON2_MIN_* and ARGON2_MAX_*."""

SCRYPT_LIMITS: Final = {
    "n": Limits(minimum=2, maximum=2**20),
    "r": Limits(minimum=1, maximum=2**20),
    "p": Limits(minimum=1, maximum=2**20),
}
"""RFC 7914, section 6, as far as CPython's limit of memory reaches with r = 8.

That n is a power of two, `scrypt_refusal` says.
"""

MAXMEM_LIMIT: Final = 2**31 - 1
"""CPython, Modules/_hashopenssl.c: ``maxmem`` is a C int."""
MAXMEM_DEFAULT: Final = 32 * 1024 * 1024
"""OpenSSL, crypto/evp/pbe_scrypt.c: SCRYPT_MAX_MEM, with ``maxmem=0``."""


def scrypt_bytes(params: Params) -> int:
    """What OpenSSL counts against ``maxmem`` (crypto/evp/pbe_scrypt.c)."""
    return 128 * params["r"] * (params["n"] + params["p"] + 2)


def scrypt_refusal(params: Params, maxmem: int) -> str:
    """Why ``hashlib.scrypt`` refuses params with this ``maxmem``."""
    n, needed = params["n"], scrypt_bytes(params)
    if n & (n - 1):
        return "n is to be a power of 2"
    if maxmem > MAXMEM_LIMIT or needed > MAXMEM_LIMIT:
        return f"hashlib.scrypt takes a maxmem below {MAXMEM_LIMIT + 1:,} bytes alone"
    if needed > maxmem:
        return f"it needs {needed:,} bytes, and maxmem is {maxmem:,}"
    if n.bit_length() > 16 * params["r"]:
        return "n is to be below 2^(16 r)"
    if params["r"] * params["p"] >= 2**30:
        return "r times p is to be below 2^30"
    return ""


def argon2_refusal(params: Params) -> str:
    """Why argon2-cffi refuses params: it has no more rules than Argon2 (argon2.h)."""
    return refusal("argon2id", params)


def argon2_keywords(params: Mapping[str, int]) -> str:
    """The arguments that argon2-cffi and pwdlib take."""
    return (
        f"time_cost={params['time_cost']}, memory_cost={params['memory_kib']},"
        f" parallelism={params['parallelism']}"
    )


ARGON2_ARGUMENTS: Final = (
    ("time_cost", "time_cost"),
    ("memory_cost", "memory_kib"),
    ("parallelism", "parallelism"),
)
"""The arguments in their order, with the params that they set."""
