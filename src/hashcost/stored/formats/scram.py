"""SCRAM (RFC 5802): what a server keeps of a PBKDF2 that the client computes.

PostgreSQL, src/common/scram-common.c; Dovecot, password-scheme-scram.c; passlib,
handlers/scram.py.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from hashcost.stored.formats.alphabets import ANY_BASE64, BASE64, COUNT
from hashcost.stored.formats.interface import Format, number, shaped
from hashcost.stored.formats.pbkdf2 import LARGEST
from hashcost.stored.formats.reading import Kind, Reading


def _scram(name: str, digest: str, digits: str) -> Reading | None:
    iterations = number(digits, 1, LARGEST)
    if iterations is None:
        return None
    return Reading(
        kind=Kind.HASHED,
        format=name,
        hasher=f"pbkdf2-{digest}",
        params={"iterations": iterations},
        client_side=True,
    )


def _dovecot(variant: str, digest: str) -> Format:
    name = f"dovecot {{SCRAM-{variant}}}"
    key = rf"{BASE64}{{27,}}={{0,2}}"
    return Format(
        name=name,
        prefixes=(f"{{SCRAM-{variant}}}",),
        apps=("dovecot",),
        read=shaped(
            rf"\{{[\w-]+\}}({COUNT}),{BASE64}+={{0,2}},{key},{key}", partial(_scram, name, digest)
        ),
    )


FORMATS: Final = (
    Format(
        name="postgresql scram",
        prefixes=("SCRAM-SHA-256$",),
        apps=("postgresql",),
        read=shaped(
            rf"SCRAM-SHA-256\$({COUNT}):{BASE64}+={{0,2}}\${BASE64}{{43}}=:{BASE64}{{43}}=",
            partial(_scram, "postgresql scram", "sha256"),
        ),
    ),
    _dovecot("SHA-1", "sha1"),
    _dovecot("SHA-256", "sha256"),
    Format(
        name="passlib scram",
        prefixes=("$scram$",),
        read=shaped(
            rf"\$scram\$({COUNT})\${ANY_BASE64}*\$sha-1={ANY_BASE64}{{27}}"
            rf"(?:,[a-z0-9-]{{3,9}}={ANY_BASE64}{{16,}})*",
            partial(_scram, "passlib scram", "sha1"),
        ),
    ),
)
"""passlib keeps several digests, always SHA-1, which is what an attacker takes."""
