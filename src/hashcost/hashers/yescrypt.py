"""yescrypt by the system's libcrypt: the logins of Debian, Fedora and Ubuntu."""

from typing import Final

from hashcost.core.measurement import Params
from hashcost.hashers import libcrypt
from hashcost.hashers.interface import Hasher

_DIGEST_CHARACTERS = 43
_PARAMETERS: Final[dict[int, tuple[bytes, int, int]]] = {
    1: (b"j75", 2**10, 8),
    2: (b"j85", 2**11, 8),
    **{cost: (b"j%cT" % b"789ABCDEF"[cost - 3], 1 << cost + 7, 32) for cost in range(3, 12)},
}
"""crypt_gensalt's parameters for each cost, with N and r (libxcrypt, lib/crypt-yescrypt.c)."""


def _setting(salt: bytes, params: Params) -> bytes:
    encoded, _, _ = _PARAMETERS[params["cost"]]
    return b"$y$%s$%s$" % (encoded, salt)


def _memory_bytes(params: Params) -> int:
    """128 r bytes for each of N blocks: 1 MiB at cost 1, 16 MiB at cost 5."""
    _, n, r = _PARAMETERS[params["cost"]]
    return 128 * r * n


def by_libcrypt() -> Hasher:
    """Run yescrypt by libcrypt."""
    libcrypt.load().require(b"$y$j75$", "yescrypt")
    return libcrypt.adapted("yescrypt", _setting, _DIGEST_CHARACTERS, memory=_memory_bytes)
