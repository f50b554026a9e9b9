"""ASP.NET Identity, versions 2 and 3 (src/Identity/Extensions.Core/src/PasswordHasher.cs)."""

from __future__ import annotations

import binascii
import struct
from functools import lru_cache
from typing import Final

from hashcost.stored.formats.alphabets import base64_of
from hashcost.stored.formats.interface import REMEMBERED, Format, always, shaped
from hashcost.stored.formats.pbkdf2 import pbkdf2
from hashcost.stored.formats.reading import Reading

_APPS = ("aspnet",)
_DIGESTS = ("sha1", "sha256", "sha512")
_HEAD = struct.Struct(">BIII")
"""Version, digest, iterations and bytes of salt."""
_LEAST_BYTES = 16
"""The least salt and key that it verifies."""


@lru_cache(maxsize=REMEMBERED)
def _version_3(digest: int, iterations: int, key_bytes: int) -> Reading | None:
    if digest >= len(_DIGESTS) or iterations >= 1 << 31:
        return None
    return pbkdf2("aspnet v3", _DIGESTS[digest], iterations, key_bytes)


def _read_version_3(text: str) -> Reading | None:
    try:
        data = binascii.a2b_base64(text, strict_mode=True)
    except ValueError:
        return None
    if len(data) < _HEAD.size + 2 * _LEAST_BYTES:
        return None
    _, digest, iterations, salt_bytes = _HEAD.unpack_from(data)
    key_bytes = len(data) - _HEAD.size - salt_bytes
    if salt_bytes < _LEAST_BYTES or key_bytes < _LEAST_BYTES:
        return None
    return _version_3(digest, iterations, key_bytes)


FORMATS: Final = (
    Format(name="aspnet v3", prefixes=("AQAAAA",), apps=_APPS, read=_read_version_3),
    # 16 bytes of salt and 32 of key behind a zero byte.
    shaped(
        "aspnet v2",
        (),
        rf"(?=A[A-P]){base64_of(49)}",
        always(
            "pbkdf2-sha1", {"iterations": 1000}, blocks=2, notes=("extra-blocks", "fixed-cost")
        ),
        lengths=(68,),
        apps=_APPS,
    ),
)
