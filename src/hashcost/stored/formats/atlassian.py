"""Atlassian's ``{PKCS5S2}`` (passlib, handlers/pbkdf2.py): one cost, and two blocks."""

from __future__ import annotations

from typing import Final

from hashcost.stored.formats.alphabets import BASE64
from hashcost.stored.formats.interface import Format, always, shaped
from hashcost.stored.formats.reading import Kind, Reading

_NAME = "atlassian {PKCS5S2}"
_READING: Final = Reading(
    kind=Kind.HASHED,
    format=_NAME,
    hasher="pbkdf2-sha1",
    params={"iterations": 10_000},
    blocks=2,
    notes=("extra-blocks", "fixed-cost"),
)
"""With 16 bytes of salt and 32 of key."""

FORMATS: Final = (
    Format(
        name=_NAME,
        prefixes=("{PKCS5S2}",),
        apps=("atlassian",),
        read=shaped(rf"\{{PKCS5S2\}}{BASE64}{{64}}", always(_READING)),
    ),
)
