"""Tomcat's ``salt$iterations$key``, which does not say of which algorithm.

SecretKeyCredentialHandler (PBKDF2) and MessageDigestCredentialHandler write the same.
"""

from __future__ import annotations

from typing import Final

from hashcost.stored.formats.alphabets import COUNT, HEX
from hashcost.stored.formats.interface import Format, number, shaped
from hashcost.stored.formats.pbkdf2 import LARGEST
from hashcost.stored.formats.reading import Kind, Reading


def _tomcat(digits: str) -> Reading | None:
    iterations = number(digits, 1, LARGEST)
    if iterations is None:
        return None
    return Reading(
        kind=Kind.HASHED,
        format="tomcat",
        params={"iterations": iterations},
        notes=("no-algorithm-stored",),
    )


FORMATS: Final = (
    Format(
        name="tomcat",
        apps=("tomcat",),
        read=shaped(rf"{HEX}{{2,}}\$({COUNT})\${HEX}{{32,}}", _tomcat),
    ),
)
