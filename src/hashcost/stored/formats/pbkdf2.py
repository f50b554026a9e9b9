"""PBKDF2 in crypt-like strings: passlib, go-crypt, PHC, ``$p5k2$`` and macOS."""

from __future__ import annotations

from functools import partial
from typing import Final

from hashcost.stored.formats.alphabets import ANY_BASE64, COUNT, CRYPT64, HEX, bytes_of_base64
from hashcost.stored.formats.interface import Format, number, shaped
from hashcost.stored.formats.reading import Kind, Reading

DIGEST_BYTES: Final = {"sha1": 20, "sha224": 28, "sha256": 32, "sha384": 48, "sha512": 64}

LARGEST: Final = 2**32 - 1
"""The most iterations that passlib writes; others stop at 2^31 - 1."""


def pbkdf2(name: str, digest: str, iterations: int | None, key_bytes: int) -> Reading | None:
    """PBKDF2 of this cost, with a key of so many bytes."""
    if not iterations or not key_bytes:
        return None
    blocks = -(-key_bytes // DIGEST_BYTES[digest])
    return Reading(
        kind=Kind.HASHED,
        format=name,
        hasher=f"pbkdf2-{digest}",
        params={"iterations": iterations},
        blocks=blocks,
        notes=("extra-blocks",) if blocks > 1 else (),
    )


def of_base64(name: str, digest: str, digits: str, key: int) -> Reading | None:
    """Decimal iterations, and a key of so many base64 characters."""
    return pbkdf2(name, digest, number(digits, 1, LARGEST), bytes_of_base64(key))


def of_hex(name: str, digest: str, digits: str, key: int) -> Reading | None:
    """Decimal iterations, and a key of so many hexadecimal characters."""
    if key % 2:
        return None
    return pbkdf2(name, digest, number(digits, 1, LARGEST), key // 2)


def _of_phc(digest: str, digits: str, key_bytes: str | None, key: int) -> Reading | None:
    """The PHC format may say how long the key is."""
    if key_bytes is not None and number(key_bytes, 1, 9999) != bytes_of_base64(key):
        return None
    return of_base64("phc pbkdf2", digest, digits, key)


def _hexadecimal(name: str, digits: str, key: int) -> Reading | None:
    """``$p5k2$`` counts in hexadecimal; Litzenberger's leaves 400 out."""
    if digits.startswith("0"):
        return None
    return pbkdf2(name, "sha1", int(digits, 16) if digits else 400, bytes_of_base64(key))


def _crypt(name: str, ident: str, digest: str) -> Format:
    pattern = rf"\${ident}\$({COUNT})\${ANY_BASE64}*={{0,2}}\$(?P<key>{ANY_BASE64}{{16,}})={{0,2}}"
    return Format(
        name=name, prefixes=(f"${ident}$",), read=shaped(pattern, partial(of_base64, name, digest))
    )


def _phc(ident: str, digest: str) -> Format:
    name = "phc pbkdf2"
    pattern = (
        rf"\${ident}\$(?:v=1\$)?i=({COUNT})(?:,l=([0-9]{{1,4}}))?"
        rf"\${ANY_BASE64}*={{0,2}}\$(?P<key>{ANY_BASE64}{{16,}})={{0,2}}"
    )
    return Format(
        name=name, prefixes=(f"${ident}$",), read=shaped(pattern, partial(_of_phc, digest))
    )


_DASHED = tuple((f"pbkdf2-{digest}", digest) for digest in DIGEST_BYTES)

FORMATS: Final = (
    _crypt("crypt pbkdf2", "pbkdf2", "sha1"),
    *(_crypt("crypt pbkdf2", ident, digest) for ident, digest in _DASHED),
    *(_phc(ident, digest) for ident, digest in _DASHED),
    Format(
        name="p5k2 cryptacular",
        prefixes=("$p5k2$",),
        apps=("cryptacular",),
        read=shaped(
            r"\$p5k2\$([0-9a-f]{1,8})\$[A-Za-z0-9_-]*={0,2}\$(?P<key>[A-Za-z0-9_-]{27})=",
            partial(_hexadecimal, "p5k2 cryptacular"),
        ),
    ),
    Format(
        name="p5k2 python-pbkdf2",
        prefixes=("$p5k2$",),
        apps=("python-pbkdf2",),
        read=shaped(
            rf"\$p5k2\$([0-9a-f]{{0,8}})\${CRYPT64}*\$(?P<key>{CRYPT64}{{32}})",
            partial(_hexadecimal, "p5k2 python-pbkdf2"),
        ),
    ),
    Format(
        name="macos pbkdf2",
        prefixes=("$ml$",),
        read=shaped(
            rf"\$ml\$({COUNT})\${HEX}{{16,}}\$(?P<key>{HEX}{{64,}})",
            partial(of_hex, "macos pbkdf2", "sha512"),
        ),
    ),
)
"""Where a key may be as long as it likes, its length tells the blocks."""
