"""What crypt(5) describes, but for bcrypt and yescrypt: from DES to sha512-crypt.

Also Apache's ``$apr1$`` and what HP-UX and Solaris add.
"""

from __future__ import annotations

from typing import Final

from hashcost.stored.formats.alphabets import COUNT, CRYPT64, HEX, SALT
from hashcost.stored.formats.crypt64 import fixed
from hashcost.stored.formats.interface import (
    LARGEST,
    Format,
    always,
    counted,
    fast,
    hashed,
    shaped,
)
from hashcost.stored.formats.reading import Reading

_SHA2_ROUNDS = 5000
"""Where no ``rounds=`` is written (Drepper, Unix crypt using SHA-256 and SHA-512)."""
_DES_LAST = "[.26AEIMQUYcgkosw]"
"""64 bits fill eleven characters but for two bits, which are zero."""
_SUN_MD5 = rf"{CRYPT64}{{0,16}}\$\$?{CRYPT64}{{22}}"
"""Rounds are read as written; another 4096 are always done (Solaris, crypt_sunmd5(7))."""
DES: Final = f"{CRYPT64}{{12}}{_DES_LAST}"
DES_CRYPT: Final = always("des-crypt", notes=("fixed-cost", "truncated-password"))
_DES_ALONE = always("des-crypt", notes=("fixed-cost", "truncated-password", "unmarked"))


def _bsdi(name: str, digits: str) -> Reading | None:
    return hashed(name, name, {"rounds": fixed(digits) or None})


def _md5_crypt(name: str, ident: str) -> Format:
    rest = rf"{SALT}{{0,8}}\${CRYPT64}{{21}}[./01]"
    return shaped(name, f"${ident}$", rest, always("md5-crypt", notes=("fixed-cost",)))


def _sha2_crypt(name: str, ident: str, characters: int) -> Format:
    rest = rf"(?:rounds=({COUNT})\$)?{SALT}{{0,16}}\${CRYPT64}{{{characters}}}"
    rounds = counted(name, "rounds", 1000, 999_999_999, default=_SHA2_ROUNDS)
    return shaped(name, f"${ident}$", rest, rounds)


_MARKED = (
    _md5_crypt("md5-crypt", "1"),
    _md5_crypt("apr1", "apr1"),
    _sha2_crypt("sha256-crypt", "5", 43),
    _sha2_crypt("sha512-crypt", "6", 86),
    shaped(
        "sha1-crypt",
        "$sha1$",
        rf"({COUNT})\${CRYPT64}{{0,64}}\${CRYPT64}{{28}}",
        counted("sha1-crypt", "rounds", 1, LARGEST),
    ),
    shaped("sun-md5-crypt", "$md5$", _SUN_MD5, always("sun-md5-crypt", {"rounds": 0})),
    shaped(
        "sun-md5-crypt",
        "$md5,",
        rf"rounds=({COUNT})\${_SUN_MD5}",
        counted("sun-md5-crypt", "rounds", 1, 2**32 - 4097),
    ),
    fast("nt crypt", "$3$", rf"\${HEX}{{32}}", "nt", "unsalted"),
    shaped("bsdi-crypt", (), f"_({CRYPT64}{{4}}){CRYPT64}{{14}}{_DES_LAST}", _bsdi, lengths=(20,)),
    shaped(
        "bigcrypt",
        (),
        f"{CRYPT64}{{24,}}",
        always("bigcrypt", notes=("fixed-cost", "unmarked")),
        lengths=tuple(2 + 11 * segments for segments in range(2, 17)),
        apps=("hp-ux",),
        needs_app=True,
    ),
)

CRYPT: Final = (*_MARKED, shaped("des-crypt", (), DES, DES_CRYPT, lengths=(13,)))
"""Behind a prefix such as ``{CRYPT}``, which tells that it is a hash."""

FORMATS: Final = (
    *_MARKED,
    shaped("des-crypt", (), rf"(?=.*[A-Z])(?=.*[a-z]){DES}", _DES_ALONE, lengths=(13,)),
)
"""Thirteen characters may be a word: two hashes of a thousand lack one of the cases."""
