"""Apache Shiro: ``$shiro1$``, a digest iterated, and ``$shiro2$`` before bcrypt or Argon2."""

from __future__ import annotations

from typing import Final

from hashcost.stored.formats.alphabets import BASE64, COUNT, CRYPT64
from hashcost.stored.formats.argon2 import read_argon2
from hashcost.stored.formats.interface import Format, hashed, number, renamed, shaped
from hashcost.stored.formats.pbkdf2 import LARGEST
from hashcost.stored.formats.reading import Reading

_APPS = ("shiro",)
_PREFIX = "$shiro2"


def _iterated(digest: str, digits: str) -> Reading | None:
    iterations = number(digits, 1, LARGEST)
    if iterations is None:
        return None
    hasher = f"iterated-{digest.lower().replace('-', '')}"
    return hashed("shiro1", hasher, {"iterations": iterations})


def _bcrypt(digits: str) -> Reading | None:
    """The cost without a leading zero, unlike all others."""
    cost = number(digits, 4, 31)
    return None if cost is None else hashed("shiro2", "bcrypt", {"cost": cost})


_read_argon2 = renamed(read_argon2, "shiro2", skip=len(_PREFIX))
_read_bcrypt = shaped(rf"\$shiro2\$2[aby]\$([0-9]{{1,2}})\${CRYPT64}{{53}}", _bcrypt)

FORMATS: Final = (
    Format(
        name="shiro1",
        prefixes=("$shiro1$",),
        apps=_APPS,
        read=shaped(
            rf"\$shiro1\$(MD5|SHA-(?:1|224|256|384|512))\$({COUNT})"
            rf"\${BASE64}*={{0,2}}\${BASE64}{{22,}}={{0,2}}",
            _iterated,
        ),
    ),
    Format(
        name="shiro2",
        prefixes=("$shiro2$",),
        apps=_APPS,
        read=lambda text: _read_argon2(text) or _read_bcrypt(text),
    ),
)
