"""Mosquitto's password file (``mosquitto_passwd``), in prefixes that crypt(5) has otherwise."""

from __future__ import annotations

from functools import partial
from typing import Final

from hashcost.stored.formats.alphabets import BASE64, COUNT
from hashcost.stored.formats.interface import Format, always, fast, shaped
from hashcost.stored.formats.pbkdf2 import of_base64

_APPS = ("mosquitto",)
_DERIVED = rf"{BASE64}+={{0,2}}\$(?P<key>{BASE64}{{86}})=="

FORMATS: Final = (
    Format(
        name="mosquitto pbkdf2",
        prefixes=("$7$",),
        apps=_APPS,
        read=shaped(
            rf"\$7\$({COUNT})\${_DERIVED}", partial(of_base64, "mosquitto pbkdf2", "sha512")
        ),
    ),
    Format(
        name="mosquitto sha512",
        prefixes=("$6$",),
        apps=_APPS,
        read=shaped(
            rf"\$6\${BASE64}+={{0,2}}\${BASE64}{{86}}==",
            always(fast("mosquitto sha512", "ssha512")),
        ),
    ),
)
