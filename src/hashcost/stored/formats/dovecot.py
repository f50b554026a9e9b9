"""What ``doveadm pw`` writes, where it is not what LDAP's servers write too.

Dovecot, src/lib-auth/password-scheme*.c. ``{MD5}`` is md5-crypt to it. A scheme
may end in ``.HEX``, ``.B64`` or ``.BASE64``, which says how the digest is written.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from hashcost.stored.formats.alphabets import BASE64, COUNT, HEX
from hashcost.stored.formats.argon2 import read_argon2
from hashcost.stored.formats.bcrypt import read_bcrypt
from hashcost.stored.formats.interface import Format, always, fast, shaped, wrapper
from hashcost.stored.formats.ldap import read_crypt
from hashcost.stored.formats.pbkdf2 import of_hex
from hashcost.stored.formats.reading import Kind, Reading

_APPS = ("dovecot",)
_TEXT = r"[^\x00-\x1f\x7f]*"


def _digest(scheme: str, hasher: str, size: int, *notes: str) -> Format:
    """In hexadecimal, where the scheme has another default or says so."""
    name = f"dovecot {{{scheme}}}"
    reading = fast(name, hasher, *notes)
    pattern = rf"\{{[\w-]+(?:\.[A-Za-z0-9]+)?\}}{HEX}{{{2 * size}}}"
    return Format(
        name=name,
        prefixes=(f"{{{scheme}}}", f"{{{scheme}.HEX}}"),
        apps=_APPS,
        read=shaped(pattern, always(reading)),
    )


def _salted_digest(scheme: str, size: int) -> Format:
    name = f"dovecot {{{scheme}}}"
    pattern = rf"\{{\w+(?:\.[A-Za-z0-9]+)?\}}{HEX}{{{2 * size + 2},}}"
    return Format(
        name=name,
        prefixes=(f"{{{scheme}}}", f"{{{scheme}.HEX}}"),
        apps=_APPS,
        read=shaped(pattern, always(fast(name, scheme.lower()))),
    )


def _base64(scheme: str, hasher: str, size: int, *notes: str) -> Format:
    """The base64 that a scheme's name asks for; with salt, the size is the least."""
    name = f"dovecot {{{scheme}}}"
    least = -(-size * 4 // 3)
    pattern = rf"\{{[\w-]+(?:\.[A-Za-z0-9]+)?\}}{BASE64}{{{least},}}={{0,2}}"
    return Format(
        name=name,
        prefixes=(f"{{{scheme}.B64}}", f"{{{scheme}.BASE64}}"),
        apps=_APPS,
        read=shaped(pattern, always(fast(name, hasher, *notes))),
    )


_DIGESTS = (("SHA", "sha1", 20), ("SHA256", "sha256", 32), ("SHA512", "sha512", 64))

FORMATS: Final = (
    Format(
        name="dovecot {PBKDF2}",
        prefixes=("{PBKDF2}",),
        apps=_APPS,
        read=shaped(
            rf"\{{PBKDF2\}}\$1\$[!-#%-~]+\$({COUNT})\$(?P<key>{HEX}{{40}})",
            partial(of_hex, "dovecot {PBKDF2}", "sha1"),
        ),
    ),
    wrapper("dovecot {ARGON2ID}", "{ARGON2ID}", read_argon2, apps=_APPS),
    wrapper("dovecot {ARGON2I}", "{ARGON2I}", read_argon2, apps=_APPS),
    wrapper("dovecot {BLF-CRYPT}", "{BLF-CRYPT}", read_bcrypt, apps=_APPS),
    *(
        wrapper(f"dovecot {{{scheme}}}", f"{{{scheme}}}", read_crypt, apps=_APPS)
        for scheme in ("DES-CRYPT", "MD5-CRYPT", "MD5", "SHA256-CRYPT", "SHA512-CRYPT")
    ),
    *(_digest(scheme, hasher, size, "unsalted") for scheme, hasher, size in _DIGESTS),
    *(_base64(scheme, hasher, size, "unsalted") for scheme, hasher, size in _DIGESTS),
    *(_salted_digest(f"S{scheme}", size) for scheme, _, size in _DIGESTS),
    *(_base64(f"S{scheme}", f"s{scheme}".lower(), size + 1) for scheme, _, size in _DIGESTS),
    _digest("SHA1", "sha1", 20, "unsalted"),
    _salted_digest("SMD5", 16),
    _base64("SMD5", "smd5", 17),
    _digest("LDAP-MD5", "md5", 16, "unsalted"),
    _digest("PLAIN-MD5", "md5", 16, "unsalted"),
    _base64("PLAIN-MD5", "md5", 16, "unsalted"),
    _digest("PLAIN-MD4", "md4", 16, "unsalted"),
    _digest("DIGEST-MD5", "md5", 16),
    _digest("CRAM-MD5", "cram-md5", 32, "unsalted"),
    _digest("HMAC-MD5", "cram-md5", 32, "unsalted"),
    _digest("LANMAN", "lm", 16, "unsalted"),
    _digest("NTLM", "nt", 16, "unsalted"),
    Format(
        name="dovecot {SHA1}",
        prefixes=("{SHA1}",),
        read=shaped(
            rf"\{{\w+\}}{BASE64}{{27}}=", always(fast("dovecot {SHA1}", "sha1", "unsalted"))
        ),
    ),
    Format(
        name="dovecot {LDAP-MD5}",
        prefixes=("{LDAP-MD5}",),
        read=shaped(
            rf"\{{[\w-]+\}}{BASE64}{{22}}==", always(fast("dovecot {LDAP-MD5}", "md5", "unsalted"))
        ),
    ),
    Format(
        name="dovecot {PLAIN}",
        prefixes=("{PLAIN}", "{PLAIN-TRUNC}"),
        read=shaped(
            rf"\{{[\w-]+\}}{_TEXT}", always(Reading(kind=Kind.PLAIN, format="dovecot {PLAIN}"))
        ),
    ),
)
