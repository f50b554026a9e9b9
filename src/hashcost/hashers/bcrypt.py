"""bcrypt by the ``bcrypt`` package and by the system's libcrypt."""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import version
from typing import TYPE_CHECKING

from hashcost.core.measurement import Knob, Params, Scale
from hashcost.hashers.interface import Hasher, KnownAnswer, ReadyCall

if TYPE_CHECKING:
    from hashcost.hashers.libcrypt import LibCrypt

_STANDARD = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_BCRYPT = b"./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
_TO_BCRYPT = bytes.maketrans(_STANDARD, _BCRYPT)
_OUTPUT_CHARACTERS = 60


@dataclass(frozen=True, kw_only=True)
class _Bcrypt:
    """What both implementations share."""

    version: str
    name = "bcrypt"
    drift: float = 0.008
    """Twelve runs on a quiet AMD EPYC guest spread over 0.5 to 1.2 % (2026-11-20)."""

    @property
    def knobs(self) -> tuple[Knob, ...]:
        return (Knob(name="cost", scale=Scale.LOG2, minimum=4, maximum=31),)

    @property
    def lowest(self) -> Params:
        return {"cost": 4}

    @property
    def known_answers(self) -> tuple[KnownAnswer, ...]:
        return (
            KnownAnswer(
                password=b"U*U",
                salt=bytes.fromhex("10410410410410410410410410410410"),
                params={"cost": 5},
                output=b"$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
                source="Openwall crypt_blowfish, wrapper.c",
            ),
        )

    def memory_bytes(self, params: Params) -> int:
        """Four S-boxes of 1 KiB and the P-array."""
        return 4096 + 72

    def threads(self, params: Params) -> int:
        return 1


@dataclass(frozen=True, kw_only=True)
class _Package(_Bcrypt):
    hashpw: Callable[[bytes, bytes], bytes]
    implementation = "bcrypt"

    def ready(self, password: bytes, salt: bytes, params: Params) -> ReadyCall:
        setting = _setting(salt, params)
        return ReadyCall(
            run=partial(self.hashpw, password, setting),
            prefix=setting,
            length=_OUTPUT_CHARACTERS,
        )


@dataclass(frozen=True, kw_only=True)
class _LibCrypt(_Bcrypt):
    library: LibCrypt = field(repr=False)
    implementation = "libcrypt"

    def ready(self, password: bytes, salt: bytes, params: Params) -> ReadyCall:
        setting = _setting(salt, params)
        return ReadyCall(
            run=self.library.caller(password, setting),
            prefix=setting,
            length=_OUTPUT_CHARACTERS,
        )


def _setting(salt: bytes, params: Params) -> bytes:
    """``$2b$``, the cost in two digits, and 16 bytes of salt in bcrypt's base64."""
    encoded = base64.b64encode(salt).rstrip(b"=").translate(_TO_BCRYPT)
    return b"$2b$%02d$%s" % (params["cost"], encoded)


def by_package() -> Hasher:
    """Run bcrypt by the ``bcrypt`` package."""
    import bcrypt

    return _Package(version=version("bcrypt"), hashpw=bcrypt.hashpw)


def by_libcrypt() -> Hasher:
    """Run bcrypt by libcrypt."""
    from hashcost.hashers import libcrypt  # The package needs none of it.

    library = libcrypt.load()
    return _LibCrypt(version=library.version, library=library)
