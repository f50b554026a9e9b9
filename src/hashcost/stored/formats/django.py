"""Django's ``PASSWORD_HASHERS`` (django/contrib/auth/hashers.py)."""

from __future__ import annotations

from functools import partial
from typing import Final

from hashcost.stored.formats.alphabets import BASE64, COUNT, HEX
from hashcost.stored.formats.argon2 import read_argon2
from hashcost.stored.formats.bcrypt import read_bcrypt
from hashcost.stored.formats.interface import Format, always, fast, renamed, shaped, wrapper
from hashcost.stored.formats.pbkdf2 import of_base64
from hashcost.stored.formats.reading import Kind, Reading
from hashcost.stored.formats.scrypt import of_count
from hashcost.stored.formats.unix_crypt import read_des

_APPS = ("django",)
_SALT = r"[^$\x00-\x1f\x7f]"


def _pbkdf2(digest: str, characters: int) -> Format:
    name = "django pbkdf2"
    pattern = rf"pbkdf2_{digest}\$({COUNT})\${_SALT}+\$(?P<key>{BASE64}{{{characters}}})={{0,2}}"
    return Format(
        name=name,
        prefixes=(f"pbkdf2_{digest}$",),
        apps=_APPS,
        read=shaped(pattern, partial(of_base64, name, digest)),
    )


def _salted(digest: str, characters: int) -> Format:
    """Also what Werkzeug once wrote, as an HMAC."""
    name = f"salted {digest}"
    return Format(
        name=name,
        prefixes=(f"{digest}$",),
        read=shaped(rf"{digest}\${_SALT}*\${HEX}{{{characters}}}", always(fast(name, digest))),
    )


_read_crypt = renamed(read_des, "django crypt", skip=0)

FORMATS: Final = (
    _pbkdf2("sha1", 27),
    _pbkdf2("sha256", 43),
    wrapper("django argon2", "argon2$", read_argon2, prepend="$", apps=_APPS),
    wrapper("django bcrypt", "bcrypt$", read_bcrypt, apps=_APPS),
    wrapper("django bcrypt-sha256", "bcrypt_sha256$", read_bcrypt, apps=_APPS),
    Format(
        name="django scrypt",
        prefixes=("scrypt$",),
        apps=_APPS,
        read=shaped(
            rf"scrypt\$([0-9]{{1,20}})\${_SALT}+\$({COUNT})\$({COUNT})\${BASE64}{{86}}==",
            partial(of_count, "django scrypt"),
        ),
    ),
    _salted("md5", 32),
    _salted("sha1", 40),
    _salted("sha224", 56),
    _salted("sha256", 64),
    _salted("sha384", 96),
    _salted("sha512", 128),
    Format(
        name="django crypt",
        prefixes=("crypt$",),
        apps=_APPS,
        read=lambda text: _read_crypt(text[text.rfind("$") + 1 :]),
    ),
    Format(
        name="django unusable",
        lengths=(41,),
        apps=_APPS,
        read=shaped(
            r"![A-Za-z0-9]{40}", always(Reading(kind=Kind.LOCKED, format="django unusable"))
        ),
    ),
)
