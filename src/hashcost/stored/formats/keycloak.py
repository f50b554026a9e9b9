"""Keycloak's ``credential_data``, a line of JSON beside the hash it belongs to.

The salt and the hash are in another column (``secret_data``).
"""

from __future__ import annotations

from typing import Final

import msgspec

from hashcost.core.algorithms import refusal
from hashcost.stored.formats.interface import Format, hashed, number
from hashcost.stored.formats.pbkdf2 import DIGEST_BYTES, LARGEST
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


_VARIANTS = frozenset(("id", "i", "d"))
_DECODER = msgspec.json.Decoder(_Credential)
_DIGESTS: Final = {
    "pbkdf2": "sha1",
    **{f"pbkdf2-{digest}": digest for digest in DIGEST_BYTES},
}


def _read(text: str) -> Reading | None:
    if not text.endswith("}"):
        return None
    try:
        return _of(_DECODER.decode(text))
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None


def _of(credential: _Credential) -> Reading | None:
    iterations = credential.hash_iterations
    if not 1 <= iterations <= LARGEST:
        return None
    digest = _DIGESTS.get(credential.algorithm)
    if digest is not None:
        return hashed(_NAME, f"pbkdf2-{digest}", {"iterations": iterations})
    if credential.algorithm != "argon2":
        return None
    return _argon2(iterations, credential.additional_parameters)


def _argon2(iterations: int, additional: _Additional) -> Reading | None:
    variant = additional.type[0]
    memory_kib = number(additional.memory[0], 8, LARGEST)
    parallelism = number(additional.parallelism[0], 1, 2**24 - 1)
    if variant not in _VARIANTS or not parallelism or not memory_kib:
        return None
    params = {"memory_kib": memory_kib, "time_cost": iterations, "parallelism": parallelism}
    if refusal(f"argon2{variant}", params):
        return None
    return hashed(_NAME, f"argon2{variant}", params)


FORMATS: Final = (Format(name=_NAME, prefixes=('{"',), apps=("keycloak",), read=_read),)
