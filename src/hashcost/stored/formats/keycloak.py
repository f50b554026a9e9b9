"""Keycloak's ``credential_data``, a line of JSON beside the hash it belongs to.

The salt and the hash are in another column (``secret_data``).
"""

from __future__ import annotations

from typing import Final

import msgspec

from hashcost.stored.formats.interface import LARGEST, Format, hashed, number
from hashcost.stored.formats.pbkdf2 import DIGEST_BYTES
from hashcost.stored.formats.reading import Reading

_NAME = "keycloak"


class _Additional(msgspec.Struct, frozen=True):
    """Lists of one string each, as Keycloak's multi-valued map has them."""

    memory: tuple[str] = ("",)
    parallelism: tuple[str] = ("",)
    type: tuple[str] = ("",)


class _Credential(msgspec.Struct, frozen=True, rename="camel"):
    hash_iterations: int
    algorithm: str
    additional_parameters: _Additional = _Additional()


_DECODER = msgspec.json.Decoder(_Credential)
_DIGESTS: Final = {
    "pbkdf2": "sha1",
    **{f"pbkdf2-{digest}": digest for digest in DIGEST_BYTES},
}


def _read(text: str) -> Reading | None:
    if not text.endswith("}"):
        return None
    try:
        credential = _DECODER.decode(text)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None
    iterations = credential.hash_iterations
    if not 1 <= iterations <= LARGEST:
        return None
    if digest := _DIGESTS.get(credential.algorithm):
        return hashed(_NAME, f"pbkdf2-{digest}", {"iterations": iterations})
    additional = credential.additional_parameters
    if credential.algorithm != "argon2" or additional.type[0] not in ("id", "i", "d"):
        return None
    params = {
        "memory_kib": number(additional.memory[0], 8, LARGEST),
        "time_cost": iterations,
        "parallelism": number(additional.parallelism[0], 1, 2**24 - 1),
    }
    return hashed(_NAME, f"argon2{additional.type[0]}", params)


FORMATS: Final = (Format(name=_NAME, prefixes=('{"',), apps=("keycloak",), read=_read),)
