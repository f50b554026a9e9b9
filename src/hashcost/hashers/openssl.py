"""The two libraries that bring an OpenSSL of their own: ``hashlib`` and ``cryptography``."""

from collections.abc import Callable
from typing import Protocol

from hashcost.hashers.interface import ReadyCall


class _Derivation(Protocol):
    """A key derivation of ``cryptography``."""

    def derive(self, key_material: bytes, /) -> bytes: ...


def derive(derivation: Callable[[], _Derivation], password: bytes, length: int) -> ReadyCall:
    """Prepare one hash by ``cryptography``.

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
