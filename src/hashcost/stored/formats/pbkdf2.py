"""PBKDF2 in crypt-like strings: passlib, go-crypt, PHC, ``$p5k2$`` and macOS."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Unpack

from hashcost.stored.formats.alphabets import ANY_BASE64, COUNT, CRYPT64, HEX
from hashcost.stored.formats.interface import LARGEST, Format, Where, number, shaped
from hashcost.stored.formats.reading import Kind, Reading

DIGEST_BYTES: Final = {"sha1": 20, "sha224": 28, "sha256": 32, "sha384": 48, "sha512": 64}


def of_base64(characters: int) -> int:
    """The bytes that so many base64 characters hold, padding not counted."""
    return characters * 3 // 4


def of_hex(digits: int) -> int:
    """The bytes that so many hexadecimal digits hold, none in an odd number of them."""
    return 0 if digits % 2 else digits // 2


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


def derived(
    name: str,
    digest: str,
    prefixes: str,
    rest: str,
    key_bytes: Callable[[int], int] = of_base64,
    **where: Unpack[Where],
) -> Format:
    """A format of decimal iterations and a ``key``, whose length a group between may state."""

    def setting(name: str, digits: str, *lengths: Any) -> Reading | None:
        *stated, characters = lengths
        size = key_bytes(characters)
        if any(said is not None and number(said, 1, 9999) != size for said in stated):
            return None
        return pbkdf2(name, digest, number(digits, 1, LARGEST), size)

    return shaped(name, prefixes, rest, setting, **where)


def _hexadecimal(name: str, digits: str, key: int) -> Reading | None:
    """``$p5k2$`` counts in hexadecimal; Litzenberger's leaves 400 out."""
    if digits.startswith("0"):
        return None
    return pbkdf2(name, "sha1", int(digits, 16) if digits else 400, of_base64(key))


_DERIVED = rf"\${ANY_BASE64}*={{0,2}}\$(?P<key>{ANY_BASE64}{{16,}})={{0,2}}"
_PHC = rf"(?:v=1\$)?i=({COUNT})(?:,l=([0-9]{{1,4}}))?{_DERIVED}"
_DASHED = tuple((f"$pbkdf2-{digest}$", digest) for digest in DIGEST_BYTES)

FORMATS: Final = (
    derived("crypt pbkdf2", "sha1", "$pbkdf2$", rf"({COUNT}){_DERIVED}"),
    *(derived("crypt pbkdf2", digest, ident, f"({COUNT}){_DERIVED}") for ident, digest in _DASHED),
    *(derived("phc pbkdf2", digest, ident, _PHC) for ident, digest in _DASHED),
    shaped(
        "p5k2 cryptacular",
        "$p5k2$",
        r"([0-9a-f]{1,8})\$[A-Za-z0-9_-]*={0,2}\$(?P<key>[A-Za-z0-9_-]{27})=",
        _hexadecimal,
        apps=("cryptacular",),
    ),
    shaped(
        "p5k2 python-pbkdf2",
        "$p5k2$",
        rf"([0-9a-f]{{0,8}})\${CRYPT64}*\$(?P<key>{CRYPT64}{{32}})",
        _hexadecimal,
        apps=("python-pbkdf2",),
    ),
    derived(
        "macos pbkdf2",
        "sha512",
        "$ml$",
        rf"({COUNT})\${HEX}{{16,}}\$(?P<key>{HEX}{{64,}})",
        of_hex,
    ),
)
"""Where a key may be as long as it likes, its length tells the blocks."""
