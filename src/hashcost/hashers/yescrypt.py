"""yescrypt by the system's libcrypt: the logins of Debian, Fedora and Ubuntu."""

from typing import Final

from hashcost.core.measurement import Params
from hashcost.hashers import libcrypt
from hashcost.hashers.interface import Hasher

_DIGEST_CHARACTERS = 43
# crypt_gensalt's parameters for each cost (libxcrypt, lib/crypt-yescrypt.c).
_PARAMETERS: Final = {
    1: b"j75",
    2: b"j85",
    3: b"j7T",
    4: b"j8T",
    5: b"j9T",
    6: b"jAT",
    7: b"jBT",
    8: b"jCT",
    9: b"jDT",
    10: b"jET",
    11: b"jFT",
}


def _setting(salt: bytes, params: Params) -> bytes:
    parameters = _PARAMETERS[params["cost"]]
    return b"$y$%s$%s$" % (parameters, salt)


def by_libcrypt() -> Hasher:
    """Run yescrypt by libcrypt."""
    libcrypt.load().require(b"$y$j75$", "yescrypt")
    return libcrypt.adapted("yescrypt", _setting, _DIGEST_CHARACTERS)
