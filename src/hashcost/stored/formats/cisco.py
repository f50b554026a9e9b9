"""Cisco IOS' types 8 and 9, each with one cost (hashcat, modes 9200 and 9300)."""

from __future__ import annotations

from typing import Final

from hashcost.stored.formats.alphabets import CRYPT64
from hashcost.stored.formats.interface import Format, always, shaped

_REST = rf"{CRYPT64}{{14}}\${CRYPT64}{{43}}"
_FIXED = ("fixed-cost",)

FORMATS: Final[tuple[Format, ...]] = (
    shaped("cisco 8", "$8$", _REST, always("pbkdf2-sha256", {"iterations": 20000}, notes=_FIXED)),
    shaped("cisco 9", "$9$", _REST, always("scrypt", {"n": 16384, "r": 1, "p": 1}, notes=_FIXED)),
)
