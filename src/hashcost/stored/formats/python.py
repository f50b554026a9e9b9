"""Django's ``PASSWORD_HASHERS`` and Werkzeug's ``generate_password_hash``.

django/contrib/auth/hashers.py; werkzeug/security.py.
"""

from __future__ import annotations

from typing import Final

from hashcost.stored.formats.alphabets import COUNT, HEX, base64_of
from hashcost.stored.formats.argon2 import read_argon2
from hashcost.stored.formats.bcrypt import read_bcrypt
from hashcost.stored.formats.interface import Format, always, fast, shaped, wrapper
from hashcost.stored.formats.pbkdf2 import DIGEST_BYTES, derived, of_hex
from hashcost.stored.formats.reading import Kind
from hashcost.stored.formats.scrypt import of_count
from hashcost.stored.formats.unix_crypt import DES, DES_CRYPT

_DJANGO = ("django",)
_WERKZEUG = ("werkzeug",)
_SALT = r"[^$\x00-\x1f\x7f]"
_N = "([0-9]{1,20})"


def _pbkdf2(digest: str, characters: int) -> Format:
    rest = rf"({COUNT})\${_SALT}+\$(?P<key>[A-Za-z0-9+/]{{{characters}}})={{0,2}}"
    return derived("django pbkdf2", digest, f"pbkdf2_{digest}$", rest, apps=_DJANGO)


def _werkzeug(digest: str, size: int) -> Format:
    rest = rf"({COUNT})\$[A-Za-z0-9]+\$(?P<key>{HEX}{{{2 * size}}})"
    return derived("werkzeug pbkdf2", digest, f"pbkdf2:{digest}:", rest, of_hex, apps=_WERKZEUG)


FORMATS: Final = (
    _pbkdf2("sha1", 27),
    _pbkdf2("sha256", 43),
    wrapper("django argon2", "argon2$", read_argon2, prepend="$", apps=_DJANGO),
    wrapper("django bcrypt", "bcrypt$", read_bcrypt, apps=_DJANGO),
    wrapper("django bcrypt-sha256", "bcrypt_sha256$", read_bcrypt, apps=_DJANGO),
    shaped(
        "django scrypt",
        "scrypt$",
        rf"{_N}\${_SALT}+\$({COUNT})\$({COUNT})\${base64_of(64)}",
        of_count,
        apps=_DJANGO,
    ),
    *(
        fast(f"salted {digest}", f"{digest}$", rf"{_SALT}*\${HEX}{{{2 * size}}}", digest)
        for digest, size in {"md5": 16, **DIGEST_BYTES}.items()
    ),
    shaped("django crypt", "crypt$", rf"(?s:.*\$)?{DES}", DES_CRYPT, apps=_DJANGO),
    shaped(
        "django unusable",
        (),
        "![A-Za-z0-9]{40}",
        always(kind=Kind.LOCKED),
        lengths=(41,),
        apps=_DJANGO,
    ),
    *(_werkzeug(digest, size) for digest, size in DIGEST_BYTES.items()),
    shaped(
        "werkzeug scrypt",
        "scrypt:",
        rf"{_N}:({COUNT}):({COUNT})\$[A-Za-z0-9]+\${HEX}{{128}}",
        of_count,
        apps=_WERKZEUG,
    ),
)
"""Werkzeug once wrote salted digests too, as an HMAC."""
