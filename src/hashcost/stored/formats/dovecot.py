"""What ``doveadm pw`` writes, where it is not what LDAP's servers write too.

Dovecot, src/lib-auth/password-scheme*.c. ``{MD5}`` is md5-crypt to it. A scheme
may end in ``.HEX``, ``.B64`` or ``.BASE64``, which says how the digest is written.
"""

from __future__ import annotations

from typing import Final

from hashcost.stored.formats.alphabets import COUNT, HEX, at_least, base64_of
from hashcost.stored.formats.argon2 import read_argon2
from hashcost.stored.formats.bcrypt import read_bcrypt
from hashcost.stored.formats.interface import Format, fast, plain, wrapper
from hashcost.stored.formats.ldap import read_crypt
from hashcost.stored.formats.pbkdf2 import derived, of_hex

_APPS = ("dovecot",)


def _in_hex(scheme: str, hasher: str, size: int, *notes: str, salted: bool = False) -> Format:
    """In hexadecimal, where the scheme has another default or says so."""
    rest = f"{HEX}{{{2 * size + 2},}}" if salted else f"{HEX}{{{2 * size}}}"
    prefixes = (f"{{{scheme}}}", f"{{{scheme}.HEX}}")
    return fast(f"dovecot {{{scheme}}}", prefixes, rest, hasher, *notes, apps=_APPS)


def _in_base64(scheme: str, hasher: str, size: int, *notes: str) -> Format:
    """The base64 that a scheme's name asks for; with salt, the size is the least."""
    prefixes = (f"{{{scheme}.B64}}", f"{{{scheme}.BASE64}}")
    return fast(f"dovecot {{{scheme}}}", prefixes, at_least(size), hasher, *notes, apps=_APPS)


_DIGESTS = (("SHA", "sha1", 20), ("SHA256", "sha256", 32), ("SHA512", "sha512", 64))
_SALTED = (("SMD5", 16), ("SSHA", 20), ("SSHA256", 32), ("SSHA512", 64))

FORMATS: Final = (
    derived(
        "dovecot {PBKDF2}",
        "sha1",
        "{PBKDF2}",
        rf"\$1\$[!-#%-~]+\$({COUNT})\$(?P<key>{HEX}{{40}})",
        of_hex,
        apps=_APPS,
    ),
    wrapper("dovecot {ARGON2ID}", "{ARGON2ID}", read_argon2, apps=_APPS),
    wrapper("dovecot {ARGON2I}", "{ARGON2I}", read_argon2, apps=_APPS),
    wrapper("dovecot {BLF-CRYPT}", "{BLF-CRYPT}", read_bcrypt, apps=_APPS),
    *(
        wrapper(f"dovecot {{{scheme}}}", f"{{{scheme}}}", read_crypt, apps=_APPS)
        for scheme in ("DES-CRYPT", "MD5-CRYPT", "MD5", "SHA256-CRYPT", "SHA512-CRYPT")
    ),
    *(_in_hex(scheme, hasher, size, "unsalted") for scheme, hasher, size in _DIGESTS),
    *(_in_base64(scheme, hasher, size, "unsalted") for scheme, hasher, size in _DIGESTS),
    *(_in_hex(scheme, scheme.lower(), size, salted=True) for scheme, size in _SALTED),
    *(_in_base64(scheme, scheme.lower(), size + 1) for scheme, size in _SALTED),
    _in_hex("SHA1", "sha1", 20, "unsalted"),
    _in_hex("LDAP-MD5", "md5", 16, "unsalted"),
    _in_hex("PLAIN-MD5", "md5", 16, "unsalted"),
    _in_base64("PLAIN-MD5", "md5", 16, "unsalted"),
    _in_hex("PLAIN-MD4", "md4", 16, "unsalted"),
    _in_hex("DIGEST-MD5", "md5", 16),
    _in_hex("CRAM-MD5", "cram-md5", 32, "unsalted"),
    _in_hex("HMAC-MD5", "cram-md5", 32, "unsalted"),
    _in_hex("LANMAN", "lm", 16, "unsalted"),
    _in_hex("NTLM", "nt", 16, "unsalted"),
    fast("dovecot {SHA1}", "{SHA1}", base64_of(20), "sha1", "unsalted"),
    fast("dovecot {LDAP-MD5}", "{LDAP-MD5}", base64_of(16), "md5", "unsalted"),
    plain("dovecot {PLAIN}", "{PLAIN}", "{PLAIN-TRUNC}"),
)
