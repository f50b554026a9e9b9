"""scrypt by ``hashlib``, by ``cryptography`` and, as ``$7$``, by the system's libcrypt."""

import hashlib
from functools import partial

import msgspec

from hashcost.core.algorithms import scrypt_bytes
from hashcost.core.errors import UnavailableError
from hashcost.core.measurement import Knob, Params
from hashcost.hashers import libcrypt, openssl
from hashcost.hashers.built_in import ALGORITHMS, Adapter
from hashcost.hashers.interface import Hasher, ReadyCall

_OUTPUT_BYTES = 64
_CRYPT_CHARACTERS = 43
# Digits of crypt(5)'s base64, the lowest first; r and p take five each.
_DIGITS = b"./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def by_hashlib() -> Hasher:
    """Run scrypt by ``hashlib``."""
    if not hasattr(hashlib, "scrypt"):
        raise UnavailableError("this Python's hashlib was built without scrypt")

    def ready(password: bytes, salt: bytes, params: Params) -> ReadyCall:
        n, r, p = params["n"], params["r"], params["p"]
        # Unless told more, OpenSSL refuses above 32 MiB.
        limits = {"maxmem": scrypt_bytes(params), "dklen": _OUTPUT_BYTES}
        run = partial(hashlib.scrypt, password, salt=salt, n=n, r=r, p=p, **limits)
        return ReadyCall(run=run, length=_OUTPUT_BYTES)

    return Adapter("scrypt", "hashlib", openssl.of_hashlib(), ready, narrowed=hashlib_knobs())


def hashlib_knobs() -> tuple[Knob, ...]:
    """Return the knobs within what ``hashlib`` allows."""
    # CPython takes a limit of memory below 2 GiB, and n = 2^21 needs more.
    ladder, time_knob = ALGORITHMS["scrypt"].knobs
    steps = tuple(step for step in ladder.steps if step < 2**21)
    return msgspec.structs.replace(ladder, maximum=steps[-1], steps=steps), time_knob


def by_cryptography() -> Hasher:
    """Run scrypt by ``cryptography``."""

    def ready(password: bytes, salt: bytes, params: Params) -> ReadyCall:
        from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

        derivation = partial(Scrypt, salt=salt, length=_OUTPUT_BYTES, **params)
        return openssl.derive(derivation, password, _OUTPUT_BYTES)

    return Adapter("scrypt", "cryptography", openssl.of_cryptography(), ready)


def by_libcrypt() -> Hasher:
    """Run scrypt by libcrypt."""
    libcrypt.load().require(b"$7$06..../....", "scrypt")
    return libcrypt.adapted("scrypt", _setting, _CRYPT_CHARACTERS)


def _setting(salt: bytes, params: Params) -> bytes:
    n, r, p = params["n"], params["r"], params["p"]
    if n & (n - 1):
        raise ValueError("$7$ holds the log2 of n: n must be a power of 2")
    digits = [n.bit_length() - 1]
    for number in (r, p):
        # Six bits each, the lowest first.
        digits.extend(number >> 6 * place & 63 for place in range(5))
    written = bytes(_DIGITS[digit] for digit in digits)
    return b"$7$%s%s$" % (written, salt)
