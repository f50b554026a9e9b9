"""Formats that no pattern reads, since their cost is in bytes or in JSON."""

import binascii
import struct
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Final, TypeAlias

import msgspec

from hashcost.stored.formats.interface import LARGEST, REMEMBERED, hashed, number
from hashcost.stored.formats.reading import Reading
from hashcost.stored.formats.rows import Row
from hashcost.stored.formats.settings import DIGEST_BYTES, MOST_LANES, pbkdf2

_pbkdf2: Final = lru_cache(maxsize=REMEMBERED)(pbkdf2)

WholeReader: TypeAlias = Callable[[Row, str], Reading | None]

_ASPNET: Final = struct.Struct(">BIII")
"""Version, digest, iterations and bytes of salt."""
_ASPNET_DIGESTS: Final = ("sha1", "sha256", "sha512")
_ASPNET_LEAST = 16
"""The least salt and key that it verifies."""
_DIRSRV: Final = struct.Struct(">I64x256x")
"""Iterations, salt and key."""
_DIRSRV_KEY_BYTES = 256
"""Eight blocks."""


def _aspnet(row: Row, text: str) -> Reading | None:
    data = _decoded(text)
    if len(data) < _ASPNET.size + 2 * _ASPNET_LEAST:
        return None
    _, digest, iterations, salt_bytes = _ASPNET.unpack_from(data)
    key_bytes = len(data) - _ASPNET.size - salt_bytes
    if salt_bytes < _ASPNET_LEAST or key_bytes < _ASPNET_LEAST:
        return None
    if digest >= len(_ASPNET_DIGESTS) or iterations >= 1 << 31:
        return None
    return _pbkdf2(row.name, _ASPNET_DIGESTS[digest], iterations, key_bytes)


def _dirsrv(row: Row, text: str) -> Reading | None:
    data = _decoded(text.partition("}")[2])
    if len(data) != _DIRSRV.size:
        return None
    (iterations,) = _DIRSRV.unpack(data)
    return _pbkdf2(row.name, row.digest, iterations, _DIRSRV_KEY_BYTES)


def _decoded(text: str) -> bytes:
    """The bytes that are written in base64; none if it is something else."""
    try:
        return binascii.a2b_base64(text, strict_mode=True)
    except ValueError:
        return b""


class _Additional(msgspec.Struct, frozen=True):
    """Lists of one string each, as Keycloak's multi-valued map has them."""

    memory: tuple[str] = ("",)
    parallelism: tuple[str] = ("",)
    type: tuple[str] = ("",)


class _Credential(msgspec.Struct, frozen=True, rename="camel"):
    hash_iterations: int
    algorithm: str
    additional_parameters: _Additional = _Additional()


_CREDENTIAL: Final = msgspec.json.Decoder(_Credential)
_KEYCLOAK_DIGESTS: Final = {
    "pbkdf2": "sha1",
    **{f"pbkdf2-{digest}": digest for digest in DIGEST_BYTES},
}


def _keycloak(row: Row, text: str) -> Reading | None:
    if not text.endswith("}"):
        return None
    try:
        credential = _CREDENTIAL.decode(text)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None
    iterations = credential.hash_iterations
    if not 1 <= iterations <= LARGEST:
        return None
    if digest := _KEYCLOAK_DIGESTS.get(credential.algorithm):
        return hashed(row.name, f"pbkdf2-{digest}", {"iterations": iterations})
    additional = credential.additional_parameters
    if credential.algorithm != "argon2" or additional.type[0] not in ("id", "i", "d"):
        return None
    params = {
        "memory_kib": number(additional.memory[0], 8, LARGEST),
        "time_cost": iterations,
        "parallelism": number(additional.parallelism[0], 1, MOST_LANES),
    }
    return hashed(row.name, f"argon2{additional.type[0]}", params)


READERS: Final[Mapping[str, WholeReader]] = {
    "aspnet": _aspnet,
    "389-ds": _dirsrv,
    "keycloak": _keycloak,
}
"""What ``reader`` in a row may name."""
