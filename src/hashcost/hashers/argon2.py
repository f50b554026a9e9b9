"""argon2id by ``argon2-cffi`` and by ``cryptography``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version

from hashcost.core.errors import UnavailableError
from hashcost.core.measurement import Knob, Params, Scale
from hashcost.hashers import openssl
from hashcost.hashers.interface import Hasher, KnownAnswer, ReadyCall

_OUTPUT_BYTES = 32
_KIB_PER_MIB = 1024

_MEMORY_KNOB = Knob(
    name="memory_kib",
    scale=Scale.LADDER,
    minimum=8,
    maximum=2**32 - 1,
    steps=tuple(
        mib * _KIB_PER_MIB for mib in (1, 2, 4, 7, 9, 12, 19, 46, *(2**k for k in range(6, 15)))
    ),
)
"""OWASP's five settings (2026), with powers of two below and above them."""
_TIME_KNOB = Knob(name="time_cost", scale=Scale.LINEAR, minimum=1, maximum=2**32 - 1)


@dataclass(frozen=True, kw_only=True)
class _Argon2id:
    """What both implementations share."""

    version: str
    name = "argon2id"
    drift: float = 0.02
    """As PBKDF2's, for want of a quieter machine to measure it on."""

    @property
    def knobs(self) -> tuple[Knob, ...]:
        return (_MEMORY_KNOB, _TIME_KNOB)

    @property
    def lowest(self) -> Params:
        """With one lane, as OWASP has it."""
        return {"memory_kib": _MEMORY_KNOB.steps[0], "time_cost": 1, "parallelism": 1}

    @property
    def known_answers(self) -> tuple[KnownAnswer, ...]:
        return tuple(
            KnownAnswer(
                password=b"password",
                salt=b"somesalt",
                params={"memory_kib": 256, "time_cost": 2, "parallelism": lanes},
                output=bytes.fromhex(output),
                source="Argon2's reference implementation, src/test.c",
            )
            for lanes, output in (
                (1, "9dfeb910e80bad0311fee20f9c0e2b12c17987b4cac90c2ef54d5b3021c68bfe"),
                (2, "6d093c501fd5999645e0ea3bf620d7b8be7fd2db59c20d9fff9539da2bf57037"),
            )
        )

    def memory_bytes(self, params: Params) -> int:
        return params["memory_kib"] * 1024

    def threads(self, params: Params) -> int:
        return params["parallelism"]


@dataclass(frozen=True, kw_only=True)
class _Argon2Cffi(_Argon2id):
    derive: Callable[..., bytes]
    implementation = "argon2-cffi"

    def ready(self, password: bytes, salt: bytes, params: Params) -> ReadyCall:
        return ReadyCall(run=partial(self.derive, password, salt, **params), length=_OUTPUT_BYTES)


class _Cryptography(_Argon2id):
    implementation = "cryptography"

    def ready(self, password: bytes, salt: bytes, params: Params) -> ReadyCall:
        from cryptography.hazmat.primitives.kdf.argon2 import Argon2id

        def run() -> bytes:
            # An instance derives once, so it is made within the call; that takes microseconds.
            return Argon2id(
                salt=salt,
                length=_OUTPUT_BYTES,
                iterations=params["time_cost"],
                lanes=params["parallelism"],
                memory_cost=params["memory_kib"],
            ).derive(password)

        return ReadyCall(run=run, length=_OUTPUT_BYTES)


def by_argon2_cffi() -> Hasher:
    """Run argon2id by ``argon2-cffi``."""
    try:
        from argon2 import low_level
    except ModuleNotFoundError as error:
        raise UnavailableError(
            "argon2-cffi is not installed; pip install 'hashcost[argon2]'"
        ) from error

    def derive(
        password: bytes, salt: bytes, *, memory_kib: int, time_cost: int, parallelism: int
    ) -> bytes:
        return low_level.hash_secret_raw(
            password, salt, time_cost, memory_kib, parallelism, _OUTPUT_BYTES, low_level.Type.ID
        )

    return _Argon2Cffi(version=version("argon2-cffi"), derive=derive)


def by_cryptography() -> Hasher:
    """Run argon2id by ``cryptography``."""
    # Imported now, so that a release without it, or an OpenSSL below 3.2, says so at once.
    from cryptography.hazmat.primitives.kdf import argon2

    if not hasattr(argon2, "Argon2id"):
        raise UnavailableError("this cryptography has no Argon2id; upgrade it to 44 or newer")
    return _Cryptography(version=openssl.of_cryptography())
