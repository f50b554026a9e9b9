"""Foreman's PBKDF2 (app/services/foreman/password_hash.rb): 39 bytes of key, two blocks."""

from __future__ import annotations

from functools import partial
from typing import Final

from hashcost.stored.formats.alphabets import BASE64, COUNT
from hashcost.stored.formats.interface import Format, shaped
from hashcost.stored.formats.pbkdf2 import of_base64

FORMATS: Final = (
    Format(
        name="foreman pbkdf2",
        prefixes=("$pbkdf2sha1$",),
        apps=("foreman",),
        read=shaped(
            rf"\$pbkdf2sha1\$({COUNT})\${BASE64}+={{0,2}}\$(?P<key>{BASE64}{{52}})={{0,2}}",
            partial(of_base64, "foreman pbkdf2", "sha1"),
        ),
    ),
)
