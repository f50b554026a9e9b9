"""Known answers for libraries of other runtimes, and the form and memory of a hash."""

import re
from base64 import b64encode
from functools import cache
from typing import Final

import msgspec

from hashcost.core.measurement import Params
from hashcost.core.package_data import data_table
from hashcost.hashers import bcrypt
from hashcost.hashers.built_in import WrittenAnswer
from hashcost.hashers.interface import KnownAnswer, StoredAnswer
from hashcost.hashers.sha2_crypt import SHA256, SHA512

KEY_BYTES: Final = {
    "pbkdf2-sha1": 20,
    "pbkdf2-sha256": 32,
    "pbkdf2-sha512": 64,
    "scrypt": 64,
    "argon2id": 32,
}
"""Length of a raw key; other hashers return a crypt string."""
_SHA_CRYPT: Final = {variant.name: variant for variant in (SHA256, SHA512)}
_BCRYPT_CHARACTERS: Final = 60
# The size of the salt of PHP's password_hash.
_OWN_SALT_BYTES: Final = 16


def as_known(hasher: str, output: bytes) -> bytes:
    """The hash with bcrypt's variants, ``$2a$``, ``$2b$`` and ``$2y$``, written alike."""
    if hasher != "bcrypt":
        return output
    return re.sub(rb"\A\$2[aby]\$", b"$2b$", output)


def shape(hasher: str, params: Params, salt: bytes | None) -> tuple[bytes, int]:
    """The beginning and the length of a hash; the salt is None if the library chooses it."""
    if hasher == "bcrypt":
        # The last character of the salt has four bits that a library may write otherwise.
        return bcrypt.setting(salt or b"", params)[:28], _BCRYPT_CHARACTERS
    if hasher in _SHA_CRYPT:
        setting = _SHA_CRYPT[hasher].setting(salt or b"", params)
        return setting, len(setting) + _SHA_CRYPT[hasher].digest_characters
    # PHP's password_hash: the others return a raw key.
    if salt is None:
        setting = _argon2_setting(params)
        return setting, len(setting) + len(_argon2_text(bytes(_OWN_SALT_BYTES), bytes(32)))
    return b"", KEY_BYTES[hasher]


def _argon2_setting(params: Params) -> bytes:
    """The beginning of argon2's string format (phc-winner-argon2, src/encoding.c)."""
    return b"$argon2id$v=19$m=%(memory_kib)d,t=%(time_cost)d,p=%(parallelism)d$" % {
        name.encode(): value for name, value in params.items()
    }


def _argon2_text(salt: bytes, key: bytes) -> bytes:
    return b"$".join(b64encode(part).rstrip(b"=") for part in (salt, key))


def argon2_string(params: Params, salt: bytes, key: bytes) -> bytes:
    """A hash of argon2id as text."""
    return _argon2_setting(params) + _argon2_text(salt, key)


@cache
def known_answers(hasher: str) -> tuple[KnownAnswer, ...]:
    """A hash at each of two costs."""
    table = data_table("runtimes/answers.toml")
    answers = table.pop("hashers")[hasher]
    return tuple(msgspec.convert(table | answer, WrittenAnswer).read() for answer in answers)


def stored_answers(hasher: str) -> tuple[StoredAnswer, ...]:
    """The known answers in stored form, for a library that chooses its own salt."""
    answers = []
    for answer in known_answers(hasher):
        stored = answer.output
        if hasher == "argon2id":
            stored = argon2_string(answer.params, answer.salt, answer.output)
        answers.append(StoredAnswer(password=answer.password, stored=stored, source=answer.source))
    return tuple(answers)
