"""scrypt by ``hashlib``, by ``cryptography`` and, as ``$7$``, by the system's libcrypt."""

from __future__ import annotations

import hashlib
from functools import partial

import msgspec

from hashcost.core.errors import UnavailableError
from hashcost.core.measurement import Knob, Params, Scale
from hashcost.hashers import libcrypt, openssl
from hashcost.hashers.adapter import Adapter
from hashcost.hashers.interface import Hasher, KnownAnswer, ReadyCall
from hashcost.stored.formats.crypt64 import encode_fixed

_OUTPUT_BYTES = 64
_CRYPT_CHARACTERS = 43

_MEMORY_KNOB = Knob(
    name="n",
    scale=Scale.LADDER,
    minimum=2,
    maximum=2**24,
    steps=tuple(2**exponent for exponent in range(10, 25)),
)
"""From 1 MiB at r = 8, doubled with each step."""
_TIME_KNOB = Knob(name="p", scale=Scale.LINEAR, minimum=1, maximum=2**10)

_scrypt = partial(
    Adapter,
    name="scrypt",
    knobs=(_MEMORY_KNOB, _TIME_KNOB),
    # With r = 8, as every policy and nearly every application has it.
    lowest={"n": _MEMORY_KNOB.steps[0], "r": 8, "p": 1},
    known_answers=(
        KnownAnswer(
            password=b"",
            salt=b"",
            params={"n": 16, "r": 1, "p": 1},
            output=bytes.fromhex(
                "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442"
                "fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906"
            ),
            source="RFC 7914 section 12",
        ),
    ),
    # RFC 7914: N blocks of 128 r bytes, and p of them as output.
    memory=lambda params: 128 * params["r"] * (params["n"] + params["p"]),
)


def by_hashlib() -> Hasher:
    """Run scrypt by ``hashlib``."""
    if not hasattr(hashlib, "scrypt"):
        raise UnavailableError("this Python's hashlib was built without scrypt")

    def ready(password: bytes, salt: bytes, params: Params) -> ReadyCall:
        n, r, p = params["n"], params["r"], params["p"]
        # Unless told more, OpenSSL refuses above 32 MiB; it counts N + p + 2 blocks.
        limits = {"maxmem": 128 * r * (n + p + 2), "dklen": _OUTPUT_BYTES}
        run = partial(hashlib.scrypt, password, salt=salt, n=n, r=r, p=p, **limits)
        return ReadyCall(run=run, length=_OUTPUT_BYTES)

    # CPython takes a limit of memory below 2 GiB, and n = 2^21 needs more.
    steps = tuple(step for step in _MEMORY_KNOB.steps if step < 2**21)
    ladder = msgspec.structs.replace(_MEMORY_KNOB, maximum=steps[-1], steps=steps)
    return _scrypt(
        implementation="hashlib",
        version=openssl.of_hashlib(),
        knobs=(ladder, _TIME_KNOB),
        prepare=ready,
    )


def by_cryptography() -> Hasher:
    """Run scrypt by ``cryptography``."""

    def ready(password: bytes, salt: bytes, params: Params) -> ReadyCall:
        from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

        derivation = partial(Scrypt, salt=salt, length=_OUTPUT_BYTES, **params)
        return openssl.derive(derivation, password, _OUTPUT_BYTES)

    return _scrypt(
        implementation="cryptography",
        version=openssl.of_cryptography(),
        prepare=ready,
    )


def by_libcrypt() -> Hasher:
    """Run scrypt by libcrypt."""
    library = libcrypt.load()
    library.require(b"$7$06..../....", "scrypt")
    return _scrypt(
        implementation="libcrypt",
        version=library.version,
        known_answers=(
            KnownAnswer(
                password=b"pleaseletmein",
                salt=b"SodiumChloride",
                params={"n": 4, "r": 8, "p": 1},
                output=b"$7$06..../....SodiumChloride$ENlyo6fGw4PCcDBOFepfSZjFUnVatHzCcW55.ZGz3B0",
                source="yescrypt, tests.c",
            ),
        ),
        prepare=library.prepare(_setting, _CRYPT_CHARACTERS),
    )


def _setting(salt: bytes, params: Params) -> bytes:
    n, r, p = params["n"], params["r"], params["p"]
    if n & (n - 1):
        raise ValueError("$7$ holds the log2 of n: n must be a power of 2")
    cost = encode_fixed(n.bit_length() - 1, 1) + encode_fixed(r, 5) + encode_fixed(p, 5)
    return b"$7$%s%s$" % (cost.encode(), salt)
