"""yescrypt by the system's libcrypt: the logins of Debian, Fedora and Ubuntu."""

from __future__ import annotations

from typing import Final

from hashcost.core.measurement import Knob, Params, Scale
from hashcost.hashers import libcrypt
from hashcost.hashers.adapter import Adapter
from hashcost.hashers.interface import Hasher, KnownAnswer

_DIGEST_CHARACTERS = 43
_PARAMETERS: Final[dict[int, tuple[bytes, int, int]]] = {
    1: (b"j75", 2**10, 8),
    2: (b"j85", 2**11, 8),
    **{cost: (b"j%cT" % b"789ABCDEF"[cost - 3], 1 << cost + 7, 32) for cost in range(3, 12)},
}
"""What crypt_gensalt writes for each cost, with its N and r (libxcrypt, lib/crypt-yescrypt.c)."""


def _setting(salt: bytes, params: Params) -> bytes:
    encoded, _, _ = _PARAMETERS[params["cost"]]
    return b"$y$%s$%s$" % (encoded, salt)


def _memory_bytes(params: Params) -> int:
    """128 r bytes for each of N blocks: 1 MiB at cost 1, 16 MiB at cost 5."""
    _, n, r = _PARAMETERS[params["cost"]]
    return 128 * r * n


def by_libcrypt() -> Hasher:
    """Run yescrypt by libcrypt."""
    library = libcrypt.load()
    library.require(b"$y$j75$", "yescrypt")
    steps = tuple(_PARAMETERS)
    return Adapter(
        name="yescrypt",
        implementation="libcrypt",
        version=library.version,
        knobs=(Knob(name="cost", scale=Scale.LADDER, minimum=1, maximum=11, steps=steps),),
        lowest={"cost": 1},
        known_answers=(
            KnownAnswer(
                password=b"abc",
                salt=b".......",
                params={"cost": 1},
                output=b"$y$j75$.......$stbr2M6i8w/SU36N/.i6VVEHCMYG2OkDpj/I1wKYZC4",
                source="libxcrypt, test/ka-table.inc",
            ),
        ),
        memory=_memory_bytes,
        prepare=library.prepare(_setting, _DIGEST_CHARACTERS),
    )
