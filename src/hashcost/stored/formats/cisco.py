"""Cisco IOS' types 8 and 9, each of one cost (hashcat, modes 9200 and 9300)."""

from __future__ import annotations

from typing import Final

from hashcost.stored.formats.alphabets import CRYPT64
from hashcost.stored.formats.interface import Format, always, hashed, shaped

_DERIVED = rf"{CRYPT64}{{14}}\${CRYPT64}{{43}}"

FORMATS: Final = (
    Format(
        name="cisco 8",
        prefixes=("$8$",),
        read=shaped(
            rf"\$8\${_DERIVED}",
            always(hashed("cisco 8", "pbkdf2-sha256", {"iterations": 20000}, "fixed-cost")),
        ),
    ),
    Format(
        name="cisco 9",
        prefixes=("$9$",),
        read=shaped(
            rf"\$9\${_DERIVED}",
            always(hashed("cisco 9", "scrypt", {"n": 16384, "r": 1, "p": 1}, "fixed-cost")),
        ),
    ),
)
