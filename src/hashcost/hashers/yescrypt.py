"""yescrypt by the system's libcrypt: the logins of Debian, Fedora and Ubuntu."""

from typing import Final

from hashcost.core.measurement import Params
from hashcost.hashers import libcrypt
from hashcost.hashers.interface import Hasher

_DIGEST_CHARACTERS = 43
_PARAMETERS: Final = (
    *(b"j75", b"j85", b"j7T", b"j8T", b"j9T", b"jAT"),
    *(b"jBT", b"jCT", b"jDT", b"jET", b"jFT"),
)
"""crypt_gensalt's parameters for each cost from 1 on (libxcrypt, lib/crypt-yescrypt.c)."""


def _setting(salt: bytes, params: Params) -> bytes:
    parameters = _PARAMETERS[params["cost"] - 1]
    return b"$y$%s$%s$" % (parameters, salt)


def by_libcrypt() -> Hasher:
    """Run yescrypt by libcrypt."""
    libcrypt.load().require(b"$y$j75$", "yescrypt")
    return libcrypt.adapted("yescrypt", _setting, _DIGEST_CHARACTERS)
