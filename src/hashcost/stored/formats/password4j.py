"""Password4j's PBKDF2 and scrypt, which OpenSearch and others use.

Its ``$1$`` to ``$5$`` are the digests of PBKDF2. crypt(3) has md5-crypt and
sha256-crypt there; with a number of ten digits and more and two parts behind it,
these read differently.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from hashcost.stored.formats.alphabets import BASE64, bytes_of_base64
from hashcost.stored.formats.interface import Format, number, shaped
from hashcost.stored.formats.pbkdf2 import DIGEST_BYTES, pbkdf2
from hashcost.stored.formats.reading import Reading
from hashcost.stored.formats.scrypt import PACKED, packed

_APPS = ("opensearch", "password4j")
_NAME = "password4j pbkdf2"


def _pbkdf2(digest: str, digits: str, key: int) -> Reading | None:
    """``iterations << 32 | bits of key`` (CompressedPBKDF2Function.java)."""
    value = number(digits, 1 << 32, 2**63 - 1)
    key_bytes = bytes_of_base64(key)
    if value is None or value & 0xFFFFFFFF != 8 * key_bytes:
        return None
    return pbkdf2(_NAME, digest, value >> 32, key_bytes)


def _format(code: int, digest: str) -> Format:
    pattern = (
        rf"\${code}\$([1-9][0-9]{{9,18}})\${BASE64}*={{0,2}}\$(?P<key>{BASE64}{{16,}})={{0,2}}"
    )
    return Format(
        name=_NAME,
        prefixes=(f"${code}$",),
        apps=_APPS,
        read=shaped(pattern, partial(_pbkdf2, digest)),
    )


FORMATS: Final = (
    *(_format(code, digest) for code, digest in enumerate(DIGEST_BYTES, start=1)),
    Format(
        name="packed scrypt",
        apps=(*_APPS, "spring"),
        read=shaped(PACKED, partial(packed, "packed scrypt")),
    ),
)
