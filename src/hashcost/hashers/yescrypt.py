"""yescrypt by the system's libcrypt: the logins of Debian, Fedora and Ubuntu."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from hashcost.core.measurement import Knob, Params, Scale
from hashcost.hashers import libcrypt
from hashcost.hashers.interface import Hasher, KnownAnswer, ReadyCall

_CHARACTERS = 43
_PARAMETERS: Final[dict[int, tuple[bytes, int, int]]] = {
    1: (b"j75", 2**10, 8),
    2: (b"j85", 2**11, 8),
    **{cost: (b"j%cT" % b"789ABCDEF"[cost - 3], 1 << cost + 7, 32) for cost in range(3, 12)},
}
"""What crypt_gensalt writes for each cost, with its N and r (libxcrypt, lib/crypt-yescrypt.c)."""


@dataclass(frozen=True, kw_only=True)
class _Yescrypt:
    version: str
    library: libcrypt.LibCrypt = field(repr=False)
    name = "yescrypt"
    implementation = "libcrypt"
    drift: float = 0.02
    """As PBKDF2's, for want of a quieter machine to measure it on."""

    @property
    def knobs(self) -> tuple[Knob, ...]:
        return (
            Knob(
                name="cost",
                scale=Scale.LADDER,
                minimum=1,
                maximum=11,
                steps=tuple(_PARAMETERS),
            ),
        )

    @property
    def lowest(self) -> Params:
        return {"cost": 1}

    @property
    def known_answers(self) -> tuple[KnownAnswer, ...]:
        return (
            KnownAnswer(
                password=b"abc",
                salt=b".......",
                params={"cost": 1},
                output=b"$y$j75$.......$stbr2M6i8w/SU36N/.i6VVEHCMYG2OkDpj/I1wKYZC4",
                source="libxcrypt, test/ka-table.inc",
            ),
        )

    def memory_bytes(self, params: Params) -> int:
        """128 r bytes for each of N blocks: 1 MiB at cost 1, 16 MiB at cost 5."""
        _, n, r = _PARAMETERS[params["cost"]]
        return 128 * r * n

    def threads(self, params: Params) -> int:
        return 1

    def ready(self, password: bytes, salt: bytes, params: Params) -> ReadyCall:
        encoded, _, _ = _PARAMETERS[params["cost"]]
        setting = b"$y$%s$%s$" % (encoded, salt)
        return ReadyCall(
            run=self.library.caller(password, setting),
            prefix=setting,
            length=len(setting) + _CHARACTERS,
        )


def by_libcrypt() -> Hasher:
    """Run yescrypt by libcrypt."""
    library = libcrypt.load()
    library.require(b"$y$j75$", "yescrypt")
    return _Yescrypt(version=library.version, library=library)
