"""argon2id by ``argon2-cffi`` and by ``cryptography``."""

from __future__ import annotations

from functools import partial
from importlib.metadata import version

from hashcost.core.errors import UnavailableError
from hashcost.core.measurement import Knob, Params, Scale
from hashcost.hashers import openssl
from hashcost.hashers.adapter import Adapter
from hashcost.hashers.interface import Hasher, KnownAnswer, ReadyCall

_OUTPUT_BYTES = 32

_MEMORY_KNOB = Knob(
    name="memory_kib",
    scale=Scale.LADDER,
    minimum=8,
    maximum=2**32 - 1,
    steps=tuple(
        mib * 1024
        for mib in (
            *(1, 2, 4, 7, 9, 12, 15, 19, 24, 30, 37, 46, 56),
            *(quarters * 2**k // 4 for k in range(6, 14) for quarters in (4, 5, 6)),
            16384,
        )
    ),
)
"""OWASP's five settings (2026) and RFC 9106's two, and round ones about a quarter apart."""

_argon2id = partial(
    Adapter,
    name="argon2id",
    knobs=(
        _MEMORY_KNOB,
        Knob(name="time_cost", scale=Scale.LINEAR, minimum=1, maximum=2**32 - 1),
    ),
    # With one lane, as OWASP recommends.
    lowest={"memory_kib": _MEMORY_KNOB.steps[0], "time_cost": 1, "parallelism": 1},
    known_answers=tuple(
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
    ),
    memory=lambda params: params["memory_kib"] * 1024,
)


def by_argon2_cffi() -> Hasher:
    """Run argon2id by ``argon2-cffi``."""
    try:
        from argon2 import low_level
    except ModuleNotFoundError as error:
        raise UnavailableError(
            "argon2-cffi is not installed; pip install 'hashcost[argon2]'"
        ) from error

    def ready(password: bytes, salt: bytes, params: Params) -> ReadyCall:
        run = partial(
            low_level.hash_secret_raw,
            password,
            salt,
            time_cost=params["time_cost"],
            memory_cost=params["memory_kib"],
            parallelism=params["parallelism"],
            hash_len=_OUTPUT_BYTES,
            type=low_level.Type.ID,
        )
        return ReadyCall(run=run, length=_OUTPUT_BYTES)

    return _argon2id(implementation="argon2-cffi", version=version("argon2-cffi"), prepare=ready)


def by_cryptography() -> Hasher:
    """Run argon2id by ``cryptography``."""
    # Imported now, so that a release without it, or an OpenSSL below 3.2, says so at once.
    from cryptography.hazmat.primitives.kdf import argon2

    if not hasattr(argon2, "Argon2id"):
        raise UnavailableError("this cryptography has no Argon2id; upgrade it to 44 or newer")

    def ready(password: bytes, salt: bytes, params: Params) -> ReadyCall:
        derivation = partial(
            argon2.Argon2id,
            salt=salt,
            length=_OUTPUT_BYTES,
            iterations=params["time_cost"],
            lanes=params["parallelism"],
            memory_cost=params["memory_kib"],
        )
        return openssl.derive(derivation, password, _OUTPUT_BYTES)

    return _argon2id(
        implementation="cryptography", version=openssl.of_cryptography(), prepare=ready
    )
