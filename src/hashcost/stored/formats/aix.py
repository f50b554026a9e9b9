"""AIX's loadable password algorithms (hashcat, modes 6300 to 6700)."""

from __future__ import annotations

from functools import partial
from typing import Final

from hashcost.stored.formats.alphabets import CRYPT64
from hashcost.stored.formats.interface import Format, hashed, shaped
from hashcost.stored.formats.pbkdf2 import DIGEST_BYTES, pbkdf2
from hashcost.stored.formats.reading import Reading

_APPS = ("aix",)


def _pbkdf2(name: str, digest: str, digits: str) -> Reading | None:
    """Two digits: the logarithm of the iterations, 4 to 31."""
    cost = int(digits)
    if not 4 <= cost <= 31:
        return None
    return pbkdf2(name, digest, 1 << cost, DIGEST_BYTES[digest])


def _format(digest: str, characters: int) -> Format:
    scheme = f"{{s{digest}}}"
    name = f"aix {scheme}"
    pattern = rf"\{{\w+\}}([0-9]{{2}})\${CRYPT64}{{8,48}}\${CRYPT64}{{{characters}}}"
    return Format(
        name=name,
        prefixes=(scheme,),
        apps=_APPS,
        read=shaped(pattern, partial(_pbkdf2, name, digest)),
    )


def _smd5() -> Reading:
    """md5-crypt without its prefix."""
    return hashed("aix {smd5}", "md5-crypt", {}, "fixed-cost")


FORMATS: Final = (
    _format("sha1", 27),
    _format("sha256", 43),
    _format("sha512", 86),
    Format(
        name="aix {smd5}",
        prefixes=("{smd5}",),
        apps=_APPS,
        read=shaped(rf"\{{smd5\}}{CRYPT64}{{8}}\${CRYPT64}{{22}}", _smd5),
    ),
)
