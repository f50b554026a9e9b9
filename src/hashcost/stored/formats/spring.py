"""Spring Security: ``{id}`` in front of what the encoder of that id writes.

PasswordEncoderFactories and its encoders. Pbkdf2PasswordEncoder stores no cost.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from hashcost.stored.formats import ldap
from hashcost.stored.formats.alphabets import HEX
from hashcost.stored.formats.argon2 import read_argon2
from hashcost.stored.formats.bcrypt import read_bcrypt
from hashcost.stored.formats.interface import Format, always, fast, hashed, shaped, wrapper
from hashcost.stored.formats.reading import Kind, Reading
from hashcost.stored.formats.scrypt import PACKED, packed
from hashcost.stored.formats.table import Table

_APPS = ("spring",)
_LDAP = Table(ldap.FORMATS)
_NO_COST = ("no-cost-stored",)
_SHA1_KEY: Final = Reading(
    kind=Kind.HASHED,
    format="spring pbkdf2",
    hasher="pbkdf2-sha1",
    blocks=2,
    notes=("extra-blocks", *_NO_COST),
)
"""32 bytes of key where the digest has 20."""
_SHA256_KEY: Final = hashed("spring pbkdf2", "pbkdf2-sha256", {}, *_NO_COST)


_STANDARD: Final = hashed("spring {sha256}", "iterated-sha256", {"iterations": 1024}, "fixed-cost")
"""StandardPasswordEncoder, with eight bytes of salt."""
_OTHER_KEY: Final = Reading(
    kind=Kind.HASHED, format="spring pbkdf2", notes=("no-algorithm-stored", *_NO_COST)
)
"""Of another length than the encoder's own."""


def _read_ldap(text: str) -> Reading | None:
    reading = _LDAP.read(text)
    return None if reading is None or reading.kind is Kind.MALFORMED else reading


def _pbkdf2(scheme: str, key: str, reading: Reading) -> Format:
    pattern = rf"\{{[^}}]+\}}{key}"
    return Format(
        name=reading.format,
        prefixes=(scheme,),
        apps=_APPS,
        read=shaped(pattern, always(reading)),
    )


def _digest(scheme: str, hasher: str, size: int) -> Format:
    """A salt, if there is one, in braces of its own."""
    name = f"spring {scheme}"
    pattern = rf"\{{[\w-]+\}}(?:\{{[^}}\x00-\x1f\x7f]*\}})?{HEX}{{{2 * size}}}"
    reading = fast(name, hasher)
    return Format(name=name, prefixes=(scheme,), apps=_APPS, read=shaped(pattern, always(reading)))


_read_scrypt = shaped(PACKED, partial(packed, "spring scrypt"))

FORMATS: Final = (
    wrapper("spring bcrypt", "{bcrypt}", read_bcrypt, apps=_APPS),
    wrapper("spring argon2", "{argon2}", read_argon2, apps=_APPS),
    wrapper("spring argon2", "{argon2@SpringSecurity_v5_2}", read_argon2, apps=_APPS),
    wrapper("spring argon2", "{argon2@SpringSecurity_v5_8}", read_argon2, apps=_APPS),
    wrapper("spring scrypt", "{scrypt}", _read_scrypt, apps=_APPS),
    wrapper("spring scrypt", "{scrypt@SpringSecurity_v5_8}", _read_scrypt, apps=_APPS),
    wrapper("spring ldap", "{ldap}", _read_ldap, apps=_APPS),
    _pbkdf2("{pbkdf2}", f"{HEX}{{80}}", _SHA1_KEY),
    _pbkdf2("{pbkdf2}", f"(?!{HEX}{{80}}$)(?:{HEX}{{2}}){{20,}}", _OTHER_KEY),
    _pbkdf2("{pbkdf2@SpringSecurity_v5_8}", f"{HEX}{{96}}", _SHA256_KEY),
    _digest("{MD4}", "md4", 16),
    _digest("{MD5}", "md5", 16),
    _digest("{SHA-1}", "sha1", 20),
    _digest("{SHA-256}", "sha256", 32),
    Format(
        name="spring {sha256}",
        prefixes=("{sha256}",),
        apps=_APPS,
        read=shaped(rf"\{{sha256\}}{HEX}{{80}}", always(_STANDARD)),
    ),
    Format(
        name="spring {noop}",
        prefixes=("{noop}",),
        read=shaped(
            r"\{noop\}[^\x00-\x1f\x7f]*", always(Reading(kind=Kind.PLAIN, format="spring {noop}"))
        ),
    ),
)
