"""bcrypt, and bcrypt of a SHA-256 as passlib writes it."""

from __future__ import annotations

from typing import Final

from hashcost.stored.formats.alphabets import CRYPT64
from hashcost.stored.formats.interface import counted, shaped

COST: Final = counted("bcrypt", "cost", 4, 31)

FORMATS: Final = (
    shaped(
        "bcrypt",
        ("$2$", "$2a$", "$2b$", "$2x$", "$2y$"),
        rf"(?=..\$)0?([0-9]{{1,2}})\${CRYPT64}{{53}}",
        COST,
    ),
    shaped(
        "passlib bcrypt-sha256",
        "$bcrypt-sha256$",
        rf"(?:v=[12],t=2[aby],r=|2[aby],)([0-9]{{1,2}})\${CRYPT64}{{22}}\${CRYPT64}{{31}}",
        COST,
    ),
)
"""bcrypt writes two digits, passlib as few as it takes."""

read_bcrypt: Final = FORMATS[0].read
