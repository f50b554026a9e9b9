"""yescrypt by the system's libcrypt: the logins of Debian, Fedora and Ubuntu."""

from typing import Final

from hashcost.core.measurement import Params
from hashcost.hashers import libcrypt
from hashcost.hashers.interface import Hasher

_DIGEST_CHARACTERS = 43
_PARAMETERS: Final = {
    1: b"j75",
    2: b"j85",
    **{cost: b"j%cT" % b"789ABCDEF"[cost - 3] for cost in range(3, 12)},
}
"""crypt_gensalt's parameters for each cost (libxcrypt, lib/crypt-yescrypt.c)."""


def _setting(salt: bytes, params: Params) -> bytes:
    return b"$y$%s$%s$" % (_PARAMETERS[params["cost"]], salt)


def by_libcrypt() -> Hasher:
    """Run yescrypt by libcrypt."""
    libcrypt.load().require(b"$y$j75$", "yescrypt")
    return libcrypt.adapted("yescrypt", _setting, _DIGEST_CHARACTERS)
