"""Java's libraries and servers: Atlassian, Elasticsearch, Password4j, Shiro and Tomcat.

Atlassian's ``{PKCS5S2}``: passlib, handlers/pbkdf2.py. Elasticsearch's ``{PBKDF2}``,
which is SHA-512: x-pack, Hasher.java; its key is 32 bytes where OpenLDAP's is 20, so
the two are told apart. Shiro: ``$shiro1$``, a digest iterated, and ``$shiro2$`` before
bcrypt or Argon2. Tomcat's ``salt$iterations$key`` does not say of which algorithm:
SecretKeyCredentialHandler (PBKDF2) and MessageDigestCredentialHandler write the same.

Password4j's ``$1$`` to ``$5$``, which OpenSearch and others use, are the digests of
PBKDF2. crypt(3) has md5-crypt and sha256-crypt there; with a number of ten digits and
more and two parts behind it, these read differently.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from hashcost.stored.formats.alphabets import BASE64, COUNT, CRYPT64, HEX
from hashcost.stored.formats.argon2 import read_argon2
from hashcost.stored.formats.bcrypt import COST
from hashcost.stored.formats.interface import (
    LARGEST,
    always,
    counted,
    fast,
    number,
    shaped,
    wrapper,
)
from hashcost.stored.formats.pbkdf2 import DIGEST_BYTES, derived, of_base64, pbkdf2
from hashcost.stored.formats.reading import Reading
from hashcost.stored.formats.scrypt import PACKED, packed

_ELASTICSEARCH = ("elasticsearch",)
_PASSWORD4J = ("opensearch", "password4j")
_SHIRO = ("shiro",)
_SALT = rf"{BASE64}*={{0,2}}"


def _password4j(name: str, digits: str, key: int, *, digest: str) -> Reading | None:
    """``iterations << 32 | bits of key`` (CompressedPBKDF2Function.java)."""
    value = number(digits, 1 << 32, 2**63 - 1)
    key_bytes = of_base64(key)
    if value is None or value & 0xFFFFFFFF != 8 * key_bytes:
        return None
    return pbkdf2(name, digest, value >> 32, key_bytes)


FORMATS: Final = (
    *(
        derived(
            f"elasticsearch {scheme}",
            "sha512",
            scheme,
            rf"({COUNT})\${BASE64}+={{0,2}}\$(?P<key>{BASE64}{{43,}})={{0,2}}",
            apps=_ELASTICSEARCH,
        )
        for scheme in ("{PBKDF2}", "{PBKDF2_STRETCH}")
    ),
    fast(
        "elasticsearch {SSHA256}",
        "{SSHA256}",
        f"{BASE64}{{11}}={BASE64}{{43}}=",
        "ssha256",
        apps=_ELASTICSEARCH,
    ),
    *(
        shaped(
            "password4j pbkdf2",
            f"${code}$",
            rf"([1-9][0-9]{{9,18}})\${_SALT}\$(?P<key>{BASE64}{{16,}})={{0,2}}",
            partial(_password4j, digest=digest),
            apps=_PASSWORD4J,
        )
        for code, digest in enumerate(DIGEST_BYTES, start=1)
    ),
    shaped("packed scrypt", (), rf"\${PACKED}", packed, apps=(*_PASSWORD4J, "spring")),
    *(
        shaped(
            "shiro1",
            "$shiro1$",
            rf"{digest}\$({COUNT})\${_SALT}\${BASE64}{{22,}}={{0,2}}",
            counted(f"iterated-{digest.lower().replace('-', '')}", "iterations", 1, LARGEST),
            apps=_SHIRO,
        )
        for digest in ("MD5", "SHA-1", "SHA-224", "SHA-256", "SHA-384", "SHA-512")
    ),
    wrapper("shiro2", "$shiro2$", read_argon2, prepend="$", apps=_SHIRO),
    # The cost without a leading zero, unlike all others.
    shaped("shiro2", "$shiro2$", rf"2[aby]\$([0-9]{{1,2}})\${CRYPT64}{{53}}", COST, apps=_SHIRO),
    # 16 bytes of salt and 32 of key.
    shaped(
        "atlassian {PKCS5S2}",
        "{PKCS5S2}",
        f"{BASE64}{{64}}",
        always(
            "pbkdf2-sha1",
            {"iterations": 10_000},
            blocks=2,
            notes=("extra-blocks", "fixed-cost"),
        ),
        apps=("atlassian",),
    ),
    shaped(
        "tomcat",
        (),
        rf"{HEX}{{2,}}\$({COUNT})\${HEX}{{32,}}",
        counted(None, "iterations", 1, LARGEST, notes=("no-algorithm-stored",)),
        apps=("tomcat",),
    ),
)
