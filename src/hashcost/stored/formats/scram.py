"""SCRAM (RFC 5802): what a server keeps of a PBKDF2 that the client computes.

PostgreSQL, src/common/scram-common.c; Dovecot, password-scheme-scram.c; passlib,
handlers/scram.py.
"""

from __future__ import annotations

from typing import Final

from hashcost.stored.formats.alphabets import ANY_BASE64, BASE64, COUNT
from hashcost.stored.formats.interface import LARGEST, counted, shaped

_SHA1 = counted("pbkdf2-sha1", "iterations", 1, LARGEST, client_side=True)
_SHA256 = counted("pbkdf2-sha256", "iterations", 1, LARGEST, client_side=True)
_KEY = rf"{BASE64}{{27,}}={{0,2}}"
_DOVECOT = rf"({COUNT}),{BASE64}+={{0,2}},{_KEY},{_KEY}"

FORMATS: Final = (
    shaped(
        "postgresql scram",
        "SCRAM-SHA-256$",
        rf"({COUNT}):{BASE64}+={{0,2}}\${BASE64}{{43}}=:{BASE64}{{43}}=",
        _SHA256,
        apps=("postgresql",),
    ),
    shaped("dovecot {SCRAM-SHA-1}", "{SCRAM-SHA-1}", _DOVECOT, _SHA1, apps=("dovecot",)),
    shaped("dovecot {SCRAM-SHA-256}", "{SCRAM-SHA-256}", _DOVECOT, _SHA256, apps=("dovecot",)),
    shaped(
        "passlib scram",
        "$scram$",
        rf"({COUNT})\${ANY_BASE64}*\$sha-1={ANY_BASE64}{{27}}"
        rf"(?:,[a-z0-9-]{{3,9}}={ANY_BASE64}{{16,}})*",
        _SHA1,
    ),
)
"""passlib keeps several digests, always SHA-1, which is what an attacker takes."""
