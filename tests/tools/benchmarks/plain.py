"""Hashes with only a library, which knows nothing of the tool.

Password and salt are as long as the tool's probe.
"""

import ctypes
import functools
import hashlib
from collections.abc import Callable, Mapping
from functools import partial
from typing import Final, TypeAlias

Hash: TypeAlias = Callable[[], bytes | None]

_PASSWORD: Final = b"plain-pass12"
_SALT: Final = b"QPONMLKJIHGFedcb"
_BCRYPT_SALT: Final = b"abcdefghijklmnopqrstuu"
_MOST_MEMORY: Final = 2**31 - 1
"""As much as hashlib takes for ``maxmem``."""


def prepare(hasher: str, params: Mapping[str, int]) -> Hash:
    """One hash with these params as a call without arguments."""
    if hasher == "scrypt":
        return partial(
            hashlib.scrypt, _PASSWORD, salt=_SALT, maxmem=_MOST_MEMORY, dklen=64, **params
        )
    if hasher == "argon2id":
        return _argon2id(**params)
    (cost,) = params.values()
    if hasher == "yescrypt":
        return _yescrypt(cost)
    if hasher == "bcrypt":
        import bcrypt

        return partial(bcrypt.hashpw, _PASSWORD, b"$2b$%02d$%s" % (cost, _BCRYPT_SALT))
    if hasher == "sha512-crypt":
        return _crypt(b"$6$rounds=%d$%s$" % (cost, _SALT))
    return partial(hashlib.pbkdf2_hmac, hasher.removeprefix("pbkdf2-"), _PASSWORD, _SALT, cost)


def _argon2id(*, memory_kib: int, time_cost: int, parallelism: int) -> Hash:
    from argon2.low_level import Type, hash_secret_raw

    return partial(
        hash_secret_raw, _PASSWORD, _SALT, time_cost, memory_kib, parallelism, 32, Type.ID
    )


def _yescrypt(cost: int) -> Hash:
    """At the parameters that libcrypt itself has for this cost."""
    gensalt = _libcrypt().crypt_gensalt
    gensalt.restype = ctypes.c_char_p
    gensalt.argtypes = (ctypes.c_char_p, ctypes.c_ulong, ctypes.c_char_p, ctypes.c_int)
    made: bytes | None = gensalt(b"$y$", cost, _SALT, len(_SALT))
    if made is None:
        raise SystemExit("this libcrypt has no yescrypt")
    return _crypt(made + b"$")


def _crypt(setting: bytes) -> Hash:
    crypt = _libcrypt().crypt
    crypt.restype = ctypes.c_char_p
    crypt.argtypes = (ctypes.c_char_p, ctypes.c_char_p)
    scheme = setting[:3]
    cheap = {b"$6$": b"$6$rounds=1000$saltstring$", b"$y$": b"$y$j75$.......$"}[scheme]
    if not (crypt(b"test", cheap) or b"").startswith(cheap):
        raise SystemExit(f"this libcrypt has no {scheme.decode()}")
    return partial(crypt, _PASSWORD, setting)


@functools.cache
def _libcrypt() -> ctypes.CDLL:
    return ctypes.CDLL("libcrypt.so.1")
