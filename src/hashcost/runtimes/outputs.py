"""What a hash looks like whichever library wrote it. Pure."""

import re
from base64 import b64encode
from typing import Final

from hashcost.core.measurement import Params

KEY_BYTES: Final = {
    "pbkdf2-sha1": 20,
    "pbkdf2-sha256": 32,
    "pbkdf2-sha512": 64,
    "scrypt": 64,
    "argon2id": 32,
}
"""Length of a raw key; the other hashers give a crypt string."""
_SHA_CRYPT: Final = {"sha256-crypt": ("5", 43), "sha512-crypt": ("6", 86)}
_BCRYPT_CHARACTERS: Final = 60
_OWN_SALT_BYTES: Final = 16
"""Of PHP's password_hash."""
_STANDARD: Final = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_BCRYPT: Final = b"./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
_TO_BCRYPT: Final = bytes.maketrans(_STANDARD, _BCRYPT)


def as_known(hasher: str, output: bytes) -> bytes:
    """The hash with bcrypt's variants, ``$2a$``, ``$2b$`` and ``$2y$``, written alike."""
    return re.sub(rb"\A\$2[aby]\$", b"$2b$", output) if hasher == "bcrypt" else output


def shape(hasher: str, params: Params, salt: bytes | None) -> tuple[bytes, int]:
    """What a hash begins with, and how long it is; the salt is None if the library chooses it."""
    if hasher == "bcrypt":
        encoded = b"" if salt is None else b64encode(salt).rstrip(b"=").translate(_TO_BCRYPT)
        # The last character of the salt has four bits that a library may write otherwise.
        return b"$2b$%02d$%s" % (params["cost"], encoded[:21]), _BCRYPT_CHARACTERS
    if hasher in _SHA_CRYPT:
        mark, digest = _SHA_CRYPT[hasher]
        setting = b"$%s$rounds=%d$%s$" % (mark.encode(), params["rounds"], salt or b"")
        return setting, len(setting) + digest
    if salt is None:
        setting = argon2_setting(params)
        return setting, len(setting) + len(argon2_text(bytes(_OWN_SALT_BYTES), bytes(32)))
    return b"", KEY_BYTES[hasher]


def argon2_setting(params: Params) -> bytes:
    """What an encoded argon2id hash begins with."""
    return b"$argon2id$v=19$m=%d,t=%d,p=%d$" % (
        params["memory_kib"],
        params["time_cost"],
        params["parallelism"],
    )


def argon2_text(salt: bytes, key: bytes) -> bytes:
    """Salt and key as an encoded argon2id hash ends with them."""
    return b"$".join(b64encode(part).rstrip(b"=") for part in (salt, key))
