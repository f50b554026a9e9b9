"""The two libraries that bring an OpenSSL of their own: ``hashlib`` and ``cryptography``."""

from collections.abc import Callable
from typing import Any

from hashcost.hashers.interface import ReadyCall


def derive(derivation: Callable[[], Any], password: bytes, length: int) -> ReadyCall:
    """Prepare one hash by a key derivation of ``cryptography``.

    An instance derives once, so it is made within the call; that takes microseconds.
    """
    return ReadyCall(run=lambda: derivation().derive(password), length=length)


def of_hashlib() -> str:
    """The OpenSSL that ``hashlib`` calls, for example ``OpenSSL 3.0.19``."""
    import ssl

    return _short(ssl.OPENSSL_VERSION)


def of_cryptography() -> str:
    """The version of ``cryptography`` and of the OpenSSL inside it."""
    import cryptography
    from cryptography.hazmat.backends.openssl.backend import backend

    return f"{cryptography.__version__} {_short(backend.openssl_version_text())}"


def _short(text: str) -> str:
    """Without the date of its release."""
    return " ".join(text.split()[:2])
