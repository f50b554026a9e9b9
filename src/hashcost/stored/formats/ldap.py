"""What OpenLDAP and 389 Directory Server keep in ``userPassword``: ``{SCHEME}`` and the rest."""

from __future__ import annotations

import binascii
import re
import struct
from functools import lru_cache
from typing import Final

from hashcost.stored.formats import bcrypt, unix_crypt, yescrypt
from hashcost.stored.formats.alphabets import ANY_BASE64, BASE64, COUNT, at_least, base64_of
from hashcost.stored.formats.argon2 import read_argon2
from hashcost.stored.formats.interface import REMEMBERED, Format, fast, plain, wrapper
from hashcost.stored.formats.pbkdf2 import DIGEST_BYTES, derived, pbkdf2
from hashcost.stored.formats.reading import Kind, Reading
from hashcost.stored.formats.table import Table

_OPENLDAP = ("openldap",)
_DIRSRV = ("389-ds",)
_LEGACY = "{PBKDF2_SHA256}"
_LEGACY_KEY_BYTES = 256

CRYPT: Final = Table((*bcrypt.FORMATS, *yescrypt.FORMATS, *unix_crypt.CRYPT))
"""What the system's crypt(3) may have written."""


def read_crypt(text: str) -> Reading | None:
    """A hash of crypt(3), or a lock; `None` if it is neither, or malformed."""
    reading = CRYPT.read(text) or CRYPT.read_lock(text)
    return None if reading is None or reading.kind is Kind.MALFORMED else reading


def _pbkdf2(scheme: str, digest: str, characters: int) -> Format:
    """OpenLDAP adapts base64 as passlib does, 389 Directory Server pads it."""
    rest = rf"({COUNT})\${ANY_BASE64}+={{0,2}}\$(?P<key>{ANY_BASE64}{{{characters}}})={{0,2}}"
    return derived(f"ldap {{{scheme}}}", digest, f"{{{scheme}}}", rest, apps=_OPENLDAP + _DIRSRV)


@lru_cache(maxsize=REMEMBERED)
def _legacy(iterations: int) -> Reading | None:
    return pbkdf2(f"389-ds {_LEGACY}", "sha256", iterations, _LEGACY_KEY_BYTES)


_IS_LEGACY = re.compile(rf"\{{\w+\}}{BASE64}{{432}}")


def _read_legacy(text: str) -> Reading | None:
    """Four bytes of iterations, 64 of salt and 256 of key, which is eight blocks."""
    if _IS_LEGACY.fullmatch(text) is None:
        return None
    head = binascii.a2b_base64(text[len(_LEGACY) : len(_LEGACY) + 8])
    iterations: int = struct.unpack_from(">I", head)[0]
    return _legacy(iterations)


_DIGESTS = (
    ("MD5", "md5", 16),
    ("SHA", "sha1", 20),
    *((digest.upper(), digest, size) for digest, size in DIGEST_BYTES.items() if digest != "sha1"),
)

FORMATS: Final = (
    *(
        fast(f"ldap {{{scheme}}}", f"{{{scheme}}}", base64_of(size), hasher, "unsalted")
        for scheme, hasher, size in _DIGESTS
    ),
    # At least one byte of salt behind the digest.
    *(
        fast(f"ldap {{S{scheme}}}", f"{{S{scheme}}}", at_least(size + 1), f"s{scheme.lower()}")
        for scheme, _, size in _DIGESTS
    ),
    _pbkdf2("PBKDF2", "sha1", 27),
    _pbkdf2("PBKDF2-SHA1", "sha1", 27),
    _pbkdf2("PBKDF2-SHA256", "sha256", 43),
    _pbkdf2("PBKDF2-SHA512", "sha512", 86),
    Format(name=f"389-ds {_LEGACY}", prefixes=(_LEGACY,), apps=_DIRSRV, read=_read_legacy),
    wrapper("ldap {ARGON2}", "{ARGON2}", read_argon2, apps=_OPENLDAP),
    wrapper("ldap {BCRYPT}", "{BCRYPT}", bcrypt.read_bcrypt, apps=_OPENLDAP),
    wrapper("ldap {CRYPT}", "{CRYPT}", read_crypt, apps=_OPENLDAP),
    wrapper("389-ds {GOST_YESCRYPT}", "{GOST_YESCRYPT}", read_crypt, apps=_DIRSRV),
    plain("ldap {CLEARTEXT}", "{CLEARTEXT}", "{CLEAR}", "{PLAINTEXT}"),
)
