"""Formats that no pattern reads, since their cost is in bytes or in JSON."""

import binascii
import struct
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Final, TypeAlias, TypeVar

import msgspec

from hashcost.stored.formats.reading import Reading
from hashcost.stored.formats.rows import LARGEST, REMEMBERED, Row, hashed, number
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
_KEYCLOAK_DIGESTS: Final = {f"pbkdf2-{digest}": digest for digest in DIGEST_BYTES}
_KEYCLOAK_KEY_BYTES = 64
"""Of its oldest algorithm, whose digest has 20."""


def _keycloak(row: Row, text: str) -> Reading | None:
    credential = _of_json(_CREDENTIAL, text)
    if credential is None:
        return None
    iterations = credential.hash_iterations
    if not 1 <= iterations <= LARGEST:
        return None
    if credential.algorithm == "pbkdf2":
        return _pbkdf2(row.name, "sha1", iterations, _KEYCLOAK_KEY_BYTES)
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


class _User(msgspec.Struct, frozen=True):
    scheme: str = msgspec.field(name="password_scheme")
    iterations: int
    derived_key: str
    pbkdf2_prf: str = "sha"


_USER: Final = msgspec.json.Decoder(_User)


def _couchdb(row: Row, text: str) -> Reading | None:
    user = _of_json(_USER, text)
    if user is None or user.scheme != "pbkdf2":
        return None
    digest = "sha1" if user.pbkdf2_prf == "sha" else user.pbkdf2_prf
    if digest not in DIGEST_BYTES or not 1 <= user.iterations <= LARGEST:
        return None
    return _pbkdf2(row.name, digest, user.iterations, len(user.derived_key) // 2)


class _Scram(msgspec.Struct, frozen=True, rename="camel"):
    iteration_count: int
    stored_key: str


class _Scrams(msgspec.Struct, frozen=True):
    sha1: _Scram | None = msgspec.field(default=None, name="SCRAM-SHA-1")
    sha256: _Scram | None = msgspec.field(default=None, name="SCRAM-SHA-256")


class _WithScrams(msgspec.Struct, frozen=True):
    credentials: _Scrams


_SCRAMS: Final = msgspec.json.Decoder(_Scrams)
_WITH_SCRAMS: Final = msgspec.json.Decoder(_WithScrams)


def _mongodb(row: Row, text: str) -> Reading | None:
    user = _of_json(_WITH_SCRAMS, text)
    scrams = _of_json(_SCRAMS, text) if user is None else user.credentials
    for digest in ("sha1", "sha256"):
        scram: _Scram | None = getattr(scrams, digest, None)
        if scram is not None:
            count = scram.iteration_count if 1 <= scram.iteration_count <= LARGEST else None
            params = {"iterations": count}
            return hashed(row.name, f"pbkdf2-{digest}", params, client_side=row.client_side)
    return None


class _Kdf(msgspec.Struct, frozen=True):
    type: str
    salt: str
    hash: str = ""
    iterations: int = 0
    time: int = 0
    memory: int = 0
    cpus: int = 0


class _Area(msgspec.Struct, frozen=True):
    key_size: int = 1


class _Keyslot(msgspec.Struct, frozen=True):
    kdf: _Kdf
    area: _Area = _Area()


_KDF: Final = msgspec.json.Decoder(_Kdf)
_KEYSLOT: Final = msgspec.json.Decoder(_Keyslot)


def _luks2(row: Row, text: str) -> Reading | None:
    """The function that makes a key of a passphrase; the slot says how long that is."""
    slot = _of_json(_KEYSLOT, text)
    kdf = _of_json(_KDF, text) if slot is None else slot.kdf
    if kdf is None:
        return None
    if kdf.type == "pbkdf2":
        key_bytes = 1 if slot is None else slot.area.key_size
        is_known = kdf.hash in DIGEST_BYTES and 1 <= kdf.iterations <= LARGEST
        if not is_known or not 1 <= key_bytes <= _LONGEST_KEY:
            return None
        return _pbkdf2(row.name, kdf.hash, kdf.iterations, key_bytes)
    if kdf.type not in {"argon2i", "argon2id"} or not 1 <= kdf.cpus <= MOST_LANES:
        return None
    if not 8 <= kdf.memory <= LARGEST or not 1 <= kdf.time <= LARGEST:
        return None
    params = {"memory_kib": kdf.memory, "time_cost": kdf.time, "parallelism": kdf.cpus}
    return hashed(row.name, kdf.type, params)


_LONGEST_KEY = 512
"""Bytes of a key of LUKS2, as cryptsetup has them at most."""

_JsonT = TypeVar("_JsonT")


def _of_json(decoder: msgspec.json.Decoder[_JsonT], text: str) -> _JsonT | None:
    """A JSON object, if it has the members of this kind."""
    if not text.endswith("}"):
        return None
    try:
        return decoder.decode(text)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None


READERS: Final[Mapping[str, WholeReader]] = {
    "aspnet": _aspnet,
    "389-ds": _dirsrv,
    "keycloak": _keycloak,
    "couchdb": _couchdb,
    "mongodb": _mongodb,
    "luks2": _luks2,
}
"""What ``reader`` in a row may name."""
