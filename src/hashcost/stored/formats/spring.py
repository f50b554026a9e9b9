"""Spring Security: ``{id}`` in front of what the encoder of that id writes.

PasswordEncoderFactories and its encoders. Pbkdf2PasswordEncoder stores no cost.
"""

from __future__ import annotations

from typing import Final

from hashcost.stored.formats import ldap
from hashcost.stored.formats.alphabets import HEX
from hashcost.stored.formats.argon2 import read_argon2
from hashcost.stored.formats.bcrypt import read_bcrypt
from hashcost.stored.formats.interface import (
    Format,
    Setting,
    always,
    fast,
    plain,
    reader,
    shaped,
    wrapper,
)
from hashcost.stored.formats.reading import Kind, Reading
from hashcost.stored.formats.scrypt import PACKED, packed
from hashcost.stored.formats.table import Table

_APPS = ("spring",)
_LDAP = Table(ldap.FORMATS)
_NO_COST = "no-cost-stored"


def _read_ldap(text: str) -> Reading | None:
    reading = _LDAP.read(text)
    return None if reading is None or reading.kind is Kind.MALFORMED else reading


def _pbkdf2(scheme: str, key: str, setting: Setting) -> Format:
    return shaped("spring pbkdf2", scheme, key, setting, apps=_APPS)


def _digest(scheme: str, hasher: str, size: int) -> Format:
    """A salt, if there is one, in braces of its own."""
    rest = rf"(?:\{{[^}}\x00-\x1f\x7f]*\}})?{HEX}{{{2 * size}}}"
    return fast(f"spring {scheme}", scheme, rest, hasher, apps=_APPS)


_read_scrypt = reader("spring scrypt", rf"\${PACKED}", packed)

FORMATS: Final = (
    wrapper("spring bcrypt", "{bcrypt}", read_bcrypt, apps=_APPS),
    *(
        wrapper("spring argon2", scheme, read_argon2, apps=_APPS)
        for scheme in (
            "{argon2}",
            "{argon2@SpringSecurity_v5_2}",
            "{argon2@SpringSecurity_v5_8}",
        )
    ),
    wrapper("spring scrypt", "{scrypt}", _read_scrypt, apps=_APPS),
    wrapper("spring scrypt", "{scrypt@SpringSecurity_v5_8}", _read_scrypt, apps=_APPS),
    wrapper("spring ldap", "{ldap}", _read_ldap, apps=_APPS),
    # 32 bytes of key where the digest has 20, of a key of the encoder's own length.
    _pbkdf2(
        "{pbkdf2}",
        f"{HEX}{{80}}",
        always("pbkdf2-sha1", blocks=2, notes=("extra-blocks", _NO_COST)),
    ),
    _pbkdf2(
        "{pbkdf2}",
        f"(?!{HEX}{{80}}$)(?:{HEX}{{2}}){{20,}}",
        always(notes=("no-algorithm-stored", _NO_COST)),
    ),
    _pbkdf2(
        "{pbkdf2@SpringSecurity_v5_8}",
        f"{HEX}{{96}}",
        always("pbkdf2-sha256", notes=(_NO_COST,)),
    ),
    _digest("{MD4}", "md4", 16),
    _digest("{MD5}", "md5", 16),
    _digest("{SHA-1}", "sha1", 20),
    _digest("{SHA-256}", "sha256", 32),
    # StandardPasswordEncoder, with eight bytes of salt.
    shaped(
        "spring {sha256}",
        "{sha256}",
        f"{HEX}{{80}}",
        always("iterated-sha256", {"iterations": 1024}, notes=("fixed-cost",)),
        apps=_APPS,
    ),
    plain("spring {noop}", "{noop}"),
)
