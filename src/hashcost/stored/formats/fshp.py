"""FSHP, salted and iterated digests (passlib, handlers/fshp.py): ``{FSHP1|16|4096}…``."""

from __future__ import annotations

from typing import Final

from hashcost.stored.formats.alphabets import BASE64, COUNT
from hashcost.stored.formats.interface import Format, hashed, number, shaped
from hashcost.stored.formats.pbkdf2 import LARGEST
from hashcost.stored.formats.reading import Reading

_DIGESTS = ("sha1", "sha256", "sha384", "sha512")


def _fshp(variant: str, digits: str) -> Reading | None:
    """PBKDF1, whose output is one digest."""
    iterations = number(digits, 1, LARGEST)
    if iterations is None:
        return None
    return hashed("fshp", f"pbkdf1-{_DIGESTS[int(variant)]}", {"iterations": iterations})


FORMATS: Final = (
    Format(
        name="fshp",
        prefixes=tuple(f"{{FSHP{variant}|" for variant in range(len(_DIGESTS))),
        read=shaped(rf"\{{FSHP([0-3])\|[0-9]{{1,4}}\|({COUNT})\}}{BASE64}{{27,}}={{0,2}}", _fshp),
    ),
)
