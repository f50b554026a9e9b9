"""PHP's applications: WordPress, phpass and Drupal, Nextcloud, MediaWiki (includes/password/)."""

from __future__ import annotations

from typing import Final

from hashcost.stored.formats.alphabets import BASE64, COUNT, CRYPT64, HEX
from hashcost.stored.formats.argon2 import read_argon2
from hashcost.stored.formats.bcrypt import read_bcrypt
from hashcost.stored.formats.crypt64 import fixed
from hashcost.stored.formats.interface import Format, fast, hashed, shaped, wrapper
from hashcost.stored.formats.pbkdf2 import derived
from hashcost.stored.formats.reading import Reading

_NEXTCLOUD = ("nextcloud",)
_MEDIAWIKI = ("mediawiki",)


def _phpass(name: str, app: str, hasher: str, ident: str, characters: int) -> Format:
    """The logarithm of the rounds in one digit; phpass and Drupal take 7 to 30."""

    def setting(name: str, digit: str) -> Reading | None:
        cost = fixed(digit)
        return hashed(name, hasher, {"cost": cost}) if 7 <= cost <= 30 else None

    rest = f"({CRYPT64}){CRYPT64}{{{8 + characters}}}"
    return shaped(name, ident, rest, setting, apps=(app,))


FORMATS: Final = (
    wrapper("wordpress bcrypt", "$wp$", read_bcrypt, prepend="$", apps=("wordpress",)),
    _phpass("phpass", "wordpress", "phpass", "$P$", 22),
    _phpass("phpass", "phpbb", "phpass", "$H$", 22),
    _phpass("drupal", "drupal", "phpass-sha512", "$S$", 43),
    _phpass("drupal upgraded", "drupal", "phpass", "U$P$", 22),
    _phpass("drupal upgraded", "drupal", "phpass-sha512", "U$S$", 43),
    wrapper("nextcloud", "1|$", read_bcrypt, prepend="$", apps=_NEXTCLOUD),
    wrapper("nextcloud", "2|$", read_argon2, prepend="$", apps=_NEXTCLOUD),
    wrapper("nextcloud", "3|$", read_argon2, prepend="$", apps=_NEXTCLOUD),
    *(
        derived(
            "mediawiki pbkdf2",
            digest,
            ":pbkdf2:",
            rf"{digest}:({COUNT}):([0-9]{{1,4}})"
            rf":{BASE64}*={{0,2}}:(?P<key>{BASE64}{{16,}})={{0,2}}",
            apps=_MEDIAWIKI,
        )
        for digest in ("sha1", "sha256", "sha512")
    ),
    fast("mediawiki B", ":B:", f"[0-9A-Za-z]+:{HEX}{{32}}", "md5", apps=_MEDIAWIKI),
    fast("mediawiki A", ":A:", f"{HEX}{{32}}", "md5", "unsalted", apps=_MEDIAWIKI),
)
"""Drupal iterates SHA-512 where phpass iterates MD5, and puts ``U`` before what it
upgraded without the password."""
