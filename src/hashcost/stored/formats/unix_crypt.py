"""What crypt(5) describes, but for bcrypt and yescrypt: from DES to sha512-crypt.

Also Apache's ``$apr1$`` and what HP-UX and Solaris add.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from hashcost.stored.formats.alphabets import COUNT, CRYPT64, HEX, SALT
from hashcost.stored.formats.crypt64 import fixed
from hashcost.stored.formats.interface import Format, always, fast, hashed, number, shaped
from hashcost.stored.formats.reading import Reading

_SHA2_ROUNDS = 5000
"""Where no ``rounds=`` is written (Drepper, Unix crypt using SHA-256 and SHA-512)."""
_DES_LAST = "[.26AEIMQUYcgkosw]"
"""64 bits fill eleven characters but for two bits, which are zero."""


def _sha2_crypt(name: str, digits: str | None) -> Reading | None:
    rounds = _SHA2_ROUNDS if digits is None else number(digits, 1000, 999_999_999)
    return None if rounds is None else hashed(name, name, {"rounds": rounds})


def _sha1_crypt(digits: str) -> Reading | None:
    rounds = number(digits, 1, 2**32 - 1)
    return None if rounds is None else hashed("sha1-crypt", "sha1-crypt", {"rounds": rounds})


def _sun_md5(digits: str | None) -> Reading | None:
    """Rounds as written; another 4096 are always done (Solaris, crypt_sunmd5(7))."""
    rounds = 0 if digits is None else number(digits, 1, 2**32 - 4097)
    if rounds is None:
        return None
    return hashed("sun-md5-crypt", "sun-md5-crypt", {"rounds": rounds})


def _bsdi(digits: str) -> Reading | None:
    rounds = fixed(digits)
    if not rounds:
        return None
    return hashed("bsdi-crypt", "bsdi-crypt", {"rounds": rounds})


def _md5_crypt(name: str, ident: str) -> Format:
    reading = hashed(name, "md5-crypt", {}, "fixed-cost")
    pattern = rf"\${ident}\${SALT}{{0,8}}\${CRYPT64}{{21}}[./01]"
    return Format(name=name, prefixes=(f"${ident}$",), read=shaped(pattern, always(reading)))


def _sha2(name: str, ident: str, characters: int) -> Format:
    pattern = rf"\${ident}\$(?:rounds=({COUNT})\$)?{SALT}{{0,16}}\${CRYPT64}{{{characters}}}"
    return Format(
        name=name,
        prefixes=(f"${ident}$",),
        read=shaped(pattern, partial(_sha2_crypt, name)),
    )


def _des(name: str, *notes: str) -> Reading:
    return hashed(name, name, {}, "fixed-cost", *notes)


_DES = f"{CRYPT64}{{12}}{_DES_LAST}"
read_des: Final = shaped(_DES, always(_des("des-crypt", "truncated-password")))
_read_des_alone = shaped(
    rf"(?=.*[A-Z])(?=.*[a-z]){_DES}", always(_des("des-crypt", "truncated-password", "unmarked"))
)
"""Thirteen characters may be a word: two hashes of a thousand lack one of the cases."""

DES: Final = Format(name="des-crypt", lengths=(13,), read=read_des)
"""Where something else tells that it is a hash."""

_MARKED = (
    _md5_crypt("md5-crypt", "1"),
    _md5_crypt("apr1", "apr1"),
    _sha2("sha256-crypt", "5", 43),
    _sha2("sha512-crypt", "6", 86),
    Format(
        name="sha1-crypt",
        prefixes=("$sha1$",),
        read=shaped(rf"\$sha1\$({COUNT})\${CRYPT64}{{0,64}}\${CRYPT64}{{28}}", _sha1_crypt),
    ),
    Format(
        name="sun-md5-crypt",
        prefixes=("$md5$", "$md5,"),
        read=shaped(
            rf"\$md5(?:,rounds=({COUNT}))?\${CRYPT64}{{0,16}}\$\$?{CRYPT64}{{22}}", _sun_md5
        ),
    ),
    Format(
        name="nt crypt",
        prefixes=("$3$",),
        read=shaped(rf"\$3\$\${HEX}{{32}}", always(fast("nt crypt", "nt", "unsalted"))),
    ),
    Format(
        name="bsdi-crypt",
        lengths=(20,),
        read=shaped(f"_({CRYPT64}{{4}}){CRYPT64}{{14}}{_DES_LAST}", _bsdi),
    ),
    Format(
        name="bigcrypt",
        lengths=tuple(2 + 11 * segments for segments in range(2, 17)),
        apps=("hp-ux",),
        needs_app=True,
        read=shaped(f"{CRYPT64}{{24,}}", always(_des("bigcrypt", "unmarked"))),
    ),
)

CRYPT: Final = (*_MARKED, DES)
"""Behind a prefix such as ``{CRYPT}``."""

FORMATS: Final = (*_MARKED, Format(name="des-crypt", lengths=(13,), read=_read_des_alone))
