"""PHP's applications: WordPress, phpass and Drupal, Nextcloud."""

from __future__ import annotations

from functools import partial
from typing import Final

from hashcost.stored.formats.alphabets import CRYPT64
from hashcost.stored.formats.argon2 import read_argon2
from hashcost.stored.formats.bcrypt import read_bcrypt
from hashcost.stored.formats.crypt64 import fixed
from hashcost.stored.formats.interface import Format, hashed, renamed, shaped, wrapper
from hashcost.stored.formats.reading import Reading


def _phpass(name: str, hasher: str, digit: str) -> Reading | None:
    """The logarithm of the rounds in one digit; phpass and Drupal take 7 to 30."""
    cost = fixed(digit)
    return hashed(name, hasher, {"cost": cost}) if 7 <= cost <= 30 else None


def _format(name: str, app: str, hasher: str, ident: str, characters: int) -> Format:
    pattern = rf"{ident.replace('$', '[$]')}({CRYPT64}){CRYPT64}{{{8 + characters}}}"
    return Format(
        name=name,
        prefixes=(ident,),
        apps=(app,),
        read=shaped(pattern, partial(_phpass, name, hasher)),
    )


FORMATS: Final = (
    wrapper("wordpress bcrypt", "$wp$", read_bcrypt, prepend="$", apps=("wordpress",)),
    _format("phpass", "wordpress", "phpass", "$P$", 22),
    _format("phpass", "phpbb", "phpass", "$H$", 22),
    _format("drupal", "drupal", "phpass-sha512", "$S$", 43),
    _format("drupal upgraded", "drupal", "phpass", "U$P$", 22),
    _format("drupal upgraded", "drupal", "phpass-sha512", "U$S$", 43),
    Format(
        name="nextcloud",
        prefixes=("1|$",),
        apps=("nextcloud",),
        read=renamed(read_bcrypt, "nextcloud", skip=2),
    ),
    Format(
        name="nextcloud",
        prefixes=("2|$", "3|$"),
        apps=("nextcloud",),
        read=renamed(read_argon2, "nextcloud", skip=2),
    ),
)
"""Drupal iterates SHA-512 where phpass iterates MD5, and puts ``U`` before what it
upgraded without the password."""
