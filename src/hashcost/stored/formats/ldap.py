"""What OpenLDAP and 389 Directory Server keep in ``userPassword``: ``{SCHEME}`` and the rest."""

from __future__ import annotations

import binascii
import re
import struct
from functools import lru_cache, partial
from typing import Final

from hashcost.stored.formats import bcrypt, unix_crypt, yescrypt
from hashcost.stored.formats.alphabets import ANY_BASE64, BASE64, COUNT
from hashcost.stored.formats.argon2 import read_argon2
from hashcost.stored.formats.interface import REMEMBERED, Format, always, fast, shaped, wrapper
from hashcost.stored.formats.locks import read_lock
from hashcost.stored.formats.pbkdf2 import of_base64, pbkdf2
from hashcost.stored.formats.reading import Kind, Reading
from hashcost.stored.formats.table import Table

_OPENLDAP = ("openldap",)
_DIRSRV = ("389-ds",)
_LEGACY = "{PBKDF2_SHA256}"
_LEGACY_KEY_BYTES = 256

CRYPT: Final = Table((*bcrypt.FORMATS, *yescrypt.FORMATS, *unix_crypt.CRYPT))
"""What the system's crypt(3) may have written."""


def read_crypt(text: str) -> Reading | None:
    """A hash of crypt(3), or a lock; none where it is none or malformed."""
    reading = CRYPT.read(text) or read_lock(text, CRYPT)
    return None if reading is None or reading.kind is Kind.MALFORMED else reading


def _digest(scheme: str, hasher: str, size: int) -> Format:
    name = f"ldap {{{scheme}}}"
    encoded = binascii.b2a_base64(bytes(size), newline=False).decode()
    padding = encoded.count("=")
    pattern = rf"\{{\w+\}}{BASE64}{{{len(encoded) - padding}}}={{{padding}}}"
    reading = fast(name, hasher, "unsalted")
    return Format(name=name, prefixes=(f"{{{scheme}}}",), read=shaped(pattern, always(reading)))


def _salted_digest(scheme: str, size: int) -> Format:
    """At least one byte of salt behind the digest."""
    name = f"ldap {{{scheme}}}"
    reading = fast(name, scheme.lower())
    pattern = rf"\{{\w+\}}{BASE64}{{{-(-(size + 1) * 4 // 3)},}}={{0,2}}"
    return Format(
        name=name,
        prefixes=(f"{{{scheme}}}",),
        read=shaped(pattern, always(reading)),
    )


def _pbkdf2(scheme: str, digest: str, characters: int) -> Format:
    """OpenLDAP adapts base64 as passlib does, 389 Directory Server pads it."""
    name = f"ldap {{{scheme}}}"
    pattern = (
        rf"\{{[\w-]+\}}({COUNT})\${ANY_BASE64}+={{0,2}}"
        rf"\$(?P<key>{ANY_BASE64}{{{characters}}})={{0,2}}"
    )
    return Format(
        name=name,
        prefixes=(f"{{{scheme}}}",),
        apps=_OPENLDAP + _DIRSRV,
        read=shaped(pattern, partial(of_base64, name, digest)),
    )


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
    ("SHA224", "sha224", 28),
    ("SHA256", "sha256", 32),
    ("SHA384", "sha384", 48),
    ("SHA512", "sha512", 64),
)

FORMATS: Final = (
    *(_digest(scheme, hasher, size) for scheme, hasher, size in _DIGESTS),
    *(_salted_digest(f"S{scheme}", size) for scheme, _, size in _DIGESTS),
    _pbkdf2("PBKDF2", "sha1", 27),
    _pbkdf2("PBKDF2-SHA1", "sha1", 27),
    _pbkdf2("PBKDF2-SHA256", "sha256", 43),
    _pbkdf2("PBKDF2-SHA512", "sha512", 86),
    Format(name=f"389-ds {_LEGACY}", prefixes=(_LEGACY,), apps=_DIRSRV, read=_read_legacy),
    wrapper("ldap {ARGON2}", "{ARGON2}", read_argon2, apps=_OPENLDAP),
    wrapper("ldap {BCRYPT}", "{BCRYPT}", bcrypt.read_bcrypt, apps=_OPENLDAP),
    wrapper("ldap {CRYPT}", "{CRYPT}", read_crypt, apps=_OPENLDAP),
    wrapper("389-ds {GOST_YESCRYPT}", "{GOST_YESCRYPT}", read_crypt, apps=_DIRSRV),
    Format(
        name="ldap {CLEARTEXT}",
        prefixes=("{CLEARTEXT}", "{CLEAR}", "{PLAINTEXT}"),
        read=shaped(
            r"\{\w+\}[^\x00-\x1f\x7f]*",
            always(Reading(kind=Kind.PLAIN, format="ldap {CLEARTEXT}")),
        ),
    ),
)
