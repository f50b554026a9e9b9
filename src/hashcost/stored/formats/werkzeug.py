"""What Werkzeug's ``generate_password_hash`` writes (werkzeug/security.py)."""

from __future__ import annotations

from functools import partial
from typing import Final

from hashcost.stored.formats.alphabets import COUNT, HEX
from hashcost.stored.formats.interface import Format, shaped
from hashcost.stored.formats.pbkdf2 import DIGEST_BYTES, of_hex
from hashcost.stored.formats.scrypt import of_count

_APPS = ("werkzeug",)
_SALT = "[A-Za-z0-9]+"


def _pbkdf2(digest: str) -> Format:
    name = "werkzeug pbkdf2"
    return Format(
        name=name,
        prefixes=(f"pbkdf2:{digest}:",),
        apps=_APPS,
        read=shaped(
            rf"pbkdf2:{digest}:({COUNT})\${_SALT}\$(?P<key>{HEX}{{{2 * DIGEST_BYTES[digest]}}})",
            partial(of_hex, name, digest),
        ),
    )


FORMATS: Final = (
    *(_pbkdf2(digest) for digest in DIGEST_BYTES),
    Format(
        name="werkzeug scrypt",
        prefixes=("scrypt:",),
        apps=_APPS,
        read=shaped(
            rf"scrypt:([0-9]{{1,20}}):({COUNT}):({COUNT})\${_SALT}\${HEX}{{128}}",
            partial(of_count, "werkzeug scrypt"),
        ),
    ),
)
