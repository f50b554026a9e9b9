"""bcrypt by the ``bcrypt`` package and by the system's libcrypt."""

from __future__ import annotations

import base64
from functools import partial
from importlib.metadata import version

from hashcost.core.measurement import Knob, Params, Scale
from hashcost.hashers.adapter import Adapter
from hashcost.hashers.interface import Hasher, KnownAnswer, ReadyCall

_STANDARD = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_BCRYPT = b"./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
_TO_BCRYPT = bytes.maketrans(_STANDARD, _BCRYPT)
_DIGEST_CHARACTERS = 31

_bcrypt = partial(
    Adapter,
    name="bcrypt",
    knobs=(Knob(name="cost", scale=Scale.LOG2, minimum=4, maximum=31),),
    lowest={"cost": 4},
    known_answers=(
        KnownAnswer(
            password=b"U*U",
            salt=bytes.fromhex("10410410410410410410410410410410"),
            params={"cost": 5},
            output=b"$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
            source="Openwall crypt_blowfish, wrapper.c",
        ),
    ),
    # Four S-boxes of 1 KiB and the P-array.
    memory=lambda _: 4096 + 72,
)


def _setting(salt: bytes, params: Params) -> bytes:
    """``$2b$``, the cost in two digits, and 16 bytes of salt in bcrypt's base64."""
    encoded = base64.b64encode(salt).rstrip(b"=").translate(_TO_BCRYPT)
    return b"$2b$%02d$%s" % (params["cost"], encoded)


def by_package() -> Hasher:
    """Run bcrypt by the ``bcrypt`` package."""
    import bcrypt

    def ready(password: bytes, salt: bytes, params: Params) -> ReadyCall:
        setting = _setting(salt, params)
        return ReadyCall(
            run=partial(bcrypt.hashpw, password, setting),
            prefix=setting,
            length=len(setting) + _DIGEST_CHARACTERS,
        )

    return _bcrypt(implementation="bcrypt", version=version("bcrypt"), prepare=ready)


def by_libcrypt() -> Hasher:
    """Run bcrypt by libcrypt."""
    from hashcost.hashers import libcrypt  # The package needs none of it.

    library = libcrypt.load()
    return _bcrypt(
        implementation="libcrypt",
        version=library.version,
        prepare=library.prepare(_setting, _DIGEST_CHARACTERS),
    )
