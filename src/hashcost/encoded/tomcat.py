"""Tomcat's ``salt$iterations$key``, which does not say of which algorithm.

SecretKeyCredentialHandler (PBKDF2) and MessageDigestCredentialHandler write the same.
"""

from __future__ import annotations

from typing import Final

from hashcost.encoded.alphabets import COUNT, HEX
from hashcost.encoded.interface import Format, number, shaped
from hashcost.encoded.pbkdf2 import LARGEST
from hashcost.encoded.reading import Kind, Reading


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
