"""Elasticsearch's ``{PBKDF2}``, which is SHA-512 (x-pack, Hasher.java).

Its key is 32 bytes where OpenLDAP's is 20, so the two are told apart.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from hashcost.stored.formats.alphabets import BASE64, COUNT
from hashcost.stored.formats.interface import Format, always, fast, shaped
from hashcost.stored.formats.pbkdf2 import of_base64

_APPS = ("elasticsearch",)


def _pbkdf2(scheme: str) -> Format:
    name = f"elasticsearch {{{scheme}}}"
    pattern = rf"\{{{scheme}\}}({COUNT})\${BASE64}+={{0,2}}\$(?P<key>{BASE64}{{43,}})={{0,2}}"
    return Format(
        name=name,
        prefixes=(f"{{{scheme}}}",),
        apps=_APPS,
        read=shaped(pattern, partial(of_base64, name, "sha512")),
    )


FORMATS: Final = (
    _pbkdf2("PBKDF2"),
    _pbkdf2("PBKDF2_STRETCH"),
    Format(
        name="elasticsearch {SSHA256}",
        prefixes=("{SSHA256}",),
        apps=_APPS,
        read=shaped(
            rf"\{{SSHA256\}}{BASE64}{{11}}={BASE64}{{43}}=",
            always(fast("elasticsearch {SSHA256}", "ssha256")),
        ),
    ),
)
