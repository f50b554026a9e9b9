"""bcrypt, and bcrypt of a SHA-256 as passlib writes it."""

from __future__ import annotations

from typing import Final

from hashcost.stored.formats.alphabets import CRYPT64
from hashcost.stored.formats.interface import Format, hashed, shaped
from hashcost.stored.formats.reading import Reading


def _bcrypt(digits: str) -> Reading | None:
    """Two digits; ``crypt_gensalt`` and all others write 04 to 31."""
    cost = int(digits)
    return hashed("bcrypt", "bcrypt", {"cost": cost}) if 4 <= cost <= 31 else None


def _bcrypt_sha256(first: str, second: str) -> Reading | None:
    digits = first or second
    cost = int(digits)
    if not 4 <= cost <= 31 or digits != str(cost):
        return None
    return hashed("passlib bcrypt-sha256", "bcrypt", {"cost": cost})


read_bcrypt: Final = shaped(rf"\$2[abxy]?\$([0-9]{{2}})\${CRYPT64}{{53}}", _bcrypt)

FORMATS: Final = (
    Format(name="bcrypt", prefixes=("$2$", "$2a$", "$2b$", "$2x$", "$2y$"), read=read_bcrypt),
    Format(
        name="passlib bcrypt-sha256",
        prefixes=("$bcrypt-sha256$",),
        read=shaped(
            rf"\$bcrypt-sha256\$(?:v=[12],t=2[aby],r=([0-9]{{1,2}})|2[aby],([0-9]{{1,2}}))"
            rf"\${CRYPT64}{{22}}\${CRYPT64}{{31}}",
            _bcrypt_sha256,
        ),
    ),
)
