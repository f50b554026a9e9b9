"""The cost that a library takes when none is given, with where it says so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from hashcost.core.measurement import Params


@dataclass(frozen=True, kw_only=True)
class Default:
    """A cost, and what takes it."""

    params: Params
    taken_by: str


_RFC_CRYPT: Final = "$%s$ without rounds= (Drepper, Unix crypt using SHA-256 and SHA-512)"

DEFAULTS: Final[dict[str, Default]] = {
    "sha512-crypt@libcrypt": Default(params={"rounds": 5000}, taken_by=_RFC_CRYPT % 6),
    "sha256-crypt@libcrypt": Default(params={"rounds": 5000}, taken_by=_RFC_CRYPT % 5),
    "sha512-crypt@passlib": Default(
        params={"rounds": 656_000}, taken_by="passlib.hash.sha512_crypt (libpass 1.9)"
    ),
    "sha256-crypt@passlib": Default(
        params={"rounds": 535_000}, taken_by="passlib.hash.sha256_crypt (libpass 1.9)"
    ),
    "bcrypt@bcrypt": Default(params={"cost": 12}, taken_by="bcrypt.gensalt()"),
    "bcrypt@libcrypt": Default(params={"cost": 5}, taken_by="crypt_gensalt() of libxcrypt"),
    "argon2id@argon2-cffi": Default(
        params={"memory_kib": 65536, "time_cost": 3, "parallelism": 4},
        taken_by="argon2.PasswordHasher()",
    ),
    "yescrypt@libcrypt": Default(params={"cost": 5}, taken_by="crypt_gensalt() of libxcrypt"),
}
"""By ``hasher@implementation``; a test asks each library. Those not listed have none."""
