"""scrypt by ``hashlib``, by ``cryptography`` and, as ``$7$``, by the system's libcrypt."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from functools import partial

import msgspec

from hashcost.core.errors import UnavailableError
from hashcost.core.measurement import Knob, Params, Scale
from hashcost.hashers import libcrypt, openssl
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


@dataclass(frozen=True, kw_only=True)
class _Scrypt:
    """What the implementations share."""

    version: str
    name = "scrypt"
    drift: float = 0.02
    """As PBKDF2's, for want of a quieter machine to measure it on."""

    @property
    def knobs(self) -> tuple[Knob, ...]:
        return (_MEMORY_KNOB, _TIME_KNOB)

    @property
    def lowest(self) -> Params:
        """With r = 8, as every policy and nearly every application has it."""
        return {"n": _MEMORY_KNOB.steps[0], "r": 8, "p": 1}

    @property
    def known_answers(self) -> tuple[KnownAnswer, ...]:
        return (
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
        )

    def memory_bytes(self, params: Params) -> int:
        """RFC 7914: N blocks of 128 r bytes, and p of them as output."""
        return 128 * params["r"] * (params["n"] + params["p"])

    def threads(self, params: Params) -> int:
        """Both libraries run the p lanes one after another."""
        return 1


class _Hashlib(_Scrypt):
    implementation = "hashlib"

    @property
    def knobs(self) -> tuple[Knob, ...]:
        """CPython takes a limit of memory below 2 GiB, and n = 2^21 needs more."""
        steps = tuple(step for step in _MEMORY_KNOB.steps if step < 2**21)
        ladder = msgspec.structs.replace(_MEMORY_KNOB, maximum=steps[-1], steps=steps)
        return (ladder, _TIME_KNOB)

    def ready(self, password: bytes, salt: bytes, params: Params) -> ReadyCall:
        n, r, p = params["n"], params["r"], params["p"]
        run = partial(
            hashlib.scrypt,
            password,
            salt=salt,
            n=n,
            r=r,
            p=p,
            # Unless told more, OpenSSL refuses above 32 MiB; it counts N + p + 2 blocks.
            maxmem=128 * r * (n + p + 2),
            dklen=_OUTPUT_BYTES,
        )
        return ReadyCall(run=run, length=_OUTPUT_BYTES)


class _Cryptography(_Scrypt):
    implementation = "cryptography"

    def ready(self, password: bytes, salt: bytes, params: Params) -> ReadyCall:
        from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

        n, r, p = params["n"], params["r"], params["p"]

        def run() -> bytes:
            # An instance derives once, so it is made within the call; that takes microseconds.
            return Scrypt(salt, _OUTPUT_BYTES, n, r, p).derive(password)

        return ReadyCall(run=run, length=_OUTPUT_BYTES)


@dataclass(frozen=True, kw_only=True)
class _LibCrypt(_Scrypt):
    library: libcrypt.LibCrypt = field(repr=False)
    implementation = "libcrypt"

    @property
    def known_answers(self) -> tuple[KnownAnswer, ...]:
        return (
            KnownAnswer(
                password=b"pleaseletmein",
                salt=b"SodiumChloride",
                params={"n": 4, "r": 8, "p": 1},
                output=b"$7$06..../....SodiumChloride$ENlyo6fGw4PCcDBOFepfSZjFUnVatHzCcW55.ZGz3B0",
                source="yescrypt, tests.c",
            ),
        )

    def ready(self, password: bytes, salt: bytes, params: Params) -> ReadyCall:
        if params["n"] & (params["n"] - 1):
            raise ValueError("$7$ holds the log2 of n: n must be a power of 2")
        cost = (
            encode_fixed(params["n"].bit_length() - 1, 1)
            + encode_fixed(params["r"], 5)
            + encode_fixed(params["p"], 5)
        )
        setting = b"$7$%s%s$" % (cost.encode(), salt)
        return ReadyCall(
            run=self.library.caller(password, setting),
            prefix=setting,
            length=len(setting) + _CRYPT_CHARACTERS,
        )


def by_hashlib() -> Hasher:
    """Run scrypt by ``hashlib``."""
    if not hasattr(hashlib, "scrypt"):
        raise UnavailableError("this Python's hashlib was built without scrypt")
    return _Hashlib(version=openssl.of_hashlib())


def by_cryptography() -> Hasher:
    """Run scrypt by ``cryptography``."""
    return _Cryptography(version=openssl.of_cryptography())


def by_libcrypt() -> Hasher:
    """Run scrypt by libcrypt."""
    library = libcrypt.load()
    library.require(b"$7$06..../....", "scrypt")
    return _LibCrypt(version=library.version, library=library)
