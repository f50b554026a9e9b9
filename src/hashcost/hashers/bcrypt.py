"""bcrypt by the ``bcrypt`` package and by the system's libcrypt."""

import base64
from collections.abc import Callable
from functools import partial

from hashcost.core.measurement import Params
from hashcost.hashers.built_in import Adapter, with_setting
from hashcost.hashers.interface import Hasher

_STANDARD = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_BCRYPT = b"./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
_TO_BCRYPT = bytes.maketrans(_STANDARD, _BCRYPT)
_DIGEST_CHARACTERS = 31


def setting(salt: bytes, params: Params) -> bytes:
    """``$2b$``, the cost in two digits, and 16 bytes of salt in bcrypt's base64."""
    # 16 bytes are 22 characters; bcrypt has another alphabet, and no padding.
    encoded = base64.b64encode(salt).rstrip(b"=").translate(_TO_BCRYPT)
    return b"$2b$%02d$%s" % (params["cost"], encoded)


def by_package() -> Hasher:
    """Run bcrypt by the ``bcrypt`` package."""
    import bcrypt

    def call(password: bytes, written: bytes) -> Callable[[], bytes]:
        return partial(bcrypt.hashpw, password, written)

    prepare = with_setting(setting, _DIGEST_CHARACTERS, call)
    return Adapter("bcrypt", "bcrypt", str(getattr(bcrypt, "__version__", "unknown")), prepare)


def by_libcrypt() -> Hasher:
    """Run bcrypt by libcrypt."""
    from hashcost.hashers import libcrypt  # The package needs none of it.

    return libcrypt.adapted("bcrypt", setting, _DIGEST_CHARACTERS)
