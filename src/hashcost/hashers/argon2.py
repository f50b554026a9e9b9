"""argon2id by ``argon2-cffi`` and by ``cryptography``."""

from functools import partial
from importlib.metadata import version

from hashcost.core.errors import UnavailableError
from hashcost.core.measurement import Params
from hashcost.hashers import openssl
from hashcost.hashers.built_in import Adapter
from hashcost.hashers.interface import Hasher, ReadyCall
from hashcost.storage.extras import how_to_install

_OUTPUT_BYTES = 32


def by_argon2_cffi() -> Hasher:
    """Run argon2id by ``argon2-cffi``."""
    try:
        from argon2 import low_level
    except ModuleNotFoundError as error:
        raise UnavailableError(
            f"argon2-cffi is not installed; install it with `{how_to_install('argon2')}`"
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

    return Adapter("argon2id", "argon2-cffi", version("argon2-cffi"), ready)


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

    return Adapter("argon2id", "cryptography", openssl.of_cryptography(), ready)
